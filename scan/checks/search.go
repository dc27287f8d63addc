package checks

import (
	"fmt"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/search"
)

// triggerItem shows which of the three triggers of an index are there.
func triggerItem(p *scan.Pass, x *search.Index) evidence.Item {
	return evidence.Item{
		At: evidence.Ref{Store: p.Store.Name, Table: "sqlite_schema", Key: x.Name}, Saw: "no " + strings.Join(x.Missing, ", no "),
		How: "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name LIKE " + evidence.Quote(x.Name+"_%"),
	}
}

// markItem shows a mark of the product about its index.
func markItem(p *scan.Pass, key, saw string) evidence.Item {
	return evidence.Item{At: evidence.Ref{Store: p.Store.Name, Table: "state_meta", Key: key}, Saw: saw,
		How: "SELECT value FROM state_meta WHERE key = " + evidence.Quote(key)}
}

// countItem shows how many messages an index holds, beside how many there are.
func countItem(p *scan.Pass, x *search.Index, saw string) evidence.Item {
	return evidence.Item{At: evidence.Ref{Store: p.Store.Name, Table: x.Sizes}, Saw: saw,
		How: fmt.Sprintf("SELECT (SELECT count(*) FROM %s), (SELECT count(*) FROM messages)", x.Sizes)}
}
