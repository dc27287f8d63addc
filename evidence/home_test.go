package evidence_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

func TestHomeRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	home := filepath.Join(dir, "home")
	healthy(t, filepath.Join(home, "state.db"))
	write(t, filepath.Join(dir, "secret"), []byte("secret"))
	write(t, filepath.Join(home, "sessions/sessions.json"), []byte("{}"))
	write(t, filepath.Join(home, "large"), make([]byte, 101))
	for link, target := range map[string]string{"inside": "sessions/sessions.json", "outside": "../secret", "absolute": "/etc/passwd", "loop": "loop", "null": "/dev/null"} {
		if err := os.Symlink(target, filepath.Join(home, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(home, "fifo"), 0o644); err != nil {
		t.Fatal(err)
	}
	h := open(t, home).Homes[0]
	for _, rel := range []string{"sessions/sessions.json", "inside"} {
		if data, err := h.Read(rel, evidence.RoleSessions, 100); err != nil || string(data) != "{}" {
			t.Errorf("%s: %q, %v", rel, data, err)
		}
	}
	for _, rel := range []string{"outside", "../secret", "/etc/passwd", "absolute", "loop", "null", "fifo", "sessions", "large", "", "."} {
		began := time.Now()
		data, err := h.Read(rel, evidence.RoleConfig, 100)
		if err == nil || errors.Is(err, fs.ErrNotExist) || time.Since(began) > time.Second {
			t.Errorf("%q: %q, %v after %v", rel, data, err, time.Since(began))
		}
	}
	for _, rel := range []string{"absent", "sessions/absent", "absent/absent"} {
		if _, err := h.Read(rel, evidence.RoleConfig, 100); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: %v", rel, err)
		}
	}
	entries, err := h.ReadDir("sessions")
	if err != nil || len(entries) != 1 || entries[0].Name() != "sessions.json" {
		t.Errorf("sessions: %v, %v", entries, err)
	}
	for _, rel := range []string{"fifo", "..", "outside", "absent"} {
		if entries, err := h.ReadDir(rel); err == nil {
			t.Errorf("listed %q: %v", rel, entries)
		}
	}
}
