package evidence_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// bounded opens a home with these bounds.
func bounded(t *testing.T, home string, bounds evidence.Bounds) *evidence.Home {
	t.Helper()
	b, err := evidence.Open(t.Context(), []string{home}, evidence.Options{TempDir: t.TempDir(), Bounds: bounds})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b.Homes[0]
}

// witnesses makes a home with two of everything that lies beside a database.
func witnesses(t *testing.T) string {
	t.Helper()
	home := filepath.Join(t.TempDir(), "home")
	healthy(t, filepath.Join(home, "state.db"))
	db := read(t, filepath.Join(home, "state.db"))
	for k := range 2 {
		for name, text := range map[string]string{
			"logs/agent.log" + []string{".1", ""}[k]:                                inboundLine(k, "1", "hi") + turnLine(k, fmt.Sprintf("s%d", k), "hi"),
			fmt.Sprintf("state.db.bak%d", k):                                        string(db),
			fmt.Sprintf("sessions/sessions.json.%d", k):                             "{}",
			fmt.Sprintf("sessions/request_dump_s1_20260806_161836_00000%d.json", k): `{"session_id": "s1"}`,
			fmt.Sprintf("sessions/session_20260806_161836_0a1b2%d.json", k):         `{"messages": [{}]}`,
			fmt.Sprintf("pending_messages/pending-%d.json", k):                      `{"session_key": "k"}`,
		} {
			write(t, filepath.Join(home, name), []byte(text))
		}
	}
	return home
}

// TestBounds reaches the bound of each witness: it is said, and what lies within it was read.
func TestBounds(t *testing.T) {
	t.Parallel()
	home := witnesses(t)
	size := int64(len(read(t, filepath.Join(home, "state.db"))))
	all := func(string) bool { return true }
	logs := func(h *evidence.Home) (int, bool, []string, error) {
		l, err := h.ReadLogs(t.Context())
		if err != nil {
			return 0, false, nil, err
		}
		return len(l.Served), l.Limited, l.Notes, nil
	}
	copies := func(h *evidence.Home) (int, bool, []string, error) {
		c, err := h.EachCopy(t.Context(), func(*evidence.Store) error { return nil })
		return c.Read, c.Limited, c.Notes, err
	}
	mirrors := func(h *evidence.Home) (int, bool, []string, error) {
		c, err := h.OldMirrors(t.Context(), "sessions", func(evidence.Ref, []byte) {})
		return c.Read, c.Limited, c.Notes, err
	}
	dumps := func(h *evidence.Home) (int, bool, []string, error) {
		d, err := h.ReadDumps(t.Context(), "sessions", all)
		told := 0 // those that are read tell nothing, which is said of each
		for _, n := range d.Notes {
			if strings.Contains(n, "tells nothing") {
				told++
			}
		}
		return told, d.Limited, d.Notes, err
	}
	files := func(h *evidence.Home) (int, bool, []string, error) {
		f, err := h.ReadSessionFiles(t.Context(), "sessions", all)
		return len(f.List), f.Limited, f.Notes, err
	}
	spool := func(h *evidence.Home) (int, bool, []string, error) {
		list, limited, err := h.Spool(t.Context())
		n, notes := 0, []string(nil)
		for _, s := range list {
			if notes = append(notes, s.Problem); s.Problem == "" {
				n++
			}
		}
		return n, limited, notes, err
	}
	tests := []struct {
		name   string
		bounds evidence.Bounds
		look   func(h *evidence.Home) (int, bool, []string, error)
		want   int
		note   string // a part of one; "" = it is said where the whole is told
	}{
		{"logs", evidence.Bounds{LogFiles: 1}, logs, 1, "logs: 1 of 2 files were read"},
		{"bytes of logs", evidence.Bounds{LogBytes: 10}, logs, 0, "the bound of 10 bytes of logs was reached"},
		{"time of logs", evidence.Bounds{LogTime: time.Nanosecond}, logs, 0, "logs/agent.log was not looked at to its end: the bound of 1e-09 seconds was reached"},
		{"copies", evidence.Bounds{CopyFiles: 1}, copies, 1, "1 of 2 older copies of state.db were read"},
		{"bytes of copies", evidence.Bounds{CopyBytes: size + 1}, copies, 1, "1 of 2 older copies of state.db were read"},
		{"mirrors", evidence.Bounds{MirrorFiles: 1}, mirrors, 1, "1 of 2 older copies of sessions.json were read"},
		{"bytes of a mirror", evidence.Bounds{MirrorBytes: 1}, mirrors, 0, "2 bytes, more than the limit of 1"},
		{"dumps", evidence.Bounds{DumpFiles: 1}, dumps, 1, "sessions: 1 of 2 request dumps were read"},
		{"bytes of dumps", evidence.Bounds{DumpBytes: 30}, dumps, 1, "more than the limit of 10"},
		{"session files", evidence.Bounds{SessionFiles: 1}, files, 1, "sessions: 1 of 2 sessions in JSON files were read"},
		{"bytes of session files", evidence.Bounds{SessionBytes: 20}, files, 1, "more than the limit of 2"},
		{"spool", evidence.Bounds{SpoolFiles: 1}, spool, 1, ""},
		{"bytes of the spool", evidence.Bounds{SpoolBytes: 21}, spool, 1, "more than the limit of 1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if n, limited, notes, err := test.look(bounded(t, home, evidence.Bounds{})); err != nil || n != 2 || limited {
				t.Fatalf("without the bound %d were read, limited %v, %q, %v", n, limited, notes, err)
			}
			n, limited, notes, err := test.look(bounded(t, home, test.bounds))
			if err != nil || n != test.want || !limited || !strings.Contains(strings.Join(notes, "\n"), test.note) {
				t.Errorf("%d were read, limited %v, notes %q, %v; want %d and %q", n, limited, notes, err, test.want, test.note)
			}
		})
	}
}
