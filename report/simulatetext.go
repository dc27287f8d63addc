package report

import (
	"fmt"
	"io"

	"github.com/seed-4d3eb737/hermes-doctor/scan/rollback"
)

// pathsShown bounds a list of paths that people are shown; JSON has them all.
const pathsShown = 25

// section is a titled list of a simulation.
type section struct {
	title string
	lines []string
	more  int // how many are not shown
}

// head is what stands before the lists: the verdict's sentence, and what it is about.
func (s *Simulation) head() []string {
	number := "a checkpoint in no list"
	if s.Number > 0 {
		number = fmt.Sprintf("checkpoint %d", s.Number)
	}
	of := "project " + s.Project
	if s.Workdir != "" {
		of += " (" + s.Workdir + ")"
	}
	selection := "everything"
	if s.Request.Selection != "" {
		selection = "selection " + s.Request.Selection
	}
	lines := []string{
		fmt.Sprintf("%s of %s: %s", number, of, s.Checkpoint),
		fmt.Sprintf("taken %s: %s", Time(s.At), s.Reason),
		selection,
		s.beforeFix(),
	}
	if s.Outcome.Class != "" {
		lines = append(lines, fmt.Sprintf("error class %s, at the stage %s", s.Outcome.Class, s.Outcome.Stage))
	}
	return lines
}

func (s *Simulation) beforeFix() string {
	switch s.Outcome.BeforeFix {
	case rollback.Restores:
		if s.Outcome.Verdict == rollback.Refused {
			return "a build before the fix of #127073 reports success and brings nothing of a nested repository back"
		}
		return "a build before the fix of #127073 restores"
	case rollback.Failed:
		return "a build before the fix of #127073 fails"
	}
	return "a build before the fix of #127073: not known"
}

func (s *Simulation) sections() []section {
	o := s.Outcome
	restored := "comes back"
	if o.Verdict == rollback.Failed {
		restored = "comes back before the rollback fails"
	}
	var missing, kept []string
	for _, m := range o.Missing {
		missing = append(missing, fmt.Sprintf("%s (%s)", orTop(m.Path), m.ID))
	}
	for _, k := range o.Kept {
		kept = append(kept, fmt.Sprintf("%s (%s)", k.Path, k.Why))
	}
	all := []section{
		{title: "nested repositories", lines: o.Nested}, {title: "missing from the store", lines: missing},
		{title: restored, lines: o.Restored}, {title: "written", lines: o.Written},
		{title: "deleted", lines: o.Deleted}, {title: "kept as it is today", lines: kept}, {title: "assumed", lines: o.Assumes},
	}
	var out []section
	for _, one := range all {
		if n := len(one.lines); n > 0 {
			one.title = fmt.Sprintf("%s (%s)", one.title, Count(int64(n)))
			one.more = max(n-pathsShown, 0)
			one.lines = one.lines[:n-one.more]
			out = append(out, one)
		}
	}
	return out
}

func orTop(path string) string {
	if path == "" {
		return "the top folder"
	}
	return path
}

func verdictColor(v rollback.Verdict) string {
	return map[rollback.Verdict]string{rollback.Restores: green, rollback.Refused: yellow, rollback.Failed: red, rollback.Unknown: yellow}[v]
}

func (s *Simulation) table(w io.Writer, o Options) error {
	p := newPage(w, o)
	p.line(p.paint(verdictColor(s.Outcome.Verdict), string(s.Outcome.Verdict)))
	p.para("  ", s.Outcome.Message)
	p.about(s.Inputs)
	for _, l := range s.head() {
		p.hang("  ", "    ", l)
	}
	for _, one := range s.sections() {
		p.heading(one.title)
		for _, l := range one.lines {
			p.hang("  ", "    ", l)
		}
		if one.more > 0 {
			p.line("  " + hidden(one.more, "line"))
		}
	}
	p.foot(s.Inputs)
	return p.flush()
}

func (s *Simulation) markdown(w io.Writer, o Options) error {
	sh := newSheet(w, o)
	sh.block("**" + string(s.Outcome.Verdict) + "**: " + markdownProse(s.Outcome.Message))
	sh.about(s.Inputs)
	sh.bullets(s.head())
	for _, one := range s.sections() {
		sh.heading(one.title)
		sh.bullets(one.lines)
		if one.more > 0 {
			sh.block(hidden(one.more, "line"))
		}
	}
	sh.about(s.Inputs)
	return sh.flush()
}
