package scan

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan/adopt"
	"github.com/seed-4d3eb737/hermes-doctor/scan/resume"
)

// Planner answers, over the facts of the one scanned store, what every chat resumes once some cells are filled. It
// does no I/O and may be asked again and again. A scan makes it only with Options.Plan, because it keeps the facts.
type Planner struct {
	exam  *exam
	now   float64
	blank map[Cell]any // what the cells of all fills hold now: nil or ""
}

// Cell is a place in a table, by the row's key.
type Cell struct{ Table, Key, Column string }

// CellOf is the place that a fill sets.
func CellOf(f Fill) Cell { return Cell{f.Table, f.Key, f.Column} }

// Store is the name of the store that the planner answers for.
func (p *Planner) Store() string { return p.exam.facts.Store }

// Blank gives what a cell that some finding's fill sets holds now, or the parent of a row that may be adopted: nil for
// NULL, "" for an empty text. ok is false where it holds a value, where the row or the column is not there, and for any
// other cell.
func (p *Planner) Blank(c Cell) (old any, ok bool) {
	old, ok = p.blank[c]
	return old, ok
}

// Chat gives the source and the routing key of a session row; ok is false where no row has the id.
func (p *Planner) Chat(session string) (source, key string, ok bool) {
	i, ok := p.exam.facts.Index(session)
	if !ok {
		return "", "", false
	}
	s := &p.exam.facts.Sessions[i]
	return s.Source, s.SessionKey, true
}

// Decides says whether a plan stands or falls by a generation's answers: the file's own generation and the newest.
func (p *Planner) Decides(resolver string) bool {
	return resolver == string(p.exam.gen) || resolver == string(resume.Newest)
}

// Lines answers for every chat in every generation, with Now over the rows as they are and AfterFix with the fills.
func (p *Planner) Lines(fills []Fill) []ResumeLine {
	v := p.exam.facts.View()
	adopt.Change(v, fills)
	before, after := map[resume.Generation]*resume.Loaded{}, map[resume.Generation]*resume.Loaded{}
	for _, g := range resume.Generations() {
		after[g] = resume.New(p.exam.facts, g, p.now).Load(v)
		if before[g] = p.exam.now[g]; before[g] == nil { // no check asked it
			before[g] = resume.New(p.exam.facts, g, p.now).Load(p.exam.facts.View())
		}
	}
	var out []ResumeLine
	for _, c := range p.exam.now[p.exam.gen].Chats() {
		for _, g := range resume.Generations() {
			out = append(out, ResumeLine{Store: p.exam.facts.Store, Source: c.Source, SessionKey: c.Key, Resolver: string(g),
				Now: before[g].ID(c), AfterFix: after[g].ID(c)})
		}
	}
	return out
}

// plan makes the planner of a scan of one store.
func (r *runner) plan(ctx context.Context) error {
	if !r.options.Plan || len(r.stores) != 1 || r.stores[0].now == nil {
		return nil
	}
	p := &Planner{exam: r.stores[0], now: r.out.Now, blank: map[Cell]any{}}
	columns, keys := map[string]bool{}, map[string]bool{}
	for _, f := range r.out.Findings {
		if f.Adoption != nil && f.Adoption.Decision != Refuse { // whose predecessor may be recorded on request
			columns["parent_session_id"], keys[f.Subject.SessionID] = true, true
		}
		for _, fill := range f.Fills {
			if fill.Table == "sessions" {
				columns[fill.Column], keys[fill.Key] = true, true
			}
		}
	}
	if err := p.readBlanks(ctx, sorted(columns), sorted(keys)); err != nil {
		return fmt.Errorf("read the cells to be filled: %w", err)
	}
	r.out.Planner = p
	return nil
}

// readBlanks notes which of the cells are blank, a few hundred rows at a time. A key that two rows have is left out:
// a fill must mean one row.
func (p *Planner) readBlanks(ctx context.Context, columns, keys []string) error {
	db := p.exam.store.DB
	t := db.Table("sessions")
	columns = slices.DeleteFunc(columns, func(c string) bool { return !t.Has(c) })
	list := ""
	for _, c := range columns {
		list += ", " + evidence.QuoteName(c)
	}
	rows := map[string]int{}
	for batch := range slices.Chunk(keys, 400) {
		marks, args := "?", []any{batch[0]}
		for _, k := range batch[1:] {
			marks, args = marks+", ?", append(args, k)
		}
		err := db.Query(ctx, "SELECT id"+list+" FROM sessions WHERE id IN ("+marks+")", args, func(row []evidence.Value) error {
			key := row[0].String()
			rows[key]++
			for n, c := range columns {
				if v := row[n+1]; v.Kind == evidence.Null {
					p.blank[Cell{"sessions", key, c}] = nil
				} else if v.Kind == evidence.Text && len(v.Bytes) == 0 {
					p.blank[Cell{"sessions", key, c}] = ""
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	for c := range p.blank {
		if rows[c.Key] != 1 {
			delete(p.blank, c)
		}
	}
	return nil
}

func sorted(set map[string]bool) []string {
	out := make([]string, 0, len(set))
	for k := range set {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// Decided is an adoption decision in the words of CONTRACT.
type Decided = adopt.Decision

// The decisions of an Adoption, for those who only see the result.
const (
	Adopt   Decided = adopt.Adopt
	Consent Decided = adopt.Consent
	Refuse  Decided = adopt.Refuse
)
