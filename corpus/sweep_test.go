package corpus_test

import (
	"bytes"
	"database/sql"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	_ "github.com/mattn/go-sqlite3"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/fix/ddl"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checks"
)

// sweepCells reads every cell of the talk as SQLite gives it, by table, rowid and column; an error is a cell of its own.
func sweepCells(t *testing.T, path string) map[string]string {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+path+"?immutable=1&mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	out := map[string]string{}
	for _, table := range []string{"sessions", "messages"} {
		for _, d := range ddl.Columns("7", table) {
			var column string
			if _, err := fmt.Sscan(d, &column); err != nil {
				t.Fatal(err)
			}
			rows, err := db.Query(fmt.Sprintf("SELECT rowid, typeof(%[1]s) || coalesce(hex(%[1]s), '') || coalesce(%[1]s + 0, '') FROM %[2]s NOT INDEXED", column, table))
			if err != nil {
				out[table+"."+column+" error"] = "cannot be read"
				continue
			}
			for rows.Next() {
				var id int64
				var text string
				if rows.Scan(&id, &text) == nil {
					out[fmt.Sprintf("%s.%s %d", table, column, id)] += text
				}
			}
			if rows.Err() != nil {
				out[table+"."+column+" error"] = "cannot be read to its end"
			}
			rows.Close()
		}
	}
	return out
}

// TestSweep changes every byte of a small file, one at a time, and scans each: none may crash, and none in which a cell of
// the talk has changed may be called sound, but for cells of which the file holds no second trace. SQLite keeps no checksum:
// a number that no index has can become another number, and nothing in the file says so.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "state.db")
	db, err := sql.Open("sqlite3", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	run := func(q string, args ...any) {
		if _, err := db.Exec(q, args...); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
	run("PRAGMA page_size=512")
	statements, err := ddl.Schema("7", "", false)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range statements {
		run(s)
	}
	for i := range 2 {
		run("INSERT INTO sessions (id, source, started_at, title, message_count) VALUES (?, 'cli', ?, ?, 6)", fmt.Sprintf("talk-%d", i), 1790000000+i, fmt.Sprintf("title %d", i))
	}
	for i := range 12 {
		text := fmt.Sprintf("message %d", i)
		if i == 5 {
			text = string(bytes.Repeat([]byte("long "), 250)) // so that there is a chain of overflow pages
		}
		run("INSERT INTO messages (session_id, role, content, timestamp, token_count) VALUES (?, ?, ?, ?, 7)", fmt.Sprintf("talk-%d", i%2), []string{"user", "assistant"}[i/2%2], text, 1790000100.5+float64(i))
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	seed, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before := sweepCells(t, path)
	step := 1
	if testing.Short() {
		step = 37
	}
	words, silent := map[string]int{}, map[string]int{}
	flips, changed := 0, 0
	for at := 0; at < len(seed); at += step {
		flips++
		b := bytes.Clone(seed)
		b[at] ^= 0xff
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		word := sweepScan(t, path, dir)
		words[word]++
		after := sweepCells(t, path)
		if maps.Equal(before, after) {
			continue
		}
		changed++
		if word != string(scan.Sound) {
			continue
		}
		for _, key := range slices.Sorted(maps.Keys(after)) {
			if before[key] != after[key] {
				var cell string
				fmt.Sscan(key, &cell)
				silent[cell]++
			}
		}
	}
	t.Logf("%d flips in %d bytes: verdicts %v; cells of the talk changed in %d; called sound although changed, by column: %v", flips, len(seed), words, changed, silent)
	// Numbers without an index: nothing else in the file repeats them.
	alone := []string{"messages.token_count", "sessions.message_count", "sessions.tool_call_count", "sessions.input_tokens", "sessions.output_tokens",
		"sessions.cache_read_tokens", "sessions.cache_write_tokens", "sessions.reasoning_tokens"}
	for cell, n := range silent {
		if !slices.Contains(alone, cell) {
			t.Errorf("%s changed %d times and the file was called sound", cell, n)
		}
	}
	if changed == 0 || words[string(scan.Damaged)] == 0 {
		t.Error("the sweep damages nothing")
	}
}

// sweepScan is the verdict of a deep scan, or "refused" for a file that is not opened.
func sweepScan(t *testing.T, path, dir string) string {
	t.Helper()
	b, err := evidence.Open(t.Context(), []string{path}, evidence.Options{Damaged: true, TempDir: dir})
	if err != nil {
		return "refused"
	}
	defer b.Close()
	r, err := scan.Run(t.Context(), b, checks.All(), scan.Options{Deep: true})
	if err != nil {
		t.Fatal(err)
	}
	return string(r.Verdict.Word)
}
