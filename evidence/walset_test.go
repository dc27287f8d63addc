package evidence_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// TestOwnWALIsNeverForeign copies a database with its -wal at every step of what writers and checkpoints do, with two
// connections, growing, shrinking and changing rows in place, at several page sizes.
func TestOwnWALIsNeverForeign(t *testing.T) {
	t.Parallel()
	for _, size := range []int{512, 1024, 4096, 65536} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			t.Parallel()
			live := filepath.Join(t.TempDir(), "live.db")
			a := connect(t, live, join([]string{fmt.Sprintf("PRAGMA page_size=%d", size), "PRAGMA journal_mode=WAL", "PRAGMA wal_autocheckpoint=0"}, schema(), talk("s1", 1785000000, 50))...)
			b := connect(t, live, "PRAGMA wal_autocheckpoint=0")
			n := 0
			for round := range 3 {
				for k, statement := range []string{
					talk(fmt.Sprintf("a%d", round), 1785001000, 40)[1], talk(fmt.Sprintf("b%d", round), 1785002000, 40)[1],
					"UPDATE messages SET role = 'tool' WHERE id % 7 = 0", "PRAGMA wal_checkpoint(PASSIVE)",
					"UPDATE messages SET content = 'x' WHERE id % 5 = 0", "DELETE FROM messages WHERE id % 11 = 0",
					talk(fmt.Sprintf("c%d", round), 1785003000, 40)[1], "PRAGMA wal_checkpoint(PASSIVE)",
					"UPDATE messages SET role = 'user' WHERE id = 3", "PRAGMA wal_checkpoint(TRUNCATE)",
					"UPDATE messages SET role = 'tool' WHERE id = 3", "VACUUM",
				} {
					db := a
					if (k+round)%2 == 1 {
						db = b
					}
					run(t, db, statement)
					path := filepath.Join(t.TempDir(), "state.db")
					clone(t, live, path)
					s := open(t, path).Stores[0]
					if s.WAL.Foreign() {
						t.Errorf("after %q of round %d: %q", statement, round, s.WAL.Against)
					}
					if s.WAL != nil && s.WAL.Commits > 0 {
						n++
					}
				}
			}
			if n < 12 {
				t.Errorf("only %d copies had a -wal with transactions", n)
			}
		})
	}
}

// TestForeignWAL puts the -wal of one state of a file, or of another file, beside it.
func TestForeignWAL(t *testing.T) {
	t.Parallel()
	for _, size := range []int{512, 4096, 65536} {
		pragma := fmt.Sprintf("PRAGMA page_size=%d", size)
		base := filepath.Join(t.TempDir(), "base.db")
		a := connect(t, base, join([]string{pragma, "PRAGMA journal_mode=WAL", "PRAGMA wal_autocheckpoint=0"}, schema(), talk("s1", 1785000000, 300), []string{"PRAGMA wal_checkpoint(TRUNCATE)"}, talk("s2", 1785001000, 200))...)
		early := filepath.Join(t.TempDir(), "early.db") // s1 in the file, s2 in the -wal
		clone(t, base, early)
		run(t, a, join([]string{"PRAGMA wal_checkpoint(TRUNCATE)"}, talk("s3", 1785002000, 400), []string{"PRAGMA wal_checkpoint(TRUNCATE)"}, talk("s4", 1785003000, 100))...)
		late := filepath.Join(t.TempDir(), "late.db") // s1 to s3 in the file, s4 in the -wal
		clone(t, base, late)
		other := filepath.Join(t.TempDir(), "other.db")
		connect(t, other, join([]string{pragma, "PRAGMA journal_mode=WAL", "PRAGMA wal_autocheckpoint=0"}, schema(), talk("o1", 1700000000, 350), []string{"PRAGMA wal_checkpoint(TRUNCATE)"}, talk("o2", 1700001000, 90))...)
		restored := filepath.Join(t.TempDir(), "restored.db")
		run(t, a, "VACUUM INTO '"+restored+"'")
		for _, tt := range []struct {
			name, main, wal string
			messages        int64
		}{
			{"older -wal beside a newer file", late, early, 900}, {"newer -wal beside an older file", early, late, 300},
			{"-wal of another file", late, other, 900}, {"file of another install", other, late, 350}, {"restored file", restored, late, 1000},
		} {
			t.Run(fmt.Sprintf("%d %s", size, tt.name), func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "state.db")
				write(t, path, read(t, tt.main))
				write(t, path+"-wal", read(t, tt.wal+"-wal"))
				s := open(t, path).Stores[0]
				if size == 65536 && tt.main == early && counts(t, s)[1] == 1000 {
					return // every page that changed is in the -wal, so that the two together are the newer state, whole
				}
				if !s.WAL.Foreign() || s.View != "main" || counts(t, s)[1] != tt.messages {
					t.Errorf("wal %+v, view %q, counts %v", s.WAL, s.View, counts(t, s))
				}
			})
		}
	}
}

// TestDamageIsNoProofAgainstAWAL damages a file whose -wal is its own: what is broken in a file says nothing about whose the
// -wal beside it is.
func TestDamageIsNoProofAgainstAWAL(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		then   []string // what is written behind a checkpoint that emptied the -wal
		damage func(b []byte) []byte
	}{
		{"list of tables", join(talk("s2", 1785001000, 40), talk("s3", 1785002000, 40), []string{"PRAGMA wal_checkpoint(PASSIVE)"}), func(b []byte) []byte { copy(b[300:], "not what it was"); return b }},
		{"end of the file", []string{"UPDATE messages SET role = 'tool' WHERE id = 3"}, func(b []byte) []byte { return b[:len(b)-6*1024] }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			live := filepath.Join(t.TempDir(), "live.db")
			db := connect(t, live, join([]string{"PRAGMA page_size=1024", "PRAGMA journal_mode=WAL", "PRAGMA wal_autocheckpoint=0"}, schema(), talk("s1", 1785000000, 300), []string{"PRAGMA wal_checkpoint(TRUNCATE)"})...)
			run(t, db, tt.then...)
			path := filepath.Join(t.TempDir(), "state.db")
			write(t, path, tt.damage(read(t, live)))
			write(t, path+"-wal", read(t, live+"-wal"))
			b, err := evidence.Open(t.Context(), []string{path}, evidence.Options{TempDir: t.TempDir(), Damaged: true})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = b.Close() })
			if s := b.Stores[0]; s.WAL == nil || s.WAL.Commits == 0 || s.WAL.Foreign() {
				t.Errorf("wal %+v", s.WAL)
			}
		})
	}
}
