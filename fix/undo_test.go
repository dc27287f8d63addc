package fix_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-4d3eb737/hermes-doctor/fix"
)

// A program can tell the cells that need nothing from those that somebody else wrote or removed.
func TestKeptCells(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		sql  []string
		want map[string]int // codes
		done bool
	}{
		{"taken back by hand", []string{"UPDATE sessions SET display_name = NULL WHERE id = '" + orphan + "'"}, map[string]int{fix.KeptRestored: 1}, true},
		{"changed", []string{"UPDATE sessions SET display_name = 'x' WHERE id = '" + orphan + "'"}, map[string]int{fix.KeptChanged: 1}, false},
		{"a row is gone", []string{"DELETE FROM messages WHERE session_id = '" + zombie + "'", "UPDATE sessions SET parent_session_id = NULL", "DELETE FROM sessions WHERE id = '" + zombie + "'"},
			map[string]int{fix.KeptGone: 2, fix.KeptRestored: 1}, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			path := build(t, schema(), incident())
			out, err := repair(t, path, plan(t, look(t, path), fix.Options{}), applyOptions())
			if err != nil {
				t.Fatal(err)
			}
			db := connect(t, path)
			run(t, db, test.sql...)
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			o := fix.UndoOptions{Backup: fix.BackupOptions{Dir: t.TempDir(), Now: at}}
			dry, err := fix.Undo(t.Context(), out.Journal, o)
			if err != nil || dry.Done() {
				t.Errorf("there is something to do: %+v, %v", dry, err)
			}
			o.Apply = true
			u, err := fix.Undo(t.Context(), out.Journal, o)
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]int{}
			for _, k := range u.Kept {
				got[k.Code]++
			}
			if diff := cmp.Diff(test.want, got); diff != "" || u.Done() != test.done {
				t.Errorf("done %v, kept (-want +got):\n%s", u.Done(), diff)
			}
			before := read(t, path)
			again, err := fix.Undo(t.Context(), out.Journal, o)
			if err != nil || len(again.Restored) > 0 || again.Outcome != nil || again.Done() != test.done {
				t.Errorf("a second undo: %+v, %v", again, err)
			}
			if !bytes.Equal(before, read(t, path)) {
				t.Error("a second undo changed the file")
			}
		})
	}
}

// What is wrong with a journal or receipt is told apart from what is wrong with a database.
func TestUnreadableRecords(t *testing.T) {
	t.Parallel()
	path := build(t, schema(), incident())
	out, err := repair(t, path, plan(t, look(t, path), fix.Options{}), applyOptions())
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := func(name string, data []byte) string {
		to := filepath.Join(dir, name)
		if err := os.WriteFile(to, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return to
	}
	journal, receipt := read(t, out.Journal), read(t, out.ReceiptPath)
	version := func(data []byte) []byte {
		return bytes.Replace(data, []byte(`"schema": 1`), []byte(`"schema": 2`), 1)
	}
	tests := []struct{ name, path string }{
		{"nothing", filepath.Join(dir, "nosuch")},
		{"a folder", dir},
		{"empty", file("empty", nil)},
		{"cut", file("cut", journal[:len(journal)/2])},
		{"a receipt cut", file("cut receipt", receipt[:len(receipt)/2])},
		{"other JSON", file("other", []byte(`{"kind": "something else"}`))},
		{"a journal of another version", file("journal 2", version(journal))},
		{"a receipt of another version", file("receipt 2", version(receipt))},
		{"a database", path},
	}
	for _, test := range tests {
		var record *fix.RecordError
		if _, err := fix.Undo(t.Context(), test.path, fix.UndoOptions{Apply: true}); !errors.As(err, &record) || record.Path != test.path || record.Reason == "" {
			t.Errorf("undo of %s: %v", test.name, err)
		}
		if _, err := fix.Verify(t.Context(), test.path, ""); !errors.As(err, &record) || record.Path != test.path || record.Reason == "" {
			t.Errorf("verify of %s: %v", test.name, err)
		}
	}
	if _, err := fix.Undo(t.Context(), out.Journal, fix.UndoOptions{Target: filepath.Join(dir, "nosuch")}); err == nil || errors.As(err, new(*fix.RecordError)) {
		t.Errorf("a database that is not there is no matter of the journal: %v", err)
	}
}
