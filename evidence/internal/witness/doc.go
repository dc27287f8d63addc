// Package witness reads the files beside a database that say which session served which chat: logs, request dumps and
// spooled messages (spec/state-db.md 1.3 and 1.5). It is given bytes and gives values; it opens no file.
//
// Everything is streamed and bounded, and nothing stops it: a line that is cut, too long or of another encoding is left
// out. Texts of messages are compared inside and never given away.
package witness
