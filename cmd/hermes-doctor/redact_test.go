package main

import (
	"crypto/sha256"
	"encoding/binary"
	"flag"
	"path/filepath"
	"testing"

	"github.com/seed-4d3eb737/hermes-doctor/corpus"
)

// oneIn keeps the usual run short: all cases take minutes.
var oneIn = flag.Int("one-in", 6, "of how many cases of the corpus one is planted with secrets")

// sample chooses one in oneIn of the cases of the corpus for a test, and gives a number that its variants come from. Both
// come from the name alone: a case that is added changes nothing for the rest.
func sample(test, name string) (n int, chosen bool) {
	sum := sha256.Sum256([]byte(test + "\x00" + name))
	n = int(binary.BigEndian.Uint32(sum[:4]))
	return n / *oneIn, n%*oneIn == 0
}

// Every case of the corpus gets a secret for every word that is its own, in every table and file, and no report about it
// may hold one.
func TestRedactedReportsHoldNoSecret(t *testing.T) {
	t.Parallel()
	for _, c := range cases(t) {
		n, chosen := sample("reports", c.Name)
		if c.FTS == "yes" && !tool().FTS5 || !chosen {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "Zqhomeofsecrets")
			if err := corpus.BuildTo(t.Context(), c, dir); err != nil {
				t.Fatal(err)
			}
			g := newGarden(t, uint64(n))
			g.home(dir, n%2 == 0)
			path := c.Path(dir)
			formats := []string{"table", "json", "jsonl", "markdown"}
			more := append([]string{"sarif", "junit", "html"}, formats...)
			lines := [][]string{{"scan", "--all", "--format", "json", path}, {"scan", "--format", more[n%7], path}}
			switch lone := !c.Home() && filepath.Base(path) == "state.db"; {
			case lone && n%3 == 0 && n%4 != 0:
				lines = append(lines, []string{"fix", "--format", "sql", path})
			case lone && n%4 != 0:
				lines = append(lines, []string{"fix", "--format", formats[n/3%4], path})
			case n%4 == 0 && filepath.Base(path) != "checkpoints":
				lines = append(lines, []string{"timeline", "--format", append(formats, "csv")[n/4%5], path})
			case filepath.Base(path) == "checkpoints":
				lines = append(lines, []string{"checkpoints", "audit", "--format", formats[n%4], path})
			default:
				lines = append(lines, []string{"resume", "--format", formats[n%4], path})
			}
			if n%3 == 0 || filepath.Base(path) == "checkpoints" { // against the case as it was: everything differs
				other := t.TempDir()
				if err := corpus.BuildTo(t.Context(), c, filepath.Join(other, "home")); err != nil {
					t.Fatal(err)
				}
				lines = append(lines, []string{"diff", "--format", formats[n/3%4], c.Path(filepath.Join(other, "home")), path})
			}
			for _, args := range lines {
				code, out, complaints := tell(t, append(args, "--redact")...)
				if code == exitUsage && args[0] != "scan" {
					// Of a damaged database only a scan has something to tell; what is refused is refused without --redact too.
					if plain, _, _ := tell(t, args...); plain == exitUsage {
						continue
					}
				}
				if code == exitUsage {
					t.Fatalf("%q: %s", args, complaints)
				}
				if found := g.leak(out); found != "" {
					t.Errorf("%q tells %s", args, found)
				}
			}
		})
	}
}
