package main

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	_ "github.com/mattn/go-sqlite3"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/seed-4d3eb737/hermes-doctor/corpus"
)

// The commands of this file make what the scripts scan.

// build CASE DIR builds a case of the corpus in a new folder.
func build(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg, args, 2, "build CASE DIR")
	data, err := os.ReadFile(filepath.Join("..", "..", "corpus", "cases", args[0]+".txtar"))
	ts.Check(err)
	c, err := corpus.Parse(args[0], data)
	ts.Check(err)
	ts.Check(corpus.BuildTo(context.Background(), c, ts.MkAbs(args[1])))
}

func mkfifo(ts *testscript.TestScript, neg bool, args []string) {
	ts.Check(syscall.Mkfifo(ts.MkAbs(usage(ts, neg, args, 1, "mkfifo FILE")), 0o600))
}

// zeros FILE BYTES makes a file of NUL bytes, without using the disk for them.
func zeros(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg, args, 2, "zeros FILE BYTES")
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), nil, 0o600))
	cut(ts, false, args)
}

// noise FILE BYTES makes a file that looks encrypted, the same one each time.
func noise(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg, args, 2, "noise FILE BYTES")
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	content := make([]byte, n)
	rand.NewChaCha8([32]byte{1}).Read(content)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), content, 0o600))
}

// cut FILE BYTES sets a file's length.
func cut(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg, args, 2, "cut FILE BYTES")
	n, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	ts.Check(os.Truncate(ts.MkAbs(args[0]), n))
}

// bytesOf FILE HEX makes a file of the given bytes.
func bytesOf(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg, args, 2, "bytes FILE HEX")
	content, err := hex.DecodeString(args[1])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), content, 0o600))
}

// sqlite FILE SQL runs statements on a database, which need not exist; @FILE reads them from there.
func sqlite(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg, args, 2, "sqlite FILE SQL|@FILE")
	statements := args[1]
	if file, ok := strings.CutPrefix(statements, "@"); ok {
		statements = ts.ReadFile(file)
	}
	db, err := sql.Open("sqlite3", ts.MkAbs(args[0]))
	ts.Check(err)
	_, err = db.Exec(statements)
	ts.Check(errors.Join(err, db.Close()))
}

// walcopy FILE SQL COPY runs statements on a database in WAL mode and copies it with its -wal before the last connection
// closes, as from a running install.
func walCopy(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg, args, 3, "walcopy FILE SQL COPY")
	db, err := sql.Open("sqlite3", ts.MkAbs(args[0]))
	ts.Check(err)
	_, err = db.Exec(args[1])
	ts.Check(err)
	for _, end := range []string{"", "-wal"} {
		content, err := os.ReadFile(ts.MkAbs(args[0]) + end)
		ts.Check(err)
		ts.Check(os.WriteFile(ts.MkAbs(args[2])+end, content, 0o600))
	}
	ts.Check(db.Close())
}

// overwrite FILE OFFSET HEX puts bytes into a file.
func overwrite(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg, args, 3, "overwrite FILE OFFSET HEX")
	at, err := strconv.ParseInt(args[1], 0, 64)
	ts.Check(err)
	data, err := hex.DecodeString(args[2])
	ts.Check(err)
	f, err := os.OpenFile(ts.MkAbs(args[0]), os.O_WRONLY, 0)
	ts.Check(err)
	_, err = f.WriteAt(data, at)
	ts.Check(errors.Join(err, f.Close()))
}
