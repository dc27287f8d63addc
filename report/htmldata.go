package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/report/lang"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checkpoints"
)

// How much of a checkpoint store a page shows.
const (
	projectsShown    = 60
	checkpointsShown = 60
	identityShown    = 3
)

type htmlFile struct{ Name, Hash, State string }

// htmlIdentity names the examined files for the head of the page, and in one line for the head of every printed page.
func htmlIdentity(inputs []evidence.Input, res *scan.Result) (files []htmlFile, running string) {
	var short []string
	for i, in := range foremost(inputs) {
		if i == identityShown {
			rest := plural(int64(len(inputs)-i), "more file")
			files = append(files, htmlFile{Name: "and " + rest, State: "listed with their hashes at the end; all of them together: digest " + Clean(res.Digest, cellLimit)})
			short = append(short, "and "+rest+", digest "+Clean(res.Digest, cellLimit))
			break
		}
		f := htmlFile{Name: Clean(in.Path, cellLimit), Hash: Clean(in.SHA256, cellLimit), State: plural(in.Bytes, "byte") + ", " + state(res, in.Path)}
		files = append(files, f)
		short = append(short, f.Name+" sha256 "+f.Hash)
	}
	return files, strings.Join(short, " · ")
}

// foremost orders inputs for the head of a page: databases, then what belongs to them, then the rest as it is listed.
func foremost(inputs []evidence.Input) []evidence.Input {
	first := []evidence.Role{evidence.RoleDatabase, evidence.RoleWAL, evidence.RoleJournal, evidence.RoleCheckpoints}
	rank := func(in evidence.Input) int {
		if i := slices.Index(first, in.Role); i >= 0 {
			return i
		}
		return len(first)
	}
	out := slices.Clone(inputs)
	slices.SortStableFunc(out, func(a, b evidence.Input) int { // the home's own before those of its profiles
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(strings.Count(a.Path, "/"), strings.Count(b.Path, "/")))
	})
	return out
}

// state says whether a file stood still while it was read.
func state(res *scan.Result, path string) string {
	switch {
	case slices.Contains(res.Changed, path):
		return "CHANGED while it was read"
	case !res.Unchanged && len(res.Changed) == 0:
		return "not compared"
	}
	return "unchanged"
}

func htmlInputs(inputs []evidence.Input, res *scan.Result, tongue *lang.Tongue) htmlSection {
	s := htmlSection{ID: "files", Title: "Files that were read, with their hashes", Count: Count(int64(len(inputs)))}
	g := &grid{columns: []column{left("file"), left("what it is"), right("bytes"), left("sha256"), left("modified"), left("while it was read")}}
	for _, in := range inputs[:min(len(inputs), rowsShown)] {
		g.add(in.Path, string(in.Role), Count(in.Bytes), in.SHA256, Time(in.Modified), state(res, in.Path))
	}
	if len(g.rows) == 0 {
		return s
	}
	t, _ := htmlGrid(s.Title, g, "file")
	if n := len(inputs) - rowsShown; n > 0 {
		s.More = hidden(n, "file")
	}
	s.Blocks = []htmlBlock{{Table: t}}
	if res.Digest != "" {
		s.Intro = [][]span{spans(tongue.Prose("All of them together: digest " + res.Digest + "."))}
	}
	return s
}

func (r *Report) htmlCensus(o Options) htmlSection {
	s := htmlSection{ID: "census", Title: "Census: every row once, with its class"}
	if len(r.census) > 0 {
		t, more := htmlGrid("Rows by source and class", r.censusGrid(), "line")
		s.Blocks = append(s.Blocks, htmlBlock{Table: t, More: more})
	}
	if g := r.endGrid(); g != nil {
		t, more := htmlGrid(capital(endTitle), g, "line")
		s.Blocks = append(s.Blocks, htmlBlock{Title: capital(endTitle), Table: t, More: more})
	}
	if o.All && len(r.result.Sessions) > 0 {
		t, more := htmlGrid("Every session row", r.sessionGrid(), "session")
		s.Blocks = append(s.Blocks, htmlBlock{Title: "Every session row", Fold: true, Table: t, More: more})
	}
	return s
}

// htmlNotDamage says what looks like damage and is none.
func (r *Report) htmlNotDamage() htmlSection {
	s := htmlSection{ID: "notdamage", Title: capital(notDamageTitle)}
	b := htmlBlock{}
	for _, l := range r.notDamageLines() {
		if len(b.Lines) == rowsShown {
			b.More = "and more, shown by --format json"
			break
		}
		b.Lines = append(b.Lines, spans(l))
	}
	if len(b.Lines) > 0 {
		s.Blocks = []htmlBlock{b}
	}
	return s
}

// htmlNotes holds what a reader must know about the files and about what was not looked at.
func (r *Report) htmlNotes(o Options) htmlSection {
	s := htmlSection{ID: "notes", Title: "To know"}
	summary, failures := r.checks()
	b := htmlBlock{}
	for _, n := range slices.Concat([]string{summary}, failures[:min(len(failures), listLimit)], o.Known.sentences(r.result.Findings), r.notes()) {
		if len(b.Lines) == rowsShown {
			b.More = "and more, shown by --format json"
			break
		}
		b.Lines = append(b.Lines, spans(capital(n)))
	}
	s.Blocks = []htmlBlock{b}
	if o.Timings {
		g := &grid{columns: []column{left("check"), left("status"), right("ms")}}
		for _, c := range r.result.Checks {
			g.add(c.ID, string(c.Status), fmt.Sprintf("%.1f", c.Millis))
		}
		t, more := htmlGrid("How long each check took", g, "check")
		s.Blocks = append(s.Blocks, htmlBlock{Title: "Timings", Fold: true, Table: t, More: more})
	}
	return s
}

// htmlResume says for every chat what a restart gives, in the words of the generations of the product.
func (r *Report) htmlResume(t *lang.Tongue) htmlSection {
	rr := NewResume(r.tool, r.inputs, r.result)
	s := htmlSection{ID: "restart", Title: "What a restart gives to each chat"}
	g := &grid{columns: []column{left("chat"), left("build"), left("a restart picks"), left("after the repair"), left("why")}}
	chats := 0
	for lines := range rr.chats {
		chats++
		if len(g.rows) >= rowsShown {
			continue
		}
		var resolvers []string
		for i, at := range lines {
			l := r.result.Resume[at]
			resolvers = append(resolvers, l.Resolver)
			if i+1 < len(lines) && sameOutcome(l, r.result.Resume[lines[i+1]]) {
				continue
			}
			after := "the same"
			if l.AfterFix != l.Now {
				after = cmp.Or(l.AfterFix, "a new session")
			}
			g.add(rr.title(at), strings.Join(resolvers, ", "), cmp.Or(l.Now, "a new session"), after, t.Prose(l.Why))
			resolvers = nil
		}
	}
	s.Count = Count(int64(chats))
	if chats == 0 {
		return s
	}
	table, more := htmlGrid(s.Title, g, "line")
	s.Blocks = []htmlBlock{{Title: plural(int64(chats), "chat") + ", in every build that is known", Fold: true, Open: chats <= 12, Table: table, More: more}}
	return s
}

// htmlCheckpoints lists each project's checkpoints with the repositories of which each holds nothing.
func (r *Report) htmlCheckpoints() htmlSection {
	all := r.result.Checkpoints
	s := htmlSection{ID: "checkpoints", Title: "Checkpoints, and what each one misses"}
	points := 0
	for i := range all {
		points += len(all[i].Checkpoints)
		if i == projectsShown {
			s.More = hidden(len(all)-i, "project")
		}
		if i >= projectsShown {
			continue
		}
		s.Blocks = append(s.Blocks, r.htmlProject(&all[i]))
	}
	s.Count = Count(int64(points))
	if len(all) > 0 {
		s.Intro = [][]span{spans("A repository inside a project is recorded as one commit id and none of its files: a rollback cannot bring back what lay in it. Commit or stash inside it before you roll back.")}
	}
	return s
}

func (r *Report) htmlProject(p *checkpoints.ProjectLine) htmlBlock {
	missing := 0
	g := &grid{columns: []column{right("n"), left("taken"), left("id"), left("reason"), right("files"), left("misses"), left("told by its label")}}
	for i := range p.Checkpoints {
		c := &p.Checkpoints[i]
		if len(c.Nested) > 0 {
			missing++
		}
		if i >= checkpointsShown {
			continue
		}
		files := Count(c.Files)
		if !c.Whole {
			files = "at least " + files
		}
		told := "-"
		if len(c.Nested) > 0 {
			told = map[bool]string{true: "yes", false: "no"}[c.Labelled]
		}
		g.add(Count(int64(c.N)), Time(nanOf(c.At)), c.ID[:min(len(c.ID), 12)], c.Reason, files, nestedNames(c), told)
	}
	title := cmp.Or(p.Workdir, "a working directory that is not recorded")
	b := htmlBlock{Fold: true, Open: missing > 0 && len(r.result.Checkpoints) <= 4, Title: Clean(fmt.Sprintf("%s: %s, %s with a nested repository (project %s in %s/%s)",
		title, plural(int64(len(p.Checkpoints)), "checkpoint"), Count(int64(missing)), p.ID, p.Base, p.Store), proseLimit)}
	if len(g.rows) > 0 {
		b.Table, _ = htmlGrid("Checkpoints of "+title, g, "checkpoint")
	}
	if n := len(p.Checkpoints) - checkpointsShown; n > 0 {
		b.More = hidden(n, "checkpoint")
	}
	return b
}

// nestedNames lists the repositories of which a checkpoint holds nothing.
func nestedNames(c *checkpoints.Line) string {
	if len(c.Nested) == 0 {
		return "nothing"
	}
	var names []string
	for i, n := range c.Nested {
		if i == pathsShown {
			names = append(names, fmt.Sprintf("and %d more", len(c.Nested)-i))
			break
		}
		names = append(names, Clean(n.Path, 80))
	}
	return strings.Join(names, ", ")
}
