package contents_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan/contents"
)

func TestWhy(t *testing.T) {
	s := newStore(t)
	s.write("info/exclude", "*.log\nnode_modules/\n")
	s.write("indexes/"+project+".lock", "")
	s.write("ledgers/"+project+".json", `{"/home/you/project/late.txt": {"sha256": "`+strings.Repeat("a", 64)+`", "ts": 1790000900.0}, "/home/you/project/early.txt": {"sha256": "`+strings.Repeat("a", 64)+`", "ts": 1789990000.0}}`)
	ignore := file{"100644", ".gitignore", "secret*\n"}
	s.checkpoint(project, 0, ignore, file{"100644", "old.txt", "o"}, file{"100644", "dir/a", "a"}, file{"160000", "tool", nestedCommit}, file{"100644", "half", "whole"})
	s.checkpoint(project, 1, ignore, file{"100644", "dir/a", "b"}, file{"160000", "tool", nestedCommit}, file{"100644", "half", "lost"}, file{"100644", "lost", "gone"})
	s.checkpoint(project, 2, ignore, file{"100644", "dir/a", "b"}, file{"100644", "tool", "a file now"}, file{"100644", "half", "lost"}, file{"100644", "lost", "gone"}, file{"100644", "\xff", "b"})
	s.lose(s.id("refs/hermes/" + project + ":lost").String())
	s.lose(s.id("refs/hermes/" + project + ":half").String())
	cp, r := s.open()

	for _, tt := range []struct {
		file     string
		outcome  contents.Outcome
		codes    string
		versions int
	}{
		{"dir/a", contents.ComesBack, "7 locked 7 today", 2},
		{"./dir//x/../a", contents.ComesBack, "7 locked 7 today", 2},
		{"/home/you/project/dir/a", contents.ComesBack, "7 locked 7 today", 2},
		{"dir", contents.ComesBack, "7 locked 7 today", 2},
		{"\xff", contents.ComesBack, "2 not-in-all 7 locked 7 today", 1},
		{"old.txt", contents.ComesBack, "2 not-in-all 7 locked 7 today", 1},
		{"tool", contents.ComesBack, "3 nested-repository 7 locked 7 today", 1},
		{"tool/main.py", contents.Cannot, "2 not-in-all 3 nested-repository 7 locked", 0},
		{"half", contents.ComesBack, "5 object-damaged 7 locked 7 today", 1},
		{"lost", contents.Cannot, "2 not-in-all 5 object-damaged 7 locked", 0},
		{"x.log", contents.Cannot, "2 excluded 7 locked", 0},
		{"node_modules/x/y", contents.Cannot, "2 excluded 7 locked", 0},
		{"sub/secret.txt", contents.Cannot, "2 excluded 7 locked", 0},
		{"late.txt", contents.Cannot, "2 written-later 2 not-recorded 7 locked", 0},
		{"early.txt", contents.Cannot, "2 not-recorded 7 locked", 0},
		{"old.txt/below", contents.Cannot, "2 not-recorded 7 locked", 0},
		{"../x", contents.Cannot, "1 other-project", 0},
		{"/home/you/elsewhere", contents.Cannot, "1 other-project", 0},
		{"/home/you/project2/x", contents.Cannot, "1 other-project", 0},
	} {
		a, err := contents.Why(t.Context(), r, contents.Question{Project: projectOf(t, cp, project), File: tt.file})
		if err != nil {
			t.Errorf("%q: %v", tt.file, err)
			continue
		}
		var codes []string
		for _, reason := range a.Reasons {
			codes = append(codes, fmt.Sprint(reason.Step, " ", reason.Code))
		}
		if a.Outcome != tt.outcome || strings.Join(codes, " ") != tt.codes || a.Versions != tt.versions {
			t.Errorf("%q: %s, %q, %d versions; want %s, %q, %d", tt.file, a.Outcome, codes, a.Versions, tt.outcome, tt.codes, tt.versions)
		}
	}
}

// A history that was trimmed leaves its old commits; a file that is only in the dropped ones is found there, and one
// that is only in the dropped commits of another project is not.
func TestWhyDropped(t *testing.T) {
	const other = "00000000000000ff"
	s := newStore(t)
	for _, p := range []string{project, other} {
		name := "of-" + p
		s.checkpoint(p, 0, file{"100644", name, "dropped"}, file{"100644", "keep", p})
		s.checkpoint(p, 1, file{"100644", "keep", p + "1"})
		s.checkpoint(p, 2, file{"100644", "keep", p + "2"})
		// What the product does: the newest trees anew, the first without a parent.
		first := s.line([]byte("before write_file\n"), "commit-tree", "refs/hermes/"+p+"~1^{tree}")
		second := s.line([]byte("before write_file\n"), "commit-tree", "-p", first, "refs/hermes/"+p+"^{tree}")
		s.git(nil, "update-ref", "refs/hermes/"+p, second)
	}
	stray := s.line([]byte("lost\n"), "commit-tree", s.tree(file{"100644", "stray", s.blob("s")}))
	cp, r := s.open()
	census, err := cp.Census(t.Context(), evidence.CensusOptions{})
	if err != nil {
		t.Fatal(err)
	}
	loose, err := cp.Unreachable(t.Context(), census)
	if err != nil {
		t.Fatal(err)
	}
	owners := map[string]int{}
	for _, c := range loose.Commits {
		name := "nobody"
		if own := contents.Owners(cp, loose.Commits)[c.ID]; len(own) == 1 {
			name = own[0].ID
		}
		owners[name]++
	}
	if d := cmp.Diff(map[string]int{project: 3, other: 3, "nobody": 1}, owners); d != "" {
		t.Errorf("owners (-want +got):\n%s", d)
	}
	for name, want := range map[string]contents.Outcome{"of-" + project: contents.Elsewhere, "of-" + other: contents.Cannot, "stray": contents.Elsewhere, "keep": contents.ComesBack} {
		a, err := contents.Why(t.Context(), r, contents.Question{Project: projectOf(t, cp, project), File: name, Loose: loose.Commits})
		if err != nil {
			t.Fatal(err)
		}
		if a.Outcome != want {
			t.Errorf("%s: %s, want %s", name, a.Outcome, want)
		}
		if name == "stray" && (len(a.Loose) != 1 || !a.Loose[0].Stray || a.Loose[0].Commit.ID.String() != stray) {
			t.Errorf("stray: %+v", a.Loose)
		}
	}
}

// On Windows both slashes part names, and a path of another drive is outside.
func TestCleanPathWindows(t *testing.T) {
	for path, want := range map[string]string{`C:\work\a\b`: "a/b", `a\b`: "a/b", "C:/work/a": "a", `C:\other\a`: "", `..\a`: "", `\\host\share\a`: ""} {
		got, ok := contents.CleanPath(path, `C:\work`)
		if ok != (want != "") || ok && got != want {
			t.Errorf("%s: %q, %v", path, got, ok)
		}
	}
}
