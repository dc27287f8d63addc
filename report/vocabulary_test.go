package report_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-4d3eb737/hermes-doctor/scan/pseudonym"
)

// The vocabulary of the redaction is every word of the source's string literals. A word that is missing makes a redacted
// report harder to read and nothing worse; one too many could let a name pass.
func TestVocabulary(t *testing.T) {
	words := map[string]bool{}
	for _, tree := range []string{"evidence", "scan", "fix", "report", "cmd/hermes-doctor"} {
		err := filepath.WalkDir(filepath.Join("..", tree), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() && d.Name() == "testdata" {
				return cmpErr(err, fs.SkipDir)
			}
			if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return nil
			}
			f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if _, imports := n.(*ast.ImportSpec); imports {
					return false
				}
				lit, ok := n.(*ast.BasicLit)
				if !ok || lit.Kind != token.STRING {
					return true
				}
				text, err := strconv.Unquote(lit.Value)
				if err != nil {
					t.Errorf("%s: %s: %v", path, lit.Value, err)
				}
				pseudonym.Map(verbs(text), func(w string) string {
					words[w] = words[w] || !digits(w) || strings.Contains(text, "#"+w) || slices.Contains(modes, w)
					return w
				})
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for w, ours := range words {
		// What holds a long number is an example of an id.
		if !ours || !digits(w) && longNumber.MatchString(w) || strings.IndexFunc(w, func(r rune) bool { return r < ' ' || r == utf8.RuneError }) >= 0 {
			delete(words, w)
		}
	}
	want := strings.Join(slices.Sorted(maps.Keys(words)), "\n") + "\n"
	if *update {
		if err := os.WriteFile("vocabulary.txt", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile("vocabulary.txt")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(string(got), "\n")); diff != "" {
		t.Errorf("vocabulary.txt is not what the source says; go test ./report -run TestVocabulary -update writes it (-want +got):\n%s", diff)
	}
}

func cmpErr(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

// verbs takes the verbs of a format out, which would join what stands around them.
func verbs(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '%' {
			b.WriteByte(text[i])
			continue
		}
		for i++; i < len(text) && strings.IndexByte("+-# 0123456789.[]*", text[i]) >= 0; i++ {
		}
		b.WriteByte(' ')
	}
	return b.String()
}

var longNumber = regexp.MustCompile(`[0-9]{4}`)

// modes are the numbers of git that sentences mention.
var modes = []string{"40000", "100644", "100755", "120000", "160000"}

func digits(w string) bool { return strings.Trim(w, "0123456789") == "" }
