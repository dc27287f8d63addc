package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

// JUnit as CI services read it. There is no one standard: what is written keeps to the schema of the Apache Ant tasks
// (JUnit.xsd of Windy Road, in testdata), the strictest that is in use; that of Jenkins (junit-10.xsd) allows more.

type junitSuites struct {
	XMLName xml.Name     `xml:"testsuites"`
	Suites  []junitSuite `xml:"testsuite"`
}

// junitSuite has an attribute for all that the schemas require. The host is the one that the schema names for an unknown
// one, and durations are 0: the same input gives the same bytes.
type junitSuite struct {
	ID         int             `xml:"id,attr"`
	Package    string          `xml:"package,attr"`
	Name       string          `xml:"name,attr"`
	Timestamp  string          `xml:"timestamp,attr"`
	Hostname   string          `xml:"hostname,attr"`
	Tests      int             `xml:"tests,attr"`
	Failures   int             `xml:"failures,attr"`
	Errors     int             `xml:"errors,attr"`
	Skipped    int             `xml:"skipped,attr"`
	Time       string          `xml:"time,attr"`
	Properties junitProperties `xml:"properties"`
	Cases      []junitCase     `xml:"testcase"`
	Out        string          `xml:"system-out"`
	Err        string          `xml:"system-err"`
}

type junitProperties struct {
	List []junitProperty `xml:"property"`
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

// junitCase has at most one of its outcomes.
type junitCase struct {
	Name      string        `xml:"name,attr"`
	ClassName string        `xml:"classname,attr"`
	Time      string        `xml:"time,attr"`
	Skipped   *junitOutcome `xml:"skipped"`
	Error     *junitOutcome `xml:"error"`
	Failure   *junitOutcome `xml:"failure"`
}

type junitOutcome struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

func newSuite(name string, clock float64) *junitSuite {
	at := int64(0)
	if clock >= 1 && clock <= 4.2e9 {
		at = int64(clock)
	}
	return &junitSuite{Package: "hermes-doctor", Name: name, Hostname: "localhost", Time: "0",
		Timestamp: time.Unix(at, 0).UTC().Format("2006-01-02T15:04:05")}
}

func (s *junitSuite) property(name, value string) {
	s.Properties.List = append(s.Properties.List, junitProperty{name, Clean(value, cellLimit)})
}

func (s *junitSuite) add(c junitCase) {
	c.Name, c.ClassName, c.Time = token(c.Name), token(c.ClassName), "0"
	s.Tests++
	switch {
	case c.Failure != nil:
		s.Failures++
	case c.Error != nil:
		s.Errors++
	case c.Skipped != nil:
		s.Skipped++
	}
	s.Cases = append(s.Cases, c)
}

// token makes a text that XML Schema calls one: no space at its ends, none twice, and something.
func token(s string) string {
	if s = strings.Join(strings.Fields(Clean(s, cellLimit)), " "); s == "" {
		return "-"
	}
	return s
}

// junitResult has a line for each text: a line break in one is no line of ours.
func junitResult(kind, message string, texts ...string) *junitOutcome {
	return &junitOutcome{Type: kind, Message: Clean(message, proseLimit), Text: junitLines(texts)}
}

func junitLines(texts []string) string {
	lines := make([]string, len(texts))
	for i, t := range texts {
		lines[i] = Clean(t, proseLimit)
	}
	return strings.Join(lines, "\n")
}

// redact replaces what is private in every text of the suite.
func (s *junitSuite) redact(by *Redactor) {
	if by == nil {
		return
	}
	texts := []*string{&s.Name, &s.Out, &s.Err}
	for i := range s.Properties.List {
		texts = append(texts, &s.Properties.List[i].Name, &s.Properties.List[i].Value)
	}
	for i := range s.Cases {
		c := &s.Cases[i]
		texts = append(texts, &c.Name, &c.ClassName)
		for _, o := range []*junitOutcome{c.Skipped, c.Error, c.Failure} {
			if o != nil {
				texts = append(texts, &o.Message, &o.Text)
			}
		}
	}
	for _, t := range texts {
		*t = by.Prose(*t)
	}
}

func (s *junitSuite) write(w io.Writer) error {
	w, by := through(w)
	s.redact(by)
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return fmt.Errorf("write JUnit: %w", err)
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(junitSuites{Suites: []junitSuite{*s}}); err != nil {
		return fmt.Errorf("write JUnit: %w", err)
	}
	if _, err := io.WriteString(w, "\n"); err != nil {
		return fmt.Errorf("write JUnit: %w", err)
	}
	return nil
}

// junit writes one test for each check, and one for the inputs themselves. A test fails by findings that count and reach
// Options.FailOn, so that its result is the scan's exit code.
func (r *Report) junit(w io.Writer, o Options) error {
	s := newSuite("scan", r.result.Now)
	s.property("tool", r.tool.Name+" "+r.tool.Version)
	s.property("verdict", string(r.result.Verdict.Word))
	for _, in := range r.inputs {
		s.property("sha256 of "+in.Path, in.SHA256)
	}
	s.add(r.junitInputs())
	for _, c := range r.result.Checks {
		s.add(r.junitCheck(c, o))
	}
	word, sentence, counts := r.verdict(nil)
	out := []string{word + ": " + sentence + " (" + counts + ")"}
	for _, i := range r.findings {
		if f := &r.result.Findings[i]; o.Known.Counts(f) && f.Severity.Rank() < o.FailOn {
			out = append(out, junitFinding(f))
		}
	}
	out = append(append(out, o.Known.sentences(r.result.Findings)...), r.notes()...)
	s.Out = junitLines(out)
	return s.write(w)
}

// junitInputs fails where something could not be read, or changed while it was.
func (r *Report) junitInputs() junitCase {
	c := junitCase{Name: "inputs", ClassName: "hermes-doctor.scan"}
	if r.result.Unchanged && !r.result.Partial {
		return c
	}
	what := "an input could not be read to its end"
	if !r.result.Unchanged {
		what = "an input changed while it was read"
	}
	c.Error = junitResult("incomplete", what, append(r.notes(), r.hashes()...)...)
	return c
}

func (r *Report) junitCheck(c scan.CheckStatus, o Options) junitCase {
	out := junitCase{Name: c.ID, ClassName: "hermes-doctor.scan"}
	var found []string
	for _, i := range r.findings {
		f := &r.result.Findings[i]
		if f.Check == c.ID && o.Known.Counts(f) && f.Severity.Rank() >= o.FailOn {
			found = append(found, junitFinding(f))
		}
	}
	switch {
	case len(found) > 0:
		message := plural(int64(len(found)), "finding")
		if len(found) == 1 {
			message = found[0]
		}
		out.Failure = junitResult("finding", message, found...)
	case c.Status == scan.Failed:
		out.Error = junitResult("incomplete", "the check failed: "+c.Reason)
	case c.Status == scan.Skipped:
		out.Skipped = junitResult("skipped", c.Reason)
	}
	return out
}

func junitFinding(f *scan.Finding) string {
	return fmt.Sprintf("%s %s %s: %s", f.Severity, f.Check, f.ID(), f.Message)
}
