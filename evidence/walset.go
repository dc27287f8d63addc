package evidence

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/seed-4d3eb737/hermes-doctor/evidence/internal/pages"
	"github.com/seed-4d3eb737/hermes-doctor/evidence/internal/sqlitero"
)

// WAL is what a -wal holds and whether it belongs to the database beside it.
type WAL struct {
	Bytes           int64
	Frames, Commits int64 // those that SQLite takes
	Pages           int64 // different pages among them
	Only            int64 // of these, how many have another content in the main file
	Behind          int64 // frames behind those, of older generations or torn
	BehindOnly      int64 // pages among these whose newest content is not in the main file
	// Against are proofs that it is of another file, or of another state of this one; nil = none was found, which is no
	// proof that it belongs.
	Against []string
}

// Foreign says that the -wal is proved not to belong to the file beside it.
func (w *WAL) Foreign() bool { return w != nil && len(w.Against) > 0 }

// weigh fills in what the -wal of the store is.
func (store *Store) weigh(ctx context.Context, s *source, main *os.File, set sizes) error {
	f, _, err := openRegular(s.real + "-wal")
	if err != nil {
		return unreachable(s.path+"-wal", err)
	}
	defer func() { _ = f.Close() }() // opened for reading
	if store.WAL, err = weighWAL(ctx, f, main, set.wal, set.main); err != nil && ctx.Err() == nil {
		store.WAL = nil // that it cannot be read is told where it is
		return nil
	}
	return err
}

// walPages bounds how many pages of a -wal are compared with the main file.
const walPages = 1 << 18

// weighWAL reads the frames of a -wal and compares them with the main file.
func weighWAL(ctx context.Context, wal, main *os.File, walSize, mainSize int64) (*WAL, error) {
	out := &WAL{Bytes: walSize}
	w, err := pages.OpenWAL(wal, walSize)
	if errors.Is(err, pages.ErrNotWAL) {
		return out, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the -wal: %w", bare(err))
	}
	scan, err := w.Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the -wal: %w", bare(err))
	}
	out.Frames, out.Commits, out.Pages = scan.Committed, scan.Commits, int64(len(scan.Latest))
	size := w.Header().PageSize
	for _, r := range scan.Remnants {
		out.Behind += r.Frames
	}
	alike := false
	if out.Against, alike, err = proofs(ctx, w, scan, main, mainSize); err != nil || !alike {
		return out, err
	}
	differ := func(page uint32, at int64) (bool, error) {
		a, b := make([]byte, size), make([]byte, size)
		if _, err := wal.ReadAt(a, at); err != nil {
			return false, fmt.Errorf("read the -wal: %w", bare(err))
		}
		n, err := main.ReadAt(b, int64(page-1)*int64(size))
		if err != nil && !errors.Is(err, io.EOF) {
			return false, fmt.Errorf("read the database: %w", bare(err))
		}
		return n < size || !bytes.Equal(a, b), nil
	}
	count := func(latest map[uint32]int64, to *int64) error {
		seen := 0
		for page, at := range latest {
			if seen++; seen > walPages || ctx.Err() != nil {
				return ctx.Err()
			}
			other, err := differ(page, at)
			if err != nil {
				return err
			}
			if other {
				*to++
			}
		}
		return nil
	}
	if err := count(scan.Latest, &out.Only); err != nil {
		return nil, err
	}
	if scan.Commits == 0 && out.Behind > 0 {
		latest, err := w.Behind(ctx, scan)
		if err != nil {
			return nil, fmt.Errorf("read the -wal: %w", bare(err))
		}
		if err := count(latest, &out.BehindOnly); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// proofs lists what proves that a -wal is not that of the main file. alike is false where their pages cannot be compared,
// because they are of different lengths.
func proofs(ctx context.Context, w *pages.WAL, scan *pages.WALScan, main io.ReaderAt, mainSize int64) (list []string, alike bool, err error) {
	size := w.Header().PageSize
	head := make([]byte, size)
	if _, err := main.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, false, fmt.Errorf("read the database: %w", bare(err))
	}
	h, err := pages.ParseHeader(head[:min(len(head), headerLength)])
	if err != nil { // what is no header proves nothing
		return nil, true, nil
	}
	if h.PageSize != size {
		return []string{fmt.Sprintf("its pages are of %d bytes, those of the file of %d", size, h.PageSize)}, false, nil
	}
	if scan.Commits == 0 {
		return nil, true, nil
	}
	first, err := w.FirstPages(ctx, scan)
	if err != nil {
		return nil, true, fmt.Errorf("read the -wal: %w", bare(err))
	}
	return against(h, head, mainSize, scan, first), true, nil
}

// against compares the header of the main file with the frames. What is said here holds for any sequence of writes and
// checkpoints by SQLite; it was measured with several connections, passive and truncating checkpoints.
//
// The change counter in page 1 never falls from frame to frame. A checkpoint copies page 1 as it stands in a frame, so
// that the main file's page 1 either is one of the frames, or is what the first of them was made from: its counter is
// then the same or one less. A transaction that changes the number of pages writes page 1.
//
// Damage is no proof: the rest of page 1 may be broken, so that its header alone is compared, and pages that the header
// counts and the file does not have were cut off.
func against(h pages.Header, head []byte, mainSize int64, scan *pages.WALScan, first []pages.FirstPage) []string {
	var out []string
	if h.ReadVersion == 1 && h.WriteVersion == 1 {
		out = append(out, "the header of the file says that it is in rollback mode: SQLite removes the -wal before it writes that")
	}
	copied := false
	for _, f := range first {
		copied = copied || bytes.Equal(f.Content[:headerLength], head[:headerLength])
	}
	counter := func(page []byte) uint32 { return binary.BigEndian.Uint32(page[24:]) }
	inForce := h.ChangeCounter == h.VersionValid && h.PageCount > 0
	switch {
	case copied:
	case len(first) == 0:
		if inForce && scan.Pages != h.PageCount {
			out = append(out, fmt.Sprintf("it ends with a database of %d pages, the file has %d, and no frame of it changes their number", scan.Pages, h.PageCount))
		}
	default:
		c, f, l := h.ChangeCounter, counter(first[0].Content), counter(first[len(first)-1].Content)
		switch {
		case c > l:
			out = append(out, fmt.Sprintf("the change counter of the file is %d, and the newest of the -wal is %d: the file is of a later state, or of another history", c, l))
		case f > c+1:
			out = append(out, fmt.Sprintf("the change counter of the file is %d, and the first of the -wal is %d: what came between is in neither", c, f))
		case c > f:
			out = append(out, fmt.Sprintf("the change counter of the file is %d as somewhere in the -wal, and yet its first page is none of the frames", c))
		case inForce && first[0].Before != 0 && first[0].Before != h.PageCount:
			out = append(out, fmt.Sprintf("its first transactions are of a database of %d pages, the file has %d", first[0].Before, h.PageCount))
		}
	}
	there := uint32(min(mainSize/int64(h.PageSize), 1<<32-2))
	if inForce {
		there = max(there, h.PageCount)
	}
	missing := 0
	for page := there + 1; page <= scan.Pages && missing < 1<<20; page++ {
		if _, ok := scan.Latest[page]; !ok {
			missing++
		}
	}
	if missing > 0 {
		out = append(out, fmt.Sprintf("it ends with a database of %d pages, of which %d are neither in it nor in the file", scan.Pages, missing))
	}
	return out
}

// againstRows compares what the two views show of the same rows: an autoincrement counter that falls back, and messages
// that have the same id and are different. Both bounds are generous: an older state differs in its newest ids.
func againstRows(ctx context.Context, alone, both *sqlitero.Conn) ([]string, error) {
	var out []string
	type message struct{ session, at string }
	read := func(conn *sqlitero.Conn) (seq int64, messages map[int64]message, err error) {
		db, err := openDB(ctx, conn)
		if err != nil {
			return 0, nil, err
		}
		defer func() { _ = db.direct.close() }() // opened for reading; the connection stays open
		if db.kinds["sqlite_sequence"] != "" {
			err = db.Query(ctx, "SELECT max(seq) FROM sqlite_sequence WHERE name = 'messages'", nil, func(row []Value) error {
				seq = row[0].Int
				return nil
			})
			if err != nil {
				return 0, nil, err
			}
		}
		t := db.Table("messages")
		if t == nil || !t.Has("id") || !t.Has("session_id") || !t.Has("timestamp") {
			return seq, nil, nil
		}
		messages = map[int64]message{}
		for _, order := range []string{"ASC", "DESC"} {
			err = db.Query(ctx, "SELECT id, session_id, timestamp FROM messages ORDER BY id "+order+" LIMIT 5000", nil, func(row []Value) error {
				messages[row[0].Int] = message{row[1].String(), row[2].String()}
				return nil
			})
			if err != nil {
				return 0, nil, err
			}
		}
		return seq, messages, nil
	}
	seqA, a, err := read(alone)
	if err != nil {
		return nil, err
	}
	seqB, b, err := read(both)
	if err != nil {
		return nil, err
	}
	if seqB < seqA {
		out = append(out, fmt.Sprintf("with it, the counter of message ids falls from %d to %d, which no writer does", seqA, seqB))
	}
	reused := 0
	for id, m := range a {
		if o, ok := b[id]; ok && o.session != m.session && o.at != m.at {
			reused++
		}
	}
	if reused > 0 {
		out = append(out, fmt.Sprintf("with it, %d message ids name other messages than in the file alone", reused))
	}
	return out, nil
}
