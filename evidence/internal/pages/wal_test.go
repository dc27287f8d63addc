package pages_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"io"
	"path/filepath"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/seed-4d3eb737/hermes-doctor/evidence/internal/pages"
)

// live is a copy of a database and its WAL, taken while a connection was open.
type live struct {
	main, wal []byte
	rows      [][]any // what SQLite saw at that time
}

const liveSQL = `SELECT +id, +a, +r, +s, +late FROM odd NOT INDEXED ORDER BY id`

// walDatabase makes a database whose later transactions are only in the WAL.
func walDatabase(t testing.TB, pragmas string) (path string, db *sql.DB) {
	return database(t, pragmas+"; PRAGMA journal_mode=wal; PRAGMA wal_autocheckpoint=0", func(db *sql.DB) {
		fillOdd(t, 400)(db)
		exec(t, db, `PRAGMA wal_checkpoint(TRUNCATE)`)
		for i := range 5 {
			exec(t, db, `UPDATE odd SET s = s || 'w' WHERE id % 5 = ?`, i)
		}
		exec(t, db, `INSERT INTO odd(a, s) SELECT a, hex(randomblob(700)) FROM odd WHERE id < 500`)
	})
}

func snapshot(t testing.TB, path string, db *sql.DB) live {
	t.Helper()
	return live{main: readFile(t, path), wal: readFile(t, path+"-wal"), rows: query(t, db, liveSQL)}
}

func scanWAL(t testing.TB, b []byte) (*pages.WAL, *pages.WALScan) {
	t.Helper()
	w, err := pages.OpenWAL(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	s, err := w.Scan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return w, s
}

// merged opens the view of both.
func (l live) merged(t testing.TB) *pages.File {
	t.Helper()
	w, s := scanWAL(t, l.wal)
	o, err := pages.NewOverlay(bytes.NewReader(l.main), int64(len(l.main)), w, s)
	if err != nil {
		t.Fatal(err)
	}
	f, err := pages.Open(o, o.Size())
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestOverlayEqualsSQLite(t *testing.T) {
	for _, pragmas := range []string{"PRAGMA page_size=512", "PRAGMA page_size=4096; PRAGMA auto_vacuum=full", "PRAGMA page_size=65536"} {
		t.Run(pragmas, func(t *testing.T) {
			path, db := walDatabase(t, pragmas)
			check := func(name string) {
				t.Helper()
				l := snapshot(t, path, db)
				f := l.merged(t)
				_, s := scanWAL(t, l.wal)
				for page := range s.Latest {
					if page > s.Pages {
						t.Errorf("%s: page %d of %d is listed", name, page, s.Pages)
					}
				}
				if n := number(t, db, "PRAGMA page_count"); int64(f.Pages()) != n || f.Truncated() {
					t.Errorf("%s: %d pages of %d, truncated %v", name, f.Pages(), n, f.Truncated())
				}
				got := tableRows(t, f, func(fn func(int64, *pages.Record) error) error { return f.Table(t.Context(), roots(t, f)["odd"], fn) })
				if d := cmp.Diff(l.rows, got); d != "" {
					t.Errorf("%s (-want +got):\n%s", name, d)
				}
			}
			check("grown in the wal")
			exec(t, db, `DELETE FROM odd WHERE id > 300`)
			exec(t, db, `VACUUM`)
			check("shrunk in the wal")
			exec(t, db, `PRAGMA wal_checkpoint(RESTART); UPDATE odd SET s = 'again' WHERE id < 10`)
			if _, s := scanWAL(t, readFile(t, path+"-wal")); len(s.Remnants) == 0 {
				t.Error("no older generation behind the new frames")
			}
			check("older generation behind")
		})
	}
}

// TestOverlayEqualsCheckpoint compares bytes with the file that SQLite makes of both.
func TestOverlayEqualsCheckpoint(t *testing.T) {
	path, db := walDatabase(t, "PRAGMA page_size=1024")
	l := snapshot(t, path, db)
	w, s := scanWAL(t, l.wal)
	o, err := pages.NewOverlay(bytes.NewReader(l.main), int64(len(l.main)), w, s)
	if err != nil {
		t.Fatal(err)
	}
	exec(t, db, `PRAGMA wal_checkpoint(TRUNCATE)`)
	want := readFile(t, path)
	if o.Size() != int64(len(want)) {
		t.Fatalf("%d bytes, want %d", o.Size(), len(want))
	}
	if err := iotest.TestReader(io.NewSectionReader(o, 0, o.Size()), want); err != nil {
		t.Error(err)
	}
	if n, err := o.ReadAt(make([]byte, 10), o.Size()-4); n != 4 || err != io.EOF {
		t.Errorf("read over the end: %d, %v", n, err)
	}
	short, err := pages.NewOverlay(bytes.NewReader(nil), 0, w, s)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(io.NewSectionReader(short, 0, short.Size())); !errors.Is(err, pages.ErrCorrupt) {
		t.Errorf("read of what is nowhere: %v", err)
	}
}

func TestScanCounts(t *testing.T) {
	path, db := walDatabase(t, "PRAGMA page_size=1024")
	const frame = 1024 + 24
	l := snapshot(t, path, db)
	slots := int64((len(l.wal) - 32) / frame)
	pageCount := uint32(number(t, db, "PRAGMA page_count"))
	exec(t, db, `PRAGMA wal_checkpoint(RESTART); UPDATE odd SET a = 1 WHERE id = 1; UPDATE odd SET a = 2 WHERE id = 1`)
	next := readFile(t, path+"-wal")
	_, again := scanWAL(t, next)
	flip := func(b []byte, at int) []byte {
		b = bytes.Clone(b)
		b[at] ^= 1
		return b
	}
	tests := []struct {
		name     string
		wal      []byte
		want     pages.WALScan
		remnants int
	}{
		{"whole", l.wal, pages.WALScan{Slots: slots, Frames: slots, Commits: 6, Committed: slots, Pages: pageCount, Stop: pages.StopEnd}, 0},
		{"bytes left over", append(bytes.Clone(l.wal), 1, 2, 3), pages.WALScan{Slots: slots, Frames: slots, Commits: 6, Committed: slots, Pages: pageCount, Stop: pages.StopPartial}, 0},
		{"first frame torn", flip(l.wal, 32+24), pages.WALScan{Slots: slots, Stop: pages.StopChecksum}, 1},
		{"first frame of other salts", flip(l.wal, 32+8), pages.WALScan{Slots: slots, Stop: pages.StopSalts}, 2},
		{"header changed", flip(l.wal, 12), pages.WALScan{Slots: slots, Stop: pages.StopHeader}, 1},
		{"header only", l.wal[:32], pages.WALScan{Stop: pages.StopEnd}, 0},
		{"started again", next, pages.WALScan{Slots: slots, Frames: again.Frames, Commits: 2, Committed: again.Frames, Pages: pageCount, Stop: pages.StopSalts}, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, got := scanWAL(t, tt.wal)
			if d := cmp.Diff(&tt.want, got, cmpopts.IgnoreFields(pages.WALScan{}, "Latest", "Remnants")); d != "" {
				t.Errorf("scan (-want +got):\n%s", d)
			}
			if len(got.Remnants) != tt.remnants {
				t.Errorf("remnants %+v, want %d", got.Remnants, tt.remnants)
			}
		})
	}
	r := again.Remnants[0]
	if r.Current || r.First != again.Frames || r.Frames != slots-again.Frames || r.Commits == 0 || len(again.Latest) == 0 || again.Frames >= slots {
		t.Errorf("remnant %+v of %d slots behind %d frames", r, slots, again.Frames)
	}
}

// TestTornTail cuts the WAL at every frame: only whole transactions may be seen, as SQLite sees them.
func TestTornTail(t *testing.T) {
	path, db := walDatabase(t, "PRAGMA page_size=4096")
	l := snapshot(t, path, db)
	for at := 32; at < len(l.wal); at += 11 * (4096 + 24) {
		torn := live{main: l.main, wal: l.wal[:at]}
		f := torn.merged(t)
		got := tableRows(t, f, func(fn func(int64, *pages.Record) error) error { return f.Table(t.Context(), roots(t, f)["odd"], fn) })
		if d := cmp.Diff(sqliteView(t, torn), got); d != "" {
			t.Errorf("cut at %d (-want +got):\n%s", at, d)
		}
	}
}

// sqliteView lets SQLite recover a copy.
func sqliteView(t *testing.T, l live) [][]any {
	t.Helper()
	path := filepath.Join(t.TempDir(), "copy.db")
	writeFile(t, path, l.main)
	writeFile(t, path+"-wal", l.wal)
	db, err := sql.Open("sqlite3", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	return query(t, db, liveSQL)
}

// TestBigEndianChecksums turns a WAL into the one that a big-endian machine would have written.
func TestBigEndianChecksums(t *testing.T) {
	path, db := walDatabase(t, "PRAGMA page_size=1024")
	l := snapshot(t, path, db)
	l.wal = rechecksum(l.wal, 1024)
	w, _ := scanWAL(t, l.wal)
	if !w.Header().BigEndian || !w.Header().ChecksumValid {
		t.Fatalf("header %+v", w.Header())
	}
	f := l.merged(t)
	got := tableRows(t, f, func(fn func(int64, *pages.Record) error) error { return f.Table(t.Context(), roots(t, f)["odd"], fn) })
	if d := cmp.Diff(l.rows, got); d != "" {
		t.Errorf("rows (-want +got):\n%s", d)
	}
	if d := cmp.Diff(l.rows, sqliteView(t, l)); d != "" {
		t.Errorf("SQLite does not read what the test made (-want +got):\n%s", d)
	}
}

func TestOpenWALRefusals(t *testing.T) {
	path, db := walDatabase(t, "PRAGMA page_size=1024")
	whole := snapshot(t, path, db).wal
	for i, tt := range []struct {
		name string
		at   int
		to   byte
	}{{"magic", 0, 0}, {"version", 7, 0}, {"page size", 10, 3}, {"huge page size", 8, 255}} {
		b := bytes.Clone(whole)
		b[tt.at] = tt.to
		if _, err := pages.OpenWAL(bytes.NewReader(b), int64(len(b))); !errors.Is(err, pages.ErrNotWAL) {
			t.Errorf("%s: %v", tt.name, err)
		}
		if _, err := pages.OpenWAL(bytes.NewReader(whole[:i*10]), int64(i*10)); !errors.Is(err, pages.ErrNotWAL) {
			t.Errorf("%d bytes: %v", i*10, err)
		}
	}
}

func TestOverlayRefusesOtherPageSize(t *testing.T) {
	path, db := walDatabase(t, "PRAGMA page_size=1024")
	l := snapshot(t, path, db)
	other, _ := database(t, "PRAGMA page_size=512", fillOdd(t, 10))
	main := readFile(t, other)
	w, s := scanWAL(t, l.wal)
	if _, err := pages.NewOverlay(bytes.NewReader(main), int64(len(main)), w, s); err == nil {
		t.Error("laid 1024 bytes over 512")
	}
}

func TestScanStopsWithContext(t *testing.T) {
	path, db := walDatabase(t, "")
	w, _ := scanWAL(t, snapshot(t, path, db).wal)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w.Scan(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
