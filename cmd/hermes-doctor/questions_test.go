package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCommandsForQuestionsRun runs every command that docs/questions.md shows, over the demo.
func TestCommandsForQuestionsRun(t *testing.T) {
	copied := filepath.Join(t.TempDir(), "demo")
	var out, errs bytes.Buffer
	if code := run(context.Background(), []string{"demo", "--keep", copied, "-q"}, nil, strings.NewReader(""), &out, &errs); code != 0 {
		t.Fatalf("demo: exit %d: %s", code, errs.String())
	}
	pages, err := filepath.Glob("../../docs/questions.md")
	if err != nil || len(pages) == 0 {
		t.Fatalf("no pages: %v", err)
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for line := range strings.Lines(string(text)) {
			args, ok := strings.CutPrefix(strings.TrimSpace(line), "hermes-doctor ")
			if !ok {
				continue
			}
			n++
			words := strings.Fields(args)
			for i, w := range words {
				if w == "COPY" {
					words[i] = copied
				}
			}
			out.Reset()
			errs.Reset()
			if code := run(context.Background(), words, nil, strings.NewReader(""), &out, &errs); code > exitFindings || out.Len() == 0 {
				t.Errorf("%s: hermes-doctor %s: exit %d, %d bytes: %s", page, args, code, out.Len(), errs.String())
			}
		}
		if n == 0 {
			t.Errorf("%s shows no command", page)
		}
	}
}
