package pages_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-4d3eb737/hermes-doctor/evidence/internal/pages"
)

func TestSeekerEqualsSQLite(t *testing.T) {
	const (
		beforeSQL = `SELECT +t, +id FROM m WHERE s=?1 AND typeof(s)='text' AND typeof(t) IN('integer','real') AND t<=?2 ORDER BY t DESC, id DESC LIMIT 1`
		afterSQL  = `SELECT +t, +id FROM m WHERE s=?1 AND typeof(s)='text' AND typeof(t) IN('integer','real') AND t>?2 ORDER BY t, id LIMIT 1`
	)
	for _, pageSize := range []int{512, 4096} {
		path, db := database(t, fmt.Sprintf("PRAGMA page_size=%d", pageSize), fillMessages(t, 4000))
		f := open(t, path)
		seeker := f.Seeker(roots(t, f)["m_st"])
		keys := query(t, db, `SELECT DISTINCT +s FROM m WHERE typeof(s)='text'`)
		keys = append(keys, []any{"absent"}, []any{"2026_"}, []any{"zzz"})
		rnd := rand.New(rand.NewPCG(5, 6))
		found := 0
		for range 1500 {
			key := keys[rnd.IntN(len(keys))][0].(string)
			at := 1.78e9 + float64(rnd.IntN(100000))/8
			if rnd.IntN(10) == 0 {
				at = []float64{-1e19, -1e18, 0, 0.75, 4.2e9, 1e19, 1e301}[rnd.IntN(7)]
			}
			before, after, err := seeker.Around(t.Context(), []byte(key), at)
			if err != nil {
				t.Fatal(err)
			}
			for _, tt := range []struct {
				name string
				hit  pages.Hit
				sql  string
			}{{"before", before, beforeSQL}, {"after", after, afterSQL}} {
				var got [][]any
				if tt.hit.Found {
					found++
					got = [][]any{{cell(f, tt.hit.Number), tt.hit.Rowid}}
				}
				if d := cmp.Diff(query(t, db, tt.sql, key, at), got); d != "" {
					t.Errorf("page size %d, %s (%.20q, %v) (-want +got):\n%s", pageSize, tt.name, key, at, d)
				}
			}
		}
		if found < 1000 {
			t.Errorf("only %d answers", found)
		}
	}
}

func TestSeekerRefusesTable(t *testing.T) {
	path, _ := database(t, "", fillMessages(t, 100))
	f := open(t, path)
	if _, _, err := f.Seeker(roots(t, f)["m"]).Around(t.Context(), nil, 0); !errors.Is(err, pages.ErrNotIndex) {
		t.Errorf("got %v", err)
	}
}
