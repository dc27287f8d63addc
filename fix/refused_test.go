package fix_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-4d3eb737/hermes-doctor/fix"
	"github.com/seed-4d3eb737/hermes-doctor/fix/internal/write"
)

// refusedAt repairs a file that must be refused, and proves that no byte of it changed and nothing lies beside it.
func refusedAt(t *testing.T, path string, p *fix.Plan, o fix.ApplyOptions, want string) error {
	t.Helper()
	k, err := backup(t, path, fix.BackupOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return refusedBy(t, path, k, p, o, want)
}

func refusedBy(t *testing.T, path string, k *fix.Backup, p *fix.Plan, o fix.ApplyOptions, want string) error {
	t.Helper()
	before, beside := read(t, path), names(t, filepath.Dir(path))
	_, err := k.Apply(t.Context(), p, o)
	if code(err) != want || errors.As(err, new(*fix.UnverifiedError)) {
		t.Errorf("got %v, want a refusal %q", err, want)
	}
	if err != nil && strings.Contains(err.Error(), "\n") {
		t.Errorf("more than one line: %q", err)
	}
	if !bytes.Equal(before, read(t, path)) {
		t.Error("the file changed")
	}
	if diff := cmp.Diff(beside, names(t, filepath.Dir(path))); diff != "" {
		t.Errorf("beside the file (-before +after):\n%s", diff)
	}
	if want != fix.CodePlan && want != fix.CodeUnbacked { // those were not tried
		proveLeft(t, k, err, o.AllowLiveHolder && want == fix.CodeLocked)
	}
	return err
}

// proveLeft looks that a change which was refused before it was begun left neither backup nor journal, and that one
// which was refused later, when the file itself was tried, names both.
func proveLeft(t *testing.T, k *fix.Backup, err error, tried bool) {
	t.Helper()
	left, gerr := filepath.Glob(strings.TrimSuffix(k.Path(), ".bak") + "*")
	if gerr != nil || tried != (len(left) > 0) {
		t.Errorf("left behind: %q, %v", left, gerr)
	}
	var r *fix.RefusedError
	if !errors.As(err, &r) {
		return
	}
	if diff := cmp.Diff(left, r.Left); diff != "" {
		t.Errorf("what it left (-is there +said):\n%s", diff)
	}
	for _, path := range left {
		if !strings.Contains(err.Error(), path) {
			t.Errorf("%q is not named: %v", path, err)
		}
	}
}

func TestSwappedFile(t *testing.T) {
	t.Parallel()
	swap := func(t *testing.T, path string) {
		data := read(t, path)
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o640); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name   string
		change func(t *testing.T, path string)
	}{
		{"another file with the same bytes", swap},
		{"a row", func(t *testing.T, path string) {
			db := connect(t, path)
			run(t, db, "UPDATE sessions SET title = 'x'")
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		}},
		{"a sidecar", func(t *testing.T, path string) {
			if err := os.WriteFile(path+"-wal", []byte("x"), 0o600); err != nil {
				t.Fatal(err)
			}
		}},
		{"the mode", func(t *testing.T, path string) {
			if err := os.Chmod(path, 0o600); err != nil {
				t.Fatal(err)
			}
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for name, path := range map[string]string{"no sidecar": build(t, schema(), incident()), "wal": buildWAL(t, incident(), schema())} {
				if err := os.Chmod(path, 0o644); err != nil {
					t.Fatal(err)
				}
				p := plan(t, look(t, path), fix.Options{})
				k, err := backup(t, path, fix.BackupOptions{})
				if err != nil {
					t.Fatal(err)
				}
				test.change(t, path)
				t.Log(name)
				refusedBy(t, path, k, p, applyOptions(), fix.CodeChanged)
			}
		})
	}
}

// A plan is for the bytes that were scanned.
func TestPlanOfOtherBytes(t *testing.T) {
	t.Parallel()
	one, other := build(t, schema(), incident()), build(t, schema(), incident(), []string{"UPDATE sessions SET title = 'x'"})
	refusedAt(t, other, plan(t, look(t, one), fix.Options{}), applyOptions(), fix.CodePlan)
	changed := plan(t, look(t, one), fix.Options{})
	changed.Steps[0].New = "agent:main:telegram:dm:666"
	refusedAt(t, one, changed, applyOptions(), fix.CodePlan)
	refusedAt(t, one, &fix.Plan{Digest: changed.Digest, Steps: changed.Steps}, applyOptions(), fix.CodePlan)
	refusedAt(t, one, nil, applyOptions(), fix.CodePlan)
}

func TestOnlyABackupWrites(t *testing.T) {
	t.Parallel()
	path := build(t, schema(), incident())
	p := plan(t, look(t, path), fix.Options{})
	for name, k := range map[string]*fix.Backup{"nil": nil, "zero": {}} {
		t.Log(name)
		refusedBy(t, path, k, p, applyOptions(), fix.CodeUnbacked)
	}
	k, err := backup(t, path, fix.BackupOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := k.Apply(t.Context(), p, applyOptions()); err != nil {
		t.Fatal(err)
	}
	refusedBy(t, path, k, p, applyOptions(), fix.CodeUnbacked)
	if err := k.Discard(); err == nil {
		t.Error("a backup that a journal names was removed")
	}
}

// cramped is a file system with little room.
type cramped struct {
	write.OS
	free int64
}

func (c cramped) Room(string) int64 { return c.free }

func TestFullDisk(t *testing.T) {
	t.Parallel()
	path, dir := build(t, schema(), incident()), t.TempDir()
	_, err := backup(t, path, fix.BackupOptions{Dir: dir}.On(cramped{free: 1 << 20}))
	if code(err) != fix.CodeSpace {
		t.Errorf("got %v", err)
	}
	if left := names(t, dir); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

func TestCorruptSource(t *testing.T) {
	t.Parallel()
	path, dir := build(t, schema(), incident()), t.TempDir()
	data := read(t, path)
	at := bytes.LastIndex(data, []byte("three"))
	copy(data[at-at%4096:], bytes.Repeat([]byte{0xff}, 60))
	if err := os.WriteFile(path, data, 0o640); err != nil {
		t.Fatal(err)
	}
	_, err := backup(t, path, fix.BackupOptions{Dir: dir})
	var r *fix.RefusedError
	if !errors.As(err, &r) || r.Code != fix.CodeCorrupt || !strings.Contains(r.Next, ".recover") {
		t.Errorf("got %v", err)
	}
	if left := names(t, dir); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
	if !bytes.Equal(data, read(t, path)) {
		t.Error("the file changed")
	}
}
