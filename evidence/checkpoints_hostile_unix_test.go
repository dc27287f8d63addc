//go:build unix

package evidence_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// hostile plants everything that makes plain git run a command or see other objects. Each would leave the marker.
func hostile(t *testing.T, dir, marker string) {
	t.Helper()
	script := filepath.Join(t.TempDir(), "run.sh")
	plant(t, script, "#!/bin/sh\ntouch '"+marker+"'\n")
	if err := os.Chmod(script, 0o700); err != nil {
		t.Fatal(err)
	}
	config := string(read(t, filepath.Join(dir, "config")))
	for _, s := range []string{
		"remote.x.promisor=true", "remote.x.url=ssh://nowhere/x", "remote.x.uploadpack=" + script, "core.sshCommand=" + script, "extensions.partialClone=x",
		"log.showSignature=true", "gpg.program=" + script, "diff.external=" + script, "diff.x.textconv=" + script, "diff.x.command=" + script,
		"filter.x.clean=" + script, "filter.x.smudge=" + script, "filter.x.process=" + script, "core.fsmonitor=" + script, "core.hooksPath=" + dir + "/hooks",
		"include.path=" + script, "core.worktree=" + t.TempDir(), "core.pager=" + script, "core.editor=" + script, "alias.log=!" + script,
		"core.alternateRefsCommand=" + script, "gc.recentObjectsHook=" + script, "core.attributesFile=" + dir + "/info/attributes",
	} {
		key, value, _ := strings.Cut(s, "=")
		section, key := key[:strings.LastIndexByte(key, '.')], key[strings.LastIndexByte(key, '.')+1:]
		if name, sub, found := strings.Cut(section, "."); found {
			section = name + " \"" + sub + "\""
		}
		config += "[" + section + "]\n\t" + key + " = " + value + "\n"
	}
	plant(t, filepath.Join(dir, "config"), config)
	for _, hook := range []string{"post-checkout", "reference-transaction", "pre-auto-gc", "fsmonitor-watchman"} {
		plant(t, filepath.Join(dir, "hooks", hook), "#!/bin/sh\ntouch '"+marker+"'\n")
		if err := os.Chmod(filepath.Join(dir, "hooks", hook), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{
		"info/attributes": "* filter=x diff=x\n", "info/grafts": strings.Repeat("a", 40) + "\n", "shallow": strings.Repeat("a", 40) + "\n",
		"objects/info/alternates": t.TempDir() + "\n", "commondir": t.TempDir() + "\n", "config.worktree": "[core]\nfsmonitor=" + script + "\n",
		"objects/info/commit-graph": "CGPH", "objects/pack/multi-pack-index": "MIDX", "modules/x": "", "worktrees/x": "",
		"refs/replace/" + strings.Repeat("a", 40): strings.Repeat("b", 40) + "\n", "refs/heads/x": "ref: refs/heads/y\n",
		"restore-select-1/pathspec": "a\x00b c\x00", "indexes/0123456789abcdef.lock": "", "packed-refs.lock": "", "gc.pid": "1 host",
		"objects/pack/tmp_pack_x": "x", "objects/aa/tmp_obj_x": "x", "ledgers/0123456789abcdef.json.tmp": "{}", ".gc-pending": "",
	} {
		plant(t, filepath.Join(dir, name), text)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "refs/hermes/fedcba9876543210"), 0o600); err != nil {
		t.Skip(err)
	}
}

// A hostile store is read whole: no command runs, no pipe is waited for, nothing outside is read, all is told, and
// not a byte, mode or time of it changes.
func TestAHostileStore(t *testing.T) {
	base, marker := t.TempDir(), filepath.Join(t.TempDir(), "marker")
	dir := filepath.Join(base, "store")
	initStore(t, dir)
	id := addProject(t, dir, "/home/you/project", 4)
	gone := git(t, dir, "", "rev-parse", "refs/hermes/"+id+":src/f1.txt")
	remove(t, dir, "objects/"+gone[:2]+"/"+gone[2:]) // what makes a promisor fetch
	hostile(t, dir, marker)
	before := snapshot(t, base)
	b := openCheckpoints(t, base)
	s := b.Checkpoints[0].Stores[0]
	p := project(t, s, id)
	c, err := s.Census(t.Context(), evidence.CensusOptions{Blobs: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Unreachable(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if len(p.Chain) != 4 || len(c.LostBlobs()) != 1 || c.LostBlobs()[0].ID.String() != gone {
		t.Errorf("%d commits, lost blobs %v; want 4 and %s", len(p.Chain), c.LostBlobs(), gone)
	}
	var kinds []string
	for _, f := range s.Steering {
		kinds = append(kinds, string(f.Kind))
	}
	slices.Sort(kinds)
	want := []string{"alternates", "attributes", "commit-graph", "commondir", "config.worktree", "grafts", "hook", "hook", "hook", "hook", "modules", "multi-pack-index", "replace", "shallow", "worktrees"}
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Errorf("steering (-want +got)\n%s", diff)
	}
	if len(s.Config.Foreign) != 23 || !s.Pending {
		t.Errorf("%d foreign settings, gc pending %v; want 23, true", len(s.Config.Foreign), s.Pending)
	}
	if diff := cmp.Diff([]string{"gc.pid", "indexes/0123456789abcdef.lock", "packed-refs.lock"}, paths(s.Locks)); diff != "" {
		t.Errorf("locks (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]string{"ledgers/0123456789abcdef.json.tmp", "objects/aa/tmp_obj_x", "objects/pack/tmp_pack_x", "restore-select-1"}, paths(s.Leavings)); diff != "" {
		t.Errorf("leavings (-want +got)\n%s", diff)
	}
	if fifo := project(t, s, "fedcba9876543210"); fifo.RefState != evidence.RefBroken {
		t.Errorf("the pipe is a ref that is %s", fifo.RefState)
	}
	if changed, err := b.Recheck(t.Context()); err != nil || len(changed) > 0 {
		t.Errorf("Recheck: %v, %v", changed, err)
	}
	if diff := cmp.Diff(before, snapshot(t, base)); diff != "" {
		t.Errorf("the store changed (-before +after)\n%s", diff)
	}
	if _, err := os.Lstat(marker); err == nil {
		t.Error("a command of the store ran")
	}
}

func paths(files []evidence.CheckpointFile) []string {
	var out []string
	for _, f := range files {
		out = append(out, f.Path)
	}
	slices.Sort(out)
	return out
}

// snapshot is every file below a folder with its mode, time and content.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		all[path] = info.Mode().String() + " " + info.ModTime().String()
		if info.Mode().IsRegular() {
			all[path] += string(read(t, path))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
