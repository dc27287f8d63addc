// Package rollback says what `/rollback` would do with a checkpoint, without doing it: whether it restores, is
// refused for a nested repository, or fails, and which files come back.
//
// Three layers build on each other. A Pathspec is git's pattern language for paths: parsed by ParsePathspec, matched
// against an index by Inspect and against a tree by Checkout, byte for byte as git 2.39 does, its quirks included.
// Objects is the store as this package sees it. Simulate puts both under the product's own rules, before and since
// it refuses to pass over nested repositories (#127073).
//
// Everything is a function of values. Nothing here opens a file or starts git; today's working directory, where it
// matters, is given as data, and what is assumed in its absence is said in the outcome.
package rollback
