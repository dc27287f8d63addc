package build

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// trigger is a trigger of a file and the statement that makes it.
type trigger struct{ name, sql string }

// searchTriggers lists the triggers of the full text index in the order in which they were made.
func searchTriggers(ctx context.Context, conn *sql.Conn) (list []trigger, err error) {
	rows, err := conn.QueryContext(ctx, "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND name LIKE 'messages_fts%' ORDER BY rowid")
	if err != nil {
		return nil, fmt.Errorf("list triggers: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var t trigger
		if err := rows.Scan(&t.name, &t.sql); err != nil {
			return nil, fmt.Errorf("list triggers: %w", err)
		}
		list = append(list, t)
	}
	return list, rows.Err()
}

// index builds the full text index over all messages and puts its triggers back; there are none in a build without
// FTS5.
func (w *largeWriter) index(ctx context.Context, triggers []trigger) {
	if len(triggers) == 0 {
		return
	}
	w.exec(ctx, "BEGIN")
	for _, table := range []string{"messages_fts", "messages_fts_trigram"} {
		w.exec(ctx, "INSERT INTO "+table+"("+table+") VALUES ('rebuild')")
	}
	for _, t := range triggers {
		w.exec(ctx, t.sql)
	}
	w.exec(ctx, "COMMIT")
}
