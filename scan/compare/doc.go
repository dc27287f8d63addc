// Package compare says what became of sessions, messages and checkpoints between two copies: by the identity of a session and by digests
// of what messages hold, never by counts alone. A message that has another rowid and is otherwise the same, in the same
// session, is the same message; of messages that are equal in all, as many are the same as both sides have.
//
// Checkpoints are compared by the ids of their commits, and where trimming committed them anew by tree, subject and time.
//
// Data flows from two opened stores to a Difference, which is a value. Texts are hashed as they pass by and never kept:
// memory is some 300 bytes for a session and 32 for a message that one side alone has. Nothing is written.
package compare
