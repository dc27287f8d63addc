package report

import (
	"fmt"
	"io"
	"strings"
)

// Case is one case of a corpus after a run.
type Case struct {
	Name     string   `json:"name"`
	About    string   `json:"about"`
	Status   string   `json:"status"`           // passed, failed or skipped
	Reason   string   `json:"reason,omitempty"` // why it was skipped
	Problems []string `json:"problems"`         // why it failed
}

// Cases is what a run of a corpus came to.
type Cases struct {
	Passed, Failed, Skipped int
	Cases                   []Case
}

// Add counts a case by its status.
func (c *Cases) Add(one Case) {
	switch one.Status {
	case "passed":
		c.Passed++
	case "skipped":
		c.Skipped++
	default:
		c.Failed++
	}
	c.Cases = append(c.Cases, one)
}

// RenderCases writes c in the format f, which may be JUnit too.
func RenderCases(w io.Writer, c *Cases, f Format, o Options) error {
	switch f {
	case Table:
		return c.table(w, o)
	case Markdown:
		return c.markdown(w, o)
	case JSON:
		j := newJSONWriter(w)
		j.member("passed", c.Passed)
		j.member("failed", c.Failed)
		j.member("skipped", c.Skipped)
		list(j, "cases", each(c.Cases, Case.model))
		return j.finish()
	case JSONLines:
		return eachLine(w, each(c.Cases, Case.model))
	case JUnit:
		return c.junit(w)
	}
	return fmt.Errorf("render cases: unknown format %q (known: %s)", string(f), known(JUnit))
}

func (c Case) model() Case {
	c.Name, c.About, c.Reason, c.Problems = shownText(c.Name), shownText(c.About), shownText(c.Reason), texts(c.Problems)
	return c
}

func (c *Cases) counts() string {
	return fmt.Sprintf("%d passed, %d failed, %d skipped", c.Passed, c.Failed, c.Skipped)
}

func (c *Cases) table(w io.Writer, o Options) error {
	p := newPage(w, o)
	for _, one := range c.Cases {
		p.line(fmt.Sprintf("%-7s  %s: %s", one.Status, Clean(one.Name, cellLimit), Clean(one.About, proseLimit)))
		for _, text := range append(reasons(one.Reason), one.Problems...) {
			p.line("         " + Clean(text, proseLimit))
		}
	}
	p.line(c.counts())
	return p.flush()
}

func (c *Cases) markdown(w io.Writer, o Options) error {
	s := newSheet(w, o)
	s.block("**" + c.counts() + "**")
	g := &grid{columns: []column{left("case"), left("status"), left("about")}}
	for _, one := range c.Cases {
		g.add(one.Name, one.Status, one.About)
	}
	s.grid(g)
	for _, one := range c.Cases {
		if texts := append(reasons(one.Reason), one.Problems...); len(texts) > 0 {
			s.block("### " + markdownProse(one.Name))
			s.block(markdownFence("diff", strings.Join(texts, "\n"))...)
		}
	}
	return s.flush()
}

func reasons(reason string) []string {
	if reason == "" {
		return nil
	}
	return []string{reason}
}

// junit writes one test for each case.
func (c *Cases) junit(w io.Writer) error {
	s := newSuite("corpus", 0)
	for _, one := range c.Cases {
		out := junitCase{Name: one.Name, ClassName: "hermes-doctor.corpus"}
		switch one.Status {
		case "failed":
			out.Failure = junitResult("case", one.About, one.Problems...)
		case "skipped":
			out.Skipped = junitResult("skipped", one.Reason)
		}
		s.add(out)
	}
	return s.write(w)
}
