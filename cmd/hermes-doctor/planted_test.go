package main

import (
	"bytes"
	"database/sql"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mattn/go-sqlite3"

	"github.com/seed-4d3eb737/hermes-doctor/corpus"
	"github.com/seed-4d3eb737/hermes-doctor/scan/pseudonym"
)

// garden plants secrets: every word of a store that is not of a fixed vocabulary becomes one, the same word the same
// secret, so that the store keeps its shape and its damage and holds nothing that may be passed on.
type garden struct {
	t       *testing.T
	random  *rand.Rand
	keep    map[string]bool
	secrets map[string]string
	numbers map[string]bool // secrets that are numbers
}

func newGarden(t *testing.T, seed uint64) *garden {
	t.Helper()
	g := &garden{t: t, random: rand.New(rand.NewPCG(seed, 7)), keep: pseudonym.Fixed(), secrets: map[string]string{}, numbers: map[string]bool{}}
	words, err := os.ReadFile(filepath.Join("..", "..", "report", "vocabulary.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range strings.Split(string(words), "\n") {
		g.keep[w] = true
	}
	return g
}

// letter begins every secret that is no number; nothing else has it.
const letter = "Zq"

func (g *garden) secret() string {
	b := []byte(letter)
	for range 10 {
		b = append(b, byte('a'+g.random.IntN(26)))
	}
	return string(b)
}

var (
	stamp   = regexp.MustCompile(`^20\d{6}_\d{6}_`)
	aTime   = regexp.MustCompile(`^\d{4}-\d\d-\d\d|^\d\d:\d\d|^\d+T\d+`)
	decimal = regexp.MustCompile(`^\d+$`)
)

func (g *garden) word(w string) string {
	if g.keep[w] || len(w) < 4 && decimal.MatchString(w) || aTime.MatchString(w) || strings.HasPrefix(w, "\x00") {
		return w
	}
	if s, ok := g.secrets[w]; ok {
		return s
	}
	s := stamp.FindString(w) + g.secret()
	if decimal.MatchString(w) {
		if len(w) < 5 || len(w) == 10 && strings.HasPrefix(w, "17") { // a year, a time
			return w
		}
		s = fmt.Sprintf("77%09d", g.random.IntN(1e9))
		g.numbers[s] = true
	}
	g.secrets[w] = s
	return s
}

func (g *garden) text(s string) string { return pseudonym.Map(s, g.word) }

// home plants a whole home; fill also puts a secret into text cells that were blank and decide nothing.
func (g *garden) home(dir string, fill bool) {
	g.t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && d.Name() == "checkpoints" {
			return errors.Join(err, fs.SkipDir)
		}
		if !d.Type().IsRegular() || strings.HasSuffix(path, "-wal") || strings.HasSuffix(path, "-shm") || strings.HasSuffix(path, "-journal") {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if bytes.HasPrefix(data, []byte("SQLite format 3\x00")) {
			return g.database(path, fill)
		}
		if filepath.Ext(path) == ".db" {
			return nil // its header is damaged on purpose, and words in the place of its bytes would damage the rest
		}
		return os.WriteFile(path, []byte(g.text(string(data))), 0o600)
	})
	if err != nil && !errors.Is(err, fs.SkipDir) {
		g.t.Fatal(err)
	}
}

// deciding are blank cells that a secret would change the meaning of.
var deciding = []string{
	"id", "session_key", "chat_id", "chat_type", "thread_id", "user_id", "parent_session_id", "end_reason", "model_config",
	"handoff_state", "profile_name", "origin_json", "source", "session_id", "role", "content", "title", "display_name",
}

func (g *garden) database(path string, fill bool) error {
	db, err := sql.Open("sqlite3", "file:"+path+"?_synchronous=OFF")
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	db.SetMaxOpenConns(1)
	var tables []string
	if _, err := db.Exec("PRAGMA foreign_keys = OFF"); err != nil {
		return nil
	}
	rows, err := db.Query("SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '%\\_fts%' ESCAPE '\\' AND name <> 'schema_version'")
	if err != nil {
		return nil // a database that is damaged on purpose
	}
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return err
		}
		tables = append(tables, name)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	for _, table := range tables {
		if err := g.table(db, table, fill); err != nil {
			return fmt.Errorf("%s: %w", table, err)
		}
	}
	return nil
}

func (g *garden) table(db *sql.DB, table string, fill bool) error {
	rows, err := db.Query("SELECT rowid, * FROM " + table)
	if err != nil {
		return err
	}
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	type cell struct {
		row    any
		column string
		value  any
	}
	var cells []cell
	types, err := rows.ColumnTypes()
	if err != nil {
		return err
	}
	for rows.Next() {
		values := make([]any, len(columns))
		into := make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return err
		}
		for i := 1; i < len(columns); i++ {
			switch v := values[i].(type) {
			case string:
				cells = append(cells, cell{values[0], columns[i], g.text(v)})
			case nil:
				if fill && strings.EqualFold(types[i].DatabaseTypeName(), "TEXT") && !slices.Contains(deciding, columns[i]) {
					cells = append(cells, cell{values[0], columns[i], g.text(g.secret() + " " + fmt.Sprint(g.random.IntN(1e9)) + ` {"` + g.secret() + `": "` + g.secret() + `"}`)})
				}
			}
		}
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return err
	}
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	for _, c := range cells {
		if _, err := tx.Exec("UPDATE "+table+" SET \""+c.column+"\" = ? WHERE rowid = ?", c.value, c.row); err != nil {
			var refused sqlite3.Error
			switch errors.As(err, &refused); refused.Code {
			case sqlite3.ErrConstraint: // rows that stand twice on purpose
				continue
			case sqlite3.ErrCorrupt: // an index that is damaged on purpose: the table stays as it was
				return tx.Rollback()
			}
			return errors.Join(err, tx.Rollback())
		}
	}
	return tx.Commit()
}

var (
	digitRuns  = regexp.MustCompile(`\d{11,}`)
	base64Runs = regexp.MustCompile(`[A-Za-z0-9+/]{8,}`)
	forms      = []*regexp.Regexp{regexp.MustCompile(letter + `[a-z]{4}`), regexp.MustCompile(`Z\x00q\x00(?:[a-z]\x00){4}`), regexp.MustCompile(`\x00Z\x00q(?:\x00[a-z]){4}`)}
	escaped    = regexp.MustCompile(`(?i)\\u005a|\\x5a|Z\\u0071`)
)

// leak finds a secret in what was passed on: as it is, in UTF-16, in base64 or escaped. "" = there is none.
func (g *garden) leak(data []byte) string {
	// The bytes of a number may look like two letters of a secret, and not like six.
	for _, form := range forms {
		if at := form.FindIndex(data); at != nil {
			return around(data, at[0])
		}
	}
	if at := escaped.FindIndex(data); at != nil {
		return around(data, at[0])
	}
	for _, at := range digitRuns.FindAllIndex(data, -1) {
		for n := at[0]; n+11 <= at[1]; n++ {
			if g.numbers[string(data[n:n+11])] {
				return around(data, at[0])
			}
		}
	}
	for _, at := range base64Runs.FindAllIndex(data, -1) {
		run := data[at[0]:at[1]]
		for skip := range 4 {
			if skip >= len(run) {
				break
			}
			part := run[skip:]
			part = part[:len(part)-len(part)%4]
			raw, err := base64.StdEncoding.DecodeString(string(part))
			if err == nil && regexp.MustCompile(`Zq[a-z]{4}`).Match(raw) {
				return around(data, at[0]) + " (base64)"
			}
		}
	}
	return ""
}

func around(data []byte, at int) string {
	return fmt.Sprintf("%q", data[max(0, at-80):min(len(data), at+80)])
}

// cases are the embedded cases whose store can be built here.
func cases(t *testing.T) []corpus.Case {
	t.Helper()
	dir, err := corpus.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	all, err := corpus.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// tell runs the program as a shell would.
func tell(t *testing.T, args ...string) (code int, stdout, stderr []byte) {
	t.Helper()
	var out, complaints bytes.Buffer
	code = run(t.Context(), args, []string{"COLUMNS=100", "TMPDIR=" + t.TempDir()}, strings.NewReader(""), &out, &complaints)
	return code, out.Bytes(), complaints.Bytes()
}
