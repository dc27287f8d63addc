package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/compare"
)

// diffShown is how many sessions people are shown of a database; the others are counted.
const diffShown = 40

// diffWords are the words of a comparison, worst first, as people read them.
func diffWords() map[string]string {
	return map[string]string{
		"lost":    "something of A is not in B",
		"altered": "nothing of A is lost, but B alters it",
		"grown":   "nothing of A is lost or altered",
		"same":    "the same",

		"incomplete": "incomplete",
	}
}

// words are the first line of a comparison: a word of diffWords, and what is lost before anything else.
func (d *Diff) words() (word, sentence string) {
	var databases, newDatabases, sessions, added, changed int64
	var m compare.Messages
	lossless := true
	for _, s := range d.Stores {
		lossless = lossless && s.Lossless() && s.In != compare.A
		switch s.In {
		case compare.A:
			databases++
		case compare.B:
			newDatabases++
		}
		m.Lost += s.Messages.Lost
		m.Shrunk += s.Messages.Shrunk
		m.Rewritten += s.Messages.Rewritten
		m.Moved += s.Messages.Moved
		m.Added += s.Messages.Added
		for i := range s.Sessions {
			switch s.Sessions[i].Changes[0] {
			case compare.Lost:
				sessions++
			case compare.Added:
				added++
			default:
				changed++
			}
		}
	}
	projects, newProjects, points := d.countCheckpoints()
	for _, c := range d.Checkpoints {
		lossless = lossless && c.Lossless() && points.ReStamped == 0
	}
	var parts []string
	add := func(n int64, noun, rest string) {
		if n > 0 {
			parts = append(parts, plural(n, noun)+" "+rest)
		}
	}
	be := func(n int64) string { return isAre(int(min(n, 2))) }
	add(databases, "database", be(databases)+" not in B")
	add(sessions, "session row", be(sessions)+" not in B")
	add(m.Lost, "message", be(m.Lost)+" nowhere in B")
	add(m.Moved, "message", be(m.Moved)+" in another session of B")
	add(m.Shrunk, "message", be(m.Shrunk)+" shorter in B")
	add(m.Rewritten, "message", be(m.Rewritten)+" another text in B")
	add(projects, "project", "with checkpoints "+be(projects)+" not in B")
	if n := int64(points.Lost); n > 0 {
		add(n, "checkpoint", be(n)+" not in B"+fateOfLost(&points))
	}
	add(int64(points.ReStamped), "checkpoint", map[bool]string{true: "has", false: "have"}[points.ReStamped == 1]+" another time in B")
	add(changed, "session", "of both "+map[bool]string{true: "differs", false: "differ"}[changed == 1])
	add(newDatabases, "database", be(newDatabases)+" new in B")
	add(added, "session row", be(added)+" new in B")
	add(m.Added, "message", be(m.Added)+" new in B")
	add(newProjects, "project", "with checkpoints "+be(newProjects)+" new in B")
	add(int64(points.Added), "checkpoint", be(int64(points.Added))+" new in B")
	add(int64(len(d.Appeared)), "finding", "appeared")
	add(int64(len(d.Went)), "finding", "went")
	add(int64(len(d.Resumed)), "answer", "to what a chat resumes "+map[bool]string{true: "differs", false: "differ"}[len(d.Resumed) == 1])
	if !d.whole() {
		parts = append(parts, "not everything could be looked at")
	}
	switch {
	case !d.Differs() && !d.whole():
		return "incomplete", "what was compared is the same, but " + strings.Join(parts, "; ")
	case !d.Differs():
		return "same", "every " + d.compared() + " of A is in B as it was, B has no other, and a scan says the same of both"
	case databases+sessions+m.Lost+m.Shrunk+projects+int64(points.Lost) > 0:
		word = "lost"
	case lossless:
		word = "grown"
	default:
		word = "altered"
	}
	return word, strings.Join(parts, "; ")
}

// whole says that everything could be read and compared.
func (d *Diff) whole() bool {
	for _, r := range []*scan.Result{d.A.Result, d.B.Result} {
		_, failures := (&Report{result: r}).checks()
		if len(failures) > 0 || r.Partial || !r.Unchanged {
			return false
		}
	}
	return len(d.Notes) == 0
}

func (d *Diff) document() document {
	word, sentence := d.words()
	doc := document{word: diffWords()[word], rest: sentence, inputs: d.A.Inputs, other: d.B.Inputs,
		color: map[string]string{"same": green, "grown": green, "altered": yellow, "lost": red, "incomplete": yellow}[word]}
	if g := d.totals(); len(g.rows) > 0 {
		doc.parts = append(doc.parts, part{title: "what became of A in B", grid: g})
	}
	for _, s := range d.Stores {
		doc.parts = append(doc.parts, diffParts(s, len(d.Stores) > 1)...)
	}
	for _, c := range d.Checkpoints {
		doc.parts = append(doc.parts, diffProjects(c, len(d.Checkpoints) > 1)...)
	}
	for _, f := range []struct {
		title string
		list  []scan.Finding
	}{{"findings that appeared in B", d.Appeared}, {"findings that B no longer has", d.Went}} {
		if len(f.list) == 0 {
			continue
		}
		x := part{title: f.title, noun: "finding"}
		for i := range f.list {
			x.lines = append(x.lines, fmt.Sprintf("%s %s %s: %s", f.list[i].Severity, f.list[i].Check, f.list[i].ID(), f.list[i].Message))
		}
		doc.parts = append(doc.parts, x)
	}
	if len(d.Resumed) > 0 {
		doc.parts = append(doc.parts, part{title: "chats that resume another row", grid: d.resumed()})
	}
	if notes := d.notes(); len(notes) > 0 {
		doc.parts = append(doc.parts, part{title: "notes", lines: notes})
	}
	files := part{title: "inputs"}
	for _, side := range []struct {
		name string
		side *DiffSide
	}{{"A", &d.A}, {"B", &d.B}} {
		r := &Report{inputs: side.side.Inputs, result: side.side.Result}
		for _, line := range r.hashes() {
			files.files = append(files.files, line+"  "+side.name)
		}
	}
	doc.parts = append(doc.parts, files)
	return doc
}

func (d *Diff) notes() []string {
	notes := slices.Concat(d.Notes, d.Beside)
	for _, s := range d.Stores {
		for _, n := range s.Notes {
			notes = append(notes, s.Store+": "+n)
		}
	}
	for _, c := range d.Checkpoints {
		for _, n := range c.Notes {
			notes = append(notes, c.Base+": "+n)
		}
	}
	for _, side := range []struct {
		name   string
		result *scan.Result
	}{{"A", d.A.Result}, {"B", d.B.Result}} {
		if !side.result.Unchanged {
			notes = append(notes, "an input of "+side.name+" changed while it was read: "+strings.Join(side.result.Changed, ", "))
		}
		_, failures := (&Report{result: side.result}).checks()
		for _, text := range failures {
			notes = append(notes, "in "+side.name+", "+text)
		}
	}
	return notes
}

// totals has a line for sessions and one for messages of each database, one for projects and one for checkpoints of each
// base.
func (d *Diff) totals() *grid {
	g := &grid{columns: []column{left("store"), left(""), right("in A"), right("in B"), right("same"), right("lost"), right("moved"),
		right("altered"), right("new")}}
	for _, s := range d.Stores {
		var lost, altered, added int64
		for i := range s.Sessions {
			switch s.Sessions[i].Changes[0] {
			case compare.Lost:
				lost++
			case compare.Added:
				added++
			default:
				altered++
			}
		}
		m := s.Messages
		g.add(s.Store, "sessions", Count(s.A.Sessions), Count(s.B.Sessions), Count(s.Same), Count(lost), "", Count(altered), Count(added))
		g.add(s.Store, "messages", Count(s.A.Messages), Count(s.B.Messages), Count(m.Same), Count(m.Lost), Count(m.Moved),
			Count(m.Shrunk+m.Rewritten+m.ReStamped+m.Changed), Count(m.Added))
	}
	for _, c := range d.Checkpoints {
		var lost, altered, added int
		for i := range c.Projects {
			switch c.Projects[i].Changes[0] {
			case compare.Lost:
				lost++
			case compare.Added:
				added++
			default:
				altered++
			}
		}
		count := func(n int) string { return Count(int64(n)) }
		g.add(c.Base, "projects", count(c.A.Projects), count(c.B.Projects), count(c.Same), count(lost), "", count(altered), count(added))
		g.add(c.Base, "checkpoints", count(c.A.Checkpoints), count(c.B.Checkpoints), count(c.Points.Same+c.Points.ReCommitted), count(c.Points.Lost), "",
			count(c.Points.ReStamped), count(c.Points.Added))
	}
	return g.without(0, len(d.Stores)+len(d.Checkpoints) < 2)
}

// diffParts lists the sessions of a database that differ, and then each that both copies have with its cells and messages.
func diffParts(s *compare.Difference, store bool) (parts []part) {
	if len(s.Sessions) == 0 {
		return nil
	}
	title := "sessions that differ"
	if store {
		title += " in " + s.Store
	}
	g := &grid{columns: []column{left("session"), left("source"), left("key"), left("what"), right("same"), right("lost"), right("moved"), right("altered"), right("new")}}
	list := part{title: title, grid: g}
	for i := range s.Sessions {
		x := &s.Sessions[i]
		if i == diffShown {
			list.lines = []string{hidden(len(s.Sessions)-i, "session")}
			break
		}
		words := make([]string, len(x.Changes))
		for k, c := range x.Changes {
			words[k] = string(c)
		}
		id := x.ID
		if x.NoRow {
			id += " (no row)"
		}
		m := x.Messages
		g.add(id, x.Source, x.Key, strings.Join(words, ", "), Count(m.Same), Count(m.Lost), Count(m.Moved),
			Count(m.Shrunk+m.Rewritten+m.ReStamped+m.Changed), Count(m.Added+m.MovedHere))
	}
	parts = append(parts, list)
	for i := range s.Sessions[:min(len(s.Sessions), diffShown)] {
		if x := &s.Sessions[i]; len(x.Cells)+len(x.Examples) > 0 {
			parts = append(parts, part{title: x.ID, lines: diffLines(x)})
		}
	}
	return parts
}

func diffLines(s *compare.Session) (lines []string) {
	for _, c := range s.Cells {
		if c.Hidden {
			lines = append(lines, c.Column+": differs")
		} else {
			lines = append(lines, c.Column+": "+diffValue(&c, c.Before)+" in A, "+diffValue(&c, c.After)+" in B")
		}
	}
	for _, m := range s.Examples {
		lines = append(lines, diffMessage(&m))
	}
	if s.More > 0 {
		lines = append(lines, "and "+plural(s.More, "message")+" more")
	}
	return lines
}

// diffValue spells a time as one.
func diffValue(c *compare.Cell, value string) string {
	if at, err := strconv.ParseFloat(value, 64); err == nil && strings.HasSuffix(c.Column, "_at") && at >= 1 && at <= 4.2e9 {
		return Time(at)
	}
	return value
}

func diffMessage(m *compare.Message) string {
	a := fmt.Sprintf("%s message %d of %s (%s)", m.Role, m.RowA, Time(m.TimeA), plural(m.BytesA, "byte"))
	b := fmt.Sprintf("%s message %d of %s (%s)", m.Role, m.RowB, Time(m.TimeB), plural(m.BytesB, "byte"))
	switch m.What {
	case compare.Lost:
		return "lost: " + a
	case compare.Added:
		return "new: " + b
	case compare.Moved:
		return fmt.Sprintf("moved to %s: %s, there %d", m.Other, a, m.RowB)
	case compare.MovedHere:
		return fmt.Sprintf("moved from %s: %s, there %d", m.Other, b, m.RowA)
	case compare.ReStamped:
		return fmt.Sprintf("another time: %s, in B %d of %s", a, m.RowB, Time(m.TimeB))
	case compare.Shrunk:
		return fmt.Sprintf("shorter: %s, in B %d with %s", a, m.RowB, plural(m.BytesB, "byte"))
	}
	return fmt.Sprintf("another text: %s, in B %d with %s", a, m.RowB, plural(m.BytesB, "byte"))
}

func (d *Diff) resumed() *grid {
	g := &grid{columns: []column{left("source"), left("key"), left("build"), left("in A"), left("in B")}}
	for _, r := range d.Resumed {
		before, after := orNewSession(r.Before), orNewSession(r.After)
		switch r.OnlyIn {
		case compare.A:
			after = "not known"
		case compare.B:
			before = "not known"
		}
		g.add(r.Source, r.SessionKey, r.Resolver, before, after)
	}
	return g
}

func orNewSession(id string) string {
	if id == "" {
		return "a new session"
	}
	return id
}
