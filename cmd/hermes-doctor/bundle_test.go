package main

import (
	"archive/zip"
	"bytes"
	"database/sql"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-4d3eb737/hermes-doctor/corpus"
)

// tellsDifference holds the cases of which a bundle may say that a scan of it differs, and why.
var tellsDifference = map[string]string{
	"clock-anomaly-near": "it has the first and the last second that count as times, and moved times cross one of them",
	"key-layout-split":   "of a chat's keys the finding names the first in the order of their letters, which pseudonyms change",
}

// Cases of the corpus get a secret for every word that is their own, in every table and file and, in half of them, in a
// -wal too; no file of their bundle may hold one, in whatever form, and a scan of it comes to the same verdicts.
func TestBundlesHoldNoSecret(t *testing.T) {
	t.Parallel()
	for _, c := range cases(t) {
		n, chosen := sample("bundles", c.Name)
		if c.FTS == "yes" && !tool().FTS5 || !chosen {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "Zqhomeofsecrets")
			if err := corpus.BuildTo(t.Context(), c, dir); err != nil {
				t.Fatal(err)
			}
			g := newGarden(t, uint64(n)+1000)
			g.home(dir, n%2 == 0)
			if n%2 == 1 && (c.Journal == "" || c.Journal == "delete") {
				g.inLog(filepath.Join(dir, "state.db"))
			}
			args := []string{"bundle", c.Path(dir), "--output", filepath.Join(t.TempDir(), "b.zip")}
			if n%3 == 0 {
				args = append(args, "--shift-times")
			}
			code, out, complaints := tell(t, args...)
			switch code {
			case exitUsage:
				t.Skipf("%s", complaints)
			case exitClean:
			case exitIncomplete:
				if why := tellsDifference[c.Name]; why == "" {
					t.Fatalf("exit %d\n%s\n%s", code, out, complaints)
				}
			default:
				t.Fatalf("exit %d\n%s\n%s", code, out, complaints)
			}
			if found := g.leak(out); found != "" {
				// The name of the zip is the caller's own.
				t.Errorf("stdout tells %s", found)
			}
			g.zip(args[3])
		})
	}
}

// inLog writes secrets that only a -wal holds.
func (g *garden) inLog(path string) {
	g.t.Helper()
	if data, err := os.ReadFile(path); err != nil || !bytes.HasPrefix(data, []byte("SQLite format 3\x00")) {
		return
	}
	side := filepath.Join(g.t.TempDir(), "side.db")
	g.copy(path, side)
	db, err := sql.Open("sqlite3", "file:"+side+"?_synchronous=OFF")
	if err != nil {
		g.t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	var rows int64
	for _, q := range []string{"PRAGMA journal_mode = WAL", "PRAGMA wal_autocheckpoint = 0"} {
		if _, err := db.Exec(q); err != nil {
			g.t.Fatal(err)
		}
	}
	if res, err := db.Exec("UPDATE messages SET content = ?, tool_name = ?", g.secret()+" said", g.secret()); err == nil {
		rows, _ = res.RowsAffected()
	}
	if rows > 0 {
		g.copy(side, path)
		g.copy(side+"-wal", path+"-wal")
	}
	if err := db.Close(); err != nil {
		g.t.Fatal(err)
	}
}

func (g *garden) copy(from, to string) {
	g.t.Helper()
	data, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, data, 0o600)
	}
	if err != nil {
		g.t.Fatal(err)
	}
}

// zip looks for secrets in every member of a bundle, and in their names.
func (g *garden) zip(path string) {
	g.t.Helper()
	z, err := zip.OpenReader(path)
	if err != nil {
		g.t.Fatal(err)
	}
	defer func() { _ = z.Close() }()
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			g.t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err := errors.Join(err, r.Close()); err != nil {
			g.t.Fatal(err)
		}
		if found := g.leak(append([]byte(f.Name+"\n"), data...)); found != "" {
			g.t.Errorf("%s holds %s", f.Name, found)
		}
	}
}
