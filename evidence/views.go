package evidence

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"github.com/seed-4d3eb737/hermes-doctor/evidence/internal/sqlitero"
)

// View is what one way of reading the file shows.
type View struct {
	Name               string // as Store.View
	Sessions, Messages int64
	Newest             float64 // epoch seconds of the newest trusted message; NaN = none
	Err                error   // why it cannot be read; the counts are then 0
}

// sizes are the lengths of a database's files in bytes; 0 = absent or empty.
type sizes struct{ main, wal, journal int64 }

func sidecarSizes(s *source) sizes {
	size := func(suffix string) int64 {
		if info, err := os.Lstat(s.real + suffix); err == nil && info.Mode().IsRegular() {
			return info.Size()
		}
		return 0
	}
	return sizes{main: size(""), wal: size("-wal"), journal: size("-journal")}
}

// chooseView reads the main file alone and the recovered copy, and says in the store's notes where the two tell
// different stories and which one is used.
func (b *Bundle) chooseView(ctx context.Context, s *source, store *Store, name string, main *os.File, set sizes) (*sqlitero.Conn, error) {
	alone, aloneErr := sqlitero.Open(s.real)
	first := look(ctx, ViewMain, alone, aloneErr)
	recovered, err := b.recovered(ctx, s, main, set)
	if ctx.Err() != nil || errors.As(err, new(*InputError)) {
		return nil, errors.Join(err, ctx.Err(), alone.Close(), recovered.Close())
	}
	second := look(ctx, name, recovered, err)
	if err := ctx.Err(); err != nil {
		return nil, errors.Join(err, alone.Close(), recovered.Close())
	}
	store.Views = []View{first, second}
	if name == ViewWAL && store.WAL != nil && first.Err == nil && second.Err == nil {
		more, err := againstRows(ctx, alone, recovered)
		if ctx.Err() != nil {
			return nil, errors.Join(ctx.Err(), alone.Close(), recovered.Close())
		}
		if err == nil { // what cannot be read proves nothing
			store.WAL.Against = append(store.WAL.Against, more...)
		}
	}
	useMain, note := judge(ctx, first, second, alone, recovered)
	if first.Err == nil && name == ViewWAL && store.WAL.Foreign() {
		useMain, note = true, fmt.Sprintf("the -wal does not belong to the file: %s; the file alone is used, which shows %s", store.WAL.Against[0], first.counts())
		if second.Err == nil {
			note += "; with the -wal it shows " + second.counts()
		}
	}
	if note != "" {
		store.Notes = append(store.Notes, note)
	}
	store.View = name
	if useMain {
		store.View = ViewMain
		return alone, errors.Join(aloneErr, recovered.Close())
	}
	return recovered, errors.Join(err, alone.Close())
}

// judge compares the two views. The recovered one is what Hermes itself would see, so it is used unless it
// cannot be read, or tells an older story and is damaged where the main file is not: then its sidecar belongs
// to another file.
func judge(ctx context.Context, alone, recovered View, aloneConn, recoveredConn *sqlitero.Conn) (useMain bool, note string) {
	switch {
	case recovered.Err != nil && alone.Err != nil:
		return false, ""
	case recovered.Err != nil:
		return true, fmt.Sprintf("the view %s cannot be read (%s); the file alone is used, so what only the sidecar holds is not seen", recovered.Name, oneLine(recovered.Err))
	case alone.Err != nil:
		return false, fmt.Sprintf("the file alone cannot be read (%s); the view %s is used", oneLine(alone.Err), recovered.Name)
	case alone.same(recovered):
		return false, ""
	}
	note = fmt.Sprintf("the file alone shows %s; %s shows %s", alone.counts(), recovered.Name, recovered.counts())
	if recovered.Messages >= alone.Messages && !(recovered.Newest < alone.Newest) {
		return false, note + "; the latter is used"
	}
	if !sound(ctx, recoveredConn) && sound(ctx, aloneConn) {
		return true, note + "; the latter is damaged and older, so the sidecar is of another file: the file alone is used"
	}
	return false, note + "; the latter is used although it is the older story: check that the sidecar belongs to this file"
}

func (v View) same(o View) bool {
	return v.Sessions == o.Sessions && v.Messages == o.Messages && (v.Newest == o.Newest || math.IsNaN(v.Newest) && math.IsNaN(o.Newest))
}

func (v View) counts() string {
	s := fmt.Sprintf("%d sessions, %d messages", v.Sessions, v.Messages)
	if !math.IsNaN(v.Newest) {
		s += ", newest " + FormatFloat(v.Newest)
	}
	return s
}

// look counts what a view shows; err is why it could not be opened.
func look(ctx context.Context, name string, conn *sqlitero.Conn, err error) View {
	v := View{Name: name, Newest: math.NaN()}
	if err != nil {
		v.Err = err
		return v
	}
	db, err := openDB(ctx, conn)
	if err != nil {
		v.Err = err
		return v
	}
	defer func() { _ = db.direct.close() }() // opened for reading; the connection stays open
	ask := func(query string, to func(Value)) {
		if v.Err == nil {
			v.Err = db.Query(ctx, query, nil, func(row []Value) error { to(row[0]); return nil })
		}
	}
	if db.Table("sessions") != nil {
		ask("SELECT count(*) FROM sessions", func(n Value) { v.Sessions = n.Int })
	}
	if t := db.Table("messages"); t != nil {
		ask("SELECT count(*) FROM messages", func(n Value) { v.Messages = n.Int })
		if t.Has("timestamp") {
			ask("SELECT max(timestamp) FROM messages WHERE "+trusted, func(n Value) { v.Newest = number(n) })
		}
	}
	if v.Err != nil {
		v.Sessions, v.Messages, v.Newest = 0, 0, math.NaN()
	}
	return v
}

// sound says whether SQLite finds no fault in the two tables that matter.
func sound(ctx context.Context, conn *sqlitero.Conn) bool {
	db, err := openDB(ctx, conn)
	if err != nil {
		return false
	}
	defer func() { _ = db.direct.close() }() // opened for reading; the connection stays open
	for _, table := range []string{"sessions", "messages"} {
		verdict := ""
		err := db.Query(ctx, "PRAGMA quick_check("+table+")", nil, func(row []Value) error {
			if verdict == "" {
				verdict = row[0].String()
			}
			return nil
		})
		if err != nil || verdict != "ok" {
			return false
		}
	}
	return true
}

// recovered stages the files, lets SQLite recover the copy and opens it.
func (b *Bundle) recovered(ctx context.Context, s *source, main *os.File, set sizes) (*sqlitero.Conn, error) {
	path, err := b.stage(ctx, s, main, set)
	if err != nil {
		return nil, err
	}
	if err := sqlitero.Recover(ctx, path); err != nil {
		return nil, err
	}
	return sqlitero.Open(path)
}

// stage copies the main file and its -wal and -journal, but no -shm, which SQLite makes anew from the -wal, into
// a private folder and gives the copy's path.
func (b *Bundle) stage(ctx context.Context, s *source, main *os.File, set sizes) (string, error) {
	total := set.main + set.wal + set.journal
	dir, err := b.private.folder(total + set.wal)
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "copy.db")
	var before int64
	put := func(suffix string, src *os.File, size int64) error {
		err := sqlitero.Copy(ctx, path+suffix, src, size, func(done int64) { b.progress("copy", before+done, total) })
		before += size
		return err
	}
	if _, err := main.Seek(0, io.SeekStart); err != nil {
		return "", fmt.Errorf("copy %q: %w", s.path, bare(err))
	}
	if err := put("", main, set.main); err != nil {
		return "", fmt.Errorf("copy %q: %w", s.path, bare(err))
	}
	for _, side := range []struct {
		suffix string
		size   int64
	}{{"-wal", set.wal}, {"-journal", set.journal}} {
		if side.size == 0 {
			continue
		}
		f, _, err := openRegular(s.real + side.suffix)
		if err != nil {
			return "", unreachable(s.path+side.suffix, err)
		}
		err = put(side.suffix, f, side.size)
		_ = f.Close() // opened for reading
		if err != nil {
			return "", fmt.Errorf("copy %q: %w", s.path+side.suffix, bare(err))
		}
	}
	return path, nil
}
