package report_test

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/report"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/compare"
)

// compared has one of everything that a comparison can hold.
func compared() *report.Diff {
	const evil = "\x1b[2J\nx\u202e|`@octocat\xff"
	d := &report.Diff{Tool: tool(), A: report.DiffSide{Inputs: inputs(), Result: incident()}, B: report.DiffSide{Inputs: many("b"), Result: hostile()},
		Stores: []*compare.Difference{
			{Store: "state.db", In: compare.Both, Same: 3, A: compare.Totals{Sessions: 7, Messages: 20}, B: compare.Totals{Sessions: 6, Messages: 19},
				Messages: compare.Messages{Same: 12, Changed: 1, ReStamped: 1, Shrunk: 1, Rewritten: 1, Moved: 1, Lost: 3, MovedHere: 1, Added: 2},
				Notes:    []string{"only B has these columns of messages, which are not compared: message_uid"},
				Sessions: []compare.Session{
					{ID: "gone", Source: "cli", Changes: []compare.Change{compare.Lost}, Messages: compare.Messages{Lost: 2}},
					{ID: newID, Source: "telegram", Key: key, Changes: []compare.Change{compare.Shrunk, compare.Rewritten, compare.ReStamped, compare.ReParented, compare.Changed, compare.Grown},
						Cells:    []compare.Cell{{Column: "parent_session_id", Before: "NULL", After: oldID}, {Column: "ended_at", Before: "1786208580", After: "NULL"}, {Column: "title", Hidden: true}},
						Messages: compare.Messages{Same: 12, Changed: 1, ReStamped: 1, Shrunk: 1, Rewritten: 1, Moved: 1, Lost: 1, Added: 2},
						Examples: []compare.Message{
							{What: compare.Lost, Role: "user", RowA: 4, TimeA: 1786208580, TimeB: nan, BytesA: 11},
							{What: compare.Shrunk, Role: "user", RowA: 5, RowB: 5, TimeA: 1786208581, TimeB: 1786208581, BytesA: 11, BytesB: 3},
							{What: compare.Rewritten, Role: "tool", RowA: 6, RowB: 16, TimeA: 1786208582, TimeB: 1786208582, BytesA: 11, BytesB: 11},
							{What: compare.Moved, Role: "user", RowA: 7, RowB: 17, TimeA: 1786208583, TimeB: 1786208583, BytesA: 1, BytesB: 1, Other: evil},
							{What: compare.ReStamped, Role: "user", RowA: 8, RowB: 8, TimeA: 1786208584, TimeB: nan, BytesA: 1, BytesB: 1},
							{What: compare.Added, Role: "assistant", RowB: 9, TimeA: nan, TimeB: 1786208585, BytesB: 2},
						}, More: 1234},
					{ID: evil, Source: evil, Key: evil, NoRow: true, Changes: []compare.Change{compare.Grown}, Messages: compare.Messages{MovedHere: 1},
						Examples: []compare.Message{{What: compare.MovedHere, Role: evil, RowA: 7, RowB: 17, TimeA: 1786208583, TimeB: 1786208583, BytesA: 1, BytesB: 1, Other: newID}}},
				}},
			{Store: "profiles/p/state.db", In: compare.B, B: compare.Totals{Sessions: 1},
				Sessions: []compare.Session{{ID: "new", Changes: []compare.Change{compare.Added}}}},
		},
		Checkpoints: []*compare.Checkpoints{
			{Base: "checkpoints", In: compare.Both, Same: 1, A: compare.CheckpointTotals{Projects: 3, Checkpoints: 24}, B: compare.CheckpointTotals{Projects: 3, Checkpoints: 22},
				Points: compare.Points{Same: 3, ReCommitted: 4, ReStamped: 1, Lost: 16, Trimmed: 2, InStore: 1, Added: 1},
				Notes:  []string{"the history of project 0123456789abcdef in B breaks off after 3 checkpoints: " + evil},
				Projects: []compare.Project{
					{ID: "aaaabbbbccccdddd", StoreA: "store", Workdir: "/home/you/gone", Changes: []compare.Change{compare.Lost}, Points: compare.Points{Lost: 14}, Lost: lostPoints(14)},
					{ID: "0123456789abcdef", StoreA: "0123456789abcdef", StoreB: "legacy-20260507-101500/0123456789abcdef", Workdir: evil,
						Changes: []compare.Change{compare.Shrunk, compare.ReStamped, compare.Grown, compare.Moved, compare.ReCommitted},
						Points:  compare.Points{ReCommitted: 4, ReStamped: 1, Lost: 2, Trimmed: 2, InStore: 1, Added: 1},
						Lost:    []compare.Point{{ID: strings.Repeat("a", 40), N: 6, At: 1786208580, Subject: evil, Trimmed: true, InStore: true}, {ID: strings.Repeat("b", 40), N: 7, Trimmed: true}},
						Added:   []compare.Point{{ID: strings.Repeat("c", 40), N: 1, At: 1786208590, Subject: "before write_file"}}},
				}},
			{Base: "profiles/p/checkpoints", In: compare.B, B: compare.CheckpointTotals{Projects: 1},
				Projects: []compare.Project{{ID: "ddddccccbbbbaaaa", StoreB: "store", Changes: []compare.Change{compare.Added}}}},
		},
		Appeared: []scan.Finding{orphan()}, Went: []scan.Finding{zombie()},
		Resumed: []compare.Resumed{
			{Store: "state.db", Source: "telegram", SessionKey: key, Resolver: "v0.21", Before: oldID, After: newID, OnlyIn: compare.Both},
			{Store: "state.db", Source: evil, SessionKey: evil, Resolver: "v0.21", After: evil, OnlyIn: compare.B},
			{Store: "state.db", Source: "telegram", SessionKey: "x", Resolver: "v0.21", OnlyIn: compare.A},
		},
		Notes: []string{"profiles/q/state.db of B could not be read, so that it is not compared: " + evil},
	}
	return d
}

func lostPoints(n int) (list []compare.Point) {
	for i := range n {
		list = append(list, compare.Point{ID: fmt.Sprintf("%040d", i), N: i + 1, At: 1786208580 - 60*float64(i), Subject: "before patch"})
	}
	return list
}

// many are the databases of a home that has more than a page names.
func many(base string) (list []evidence.Input) {
	for i := range 5 {
		in := inputs()[0]
		in.Path, in.SHA256 = fmt.Sprintf("%s/profiles/p%d/state.db", base, i), strings.Repeat(strconv.Itoa(i), 64)
		list = append(list, in)
	}
	return list
}

func comparedJSON(t *testing.T, d *report.Diff) []byte {
	return rendered(t, func(w io.Writer) error { return report.RenderDiff(w, d, report.JSON, report.Options{}) })
}

func same() *report.Diff {
	side := report.DiffSide{Inputs: inputs(), Result: sound()}
	return &report.Diff{Tool: tool(), A: side, B: side, Stores: []*compare.Difference{{Store: "state.db", In: compare.Both, Same: 1,
		A: compare.Totals{Sessions: 1, Messages: 44}, B: compare.Totals{Sessions: 1, Messages: 44}, Messages: compare.Messages{Same: 44}}}}
}

func TestDiffGolden(t *testing.T) {
	for _, f := range report.Formats() {
		golden(t, "diff."+string(f), func(w *bytes.Buffer) error { return report.RenderDiff(w, compared(), f, report.Options{}) })
		golden(t, "diff-same."+string(f), func(w *bytes.Buffer) error { return report.RenderDiff(w, same(), f, report.Options{}) })
	}
}
