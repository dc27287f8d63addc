package contents_test

import (
	"strings"
	"testing"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan/contents"
)

// No list and no path makes the matcher fail, or match nothing that it should not even be asked about.
func FuzzIgnores(f *testing.F) {
	for _, seed := range []string{"*.log", "**/a/**", "[a-", "[[:alpha:]]", `\`, "!x", "a/**/b", "[!]]", "[]-a]", "\xff[\xfe]", "/", "**", "[z-a]", "[[:bogus:]x]"} {
		f.Add(seed, "a/b/c.log")
	}
	f.Fuzz(func(t *testing.T, line, path string) {
		if len(line) > 300 || len(path) > 300 {
			return // the cost grows with both, and the bounds of real ones are high
		}
		s := &evidence.CheckpointStore{Exclude: &evidence.CheckpointFile{Lines: strings.Split(line, "\n")}}
		found := contents.NewIgnores(s, nil, evidence.ObjectID{}).Match(path, false)
		if found == nil {
			return
		}
		if found.Line < 1 || found.Line > len(s.Exclude.Lines) || !strings.HasPrefix(path, found.Path) {
			t.Errorf("%q by %+v", path, found)
		}
	})
}
