package report_test

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/seed-4d3eb737/hermes-doctor/report"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/pseudonym"
)

func TestGoldenPages(t *testing.T) {
	results := map[string]func() *scan.Result{"incident": drawn, "sound": sound, "hostile": hostileDrawn, "audited": audited, "everything": everything}
	for name, result := range results {
		goldenPage(t, name+".html", func(w *bytes.Buffer) error {
			return report.Render(w, report.New(tool(), inputs(), result()), report.HTML, report.Options{All: name == "incident"})
		})
	}
	for _, name := range []string{"incident", "hostile"} {
		goldenPage(t, name+"-resume.html", func(w *bytes.Buffer) error {
			return report.RenderResume(w, report.NewResume(tool(), inputs(), results[name]()), report.HTML, report.Options{})
		})
	}
}

// goldenPage is golden without the style, which is a file of its own and the same in every page.
func goldenPage(t *testing.T, name string, render func(*bytes.Buffer) error) {
	t.Helper()
	golden(t, name, func(w *bytes.Buffer) error {
		var whole bytes.Buffer
		if err := render(&whole); err != nil {
			return err
		}
		head, rest, _ := strings.Cut(whole.String(), "<style>")
		_, rest, styled := strings.Cut(rest, "</style>")
		before, after, _ := strings.Cut(head, "'sha256-")
		_, after, hashed := strings.Cut(after, "'")
		if !styled || !hashed {
			return errors.New("the page has no style, or does not say which one it allows")
		}
		w.WriteString(before + "OF STYLE.CSS" + after + "<style></style>" + rest)
		return nil
	})
}

func page(t *testing.T, result *scan.Result) string {
	t.Helper()
	var w bytes.Buffer
	if err := report.Render(&w, report.New(tool(), inputs(), result), report.HTML, report.Options{All: true}); err != nil {
		t.Fatal(err)
	}
	return w.String()
}

// What a database holds neither becomes markup nor moves, hides or reorders text.
func TestPageOfHostileNames(t *testing.T) {
	got := page(t, hostileDrawn())
	if !utf8.ValidString(got) {
		t.Error("the page is not UTF-8")
	}
	for i, r := range got {
		if r != '\n' && !unicode.IsPrint(r) && r != '\u00a0' {
			t.Fatalf("%U at byte %d: %q", r, i, got[max(0, i-40):i])
		}
	}
	for _, tag := range regexp.MustCompile(`<[^>]*>`).FindAllString(got, -1) {
		if strings.Contains(tag, "octocat") && !strings.HasPrefix(tag, "<title") && !strings.Contains(tag, `data-label=`) && !strings.Contains(tag, `aria-label="`) {
			t.Errorf("a name became a tag: %s", tag)
		}
	}
	if strings.Contains(got, "<img") || strings.Contains(got, "<script") {
		t.Error("a name became markup")
	}
	if strings.Count(got, "\\u202e") == 0 {
		t.Error("the control characters are not shown")
	}
}

// A page of a large store still opens: what is left out is counted.
func TestPageOfManyFindings(t *testing.T) {
	r := drawn()
	r.Findings = nil
	for n := range 5000 {
		f := orphan()
		f.Subject.SessionID = fmt.Sprintf("20260806_161836_%08x", n)
		r.Findings = append(r.Findings, f)
		st := r.Stories[0]
		st.Lane = nil
		r.Stories = append(r.Stories, st)
		s := r.Sessions[0]
		s.ID = f.Subject.SessionID
		r.Sessions = append(r.Sessions, s)
		r.Resume = append(r.Resume, scan.ResumeLine{Store: "state.db", Source: "telegram", SessionKey: fmt.Sprint(n), Resolver: "v0.21"})
	}
	got := page(t, r)
	if len(got) > 1<<20 {
		t.Errorf("the page has %d bytes", len(got))
	}
	for _, want := range []string{
		"orphan-session: and 4,988 findings more, shown by --format json", "and 4,901 chats more, shown by --format json",
		"and 4,803 sessions more, shown by --format json", ">5,000</span>",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}

// The page loads nothing: no address stands in it that a browser would ask for.
func TestPageIsSelfContained(t *testing.T) {
	for name, r := range map[string]*scan.Result{"incident": drawn(), "hostile": hostileDrawn()} {
		got := page(t, r)
		for _, at := range regexp.MustCompile(`(?i)\s(src|href|srcset|action|data|poster|xlink:href)\s*=\s*"([^"]*)"`).FindAllStringSubmatch(got, -1) {
			if !strings.HasPrefix(at[2], "#") {
				t.Errorf("%s: %s", name, at[0])
			}
		}
		if regexp.MustCompile(`(?i)@import|url\(`).MatchString(got) {
			t.Errorf("%s: the style loads something", name)
		}
		if !strings.Contains(got, `content="default-src 'none'; style-src 'sha256-`) {
			t.Errorf("%s: no policy forbids loading", name)
		}
	}
}

// A page that is passed on still says when something happened, and names no row.
func TestRedactedPage(t *testing.T) {
	var w bytes.Buffer
	r := drawn()
	to := report.Redacting(&w, report.NewRedactor(pseudonym.Key{1}, inputs(), r))
	if err := errors.Join(report.Render(to, report.New(tool(), inputs(), r), report.HTML, report.Options{}), report.Finish(to)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{">5 Aug</text>", "6 August", "a restart jumps back 2 days, to A", "is picked"} {
		if !strings.Contains(w.String(), want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	for _, secret := range []string{oldID, newID, key} {
		if strings.Contains(w.String(), secret) {
			t.Errorf("the page tells %q", secret)
		}
	}
}
