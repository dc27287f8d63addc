package build

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/fix/ddl"
)

// LargeOptions say how large a store Large makes.
type LargeOptions struct {
	Sessions    int     // rows; at least 100
	Messages    int     // rows; at least ten a session
	OrphanShare float64 // of the sessions: rows that lost what ties them to a chat; 0 to 0.3
	Unit        int     // bytes of a middling answer; 250 makes a file of about 1.4 kB a message
	Seed        uint64
}

// largeEdition is raised when the same options come to make other rows, so that files of before are not reused.
const largeEdition = 2

// largeSchema is the version that most large installs have.
const largeSchema = "25"

// Fingerprint names what Large makes of the options with this build, in hexadecimal digits.
func (o LargeOptions) Fingerprint(ctx context.Context) (string, error) {
	fts, err := FTS5(ctx)
	if err != nil {
		return "", err
	}
	statements, err := ddl.Schema(largeSchema, "", fts)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %+v\n%s", largeEdition, o, strings.Join(statements, ";\n")))
	return fmt.Sprintf("%x", sum[:6]), nil
}

func (o LargeOptions) valid() error {
	switch {
	case o.Sessions < 100:
		return fmt.Errorf("%d sessions are fewer than 100", o.Sessions)
	case o.Messages < 10*o.Sessions:
		return fmt.Errorf("%d messages are fewer than ten for each of %d sessions", o.Messages, o.Sessions)
	case !(o.OrphanShare >= 0 && o.OrphanShare <= 0.3):
		return fmt.Errorf("a share of orphans of %v is not within 0 and 0.3", o.OrphanShare)
	case o.Unit < 1:
		return fmt.Errorf("a text unit of %d bytes is less than 1", o.Unit)
	}
	return nil
}

// Large makes a store as a busy install has it after a few years: chats on three platforms, runs of the command line
// and of cron, delegates, branches, compression chains, resets and routing entries, and among them orphans of several
// kinds. Rows are inserted in the order of their times, so that the pages of tables and indexes lie scattered among
// each other as a live gateway writes them; only the full text index is built at the end, in a tenth of the time.
//
// path must not exist. The same options give the same rows.
func Large(ctx context.Context, path string, o LargeOptions) error {
	if err := o.valid(); err != nil {
		return fmt.Errorf("build large store: %w", err)
	}
	if err := Write(ctx, path, Store{Schema: largeSchema, Journal: Delete}); err != nil {
		return err
	}
	err := fillLarge(ctx, path, o)
	if err != nil {
		return errors.Join(fmt.Errorf("build %q: %w", path, err), os.Remove(path))
	}
	return nil
}

func fillLarge(ctx context.Context, path string, o LargeOptions) (err error) {
	db, err := sql.Open("sqlite3", "file:"+(&url.URL{Path: path}).EscapedPath())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	triggers, err := searchTriggers(ctx, conn)
	if err != nil {
		return err
	}
	rnd := rand.New(rand.NewPCG(o.Seed, largeEdition))
	w := &largeWriter{script: script{conn: conn}, rnd: rnd, prose: newProse(rnd), unit: float64(o.Unit)}
	w.exec(ctx, "PRAGMA foreign_keys=OFF", "PRAGMA journal_mode=OFF", "PRAGMA synchronous=OFF", "PRAGMA cache_size=-200000")
	for _, t := range triggers {
		w.exec(ctx, "DROP TRIGGER "+t.name)
	}
	w.exec(ctx, "BEGIN")
	w.do(func() error { return w.write(ctx, populate(rnd, w.prose, o)) })
	w.exec(ctx, "COMMIT")
	w.index(ctx, triggers)
	return errors.Join(w.err, w.close())
}
