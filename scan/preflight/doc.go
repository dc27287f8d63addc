// Package preflight says what a move of a home to another machine must take along, what of it is bound to the machine where
// it is now, and what a copy of state.db alone would lose. It reads and proposes nothing that writes.
package preflight
