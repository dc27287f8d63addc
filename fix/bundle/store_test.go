package bundle_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/fix/bundle"
	"github.com/seed-4d3eb737/hermes-doctor/internal/gittest"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checks"
	"github.com/seed-4d3eb737/hermes-doctor/scan/pseudonym"
)

// planter makes secrets, each another word, and remembers them.
type planter struct{ words []string }

func (p *planter) word(what string) string {
	w := "zq" + what + "kv"
	p.words = append(p.words, w)
	return w
}

func plantFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// plantStore makes a checkpoints folder in which a secret stands wherever one can, and much is damaged.
func plantStore(t *testing.T, home string, format string) *planter {
	t.Helper()
	p := &planter{}
	base := filepath.Join(home, "checkpoints")
	dir := filepath.Join(base, "store")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	git := func(input string, args ...string) string {
		return strings.TrimSpace(string(gittest.Run(t, dir, []byte(input), args...)))
	}
	git("", "init", "-q", "--bare", "-b", "master", "--object-format="+format)
	for _, s := range []string{"user.email=hermes@local", "user.name=Hermes Checkpoint", "gc.auto=0", "remote." + p.word("remote") + ".url=https://" + p.word("host") + "/x"} {
		key, value, _ := strings.Cut(s, "=")
		git("", "config", key, value)
	}
	zero := strings.Repeat("0", len(git("x", "hash-object", "--stdin"))-1) + "7"
	project := func(name string, n int, subject func(i int) string) string {
		workdir := "/home/" + p.word("user"+name) + "/" + p.word("Ж"+name) + " dir/" + name
		id := evidence.ProjectHash(workdir)
		doc, err := json.Marshal(map[string]any{"workdir": workdir, "created_at": 1759999000.5, "last_touch": 1760009000.25, "workdir_parent_dev": 5, "workdir_parent_ino": 770077})
		if err != nil {
			t.Fatal(err)
		}
		plantFile(t, filepath.Join(dir, "projects", id+".json"), string(doc))
		var b strings.Builder
		for c := range n {
			text := subject(c)
			fmt.Fprintf(&b, "commit refs/hermes/%s\ncommitter Hermes Checkpoint <hermes@local> %d +0200\ndata %d\n%s\n", id, 1760000000+600*c, len(text), text)
			fmt.Fprintf(&b, "M 100644 inline \"%s/%s%d.py\"\ndata 9\n%s%d\n", p.word("folder"+name), p.word("file"+name), c, p.word("body")[:8], c)
			if c == 0 {
				fmt.Fprintf(&b, "M 160000 %s %s/tool\nM 160000 %s a-%s\n", zero, p.words[len(p.words)-2][:2]+p.word("nest"+name), zero, p.word("other"+name))
				fmt.Fprintf(&b, "M 100644 inline ABCDEF12\ndata 2\na\n\nM 100644 inline abcdef12\ndata 2\nb\n\nM 120000 inline link\ndata 9\n%s\n", "zqlinkkvx")
				fmt.Fprintf(&b, "M 100644 inline empty\ndata 0\n\nM 100755 inline \"%s.\\351\"\ndata 1\nz\n", p.word("latin"+name))
			}
		}
		git(b.String(), "-c", "fastimport.unpackLimit=100000", "fast-import", "--quiet", "--force")
		return id
	}
	lose := func(rev string, with *string) string {
		id := git("", "rev-parse", rev)
		path := filepath.Join(dir, "objects", id[:2], id[2:])
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if with != nil {
			plantFile(t, path, *with)
		}
		return id
	}
	empty, junk := "", "junk "+p.word("junk")
	before := func(int) string {
		return "before terminal: rm -rf " + p.word("command") + " [" + p.word("bracket") + "]"
	}
	project("sound", 3, before)
	named := project("labelled", 2, func(i int) string {
		return "before patch [nested git repos not captured: a-zqotherlabelledkv, " + "zq" + "zqnestlabelledkv/tool]"
	})
	p.word("labelled")
	_ = named
	project("mislabelled", 1, func(int) string { return "before write_file [nested git repos not captured: " + p.word("lie") + "]" })
	gap := project("gap", 4, before)
	lose("refs/hermes/"+gap+"~2", nil)
	notree := project("notree", 3, before)
	lose("refs/hermes/"+notree+"^{tree}", &junk)
	noblob := project("noblob", 3, before)
	lose("refs/hermes/"+noblob+":zqfoldernoblobkv/zqfilenoblobkv1.py", &empty)
	dangling := project("dangling", 2, before)
	lose("refs/hermes/"+dangling, nil)
	torn := project("torn", 2, before)
	plantFile(t, filepath.Join(dir, "refs", "hermes", torn), "")
	plantFile(t, filepath.Join(dir, "projects", torn+".json"), "{\"workdir\": \""+p.word("tornpath"))
	wrong := project("wrong", 2, before)
	plantFile(t, filepath.Join(dir, "refs", "hermes", wrong), git("", "rev-parse", "refs/hermes/"+wrong+"^{tree}")+"\n")
	gone := project("gone", 3, before)
	git("", "update-ref", "-d", "refs/hermes/"+gone)
	moved := project("moved", 1, before)
	plantFile(t, filepath.Join(dir, "projects", moved+".json"), `{"workdir":"/srv/`+p.word("elsewhere")+`","created_at":"soon","last_touch":1760009000}`)
	git("", "update-ref", "refs/heads/"+p.word("branch"), "refs/hermes/"+named)
	tree := git("", "rev-parse", "refs/hermes/"+named+"^{tree}")
	who := p.word("person") + " <" + p.word("mail") + "@x.org> 1760000001 +0000\n"
	made := git("tree "+tree+"\nparent "+git("", "rev-parse", "refs/hermes/"+named)+"\nauthor "+who+"committer "+who+"\n"+p.word("strange")+"\n\nbody "+p.word("body2")+"\n",
		"hash-object", "-t", "commit", "-w", "--stdin")
	git("", "update-ref", "refs/hermes/"+named, made)
	plantFile(t, filepath.Join(dir, "hooks", p.word("hook")), "#!/bin/sh\n"+p.word("hookbody"))
	plantFile(t, filepath.Join(dir, "info", "exclude"), "node_modules/\n# "+p.word("comment")+"\n*."+p.word("exclude")+"\n")
	plantFile(t, filepath.Join(dir, "info", "attributes"), "* filter="+p.word("filter")+"\n")
	plantFile(t, filepath.Join(dir, "objects", "info", "alternates"), "/mnt/"+p.word("alternate")+"/objects\n")
	plantFile(t, filepath.Join(dir, "ledgers", gap+".json"), `{"/home/`+p.word("ledger")+`/x.py":{"sha256":"`+strings.Repeat("ab12", 16)+`","ts":1760000500.5}}`)
	plantFile(t, filepath.Join(dir, "ledgers", "0123456789abcdef.json"), `{"/home/`+p.word("ledger2"))
	plantFile(t, filepath.Join(dir, "indexes", gap+".lock"), p.word("lock"))
	plantFile(t, filepath.Join(dir, "indexes", "00112233445566aa"), "DIRC "+p.word("index"))
	plantFile(t, filepath.Join(dir, "restore-inspect-"+p.word("inspect"), "pathspec"), p.word("spec")+"\x00b")
	plantFile(t, filepath.Join(dir, ".gc-pending"), "")
	plantFile(t, filepath.Join(dir, "gc.log"), p.word("gclog"))
	plantFile(t, filepath.Join(base, ".last_prune"), "1760000100.5")
	plantFile(t, filepath.Join(base, "corrupt-refs", "refs", "hermes", gap), "\x00\x00"+p.word("ref"))
	plantFile(t, filepath.Join(base, p.word("stray")), p.word("strayed"))
	old := filepath.Join(base, "legacy-20260507-101500", "89abcdef01234567")
	gittest.Init(t, old)
	plantFile(t, filepath.Join(old, "HERMES_WORKDIR"), "/home/"+p.word("old")+"\n")
	plantFile(t, filepath.Join(base, "legacy-20260507-101500", p.word("leftover")), "x")
	plantFile(t, filepath.Join(home, "config.yaml"), "checkpoints:\n  enabled: true\n  max_snapshots: 20\nsecret: "+p.word("config")+"\n")
	return p
}

// Nothing of what a store says is in its skeleton, on which a scan comes to the same verdicts, in both hashes of git.
func TestStoreSkeleton(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			home := filepath.Join(t.TempDir(), "home")
			p := plantStore(t, home, format)
			b, err := evidence.Open(t.Context(), []string{home}, evidence.Options{})
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
			m, err := bundle.Skeleton(t.Context(), b, dir, bundle.Options{Key: pseudonym.Key{7}})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := m.Check(t.Context(), dir, func(string) bool { return false }); err != nil {
				t.Error(err)
			}
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
			fired := map[string]bool{}
			for _, f := range source.Findings {
				fired[f.Check] = true
			}
			for _, id := range strings.Fields("blob-missing commit-missing tree-missing ref-damaged ref-dangling nested-repo-uncaptured nested-label-mismatch project-json-damaged project-hash-mismatch ref-foreign store-config-hostile store-alternates ledger-unmatched index-stale stale-lock legacy-store history-unusual gc-pending exclude-list-changed project-without-ref") {
				if !fired[id] {
					t.Errorf("the planted store does not have %s", id)
				}
			}
			secretless(t, dir, p.words)
		})
	}
}

// secretless looks for the words in every file and name below dir, and in every object as git itself reads it.
func secretless(t *testing.T, dir string, words []string) {
	t.Helper()
	look := func(where string, data []byte) {
		for _, w := range words {
			if bytes.Contains(data, []byte(w)) {
				t.Errorf("%s holds %q", where, w)
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
		return err
	})
	if err != nil {
		t.Error(err)
	}
	stores, err := filepath.Glob(filepath.Join(dir, "checkpoints", "store", "objects", "pack", "*.idx"))
	if err != nil || len(stores) != 1 {
		t.Fatalf("%v, %v: want one pack", stores, err)
	}
	store := filepath.Join(dir, "checkpoints", "store")
	gittest.Run(t, store, nil, "verify-pack", stores[0])
	listed := gittest.Run(t, store, nil, "verify-pack", "-v", stores[0])
	n := 0
	for line := range strings.Lines(string(listed)) {
		f := strings.Fields(line)
		if len(f) > 2 && slices.Contains([]string{"commit", "tree", "blob"}, f[1]) {
			n++
			look("object "+f[0], gittest.Run(t, store, nil, "cat-file", f[1], f[0]))
		}
	}
	if n < 40 {
		t.Errorf("git lists %d objects in the pack", n)
	}
}
