package corpus_test

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	_ "time/tzdata" // cases name zones, and not every machine knows them

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/seed-4d3eb737/hermes-doctor/corpus"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checks"
)

var update = flag.Bool("update", false, "rewrite what the cases expect")

func load(t *testing.T) []corpus.Case {
	t.Helper()
	cases, err := corpus.Load(os.DirFS("cases"))
	if err != nil {
		t.Fatal(err)
	}
	return cases
}

// outcome runs one case with all checks.
func outcome(t *testing.T, list []*scan.Check, c corpus.Case) corpus.Outcome {
	t.Helper()
	outcomes, err := corpus.Run(context.Background(), list, []corpus.Case{c}, corpus.Options{TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	return outcomes[0]
}

func TestCases(t *testing.T) {
	for _, c := range load(t) {
		t.Run(c.Name, func(t *testing.T) {
			o := outcome(t, checks.All(), c)
			if o.Skipped != "" {
				t.Skip(o.Skipped)
			}
			if *update && o.Result != nil {
				data := c.Format(o.Got)
				if err := os.WriteFile(filepath.Join("cases", c.Name+".txtar"), data, 0o644); err != nil {
					t.Fatal(err)
				}
				updated, err := corpus.Parse(c.Name, data)
				if err != nil {
					t.Fatal(err)
				}
				o = outcome(t, checks.All(), updated)
			}
			for _, p := range o.Problems {
				t.Error(p)
			}
			same := cmp.Options{cmpopts.EquateNaNs(), cmpopts.IgnoreFields(scan.CheckStatus{}, "Millis"),
				cmp.Transformer("events", func(t *scan.Timeline) []scan.Event { return slices.Collect(t.Events()) }), cmpopts.IgnoreUnexported(scan.Event{})}
			if diff := cmp.Diff(o.Result, o.Again, same); diff != "" {
				t.Errorf("a second scan says something else (-first +second):\n%s", diff)
			}
		})
	}
}

func TestEveryCheckHasCases(t *testing.T) {
	fires, near := map[string]bool{}, map[string]bool{}
	for _, c := range load(t) {
		for _, id := range c.Fires {
			fires[id] = true
		}
		for _, id := range c.Near {
			near[id] = true
		}
	}
	var ids []string
	for _, c := range checks.All() {
		ids = append(ids, c.ID)
	}
	for _, l := range scan.AllLooksLike() {
		ids = append(ids, l.ID)
	}
	for _, id := range ids {
		if !fires[id] {
			t.Errorf("no case fires %s", id)
		}
		if !near[id] {
			t.Errorf("no case is a near miss of %s", id)
		}
	}
}

// TestRunSeesWhatIsWrong turns a sound case into wrong ones: a runner that finds nothing would prove nothing.
func TestRunSeesWhatIsWrong(t *testing.T) {
	c, err := corpus.Demo()
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		change func(c *corpus.Case)
		want   string
	}{
		{"finding missing", func(c *corpus.Case) { c.Want.Findings = append(c.Want.Findings, "x error y") }, "want.txt: -x error y"},
		{"finding too many", func(c *corpus.Case) { c.Want.Findings = nil }, "want.txt: +orphan-session error"},
		{"verdict", func(c *corpus.Case) { c.Want.Verdict = "sound" }, "verdict.txt: -sound"},
		{"census", func(c *corpus.Case) { c.Want.Census = nil }, "census.txt: +"},
		{"resume", func(c *corpus.Case) { c.Want.Resume = nil }, "resume.txt: +"},
		{"silent", func(c *corpus.Case) { c.Fires = []string{"zeroed-database"} }, "fires: zeroed-database was silent"},
		{"near", func(c *corpus.Case) { c.Near = []string{"orphan-session"} }, "near: orphan-session fired"},
		{"no such check", func(c *corpus.Case) { c.Near = []string{"no-such"} }, "no check is called no-such"},
		{"not built", func(c *corpus.Case) { c.Schema = "3" }, `unknown schema version "3"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			wrong := c
			test.change(&wrong)
			o := outcome(t, checks.All(), wrong)
			if o.Passed() {
				t.Error("passed")
			}
			if got := strings.Join(o.Problems, "\n"); !strings.Contains(got, test.want) {
				t.Errorf("problems are\n%s\nwant one with %q", got, test.want)
			}
		})
	}
}
