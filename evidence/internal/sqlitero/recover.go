package sqlitero

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/mattn/go-sqlite3"
)

// Recover lets SQLite finish what the sidecars of the database at path hold: a hot journal is rolled back, a
// -wal is moved into the main file. It writes: path must be a private copy. Afterwards Open shows the result.
func Recover(ctx context.Context, path string) error {
	name, err := uri(path, "mode=rw&_synchronous=OFF")
	if err != nil {
		return err
	}
	c, err := (&sqlite3.SQLiteDriver{}).Open(name)
	if err != nil {
		return fmt.Errorf("recover copy: %w", err)
	}
	conn := &Conn{c: c.(*sqlite3.SQLiteConn)}
	err = conn.checkpoint(ctx)
	if err = errors.Join(err, conn.Close()); err != nil {
		return fmt.Errorf("recover copy: %w", err)
	}
	for _, suffix := range []string{"-wal", "-journal"} {
		if info, err := os.Stat(path + suffix); err == nil && info.Size() > 0 {
			return fmt.Errorf("recover copy: SQLite left its %s behind", suffix)
		} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("recover copy: %w", err)
		}
	}
	return nil
}

// checkpoint reads the schema, which is what makes SQLite look at the sidecars, and empties the -wal.
func (c *Conn) checkpoint(ctx context.Context) error {
	ignore := func([]driver.Value) error { return nil }
	if err := c.Query(ctx, "SELECT count(*) FROM sqlite_schema", nil, ignore); err != nil {
		return err
	}
	return c.Query(ctx, "PRAGMA wal_checkpoint(TRUNCATE)", nil, func(row []driver.Value) error {
		if row[0] != int64(0) {
			return errors.New("the copy is busy")
		}
		return nil
	})
}
