package checks

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
)

var lineageCycle = &scan.Check{
	ID: "lineage-cycle", Class: "L3", Severity: scan.Warning,
	Title:  "following parents comes back to the same row",
	Issues: []string{},
	Needs:  scan.NeedSessions,
	Doc: scan.Doc{
		What:   "The chain of parent_session_id revisits a row. Lists and lookups of continuations loop until their cap.",
		Not:    "It does not say which link is the wrong one.",
		Origin: "Not known from public reports: an import, a hand-made edit, or a copy of rows under new ids.",
		Safe:   "Leaving it: the product's loops are capped. Clearing a parent is an overwrite, to be decided by the owner.",
		Unsafe: "Clearing all parents of the cycle: the true lineage would be lost with the false one.",
		ByHand: "WITH RECURSIVE up(root, id, n) AS (SELECT id, parent_session_id, 1 FROM sessions UNION ALL SELECT root, parent_session_id, n + 1 FROM up JOIN sessions s ON s.id = up.id WHERE n < 100) SELECT DISTINCT root FROM up WHERE id = root",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		for _, cycle := range cycles(p.Facts) {
			if err := ctx.Err(); err != nil {
				return err
			}
			ids := make([]string, 0, shown)
			quoted := make([]string, 0, shown)
			for _, i := range cycle[:min(len(cycle), shown)] {
				ids = append(ids, p.Facts.Sessions[i].ID)
				quoted = append(quoted, evidence.Quote(p.Facts.Sessions[i].ID))
			}
			more := ""
			if n := len(cycle) - len(ids); n > 0 {
				more = fmt.Sprintf(" and %d more", n)
			}
			message := fmt.Sprintf("%s are each other's ancestors: %s%s", scan.Count(len(cycle), "row"), strings.Join(ids, " → "), more)
			if len(cycle) == 1 {
				message = fmt.Sprintf("row %s is its own parent", ids[0])
			}
			p.Report(scan.Finding{
				Subject: p.About(cycle[0]),
				Message: message,
				Advice:  "Nothing needs doing for the chats; lineage of these rows cannot be trusted.",
				Evidence: []evidence.Item{{
					At:  p.Facts.Locate(cycle[0], "parent_session_id"),
					Saw: "parents lead back to the same row",
					How: "SELECT id, parent_session_id FROM sessions WHERE id IN (" + strings.Join(quoted, ", ") + ")",
				}},
			})
		}
		return nil
	},
}

// cycles finds every cycle of parents, each beginning with its smallest id, in one pass: a row is walked once.
func cycles(f *facts.Facts) [][]int32 {
	const unseen, done = 0, -1
	mark := make([]int32, len(f.Sessions)) // the walk that first met the row, counted from 1
	var out [][]int32
	var path []int32
	for start := range f.Sessions {
		path = path[:0]
		i := int32(start)
		for i >= 0 && mark[i] == unseen {
			mark[i] = int32(start) + 1
			path = append(path, i)
			i = f.Sessions[i].Parent
		}
		if i >= 0 && mark[i] == int32(start)+1 {
			cycle := slices.Clone(path[slices.Index(path, i):])
			least := 0
			for k := range cycle {
				if f.Sessions[cycle[k]].ID < f.Sessions[cycle[least]].ID {
					least = k
				}
			}
			out = append(out, append(slices.Clone(cycle[least:]), cycle[:least]...))
		}
		for _, k := range path {
			mark[k] = done
		}
	}
	return out
}
