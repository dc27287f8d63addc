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

var shiftedColumns = &scan.Check{
	ID: "shifted-columns", Class: "P1", Severity: scan.Error,
	Title:  "the values of a row stand in the wrong columns",
	Issues: []string{"#91536"},
	Needs:  scan.NeedFile,
	Doc: scan.Doc{
		What:   "In rows of sessions or messages at least two columns hold what belongs a fixed number of columns further: a role where the id of the session should be, a time where the role should be. An earlier \"recovery\" put rows of one layout into a table of another.",
		Not:    "It looks at columns whose values can be told by themselves: role, timestamp and session_id, and source, started_at and end_reason. Messages are looked at where the file is walked whole (--deep for one of more than 32 MiB).",
		Origin: "A .recover or an INSERT … SELECT * between a file that was born at its schema and one that was upgraded: the columns stand in another order there.",
		Safe:   "Going back to the file before that recovery, and salvaging it anew; the finding says by how many columns the rows are off.",
		Unsafe: "Moving values between columns in place, or running the product: it takes such rows for empty or for another chat's.",
		ByHand: "SELECT id, typeof(timestamp), role FROM messages WHERE role NOT IN ('user', 'assistant', 'tool', 'system', 'session_meta', 'unknown') LIMIT 20",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		if p.Facts == nil {
			return nil
		}
		sources := facts.Sources()
		if odd(p.Facts, sources) {
			err := findShifted(ctx, p, "sessions", []anchor{
				{"source", func(v evidence.Value) bool { return v.Kind == evidence.Text && slices.Contains(sources, v.String()) }},
				{"started_at", epoch},
				{"end_reason", func(v evidence.Value) bool {
					return v.Kind == evidence.Text && slices.Contains(endReasons(), v.String())
				}},
			})
			if err != nil {
				return err
			}
		}
		s, err := p.Structure(ctx)
		if err != nil || s == nil || !s.Whole {
			return err
		}
		roles := []string{"user", "assistant", "tool", "system", "session_meta", "unknown"}
		return findShifted(ctx, p, "messages", []anchor{
			{"session_id", func(v evidence.Value) bool {
				_, ok := p.Facts.Index(v.String())
				return v.Kind == evidence.Text && ok
			}},
			{"role", func(v evidence.Value) bool { return v.Kind == evidence.Text && slices.Contains(roles, v.String()) }},
			{"timestamp", epoch},
		})
	},
}

// odd says that in some row of sessions two of the columns that can be told by themselves hold something else, by what
// was read of it already: without one, no row need be read again.
func odd(f *facts.Facts, sources []string) bool {
	for i := range f.Sessions {
		s := &f.Sessions[i]
		known, dated := slices.Contains(sources, s.Source), s.Started > 1.4e9 && s.Started <= 4.2e9
		if !known && !dated || !(known && dated) && !slices.Contains(endReasons(), s.EndReason) {
			return true
		}
	}
	return false
}

// endReasons are those that a row of any age may carry and that nothing else is called.
func endReasons() []string {
	return []string{"compression", "session_reset", "idle_reset", "agent_close", "user_exit", "session_switch", "branched", "cron_complete", "tui_shutdown"}
}

// epoch is a time that nothing else in a row looks like: after 2014, so that no counter is taken for one.
func epoch(v evidence.Value) bool {
	return (v.Kind == evidence.Int || v.Kind == evidence.Float) && v.Number() > 1.4e9 && v.Number() <= 4.2e9
}

// anchor is a column whose values can be told by themselves.
type anchor struct {
	column string
	fits   func(v evidence.Value) bool
}

// maxShift is by how many columns rows may be off to be told.
const maxShift = 6

// findShifted reports the rows of a table in which two anchors or more hold nothing that fits, and a fixed number of columns
// further stands what does.
func findShifted(ctx context.Context, p *scan.Pass, table string, anchors []anchor) error {
	t := p.Store.DB.Table(table)
	if t == nil || t.RowID() == "" {
		return nil
	}
	var names []string
	at := make([]int, len(anchors))
	for i, a := range anchors {
		at[i] = slices.IndexFunc(t.Columns, func(c string) bool { return strings.EqualFold(c, a.column) })
		if at[i] < 0 {
			return nil
		}
		for k := max(at[i]-maxShift, 0); k <= min(at[i]+maxShift, len(t.Columns)-1); k++ {
			if !slices.Contains(names, t.Columns[k]) {
				names = append(names, t.Columns[k])
			}
		}
	}
	place := make([]int, len(t.Columns)) // of a column in a row that is read; -1 = it is not
	for k, c := range t.Columns {
		place[k] = slices.Index(names, c)
	}
	found := map[int][]int64{} // rowids by shift
	err := p.Store.DB.Rows(ctx, table, names, func(rowid int64, row []evidence.Value) error {
		wrong := 0
		for i, a := range anchors {
			if !a.fits(row[place[at[i]]]) {
				wrong++
			}
		}
		if wrong < 2 {
			return nil
		}
		for k := -maxShift; k <= maxShift; k++ {
			moved := 0
			for i, a := range anchors {
				to := at[i] + k
				if k == 0 || to < 0 || to >= len(t.Columns) || a.fits(row[place[at[i]]]) {
					continue
				}
				if a.fits(row[place[to]]) {
					moved++
				}
			}
			if moved >= 2 {
				found[k] = append(found[k], rowid)
				return nil
			}
		}
		return nil
	})
	if err != nil {
		if ctx.Err() == nil && p.Store.DB != nil { // the walk tells what of the table cannot be read
			err = nil
		}
		if err != nil {
			return fmt.Errorf("look for shifted columns: %w", err)
		}
	}
	for k := -maxShift; k <= maxShift; k++ {
		if rows := found[k]; len(rows) > 0 {
			p.Report(shiftedFinding(p, table, anchors, k, rows))
		}
	}
	return nil
}

func shiftedFinding(p *scan.Pass, table string, anchors []anchor, k int, rows []int64) scan.Finding {
	var columns []string
	for _, a := range anchors {
		columns = append(columns, "typeof("+a.column+")")
	}
	side := "right"
	if k < 0 {
		side = "left"
	}
	more := ""
	if len(rows) > 20 {
		more = " …"
	}
	return scan.Finding{
		Subject: scan.Subject{Table: table, RowID: rows[0]},
		Message: fmt.Sprintf("in %s of %s the values stand %s too far to the %s", scan.Count(len(rows), "row"), table, scan.Count(max(k, -k), "column"), side),
		Advice:  "These rows were put in by a recovery that mixed two layouts of the table. Go back to the file that it was made from and salvage that: hermes-doctor salvage goes by the names of columns.",
		Evidence: []evidence.Item{{At: evidence.Ref{Store: p.Store.Name, Table: table, Key: "rowid " + numbers(rows[:1])},
			Saw: "rowids " + numbers(rows[:min(len(rows), 20)]) + more,
			How: fmt.Sprintf("SELECT %s FROM %s WHERE %s = %d", strings.Join(columns, ", "), table, p.Store.DB.Table(table).RowID(), rows[0])}},
	}
}
