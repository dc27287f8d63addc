package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/scan/checkpoints"
	"github.com/seed-4d3eb737/hermes-doctor/scan/contents"
)

func (v *Inventory) document() document {
	all := v.projects()
	d := document{inputs: v.Inputs}
	d.word, d.color, d.rest = v.headline(all)
	if !v.Detail {
		if len(all) > 0 {
			d.parts = append(d.parts, part{title: "projects", grid: v.projectGrid(all)})
		}
		d.add("what is missing, and why", v.gapLines(all), "reason")
	} else {
		for _, at := range all {
			d.parts = append(d.parts, v.projectParts(at)...)
		}
		d.add("of the store", v.storeLines(), "line")
	}
	if v.Audit != nil {
		d.parts = append(d.parts, v.auditParts()...)
	}
	d.add("to know", []string{unseen}, "")
	return d
}

// add adds a part when it holds anything.
func (d *document) add(title string, lines []string, noun string) {
	if len(lines) > 0 {
		d.parts = append(d.parts, part{title: title, lines: lines, noun: noun})
	}
}

func (v *Inventory) headline(all []place) (word, color, rest string) {
	total, nested, told := 0, 0, 0
	for _, at := range all {
		for _, c := range v.checkpoints(at.project) {
			total++
			if c.Total > 0 {
				nested++
				if c.Label == checkpoints.Labelled {
					told++
				}
			}
		}
	}
	rest = fmt.Sprintf("%s with %s", plural(int64(len(all)), "project"), plural(int64(total), "checkpoint"))
	if nested == 0 {
		return "checkpoints", green, rest + ", none of which names a nested repository"
	}
	return "checkpoints", yellow, fmt.Sprintf("%s; nested repositories that were not captured: in %s, of which %s by a label",
		rest, Count(int64(nested)), tell(told))
}

func tell(n int) string {
	if n == 1 {
		return "1 tells it"
	}
	return Count(int64(n)) + " tell it"
}

// projectGrid has a line for each project.
func (v *Inventory) projectGrid(all []place) *grid {
	g := &grid{columns: []column{
		left("project"), left("working directory"), right("checkpoints"), left("newest"), right("nested"), right("own size"), right("shared"), right("gaps"),
	}}
	for _, at := range all {
		p := at.project.Source
		newest := "-"
		paths := map[string]bool{}
		for i, c := range at.project.Checkpoints {
			if i == 0 && c.At != 0 {
				newest = Time(c.At)
			}
			for _, n := range c.Nested {
				paths[n.Path] = true
			}
		}
		own, shared := "-", "-"
		if s := v.Sizes[at.store.Source]; s != nil {
			size := s.Project(p)
			own, shared = bytesText(size.Unique), bytesText(size.Shared)
		}
		g.add(p.ID, cmp.Or(p.Workdir, "not recorded"), Count(int64(len(at.project.Checkpoints))), newest, Count(int64(len(paths))), own, shared, Count(int64(len(contents.Gaps(p, v.Settings[at.base.Source])))))
	}
	return g
}

// gapProjects is how many projects are named with a gap; JSON has the gaps of each.
const gapProjects = 4

// gapLines explains each code once, with the projects that it is about.
func (v *Inventory) gapLines(all []place) []string {
	lines := v.storeLines()
	type told struct {
		first string
		of    []string
	}
	var order []string
	byCode := map[string]*told{}
	for _, at := range all {
		for _, gap := range contents.Gaps(at.project.Source, v.Settings[at.base.Source]) {
			t := byCode[gap.Code]
			if t == nil {
				t = &told{first: gap.Text}
				byCode[gap.Code] = t
				order = append(order, gap.Code)
			}
			t.of = append(t.of, at.project.Source.ID)
		}
	}
	slices.Sort(order)
	for _, code := range order {
		t := byCode[code]
		who := strings.Join(t.of[:min(len(t.of), gapProjects)], ", ")
		if more := len(t.of) - gapProjects; more > 0 {
			who += fmt.Sprintf(" and %d more", more)
		}
		lines = append(lines, fmt.Sprintf("%s (%s): %s", code, who, t.first))
	}
	return lines
}

// storeLines says what is known of bases and stores as a whole.
func (v *Inventory) storeLines() []string {
	var out []string
	for _, b := range v.Bases {
		for _, g := range contents.BaseGaps(b.Source, v.Settings[b.Source]) {
			out = append(out, b.Source.Name+": "+g.Text)
		}
		for _, s := range b.Stores {
			for _, g := range contents.StoreGaps(s.Source) {
				out = append(out, b.Source.Name+"/"+s.Source.Name+": "+g.Text)
			}
			if s.Limit != "" {
				out = append(out, b.Source.Name+"/"+s.Source.Name+": not everything was looked at: "+s.Limit)
			}
		}
	}
	return out
}

// projectParts shows one project with its checkpoints.
func (v *Inventory) projectParts(at place) []part {
	p := at.project.Source
	head := []string{"working directory: " + cmp.Or(p.Workdir, "not recorded"),
		fmt.Sprintf("in %s/%s; ref %s, json %s", at.base.Source.Name, at.store.Source.Name, p.RefState, p.JSON)}
	if p.LastTouch != 0 {
		head = append(head, "last attempt at a checkpoint: "+Time(p.LastTouch))
	}
	sizes := v.Sizes[at.store.Source]
	if sizes != nil {
		s := sizes.Project(p)
		head = append(head, fmt.Sprintf("%s of contents, %s of them in no other project", bytesText(s.Bytes), bytesText(s.Unique)))
	}
	for _, g := range contents.Gaps(p, v.Settings[at.base.Source]) {
		head = append(head, g.Code+": "+g.Text)
	}
	g := &grid{columns: []column{right("n"), left("taken"), left("id"), left("reason"), right("files"), left("nested repositories"), left("label"), right("size"), right("own")}}
	var nested []string
	for _, c := range v.checkpoints(at.project) {
		whole, own := "-", "-"
		if sizes != nil {
			s := sizes.Checkpoint(p, c.N-1)
			whole, own = bytesText(s.Bytes), bytesText(s.Unique)
		}
		g.add(Count(int64(c.N)), Time(nanOf(c.At)), c.Commit.ID.String()[:12], c.Reason, filesText(&c), Count(c.Total), string(c.Label), whole, own)
		if c.N == 1 || v.Number > 0 {
			nested = append(nested, nestedLines(&c)...)
		}
	}
	out := []part{{title: "project " + p.ID, lines: head}}
	if len(g.rows) > 0 {
		out = append(out, part{title: "checkpoints of " + p.ID, grid: g})
	}
	if len(nested) > 0 {
		out = append(out, part{title: "nested repositories, of which nothing was captured", lines: nested, noun: "repository"})
	}
	if len(v.Entries) > 0 {
		var files []string
		for _, e := range v.Entries {
			files = append(files, fmt.Sprintf("%s (%s)", e.Path, e.Kind()))
		}
		out = append(out, part{title: "files", lines: files, noun: "file"})
	}
	return out
}

func filesText(c *checkpoints.Checkpoint) string {
	s := Count(c.Count.Files + c.Count.Links)
	if !c.Whole {
		s = "at least " + s
	}
	return s
}

func nestedLines(c *checkpoints.Checkpoint) []string {
	var out []string
	for _, n := range c.Nested {
		line := fmt.Sprintf("%s at its commit %s, so since checkpoint %d", n.Path, n.Commit, n.Since)
		if n.InStore {
			line += "; that commit is an object of the store, which is unusual"
		}
		out = append(out, line)
	}
	if rest := c.Total - int64(len(c.Nested)); rest > 0 {
		out = append(out, fmt.Sprintf("and %d more, which were too many to be listed", rest))
	}
	return out
}

// findingsTitle begins the title of the part that lists findings.
const findingsTitle = "findings"

// findingsShown is how many findings of one check people are shown; JSON has them all.
const findingsShown = 3

// sentence ends a text with a stop.
func sentence(s string) string {
	if strings.HasSuffix(s, ".") {
		return s
	}
	return s + "."
}

// auditParts shows what cannot be read, what no list shows, and what the checks found.
func (v *Inventory) auditParts() []part {
	var lost, loose, found []string
	for _, l := range v.lost() {
		where := fmt.Sprintf("checkpoint %d", l.Newest)
		if l.Oldest != l.Newest {
			where = fmt.Sprintf("checkpoints %d to %d", l.Newest, l.Oldest)
		}
		lost = append(lost, fmt.Sprintf("%s of project %s (%s): %s %s is %s", orTop(l.Path), l.Project, where, l.Kind, l.ID, l.Fault))
	}
	for _, u := range v.unlisted() {
		loose = append(loose, fmt.Sprintf("%s of %s, taken %s: %s", u.ID, cmp.Or(strings.Join(u.Projects, " or "), "an unknown project"), Time(orNaN(u.At)), u.Reason))
	}
	r := New(v.Tool, v.Inputs, v.Audit)
	counting := slices.DeleteFunc(slices.Clone(r.findings), func(i int) bool { return !v.Known.Counts(&v.Audit.Findings[i]) })
	ofCheck := map[string]int{}
	for _, i := range counting {
		ofCheck[v.Audit.Findings[i].Check]++
	}
	shown := map[string]int{}
	for _, i := range counting {
		f := &v.Audit.Findings[i]
		shown[f.Check]++
		switch n := shown[f.Check]; {
		case n == 1 && f.Advice != "":
			found = append(found, fmt.Sprintf("%s %s %s: %s Advice: %s", f.Severity, f.Check, f.ID(), sentence(f.Message), f.Advice))
		case n <= findingsShown:
			found = append(found, fmt.Sprintf("%s %s %s: %s", f.Severity, f.Check, f.ID(), f.Message))
		case n == findingsShown+1:
			found = append(found, f.Check+": "+hidden(ofCheck[f.Check]-findingsShown, "finding"))
		}
	}
	var d document
	d.add(findingsTitle+" ("+Count(int64(len(counting)))+")", found, "")
	d.add("objects that cannot be read ("+Count(int64(len(lost)))+")", lost, "object")
	d.add("commits that no list shows ("+Count(int64(len(loose)))+"), to extract from by id", loose, "commit")
	summary, failures := r.checks()
	d.add("checks", slices.Concat([]string{summary}, failures, v.Known.sentences(v.Audit.Findings)), "")
	return d.parts
}
