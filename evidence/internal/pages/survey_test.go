package pages_test

import (
	"bytes"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-4d3eb737/hermes-doctor/evidence/internal/pages"
)

func survey(t testing.TB, b []byte, q pages.SurveyQuery) *pages.Survey {
	t.Helper()
	f, err := pages.Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	s, err := f.Survey(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSurveyOfAWholeFile(t *testing.T) {
	for name, pragmas := range layouts() {
		t.Run(name, func(t *testing.T) {
			path, db := database(t, pragmas, func(db *sql.DB) {
				fillOdd(t, 1500)(db)
				exec(t, db, "DELETE FROM odd WHERE id % 4 = 1") // so that there is a freelist
			})
			for _, leaves := range []bool{true, false} {
				s := survey(t, readFile(t, path), pages.SurveyQuery{Leaves: leaves})
				if s.Count != 0 || len(s.Troubles) != 0 {
					t.Errorf("leaves %t: %d troubles in a sound file: %+v", leaves, s.Count, s.Troubles)
				}
				if s.Whole != leaves {
					t.Errorf("leaves %t: whole is %t", leaves, s.Whole)
				}
				if got, want := s.Free, number(t, db, "PRAGMA freelist_count"); got != want {
					t.Errorf("leaves %t: %d free pages, SQLite has %d", leaves, got, want)
				}
				for _, tree := range s.Trees {
					if tree.Entry.Name == "odd" && leaves && tree.Cells != number(t, db, "SELECT count(*) FROM odd") {
						t.Errorf("%d rows of odd", tree.Cells)
					}
				}
			}
		})
	}
}

// findsFault says whether SQLite finds a fault of the structure in a file: what it says of indexes and rows that do not fit
// is for whoever compares them.
func findsFault(t *testing.T, b []byte) (fault bool, said string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.db")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite3", "file:"+path+"?immutable=1")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query("PRAGMA integrity_check(20)")
	if err != nil {
		return true, err.Error()
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			return true, err.Error()
		}
		all = append(all, line)
	}
	if err := rows.Err(); err != nil {
		return true, err.Error()
	}
	said = strings.Join(all, "; ")
	return said != "ok", said
}

// TestSurveyFlips changes each byte of two small files, one at a time, and compares what the survey says with SQLite's
// integrity_check. A flip that only SQLite notices must be of a kind that the survey leaves to it by design.
func TestSurveyFlips(t *testing.T) {
	if testing.Short() {
		t.Skip("looks at thousands of files")
	}
	path, _ := database(t, "PRAGMA page_size=512", fillOdd(t, 40))
	seed := readFile(t, path)
	step := max(1, len(seed)/6000)
	both, neither, ours, theirs := 0, 0, 0, map[string]int{}
	for at := 0; at < len(seed); at += step {
		b := bytes.Clone(seed)
		b[at] ^= 0xff
		f, err := pages.Open(bytes.NewReader(b), int64(len(b)))
		found := err != nil
		if err == nil {
			s, err := f.Survey(t.Context(), pages.SurveyQuery{Leaves: true})
			if err != nil {
				t.Fatalf("byte %d: %v", at, err)
			}
			found = s.Count > 0
		}
		fault, said := findsFault(t, b)
		switch {
		case fault && found:
			both++
		case !fault && !found:
			neither++
		case found:
			ours++
		default:
			if kindOfFault(said) == "structure" {
				t.Logf("byte %d: %s", at, said)
			}
			theirs[kindOfFault(said)]++
		}
	}
	t.Logf("of %d flips: both %d, neither %d, the survey alone %d, SQLite alone %v", both+neither+ours+total(theirs), both, neither, ours, theirs)
	if n := theirs["structure"]; n > 0 {
		t.Errorf("%d faults of the structure that only SQLite sees", n)
	}
	if both < 100 {
		t.Errorf("%d flips were noticed by both: the test damages nothing", both)
	}
}

func total(m map[string]int) (n int) {
	for _, v := range m {
		n += v
	}
	return n
}

// kindOfFault sorts what SQLite said: rows and indexes that do not fit are compared elsewhere, free bytes inside pages
// hold no row, and the text of the schema is SQLite's to read.
func kindOfFault(said string) string {
	for _, known := range []struct{ part, kind string }{
		{"missing from index", "index"}, {"wrong # of entries", "index"}, {"values differ", "index"}, {"non-unique", "index"},
		{"malformed database schema", "schema"}, {"unsupported file format", "header"},
		{"ragmentation", "free bytes"}, {"Multiple uses for byte", "free bytes"}, {"btreeInitPage", "free bytes"}, {"free space corruption", "free bytes"},
		{"NULL value", "rows"}, {"NUMERIC value", "rows"}, {"TEXT value", "rows"},
	} {
		if strings.Contains(said, known.part) {
			return known.kind
		}
	}
	return "structure"
}

// TestSurveyDamage damages files in the ways of the public reports.
func TestSurveyDamage(t *testing.T) {
	const ps = 1024
	path, _ := database(t, fmt.Sprintf("PRAGMA page_size=%d", ps), fillOdd(t, 900))
	seed := readFile(t, path)
	root := int(roots(t, open(t, path))["odd"])
	page := func(b []byte, n int) []byte { return b[(n-1)*ps : n*ps] }
	// The first children of the root of odd.
	kid := func(b []byte, i int) int {
		p := page(b, root)
		at := int(p[12+2*i])<<8 | int(p[13+2*i])
		return int(p[at])<<24 | int(p[at+1])<<16 | int(p[at+2])<<8 | int(p[at+3])
	}
	for _, tt := range []struct {
		name   string
		damage func(b []byte) []byte
		want   string
		looks  string
	}{
		{"type byte of a leaf", func(b []byte) []byte { page(b, kid(b, 0))[0] = 0x2a; return b }, "b-tree page of kind 42", ""},
		{"a page of NUL bytes", func(b []byte) []byte { clear(page(b, kid(b, 1))); return b }, "b-tree page of kind 0", "NUL bytes"},
		{"two cells lead to one page", func(b []byte) []byte {
			p := page(b, root)
			at, to := int(p[12])<<8|int(p[13]), int(p[14])<<8|int(p[15])
			copy(p[at:at+4], p[to:to+4])
			return b
		}, "used twice", ""},
		{"a leaf over its neighbour", func(b []byte) []byte { copy(page(b, kid(b, 1)), page(b, kid(b, 0))); return b }, "out of order", ""},
		{"freelist of another file", func(b []byte) []byte { copy(b[32:36], []byte{10, 0, 0, 0}); return b }, "outside the", ""},
		{"cut short", func(b []byte) []byte { return b[:len(b)-3*ps] }, "cut short", ""},
		{"a second database behind", func(b []byte) []byte {
			b = append(b, b[:2*ps]...)
			b[30], b[31] = byte((len(b)/ps)>>8), byte(len(b)/ps)
			return b
		}, "nothing uses", "the beginning of another database"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := survey(t, tt.damage(bytes.Clone(seed)), pages.SurveyQuery{Leaves: true})
			for _, tr := range s.Troubles {
				if strings.Contains(tr.Reason, tt.want) && (tt.looks == "" || tr.Looks == tt.looks) {
					return
				}
			}
			t.Errorf("no %q (%s) among %+v", tt.want, tt.looks, s.Troubles)
		})
	}
}

func FuzzSurvey(f *testing.F) {
	for _, seed := range seeds(f) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		file, err := pages.Open(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return
		}
		look := func(rec *pages.Record) {
			for i := range rec.Len() {
				rec.Column(i)
			}
		}
		for _, leaves := range []bool{false, true} {
			s, err := file.Survey(t.Context(), pages.SurveyQuery{
				Leaves: leaves,
				Row:    func(_ int, _ uint32, _ int64, rec *pages.Record) error { look(rec); return nil },
				Entry:  func(_ int, rec *pages.Record) error { look(rec); return nil },
			})
			if err != nil {
				t.Fatal(err)
			}
			if len(s.Troubles) > s.Count || s.Unused+s.Free > int64(file.Pages()) {
				t.Errorf("survey %+v", s)
			}
		}
		for page := range min(file.Pages(), 30) {
			_ = file.Scavenge(t.Context(), page, func(_ uint32, _ int64, rec *pages.Record) error { look(rec); return nil })
			_ = file.ScavengeIndex(t.Context(), page, func(_ uint32, rec *pages.Record) error { look(rec); return nil })
			if err := file.ScavengePage(t.Context(), page+1, func(_ int64, rec *pages.Record) error { look(rec); return nil }); err != nil && page > 0 {
				_ = err // the first damage of the page
			}
		}
	})
}
