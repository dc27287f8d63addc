package report

import (
	"fmt"
	"io"
	"slices"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/compare"
)

// Diff is the document of the command diff: what became of A in B.
type Diff struct {
	Tool           Tool
	A, B           DiffSide
	Stores         []*compare.Difference
	Checkpoints    []*compare.Checkpoints
	Appeared, Went []scan.Finding // of B alone, of A alone
	Resumed        []compare.Resumed
	Notes          []string // what could not be compared
	Beside         []string // what was not to be compared, and why
}

// DiffSide is one of the two copies.
type DiffSide struct {
	Inputs []evidence.Input
	Result *scan.Result
}

// Differs says that the copies differ in anything that was compared.
func (d *Diff) Differs() bool {
	for _, s := range d.Stores {
		if len(s.Sessions) > 0 || s.In != compare.Both {
			return true
		}
	}
	for _, c := range d.Checkpoints {
		if len(c.Projects) > 0 {
			return true
		}
	}
	return len(d.Appeared)+len(d.Went)+len(d.Resumed) > 0
}

// RenderDiff writes d in the format f.
func RenderDiff(w io.Writer, d *Diff, f Format, o Options) error {
	switch f {
	case Table:
		doc := d.document()
		return doc.table(w, o)
	case Markdown:
		doc := d.document()
		return doc.markdown(w, o)
	case JSON:
		return d.json(w)
	case JSONLines:
		j := newJSONWriter(w)
		for _, s := range d.Stores {
			for i := range s.Sessions {
				j.value(diffSession(s.Store, &s.Sessions[i]))
				j.raw("\n")
			}
		}
		for _, c := range d.Checkpoints {
			for i := range c.Projects {
				j.value(diffProject(c.Base, &c.Projects[i]))
				j.raw("\n")
			}
		}
		return j.flush()
	}
	return fmt.Errorf("render comparison: unknown format %q (known: %s)", string(f), known())
}

// ComparedSide is one of the two copies in JSON.
type ComparedSide struct {
	Inputs    []Input  `json:"inputs"`
	Unchanged bool     `json:"inputs_unchanged"`
	Changed   []string `json:"inputs_changed,omitempty"`
	Verdict   Verdict  `json:"verdict"`
}

// ComparedStore is one database in JSON, without its sessions.
type ComparedStore struct {
	Store    string           `json:"store"`
	StoreB64 string           `json:"store_b64,omitempty"`
	In       string           `json:"in"`   // "both", "a" or "b"
	Same     int64            `json:"same"` // sessions that are the same in all
	A        ComparedTotals   `json:"a"`
	B        ComparedTotals   `json:"b"`
	Messages ComparedMessages `json:"messages"`
	Notes    []string         `json:"notes"`
}

// ComparedTotals counts rows.
type ComparedTotals struct {
	Sessions int64 `json:"sessions"`
	Messages int64 `json:"messages"`
}

// ComparedMessages says what became of messages: see compare.Messages.
type ComparedMessages struct {
	Same      int64 `json:"same"`
	Changed   int64 `json:"changed"`
	ReStamped int64 `json:"re_stamped"`
	Shrunk    int64 `json:"shrunk"`
	Rewritten int64 `json:"rewritten"`
	Moved     int64 `json:"moved"`
	Lost      int64 `json:"lost"`
	MovedHere int64 `json:"moved_here"`
	Added     int64 `json:"added"`
}

// ComparedSession is a session that differs.
type ComparedSession struct {
	Store         string            `json:"store"`
	StoreB64      string            `json:"store_b64,omitempty"`
	ID            string            `json:"id"`
	IDB64         string            `json:"id_b64,omitempty"`
	Row           bool              `json:"row"` // false: messages name it, and no session row has the id
	Source        string            `json:"source"`
	SourceB64     string            `json:"source_b64,omitempty"`
	SessionKey    *string           `json:"session_key"`
	SessionKeyB64 string            `json:"session_key_b64,omitempty"`
	Changes       []string          `json:"changes"`
	Cells         []ComparedCell    `json:"cells"`
	Messages      ComparedMessages  `json:"messages"`
	Examples      []ComparedMessage `json:"examples"`
	More          int64             `json:"more"` // messages that differ and are not among the examples
}

// ComparedCell is a column of a session row; before and after are null where the value may be private text.
type ComparedCell struct {
	Column    string  `json:"column"`
	ColumnB64 string  `json:"column_b64,omitempty"`
	Before    *string `json:"before"`
	BeforeB64 string  `json:"before_b64,omitempty"`
	After     *string `json:"after"`
	AfterB64  string  `json:"after_b64,omitempty"`
}

// ComparedMessage is a message that differs; what a side does not have is null.
type ComparedMessage struct {
	What    string       `json:"what"`
	Role    string       `json:"role"`
	RoleB64 string       `json:"role_b64,omitempty"`
	A       *MessageSide `json:"a"`
	B       *MessageSide `json:"b"`
	Session string       `json:"session,omitempty"` // the other session of a message that moved
	SessB64 string       `json:"session_b64,omitempty"`
}

// MessageSide is a message on one side.
type MessageSide struct {
	RowID int64    `json:"rowid"`
	At    *float64 `json:"at"`    // epoch seconds; null = no number
	Bytes int64    `json:"bytes"` // of its text
}

// ComparedResume is a chat that resumes another row.
type ComparedResume struct {
	Store         string  `json:"store"`
	StoreB64      string  `json:"store_b64,omitempty"`
	Source        string  `json:"source"`
	SourceB64     string  `json:"source_b64,omitempty"`
	SessionKey    string  `json:"session_key"`
	SessionKeyB64 string  `json:"session_key_b64,omitempty"`
	Resolver      string  `json:"resolver"`
	In            string  `json:"in"`     // which copies know the chat
	Before        *string `json:"before"` // null = a new session, or the copy does not know the chat
	BeforeB64     string  `json:"before_b64,omitempty"`
	After         *string `json:"after"`
	AfterB64      string  `json:"after_b64,omitempty"`
}

func (d *Diff) json(w io.Writer) error {
	j := newJSONWriter(w)
	j.member("schema", schemaNumber)
	j.member("tool", d.Tool)
	j.member("a", d.A.model())
	j.member("b", d.B.model())
	word, sentence := d.words()
	j.member("differs", d.Differs())
	j.member("word", word)
	j.member("sentence", sentence)
	list(j, "stores", each(d.Stores, diffStore))
	list(j, "sessions", func(yield func(ComparedSession) bool) {
		for _, s := range d.Stores {
			for i := range s.Sessions {
				if !yield(diffSession(s.Store, &s.Sessions[i])) {
					return
				}
			}
		}
	})
	list(j, "checkpoints", each(d.Checkpoints, diffBase))
	list(j, "projects", func(yield func(ComparedProject) bool) {
		for _, c := range d.Checkpoints {
			for i := range c.Projects {
				if !yield(diffProject(c.Base, &c.Projects[i])) {
					return
				}
			}
		}
	})
	list(j, "appeared", each(d.Appeared, finding))
	list(j, "went", each(d.Went, finding))
	list(j, "resume", each(d.Resumed, diffResume))
	j.member("notes", texts(slices.Concat(d.Notes, d.Beside)))
	return j.finish()
}

func (s *DiffSide) model() ComparedSide {
	out := ComparedSide{Inputs: allOf(s.Inputs, input), Unchanged: s.Result.Unchanged,
		Verdict: Verdict{string(s.Result.Verdict.Word), shownText(s.Result.Verdict.Sentence)}}
	if len(s.Result.Changed) > 0 {
		out.Changed = texts(s.Result.Changed)
	}
	return out
}

func diffStore(s *compare.Difference) ComparedStore {
	out := ComparedStore{In: string(s.In), Same: s.Same, A: ComparedTotals(s.A), B: ComparedTotals(s.B),
		Messages: ComparedMessages(s.Messages), Notes: texts(s.Notes)}
	out.Store, out.StoreB64 = text(s.Store)
	return out
}

func diffSession(store string, s *compare.Session) ComparedSession {
	out := ComparedSession{Row: !s.NoRow, Changes: make([]string, len(s.Changes)), Cells: make([]ComparedCell, len(s.Cells)),
		Messages: ComparedMessages(s.Messages), Examples: make([]ComparedMessage, len(s.Examples)), More: s.More}
	out.Store, out.StoreB64 = text(store)
	out.ID, out.IDB64 = text(s.ID)
	out.Source, out.SourceB64 = text(s.Source)
	out.SessionKey, out.SessionKeyB64 = optionalText(s.Key)
	for i, c := range s.Changes {
		out.Changes[i] = string(c)
	}
	for i, c := range s.Cells {
		to := &out.Cells[i]
		to.Column, to.ColumnB64 = text(c.Column)
		if !c.Hidden {
			to.Before, to.BeforeB64 = optionalText(c.Before)
			to.After, to.AfterB64 = optionalText(c.After)
		}
	}
	for i, m := range s.Examples {
		to := &out.Examples[i]
		to.What = string(m.What)
		to.Role, to.RoleB64 = text(m.Role)
		to.Session, to.SessB64 = text(m.Other)
		if m.What != compare.Added {
			to.A = &MessageSide{m.RowA, number(m.TimeA), m.BytesA}
		}
		if m.What != compare.Lost {
			to.B = &MessageSide{m.RowB, number(m.TimeB), m.BytesB}
		}
	}
	return out
}

func diffResume(r compare.Resumed) ComparedResume {
	out := ComparedResume{Resolver: r.Resolver, In: string(r.OnlyIn)}
	out.Store, out.StoreB64 = text(r.Store)
	out.Source, out.SourceB64 = text(r.Source)
	out.SessionKey, out.SessionKeyB64 = text(r.SessionKey)
	out.Before, out.BeforeB64 = optionalText(r.Before)
	out.After, out.AfterB64 = optionalText(r.After)
	return out
}
