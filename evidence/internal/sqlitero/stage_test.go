package sqlitero_test

import (
	"bytes"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-4d3eb737/hermes-doctor/evidence/internal/sqlitero"
)

// copySet copies a database and its sidecars as they are now into a new folder.
func copySet(t *testing.T, path string) string {
	t.Helper()
	dst := filepath.Join(t.TempDir(), "copy.db")
	for _, suffix := range []string{"", "-wal", "-journal"} {
		src, err := os.Open(path + suffix)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		info, err := src.Stat()
		if err != nil {
			t.Fatal(err)
		}
		var last int64
		if err := sqlitero.Copy(t.Context(), dst+suffix, src, info.Size(), func(done int64) { last = done }); err != nil {
			t.Fatal(err)
		}
		if last != 0 && last != info.Size() { // 0: the file system shared the blocks
			t.Errorf("%s: progress ended at %d of %d", suffix, last, info.Size())
		}
		if err := src.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return dst
}

func TestRecover(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name       string
		statements []string // left open when the set is copied
		sidecar    string
		want       int64
	}{
		{"wal", []string{"PRAGMA journal_mode=WAL", "CREATE TABLE t(x)", "INSERT INTO t VALUES (1), (2), (3)"}, "-wal", 3},
		{"hot journal", []string{
			"CREATE TABLE t(x)", "INSERT INTO t WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 500) SELECT randomblob(4000) FROM n",
			"PRAGMA cache_size=5", "BEGIN", "DELETE FROM t WHERE rowid > 10",
		}, "-journal", 500},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "state.db")
			db, err := sql.Open("sqlite3", path)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = db.Close() }()
			db.SetMaxOpenConns(1)
			for _, s := range tt.statements {
				if _, err := db.Exec(s); err != nil {
					t.Fatalf("%s: %v", s, err)
				}
			}
			if info, err := os.Stat(path + tt.sidecar); err != nil || info.Size() == 0 {
				t.Fatalf("the test made no %s: %v", tt.sidecar, err)
			}
			dst := copySet(t, path)
			if err := sqlitero.Recover(t.Context(), dst); err != nil {
				t.Fatal(err)
			}
			c := open(t, dst)
			if diff := cmp.Diff([][]driver.Value{{tt.want}}, rows(t, c, "SELECT count(*) FROM t")); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([][]driver.Value{{"ok"}}, rows(t, c, "PRAGMA integrity_check")); diff != "" {
				t.Errorf("integrity (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCopy(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data := bytes.Repeat([]byte("0123456789abcdef"), 10000)
	src := filepath.Join(dir, "src")
	if err := os.WriteFile(src, data, 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(src)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	dst := filepath.Join(dir, "dst")
	if err := sqlitero.Copy(t.Context(), dst, f, int64(len(data)), nil); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(dst); err != nil || !bytes.Equal(got, data) {
		t.Errorf("copy differs: %v", err)
	}
	if info, err := os.Stat(dst); err != nil || info.Mode() != 0o600 {
		t.Errorf("mode %v, %v; want 0600", info.Mode(), err)
	}
	if err := sqlitero.Copy(t.Context(), dst, f, int64(len(data)), nil); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over an existing file: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Seek(0, 0); err != nil {
		t.Fatal(err)
	}
	err = sqlitero.Copy(ctx, filepath.Join(dir, "cancelled"), f, int64(len(data)), nil)
	if _, serr := os.Stat(filepath.Join(dir, "cancelled")); err != nil && !errors.Is(serr, fs.ErrNotExist) {
		t.Errorf("a cancelled copy was left behind: %v", serr)
	}
}

func TestRoom(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := sqlitero.Room(dir, 1); err != nil {
		t.Error(err)
	}
	var none *sqlitero.NoSpaceError
	if err := sqlitero.Room(dir, math.MaxInt64-1); !errors.As(err, &none) || none.Dir != dir {
		t.Errorf("got %v, want *NoSpaceError", err)
	}
}
