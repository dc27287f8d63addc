// Package build makes fresh databases with the tables of a chosen schema version of the product, filled with the
// rows of a corpus case. The definitions are data: each column, table, index and trigger with the version that
// brought it, in the order in which a file born at that version has them.
//
// It only ever creates files. Nothing here reads a database that a user gave; data flows from a Store value to a
// new file, and the same Store gives the same bytes (the salts of a WAL that is left behind excepted).
package build
