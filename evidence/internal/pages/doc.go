// Package pages reads SQLite's database and WAL file formats straight from bytes, without SQLite.
//
// It serves two needs that the driver does not: to look at a damaged or hostile file under bounds that hold for any
// bytes, and to read one index or table in key order at the speed of the page cache, on several cores.
//
// It never writes, never maps a file into memory, follows no name in the schema, evaluates no SQL and trusts no
// length, pointer or count that it has not compared with the file: every page is visited at most once in a walk,
// trees end at depth 20, and memory grows with bytes that the file really has. What does not fit is an error that
// wraps ErrCorrupt and names the page; no input makes it panic or run for ever.
//
// Data flows one way: bytes → Open → File → Schema, Table, Index, Spans, Seeker; a WAL's bytes → OpenWAL → Scan →
// Overlay, which is again bytes that Open takes.
//
// What it leaves to its callers: the meaning of a column. A record holds what was stored, so a REAL column may hold
// an integer, an INTEGER PRIMARY KEY holds NULL (its value is the rowid), a column added later may be absent, and text
// is in the file's encoding. Tables WITHOUT ROWID are refused.
//
// Source of the format: https://www.sqlite.org/fileformat2.html.
package pages
