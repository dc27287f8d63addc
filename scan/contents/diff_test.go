package contents_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan/contents"
	"github.com/seed-4d3eb737/hermes-doctor/scan/rollback"
)

// history is a project in which everything changes that can: contents, modes, links, folders that become files, names
// that are not UTF-8, and a nested repository that is replaced by a file and comes back at another commit.
func history(t *testing.T) *store {
	s := newStore(t)
	var c commits
	same := []file{{"100644", "same/deep/file", "same"}, {"100644", "a.b", "x"}, {"100644", "a0", "x"}}
	at := func(n int, files ...file) { c.add(project, n, append(files, same...)...) }
	at(0, file{"100644", "a/x", "1"}, file{"160000", "tool", nestedCommit}, file{"100644", "run", "r"}, file{"120000", "link", "a"})
	at(1, file{"100644", "a/x", "2"}, file{"100644", "tool", "a file"}, file{"100755", "run", "r"}, file{"120000", "link", "../../etc/passwd"})
	at(2, file{"100644", "a", "a file"}, file{"160000", "tool", nestedCommit}, file{"100755", "run", "s"}, file{"100644", "link", "a"})
	at(3, file{"100644", "a/x", "2"}, file{"100644", "a/y/z", "2"}, file{"160000", "tool", strings.Repeat("2", 40)}, file{"100644", "\xff\xfe/n\xc3\xa9\xff", "b"})
	at(4, file{"100644", "a/y/z", "3"}, file{"100644", "\xff\xfe/n\xc3\xa9\xff", "c"}, file{"100644", "tab\tand\nline", "c"})
	at(5)
	s.load(&c)
	return s
}

// Two checkpoints differ where git says that they do, in both directions.
func TestDiffLikeGit(t *testing.T) {
	s := history(t)
	cp, r := s.open()
	chain := projectOf(t, cp, project).Chain
	if len(chain) != 6 {
		t.Fatalf("%d checkpoints", len(chain))
	}
	for i := range chain {
		for k := range chain {
			got, err := contents.Diff(t.Context(), r, chain[i].Tree, chain[k].Tree)
			if err != nil {
				t.Fatal(err)
			}
			want := s.diffTree(chain[i].Tree, chain[k].Tree)
			if d := cmp.Diff(want, spell(got.Changes)); d != "" || len(got.Unread) > 0 {
				t.Errorf("%d to %d: %d unread (-git +got):\n%s", i+1, k+1, len(got.Unread), d)
			}
		}
	}
}

// diffTree is git's comparison, in the words of this package.
func (s *store) diffTree(a, b evidence.ObjectID) []string {
	out := []string{}
	fields := bytes.Split(s.git(nil, "diff-tree", "-r", "-z", "--no-renames", a.String(), b.String()), []byte{0})
	for i := 0; i+1 < len(fields); i += 2 {
		f := strings.Fields(strings.TrimPrefix(string(fields[i]), ":"))
		kind := map[string]string{"A": "added", "D": "removed", "M": "modified", "T": "type"}[f[4]]
		if f[4] == "M" && f[2] == f[3] {
			kind = "mode"
		}
		out = append(out, fmt.Sprintf("%s %q %s %s", kind, fields[i+1], f[2], f[3]))
	}
	return out
}

func spell(changes []contents.Change) []string {
	id := func(e *contents.Entry) string {
		if e == nil {
			return strings.Repeat("0", 40)
		}
		return e.ID.String()
	}
	out := []string{}
	for _, c := range changes {
		out = append(out, fmt.Sprintf("%s %q %s %s", c.Kind, c.Path, id(c.From), id(c.To)))
	}
	return out
}

// A folder that is lost is told, and everything beside it is compared.
func TestDiffDamaged(t *testing.T) {
	s := newStore(t)
	s.checkpoint(project, 0, file{"100644", "a/x", "1"}, file{"100644", "b/x", "2"}, file{"100644", "gone/x", "3"})
	s.checkpoint(project, 1, file{"100644", "a/x", "4"}, file{"100644", "b/x", "5"})
	s.lose(s.id("refs/hermes/" + project + ":a").String())
	s.lose(s.id("refs/hermes/" + project + "~1:gone").String())
	cp, r := s.open()
	chain := projectOf(t, cp, project).Chain
	got, err := contents.Diff(t.Context(), r, chain[1].Tree, chain[0].Tree)
	if err != nil {
		t.Fatal(err)
	}
	var paths, unread []string
	for _, c := range got.Changes {
		paths = append(paths, c.Path)
	}
	for _, u := range got.Unread {
		unread = append(unread, u.Path+" "+string(u.Fault.Fault))
	}
	if d := cmp.Diff([]string{"b/x"}, paths); d != "" {
		t.Errorf("changes (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"a missing", "gone missing"}, unread); d != "" {
		t.Errorf("unread (-want +got):\n%s", d)
	}
}

func TestDiffFolder(t *testing.T) {
	s := newStore(t)
	s.write("info/exclude", "*.log\n/out/\n")
	s.checkpoint(project, 0,
		file{"100644", ".gitignore", "cache\n"}, file{"100644", "same", "same"}, file{"100644", "edited", "old"}, file{"100644", "gone", "g"},
		file{"100755", "run", "r"}, file{"120000", "link", "same"}, file{"100644", "was-file", "w"}, file{"100644", "unreadable", "u"},
		file{"160000", "tool", nestedCommit}, file{"160000", "tool-gone", nestedCommit}, file{"160000", "tool-file", nestedCommit}, file{"100644", "kept.log", "k"})
	cp, r := s.open()
	plain := func(content string, mode rollback.Mode) rollback.Now {
		return rollback.Now{Kind: rollback.Plain, Mode: mode, ID: s.blob(content)}
	}
	today := &rollback.Today{Paths: map[string]rollback.Now{
		".gitignore": plain("cache\n", rollback.Regular), "same": plain("same", rollback.Regular), "edited": plain("new", rollback.Regular),
		"run": plain("r", rollback.Regular), "link": {Kind: rollback.Link, Target: "other", ID: s.blob("other")}, "was-file": {Kind: rollback.Folder},
		"was-file/inside": plain("i", rollback.Regular), "unreadable": {Kind: rollback.Plain}, "tool": {Kind: rollback.Folder},
		"tool/inside": {Kind: rollback.Plain}, "tool-file": plain("t", rollback.Regular), "kept.log": plain("K", rollback.Regular),
		"new": {Kind: rollback.Plain}, "new.log": {Kind: rollback.Plain}, "out": {Kind: rollback.Folder}, "out/x/y": {Kind: rollback.Plain},
		"sub/cache": {Kind: rollback.Folder}, "sub/cache/c": {Kind: rollback.Plain}, "pipe": {Kind: rollback.Special},
	}}
	got, err := contents.DiffFolder(t.Context(), cp, r, projectOf(t, cp, project).Chain[0].Tree, today)
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, c := range got.Changes {
		kinds = append(kinds, string(c.Kind)+" "+c.Path)
	}
	want := []string{
		"modified edited", "removed gone", "modified kept.log", "modified link", "added new", "mode run",
		"type tool-file", "removed tool-gone", "type was-file", "added was-file/inside",
	}
	if d := cmp.Diff(want, kinds); d != "" {
		t.Errorf("changes (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"tool"}, got.Skipped); d != "" {
		t.Errorf("skipped (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"unreadable"}, got.Unlike); d != "" {
		t.Errorf("not compared (-want +got):\n%s", d)
	}
	if got.Left != 3 { // new.log, out/x/y, sub/cache/c
		t.Errorf("%d files are left out, want 3", got.Left)
	}
}

// What is left out is what git itself ignores.
func TestIgnoresLikeGit(t *testing.T) {
	lists := map[string]string{
		"info/exclude":   "node_modules/\n.env\n.env.*\n*.pyc\n*.tar.gz\n# comment\n\\#hash\n\\!bang\ntrail \nspace\\ \n.cache/\n[unclosed\n[a-c]1\n[!a-c]2\n[[:digit:]]x\n",
		".gitignore":     "/only-top\nmid/dle\n**/any/where\ndeep/**\na/**/b\n!important.pyc\nx?y\n*.tmp/\n\xff\xfe*\ncase\n",
		"sub/.gitignore": "!.env\nlocal\n/anchored\n*\n!*.keep\n!dir/\n",
	}
	paths := strings.Split("a.pyc important.pyc sub/important.pyc .env sub/.env .env.local .envx dir/node_modules/a/b node_modules x.tar.gz x.tar "+
		"only-top d/only-top mid/dle x/mid/dle any/where x/y/any/where deep deep/x deep/x/y a/b a/x/b a/x/y/b ab xzy x/y xy n.tmp n.tmp/f "+
		"#hash !bang trail space sub/local sub/anchored sub/x/anchored sub/a.keep sub/other sub/dir/f sub/dir/f.keep \xff\xfe1 \xfe case Case "+
		".cache/x unclosed [unclosed a1 d1 d2 a2 1x ax sub/deep/x", " ")
	paths = append(paths, "space ", "trail ")
	s := newStore(t)
	s.write("info/exclude", lists["info/exclude"])
	s.checkpoint(project, 0, file{"100644", ".gitignore", lists[".gitignore"]}, file{"100644", "sub/.gitignore", lists["sub/.gitignore"]})
	cp, r := s.open()
	ignores := contents.NewIgnores(cp, r, projectOf(t, cp, project).Chain[0].Tree)

	work := t.TempDir()
	for _, name := range []string{".gitignore", "sub/.gitignore"} {
		path := filepath.Join(work, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(lists[name]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	// One path at a time would be slow; -n lists those without a match too.
	out := s.git([]byte(strings.Join(paths, "\x00")+"\x00"), "-c", "core.bare=false", "--work-tree="+work, "-C", work, "check-ignore", "--no-index", "-v", "-n", "-z", "--stdin")
	fields := strings.Split(string(out), "\x00")
	asked := 0
	for i := 0; i+3 < len(fields); i += 4 {
		want, path := fields[i], fields[i+3]
		if want != "" && strings.HasPrefix(fields[i+2], "!") {
			want = ""
		}
		got := ignores.Match(path, false)
		asked++
		if (got != nil) != (want != "") {
			t.Errorf("%q: got %v, git %q", path, got, fields[i:i+3])
		} else if got != nil && (fmt.Sprint(got.Line) != fields[i+1] || strings.TrimRight(got.Pattern, " ") != strings.TrimRight(fields[i+2], " ")) {
			t.Errorf("%q: got line %d %q, git %q", path, got.Line, got.Pattern, fields[i:i+3])
		}
	}
	if asked != len(paths) {
		t.Errorf("git was asked about %d of %d paths", asked, len(paths))
	}
}
