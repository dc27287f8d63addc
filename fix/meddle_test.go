package fix_test

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/seed-4d3eb737/hermes-doctor/fix"
	"github.com/seed-4d3eb737/hermes-doctor/fix/internal/write"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

// meddler is the operating system's files with somebody who acts at a moment of the repair.
type meddler struct {
	write.OS
	step func(name string)
	link func(to string)
}

func (m meddler) Step(name string) error {
	if m.step != nil {
		m.step(name)
	}
	return nil
}

func (m meddler) Link(from, to string) error {
	if m.link != nil {
		m.link(to)
	}
	return m.OS.Link(from, to)
}

// Another writer gets in between the rehearsal and the transaction: its row must stay, and ours must not come.
func TestWriterInBetween(t *testing.T) {
	t.Parallel()
	path := buildWAL(t, incident(), schema())
	p := plan(t, look(t, path), fix.Options{})
	begun := 0
	files := meddler{step: func(name string) {
		if begun += strings.Count(name, "begin"); begun == 2 && name == "begin" {
			run(t, connect(t, path), "UPDATE sessions SET title = 'mine' WHERE id = '"+zombie+"'")
		}
	}}
	k, err := backup(t, path, fix.BackupOptions{}.On(files))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := k.Apply(t.Context(), p, applyOptions()); code(err) != fix.CodeChanged {
		t.Errorf("got %v", err)
	}
	rows := strings.Join(dump(t, path), "\n")
	if !strings.Contains(rows, "text:mine") || strings.Contains(rows, "superseded_by_repair") {
		t.Errorf("the rows are\n%s", rows)
	}
}

// Somebody replaces the file while the private copy is worked on: what they put there must stay.
func TestReplacedInBetween(t *testing.T) {
	t.Parallel()
	path := build(t, schema(), incident())
	other := read(t, build(t, schema(), guess()))
	p := plan(t, look(t, path), fix.Options{})
	files := meddler{step: func(name string) {
		if name == "commit" {
			if err := os.WriteFile(path, other, 0o600); err != nil {
				t.Error(err)
			}
		}
	}}
	k, err := backup(t, path, fix.BackupOptions{}.On(files))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := k.Apply(t.Context(), p, applyOptions()); code(err) != fix.CodeChanged {
		t.Errorf("got %v", err)
	}
	if !bytes.Equal(other, read(t, path)) {
		t.Error("the other file is gone")
	}
}

// The -wal stays beside the file until the receipt is written, and so does everything that a reader needs.
func TestReceiptComesBeforeOneFile(t *testing.T) {
	t.Parallel()
	path := buildWAL(t, incident(), schema())
	main := read(t, path)
	seen := 0
	files := meddler{link: func(to string) {
		if !strings.HasSuffix(to, ".receipt.json") {
			return
		}
		seen++
		if info, err := os.Stat(path + "-wal"); err != nil || info.Size() == 0 {
			t.Errorf("the -wal went into the file before the receipt: %v", err)
		}
		if !bytes.Equal(main, read(t, path)) {
			t.Error("the main file changed before the receipt")
		}
	}}
	k, err := backup(t, path, fix.BackupOptions{}.On(files))
	if err != nil {
		t.Fatal(err)
	}
	out, err := k.Apply(t.Context(), plan(t, look(t, path), fix.Options{}), applyOptions())
	if err != nil || seen != 1 || !out.Receipt.OneFile {
		t.Errorf("%v, %d receipts, %+v", err, seen, out)
	}
	proveVerify(t, out)
}

// TestPlanAsksTheResolver gives findings whose fills would not do what they say.
func TestPlanAsksTheResolver(t *testing.T) {
	t.Parallel()
	path := build(t, schema(), incident())
	r := look(t, path)
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Check == "orphan-session" {
			f.Fills = slices.DeleteFunc(f.Fills, func(c scan.Fill) bool { return c.Column == "session_key" || c.Column == "chat_id" })
		}
	}
	p := plan(t, r, fix.Options{})
	if !p.Empty() || len(p.Refused) != 1 || p.Refused[0].Code != "would-not-resume" {
		t.Errorf("without the key: steps %v, refused %+v", steps(p), p.Refused)
	}
	r = look(t, build(t, schema(), guess()))
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Check == "orphan-session" {
			f.Adoption, f.Held = nil, false // as any other check could say it
			f.Fills = slices.DeleteFunc(f.Fills, func(c scan.Fill) bool { return c.Key != orphan })
		}
	}
	p = plan(t, r, fix.Options{})
	if !p.Empty() || len(p.Refused) != 1 || p.Refused[0].Code != "other-chat-would-change" {
		t.Errorf("a key by another check: steps %v, refused %+v", steps(p), p.Refused)
	}
}
