package checkpoints

// ProjectLine is one project as a plain value, for reports.
type ProjectLine struct {
	Base        string // the base's name, such as "checkpoints" or "profiles/coder/checkpoints"
	Store       string // below the base, such as "store"
	ID          string
	Workdir     string  // as recorded, a claim; "" = unknown
	LastTouch   float64 // epoch seconds of the last attempt at a checkpoint; 0 = unknown
	Checkpoints []Line  // newest first
}

// Line is one checkpoint as a plain value.
type Line struct {
	ID       string
	N        int     // as /rollback counts, 1 = newest
	At       float64 // epoch seconds; 0 = unreadable
	Reason   string
	Files    int64 // links included
	Whole    bool  // every tree could be read, so that Files and Nested are all there is
	Nested   []NestedLine
	Labelled bool // its own text names its nested repositories
	Label    Label
}

// NestedLine is one nested repository of a checkpoint.
type NestedLine struct {
	Path    string // bytes as they are
	Commit  string
	InStore bool
	Since   int // N of the oldest checkpoint of the unbroken row with it
}

// Lines gives every project of the base.
func (b *Base) Lines() []ProjectLine {
	var out []ProjectLine
	for _, s := range b.Stores {
		for _, p := range s.Projects {
			out = append(out, p.Line())
		}
	}
	return out
}

// Line gives the project as a plain value.
func (p *Project) Line() ProjectLine {
	s := p.Source.Store
	l := ProjectLine{
		Base: s.Base.Name, Store: s.Name, ID: p.Source.ID, Workdir: p.Source.Workdir, LastTouch: p.Source.LastTouch,
		Checkpoints: make([]Line, len(p.Checkpoints)),
	}
	for i := range p.Checkpoints {
		l.Checkpoints[i] = p.Checkpoints[i].line()
	}
	return l
}

func (c *Checkpoint) line() Line {
	l := Line{
		ID: c.Commit.ID.String(), N: c.N, At: c.At, Reason: c.Reason, Files: c.Count.Files + c.Count.Links, Whole: c.Whole,
		Nested: make([]NestedLine, len(c.Nested)), Labelled: c.Labelled(), Label: c.Label,
	}
	if l.Files < 0 { // both are capped at the largest number
		l.Files = c.Count.Files
	}
	for i, n := range c.Nested {
		l.Nested[i] = NestedLine{n.Path, n.Commit.String(), n.InStore, n.Since}
	}
	return l
}
