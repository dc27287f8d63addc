package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/fix"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

// Repair is the document of the command fix: what a plan would do, what it leaves, and, after --apply, what came of it.
type Repair struct {
	Tool     Tool
	Inputs   []evidence.Input
	Result   *scan.Result // of the scan behind the plan
	Plan     *fix.Plan
	Resume   []scan.ResumeLine      // with the steps of Plan, of every chat in every generation
	Compared map[string]*Comparison // the rows of held adoptions side by side, by the finding's id
	Database string                 // the file, as reports name it

	Outcome *fix.Outcome         // nil = nothing was changed
	Refused *fix.RefusedError    // why nothing was written although it was to be; nil = it was, or was not to be
	Failed  *fix.UnverifiedError // what went wrong after the commit

	Shown bool   // the steps were shown already, before they were confirmed: the table leaves them out
	Apply string // the command that carries the plan out; "" = it is nothing to be carried out
	Undo  string // the command that takes the change back; "" = nothing was changed
	// Accept spells the command that consents to a held repair, by the ids of all that must be accepted together.
	Accept func(ids []string) string
}

// Comparison is a held adoption with what its owner has to look at: both rows side by side.
type Comparison struct {
	Predecessor, Orphan Side
	Gap                 float64 // seconds from the predecessor's last message to the orphan's start; NaN = unknown
	Candidates          []scan.Candidate
	Others              []Side // rows of the other candidates, for people; those of a few
}

// Side is one of two rows that may be one conversation.
type Side struct {
	Row         scan.SessionLine
	First, Last *Message // nil = there is none
}

// Message names one message. Text is its content, and only there when the caller asked for texts.
type Message struct {
	ID      string
	At      float64 // epoch seconds; NaN = none
	Role    string
	Text    string
	HasText bool
}

// RenderRepair writes r in the format f: one of Formats, or SQL for the procedure by hand.
func RenderRepair(w io.Writer, r *Repair, f Format, o Options) error {
	switch f {
	case Table:
		return r.table(w, o)
	case JSON:
		return r.json(w)
	case JSONLines:
		return r.jsonLines(w)
	case Markdown:
		return r.markdown(w, o)
	case SQL:
		_, err := io.WriteString(w, r.Plan.SQL(r.Database))
		return err
	}
	return fmt.Errorf("render plan: unknown format %q (known: %s)", string(f), known(SQL))
}

// headline says in one sentence what the plan or the repair comes to.
func (r *Repair) headline() (word, color, rest string) {
	steps, held, refused := int64(len(r.Plan.Steps)), heldChats(r.Plan), refusedRows(r.Plan)
	left := ""
	if held > 0 {
		left += "; " + plural(held, "repair") + " held until the owner consents"
	}
	if refused > 0 {
		left += "; " + plural(refused, "repair") + " refused"
	}
	switch {
	case r.Refused != nil:
		return "refused", red, "nothing was written to the database: " + r.Refused.Reason
	case r.Failed != nil:
		return "wrong", red, r.Failed.Error() + left
	case r.done():
		return "repaired", green, fmt.Sprintf("%s filled and verified by a new scan%s", cells(int64(r.Outcome.Applied)), left)
	case steps > 0:
		return "plan", yellow, fmt.Sprintf("%s would be filled; no value is overwritten, no row deleted%s", cells(steps), left)
	case left != "":
		return "nothing to do", yellow, "no repair is beyond doubt" + left
	}
	return "nothing to do", green, "no blank cell is to be filled"
}

// done says that the plan was carried out and verified.
func (r *Repair) done() bool { return r.Failed == nil && r.Outcome != nil && r.Outcome.Applied > 0 }

func cells(n int64) string { return plural(n, "blank cell") }

// heldChats counts what is accepted together once.
func heldChats(p *fix.Plan) int64 {
	var n int64
	seen := map[string]bool{}
	for _, h := range p.Held {
		if !seen[h.Finding] {
			n++
		}
		seen[h.Finding] = true
		for _, other := range h.With {
			seen[other] = true
		}
	}
	return n
}

// refusedRows counts findings: one may be refused for several reasons.
func refusedRows(p *fix.Plan) int64 {
	seen := map[string]bool{}
	for _, x := range p.Refused {
		seen[x.Finding] = true
	}
	return int64(len(seen))
}

// changed lists the chats that resume another row with the steps, one line for what generations agree about.
func (r *Repair) changed() []string {
	type turn struct{ source, key, now, after string }
	var order []turn
	by := map[turn][]string{}
	all := map[[2]string]int{}
	for _, l := range r.Resume {
		all[[2]string{l.Source, l.SessionKey}]++
		if l.Now == l.AfterFix {
			continue
		}
		t := turn{l.Source, l.SessionKey, l.Now, l.AfterFix}
		if by[t] == nil {
			order = append(order, t)
		}
		by[t] = append(by[t], l.Resolver)
	}
	words := "%s chat %s: a restart resumes %s, with these cells %s (%s)"
	if r.done() {
		words = "%s chat %s: a restart resumed %s, and now resumes %s (%s)"
	}
	out := make([]string, 0, len(order))
	for _, t := range order {
		out = append(out, fmt.Sprintf(words,
			t.source, t.key, orNew(t.now), orNew(t.after), generations(by[t], all[[2]string{t.source, t.key}])))
	}
	return out
}

func generations(some []string, all int) string {
	if len(some) == all {
		return "every generation"
	}
	return strings.Join(some, ", ")
}

// linkLines says what each adopted row continues and how sure that is.
func (r *Repair) linkLines() []string {
	out := make([]string, 0, len(r.Plan.Adoptions))
	for _, a := range r.Plan.Adoptions {
		line := fmt.Sprintf("%s continues %s in the chat %s, by %s", a.SessionID, a.Predecessor, a.SessionKey, strings.Join(a.Evidence, ", "))
		if len(a.Evidence) == 1 && a.Evidence[0] == "contiguity" {
			line += ": a guess by time, recorded nowhere in the file"
		}
		out = append(out, line)
	}
	return out
}

// stepLines lists steps, each with its id.
func stepLines(steps []fix.Step) []string {
	out := make([]string, len(steps))
	for i, s := range steps {
		out[i] = fmt.Sprintf("%s  %s[%s].%s := %s (%s)", s.ID, s.Table, s.Key, s.Column, cellWords(s.New), s.Because)
	}
	return out
}

func cellWords(v any) string {
	if v == nil {
		return "NULL"
	}
	return literal(v)
}
