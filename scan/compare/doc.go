// Package compare says what became of sessions and messages between two copies: by the identity of a session and by digests
// of what messages hold, never by counts alone. A message that has another rowid and is otherwise the same, in the same
// session, is the same message; of messages that are equal in all, as many are the same as both sides have.
//
// Data flows from two opened stores to a Difference, which is a value. Texts are hashed as they pass by and never kept:
// memory is that of the sessions, and of the messages that one side alone has. Nothing is written.
package compare
