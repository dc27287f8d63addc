package rollback_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-4d3eb737/hermes-doctor/scan/rollback"
)

// now makes a working directory out of what stands at which path, with the folders above.
func now(paths map[string]rollback.Now) *rollback.Today {
	out := &rollback.Today{Root: "/mnt/copy", Paths: map[string]rollback.Now{}}
	for path, n := range paths {
		for i := range path {
			if _, ok := paths[path[:i]]; path[i] == '/' && !ok {
				out.Paths[path[:i]] = rollback.Now{Kind: rollback.Folder}
			}
		}
		out.Paths[path] = n
	}
	return out
}

func link(target string) rollback.Now { return rollback.Now{Kind: rollback.Link, Target: target} }

func content(sha string) rollback.Now { return rollback.Now{SHA256: sha, Size: 1} }

func recordedAs(path string) rollback.Now {
	return rollback.Now{Mode: rollback.Regular, ID: "blob:" + path, SHA256: "recorded"}
}

func TestLinksOfToday(t *testing.T) {
	tests := []struct {
		name, selection string
		today           map[string]rollback.Now
		want            string
	}{
		{"a file is a link to the outside", "notes.txt", map[string]rollback.Now{"notes.txt": link("/tmp/out")}, "error invalid-path"},
		{"a pattern does not resolve it", "*.txt", map[string]rollback.Now{"notes.txt": link("/tmp/out")}, "restores notes.txt src/b.txt"},
		{"a parent is a link to the outside", "src/app.py", map[string]rollback.Now{"src": link("../../out")}, "error invalid-path"},
		{"a parent is a link inside", "src/app.py", map[string]rollback.Now{"src": link("docs"), "docs": {Kind: rollback.Folder}}, "restores src/app.py"},
		{"a nested repository is a link to the outside", "tool/x", map[string]rollback.Now{"tool": link("/tmp/out")}, "error invalid-path"},
		{"a nested repository is a link inside", "tool/x", map[string]rollback.Now{"tool": link("other")}, "refused tool"},
		{"an absolute link to the recorded place", "notes.txt", map[string]rollback.Now{"notes.txt": link("/home/you/proj/x")}, "restores notes.txt"},
		{"an absolute link to the copy", "notes.txt", map[string]rollback.Now{"notes.txt": link("/mnt/copy/x")}, "restores notes.txt"},
		{"an absolute link to a neighbour", "notes.txt", map[string]rollback.Now{"notes.txt": link("/home/you/project2")}, "error invalid-path"},
		{"a relative link out and back in", "notes.txt", map[string]rollback.Now{"notes.txt": link("../proj/x")}, "restores notes.txt"},
		{"a link from a link", "notes.txt", map[string]rollback.Now{"notes.txt": link("x"), "x": link("/etc")}, "error invalid-path"},
		{"links in a circle", "notes.txt", map[string]rollback.Now{"notes.txt": link("x"), "x": link("notes.txt")}, "error invalid-path"},
		{"two dots behind a link", "src/../notes.txt", map[string]rollback.Now{"src": link("/tmp/out")}, "error invalid-path"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			objects, _ := store(tree("notes.txt src/app.py src/b.txt @tool"))
			got := simulate(t, objects, rollback.Request{Selection: tt.selection, Work: "/home/you/proj", Today: now(tt.today)})
			if gist(got) != tt.want {
				t.Errorf("got %q, want %q", gist(got), tt.want)
			}
		})
	}
}

// effect is what a rollback does to the working directory.
type effect struct {
	Gist, Written, Deleted string
	Kept                   map[string]rollback.KeptReason
}

func effectOf(o *rollback.Outcome) effect {
	e := effect{Gist: gist(o), Written: strings.Join(o.Written, " "), Deleted: strings.Join(o.Deleted, " ")}
	for _, k := range o.Kept {
		if e.Kept == nil {
			e.Kept = map[string]rollback.KeptReason{}
		}
		e.Kept[k.Path] = k.Why
	}
	return e
}

func TestWorkingDirectory(t *testing.T) {
	tests := []struct {
		name, tree string
		lost       string
		request    rollback.Request
		today      map[string]rollback.Now
		want       effect
	}{
		{
			name: "an overlay keeps what is newer", tree: "a b c", request: rollback.Request{Selection: "[ab]"},
			today: map[string]rollback.Now{"a": recordedAs("a"), "b": content("x"), "c": content("x"), "new/d": content("x")},
			want:  effect{Gist: "restores a b", Written: "b", Kept: map[string]rollback.KeptReason{"c": rollback.NotSelected, "new/d": rollback.NotRecorded}},
		},
		{
			name: "what stands in the way goes", tree: "a b/c", request: rollback.Request{},
			today: map[string]rollback.Now{"a/x/y": content("x"), "b": content("x")},
			want:  effect{Gist: "restores a b/c", Written: "a b/c", Deleted: "a/x/y b"},
		},
		{
			name: "an unchanged file needs no content", tree: "a b", lost: "blob:a", request: rollback.Request{},
			today: map[string]rollback.Now{"a": recordedAs("a"), "b": content("x")},
			want:  effect{Gist: "restores a b", Written: "b"},
		},
		{
			name: "a lost file that is gone already", tree: "a b", lost: "blob:a", request: rollback.Request{},
			today: map[string]rollback.Now{"b": content("x")},
			want:  effect{Gist: "error missing-object b", Written: "b"},
		},
		{
			name: "the mode alone differs", tree: "+a", request: rollback.Request{},
			today: map[string]rollback.Now{"a": recordedAs("a")},
			want:  effect{Gist: "restores a", Written: "a"},
		},
		{
			name: "safe mode", tree: "agent edited unknown gone same",
			request: rollback.Request{Ledger: map[string]string{"agent": "1", "edited": "1", "gone": "1", "same": "1", "made": "1", "large": "1", "mine": "1"}},
			today: map[string]rollback.Now{
				"agent": content("1"), "edited": content("2"), "unknown": content("3"), "same": recordedAs("same"),
				"made": content("1"), "large": {SHA256: "1", Size: 11 << 20}, "mine": content("2"), "other": content("4"),
			},
			want: effect{Gist: "restores agent gone", Written: "agent gone", Deleted: "made", Kept: map[string]rollback.KeptReason{
				"edited": rollback.HandEdited, "unknown": rollback.NotByAgent, "large": rollback.Oversize, "mine": rollback.HandEdited, "other": rollback.NotByAgent,
			}},
		},
		{
			name: "safe mode hands names over as patterns", tree: "s! s*", request: rollback.Request{Ledger: map[string]string{"s*": "1"}},
			today: map[string]rollback.Now{"s!": content("2"), "s*": content("1")},
			want:  effect{Gist: "restores s! s*", Written: "s! s*"},
		},
		{
			name: "safe mode with nothing to do", tree: "a", request: rollback.Request{Ledger: map[string]string{"b": "1"}},
			today: map[string]rollback.Now{"a": content("2")},
			want:  effect{Gist: "restores", Kept: map[string]rollback.KeptReason{"a": rollback.NotByAgent}},
		},
		{
			name: "all turns the safe mode off", tree: "a", request: rollback.Request{All: true, Ledger: map[string]string{"b": "1"}},
			today: map[string]rollback.Now{"a": content("2")},
			want:  effect{Gist: "restores a", Written: "a"},
		},
		{
			name: "a refusal touches nothing", tree: "a @n", request: rollback.Request{},
			today: map[string]rollback.Now{"a": content("2"), "n/x": content("2")},
			want:  effect{Gist: "refused n"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			objects, _ := store(tree(tt.tree))
			objects.lost[tt.lost] = true
			tt.request.Today = now(tt.today)
			tt.request.Today.MaxFileSize = 10 << 20
			if diff := cmp.Diff(tt.want, effectOf(simulate(t, objects, tt.request))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestAssumptionsAreSaid(t *testing.T) {
	objects, _ := store(tree("a"))
	tests := []struct {
		name    string
		request rollback.Request
		say     string
		silent  string
	}{
		{"no working directory", rollback.Request{Selection: "a"}, "no symbolic link of today", "byte"},
		{"a known one", rollback.Request{Selection: "a", Today: now(nil)}, ".gitattributes", "no symbolic link"},
		{"a ledger and nothing to hold it against", rollback.Request{Ledger: map[string]string{"a": "1"}}, "safe mode", "reserved names"},
		{"windows", rollback.Request{Platform: rollback.Windows}, "reserved names", "safe mode"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			all := strings.Join(simulate(t, objects, tt.request).Assumes, "\n")
			if !strings.Contains(all, tt.say) || strings.Contains(all, tt.silent) {
				t.Errorf("assumes\n%s\nwant %q and nothing of %q", all, tt.say, tt.silent)
			}
		})
	}
}
