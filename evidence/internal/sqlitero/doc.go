// Package sqlitero reads SQLite databases from strangers without changing a byte, a mode or a time of the file
// or of its folder.
//
// A database without a -wal and a -journal is opened where it lies, as immutable: SQLite then takes no lock and
// makes no -shm. Anything else is staged: its files are copied into a private folder, and SQLite recovers the
// copy, which is then opened the same way.
//
// Every connection is hardened before its first query (see Open). Nothing here knows what the tables mean.
package sqlitero
