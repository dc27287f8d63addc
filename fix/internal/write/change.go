package write

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// Change is one cell to be changed. Old is what it must hold now, New what it shall hold: nil, a string or a float64.
type Change struct {
	Table, Key, Column string
	Old, New           any
}

// errKey is what a change of a table whose key is not known comes to.
var errKey = errors.New("no table that can be changed")

// keyOf is the column that holds the key of a table's rows.
func keyOf(table string) (string, error) {
	if table == "sessions" {
		return "id", nil
	}
	return "", fmt.Errorf("%q: %w", table, errKey)
}

// Begin starts the transaction, with the lock that keeps every other writer out.
func (c *Conn) Begin(ctx context.Context) error {
	if err := c.files.Step("begin"); err != nil {
		return err
	}
	return c.exec(ctx, "BEGIN IMMEDIATE")
}

// Rollback takes the transaction back. Without one it does nothing.
func (c *Conn) Rollback() error {
	if c.c == nil || c.c.AutoCommit() {
		return nil
	}
	return c.exec(context.Background(), "ROLLBACK")
}

// Commit makes the transaction durable. It is not interrupted half way when ctx ends: one would not know what it came to.
func (c *Conn) Commit(ctx context.Context) error {
	if err := c.files.Step("commit"); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := c.exec(context.WithoutCancel(ctx), "COMMIT"); err != nil {
		return err
	}
	return c.files.Step("committed")
}

// Fill sets cells that are blank, each under the condition that it still is. Every statement must change exactly one
// row, and all of them together, with the triggers of the file, as many rows as there are changes.
func (c *Conn) Fill(ctx context.Context, changes []Change) error {
	return c.update(ctx, changes, func(column string) (string, bool) {
		return "(" + column + " IS NULL OR " + column + " = '')", false
	})
}

// Restore sets cells to what they held, each under the condition that it holds Old.
func (c *Conn) Restore(ctx context.Context, changes []Change) error {
	return c.update(ctx, changes, func(column string) (string, bool) { return column + " IS ?", true })
}

func (c *Conn) update(ctx context.Context, changes []Change, condition func(column string) (sql string, old bool)) error {
	before, err := c.number(ctx, "SELECT total_changes()")
	if err != nil {
		return err
	}
	for _, ch := range changes {
		key, err := keyOf(ch.Table)
		if err != nil {
			return err
		}
		if err := c.files.Step("update " + ch.Column); err != nil {
			return err
		}
		column := evidence.QuoteName(ch.Column)
		where, old := condition(column)
		args := []any{ch.New, ch.Key}
		if old {
			args = append(args, ch.Old)
		}
		n, err := c.changed(ctx, "UPDATE "+evidence.QuoteName(ch.Table)+" SET "+column+" = ? WHERE "+evidence.QuoteName(key)+" = ? AND "+where, args...)
		switch {
		case err != nil:
			return fmt.Errorf("set %s.%s of %q: %w", ch.Table, ch.Column, ch.Key, err)
		case n != 1:
			return fmt.Errorf("set %s.%s of %q: %d rows fit, not one: the row is gone or its cell holds something else", ch.Table, ch.Column, ch.Key, n)
		}
	}
	after, err := c.number(ctx, "SELECT total_changes()")
	if err == nil && after-before != int64(len(changes)) {
		err = fmt.Errorf("%d rows were changed by %d steps: a trigger of the file writes too", after-before, len(changes))
	}
	return err
}

func (c *Conn) number(ctx context.Context, statement string) (n int64, err error) {
	err = c.query(ctx, statement, nil, func(row []evidence.Value) error { n = row[0].Int; return nil })
	return n, err
}

// Triggers names the triggers of the tables that the changes are in.
func (c *Conn) Triggers(ctx context.Context, changes []Change) ([]string, error) {
	var out []string
	seen := map[string]bool{}
	for _, ch := range changes {
		if seen[ch.Table] {
			continue
		}
		seen[ch.Table] = true
		err := c.query(ctx, "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ? COLLATE NOCASE ORDER BY name", []any{ch.Table},
			func(row []evidence.Value) error { out = append(out, row[0].String()); return nil })
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// ForeignKeys counts the rows whose foreign keys name nothing.
func (c *Conn) ForeignKeys(ctx context.Context) (n int64, err error) {
	err = c.query(ctx, "PRAGMA foreign_key_check", nil, func([]evidence.Value) error { n++; return nil })
	return n, err
}

// Mode gives the journal mode, as SQLite spells it.
func (c *Conn) Mode(ctx context.Context) (mode string, err error) {
	err = c.query(ctx, "PRAGMA journal_mode", nil, func(row []evidence.Value) error { mode = row[0].String(); return nil })
	return mode, err
}

// Checkpoint moves the whole -wal into the main file and empties it.
func (c *Conn) Checkpoint(ctx context.Context) error {
	if err := c.files.Step("checkpoint"); err != nil {
		return err
	}
	busy := false
	err := c.query(ctx, "PRAGMA wal_checkpoint(TRUNCATE)", nil, func(row []evidence.Value) error { busy = row[0].Int != 0; return nil })
	if err == nil && busy {
		err = errors.New("another connection reads the file")
	}
	return err
}
