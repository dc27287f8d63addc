package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
)

// TestReadmeListsTheChecks holds the table of the README against the checks: both are printed from the same texts.
func TestReadmeListsTheChecks(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	if code := run(context.Background(), []string{"checks", "--format", "markdown"}, nil, strings.NewReader(""), &out, &errs); code != 0 {
		t.Fatalf("exit %d: %s", code, errs.String())
	}
	if table := strings.TrimSpace(out.String()); !strings.Contains(string(readme), table) {
		t.Errorf("README.md does not hold the table that `hermes-doctor checks --format markdown` prints:\n%s", table)
	}
}
