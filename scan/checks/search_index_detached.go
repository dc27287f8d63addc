package checks

import (
	"context"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

var searchIndexDetached = &scan.Check{
	ID: "search-index-detached", Class: "F2", Severity: scan.Notice,
	Title:  "the product has switched its search index off",
	Issues: []string{"#82719"},
	Needs:  scan.NeedFile | scan.NeedMessages,
	Doc: scan.Doc{
		What:   "The product met a damaged search index, took its triggers away so that messages can be written all the same, and marked the index as stale. Messages written since are in the table, and search does not find them until the next full rebuild.",
		Not:    "It is no damage to a conversation, and it does not say what had damaged the index.",
		Origin: "The fail-open of newer builds (#82719): before it, every append failed as long as the index was damaged.",
		Safe:   "Nothing needs doing: the product rebuilds its index.",
		Unsafe: "Taking the mark away by hand: the product then no longer knows that the index is behind.",
		ByHand: "SELECT value FROM state_meta WHERE key = 'fts_stale'",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		l, err := p.Search(ctx)
		if err != nil {
			return err
		}
		for i := range l.Indexes {
			x := &l.Indexes[i]
			if !l.Cut(x) {
				continue
			}
			key := "fts_stale"
			if !l.Stale {
				key = "fts_cjk_stale"
			}
			p.Report(scan.Finding{
				Subject:  scan.Subject{Table: x.Name},
				Message:  "the search index " + x.Name + " is switched off: messages are written and read, and search does not find the newest",
				Advice:   "Nothing needs doing: the product makes the index anew when it can.",
				Evidence: []evidence.Item{markItem(p, key, "the index is marked as stale"), triggerItem(p, x)},
			})
		}
		return nil
	},
}
