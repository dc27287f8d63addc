package checkpoints_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-4d3eb737/hermes-doctor/scan/checkpoints"
)

func TestExcludes(t *testing.T) {
	all := checkpoints.DefaultExcludes(2)
	reversed := slices.Clone(all)
	slices.Reverse(reversed)
	for name, tt := range map[string]struct {
		list    string // "" = none
		missing bool
		gone    int
		added   []string
		back    []string
	}{
		"the product's":              {list: strings.Join(all, "\n") + "\n"},
		"in another order":           {list: "# comment\r\n\n" + strings.Join(reversed, "\r\n")},
		"twice":                      {list: strings.Join(append(all, all...), "\n")},
		"one line gone":              {list: strings.Join(slices.Delete(slices.Clone(all), 3, 4), "\n"), gone: 1},
		"one more":                   {list: strings.Join(append(slices.Clone(all), "src/"), "\n"), added: []string{"src/"}},
		"lines that take back":       {list: strings.Join(append(slices.Clone(all), "!.env", "!keep.log", `\!name`), "\n"), added: []string{`\!name`}, back: []string{"!.env", "!keep.log"}},
		"that of the first layout":   {list: strings.Join(checkpoints.DefaultExcludes(1), "\n"), gone: len(all) - 20},
		"git's own template":         {list: "# git ls-files --others --exclude-from=.git/info/exclude\n# *~\n", gone: len(all)},
		"none":                       {missing: true, gone: len(all)},
		"larger than anybody writes": {list: strings.Repeat("x\n", 1<<16), missing: true, gone: len(all)},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t, "sha1")
			s.take(commit{"refs/hermes/0000000000000001", "1", file("100644", "f", "1")})
			if tt.list != "" {
				path := filepath.Join(s.dir, "info", "exclude")
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(tt.list), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			got := s.read(checkpoints.Options{}).Stores[0].Excludes()
			if got.Missing != tt.missing || len(got.Gone) != tt.gone || !slices.Equal(got.Added, tt.added) || !slices.Equal(got.Back, tt.back) {
				t.Errorf("missing %v, %d gone, added %q, back %q; want %v, %d, %q, %q", got.Missing, len(got.Gone), got.Added, got.Back, tt.missing, tt.gone, tt.added, tt.back)
			}
		})
	}
}
