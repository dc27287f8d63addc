package rows_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-4d3eb737/hermes-doctor/corpus/internal/rows"
)

func TestWordReadsBack(t *testing.T) {
	for _, v := range []any{
		nil, int64(0), int64(-7), int64(math.MaxInt64), 1786033116.25, -0.5, 1e300, math.Inf(1), math.Inf(-1), []byte{}, []byte{0, 255},
		"", "plain", "NULL", "inf", "007", "1001", "1.50", "@3", "+5", "$a", "x'00'", "json'{}'", "a b", "a=b", "agent:main:telegram:dm:1001", "agent:main:x:dm:",
		"2026-08-03T12:01:03Z", "#x", "'", `"`, "\\", "line\nbreak", "tab\t", "\x00", "\xff\xfe", "é", "\u202e", "-", "--", "-- want.txt --",
	} {
		s, err := rows.Parse("session s start=1 title="+rows.Word(v)+"\nrow state_meta key=k value="+rows.Word(v)+"\n", rows.Env{Schema: "25", Base: math.NaN()})
		if err != nil {
			t.Errorf("%#v as %s: %v", v, rows.Word(v), err)
			continue
		}
		for _, row := range s.Rows {
			for i, c := range row.Columns {
				if c == "title" || c == "value" {
					if d := cmp.Diff(v, row.Values[i]); d != "" {
						t.Errorf("%s in %s (-want +got):\n%s", rows.Word(v), row.Table, d)
					}
				}
			}
		}
	}
}
