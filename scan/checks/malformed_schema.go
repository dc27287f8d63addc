package checks

import (
	"context"
	"maps"
	"slices"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

var malformedSchema = &scan.Check{
	ID: "malformed-schema", Class: "P2", Severity: scan.Error,
	Title:  "the list of tables contradicts itself",
	Issues: []string{"#43149", "#71933", "#103840", "#56815"},
	Needs:  scan.NeedFile,
	Doc: scan.Doc{
		What:   "Rows of sqlite_schema, read without SQLite, that cannot stand together: two for one name, an index or trigger without its table, a trigger that writes to a table which is not there, tables of a full-text index whose own row is gone, two trees that begin on one page.",
		Not:    "It reads no table: the rows of the other tables may be whole. Names behind INTO, FROM, JOIN and UPDATE of a trigger are looked up; other ways to fail are not seen.",
		Origin: "A migration or a repair that was cut off, a .recover into a file that was not empty, or a writer that edited the schema.",
		Safe:   "hermes-doctor salvage: it reads the tables by their pages and makes a new file with the schema of the product.",
		Unsafe: "Editing sqlite_schema in place, or dropping tables by the beginning of their name (#109748).",
		ByHand: "SELECT type, name, tbl_name, count(*) FROM sqlite_schema GROUP BY type, name HAVING count(*) > 1",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		s, err := p.Structure(ctx)
		if err != nil || s == nil {
			return err
		}
		for _, f := range oneForEachRow(s.Schema) {
			advice := "SQLite refuses the whole file for this, and the rows may be whole all the same: hermes-doctor salvage reads them by their pages into a new file."
			if f.Opens {
				advice = "Messages that are there are not touched by it. hermes-doctor salvage makes a new file with the product's own schema; by hand, on a copy, by someone who knows the schema."
			}
			p.Report(scan.Finding{
				Subject: scan.Subject{Table: "sqlite_schema", RowID: f.RowIDs[len(f.RowIDs)-1]}, Message: f.Reason, Advice: advice,
				Evidence: []evidence.Item{{At: evidence.Ref{Store: p.Store.Name, Table: "sqlite_schema", Key: "rowid " + numbers(f.RowIDs)}, Saw: f.Reason,
					How: "SELECT rowid, type, name, tbl_name, rootpage FROM sqlite_schema WHERE name = " + evidence.Quote(f.Name) + " OR tbl_name = " + evidence.Quote(f.Name)}},
			})
		}
		return nil
	},
}

// oneForEachRow joins the faults of one row of the schema.
func oneForEachRow(list []evidence.SchemaFault) []evidence.SchemaFault {
	var out []evidence.SchemaFault
	at := map[int64]int{}
	for _, f := range list {
		row := f.RowIDs[len(f.RowIDs)-1]
		k, had := at[row]
		if !had {
			at[row] = len(out)
			out = append(out, f)
			continue
		}
		out[k].Reason += "; " + f.Reason
		out[k].Opens = out[k].Opens && f.Opens
	}
	return out
}

func sortedNames[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
