package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

// Known is what was said about findings before this scan: in a baseline, which is what an earlier scan found, and in an
// ignore file. Both speak of the id of a finding, which is the same as long as check and subject are.
type Known struct {
	baseline map[string]bool
	ignores  []ignore
}

// ignore is one entry of an ignore file.
type ignore struct {
	line   int
	what   string // the id of a finding, or that of a check
	until  string // YYYY-MM-DD, its last day in UTC; "" = for ever
	ends   float64
	reason string
}

// Suppressed says why a finding does not count.
type Suppressed struct {
	By     string `json:"by"` // "baseline" or "ignore"
	Reason string `json:"reason,omitempty"`
	Until  string `json:"until,omitempty"` // YYYY-MM-DD
}

// Judged is a scan's findings in the light of what was known before.
type Judged struct {
	Suppressed map[string]Suppressed // by the id of the finding
	Baseline   bool                  // there is one, be it empty
	Notes      []string              // what is gone, and entries of the ignore file that did nothing
}

// ReadBaseline takes the findings of a saved report: JSON or SARIF of a scan, JSON Lines of one or of many stores, or a
// list of ids, one a line. A file that is none of these is an error: an empty baseline would hide the mistake.
func (k *Known) ReadBaseline(r io.Reader) error {
	data, err := io.ReadAll(r)
	if err != nil {
		return fmt.Errorf("read baseline: %w", err)
	}
	if k.baseline == nil {
		k.baseline = map[string]bool{}
	}
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
		return k.documents(data)
	}
	for i, line := range strings.Split(string(data), "\n") {
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		if !findingID().MatchString(words[0]) {
			return fmt.Errorf("line %d of the baseline: %q is no id of a finding (12 hex digits), nor is the file a saved report", i+1, words[0])
		}
		k.baseline[words[0]] = true
	}
	return nil
}

func findingID() *regexp.Regexp { return regexp.MustCompile(`^[0-9a-f]{12}$`) }

// baselined are the members of the documents that ReadBaseline knows.
type baselined struct {
	ID       string                 `json:"id"`
	Check    string                 `json:"check"`
	N        int                    `json:"n"`
	Findings *[]struct{ ID string } `json:"findings"`
	Report   *struct {
		Findings []struct{ ID string } `json:"findings"`
	} `json:"report"`
	Runs *[]struct {
		Results []struct {
			PartialFingerprints map[string]string `json:"partialFingerprints"`
		} `json:"results"`
	} `json:"runs"`
}

func (k *Known) documents(data []byte) error {
	for d := json.NewDecoder(bytes.NewReader(data)); ; {
		var b baselined
		if err := d.Decode(&b); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("read baseline: %w", err)
		}
		switch {
		case b.Findings != nil:
			for _, f := range *b.Findings {
				k.baseline[f.ID] = true
			}
		case b.Runs != nil:
			for _, run := range *b.Runs {
				for _, res := range run.Results {
					k.baseline[res.PartialFingerprints[fingerprint]] = true
				}
			}
		case b.Report != nil:
			for _, f := range b.Report.Findings {
				k.baseline[f.ID] = true
			}
		case b.N > 0: // a store that could not be looked at
		case findingID().MatchString(b.ID) && b.Check != "":
			k.baseline[b.ID] = true
		default:
			return errors.New("read baseline: a document in it is no report of scan: it has no findings")
		}
		delete(k.baseline, "")
	}
}

// ReadIgnores takes an ignore file: one entry a line, `WHAT: reason` or `WHAT until YYYY-MM-DD: reason`, where WHAT is the
// id of a finding or of a check. Blank lines and lines that begin with '#' are free. An entry without a reason is an
// error, as is what is no entry. checks are those that there are.
func (k *Known) ReadIgnores(r io.Reader, checks []*scan.Check) error {
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		e, err := readIgnore(line)
		if err != nil {
			return fmt.Errorf("line %d of the ignore file: %w", n, err)
		}
		if !findingID().MatchString(e.what) && !slices.ContainsFunc(checks, func(c *scan.Check) bool { return c.ID == e.what }) {
			return fmt.Errorf("line %d of the ignore file: %q is neither the id of a finding (12 hex digits) nor that of a check", n, e.what)
		}
		e.line = n
		k.ignores = append(k.ignores, e)
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read ignore file: %w", err)
	}
	return nil
}

func readIgnore(line string) (ignore, error) {
	head, reason, _ := strings.Cut(line, ":")
	e := ignore{reason: strings.TrimSpace(reason)}
	words := strings.Fields(head)
	switch {
	case len(words) == 0 || len(words) != 1 && !(len(words) == 3 && words[1] == "until"):
		return e, fmt.Errorf("%q is not `ID: reason` or `ID until YYYY-MM-DD: reason`", line)
	case e.reason == "":
		return e, fmt.Errorf("the entry for %s gives no reason behind a colon", words[0])
	}
	e.what = words[0]
	if len(words) == 3 {
		day, err := time.Parse(time.DateOnly, words[2])
		if err != nil {
			return e, fmt.Errorf("%q is no day like 2026-12-31", words[2])
		}
		e.until, e.ends = words[2], float64(day.AddDate(0, 0, 1).Unix())
	}
	return e, nil
}

// Judge says which findings are known. clock is the time of the scan, epoch seconds: an entry holds through its last day,
// and where the scan has no time (0), one that ends is not applied, since nobody can tell whether it has.
func (k *Known) Judge(findings []scan.Finding, clock float64) *Judged {
	j := &Judged{Suppressed: map[string]Suppressed{}, Baseline: k.baseline != nil}
	used := make([]int, len(k.ignores))
	there := make(map[string]bool, len(findings))
	for i := range findings {
		id := findings[i].ID()
		there[id] = true
		for n, e := range k.ignores {
			if e.what != id && e.what != findings[i].Check {
				continue
			}
			if used[n]++; !e.over(clock) {
				j.Suppressed[id] = Suppressed{By: "ignore", Reason: e.reason, Until: e.until}
			}
		}
		if _, ignored := j.Suppressed[id]; !ignored && k.baseline[id] {
			j.Suppressed[id] = Suppressed{By: "baseline"}
		}
	}
	j.Notes = k.notes(used, there, clock)
	return j
}

func (e ignore) over(clock float64) bool { return e.until != "" && !(clock >= 1 && clock < e.ends) }

func (k *Known) notes(used []int, there map[string]bool, clock float64) (notes []string) {
	for n, e := range k.ignores {
		switch {
		case e.over(clock) && !(clock >= 1):
			notes = append(notes, fmt.Sprintf("the ignore file's entry for %s (line %d) ends on %s and is not applied: this scan has no time; --now gives it one", e.what, e.line, e.until))
		case e.over(clock):
			notes = append(notes, fmt.Sprintf("the ignore file's entry for %s (line %d) expired on %s and is not applied: %s", e.what, e.line, e.until, e.reason))
		case used[n] == 0:
			notes = append(notes, fmt.Sprintf("the ignore file's entry for %s (line %d) fits no finding", e.what, e.line))
		}
	}
	var gone []string
	for id := range k.baseline {
		if !there[id] {
			gone = append(gone, id)
		}
	}
	if n := len(gone); n > 0 {
		slices.Sort(gone)
		text := plural(int64(n), "finding") + " of the baseline " + isAre(n) + " not found by this scan: " + strings.Join(gone[:min(n, listLimit)], ", ")
		if n > listLimit {
			text += fmt.Sprintf(" and %s more", Count(int64(n-listLimit)))
		}
		notes = append(notes, text)
	}
	return notes
}

func isAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// of gives what is known of a finding; nil when it counts. A nil Judged knows nothing.
func (j *Judged) of(f *scan.Finding) *Suppressed {
	if j == nil || len(j.Suppressed) == 0 {
		return nil
	}
	if s, ok := j.Suppressed[f.ID()]; ok {
		return &s
	}
	return nil
}

// Counts says that a finding is not known from before. A nil Judged knows nothing.
func (j *Judged) Counts(f *scan.Finding) bool { return j.of(f) == nil }

// sentences tells people what is not shown to them.
func (j *Judged) sentences(findings []scan.Finding) []string {
	if j == nil {
		return nil
	}
	var out []string
	by := map[string][]string{}
	for i := range findings {
		if s := j.of(&findings[i]); s != nil {
			key := "the baseline has"
			if s.By == "ignore" {
				key = "ignored, for this reason: " + s.Reason
				if s.Until != "" {
					key += " (until " + s.Until + ")"
				}
			}
			if by[key] = append(by[key], findings[i].ID()); len(by[key]) == 1 {
				out = append(out, key)
			}
		}
	}
	for i, key := range out {
		ids := by[key]
		list := strings.Join(ids[:min(len(ids), listLimit)], ", ")
		if len(ids) > listLimit {
			list += " and " + Count(int64(len(ids)-listLimit)) + " more"
		}
		out[i] = key + ": " + plural(int64(len(ids)), "finding") + ", " + list
	}
	return append(out, j.Notes...)
}
