package salvage_test

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "github.com/mattn/go-sqlite3"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/fix/ddl"
	"github.com/seed-4d3eb737/hermes-doctor/fix/salvage"
)

// store is a database that was made by SQLite, and what was put into it.
type store struct {
	path     string
	ps       int
	messages map[int64]string // id: every cell of the row
	sessions map[string]string
}

const rowOf = "session_id || '|' || role || '|' || coalesce(hex(content), '-') || '|' || timestamp"

func openDB(t testing.TB, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	return db
}

func exec1(t testing.TB, db *sql.DB, q string, args ...any) {
	t.Helper()
	if _, err := db.Exec(q, args...); err != nil {
		t.Fatalf("%.80s: %v", q, err)
	}
}

// make25 makes a store of schema 25 with n messages in 20 sessions, some of them long, some deleted.
func make25(t testing.TB, ps, n int, wal bool) *store {
	t.Helper()
	s := &store{path: filepath.Join(t.TempDir(), "state.db"), ps: ps}
	db := openDB(t, s.path)
	exec1(t, db, fmt.Sprintf("PRAGMA page_size=%d", ps))
	var fts bool
	if err := db.QueryRow("SELECT sqlite_compileoption_used('ENABLE_FTS5')").Scan(&fts); err != nil {
		t.Fatal(err)
	}
	list, err := ddl.Schema("25", "", fts)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range list {
		exec1(t, db, q)
	}
	if wal {
		exec1(t, db, "PRAGMA journal_mode=wal")
		exec1(t, db, "PRAGMA wal_autocheckpoint=0")
	}
	rnd := rand.New(rand.NewPCG(3, 4))
	put := func(from, to int) {
		tx, err := db.Begin()
		if err != nil {
			t.Fatal(err)
		}
		for i := from; i < to; i++ {
			text := fmt.Sprintf("message %d ", i) + strings.Repeat("word ", rnd.IntN(40))
			if i%61 == 0 {
				text += strings.Repeat(fmt.Sprintf("%d ", i), 2000)
			}
			if _, err := tx.Exec("INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, ?, ?, ?)",
				fmt.Sprintf("s%02d", i%20), []string{"user", "assistant"}[i%2], text, 1790000000+float64(i)*10+0.5); err != nil {
				t.Fatal(err)
			}
		}
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 20 {
		exec1(t, db, "INSERT INTO sessions (id, source, session_key, chat_id, chat_type, started_at, title) VALUES (?, 'telegram', ?, ?, 'dm', ?, ?)",
			fmt.Sprintf("s%02d", i), fmt.Sprintf("agent:main:telegram:dm:%d", i), fmt.Sprint(i), 1790000000+i*10, fmt.Sprintf("title %d", i))
	}
	exec1(t, db, "INSERT INTO gateway_routing VALUES ('', 'k', '{}', 1790000000)")
	put(0, n)
	exec1(t, db, "DELETE FROM messages WHERE id % 17 = 3")
	if wal {
		exec1(t, db, "PRAGMA wal_checkpoint(TRUNCATE)")
		put(n, n+n/4)
	}
	s.messages, s.sessions = rowsOf(t, db)
	if wal {
		walBytes, err := os.ReadFile(s.path + "-wal")
		if err != nil {
			t.Fatal(err)
		}
		main, err := os.ReadFile(s.path)
		if err != nil {
			t.Fatal(err)
		}
		db.Close()
		for name, b := range map[string][]byte{"": main, "-wal": walBytes} {
			if err := os.WriteFile(s.path+name, b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return s
	}
	db.Close()
	return s
}

// rowsOf reads the talk of a database.
func rowsOf(t testing.TB, db *sql.DB) (map[int64]string, map[string]string) {
	t.Helper()
	messages, sessions := map[int64]string{}, map[string]string{}
	rows, err := db.Query("SELECT id, " + rowOf + " FROM messages NOT INDEXED")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		var text string
		if err := rows.Scan(&id, &text); err != nil {
			t.Fatal(err)
		}
		messages[id] = text
	}
	more, err := db.Query("SELECT id, source || '|' || coalesce(session_key, '-') || '|' || started_at || '|' || coalesce(title, '-') FROM sessions NOT INDEXED")
	if err != nil {
		t.Fatal(err)
	}
	defer more.Close()
	for more.Next() {
		var id, text string
		if err := more.Scan(&id, &text); err != nil {
			t.Fatal(err)
		}
		sessions[id] = text
	}
	return messages, sessions
}

// salvaged runs Salvage and reads the new file.
func salvaged(t testing.TB, path string, more ...string) (*salvage.Manifest, map[int64]string, map[string]string) {
	t.Helper()
	w, err := evidence.OpenWreck(t.Context(), path, more)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	out := filepath.Join(t.TempDir(), "new.db")
	m, err := salvage.Salvage(t.Context(), w, salvage.Options{Output: out})
	if err != nil {
		t.Fatal(err)
	}
	db := openDB(t, out)
	defer db.Close()
	messages, sessions := rowsOf(t, db)
	return m, messages, sessions
}

// page gives the bytes of a page of a file.
func page(b []byte, ps, n int) []byte { return b[(n-1)*ps : n*ps] }

// root is the root page of an object, as SQLite says.
func root(t testing.TB, path, name string) int {
	t.Helper()
	db := openDB(t, path)
	defer db.Close()
	var n int
	if err := db.QueryRow("SELECT rootpage FROM sqlite_schema WHERE name = ?", name).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// kids are the children of an interior page of a table.
func kids(b []byte, ps, n int) []int {
	p := page(b, ps, n)
	if p[0] != 5 {
		return nil
	}
	u32 := func(at int) int { return int(p[at])<<24 | int(p[at+1])<<16 | int(p[at+2])<<8 | int(p[at+3]) }
	var out []int
	for i := range int(p[3])<<8 | int(p[4]) {
		out = append(out, u32(int(p[12+2*i])<<8|int(p[13+2*i])))
	}
	return append(out, u32(8))
}

func TestSalvageOfASoundFile(t *testing.T) {
	for _, ps := range []int{512, 4096, 65536} {
		for _, wal := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d wal %t", ps, wal), func(t *testing.T) {
				s := make25(t, ps, 600, wal)
				m, messages, sessions := salvaged(t, s.path)
				same(t, s, messages, sessions)
				if !m.Complete || len(m.Account.Lost) > 0 || len(m.Account.Deleted) == 0 {
					t.Errorf("complete %t, lost %v, deleted %v, left %v, notes %q", m.Complete, m.Account.Lost, m.Account.Deleted, m.Left, m.Notes)
				}
			})
		}
	}
}

// same says that everything that was put in came out.
func same(t *testing.T, s *store, messages map[int64]string, sessions map[string]string) {
	t.Helper()
	for id, text := range s.messages {
		if messages[id] != text {
			t.Errorf("message %d: %.80q, was %.80q", id, messages[id], text)
		}
	}
	for id := range messages {
		if _, ok := s.messages[id]; !ok {
			t.Errorf("message %d was never there, or was deleted", id)
		}
	}
	for id, text := range s.sessions {
		if sessions[id] != text {
			t.Errorf("session %s: %q, was %q", id, sessions[id], text)
		}
	}
}

// damages are the kinds of damage of the public reports that a file can have and still be a database.
func damages(t testing.TB, s *store) map[string]func(b []byte) []byte {
	ps, top := s.ps, root(t, s.path, "messages")
	return map[string]func(b []byte) []byte{
		"header overwritten": func(b []byte) []byte { copy(b, "\x15\x03\x03\x00\x13 not a header at all"); return b },
		"page 1 overwritten by another": func(b []byte) []byte {
			copy(page(b, ps, 1), page(b, ps, kids(b, ps, top)[0]))
			return b
		},
		"type bytes of leaves": func(b []byte) []byte {
			for _, k := range kids(b, ps, top)[:2] {
				page(b, ps, k)[0] = 0x2a
			}
			return b
		},
		"root of messages": func(b []byte) []byte { clear(page(b, ps, top)); return b },
		"cells crossed": func(b []byte) []byte {
			p := page(b, ps, top)
			at, to := int(p[12])<<8|int(p[13]), int(p[14])<<8|int(p[15])
			copy(p[at:at+4], p[to:to+4])
			return b
		},
		"leaf over its neighbour": func(b []byte) []byte {
			k := kids(b, ps, top)
			copy(page(b, ps, k[1]), page(b, ps, k[0]))
			return b
		},
		"freelist":  func(b []byte) []byte { copy(b[32:36], []byte{10, 0, 0, 0}); return b },
		"cut short": func(b []byte) []byte { return b[:len(b)-5*ps] },
		"a run of NUL": func(b []byte) []byte {
			clear(b[len(b)/2/ps*ps : (len(b)/2/ps+6)*ps])
			return b
		},
		"sessions' root": func(b []byte) []byte { clear(page(b, ps, root(t, s.path, "sessions"))); return b },
	}
}

// recovered is what SQLite's own .recover gets back: rows of messages and sessions in their tables; nil without the shell.
func recovered(t testing.TB, path string) (messages map[int64]string, sessions map[string]string, ok bool) {
	t.Helper()
	shell, err := exec.LookPath("sqlite3")
	if err != nil {
		return nil, nil, false
	}
	out := filepath.Join(t.TempDir(), "recovered.db")
	script, err := exec.CommandContext(t.Context(), shell, path, ".recover").Output()
	if err != nil && len(script) == 0 {
		return map[int64]string{}, map[string]string{}, true
	}
	cmd := exec.CommandContext(t.Context(), shell, out)
	cmd.Stdin = bytes.NewReader(script)
	_ = cmd.Run() // errors of single statements: the rest is there
	db := openDB(t, out)
	defer db.Close()
	var n int
	if db.QueryRow("SELECT count(*) FROM sqlite_schema WHERE name IN ('messages', 'sessions')").Scan(&n) != nil || n != 2 {
		messages = map[int64]string{}
		orphans(t, db, messages)
		return messages, map[string]string{}, true
	}
	messages, sessions = rowsOf(t, db)
	orphans(t, db, messages)
	return messages, sessions, true
}

// orphans adds the rows that .recover could give to no table and that have the shape of a message.
func orphans(t testing.TB, db *sql.DB, messages map[int64]string) {
	at := slices.IndexFunc(ddl.Columns("25", "messages"), func(c string) bool { return strings.HasPrefix(c, "timestamp ") })
	rows, err := db.Query(fmt.Sprintf("SELECT id, c1 || '|' || c2 || '|' || coalesce(hex(c3), '-') || '|' || c%d FROM lost_and_found WHERE c2 IN ('user', 'assistant') AND c%d > 1e9", at, at))
	if err != nil {
		return // there is no such table, or no row of that many columns
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		var text string
		if rows.Scan(&id, &text) == nil && messages[id] == "" {
			messages[id] = text
		}
	}
}

func TestSalvageBesideRecover(t *testing.T) {
	if _, err := exec.LookPath("sqlite3"); err != nil {
		t.Log("there is no sqlite3 shell: salvage is compared with what was put in alone")
	}
	for _, ps := range []int{1024, 4096} {
		s := make25(t, ps, 1500, false)
		seed, err := os.ReadFile(s.path)
		if err != nil {
			t.Fatal(err)
		}
		for name, damage := range damages(t, s) {
			t.Run(fmt.Sprintf("%d %s", ps, name), func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "state.db")
				if err := os.WriteFile(path, damage(bytes.Clone(seed)), 0o600); err != nil {
					t.Fatal(err)
				}
				m, messages, sessions := salvaged(t, path)
				right := judge(t, s, m, messages, sessions)
				theirs, theirSessions, ok := recovered(t, path)
				theirRight, theirExtra := 0, 0
				for id, text := range theirs {
					switch {
					case s.messages[id] == text:
						theirRight++
						if messages[id] != text {
							t.Errorf("message %d: .recover has it and salvage does not", id)
						}
					default:
						theirExtra++
					}
				}
				theirSess := 0
				for id, text := range theirSessions {
					if s.sessions[id] == text {
						theirSess++
						if sessions[id] != text {
							t.Errorf("session %s: .recover has it and salvage has %q", id, sessions[id])
						}
					}
				}
				t.Logf(t.Name()+": of %d messages salvage %d right, .recover (%t) %d right and %d that were not there; sessions of %d: %d, %d; lost %v deleted %d runs",
					len(s.messages), right, ok, theirRight, theirExtra, len(s.sessions), len(sessions), theirSess, m.Account.Lost, len(m.Account.Deleted))
			})
		}
	}
}

// judge compares the new file with what was put in, and the account with both. It gives the number of messages that are right.
func judge(t *testing.T, s *store, m *salvage.Manifest, messages map[int64]string, sessions map[string]string) (right int) {
	t.Helper()
	in := func(list []salvage.Range, id int64) bool {
		for _, r := range list {
			if id >= r[0] && id <= r[1] {
				return true
			}
		}
		return false
	}
	a := &m.Account
	for id := int64(1); id <= a.HighWater; id++ {
		n := 0
		for _, list := range [][]salvage.Range{a.Recovered, a.Elsewhere, a.Torn, a.Deleted, a.Lost} {
			if in(list, id) {
				n++
			}
		}
		if n != 1 {
			t.Errorf("id %d is accounted for %d times", id, n)
		}
		want, was := s.messages[id]
		got, is := messages[id]
		switch {
		case is && !was && strings.HasPrefix(a.How, "they cannot be told apart"): // without a schema a deleted row looks like any other
		case is && !was:
			t.Errorf("message %d was deleted, and is there again", id)
		case is && got != want && !in(a.Torn, id):
			t.Errorf("message %d is not what it was and is not called torn", id)
		case is && got == want:
			right++
		case !is && was && !in(a.Lost, id):
			t.Errorf("message %d is lost and not called so", id)
		}
	}
	for id := range s.messages {
		if id > a.HighWater {
			t.Errorf("message %d is above the high water %d", id, a.HighWater)
		}
	}
	if m.Complete && right != len(s.messages) {
		t.Errorf("called complete with %d of %d messages", right, len(s.messages))
	}
	return right
}

func TestCapturesAndTheWAL(t *testing.T) {
	s := make25(t, 4096, 800, true)
	// The -wal lies apart, as a retired generation does: alone, main misses the messages that only it holds.
	dir := filepath.Join(t.TempDir(), "state.db.retired-wal-1")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(s.path+"-wal", filepath.Join(dir, "state.db-wal")); err != nil {
		t.Fatal(err)
	}
	m, without, _ := salvaged(t, s.path)
	if len(without) >= len(s.messages) {
		t.Fatalf("the -wal holds nothing: %d of %d", len(without), len(s.messages))
	}
	_ = m
	m, with, _ := salvaged(t, s.path, dir)
	missing := 0
	for id, text := range s.messages {
		if with[id] != text {
			missing++
		}
	}
	t.Logf("without the capture %d of %d, with it %d are missing", len(without), len(s.messages), missing)
	if missing*4 > len(s.messages)-len(without) {
		t.Errorf("%d are missing with the capture", missing)
	}
	if len(m.Account.Elsewhere) == 0 {
		t.Error("nothing is told to come from elsewhere")
	}
}

func TestNothingIsLeftBehind(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "state.db")
	if err := os.WriteFile(path, make([]byte, 40960), 0o600); err != nil {
		t.Fatal(err)
	}
	w, err := evidence.OpenWreck(t.Context(), path, nil)
	if err == nil {
		_, err = salvage.Salvage(t.Context(), w, salvage.Options{Output: filepath.Join(dir, "new.db")})
		w.Close()
	}
	if err == nil {
		t.Error("a file of NUL bytes was salvaged")
	}
	s := make25(t, 4096, 50, false)
	w, err = evidence.OpenWreck(t.Context(), s.path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	fail := func(context.Context, string) (string, error) { return "", fmt.Errorf("no") }
	if _, err := salvage.Salvage(t.Context(), w, salvage.Options{Output: filepath.Join(dir, "new.db"), Prove: fail}); err == nil {
		t.Error("what was not proved was made")
	}
	names, err := os.ReadDir(dir)
	if err != nil || len(names) != 1 {
		t.Errorf("left behind: %v %v", names, err)
	}
}

// TestForeignWAL salvages a file that has lost a page and has the -wal of another state beside it, which is never laid over it.
func TestForeignWAL(t *testing.T) {
	const ps = 4096
	for _, tt := range []struct {
		name       string
		main, wal  []string // what is done to a copy of one file, and to another copy of it, whose -wal is taken
		fromFrames bool     // the -wal has rows that the file has lost
	}{
		{"of another install", nil, []string{"UPDATE messages SET content = 'of somebody else', timestamp = timestamp + 7", "PRAGMA wal_checkpoint(TRUNCATE)",
			"UPDATE messages SET role = 'tool'", "PRAGMA wal_checkpoint(TRUNCATE)", "UPDATE messages SET role = 'user'"}, false},
		{"of an older state", []string{"PRAGMA wal_checkpoint(TRUNCATE)", "DELETE FROM messages WHERE id % 13 = 5", "PRAGMA wal_checkpoint(TRUNCATE)"}, nil, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			base := make25(t, ps, 800, true)
			changed := func(statements []string) (main, wal []byte) {
				t.Helper()
				path := filepath.Join(t.TempDir(), "state.db")
				for _, suffix := range []string{"", "-wal"} {
					b, err := os.ReadFile(base.path + suffix)
					if err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(path+suffix, b, 0o600); err != nil {
						t.Fatal(err)
					}
				}
				db := openDB(t, path)
				defer db.Close()
				exec1(t, db, "PRAGMA wal_autocheckpoint=0")
				for _, q := range statements {
					exec1(t, db, q)
				}
				if statements == nil {
					exec1(t, db, "SELECT count(*) FROM messages")
				}
				main, err := os.ReadFile(path)
				if err == nil {
					wal, err = os.ReadFile(path + "-wal")
				}
				if err != nil {
					t.Fatal(err)
				}
				return main, wal
			}
			main, _ := changed(tt.main)
			_, wal := changed(tt.wal)
			s := &store{path: filepath.Join(t.TempDir(), "state.db"), ps: ps}
			if err := os.WriteFile(s.path, main, 0o600); err != nil {
				t.Fatal(err)
			}
			db := openDB(t, s.path)
			s.messages, s.sessions = rowsOf(t, db)
			db.Close()
			k := kids(main, ps, root(t, s.path, "messages"))
			clear(page(main, ps, k[len(k)-8]))
			clear(page(main, ps, k[len(k)-9]))
			for suffix, b := range map[string][]byte{"": main, "-wal": wal} {
				if err := os.WriteFile(s.path+suffix, b, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			m, messages, sessions := salvaged(t, s.path)
			right := judge(t, s, m, messages, sessions)
			framed := int64(0)
			for _, line := range m.Tables {
				framed += line.Frame
			}
			switch {
			case m.Complete:
				t.Error("called complete")
			case !slices.ContainsFunc(m.Images, func(i salvage.Image) bool {
				return strings.Contains(strings.Join(i.Notes, "; "), "does not belong to the file")
			}):
				t.Errorf("no image says what the -wal is: %+v", m.Images)
			case right == len(s.messages) && !tt.fromFrames:
				t.Error("nothing was lost")
			case tt.fromFrames != (framed > 0):
				t.Errorf("%d rows are of frames", framed)
			}
			for id := range messages {
				if s.messages[id] == "" {
					t.Errorf("message %d was never in the file", id)
				}
			}
		})
	}
}

// TestCutShortBesideItsWAL salvages a file that has lost its last pages and has its own -wal beside it.
func TestCutShortBesideItsWAL(t *testing.T) {
	const ps = 1024
	s := make25(t, ps, 800, true)
	main, err := os.ReadFile(s.path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.path, main[:len(main)/ps*3/4*ps], 0o600); err != nil {
		t.Fatal(err)
	}
	m, messages, sessions := salvaged(t, s.path)
	if right := judge(t, s, m, messages, sessions); right < len(s.messages)/3 || right == len(s.messages) {
		t.Errorf("%d of %d messages are right", right, len(s.messages))
	}
	for id := int64(801); id <= 1000; id++ { // which only the -wal has
		if messages[id] != s.messages[id] {
			t.Errorf("message %d of the -wal: %.40q", id, messages[id])
		}
	}
}

// TestMagicOfUTF16 overwrites the first 16 bytes alone: what the rest of the header says, such as the encoding, still holds.
func TestMagicOfUTF16(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	db := openDB(t, path)
	list, err := ddl.Schema("25", "", false)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range append([]string{"PRAGMA encoding='UTF-16le'"}, list...) {
		exec1(t, db, q)
	}
	exec1(t, db, "INSERT INTO sessions (id, source, started_at, title) VALUES ('s', 'telegram', 1790000000, 'Überfahrt')")
	for i := range 50 {
		exec1(t, db, "INSERT INTO messages (session_id, role, content, timestamp) VALUES ('s', 'user', ?, ?)", fmt.Sprintf("größer als %d", i), 1790000000+i)
	}
	db.Close()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	copy(b, "\x15\x03\x03\x00\x13 no header")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	_, messages, sessions := salvaged(t, path)
	for i := range 50 {
		text := fmt.Sprintf("größer als %d", i)
		if want := fmt.Sprintf("s|user|%X|%.1f", text, float64(1790000000+i)); messages[int64(i+1)] != want {
			t.Errorf("message %d is %q, was %q", i+1, messages[int64(i+1)], want)
		}
	}
	if want := "telegram|-|1790000000.0|Überfahrt"; sessions["s"] != want {
		t.Errorf("session %q, was %q", sessions["s"], want)
	}
}
