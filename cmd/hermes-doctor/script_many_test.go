package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/seed-4d3eb737/hermes-doctor/corpus"
)

// stores DIR LIST COUNT makes that many copies below DIR, of every 11th store of the built-in corpus in turn, with some
// that are broken or not there, and names them in LIST.
func stores(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg, args, 3, "stores DIR LIST COUNT")
	count, err := strconv.Atoi(args[2])
	ts.Check(err)
	templates := storeTemplates(ts)
	noise := make([]byte, 4096)
	rand.NewChaCha8([32]byte{1}).Read(noise)
	var list strings.Builder
	for i := range count {
		path := filepath.Join(args[0], fmt.Sprintf("%04d", i), "state.db")
		fmt.Fprintln(&list, path)
		content := templates[i%len(templates)]
		switch i % 97 {
		case 3:
			continue // it is not there
		case 17:
			content = make([]byte, 8192)
		case 41:
			content = noise
		case 71:
			content = content[:512] // half a file may be readable enough to be inconclusive, which depends on the case
		}
		ts.Check(os.MkdirAll(ts.MkAbs(filepath.Dir(path)), 0o700))
		ts.Check(os.WriteFile(ts.MkAbs(path), content, 0o600))
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(list.String()), 0o600))
}

func storeTemplates(ts *testscript.TestScript) (templates [][]byte) {
	dir, err := corpus.Embedded()
	ts.Check(err)
	cases, err := corpus.Load(dir)
	ts.Check(err)
	for i := 0; i < len(cases); i += 11 {
		c := cases[i]
		home := ts.MkAbs(filepath.Join("templates", c.Name))
		if c.Home() || filepath.Base(c.Path(home)) != "state.db" {
			continue
		}
		ts.Check(corpus.BuildTo(context.Background(), c, home))
		content, err := os.ReadFile(c.Path(home))
		ts.Check(err)
		templates = append(templates, content)
	}
	if len(templates) < 10 {
		ts.Fatalf("only %d templates", len(templates))
	}
	ts.Check(os.RemoveAll(ts.MkAbs("templates")))
	return templates
}

// joined WHOLE PART… wants the lines of the parts, put in order by their n, to be those of the whole.
func joined(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg, args, 2, "joined WHOLE PART…")
	type line struct {
		N    int `json:"n"`
		text string
	}
	var all []line
	for _, part := range args[1:] {
		before := 0
		for text := range strings.Lines(ts.ReadFile(part)) {
			var l line
			ts.Check(json.Unmarshal([]byte(text), &l))
			if l.text = text; l.N <= before {
				ts.Fatalf("%s: line %d stands behind line %d", part, l.N, before)
			}
			before = l.N
			all = append(all, l)
		}
	}
	slices.SortFunc(all, func(a, b line) int { return cmp.Compare(a.N, b.N) })
	var b strings.Builder
	for _, l := range all {
		b.WriteString(l.text)
	}
	if whole := ts.ReadFile(args[0]); b.String() != whole {
		ts.Fatalf("the parts have %d lines and %d bytes, the whole %d and %d", len(all), b.Len(), strings.Count(whole, "\n"), len(whole))
	}
}
