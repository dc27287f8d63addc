package corpus_test

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-4d3eb737/hermes-doctor/corpus"
)

// text is a case with the given header lines and sections behind the required ones.
func text(header, sections string) string {
	return "about: a test\n" + header + "-- rows.txt --\nbase 2026-08-03T12:00:00Z\nsession a source=cli\nmessages a 2 @0..@60\n" +
		"-- want.txt --\n-- resume.txt --\n-- census.txt --\n-- verdict.txt --\nsound\n" + sections
}

func parse(t *testing.T, header, sections string) corpus.Case {
	t.Helper()
	c, err := corpus.Parse("test", []byte(text(header, sections)))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestParse(t *testing.T) {
	c := parse(t, "issues: #1 #2\nschema: 31\nborn: 11\nfires: a b\nnear: c\nnow: 5\nzone: UTC\njournal: wal\nfts: no\n", "")
	if c.Name != "test" || c.About != "a test" || c.Schema != "31" || c.Born != "11" || c.Now != 5 || c.Zone != "UTC" ||
		c.Journal != "wal" || c.FTS != "no" {
		t.Errorf("header was read as %+v", c)
	}
	for name, lists := range map[string][2][]string{
		"issues": {c.Issues, {"#1", "#2"}}, "fires": {c.Fires, {"a", "b"}}, "near": {c.Near, {"c"}}} {
		if diff := cmp.Diff(lists[1], lists[0]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestExpectationIsSorted(t *testing.T) {
	c, err := corpus.Parse("test", []byte("about: x\n-- rows.txt --\n-- want.txt --\nb  error   s\n\na notice s\n"+
		"-- resume.txt --\n-- census.txt --\ncli healthy 1 2\n-- verdict.txt --\n damaged\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := corpus.Want{Findings: []string{"a notice s", "b error s"}, Census: []string{"cli healthy 1 2"}, Verdict: "damaged"}
	if diff := cmp.Diff(want, c.Want); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	c2, err := corpus.Parse("test", c.Format(want))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, c2.Want); diff != "" {
		t.Errorf("after Format (-want +got):\n%s", diff)
	}
}

func TestHome(t *testing.T) {
	tests := []struct {
		name, header, sections string
		want                   bool
	}{
		{"lone database", "", "", false},
		{"asked for", "home: yes\n", "", true},
		{"other file", "", "-- files/config.yaml --\na: b\n", true},
		{"profile", "", "-- profiles/coder/rows.txt --\n", true},
		{"damage only", "", "-- damage --\nzero state.db 0 100\n", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := parse(t, test.header, test.sections)
			if got := c.Home(); got != test.want {
				t.Errorf("Home is %v, want %v", got, test.want)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"no about", strings.TrimPrefix(text("", ""), "about: a test\n"), "no about"},
		{"unknown key", text("color: red\n", ""), `unknown header key "color"`},
		{"key twice", text("now: 5\nnow: 6\n", ""), `"now" is given twice`},
		{"no value", text("zone:\n", ""), "is not `key: value`"},
		{"unknown schema", text("schema: 3\n", ""), `"3" is none of`},
		{"unknown journal", text("journal: none\n", ""), "is none of"},
		{"bad now", text("now: inf\n", ""), "is no epoch"},
		{"unknown zone", text("zone: Moon/Tycho\n", ""), "zone"},
		{"unknown section", text("", "-- notes --\n"), "unknown section"},
		{"section twice", text("", "-- sql --\n-- sql --\n"), "given twice"},
		{"file outside", text("", "-- files/../x --\n"), "no path below the home"},
		{"file with a drive", text("", "-- files/c:/x --\n"), "no path below the home"},
		{"profile outside", text("", "-- profiles/../rows.txt --\n"), "unknown section"},
		{"damage outside", text("", "-- damage --\nremove ../x\n"), "no path below the home"},
		{"damage copy outside", text("", "-- damage --\ncopy state.db /tmp/x\n"), "no path below the home"},
		{"unknown damage", text("", "-- damage --\nburn state.db\n"), `unknown edit "burn"`},
		{"damage of other length", text("", "-- damage --\nedit state.db 0 00 0000\n"), "differ in length"},
		{"bad row", text("", "-- profiles/coder/rows.txt --\nsession\n"), "profiles/coder/rows.txt: line 1: session"},
		{"no rows", "about: x\n-- want.txt --\n", "no rows.txt"},
		{"no verdict", strings.ReplaceAll(text("", ""), "-- verdict.txt --", "-- sql --"), "no verdict.txt"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := corpus.Parse("test", []byte(test.text))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
		})
	}
}

func TestLoad(t *testing.T) {
	good := &fstest.MapFile{Data: []byte(text("", ""))}
	cases, err := corpus.Load(fstest.MapFS{"b.txtar": good, "a.txtar": good, "README.md": good, "sub/c.txtar": good})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range cases {
		names = append(names, c.Name)
	}
	if diff := cmp.Diff([]string{"a", "b"}, names); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	_, err = corpus.Load(fstest.MapFS{"a.txtar": {Data: []byte("x")}, "b.txtar": good, "c.txtar": {Data: []byte("y")}})
	if err == nil || !strings.Contains(err.Error(), `case "a"`) || !strings.Contains(err.Error(), `case "c"`) {
		t.Errorf("error %v, want one that names a and c", err)
	}
}

// tree lists the files below a folder.
func tree(t *testing.T, dir string) []string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, err := filepath.Rel(dir, path)
			if err != nil {
				return err
			}
			list = append(list, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestBuildTo(t *testing.T) {
	c := parse(t, "zone: Europe/Berlin\n", `-- sql --
UPDATE sessions SET ended_at = @EPOCH(@60);
-- files/logs/agent.log --
@LOG(@0) INFO x
-- files/notes.txt --
keep
-- profiles/coder/rows.txt --
session b source=cli start=@5
mirror k b
-- damage --
copy state.db state.db.old
zero state.db 0 16
truncate notes.txt 2
edit logs/agent.log 0 32303236 39393939
`)
	dir := t.TempDir()
	if err := corpus.BuildTo(context.Background(), c, dir); err != nil {
		t.Fatal(err)
	}
	want := []string{"logs/agent.log", "notes.txt", "profiles/coder/sessions/sessions.json", "profiles/coder/state.db", "state.db", "state.db.old"}
	if diff := cmp.Diff(want, tree(t, dir)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	read := func(name string) []byte {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	if got := string(read("logs/agent.log")); got != "9999-08-03 14:00:00,000 INFO x\n" {
		t.Errorf("log is %q", got)
	}
	if got := string(read("notes.txt")); got != "ke" {
		t.Errorf("truncated file is %q", got)
	}
	db, old := read("state.db"), read("state.db.old")
	if !bytes.Equal(db[:16], make([]byte, 16)) || !bytes.Equal(db[16:], old[16:]) || !bytes.HasPrefix(old, []byte("SQLite format 3\x00")) {
		t.Error("only the first 16 bytes were to be zeroed, in state.db alone")
	}
	if !bytes.Contains(read("profiles/coder/sessions/sessions.json"), []byte("2026-08-03T14:00:05")) {
		t.Error("the profile did not take base and zone from the home")
	}
	info, err := os.Stat(filepath.Join(dir, "notes.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := info.ModTime().Unix(), int64(1785758460); got != want {
		t.Errorf("modified %d, want the newest time of the rows, %d", got, want)
	}
}

func TestBuildToRefuses(t *testing.T) {
	tests := []struct{ name, sections, want string }{
		{"wrong old bytes", "-- damage --\nedit state.db 0 00 01\n", "damage line 1: edit state.db: bytes at 0 are 53, not 00"},
		{"behind the end", "-- damage --\n\nzero state.db 1000000 9\n", "damage line 2: zero state.db: read at 1000000"},
		{"missing file", "-- damage --\nremove x\n", "damage line 1: remove x"},
		{"existing target", "-- damage --\ncopy state.db state.db\n", "exists"},
		{"bad sql", "-- sql --\nSELEC\n", "SELEC"},
		{"time in a file", "-- files/a --\n@ISO(now)\n", `files/a: "now" is no time`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := corpus.BuildTo(context.Background(), parse(t, "", test.sections), t.TempDir())
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
		})
	}
}

func TestDemo(t *testing.T) {
	c, err := corpus.Demo()
	if err != nil {
		t.Fatal(err)
	}
	if c.Home() || !slices.Contains(c.Issues, "#82616") {
		t.Errorf("the demo is %+v", c)
	}
	var first []byte
	for range 2 {
		dir := t.TempDir()
		if err := corpus.BuildTo(context.Background(), c, dir); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(c.Path(dir))
		if err != nil {
			t.Fatal(err)
		}
		if first != nil && !bytes.Equal(first, data) {
			t.Error("two builds differ")
		}
		first = data
	}
}

func FuzzParse(f *testing.F) {
	dir, err := corpus.Embedded()
	if err != nil {
		f.Fatal(err)
	}
	names, err := fs.Glob(dir, "*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range names {
		data, err := fs.ReadFile(dir, name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(text("born: 2\n", "-- damage --\nedit state.db 0x10 00 01\n-- profiles/a/rows.txt --\nroute k a updated=@2d3h\n")))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := corpus.Parse("fuzz", data)
		if err != nil {
			return
		}
		again, err := corpus.Parse("fuzz", c.Format(c.Want))
		if err != nil {
			t.Fatalf("Format of a good case is refused: %v", err)
		}
		if diff := cmp.Diff(c.Want, again.Want); diff != "" {
			t.Errorf("expectation after Format (-want +got):\n%s", diff)
		}
	})
}
