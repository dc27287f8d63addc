package sqlitero

import (
	"fmt"
	"strings"

	"github.com/mattn/go-sqlite3"
)

// sqliteRecursive is SQLITE_RECURSIVE, which the driver does not name.
const sqliteRecursive = 33

// harden prepares a connection for a file from a stranger. SQLite's DEFENSIVE flag cannot be reached through
// the driver; the authorizer and query_only refuse all that it would. A pass reads each page once, so that a larger
// cache only takes memory.
func harden(c *sqlite3.SQLiteConn) error {
	for _, pragma := range []string{"trusted_schema=0", "cell_size_check=1", "mmap_size=0", "query_only=1", "threads=0", "cache_size=-256"} {
		if _, err := c.Exec("PRAGMA "+pragma, nil); err != nil {
			return fmt.Errorf("set %s: %w", pragma, err)
		}
	}
	for id, limit := range limits() {
		c.SetLimit(id, limit)
	}
	c.RegisterAuthorizer(authorize)
	return nil
}

// limits bound what one statement or one cell may cost. SQLite's own limit of a cell stays: a message of more
// than 100 MB is legal.
func limits() map[int]int {
	return map[int]int{
		sqlite3.SQLITE_LIMIT_LENGTH:              1_000_000_000,
		sqlite3.SQLITE_LIMIT_SQL_LENGTH:          1 << 20,
		sqlite3.SQLITE_LIMIT_EXPR_DEPTH:          200,
		sqlite3.SQLITE_LIMIT_COMPOUND_SELECT:     100,
		sqlite3.SQLITE_LIMIT_VDBE_OP:             1 << 20,
		sqlite3.SQLITE_LIMIT_ATTACHED:            0,
		sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 1000,
		sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH:       1,
		sqlite3.SQLITE_LIMIT_WORKER_THREADS:      0,
	}
}

// authorize is asked while a statement is compiled, for each thing that it would do.
func authorize(op int, arg1, arg2, _ string) int {
	allowed := false
	switch op {
	case sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqliteRecursive:
		allowed = true
	case sqlite3.SQLITE_FUNCTION:
		allowed = Harmless(strings.ToLower(arg2))
	case sqlite3.SQLITE_PRAGMA:
		allowed = readOnlyPragma(strings.ToLower(arg1), arg2)
	}
	if allowed {
		return sqlite3.SQLITE_OK
	}
	return sqlite3.SQLITE_DENY
}

// Harmless says whether an SQL function only computes. The auth functions are the driver's, the file functions
// belong to SQLite's shell; neither exists in an ordinary build, and a build that has them must not run them.
func Harmless(function string) bool {
	switch function {
	case "load_extension", "fts3_tokenizer", "readfile", "writefile", "edit", "lsdir", "fsdir",
		"authenticate", "auth_enabled", "auth_user_add", "auth_user_change", "auth_user_delete":
		return false
	}
	return true
}

// readOnlyPragma names the pragmas that only read: some with an argument, the others only without one, because
// with one they set. FTS5 asks for data_version itself.
func readOnlyPragma(pragma, argument string) bool {
	switch pragma {
	case "table_info", "table_xinfo", "index_list", "index_info", "index_xinfo", "integrity_check", "quick_check", "foreign_key_check":
		return true
	case "page_size", "page_count", "schema_version", "freelist_count", "journal_mode", "encoding", "user_version",
		"application_id", "database_list", "compile_options", "data_version":
		return argument == ""
	}
	return false
}
