package contents

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// Item is one file, link or folder that an extraction writes.
type Item struct {
	Entry
	Target string // where it goes, below the target; slashes
	Why    string // why Target is not Path; "" where it is
}

// Failure is a path that an extraction cannot deliver.
type Failure struct {
	Path  string
	ID    evidence.ObjectID     // of the object; the zero id where none is known
	Fault *evidence.ObjectError // nil where the store is not to blame
	Why   string                // one line; "" where Fault says it
}

// Plan is what an extraction would write: folders before what is in them, all in the order of the tree.
type Plan struct {
	Items   []Item
	Nested  []Entry   // nested repositories: nothing of them is written
	Failed  []Failure // folders that cannot be read, and names that were asked for and are not there
	Missing int       // how many of Failed were asked for and are not there
}

// PlanOptions steer NewPlan; the zero value takes everything, for a POSIX system.
type PlanOptions struct {
	Files  []string // only these files, or all below these folders: literal paths; nil = everything
	System System   // "" = POSIX
}

// NewPlan lays an extraction of a tree out. A damaged folder is in the answer; what lies beside it is planned.
func NewPlan(ctx context.Context, r *evidence.ObjectReader, tree evidence.ObjectID, o PlanOptions) (*Plan, error) {
	w := newWanted(o.Files)
	p := &planner{plan: &Plan{}, wanted: w, names: taken{system: o.System, used: map[string]bool{}}, nodes: []node{{tree: tree}}}
	for len(p.nodes) > 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		at := p.nodes[len(p.nodes)-1]
		p.nodes = p.nodes[:len(p.nodes)-1]
		if err := p.step(r, at); err != nil {
			return nil, err
		}
	}
	p.unmet()
	p.prune()
	slices.SortStableFunc(p.plan.Failed, func(a, b Failure) int { return strings.Compare(a.Path, b.Path) })
	return p.plan, nil
}

// node is one entry that is still to be looked at; the root has no entry.
type node struct {
	entry Entry
	name  string // the last element, which in a hostile tree may hold slashes
	above string // the target of the folder above
	tree  evidence.ObjectID
	depth int
}

type planner struct {
	plan   *Plan
	wanted *wanted
	names  taken
	nodes  []node
	count  int
}

const (
	deepest   = 2048
	planBytes = 1 << 30 // of paths in all: folders in folders may name the same things over and over
)

// step plans one entry; a folder's own entries are put on the stack in reverse, so that the order is the tree's.
func (p *planner) step(r *evidence.ObjectReader, at node) error {
	target := ""
	if at.depth > 0 {
		if !p.wanted.has(at.entry.Path) && !p.wanted.above(at.entry.Path) {
			return nil
		}
		if p.count += len(at.entry.Path); p.count > planBytes || len(p.plan.Items) == entryLimit {
			return fmt.Errorf("plan %q: there is more below the checkpoint than any has: %d entries so far", at.entry.Path, len(p.plan.Items))
		}
		switch kind := at.entry.Kind(); {
		case kind == Nested:
			p.plan.Nested = append(p.plan.Nested, at.entry)
			p.wanted.meet(at.entry.Path)
			return nil
		case kind != Folder && !p.wanted.has(at.entry.Path):
			return nil
		}
		var why string
		if target, why = p.names.place(at.above, at.name); why == "" && target != at.entry.Path {
			why = "a folder above it has another name"
		}
		p.wanted.meet(at.entry.Path)
		p.plan.Items = append(p.plan.Items, Item{at.entry, target, why})
		if at.entry.Kind() != Folder {
			return nil
		}
	}
	return p.enter(r, at, target)
}

func (p *planner) enter(r *evidence.ObjectReader, at node, target string) error {
	if at.depth > deepest {
		p.plan.Failed = append(p.plan.Failed, Failure{Path: at.entry.Path, ID: at.tree, Why: "folders are too deep"})
		return nil
	}
	entries, err := r.Tree(at.tree)
	if err != nil {
		oe := fault(err)
		if oe == nil {
			return err
		}
		p.plan.Failed = append(p.plan.Failed, Failure{Path: at.entry.Path, ID: at.tree, Fault: oe})
	}
	for _, e := range slices.Backward(entries) {
		name := string(e.Name)
		entry := Entry{join(at.entry.Path, name), e.Mode.Canonical(), e.ID}
		p.nodes = append(p.nodes, node{entry: entry, name: name, above: target, tree: e.ID, depth: at.depth + 1})
	}
	return nil
}

// unmet says why names that were asked for are not in the plan.
func (p *planner) unmet() {
	for _, name := range p.wanted.unmet() {
		f := Failure{Path: name, Why: "the checkpoint does not have it"}
		for _, e := range p.plan.Nested {
			if strings.HasPrefix(name, e.Path+"/") {
				f.Why = "it lies in the nested repository " + e.Path + ", of which nothing was captured"
			}
		}
		for _, d := range p.plan.Failed {
			if d.Fault != nil && (d.Path == "" || strings.HasPrefix(name, d.Path+"/")) {
				f.ID, f.Fault = d.ID, d.Fault
			}
		}
		if f.Fault == nil {
			p.plan.Missing++
		}
		p.plan.Failed = append(p.plan.Failed, f)
	}
}

// prune drops folders that were only entered in search of something which is not there.
func (p *planner) prune() {
	if p.wanted.all {
		return
	}
	needed := map[string]bool{}
	var kept []Item
	for _, i := range slices.Backward(p.plan.Items) {
		if i.Kind() != Folder || p.wanted.has(i.Path) || needed[i.Target] {
			kept = append(kept, i)
			needed[i.Target[:max(strings.LastIndexByte(i.Target, '/'), 0)]] = true
		}
	}
	slices.Reverse(kept)
	p.plan.Items = kept
}

// wanted is the selection of an extraction: literal paths.
type wanted struct {
	all    bool
	files  map[string]bool // path to whether it was met
	orders []string
	parent map[string]bool // folders above a wanted path
}

func newWanted(files []string) *wanted {
	w := &wanted{all: len(files) == 0, files: map[string]bool{}, parent: map[string]bool{}}
	for _, f := range files {
		if _, twice := w.files[f]; !twice {
			w.orders = append(w.orders, f)
		}
		w.files[f] = false
		for i := range len(f) {
			if f[i] == '/' {
				w.parent[f[:i]] = true
			}
		}
		if f == "" {
			w.all = true // the working directory itself
			w.files[f] = true
		}
	}
	return w
}

// has says whether a path was asked for, or a folder above it.
func (w *wanted) has(path string) bool {
	if w.all {
		return true
	}
	if _, ok := w.files[path]; ok {
		return true
	}
	for i := range len(path) {
		if path[i] == '/' {
			if _, ok := w.files[path[:i]]; ok {
				return true
			}
		}
	}
	return false
}

// above says whether something below a folder was asked for.
func (w *wanted) above(path string) bool { return w.parent[path] }

func (w *wanted) meet(path string) {
	if _, ok := w.files[path]; ok {
		w.files[path] = true
	}
}

func (w *wanted) unmet() []string {
	var out []string
	for _, f := range w.orders {
		if !w.files[f] {
			out = append(out, f)
		}
	}
	return out
}
