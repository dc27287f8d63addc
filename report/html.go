package report

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

//go:embed html
var htmlFiles embed.FS

// htmlPage is a whole document. Every string in it is clean already; the templates escape markup, and nothing else.
type htmlPage struct {
	Lang     string // the code of the language of its own words
	Title    string
	Tool     string
	Identity []htmlFile
	Running  string // repeated on every printed page
	Verdict  *htmlVerdict
	Sections []htmlSection
	Foot     string
	Style    template.CSS
	Hash     string // of Style, for the content policy
}

type htmlVerdict struct {
	Word, Tone string
	Sentence   []span
	Meaning    string
	Failures   [][]span
	Next       []htmlNext
	Counts     string
}

// htmlNext is a command with what it is for.
type htmlNext struct {
	Title, Command string
	Note           []span
}

type htmlSection struct {
	ID, Title, Count string
	Intro            [][]span
	Stories          []htmlStory
	Groups           []htmlGroup
	Blocks           []htmlBlock
	More             string
}

// htmlBlock is a part of a section; a folded one shows its title only, until it is asked for the rest.
type htmlBlock struct {
	Title      string
	Fold, Open bool
	Lines      [][]span
	Table      *htmlTable
	Commands   []string
	More       string
}

func (r *Report) html(w io.Writer, o Options) error {
	p := newHTMLPage(r.tool, r.inputs, r.result)
	p.Title = htmlTitle("Report", r.inputs)
	p.Verdict = r.htmlVerdict(o)
	for _, s := range []htmlSection{
		r.htmlStories(o), r.htmlFindings(o), r.htmlResume(o.Lang), r.htmlCensus(o), r.htmlNotDamage(), r.htmlHappened(o), r.htmlCheckpoints(), r.htmlNotes(o), htmlInputs(r.inputs, r.result, o.Lang),
	} {
		p.add(s)
	}
	return p.write(w, o)
}

// newHTMLPage makes a page that names its inputs and nothing else.
func newHTMLPage(tool Tool, inputs []evidence.Input, res *scan.Result) *htmlPage {
	p := &htmlPage{Tool: Clean(tool.Name+" "+tool.Version, cellLimit)}
	p.Identity, p.Running = htmlIdentity(inputs, res)
	p.Running += " · " + p.Tool
	p.Foot = "Made by " + p.Tool + " from copies, offline. Times are UTC. The file holds no script and asks for nothing from outside; it names chats, so share it with care."
	return p
}

// add leaves out a section without content.
func (p *htmlPage) add(s htmlSection) {
	if len(s.Intro)+len(s.Stories)+len(s.Groups)+len(s.Blocks) > 0 {
		p.Sections = append(p.Sections, s)
	}
}

func (p *htmlPage) write(w io.Writer, o Options) error {
	style, err := htmlFiles.ReadFile("html/style.css")
	if err != nil {
		return fmt.Errorf("read the style of the page: %w", err)
	}
	sum := sha256.Sum256(style)
	p.Style, p.Hash = template.CSS(style), "sha256-"+base64.StdEncoding.EncodeToString(sum[:])
	t, err := template.New("").Funcs(template.FuncMap{"say": o.Lang.Say}).ParseFS(htmlFiles, "html/*.tmpl")
	if err != nil {
		return fmt.Errorf("read the templates of the page: %w", err)
	}
	w, by := through(w)
	p.Lang = o.Lang.Code()
	speak(p, o.Lang)
	by.page(p)
	if err := t.ExecuteTemplate(w, "page", p); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}

// htmlTitle names what was examined.
func htmlTitle(what string, inputs []evidence.Input) string {
	if len(inputs) == 0 {
		return what
	}
	title := what + ": " + Clean(foremost(inputs)[0].Path, cellLimit)
	if n := len(inputs) - 1; n > 0 {
		title += " and " + plural(int64(n), "more file")
	}
	return title
}

// tone is the colour of a verdict.
func tone(w scan.Word) string {
	return map[scan.Word]string{
		scan.Damaged: "bad", scan.Absent: "bad", scan.Inconclusive: "unsure", scan.SoundElsewhere: "warn", scan.Sound: "good",
	}[w]
}

// meaning says a verdict once more for somebody who has never seen one.
func (r *Report) meaning() string {
	switch r.result.Verdict.Word {
	case scan.Sound:
		if len(r.findings) > 0 {
			return "What was examined is whole. What the findings say is still worth knowing."
		}
		return "Nothing was found that needs to be done."
	case scan.SoundElsewhere:
		return "Nothing is lost: the messages are in the examined files. But a restart picks another place than the one that holds a chat's newest talk."
	case scan.Absent:
		return "Something beside the examined files names messages or rows that are in none of them. They may be in another copy."
	case scan.Damaged:
		return "A part of what was stored cannot be read, or is gone from the examined files. Work on copies only, and keep this one as it is."
	case scan.Inconclusive:
		return "The examination did not reach its end: what it did not find may still be there."
	}
	return ""
}

// nextShown is how many commands stand with the verdict; each story has its own.
const nextShown = 1

func (r *Report) htmlVerdict(o Options) *htmlVerdict {
	word, sentence, counts := r.verdict(o.Lang)
	v := &htmlVerdict{Word: Clean(word, cellLimit), Tone: tone(r.result.Verdict.Word), Sentence: spans(capital(sentence) + o.Lang.Say(".")),
		Meaning: r.meaning(), Counts: Clean(counts, proseLimit) + o.Lang.Say(".")}
	for _, f := range r.unfinished() {
		v.Failures = append(v.Failures, spans(f))
	}
	stories := slices.DeleteFunc(r.weighty(), func(s scan.Story) bool { return s.Next == "" })
	for i, s := range stories[:min(len(stories), nextShown)] {
		n := htmlNext{Title: "What to type next", Command: Clean(s.Next, codeLimit), Note: spans(nextNote(s.Next))}
		if rest := len(stories) - i - 1; rest > 0 {
			n.Title += " for the first of " + plural(int64(len(stories)), "chat")
			n.Note = append(n.Note, span{Text: " What to type for the others stands with each of them below."})
		}
		v.Next = append(v.Next, n)
	}
	return v
}

// unfinished says why the examination did not reach its end: the files that changed or could not be read, and the checks
// that failed, those of one reason together.
func (r *Report) unfinished() []string {
	var out, reasons []string
	for _, d := range r.result.Databases {
		for _, n := range d.Notes {
			if strings.HasPrefix(n, "it could not be read") {
				out = append(out, d.Store+": "+n)
			}
		}
	}
	for _, path := range r.result.Changed {
		out = append(out, path+" changed while it was read: copy it from an install that is stopped")
	}
	of := map[string][]string{}
	for _, c := range r.result.Checks {
		if c.Status == scan.Failed {
			if len(of[c.Reason]) == 0 {
				reasons = append(reasons, c.Reason)
			}
			of[c.Reason] = append(of[c.Reason], c.ID)
		}
	}
	for _, reason := range reasons {
		ids := of[reason]
		s := plural(int64(len(ids)), "check") + " did not finish (" + reason + "): " + strings.Join(ids[:min(len(ids), failedShown)], ", ")
		if n := len(ids) - failedShown; n > 0 {
			s += fmt.Sprintf(" and %d more", n)
		}
		out = append(out, s)
	}
	if n := len(out) - listLimit; n > 0 {
		out = append(out[:listLimit], hidden(n, "reason"))
	}
	return out
}

// failedShown is how many checks are named that failed for one reason.
const failedShown = 4

// nextNote says what a command does, so that nobody types in fear.
func nextNote(command string) string {
	switch {
	case strings.HasPrefix(command, "hermes-doctor fix "):
		return "It prints which blank cells it would fill, and changes nothing. Nothing is written until --apply is added, and then only to the copy, after a backup that was proved good."
	case strings.HasPrefix(command, "hermes-doctor resume "), strings.HasPrefix(command, "hermes-doctor scan "):
		return "It only reads: it shows the rows of this chat side by side."
	}
	return ""
}

// capital begins a sentence, unless it begins with a name.
func capital(s string) string {
	first, _, _ := strings.Cut(s, " ")
	if first = strings.TrimRight(first, ",:"); first != "" && strings.Trim(first, "abcdefghijklmnopqrstuvwxyz") == "" {
		return string(s[0]-'a'+'A') + s[1:]
	}
	return s
}
