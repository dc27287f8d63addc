// Package write is the only code that opens a database for writing, and holds every file operation of a repair: the
// copies, the journal, the receipt, the transaction. Package fix decides what is done and when; here is how.
//
// Its file operations go through FS, so that a test can make each of them fail, or end the process, at any point; what
// SQLite does itself is announced to FS.Step. Changes come as data: no SQL text crosses into the package.
package write
