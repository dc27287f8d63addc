package bundle

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/scan/pseudonym"
)

// Checked is what a look through the files of a bundle came to.
type Checked struct {
	Files, Words int
	Kept         []string // the words of the fixed vocabulary that are in it, sorted
	Whole        bool     // every word of the source was compared; else the source had too many
}

// LeakError says which file of a bundle holds what. It does not repeat it.
type LeakError struct {
	File string
	What string
}

// Error is one line.
func (e *LeakError) Error() string {
	return fmt.Sprintf("%s of the bundle holds %s", e.File, e.What)
}

// Check reads every file below dir again and proves that no word of four bytes or more of the source stands in it, but for
// those of the fixed vocabulary. In the skeleton a word must be of that vocabulary or a pseudonym; in a report, which own
// names, it may also be a word that this program writes. The error is a *LeakError for the first word that is neither.
func (m *Made) Check(ctx context.Context, dir string, own func(word string) bool) (*Checked, error) {
	c := &checking{Made: m, own: own, kept: map[string]bool{}}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		c.file = filepath.ToSlash(rel)
		c.strict = strings.HasPrefix(path, m.Dir+string(filepath.Separator))
		c.store = c.strict && strings.Contains("/"+c.file+"/", "/checkpoints/")
		if rel != "." {
			if err := c.text(d.Name()); err != nil {
				return err
			}
		}
		if !d.Type().IsRegular() {
			return nil
		}
		c.out.Files++
		return c.read(ctx, path)
	})
	if err != nil {
		return nil, err
	}
	c.out.Kept, c.out.Whole = slices.Sorted(maps.Keys(c.kept)), !m.veil.full
	return &c.out, nil
}

type checking struct {
	*Made
	own    func(string) bool
	kept   map[string]bool
	file   string
	strict bool
	store  bool // the file is of a checkpoint store
	out    Checked
}

// read looks through one file: a database by its cells and by its bytes, any other as text. A file may be of any size, so
// that only small ones are read whole.
func (c *checking) read(ctx context.Context, path string) (err error) {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("check the bundle: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	in := bufio.NewReaderSize(f, 1<<16)
	switch {
	case c.store && strings.HasSuffix(c.file, ".idx"): // ids and places of what the pack has
		return nil
	case c.store && strings.HasSuffix(c.file, ".pack"):
		return c.pack(in)
	case c.store && (looseName.MatchString(c.file) || strings.HasSuffix(c.file, "/pathspec")):
		data, err := io.ReadAll(in)
		switch {
		case err != nil:
			return fmt.Errorf("check the bundle: %w", err)
		case looseName.MatchString(c.file):
			return c.loose(data)
		}
		return c.text(strings.ReplaceAll(string(data), "\x00", "\n"))
	}
	if head, _ := in.Peek(16); !bytes.Equal(head, []byte("SQLite format 3\x00")) { // a short one is no database
		if !c.strict && strings.HasSuffix(c.file, ".json") {
			return c.pieces(ctx, &uncounted{in: in}, c.text)
		}
		return c.pieces(ctx, in, c.text)
	}
	if err := c.cells(ctx, path); err != nil {
		return err
	}
	// The bytes of a page run together and long cells are parted, so that here only a long word of the source counts.
	return c.pieces(ctx, in, func(s string) (leak error) {
		pseudonym.Map(s, func(w string) string {
			if leak == nil && len(w) >= 2*telling && !digits(w) && !spelt(w) && c.veil.saw(w) && !c.veil.maker.Issued(w) {
				leak = &LeakError{c.file, "a word of the source among its bytes"}
			}
			return w
		})
		return leak
	})
}

const (
	piece    = 1 << 20 // bytes of a file that are looked through at a time
	mostWord = 8 << 20 // bytes of a word that is not parted: no cell that a skeleton writes holds a longer one
)

// pieces gives a file to look in pieces that end between two words.
func (c *checking) pieces(ctx context.Context, in io.Reader, look func(string) error) error {
	var held []byte
	buf := make([]byte, piece)
	for {
		n, err := io.ReadFull(in, buf)
		last := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err := errors.Join(ctx.Err(), err); err != nil && !last {
			return fmt.Errorf("check %s of the bundle: %w", c.file, err)
		}
		fresh := buf[:n]
		end := bytes.LastIndexFunc(fresh, pseudonym.Separates)
		switch {
		case last || len(held)+n > mostWord:
			end = n
		case end < 0:
			held = append(held, fresh...)
			continue
		}
		held = append(held, fresh[:end]...)
		if err := look(string(held)); err != nil || last {
			return err
		}
		held = append(held[:0], fresh[end:]...)
	}
}

// cells looks through every cell and every statement of the schema.
func (c *checking) cells(ctx context.Context, path string) (err error) {
	db, err := sql.Open("sqlite3", "file:"+uri(path)+"?mode=ro&immutable=1")
	if err != nil {
		return fmt.Errorf("check the bundle: %w", err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	names := []string{}
	rows, err := db.QueryContext(ctx, "SELECT name FROM sqlite_schema WHERE type = 'table'")
	if err != nil {
		return fmt.Errorf("check the bundle: %w", err)
	}
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return errors.Join(err, rows.Close())
		}
		names = append(names, name)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return fmt.Errorf("check the bundle: %w", err)
	}
	for _, name := range names {
		if !slices.Contains(tables, name) && name != "sqlite_sequence" {
			return &LeakError{c.file, "a table that is not carried"}
		}
		if err := c.table(ctx, db, name); err != nil {
			return err
		}
	}
	return nil
}

func (c *checking) table(ctx context.Context, db *sql.DB, name string) (err error) {
	rows, err := db.QueryContext(ctx, "SELECT * FROM "+name)
	if err != nil {
		return fmt.Errorf("check the bundle: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	names, err := rows.Columns()
	if err != nil {
		return fmt.Errorf("check the bundle: %w", err)
	}
	for _, n := range names {
		if !columns[n] && name != "sqlite_sequence" {
			return &LeakError{c.file, "a column that is not carried"}
		}
	}
	cells, into := make([]any, len(names)), make([]any, len(names))
	for i := range cells {
		into[i] = &cells[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return fmt.Errorf("check the bundle: %w", err)
		}
		for _, v := range cells {
			var err error
			switch v := v.(type) {
			case string:
				if name != "sqlite_sequence" {
					err = c.text(v)
				}
			case []byte:
				err = c.text(string(v))
			}
			if err != nil {
				return err
			}
		}
	}
	return rows.Err()
}

// timePart is what is left of a time in ISO form between its marks.
var timePart = regexp.MustCompile(`^\d{2}T\d{2}$|^20\d{6}_\d{6}$|^\d{8}T\d{4,6}Z?$|^\d+Z$`)

// ours are the words of lines and files that the skeleton writes anew.
var ours = set(`INFO run turn_context inbound conversation turn response ready user chat history time api_calls chars from
ended recovered repointing stale entry end_reason pruning left crashed routing live still sessions dropping healed compressed
mapping SessionStore Failed create session row predecessor error Current Session Context Source with User content request
messages clean_shutdown restart_failure_counts pending Persisted transcript lagged cached history disk memory preserving
conversation context possible write corruption`)

// statements are the words of the schema that is spelt here.
var statements = set("CREATE TABLE INDEX UNIQUE PRIMARY AUTOINCREMENT TEXT INTEGER REAL BLOB NUMERIC SQLite format table index sqlite_sequence")

// spelt says whether a word is one of the schema or of the settings, which are a fixed list too.
func spelt(w string) bool {
	return columns[w] || statements[w] || settable[w] || slices.Contains(tables, w) || strings.HasPrefix(w, "sqlite_autoindex_")
}

// dumped is the name of a request dump, which joins the id of its session with words of its own.
var dumped = regexp.MustCompile(`^request_dump_(.+)_20000101_000000_\d{6}$`)

// text looks through the words of a text.
func (c *checking) text(s string) error {
	var leak error
	pseudonym.Map(s, func(w string) string {
		if leak != nil || len(w) < telling {
			return w
		}
		w = strings.TrimPrefix(strings.TrimPrefix(w, "\x00json"), "sessions_")
		if name := dumped.FindStringSubmatch(w); name != nil {
			w = name[1]
		}
		if id, ok := strings.CutPrefix(w, "session_"); ok && c.veil.maker.Issued(id) { // the file of a session
			w = id
		}
		for _, b := range gitBegins {
			if c.store && strings.HasSuffix(b, "_") {
				w = strings.TrimPrefix(w, b)
			}
		}
		c.out.Words++
		m := c.veil.maker
		switch {
		case m.Keeps(w):
			c.kept[w] = true
		case timePart.MatchString(w), digits(w) && strings.HasSuffix(c.file, "config.yaml"): // a setting
		case m.Issued(w):
			if c.veil.saw(w) {
				leak = &LeakError{c.file, "a pseudonym that is a word of the source"}
			}
		case c.veil.maker.Issued(strings.TrimSuffix(w, "\xff")):
		case c.store && (storeWords[w] || reasons[w] || legacyPart.MatchString(w)):
		case ours[w], settable[w], ours[strings.ToLower(w)], len(w) == telling && digits(w):
		case !c.strict && c.own(w):
		case c.veil.saw(w) && !(digits(w) && !c.strict && len(w) < 6):
			leak = &LeakError{c.file, "a word of the source"}
		case c.strict && !digits(w):
			platform := strings.ToLower(w)
			if !m.Keeps(platform) && !m.Issued(platform) {
				leak = &LeakError{c.file, "a word that is neither fixed nor a pseudonym"}
			}
		}
		return w
	})
	return leak
}

func digits(w string) bool { return strings.Trim(w, "0123456789") == "" }
