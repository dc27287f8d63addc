package corpus_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-4d3eb737/hermes-doctor/corpus"
	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

// reporting is a check that reports one finding with one piece of evidence.
func reporting(item evidence.Item) *scan.Check {
	return &scan.Check{
		ID: "reporting", Title: "A finding", Severity: scan.Notice,
		Doc: scan.Doc{What: "x", Not: "x", Origin: "x", Safe: "x", Unsafe: "x", ByHand: "x"},
		Run: func(_ context.Context, p *scan.Pass) error {
			p.Report(scan.Finding{Message: "x", Advice: "x", Subject: scan.Subject{Table: "sessions"}, Evidence: []evidence.Item{item}})
			return nil
		},
	}
}

func TestRunProvesQueries(t *testing.T) {
	at := evidence.Ref{Store: "state.db", Table: "sessions"}
	tests := []struct {
		name string
		item evidence.Item
		want string // "" = nothing about a query
	}{
		{"runs", evidence.Item{At: at, Saw: "x", How: "SELECT id FROM sessions"}, ""},
		{"runs with a clause before", evidence.Item{At: at, Saw: "x", How: "with a AS (SELECT 1) SELECT * FROM a"}, ""},
		{"no such table", evidence.Item{At: at, Saw: "x", How: "SELECT id FROM nowhere"}, "no such table"},
		{"no such store", evidence.Item{At: evidence.Ref{Store: "other.db"}, Saw: "x", How: "SELECT 1"}, "names no store"},
		{"a command", evidence.Item{At: evidence.Ref{Path: "a"}, Saw: "x", How: "sed -n 1p a"}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o := outcome(t, []*scan.Check{reporting(test.item)}, parse(t, "", ""))
			if o.Result == nil || len(o.Result.Findings) != 1 {
				t.Fatalf("the check did not report: %q", o.Problems)
			}
			var about []string
			for _, p := range o.Problems {
				if strings.Contains(p, "query") {
					about = append(about, p)
				}
			}
			got := strings.Join(about, "\n")
			if (test.want == "") != (got == "") || !strings.Contains(got, test.want) {
				t.Errorf("problems with the query are %q, want %q", got, test.want)
			}
		})
	}
}

func TestRunSeesChangedSource(t *testing.T) {
	temp := t.TempDir()
	meddling := reporting(evidence.Item{Saw: "x", How: "x"})
	meddling.Run = func(context.Context, *scan.Pass) error {
		found, err := filepath.Glob(filepath.Join(temp, "*", "*", "home", "state.db"))
		if err != nil || len(found) != 1 {
			return errors.Join(err, errors.New("no source"))
		}
		return os.Chtimes(found[0], time.Unix(1, 0), time.Unix(1, 0))
	}
	outcomes, err := corpus.Run(context.Background(), []*scan.Check{meddling}, []corpus.Case{parse(t, "", "")}, corpus.Options{TempDir: temp})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(outcomes[0].Problems, "\n"); !strings.Contains(got, "source changed: -state.db") {
		t.Errorf("problems are\n%s", got)
	}
	left, err := os.ReadDir(temp)
	if err != nil {
		t.Fatal(err)
	}
	if len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestRunStopsWhenTold(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	temp := t.TempDir()
	_, err := corpus.Run(ctx, nil, []corpus.Case{parse(t, "", "")}, corpus.Options{TempDir: temp})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want canceled", err)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, error %v", left, err)
	}
}
