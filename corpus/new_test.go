package corpus_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-4d3eb737/hermes-doctor/corpus"
	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checks"
)

// made makes a case of what a scan of another case finds.
func made(t *testing.T, c corpus.Case, o corpus.NewOptions) (*corpus.Reduced, error) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "home")
	if err := corpus.BuildTo(t.Context(), c, dir); err != nil {
		t.Fatal(err)
	}
	b, err := evidence.Open(t.Context(), []string{c.Path(dir)}, evidence.Options{TempDir: t.TempDir(), Damaged: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = b.Close() }()
	r, err := scan.Run(t.Context(), b, checks.All(), scan.Options{Now: c.Now, Zone: c.Zone})
	if err != nil {
		t.Fatal(err)
	}
	o.TempDir, o.Name, o.Zone = t.TempDir(), c.Name, c.Zone
	return corpus.New(t.Context(), checks.All(), b, r, o)
}

// Many cases are made of cases; New itself has the runner pass each. What is refused says why.
func TestNewOfCases(t *testing.T) {
	dir, err := corpus.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	cases, err := corpus.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	tried, good := 0, 0
	for i, c := range cases {
		if i%9 != 0 || filepath.Base(c.Path("home")) != "state.db" || len(c.Want.Findings) == 0 || c.FTS == "yes" {
			continue
		}
		tried++
		r, err := made(t, c, corpus.NewOptions{MaxScans: 150})
		var no *corpus.CannotReduce
		switch {
		case errors.As(err, &no):
			t.Logf("%s: %v", c.Name, no)
			continue
		case err != nil:
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		good++
		if r.Rows > r.RowsOf || r.Scans > 152 {
			t.Errorf("%s: %d of %d rows, %d scans", c.Name, r.Rows, r.RowsOf, r.Scans)
		}
		if strings.Contains(string(r.Text), "user 1 of ") || strings.Contains(string(r.Text), "display_name") {
			t.Errorf("%s: a text of a message, or a name, is in the case:\n%s", c.Name, r.Text)
		}
		again, err := corpus.Parse(c.Name, r.Text)
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		for _, line := range c.Want.Findings {
			if !strings.Contains(string(r.Text), line+"\n") {
				t.Errorf("%s: %q is not in the case", c.Name, line)
			}
		}
		if again.Want.Verdict != c.Want.Verdict {
			t.Errorf("%s: verdict %q, want %q", c.Name, again.Want.Verdict, c.Want.Verdict)
		}
	}
	t.Logf("%d of %d", good, tried)
	if good*10 < tried*7 {
		t.Errorf("only %d of %d could be made", good, tried)
	}
}

func TestNewOfOneFinding(t *testing.T) {
	c, err := corpus.Demo()
	if err != nil {
		t.Fatal(err)
	}
	r, err := made(t, c, corpus.NewOptions{Finding: "997d9abd7344"})
	if err != nil {
		t.Fatal(err)
	}
	if r.Rows > 6 || !r.Whole || !strings.Contains(string(r.Text), "fires: orphan-session\n") {
		t.Errorf("%d rows, whole %v:\n%s", r.Rows, r.Whole, r.Text)
	}
	var no *corpus.CannotReduce
	if _, err := made(t, c, corpus.NewOptions{Finding: "0123456789ab"}); !errors.As(err, &no) {
		t.Errorf("a finding that is not there: %v", err)
	}
	few, err := made(t, c, corpus.NewOptions{MaxScans: 2})
	if err != nil {
		t.Fatal(err)
	}
	if few.Whole || few.Scans > 4 {
		t.Errorf("whole %v after %d scans", few.Whole, few.Scans)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := corpus.New(ctx, checks.All(), &evidence.Bundle{}, &scan.Result{Findings: []scan.Finding{{Check: "x"}}}, corpus.NewOptions{}); err == nil {
		t.Error("a cancelled run makes a case")
	}
}
