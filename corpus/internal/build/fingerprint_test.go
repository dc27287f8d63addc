package build_test

import (
	"database/sql"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-4d3eb737/hermes-doctor/corpus/internal/build"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite testdata/schemas.txtar")

// TestSchemas compares each version with the golden list, which tells each version by what it adds to (+) and
// takes from (-) the one before, in the order of the file.
func TestSchemas(t *testing.T) {
	const golden = "testdata/schemas.txtar"
	needFTS5(t)
	var got txtar.Archive
	var before []string
	for _, v := range build.Versions() {
		now := fingerprint(t, made(t, build.Store{Schema: v, Journal: build.Delete}))
		got.Files = append(got.Files, txtar.File{Name: v, Data: []byte(delta(before, now))})
		before = now
	}
	if *update {
		if err := os.WriteFile(golden, txtar.Format(&got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(txtar.Format(&got))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// fingerprint lists each column, index, view and trigger as one line.
func fingerprint(t *testing.T, path string) []string {
	t.Helper()
	db, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query(`
SELECT m.type, m.name, m.tbl_name, c.name, c.type, c."notnull", c.dflt_value, c.pk, NULL, NULL
FROM sqlite_master AS m, pragma_table_info(m.name) AS c WHERE m.type IN ('table', 'view') AND m.name NOT LIKE 'sqlite%'
UNION ALL
SELECT m.type, m.name, m.tbl_name, NULL, NULL, NULL, NULL, NULL, l."unique" || l.partial,
  (SELECT group_concat(coalesce(name, 'expr') || iif("desc", ' desc', ''), ', ') FROM pragma_index_xinfo(m.name) WHERE key)
FROM sqlite_master AS m LEFT JOIN pragma_index_list(m.tbl_name) AS l ON l.name = m.name
WHERE m.type IN ('index', 'trigger')`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var lines []string
	for rows.Next() {
		var kind, name, table string
		var column, affinity, fallback, flags, on sql.NullString
		var notnull, pk sql.NullInt64
		if err := rows.Scan(&kind, &name, &table, &column, &affinity, &notnull, &fallback, &pk, &flags, &on); err != nil {
			t.Fatal(err)
		}
		line := fmt.Sprintf("%s %s on %s(%s) unique+partial %s", kind, name, table, on.String, flags.String)
		switch kind {
		case "trigger":
			line = fmt.Sprintf("trigger %s on %s", name, table)
		case "table", "view":
			line = strings.TrimSpace(fmt.Sprintf("%s.%s %s", name, column.String, affinity.String))
			if notnull.Int64 != 0 {
				line += " not-null"
			}
			if fallback.Valid {
				line += " default=" + fallback.String
			}
			if pk.Int64 != 0 {
				line += fmt.Sprintf(" pk%d", pk.Int64)
			}
		}
		lines = append(lines, line)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return lines
}

// delta tells one list by another; a line that is added names the line before it, unless that was just added.
func delta(before, now []string) string {
	in := func(list []string) map[string]bool {
		set := map[string]bool{}
		for _, line := range list {
			set[line] = true
		}
		return set
	}
	old, kept := in(before), in(now)
	var b strings.Builder
	for _, line := range before {
		if !kept[line] {
			b.WriteString("-" + line + "\n")
		}
	}
	for i, line := range now {
		if old[line] {
			continue
		}
		if i > 0 && old[now[i-1]] {
			b.WriteString(" " + now[i-1] + "\n")
		}
		b.WriteString("+" + line + "\n")
	}
	return b.String()
}
