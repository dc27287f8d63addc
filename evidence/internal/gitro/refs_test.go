package gitro_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-4d3eb737/hermes-doctor/evidence/internal/gitro"
)

const (
	idA = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	idB = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
)

// A ref's own file wins over packed-refs, a damaged one does not, and every oddity is told and none followed.
func TestReadRefs(t *testing.T) {
	tests := []struct {
		name   string
		files  map[string]string // a value that begins with "->" is a link
		format gitro.Format
		want   []string // name, value in force, "!" where there is a flaw
		locks  []string
	}{
		{name: "file", files: map[string]string{"refs/hermes/a": idA + "\n"}, want: []string{"refs/hermes/a " + idA}},
		{name: "packed", files: map[string]string{"packed-refs": "# pack-refs with: peeled fully-peeled sorted \n" + idA + " refs/hermes/a\n^" + idB + "\n"}, want: []string{"refs/hermes/a " + idA}},
		{name: "packed without refs", files: map[string]string{"packed-refs": idA + " refs/hermes/a"}, want: []string{"refs/hermes/a " + idA}},
		{name: "file over packed", files: map[string]string{"refs/hermes/a": idB, "packed-refs": idA + " refs/hermes/a\n"}, want: []string{"refs/hermes/a " + idB}},
		{name: "empty file over packed", files: map[string]string{"refs/hermes/a": "", "packed-refs": idA + " refs/hermes/a\n"}, want: []string{"refs/hermes/a " + idA + "!"}},
		{name: "empty", files: map[string]string{"refs/hermes/a": ""}, want: []string{"refs/hermes/a !"}},
		{name: "NULs", files: map[string]string{"refs/hermes/a": strings.Repeat("\x00", 41)}, want: []string{"refs/hermes/a !"}},
		{name: "short", files: map[string]string{"refs/hermes/a": idA[:39] + "\n"}, want: []string{"refs/hermes/a !"}},
		{name: "no hex", files: map[string]string{"refs/hermes/a": strings.Repeat("g", 40)}, want: []string{"refs/hermes/a !"}},
		{name: "zeros", files: map[string]string{"refs/hermes/a": strings.Repeat("0", 40)}, want: []string{"refs/hermes/a !"}},
		{name: "other hash", files: map[string]string{"refs/hermes/a": idA}, format: gitro.SHA256, want: []string{"refs/hermes/a !"}},
		{name: "symbolic", files: map[string]string{"refs/hermes/a": "ref: refs/hermes/b\n"}, want: []string{"refs/hermes/a  -> refs/hermes/b"}},
		{name: "link", files: map[string]string{"refs/hermes/a": "->b", "refs/hermes/b": idB}, want: []string{"refs/hermes/a !", "refs/hermes/b " + idB}},
		{name: "linked folder", files: map[string]string{"refs/hermes": "->other", "refs/other/a": idA}, want: []string{"refs/hermes !", "refs/other/a " + idA}},
		{name: "lock", files: map[string]string{"refs/hermes/a.lock": idA}, locks: []string{"refs/hermes/a.lock"}},
		{name: "too long", files: map[string]string{"refs/hermes/a": idA + strings.Repeat(" ", 5000)}, want: []string{"refs/hermes/a !"}},
		{name: "bad lines", files: map[string]string{"packed-refs": "x\n\n" + idA + "\n" + idA + " ../x\n" + idB + " refs/hermes/b\n"}, want: []string{"refs/hermes/b " + idB}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range tt.files {
				plant(t, filepath.Join(dir, name), text)
			}
			folder, err := gitro.OpenFolder(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = folder.Close() }()
			if tt.format == "" {
				tt.format = gitro.SHA1
			}
			got := gitro.ReadRefs(folder, gitro.Limits{}, tt.format)
			var lines []string
			for _, r := range got.All {
				line := r.Name + " " + r.ID.String()
				if r.Symbolic != "" {
					line += " -> " + r.Symbolic
				}
				if r.Flaw != "" {
					line += "!"
				}
				lines = append(lines, line)
			}
			if diff := cmp.Diff(tt.want, lines); diff != "" {
				t.Errorf("refs (-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(tt.locks, got.Locks); diff != "" {
				t.Errorf("locks (-want +got)\n%s", diff)
			}
		})
	}
}

func plant(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if target, ok := strings.CutPrefix(text, "->"); ok {
		if err := os.Symlink(target, path); err != nil {
			t.Skip(err)
		}
		return
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestHead(t *testing.T) {
	for text, want := range map[string]gitro.Head{
		"ref: refs/heads/master\n": {Present: true, Symbolic: "refs/heads/master"},
		"ref: ../../x\n":           {Present: true, Flaw: "it refers to what is no ref"},
		"":                         {Present: true, Flaw: "it is empty"},
		"garbage":                  {Present: true, Flaw: "it holds no object id"},
		"missing":                  {},
	} {
		t.Run(text, func(t *testing.T) {
			dir := t.TempDir()
			if text != "missing" {
				plant(t, filepath.Join(dir, "HEAD"), text)
			}
			folder, err := gitro.OpenFolder(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = folder.Close() }()
			got := gitro.ReadRefs(folder, gitro.Limits{}, gitro.SHA1).Head
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(gitro.ID{})); diff != "" {
				t.Errorf("HEAD %q (-want +got)\n%s", text, diff)
			}
		})
	}
}

// The settings are those that `git config --list` prints.
func TestConfigReadsAsGitDoes(t *testing.T) {
	for _, text := range []string{
		"[core]\n\tbare = true\n\trepositoryformatversion = 0\n",
		"[remote \"Or\\\"igin\"]\n url = \"a b\" # comment\n\tfetch=+refs/*:refs/*;x\n[Core]\nfsMonitor\n",
		"\xef\xbb\xbf[a.Sub]\r\nx = one \\\n two\r\n[b] y = \"q;#\\t\\\\\"\n",
		"[include]\n\tpath = /nowhere\n",
	} {
		t.Run(text, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "config")
			plant(t, file, text)
			var want []string
			for _, entry := range strings.Split(strings.TrimSuffix(string(git(t, t.TempDir(), nil, "config", "--file", file, "--list", "-z", "--no-includes")), "\x00"), "\x00") {
				key, value, found := strings.Cut(entry, "\n")
				if !found {
					value = "true"
				}
				want = append(want, key+"="+value)
			}
			settings, line := gitro.ParseConfig([]byte(text))
			var got []string
			for _, s := range settings {
				got = append(got, s.Key+"="+s.Value)
			}
			if diff := cmp.Diff(want, got); line != 0 || diff != "" {
				t.Errorf("line %d is bad; settings (-git +read)\n%s", line, diff)
			}
		})
	}
	for text, line := range map[string]int{"[core\n": 2, "[core]\nx = \"a\n": 3, "x = 1\n": 2, "\n\n!": 3} {
		if _, got := gitro.ParseConfig([]byte(text)); got == 0 || got > line {
			t.Errorf("%q: line %d, want %d or the one before", text, got, line)
		}
	}
}
