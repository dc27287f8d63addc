package rollback_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-4d3eb737/hermes-doctor/scan/rollback"
)

func simulate(t *testing.T, objects rollback.Objects, r rollback.Request) *rollback.Outcome {
	t.Helper()
	got, err := rollback.Simulate(t.Context(), objects, "tree:", r)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// gist is the part of an outcome that a table states: "refused a b", "error no-match", "restores x y".
func gist(o *rollback.Outcome) string {
	words := append([]string{string(o.Verdict)}, o.Nested...)
	if o.Class != "" {
		words = append(words, string(o.Class))
	}
	return strings.Join(append(words, o.Restored...), " ")
}

const mixed = "notes.txt packages/readme.txt @packages/nested @vendor/tool"

func TestSimulate(t *testing.T) {
	tests := []struct {
		name, tree string
		request    rollback.Request
		want       string
		before     rollback.Verdict
	}{
		{"full", mixed, rollback.Request{}, "refused packages/nested vendor/tool", rollback.Restores},
		{"full without nested", "a b/c", rollback.Request{}, "restores a b/c", rollback.Restores},
		{"below", mixed, rollback.Request{Selection: "vendor/tool/x"}, "refused vendor/tool", rollback.Failed},
		{"above", mixed, rollback.Request{Selection: "packages"}, "refused packages/nested", rollback.Restores},
		{"beside", mixed, rollback.Request{Selection: "packages/readme.txt"}, "restores packages/readme.txt", rollback.Restores},
		{"unicode white space is blank", "a", rollback.Request{Selection: "\u3000\x1d"}, "error invalid-path", rollback.Failed},
		{"a zero-width space is not", "a", rollback.Request{Selection: "\u200b"}, "error no-match", rollback.Failed},
		{"above a known place and back", mixed, rollback.Request{Selection: "../proj/notes.txt", Work: "/home/you/proj"}, "error bad-pathspec", rollback.Failed},
		{"above an unknown place and back", mixed, rollback.Request{Selection: "../proj/notes.txt"}, "error invalid-path", rollback.Failed},
		{"beyond a known place", mixed, rollback.Request{Selection: "../other/x", Work: "/home/you/proj"}, "error invalid-path", rollback.Failed},
		{"attributes decide", mixed, rollback.Request{Selection: ":(attr:x)*.txt"}, "unknown", rollback.Unknown},
		{"attributes cannot matter", mixed, rollback.Request{Selection: ":(attr:x)*.zzz"}, "error no-match", rollback.Failed},
		{"attributes of an exclusion", mixed, rollback.Request{Selection: ":(exclude,attr:x)packages"}, "unknown", rollback.Unknown},
		{"components before attributes", mixed, rollback.Request{Selection: ":(attr:x)/../vendor"}, "refused vendor/tool", rollback.Failed},
		{"a short cut of one build only", "t* z @tool", rollback.Request{Selection: ":(exclude)t*"}, "refused tool", rollback.Restores},
		{"container", "a", rollback.Request{Backend: "docker"}, "refused", rollback.Restores},
		{"ssh is no container", "a", rollback.Request{Backend: "ssh"}, "restores a", rollback.Restores},

		{"windows separators", mixed, rollback.Request{Selection: `packages\nested\main.py`, Platform: rollback.Windows}, "refused packages/nested", rollback.Failed},
		{"windows file", mixed, rollback.Request{Selection: `packages\readme.txt`, Platform: rollback.Windows}, "restores packages/readme.txt", rollback.Restores},
		{"posix backslash", mixed, rollback.Request{Selection: `packages\nested`}, "error no-match", rollback.Failed},
		{"windows drive", mixed, rollback.Request{Selection: `C:\x`, Platform: rollback.Windows, Work: `C:\proj`}, "error invalid-path", rollback.Failed},
		{"windows other drive", mixed, rollback.Request{Selection: `D:x`, Platform: rollback.Windows, Work: `C:\proj`}, "error invalid-path", rollback.Failed},
		{"windows own drive", mixed, rollback.Request{Selection: `c:notes.txt`, Platform: rollback.Windows, Work: `C:\proj`}, "error bad-pathspec", rollback.Failed},
		{"windows magic is no drive", mixed, rollback.Request{Selection: `::vendor\tool`, Platform: rollback.Windows, Work: `C:\proj`}, "refused vendor/tool", rollback.Restores},
		{"windows root", mixed, rollback.Request{Selection: `\x`, Platform: rollback.Windows}, "error invalid-path", rollback.Failed},
		{"windows parent", mixed, rollback.Request{Selection: `a\..\..\x`, Platform: rollback.Windows}, "error invalid-path", rollback.Failed},
		{"drive letters mean nothing on posix", "C:x", rollback.Request{Selection: "C:x"}, "restores C:x", rollback.Restores},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			objects, _ := store(tree(tt.tree))
			got := simulate(t, objects, tt.request)
			if gist(got) != tt.want || got.BeforeFix != tt.before {
				t.Errorf("got %q, before the fix %s; want %q, %s", gist(got), got.BeforeFix, tt.want, tt.before)
			}
			if got.Message == "" {
				t.Error("nothing says why")
			}
		})
	}
}

func TestMissingBlobRestoresTheOthers(t *testing.T) {
	objects, _ := store(tree("a b c/d @n"))
	objects.lost["blob:b"] = true
	got := simulate(t, objects, rollback.Request{Selection: ":(exclude)n"})
	if want := "error missing-object a c/d"; gist(got) != want || got.Stage != rollback.Checkout {
		t.Errorf("got %q at %s, want %q at checkout", gist(got), got.Stage, want)
	}
	if diff := cmp.Diff([]rollback.Missing{{Path: "b", ID: "blob:b"}}, got.Missing); diff != "" {
		t.Errorf("missing (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"b"}, got.Deleted); diff != "" {
		t.Errorf("deleted (-want +got):\n%s", diff)
	}
	if got := simulate(t, objects, rollback.Request{Selection: "a"}); gist(got) != "restores a" {
		t.Errorf("a selection without the lost file: got %q", gist(got))
	}
}

// Since the fix a rollback lists the whole checkpoint first; before, git only looked where the selection led it.
func TestMissingFolder(t *testing.T) {
	objects, _ := store(tree("a b/c"))
	delete(objects.trees, "tree:b")
	got := simulate(t, objects, rollback.Request{Selection: "a"})
	if gist(got) != "error missing-object" || got.Stage != rollback.Inspect || got.BeforeFix != rollback.Restores || len(got.Deleted) > 0 {
		t.Errorf("got %q at %s, before %s, deletes %q", gist(got), got.Stage, got.BeforeFix, got.Deleted)
	}
	if diff := cmp.Diff([]rollback.Missing{{Path: "b", ID: "tree:b"}}, got.Missing); diff != "" {
		t.Errorf("missing (-want +got):\n%s", diff)
	}
	if got := simulate(t, objects, rollback.Request{Selection: "../x"}); got.Class != rollback.InvalidPath {
		t.Errorf("the path is tested before the tree is read: got %q", gist(got))
	}
}

// git drops such paths where it checks out, and refuses the whole index where it lists one.
func TestNamesThatGitRefuses(t *testing.T) {
	for _, name := range []string{"..", ".git", ".GIT", "git~1", ".git .", `x\.git`, ".git::$INDEX_ALLOCATION", ".", "a/b"} {
		objects, _ := store(tree("ok"))
		objects.trees["tree:"] = append(objects.trees["tree:"], rollback.Entry{Name: name, Mode: rollback.Directory, ID: "tree:x"})
		objects.trees["tree:x"] = []rollback.Entry{{Name: "config", Mode: rollback.Regular, ID: "blob:x"}}
		if got := simulate(t, objects, rollback.Request{}); gist(got) != "restores ok" {
			t.Errorf("%q: got %q, want only the other file", name, gist(got))
		}
		objects.trees["tree:"] = append(objects.trees["tree:"], rollback.Entry{Name: "zz", Mode: rollback.Gitlink})
		if got := simulate(t, objects, rollback.Request{Selection: "ok"}); gist(got) != "error invalid-path" || got.Stage != rollback.Inspect {
			t.Errorf("%q beside a nested repository: got %q at %s", name, gist(got), got.Stage)
		}
	}
	objects, _ := store(tree("~.GitModules .gitmodules a~1 .gitx git"))
	if got := simulate(t, objects, rollback.Request{}); gist(got) != "restores .gitmodules .gitx a~1 git" {
		t.Errorf("got %q", gist(got))
	}
}

type broken struct{ rollback.Objects }

func (broken) Tree(context.Context, string) ([]rollback.Entry, error) {
	return nil, errors.New("disk on fire")
}

type bomb struct{ rollback.Objects }

func (bomb) Tree(context.Context, string) ([]rollback.Entry, error) {
	entries := make([]rollback.Entry, 100)
	for i := range entries {
		entries[i] = rollback.Entry{Name: strings.Repeat("x", i+1), Mode: rollback.Directory, ID: "tree:"}
	}
	return entries, nil
}

func TestStoreThatCannotBeAsked(t *testing.T) {
	for name, objects := range map[string]rollback.Objects{"disk on fire": broken{}, "more than": bomb{}} {
		if _, err := rollback.Simulate(t.Context(), objects, "tree:", rollback.Request{}); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("got error %v, want one with %q", err, name)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	objects, _ := store(tree("a"))
	if _, err := rollback.Simulate(ctx, objects, "tree:", rollback.Request{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want canceled", err)
	}
}
