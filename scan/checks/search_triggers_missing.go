package checks

import (
	"context"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

var searchTriggersMissing = &scan.Check{
	ID: "search-triggers-missing", Class: "F3", Severity: scan.Warning,
	Title: "the search index is no longer told of new messages",
	Needs: scan.NeedFile | scan.NeedMessages,
	Doc: scan.Doc{
		What:   "A full-text index over the messages is there, one or more of the three triggers that keep it in step are not, and the product left no mark that it took them away itself. Messages written since are in the table, and search does not find them.",
		Not:    "It does not say how many messages the index misses: search-index-damaged counts them (--deep for a file of more than 32 MiB).",
		Origin: "A repair by hand, a dump that was read back without its triggers, an update that stopped half way.",
		Safe:   "Nothing is lost: every message stands in the table messages. The product makes a new index on a full rebuild.",
		Unsafe: "Creating the triggers by hand over an index that is behind: an UPDATE or DELETE of a message that it never saw damages it.",
		ByHand: "SELECT name, tbl_name FROM sqlite_schema WHERE type = 'trigger' AND name LIKE 'messages_fts%'",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		l, err := p.Search(ctx)
		if err != nil {
			return err
		}
		for i := range l.Indexes {
			x := &l.Indexes[i]
			if len(x.Missing) == 0 || l.Cut(x) {
				continue
			}
			f := scan.Finding{
				Subject:  scan.Subject{Table: x.Name},
				Message:  fmt.Sprintf("the search index %s has lost %s: what is written since is not found", x.Name, scan.Count(int64(len(x.Missing)), "trigger")),
				Advice:   "No message is lost. hermes-doctor salvage makes a new file with a fresh index; the product makes one on a full rebuild.",
				Evidence: []evidence.Item{triggerItem(p, x)},
			}
			if len(x.Missing) == 3 {
				f.Message = fmt.Sprintf("the search index %s has none of its triggers: what is written since is not found", x.Name)
			}
			p.Report(f)
		}
		return nil
	},
}
