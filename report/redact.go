package report

import (
	"bytes"
	_ "embed"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/pseudonym"
)

// vocabulary are the words of this program's own sentences, names and statements: one a line, taken from the string
// literals of its source (TestVocabulary writes it anew with -update).
//
//go:embed vocabulary.txt
var vocabulary string

// Redactor replaces ids, names and paths in a report by pseudonyms: the same by the same everywhere, so that structure
// stays visible. It is fail-closed: a word stays only where this program itself wrote it, or where it is a platform, a
// state or another word of the product's fixed vocabulary. Times, counts and hashes of the examined files stay.
type Redactor struct {
	names *pseudonym.Maker // of what is a name and nothing else
	known map[string]bool  // whole names, for where one stands in a sentence and looks like a word or a number of it
	own   map[string]bool  // the words of sentences
}

// NewRedactor makes a Redactor. The pseudonyms come from key, which must be secret: Secret makes one. The hashes of
// inputs stay as they are; result, which may be nil, tells which numbers and ordinary words are names.
func NewRedactor(key pseudonym.Key, inputs []evidence.Input, result *scan.Result) *Redactor {
	r := &Redactor{names: pseudonym.New(key, pseudonym.Fixed()), known: map[string]bool{}, own: pseudonym.Fixed()}
	for w := range strings.Lines(vocabulary) {
		r.own[strings.TrimRight(w, "\n")] = true
	}
	r.own["Known"] = true // a label of Markdown, whose first letter it makes upper case
	for _, in := range inputs {
		r.own[in.SHA256] = true
		if len(in.SHA256) >= shortHash {
			r.own[in.SHA256[:shortHash]] = true
		}
	}
	r.own[evidence.Digest(inputs)] = true
	if result != nil {
		r.learn(result)
	}
	return r
}

// learn takes the names that a result has in fields of their own.
func (r *Redactor) learn(res *scan.Result) {
	add := func(names ...string) {
		for _, n := range names {
			// A name of one or two letters is an ordinary word far more often.
			if len(n) > 2 && n != r.names.Name(n) {
				r.known[n] = true
			}
		}
	}
	for i := range res.Findings {
		f := &res.Findings[i]
		add(f.Subject.SessionID, f.Subject.SessionKey, f.Subject.Source, f.Subject.Path, f.Subject.Project)
		if a := f.Adoption; a != nil {
			add(a.Predecessor, a.SessionKey)
			for _, c := range a.Candidates {
				add(c.SessionID)
			}
		}
		for _, x := range f.Fills {
			add(x.Key)
			if s, ok := x.Value.(string); ok {
				add(s)
			}
		}
		for _, e := range f.Evidence {
			add(e.At.Key)
		}
	}
	for _, l := range res.Resume {
		add(l.Source, l.SessionKey, l.Now, l.AfterFix, l.RunnerUp)
	}
	for _, s := range res.Sessions {
		add(s.ID, s.Source, s.SessionKey, s.Parent)
	}
	for _, s := range res.Stories {
		add(s.Source, s.SessionKey)
	}
	for _, c := range res.Census {
		add(c.Source)
	}
	for _, l := range res.Ends {
		add(l.Source, l.Reason)
	}
	for _, p := range res.Checkpoints {
		add(p.ID, p.Workdir)
	}
	for key := range r.known { // a part of a key may stand alone
		for part := range strings.SplitSeq(key, ":") {
			add(part)
		}
	}
}

// Know tells the Redactor whole names that are data although each of their words may be one of ours, such as a path. It is
// called before anything is rendered.
func (r *Redactor) Know(names ...string) {
	for _, n := range names {
		if len(n) > 2 && n != r.names.Name(n) {
			r.known[n] = true
		}
	}
}

// Name replaces every word that is not of the product's fixed vocabulary.
func (r *Redactor) Name(s string) string { return r.names.Name(s) }

// Prose replaces in a sentence, a statement or a command what this program did not write itself.
func (r *Redactor) Prose(s string) string {
	var b strings.Builder
	before := ""
	for s != "" {
		if n := strings.IndexFunc(s, func(c rune) bool { return !parts(c) }); n != 0 {
			if n < 0 {
				n = len(s)
			}
			b.WriteString(s[:n])
			s = s[n:]
			continue
		}
		n := strings.IndexFunc(s, parts)
		if n < 0 {
			n = len(s)
		}
		core := strings.TrimRight(s[:n], ".:!?")
		b.WriteString(r.piece(before, core, s[n:]))
		b.WriteString(s[len(core):n])
		if core != "" {
			before = core
		}
		s = s[n:]
	}
	return b.String()
}

// parts says whether a character stands between the pieces of a sentence. A piece is a name with everything in it: a
// key, a path, a time.
func parts(c rune) bool {
	return c < 0x80 && strings.ContainsRune(" \t\r\n\"'`()[]{},;=<>|", c) || strings.ContainsRune("…→–—·“”‘’×≥≤", c)
}

var (
	// momentForm is a date, a time of day, or both, as this program spells them.
	momentForm = regexp.MustCompile(`^(\d{4}-\d\d-\d\d)?(T?\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$`)
	// version is one of Hermes, SQLite or this program.
	version = regexp.MustCompile(`^v?\d{1,3}(\.\d{1,3}){1,2}$`)
	// measure is a number that counts or measures.
	measure = regexp.MustCompile(`^[+-]?\d+(\.\d+)?(s|ms|%|[KMGT]iB)?$`)
	// unit is what is counted; it begins what follows a number.
	unit = regexp.MustCompile(`^ (more |active |open |other |live |visible |temporary |child |written )?(message|row|session|byte|page|checkpoint|file|entr|second|minute|hour|day|commit|object|line|turn|cell|project|chat|time|check|database|frame|folder|ref|step)`)
	// paint is a colour of a terminal, as painted text has it.
	paint = regexp.MustCompile(`^\x1b\[[0-9;]*m`)
)

// dayOfMonth is what stands before the name of a month.
var dayOfMonth = regexp.MustCompile(`^[0-3]?\d$`)

// month says whether a word is the name of a month, whole or its first three letters.
func month(s string) bool {
	for m := time.January; m <= time.December; m++ {
		if s == m.String() || s == m.String()[:3] {
			return true
		}
	}
	return false
}

// longNumber is how many digits a bare number has that may be the id of a chat or a user.
const longNumber = 5

// piece replaces one piece of a sentence; before is the piece before it, after the text that follows.
func (r *Redactor) piece(before, s, after string) string {
	switch {
	case r.known[s]:
		return r.names.Name(s)
	case s == "" || r.own[s]:
		return s
	case momentForm.MatchString(s), version.MatchString(s), month(s) && dayOfMonth.MatchString(before):
		return s
	case measure.MatchString(s):
		digits := len(strings.Trim(s, "+-smiBKGT%"))
		if strings.Contains(s, ".") || digits < longNumber || unit.MatchString(after) || timed(before) {
			return s
		}
		return r.names.Name(s)
	}
	return pseudonym.Map(s, func(w string) string {
		switch {
		case r.Writes(w), len(w) < 4 && strings.Trim(w, "0123456789") == "":
			return w
		}
		if at := strings.IndexByte(w, 0x1b); at == 0 { // the rest of a colour's escape is split off by its bracket
			return w
		}
		return r.names.Word(w)
	})
}

// timed says whether the number that follows a piece is a time or a rowid: it is compared with such a column, or written
// to it.
func timed(before string) bool {
	return strings.HasSuffix(before, "_at") || strings.HasSuffix(before, "timestamp") || strings.HasSuffix(before, "rowid")
}

// Writes says whether this program writes the word itself: as its source has it, or as the plural of that.
func (r *Redactor) Writes(word string) bool {
	if r.own[word] {
		return true
	}
	one, plural := strings.CutSuffix(word, "s")
	return plural && r.own[one]
}

// redacting is a writer whose text is redacted by what sets it: a page, a sheet or JSON, each of which knows what is a
// sentence and what a name before it breaks lines. What is written to it directly is redacted a line at a time.
type redacting struct {
	to   io.Writer
	by   *Redactor
	line []byte // that has not ended
}

func (w *redacting) Write(p []byte) (int, error) {
	w.line = append(w.line, p...)
	end := bytes.LastIndexByte(w.line, '\n') + 1
	if end == 0 {
		return len(p), nil
	}
	_, err := io.WriteString(w.to, w.by.Prose(string(w.line[:end])))
	w.line = append(w.line[:0], w.line[end:]...)
	return len(p), err
}

// Finish writes what a writer that Redacting made still holds, after the last Render.
func Finish(w io.Writer) error {
	x, ok := w.(*redacting)
	if !ok {
		return nil
	}
	_, err := io.WriteString(x.to, x.by.Prose(string(x.line)))
	x.line = nil
	return err
}

// Redacting makes a writer for the Render functions, which Finish must follow; with a nil Redactor it is w itself.
func Redacting(w io.Writer, r *Redactor) io.Writer {
	if r == nil {
		return w
	}
	return &redacting{to: w, by: r}
}

// through gives the writer behind Redacting and what redacts its text, which is nil for any other writer.
func through(w io.Writer) (io.Writer, *Redactor) {
	if x, ok := w.(*redacting); ok {
		return x.to, x.by
	}
	return w, nil
}

// prose is Prose of a Redactor that may be nil. Colours stay.
func (r *Redactor) prose(s string) string {
	if r == nil {
		return s
	}
	if !strings.Contains(s, "\x1b") {
		return r.Prose(s)
	}
	var b strings.Builder
	for s != "" {
		if at := paint.FindString(s); at != "" {
			b.WriteString(at)
			s = s[len(at):]
			continue
		}
		n := strings.IndexByte(s[1:], 0x1b) + 1
		if n == 0 {
			n = len(s)
		}
		b.WriteString(r.Prose(s[:n]))
		s = s[n:]
	}
	return b.String()
}

// grid redacts the cells of a table; a column that holds names holds nothing else.
func (r *Redactor) grid(g *grid) *grid {
	if r == nil {
		return g
	}
	out := &grid{columns: g.columns, rows: make([][]string, len(g.rows))}
	for i, cells := range g.rows {
		out.rows[i] = make([]string, len(cells))
		for k, c := range cells {
			if slices.Contains([]string{"session", "key", "source"}, g.columns[k].title) {
				out.rows[i][k] = r.Name(c)
			} else {
				out.rows[i][k] = r.Prose(c)
			}
		}
	}
	return out
}
