package evidence_test

import (
	"encoding/binary"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// walStore makes dir/state.db of two sessions, the second only in its -wal.
func walStore(t *testing.T, dir string) string {
	t.Helper()
	live := filepath.Join(t.TempDir(), "live.db")
	db := connect(t, live, join([]string{"PRAGMA journal_mode=WAL"}, schema(), talk("s1", 1785000000, 5), []string{"PRAGMA wal_checkpoint(TRUNCATE)"}, talk("s2", 1785001000, 3))...)
	path := filepath.Join(dir, "state.db")
	clone(t, live, path)
	_ = db.Close()
	return path
}

func TestViews(t *testing.T) {
	t.Parallel()
	main := evidence.View{Name: "main", Sessions: 1, Messages: 5, Newest: 1785000004}
	both := evidence.View{Name: "main+wal", Sessions: 2, Messages: 8, Newest: 1785001002}
	tests := []struct {
		name   string
		damage func(t *testing.T, path string)
		view   string
		counts [2]int64
		views  []evidence.View
		note   string // "" = none
	}{
		{"wal continues the file", nil, "main+wal", [2]int64{2, 8}, []evidence.View{main, both},
			"the file alone shows 1 sessions, 5 messages, newest 1785000004; main+wal shows 2 sessions, 8 messages, newest 1785001002; the latter is used"},
		{"checksum of the header", func(t *testing.T, path string) { flip(t, path+"-wal", 26) }, "main", [2]int64{1, 5}, nil, "checksum of its header"},
		{"magic", func(t *testing.T, path string) { flip(t, path+"-wal", 0) }, "main", [2]int64{1, 5}, nil, "does not begin as a -wal"},
		{"salt of the first frame", func(t *testing.T, path string) { flip(t, path+"-wal", 32+8) }, "main", [2]int64{1, 5}, nil, "salts"},
		{"checksum of the first frame", func(t *testing.T, path string) { flip(t, path+"-wal", 32+24+99) }, "main", [2]int64{1, 5}, nil, "checksum of its frames"},
		{"cut inside its header", func(t *testing.T, path string) { write(t, path+"-wal", read(t, path+"-wal")[:20]) }, "main", [2]int64{1, 5}, nil, "shorter than its header"},
		{"cut before a commit", func(t *testing.T, path string) { write(t, path+"-wal", read(t, path+"-wal")[:32+24+4096]) }, "main", [2]int64{1, 5}, nil, "ends before a transaction"},
		{"empty", func(t *testing.T, path string) { write(t, path+"-wal", nil) }, "main", [2]int64{1, 5}, nil, ""},
		{"page size of another file", func(t *testing.T, path string) {
			other := filepath.Join(t.TempDir(), "o.db")
			db := connect(t, other, "PRAGMA page_size=8192", "PRAGMA journal_mode=WAL", "CREATE TABLE t(x)")
			write(t, path+"-wal", read(t, other+"-wal"))
			_ = db.Close()
		}, "main", [2]int64{1, 5}, nil, "belongs to another file"},
		{"wal of another file with an older story", foreign(5, 1), "main", [2]int64{1, 5}, nil, "does not belong to the file"},
		{"wal that makes the file unreadable", foreign(0, 0), "main", [2]int64{1, 5}, nil, "cannot be read"},
		{"main alone is not a database", func(t *testing.T, path string) {
			live := filepath.Join(t.TempDir(), "live.db")
			db := connect(t, live, join([]string{"PRAGMA journal_mode=WAL"}, schema(), talk("s1", 1785000000, 7))...)
			clone(t, live, path) // the first page is in the -wal too
			_ = db.Close()
			data := read(t, path)
			clear(data[:100])
			write(t, path, data)
		}, "main+wal", [2]int64{1, 7}, nil, "the file alone cannot be read"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			path := walStore(t, dir)
			if tt.damage != nil {
				tt.damage(t, path)
			}
			before := listing(t, dir)
			s := open(t, path).Stores[0]
			if s.View != tt.view || counts(t, s) != tt.counts {
				t.Errorf("view %q, counts %v; want %q, %v", s.View, counts(t, s), tt.view, tt.counts)
			}
			if tt.views != nil {
				if diff := cmp.Diff(tt.views, s.Views, cmpopts.EquateErrors()); diff != "" {
					t.Errorf("views (-want +got):\n%s", diff)
				}
			}
			if notes := strings.Join(s.Notes, "|"); !strings.Contains(notes, tt.note) || (tt.note == "") != (notes == "") {
				t.Errorf("notes %q, want %q", notes, tt.note)
			}
			if strings.Contains(strings.Join(s.Notes, ""), "hermes-doctor-") {
				t.Errorf("a note names the private folder: %q", s.Notes)
			}
			if diff := cmp.Diff(before, listing(t, dir)); diff != "" {
				t.Errorf("folder changed (-want +got):\n%s", diff)
			}
		})
	}
}

// flip inverts one byte of a file.
func flip(t *testing.T, path string, at int) {
	t.Helper()
	data := read(t, path)
	data[at] ^= 0xff
	write(t, path, data)
}

// foreign puts the -wal of another store beside the file: one with n messages, or, for 0 pages of schema, one
// that replaces the first page by that of an unrelated database whose tables lie outside the file.
func foreign(tables, n int) func(t *testing.T, path string) {
	return func(t *testing.T, path string) {
		t.Helper()
		other := filepath.Join(t.TempDir(), "o.db")
		statements := []string{"PRAGMA journal_mode=WAL"}
		if tables > 0 {
			statements = join(statements, schema(), talk("x", 1700000000, n))
		} else {
			statements = append(statements, "CREATE TABLE t(x)")
		}
		db := connect(t, other, statements...)
		wal := read(t, other+"-wal")
		if tables == 0 {
			// The root of a b-tree that is none: the frame is sealed again so that SQLite takes it.
			for i := range 200 {
				wal[32+24+100+i] = 0xa5
			}
			wal = sealed(wal[:32+24+4096])
		}
		write(t, path+"-wal", wal)
		_ = db.Close()
	}
}

// sealed makes the one frame of a -wal valid and committing again.
func sealed(wal []byte) []byte {
	binary.BigEndian.PutUint32(wal[36:], 1)
	sum := [2]uint32{binary.BigEndian.Uint32(wal[24:]), binary.BigEndian.Uint32(wal[28:])}
	for _, part := range [][]byte{wal[32:40], wal[56:]} {
		for ; len(part) >= 8; part = part[8:] {
			sum[0] += binary.LittleEndian.Uint32(part) + sum[1]
			sum[1] += binary.LittleEndian.Uint32(part[4:]) + sum[0]
		}
	}
	binary.BigEndian.PutUint32(wal[48:], sum[0])
	binary.BigEndian.PutUint32(wal[52:], sum[1])
	return wal
}

func TestHotJournal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	live := filepath.Join(t.TempDir(), "live.db")
	db := connect(t, live, join(schema(), talk("s1", 1785000000, 5000), []string{"PRAGMA cache_size=5", "BEGIN", "DELETE FROM messages WHERE id > 10"})...)
	path := filepath.Join(dir, "state.db")
	clone(t, live, path)
	_ = db.Close()
	before := listing(t, dir)
	b := open(t, path)
	s := b.Stores[0]
	if s.View != "recovered-journal" || counts(t, s) != [2]int64{1, 5000} || len(s.Views) != 2 {
		t.Errorf("view %q, counts %v, views %v", s.View, counts(t, s), s.Views)
	}
	if !strings.Contains(strings.Join(s.Notes, "|"), "a transaction was under way") {
		t.Errorf("notes %q", s.Notes)
	}
	// A journal that a finished transaction left behind is not hot.
	flip(t, path+"-journal", 0)
	cold := open(t, path).Stores[0]
	if cold.View != "main" {
		t.Errorf("cold journal: view %q", cold.View)
	}
	flip(t, path+"-journal", 0)
	after := listing(t, dir)
	delete(before, path+"-journal") // the test itself wrote it
	delete(after, path+"-journal")
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("folder changed (-want +got):\n%s", diff)
	}
}

func TestNewestIsTrusted(t *testing.T) {
	t.Parallel()
	live := filepath.Join(t.TempDir(), "live.db")
	db := connect(t, live, join([]string{"PRAGMA journal_mode=WAL"}, schema(), []string{"INSERT INTO messages(session_id, timestamp) VALUES ('a', 9e999), ('a', 'soon'), ('a', 4200000001), ('a', 0.5)"})...)
	path := filepath.Join(t.TempDir(), "state.db")
	clone(t, live, path)
	_ = db.Close()
	views := open(t, path).Stores[0].Views
	if len(views) != 2 || !math.IsNaN(views[1].Newest) || views[1].Messages != 4 {
		t.Errorf("views %+v", views)
	}
}
