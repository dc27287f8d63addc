package contents_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-4d3eb737/hermes-doctor/scan/contents"
)

func planned(p *contents.Plan) []string {
	out := []string{}
	for _, i := range p.Items {
		out = append(out, fmt.Sprintf("%s %s -> %s", i.Kind(), i.Path, i.Target))
	}
	return out
}

func failures(p *contents.Plan) []string {
	var out []string
	for _, f := range p.Failed {
		why := f.Why
		if f.Fault != nil {
			why = string(f.Fault.Fault)
		}
		out = append(out, f.Path+": "+why)
	}
	return out
}

// No name that a stranger wrote leads anywhere but to one new entry of the folder that it is in.
func TestPlanHostileNames(t *testing.T) {
	s := newStore(t)
	b := s.blob("b")
	inner := s.tree(file{"100644", "x", b})
	long := strings.Repeat("n", 300)
	names := []string{"..", ".", ".git", ".GIT", ".git ", ".git.", ".git::$INDEX_ALLOCATION", "git~1", ".g\u200cit", "/etc/passwd", "../up", "a/../../b", `a\b`, `..\up`, long, "plain", ".gitignore", "..."}
	var entries []file
	for _, n := range names {
		entries = append(entries, file{"100644", n, b})
	}
	// A link, and a folder of the same name below which a file would be written through it.
	entries = append(entries, file{"120000", "dup", s.blob("/tmp")}, file{"40000", "dup", inner}, file{"100644", "dup", b}, file{"40000", ".git", inner}, file{"40000", "..", inner})
	root := s.tree(entries...)
	_, r := s.open()
	for _, system := range []contents.System{contents.POSIX, contents.Darwin, contents.Windows} {
		plan, err := contents.NewPlan(t.Context(), r, parse(t, root), contents.PlanOptions{System: system})
		if err != nil {
			t.Fatal(err)
		}
		if n := len(names) + 5 + 3; len(plan.Items) != n {
			t.Errorf("%s: %d items, want %d", system, len(plan.Items), n)
		}
		seen := map[string]string{}
		for _, i := range plan.Items {
			key := i.Target
			if system != contents.POSIX {
				key = strings.ToLower(key)
			}
			if was, ok := seen[key]; ok {
				t.Errorf("%s: %q and %q are both %q", system, was, i.Path, i.Target)
			}
			seen[key] = i.Path
			if (i.Target != i.Path) != (i.Why != "") {
				t.Errorf("%s: %q becomes %q, because %q", system, i.Path, i.Target, i.Why)
			}
			for n, element := range strings.Split(i.Target, "/") {
				folder := n == 0 || strings.HasSuffix(i.Path, "x") // the only file that is in a folder
				switch low := strings.ToLower(strings.TrimRight(element, ". ")); {
				case element == "", element == ".", element == "..", low == ".git", low == "git~1", len(element) > 255, !folder,
					system == contents.Windows && strings.ContainsAny(element, `\:`):
					t.Errorf("%s: %q becomes %q", system, i.Path, i.Target)
				}
			}
		}
		if seen["plain"] != "plain" || seen[".gitignore"] != ".gitignore" || system == contents.POSIX && seen[`a\b`] != `a\b` {
			t.Errorf("%s: good names do not stay: %q", system, seen)
		}
	}
}

func TestPlanSelection(t *testing.T) {
	s := newStore(t)
	s.checkpoint(project, 0, file{"100644", "a/b/c", "c"}, file{"100644", "a/b/d", "d"}, file{"100755", "a/e", "e"}, file{"120000", "l", "a"},
		file{"160000", "a/tool", nestedCommit}, file{"100644", "gone/x", "x"}, file{"100644", "*.txt", "star"}, file{"100644", "y.txt", "y"}, file{"100644", "\xff", "b"})
	s.lose(s.id("refs/hermes/" + project + ":gone").String())
	cp, r := s.open()
	tree := projectOf(t, cp, project).Chain[0].Tree
	for _, tt := range []struct {
		name    string
		files   []string
		items   []string
		nested  string
		failed  []string
		missing int
	}{
		{"everything", nil, []string{
			"file *.txt -> *.txt", "folder a -> a", "folder a/b -> a/b", "file a/b/c -> a/b/c", "file a/b/d -> a/b/d", "executable a/e -> a/e",
			"folder gone -> gone", "link l -> l", "file y.txt -> y.txt", "file \xff -> \xff"}, "a/tool", []string{"gone: missing"}, 0},
		{"a file", []string{"a/b/d"}, []string{"folder a -> a", "folder a/b -> a/b", "file a/b/d -> a/b/d"}, "", nil, 0},
		{"a folder and a link", []string{"a/b", "l"}, []string{"folder a -> a", "folder a/b -> a/b", "file a/b/c -> a/b/c", "file a/b/d -> a/b/d", "link l -> l"}, "", nil, 0},
		{"a literal star", []string{"*.txt"}, []string{"file *.txt -> *.txt"}, "", nil, 0},
		{"bytes", []string{"\xff"}, []string{"file \xff -> \xff"}, "", nil, 0},
		{"not there", []string{"a/b/nosuch", "y.txt"}, []string{"file y.txt -> y.txt"}, "", []string{"a/b/nosuch: the checkpoint does not have it"}, 1},
		{"in a nested repository", []string{"a/tool/main.py"}, []string{}, "a/tool", []string{"a/tool/main.py: it lies in the nested repository a/tool, of which nothing was captured"}, 1},
		{"in a lost folder", []string{"gone/x"}, []string{}, "", []string{"gone: missing", "gone/x: missing"}, 0},
		{"a lost folder", []string{"gone"}, []string{"folder gone -> gone"}, "", []string{"gone: missing"}, 0},
		{"the working directory", []string{""}, nil, "a/tool", []string{"gone: missing"}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			plan, err := contents.NewPlan(t.Context(), r, tree, contents.PlanOptions{Files: tt.files})
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.items, planned(plan)); d != "" && tt.items != nil {
				t.Errorf("items (-want +got):\n%s", d)
			}
			nested := ""
			for _, n := range plan.Nested {
				nested += n.Path
			}
			if nested != tt.nested || plan.Missing != tt.missing {
				t.Errorf("nested %q, %d missing; want %q, %d", nested, plan.Missing, tt.nested, tt.missing)
			}
			if d := cmp.Diff(tt.failed, failures(plan)); d != "" {
				t.Errorf("failed (-want +got):\n%s", d)
			}
		})
	}
}
