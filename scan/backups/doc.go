// Package backups answers which copy of a database is the newest good one: it opens every file that may be a copy, one
// after the other and read-only, scans each, and compares what all of them hold, message by message.
//
// The order is that of content. A file's date says when somebody copied it, and a copy of yesterday may hold less than one
// of last week. Data flows from paths to a Ranking, which is a value.
package backups
