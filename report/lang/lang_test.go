package lang_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-4d3eb737/hermes-doctor/report/lang"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checks"
)

// documented are the checks, and what only looks like damage, which explain tells too.
func documented() []*scan.Check {
	list := checks.All()
	for _, l := range scan.AllLooksLike() {
		list = append(list, &scan.Check{ID: l.ID, Title: l.Title, Doc: l.Doc})
	}
	return list
}

func tongues(t *testing.T) map[string]*lang.Tongue {
	t.Helper()
	out := map[string]*lang.Tongue{}
	for _, code := range lang.Languages()[1:] {
		tongue, err := lang.Parse(code)
		if err != nil {
			t.Fatal(err)
		}
		out[code] = tongue
	}
	return out
}

// TestEveryCheckIsTranslated fails where a check has no translation, or has that of an older text. To mend it, translate
// the text in checks.XX.txt and put the digest that is wanted behind the id.
func TestEveryCheckIsTranslated(t *testing.T) {
	for code, tongue := range tongues(t) {
		for _, c := range documented() {
			got := tongue.Check(*c)
			texts := map[string][2]string{
				"title": {c.Title, got.Title}, "what": {c.Doc.What, got.Doc.What}, "not": {c.Doc.Not, got.Doc.Not},
				"origin": {c.Doc.Origin, got.Doc.Origin}, "safe": {c.Doc.Safe, got.Doc.Safe}, "unsafe": {c.Doc.Unsafe, got.Doc.Unsafe},
			}
			for field, text := range texts {
				if text[1] == "" || text[1] == text[0] {
					t.Errorf("checks.%s.txt has no %s of %s with the digest of today's text, which is\n== %s %s", code, field, c.ID, c.ID, lang.Digest(*c))
					break
				}
			}
			if got.Doc.ByHand != c.Doc.ByHand || got.ID != c.ID || got.Severity != c.Severity {
				t.Errorf("%s: %s changed more than its texts", code, c.ID)
			}
		}
	}
}

// names are what a translation must carry over: ids, columns, options, numbers of threads and versions.
var names = regexp.MustCompile("#[0-9]{4,}|v0\\.[0-9]+(?:\\.[0-9]+)?|[a-z]+_[a-z_]+[a-z]|--[a-z-]+|`[^`]+`")

// TestTranslationsKeepNames compares the technical names of a text with those of its translation: a name that is lost or
// new shows a sentence that was lost or made up.
func TestTranslationsKeepNames(t *testing.T) {
	of := func(d scan.Doc) []string {
		found := names.FindAllString(strings.Join([]string{d.What, d.Not, d.Origin, d.Safe, d.Unsafe}, "\n"), -1)
		slices.Sort(found)
		return slices.Compact(found)
	}
	for code, tongue := range tongues(t) {
		for _, c := range documented() {
			want, got := of(c.Doc), of(tongue.Check(*c).Doc)
			if !slices.Equal(want, got) {
				t.Errorf("%s: %s names\n%q, its English\n%q", code, c.ID, got, want)
			}
		}
	}
}

// TestNoTranslationIsLeftOver finds what translates a check that is gone.
func TestNoTranslationIsLeftOver(t *testing.T) {
	for code, tongue := range tongues(t) {
		for _, id := range tongue.Checks() {
			if !slices.ContainsFunc(documented(), func(c *scan.Check) bool { return c.ID == id }) {
				t.Errorf("checks.%s.txt translates %s, which is no check", code, id)
			}
		}
	}
}

// TestEveryHeadingIsTranslated reads the titles of columns and sections out of the renderings themselves.
func TestEveryHeadingIsTranslated(t *testing.T) {
	found := headings(t)
	if len(found) < 60 {
		t.Fatalf("only %d headings found", len(found))
	}
	same := []string{".", "tables", "base", "class", "commit", "id", "ms", "n", "sha256", "source", "chat", "chats", "session", "sessions", "message", "messages", "verdict", "notes", "project", "own"}
	for code, tongue := range tongues(t) {
		for _, text := range found {
			if tongue.Title(text) == text && !(code == "fr" && slices.Contains(same, text)) && text != "sha256" {
				t.Errorf("words.%s.txt does not translate %q", code, text)
			}
		}
	}
}

// headings lists the literal texts that the package report uses as titles. What holds a number or a name is told by the
// tests of the sentences.
func headings(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../*.go")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	take := func(e ast.Expr) {
		if l, ok := e.(*ast.BasicLit); ok && l.Kind == token.STRING {
			if s, err := strconv.Unquote(l.Value); err == nil && strings.Trim(s, " :(") != "" {
				seen[s] = true
			}
		}
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				called := ""
				switch f := n.Fun.(type) {
				case *ast.Ident:
					called = f.Name
				case *ast.SelectorExpr:
					called = f.Sel.Name
				}
				switch {
				case slices.Contains([]string{"left", "right", "heading", "label", "Say"}, called) && len(n.Args) == 1,
					called == "add" && len(n.Args) == 3 && isText(n.Args[2]), // a part of a document
					called == "one" || called == "htmlGrid" || called == "htmlTitle":
					take(n.Args[0])
				case called == "panel":
					take(n.Args[4])
				}
			case *ast.KeyValueExpr:
				if k, ok := n.Key.(*ast.Ident); ok && slices.Contains([]string{"title", "word", "Title", "Question", "Caption"}, k.Name) {
					take(n.Value)
				}
			}
			return true
		})
	}
	templates, err := filepath.Glob("../html/*.tmpl")
	if err != nil || len(templates) == 0 {
		t.Fatalf("no templates: %v", err)
	}
	for _, name := range templates {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`{{say "([^"]+)"}}`).FindAllSubmatch(text, -1) {
			seen[string(m[1])] = true
		}
		// What a template says without asking for a translation stays English in every language.
		for _, m := range regexp.MustCompile(`>([^<>{}$]*[A-Za-z]{3}[^<>{}]*)<`).FindAllSubmatch(text, -1) {
			if s := strings.TrimSpace(string(m[1])); s != "sha256" && s != "&nbsp;" {
				t.Errorf("%s says %q in English alone", name, s)
			}
		}
	}
	out := make([]string, 0, len(seen))
	for s := range seen {
		out = append(out, s)
	}
	slices.Sort(out)
	return out
}

func isText(e ast.Expr) bool {
	l, ok := e.(*ast.BasicLit)
	return ok && l.Kind == token.STRING
}

func TestSentence(t *testing.T) {
	tests := []struct{ code, english, want string }{
		{"fr", "798 messages are intact in 1 row that a restart does not pick", "798 messages sont intacts dans 1 ligne qu'un redémarrage ne reprend pas"},
		{"zh", "798 messages are intact in 1 row that a restart does not pick", "有 798 条消息完好地存在于重启不会选中的 1 行里"},
		{"fr", "1 message is intact in 2 rows that a restart does not pick", "1 message est intact dans 2 lignes qu'un redémarrage ne reprend pas"},
		{"fr", "1,204 sessions, 1 message read; 2 errors, 1 notice", "1204 sessions, 1 message lu ; 2 erreurs, 1 remarque"},
		{"zh", "1,204 sessions, 1 message read; 2 errors, 1 notice", "1,204 个会话，读取了 1 条消息；2 个错误，1 个提示"},
		{"fr", "each chat resumes its newest talk, but 1 checkpoint holds nothing of a nested repository, with 2 remarks",
			"chaque chat reprend ses échanges les plus récents, mais 1 point de contrôle ne contient rien d'un dépôt imbriqué, avec 2 remarques"},
		{"fr", "no word of this is known", "no word of this is known"},
	}
	all := tongues(t)
	for _, test := range tests {
		if got, known := all[test.code].Sentence(test.english); got != test.want || known == strings.HasPrefix(test.english, "no word") {
			t.Errorf("%s of %q is %q (known %v), want %q", test.code, test.english, got, known, test.want)
		}
	}
}

func TestProse(t *testing.T) {
	tests := []struct{ english, fr, zh string }{
		{"798 messages of 6–8 August 2026 are intact in row r2, which has no routing identity.",
			"798 messages (6–8 août 2026) sont intacts dans la ligne r2, qui n'a pas d'identité de routage.",
			"2026年8月6–8日 的 798 条消息完好地存在于行 r2 ，该行没有路由身份。"},
		{"1 message of 30 July – 2 August 2026 is intact in row r2, which has no routing identity.",
			"1 message (30 juillet – 2 août 2026) est intact dans la ligne r2, qui n'a pas d'identité de routage.",
			"7月30日 – 2026年8月2日 的 1 条消息完好地存在于行 r2 ，该行没有路由身份。"},
		{"After a restart this chat resumes row r1, 2.7 days older.", "Après un redémarrage, ce chat reprend la ligne r1, plus ancienne de 2,7 jours.", "重启后，此聊天恢复行 r1 ，要早 2.7 天。"},
		{"After a restart this chat resumes row r1.", "Après un redémarrage, ce chat reprend la ligne r1.", "重启后，此聊天恢复行 r1。"},
		{"Row r1: 1,204 messages, 3 August 12:01 to 6 August 2026 16:17. Its last message is 1 hour older than that of the talk.",
			"Ligne r1 : 1204 messages, du 3 août 12:01 au 6 août 2026 16:17. Son dernier message est plus ancien de 1 heure que celui des échanges.",
			"行 r1 ：1,204 条消息，8月3日 12:01 至 2026年8月6日 16:17 。它的最后一条消息比该对话的早 1 小时。"},
		{"The rule of build v0.21: found by the key: the only row that may be resumed.", "La règle de la version v0.21 : trouvée par la clé : la seule ligne qui puisse être reprise.", "版本 v0.21 的规则：按键找到：唯一可以恢复的行。"},
		{"a sentence that nobody knows", "a sentence that nobody knows", "a sentence that nobody knows"},
	}
	all := tongues(t)
	for _, test := range tests {
		for code, want := range map[string]string{"fr": test.fr, "zh": test.zh} {
			if got := all[code].Prose(test.english); got != want {
				t.Errorf("%s of %q is\n%q, want\n%q", code, test.english, got, want)
			}
		}
	}
	if got := all["fr"].Days("4 May"); got != "4 mai" {
		t.Errorf("4 May is %q", got)
	}
}

// TestProseKeepsNames finds a translation that loses or makes up a part of its sentence: each place must come again.
func TestProseKeepsNames(t *testing.T) {
	for _, code := range lang.Languages()[1:] {
		text, err := os.ReadFile("prose." + code + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			english, words, ok := strings.Cut(strings.TrimSpace(line), " => ")
			if !ok {
				continue
			}
			for n := 1; n <= len(regexp.MustCompile("<(n|days|age|id|row|x)>").FindAllString(english, -1)); n++ {
				if !strings.Contains(words, "$"+strconv.Itoa(n)) {
					t.Errorf("prose.%s.txt: %q loses $%d of %q", code, words, n, english)
				}
			}
			for _, name := range names.FindAllString(english, -1) {
				if !strings.Contains(words, name) {
					t.Errorf("prose.%s.txt: %q loses %s", code, words, name)
				}
			}
		}
	}
}

func TestEnvironment(t *testing.T) {
	for value, want := range map[string]string{
		"fr_CA.UTF-8": "fr", "zh_CN.UTF-8": "zh", "zh_TW": "zh", "fr": "fr", "FR@euro": "fr", "de_DE.UTF-8": "en", "C": "en", "POSIX": "en", "": "en", "en_GB.UTF-8": "en",
	} {
		tongue, err := lang.Environment(value)
		if err != nil || tongue.Code() != want {
			t.Errorf("LANG=%s means %s (%v), want %s", value, tongue.Code(), err, want)
		}
	}
	if _, err := lang.Parse("de"); err == nil || !strings.Contains(err.Error(), "known: en, fr, zh") {
		t.Errorf("an unknown language gives %v", err)
	}
}
