package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/report/lang"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

// What table and Markdown both say is worded here, so that they say the same.

// verdict is the first line of a report: the word, the sentence, and the counts behind it in brackets. A
// sentence that opens with the word itself is not given it twice.
func (r *Report) verdict(t *lang.Tongue) (word, sentence, counts string) {
	v := r.result.Verdict
	word, sentence = strings.ReplaceAll(string(v.Word), "-", " "), strings.TrimRight(v.Sentence, ". ")
	for _, opening := range []string{word, word + " here"} {
		if rest, ok := strings.CutPrefix(sentence, opening+": "); ok {
			word, sentence = opening, rest
			break
		}
	}
	said, _ := t.Sentence(sentence)
	counts, _ = t.Sentence(r.counts())
	return t.Say(word), said, counts
}

func (r *Report) counts() string {
	var sessions, messages int64
	for _, d := range r.result.Databases {
		sessions += d.Sessions
		messages += d.Messages
	}
	read := plural(sessions, "session") + ", " + plural(messages, "message") + " read"
	if points := r.auditCount(); points != "" && len(r.result.Databases) == 0 {
		read = points + " read"
	} else if points != "" {
		read = strings.TrimSuffix(read, " read") + ", " + points + " read"
	}
	if n := len(r.result.Databases); n > 1 {
		read += " in " + plural(int64(n), "database")
	}
	found := map[scan.Severity]int64{}
	for _, f := range r.result.Findings {
		found[f.Severity]++
	}
	var parts []string
	for _, s := range []scan.Severity{scan.Error, scan.Warning, scan.Notice} {
		if found[s] > 0 {
			parts = append(parts, plural(found[s], string(s)))
		}
	}
	if len(parts) == 0 {
		parts = []string{"no findings"}
	}
	return read + "; " + strings.Join(parts, ", ")
}

// checks says how many checks ran and why the others did not; failures follow one by one, since after one of
// them "nothing found" is not "clean".
func (r *Report) checks() (summary string, failures []string) {
	var ran, skipped int64
	reasons := map[string]int64{}
	for _, c := range r.result.Checks {
		switch c.Status {
		case scan.Ran:
			ran++
		case scan.Skipped:
			skipped++
			reasons[c.Reason]++
		default:
			failures = append(failures, c.ID+" failed: "+c.Reason)
		}
	}
	parts := []string{Count(ran) + " ran"}
	if skipped > 0 {
		var why []string
		for reason, n := range reasons {
			why = append(why, reason+" "+Count(n))
		}
		slices.Sort(why)
		parts = append(parts, fmt.Sprintf("%s skipped (%s)", Count(skipped), strings.Join(why, ", ")))
	}
	if len(failures) > 0 {
		parts = append(parts, Count(int64(len(failures)))+" failed")
	}
	return "checks: " + strings.Join(parts, ", "), failures
}

// notes says what a reader must know about each database before trusting the counts.
func (r *Report) notes() []string {
	var out []string
	for _, d := range r.result.Databases {
		if d.Newer {
			version := "a schema"
			if d.SchemaVersion != 0 {
				version = fmt.Sprintf("schema %d", d.SchemaVersion)
			}
			out = append(out, fmt.Sprintf("%s: %s is newer than this build knows; what it reads it found by looking at the file's own columns", d.Store, version))
		}
		if viewsDiffer(d.Views) {
			for _, v := range d.Views {
				out = append(out, d.Store+": "+viewSentence(v, v.Name == d.View))
			}
		}
		for _, n := range d.Notes {
			out = append(out, d.Store+": "+n)
		}
	}
	return append(out, r.auditNotes()...)
}

func viewsDiffer(views []scan.View) bool {
	for _, v := range views {
		if v.Error != "" || v.Sessions != views[0].Sessions || v.Messages != views[0].Messages {
			return true
		}
	}
	return false
}

func viewSentence(v scan.View, used bool) string {
	s := fmt.Sprintf("view %s shows %s, %s, newest %s", v.Name, plural(v.Sessions, "session"), plural(v.Messages, "message"), Time(v.Newest))
	if v.Error != "" {
		s = fmt.Sprintf("view %s cannot be read: %s", v.Name, v.Error)
	}
	if used {
		s += " (used here)"
	}
	return s
}

// hashes lists the inputs as sha256sum does, each with its size and whether it stood still.
func (r *Report) hashes() []string {
	out := make([]string, 0, len(r.inputs))
	for _, in := range r.inputs {
		state := "unchanged"
		switch {
		case slices.Contains(r.result.Changed, in.Path):
			state = "CHANGED while it was read"
		case !r.result.Unchanged && len(r.result.Changed) == 0:
			state = "not compared"
		}
		out = append(out, fmt.Sprintf("%s  %s (%s, %s, %s)",
			in.SHA256, Clean(in.Path, cellLimit), in.Role, plural(in.Bytes, "byte"), state))
	}
	return out
}

func (r *Report) stores() int {
	stores := map[string]bool{}
	for _, c := range r.result.Census {
		stores[c.Store] = true
	}
	return len(stores)
}

// censusGrid names the store only where there are several.
func (r *Report) censusGrid() *grid {
	g := &grid{columns: []column{left("store"), left("source"), left("verdict"), right("sessions"), right("messages")}}
	for _, i := range r.census {
		c := &r.result.Census[i]
		g.add(c.Store, c.Source, c.Verdict.String(), Count(int64(c.Sessions)), Count(c.Messages))
	}
	return g.without(0, r.stores() < 2)
}

func (r *Report) sessionGrid() *grid {
	g := &grid{columns: []column{
		left("store"), left("session"), left("source"), left("key"), left("verdict"), right("messages"), left("first"), left("last"),
	}}
	for _, s := range r.result.Sessions {
		g.add(s.Store, s.ID, s.Source, s.SessionKey, s.Verdict.String(), Count(s.Messages), Time(s.First), Time(s.Last))
	}
	return g.without(0, r.stores() < 2)
}

// without drops a column that says the same in every row.
func (g *grid) without(at int, drop bool) *grid {
	if !drop {
		return g
	}
	g.columns = slices.Delete(g.columns, at, at+1)
	for i := range g.rows {
		g.rows[i] = slices.Delete(g.rows[i], at, at+1)
	}
	return g
}
