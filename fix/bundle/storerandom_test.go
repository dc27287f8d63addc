package bundle_test

import (
	"bytes"
	"compress/zlib"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/fix/bundle"
	"github.com/seed-4d3eb737/hermes-doctor/internal/gittest"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checks"
	"github.com/seed-4d3eb737/hermes-doctor/scan/pseudonym"
)

// forest makes random checkpoint stores in which a secret stands wherever a stranger's word can.
type forest struct {
	t     *testing.T
	r     *rand.Rand
	base  string // the checkpoints/ folder
	dir   string // the store
	words []string
}

func (f *forest) git(input string, args ...string) string {
	f.t.Helper()
	return strings.TrimSpace(string(gittest.Run(f.t, f.dir, []byte(input), args...)))
}

func (f *forest) one(in int) bool { return f.r.IntN(in) == 0 }

// word is another secret each time, in one of the spellings that names have; what tells it from any other is in it.
func (f *forest) word() string {
	b := make([]byte, 10)
	for i := range b {
		b[i] = byte('a' + f.r.IntN(26))
	}
	w := "zq" + string(b)
	switch f.r.IntN(9) {
	case 0:
		w = fmt.Sprintf("77%010d", f.r.Int64N(1e10))
	case 1:
		w = strings.ToUpper(w)
	case 2:
		w = fmt.Sprintf("%x%x", "zq"[0], b) // as an object's id
	case 3:
		w = "Ж" + w
	case 4:
		w = "_" + w + "_" + w[2:5]
	}
	f.words = append(f.words, w)
	return w
}

// name is a file's or a folder's: a secret with what may stand about it.
func (f *forest) name() string {
	forms := []string{"%s", "%s.py", ".%s", "%s dir", "a-%s", "%s\xe9", "%s\ttab", "-%s", "[%s]", "%s.JSON", "20260101_101500_%s"}
	return fmt.Sprintf(forms[f.r.IntN(len(forms))], f.word())
}

func (f *forest) path() string {
	parts := []string{f.name()}
	for f.one(2) && len(parts) < 5 {
		parts = append(parts, f.name())
	}
	return strings.Join(parts, "/")
}

// subject is why a checkpoint was taken, as the product says it, with the words of a command or of nested repositories.
func (f *forest) subject(nested []string) string {
	switch f.r.IntN(6) {
	case 0:
		return "before terminal: rm -rf " + f.word() + " --" + f.word()
	case 1:
		return "before patch [nested git repos not captured: " + strings.Join(nested, ", ") + "]"
	case 2:
		return "before write_file [nested git repos not captured: " + f.word() + " (+" + fmt.Sprint(f.r.IntN(9)) + ")]"
	case 3:
		return f.word() + "\n\nbody of " + f.word()
	case 4:
		return ""
	}
	return "pre-rollback snapshot (restoring to " + f.word() + ")"
}

func (f *forest) someone() string {
	if f.one(3) {
		return f.word() + " <" + f.word() + "@x.org>"
	}
	return "Hermes Checkpoint <hermes@local>"
}

func (f *forest) write(name, text string) { plantFile(f.t, filepath.Join(f.base, name), text) }

// project makes a working directory with its checkpoints, and gives its id.
func (f *forest) project() string {
	workdir := "/home/" + f.word() + "/" + f.word() + " dir"
	id := evidence.ProjectHash(workdir)
	doc, err := json.Marshal(map[string]any{"workdir": workdir, "created_at": 1759999000.5, "last_touch": 1760009000.25, "workdir_parent_dev": 5,
		"workdir_parent_ino": 7_700_777, f.word(): f.word(), "note": map[string]any{f.word(): []string{f.word()}}})
	if err != nil {
		f.t.Fatal(err)
	}
	if !f.one(6) {
		f.write("store/projects/"+id+".json", string(doc))
	}
	var b strings.Builder
	ref := "refs/hermes/" + id
	var nested []string
	for n := range f.r.IntN(5) {
		message := f.subject(nested)
		fmt.Fprintf(&b, "commit %s\nauthor %s %d +0200\ncommitter %s %d -0700\ndata %d\n%s\n", ref, f.someone(), 1760000000+600*n, f.someone(), 1760000000+600*n, len(message), message)
		for range 1 + f.r.IntN(4) {
			content := f.word() + "\n" + f.word()
			mode := []string{"100644", "100755", "120000"}[f.r.IntN(3)]
			fmt.Fprintf(&b, "M %s inline %s\ndata %d\n%s\n", mode, gittest.Quote(f.path()), len(content), content)
		}
		if f.one(3) {
			path := f.path()
			nested = append(nested, path)
			fmt.Fprintf(&b, "M 160000 %s %s\n", f.git(f.word(), "hash-object", "--stdin"), gittest.Quote(path)) // an id that the store does not have
		}
		b.WriteString("\n")
	}
	f.git(b.String(), "-c", "fastimport.unpackLimit=100000", "fast-import", "--quiet", "--force")
	return id
}

// refs are all that the store has.
func (f *forest) refs() []string {
	return strings.Fields(f.git("", "for-each-ref", "--format=%(refname)"))
}

// grow makes one store.
func (f *forest) grow() {
	f.git("", "init", "-q", "--bare", "-b", f.word(), "--object-format="+[]string{"sha1", "sha256"}[f.r.IntN(2)])
	for _, s := range []string{"user.email=" + f.word() + "@x", "user.name=" + f.word(), "alias." + strings.ToLower("z"+fmt.Sprint(f.r.IntN(99))) + "=" + f.word(), "remote." + f.word() + ".url=https://" + f.word() + "/x"} {
		key, value, _ := strings.Cut(s, "=")
		f.git("", "config", key, value)
	}
	var ids []string
	for range 1 + f.r.IntN(4) {
		ids = append(ids, f.project())
	}
	refs := f.refs()
	pick := func() string { return refs[f.r.IntN(len(refs))] }
	if len(refs) > 0 {
		for range f.r.IntN(3) {
			f.git("", "update-ref", "refs/"+[]string{"heads", "tags", f.word()}[f.r.IntN(3)]+"/"+f.word(), pick())
		}
		if f.one(2) {
			f.git("", "tag", "-a", "-m", f.word(), f.word(), pick())
		}
		if f.one(3) { // what no ref leads to
			f.git("", "update-ref", "-d", pick())
			refs = f.refs()
		}
		if f.one(3) {
			f.git("", "pack-refs", "--all")
		}
		if f.one(3) {
			f.git("", "-c", "gc.pruneExpire=never", "gc", "--quiet")
		}
	}
	for _, id := range ids { // damage to what is registered
		switch f.r.IntN(9) {
		case 0:
			f.write("store/projects/"+id+".json", `{"workdir": "`+f.word())
		case 1:
			f.write("store/refs/hermes/"+id, f.word())
		case 2:
			f.write("store/refs/hermes/"+id, "")
		case 3:
			f.write("store/projects/"+id+".json", `{"workdir": "/srv/`+f.word()+`", "created_at": "`+f.word()+`"}`)
		}
	}
	f.damage()
	for _, file := range []struct{ name, text string }{
		{"store/hooks/" + f.word(), f.word()}, {"store/info/exclude", "node_modules/\n# " + f.word() + "\n*." + f.word() + "\n!" + f.word() + "/\n"},
		{"store/info/attributes", "* filter=" + f.word() + "\n"}, {"store/objects/info/alternates", "/mnt/" + f.word() + "/objects\n"},
		{"store/info/grafts", f.word()}, {"store/indexes/" + f.word(), f.word()}, {"store/indexes/0123456789abcdef.lock", f.word()},
		{"store/ledgers/" + f.word() + ".json", `{"/home/` + f.word() + `/x.py":{"sha256":"` + strings.Repeat("ab12", 16) + `","ts":1760000500.5}}`},
		{"store/restore-select-" + f.word() + "/pathspec", f.word() + "\x00" + f.word()}, {"store/gc.log", f.word()}, {"store/" + f.word(), f.word()},
		{"store/" + f.word() + ".lock", f.word()}, {"corrupt-refs/refs/hermes/" + f.word(), f.word()}, {f.word(), f.word()}, {"legacy-" + f.word() + "/" + f.word(), f.word()},
		{".last_prune", "1760000100.5"}, {"store/logs/HEAD", f.word()}, {"store/description", f.word()}, {"store/COMMIT_EDITMSG", f.word()},
		{"store/refs/heads/" + f.word(), f.word()}, {"store/objects/pack/tmp_pack_" + f.word(), f.word()},
	} {
		if f.one(3) {
			f.write(file.name, file.text)
		}
	}
	if f.one(4) {
		old := filepath.Join(f.base, evidence.ProjectHash(f.word()))
		gittest.Init(f.t, old)
		plantFile(f.t, filepath.Join(old, "HERMES_WORKDIR"), "/home/"+f.word()+"\n")
	}
}

// damage takes the files of some objects away, or puts others in their places.
func (f *forest) damage() {
	files, err := filepath.Glob(filepath.Join(f.dir, "objects", "[0-9a-f][0-9a-f]", "*"))
	if err != nil {
		f.t.Fatal(err)
	}
	for range min(f.r.IntN(4), len(files)) {
		path := files[f.r.IntN(len(files))]
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			f.t.Fatal(err)
		}
		switch f.r.IntN(4) {
		case 0:
			plantFile(f.t, path, "")
		case 1:
			plantFile(f.t, path, f.word())
		case 2:
			text := f.word()
			var buf bytes.Buffer
			z := zlib.NewWriter(&buf)
			_, err := fmt.Fprintf(z, "blob %d\x00%s", len(text), text)
			if err := errors.Join(err, z.Close()); err != nil {
				f.t.Fatal(err)
			}
			plantFile(f.t, path, buf.String())
		}
	}
}

// leaks looks for secrets in every file and name below dir, in what is deflated and in every object of the packs.
func (f *forest) leaks(dir string) {
	f.t.Helper()
	look := func(where string, data []byte) {
		lower := bytes.ToLower(data)
		for _, w := range f.words {
			if bytes.Contains(data, []byte(w)) || bytes.Contains(lower, []byte(strings.ToLower(w))) {
				f.t.Errorf("%s holds %q", where, w)
			}
		}
	}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		look("the name of "+path, []byte(strings.TrimPrefix(path, dir)))
		if !d.Type().IsRegular() {
			return nil
		}
		data, err := os.ReadFile(path)
		look(path, data)
		if z, zerr := zlib.NewReader(bytes.NewReader(data)); zerr == nil {
			content, _ := io.ReadAll(z) // of a damaged one what there is
			look(path+", inflated", content)
		}
		if strings.HasSuffix(path, ".idx") {
			store := filepath.Dir(filepath.Dir(filepath.Dir(path)))
			var ids strings.Builder
			for line := range strings.Lines(string(gittest.Run(f.t, store, nil, "verify-pack", "-v", path))) {
				if part := strings.Fields(line); len(part) > 4 && len(part[0]) >= 40 {
					ids.WriteString(part[0] + "\n")
				}
			}
			look("an object of "+path, gittest.Run(f.t, store, []byte(ids.String()), "cat-file", "--batch"))
		}
		return err
	})
	if err != nil {
		f.t.Error(err)
	}
}

var randomStores = flag.Int("random-stores", 16, "how many random stores are made")

// Whatever a store holds, no word of it is in its skeleton, and a scan of that comes to the same verdicts.
func TestRandomStores(t *testing.T) {
	t.Parallel()
	seeds := uint64(*randomStores)
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			f := &forest{t: t, r: rand.New(rand.NewPCG(seed, 11)), base: filepath.Join(t.TempDir(), "checkpoints")}
			f.dir = filepath.Join(f.base, "store")
			if err := os.MkdirAll(f.dir, 0o700); err != nil {
				t.Fatal(err)
			}
			f.grow()
			b, err := evidence.Open(t.Context(), []string{f.base}, evidence.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = b.Close() }()
			source, err := scan.Run(t.Context(), b, checks.All(), scan.Options{})
			if err != nil {
				t.Fatal(err)
			}
			dir := filepath.Join(t.TempDir(), "skeleton")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			m, err := bundle.Skeleton(t.Context(), b, dir, bundle.Options{Key: pseudonym.Key{byte(seed), 9}, Shift: 86400 * f.r.Int64N(2) * 500})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := m.Check(t.Context(), dir, func(string) bool { return false }); err != nil {
				t.Error(err)
			}
			f.leaks(dir)
			again, err := evidence.Open(t.Context(), []string{m.Path}, evidence.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = again.Close() }()
			skeleton, err := scan.Run(t.Context(), again, checks.All(), scan.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := m.Compare(source, skeleton); len(diff) > 0 {
				t.Errorf("%s", strings.Join(diff, "\n"))
			}
		})
	}
}
