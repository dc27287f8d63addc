package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// checkpointsCommand is the group of the commands that read a checkpoint store.
func (c *console) checkpointsCommand() *cli.Command {
	return group(&cli.Command{
		Name:      "checkpoints",
		Usage:     "what the checkpoints of a home hold, and what a rollback would do",
		ArgsUsage: "COMMAND [flags] PATH…",
	},
		c.checkpointsListCommand(), c.checkpointsShowCommand(), c.checkpointsAuditCommand(), c.checkpointsWhyCommand(),
		c.checkpointsSimulateCommand(), c.checkpointsDiffCommand(), c.checkpointsExtractCommand(),
	)
}

// group makes a command of commands. They are named with the group in front wherever they are named.
func group(g *cli.Command, members ...*cli.Command) *cli.Command {
	g.HideHelp = true
	g.Subcommands = members
	for _, m := range members {
		m.HelpName = "hermes-doctor " + g.Name + " " + m.Name
	}
	return g
}

// projectFlag names one project of a store.
func projectFlag() cli.Flag {
	return &cli.StringFlag{Name: "project", Usage: "the project with this `ID` (16 hex digits) or working directory"}
}

// pickProject finds the project that --project names, or the only one. The store of today wins over a repository of
// the first layout with the same id; what is left in doubt is an error that lists the candidates.
func pickProject(bases []*evidence.CheckpointBase, name string) (*evidence.CheckpointProject, error) {
	if len(bases) == 0 {
		return nil, usageError{what: "no checkpoint store is at this path", try: "the folder checkpoints/ of a Hermes home, or the home"}
	}
	var all, found []*evidence.CheckpointProject
	for _, b := range bases {
		for _, s := range b.Stores {
			all = append(all, s.Projects...)
		}
	}
	for _, p := range all {
		if name == "" || p.ID == name || p.Workdir == name && name != "" {
			found = append(found, p)
		}
	}
	found = newestLayout(found)
	switch {
	case len(found) == 1:
		return found[0], nil
	case name == "" && len(found) > 1:
		return nil, usageError{what: fmt.Sprintf("%d projects are in the store, and none is named", len(found)), try: "--project ID, one of " + some(found)}
	case len(found) > 1:
		return nil, usageError{what: fmt.Sprintf("%d stores hold the project %q", len(found), name), try: "one store as PATH: " + some(found)}
	case len(all) == 0:
		return nil, usageError{what: "the checkpoint store holds no project", try: "hermes-doctor scan PATH"}
	}
	return nil, usageError{what: fmt.Sprintf("no project %q is in the store", name), try: "--project ID, one of " + some(all)}
}

// newestLayout leaves out repositories of the first layout whose project is in the store beside them.
func newestLayout(found []*evidence.CheckpointProject) []*evidence.CheckpointProject {
	type place struct {
		base *evidence.CheckpointBase
		id   string
	}
	newest := map[place]int{}
	for _, p := range found {
		at := place{p.Store.Base, p.ID}
		newest[at] = max(newest[at], p.Store.Version)
	}
	return slices.DeleteFunc(found, func(p *evidence.CheckpointProject) bool {
		return p.Store.Version < newest[place{p.Store.Base, p.ID}]
	})
}

// some lists a few projects for a line of advice.
func some(projects []*evidence.CheckpointProject) string {
	const few = 5
	var names []string
	for _, p := range projects[:min(len(projects), few)] {
		names = append(names, fmt.Sprintf("%s (%s of %s)", p.ID, cmp.Or(p.Workdir, p.Store.Name), p.Store.Base.Name))
	}
	if n := len(projects) - few; n > 0 {
		names = append(names, fmt.Sprintf("and %d more", n))
	}
	return strings.Join(names, ", ")
}

// checkpoint is what --checkpoint names: a tree, and the commit that it comes from.
type checkpoint struct {
	commit evidence.CommitInfo // the zero value, but for ID, where the tree itself is named
	number int                 // as /rollback counts, 1 = newest; 0 = not in the project's list
	tree   evidence.ObjectID
}

// pickCheckpoint reads N, or an id or its beginning, as /rollback does: any commit or tree of the store will do, also
// one of another project. Up to three digits are N.
func pickCheckpoint(r *evidence.ObjectReader, p *evidence.CheckpointProject, text string) (checkpoint, error) {
	if text == "" {
		text = "1"
	}
	if n, ok := shortNumber(text); ok {
		if n < 1 || n > len(p.Chain) {
			return checkpoint{}, usageError{
				what: fmt.Sprintf("project %s has %d checkpoints, and none is number %d", p.ID, len(p.Chain), n), try: "--checkpoint with a smaller number, or an id",
			}
		}
		return checkpoint{p.Chain[n-1], n, p.Chain[n-1].Tree}, nil
	}
	wrong := usageError{what: fmt.Sprintf("%q is no checkpoint: want a number below 1000, or 4 to 64 hex digits", text), try: "--checkpoint 1, the newest"}
	if len(text) < 4 || len(text) > 64 || strings.Trim(text, "0123456789abcdefABCDEF") != "" {
		return checkpoint{}, wrong
	}
	ids, err := r.Prefix(text, 2)
	switch {
	case err != nil:
		return checkpoint{}, wrong
	case len(ids) == 0:
		return checkpoint{}, usageError{what: fmt.Sprintf("no object of the store has an id that begins with %s", text), try: "--checkpoint 1, the newest"}
	case len(ids) > 1:
		return checkpoint{}, usageError{what: fmt.Sprintf("several objects have ids that begin with %s", text), try: "more digits, such as " + ids[0].String()}
	}
	return openCheckpoint(r, p, ids[0])
}

func openCheckpoint(r *evidence.ObjectReader, p *evidence.CheckpointProject, id evidence.ObjectID) (checkpoint, error) {
	for i, c := range p.Chain {
		if c.ID == id {
			return checkpoint{c, i + 1, c.Tree}, nil
		}
	}
	st, err := r.Stat(id)
	if err != nil {
		return checkpoint{}, fmt.Errorf("look at the checkpoint: %w", err)
	}
	switch st.Kind {
	case evidence.KindCommit:
		c, err := r.Commit(id)
		if err != nil {
			return checkpoint{}, fmt.Errorf("read the checkpoint: %w", err)
		}
		return checkpoint{c, 0, c.Tree}, nil
	case evidence.KindTree:
		return checkpoint{evidence.CommitInfo{ID: id}, 0, id}, nil
	}
	return checkpoint{}, usageError{what: fmt.Sprintf("%s is a %s and no checkpoint", id, st.Kind), try: "--checkpoint 1, the newest"}
}

// shortNumber reads up to three digits.
func shortNumber(text string) (n int, ok bool) {
	if len(text) > 3 || strings.Trim(text, "0123456789") != "" {
		return 0, false
	}
	for _, d := range text {
		n = 10*n + int(d-'0')
	}
	return n, true
}
