// Package search reads what a database says of its full-text index, and compares which messages the index holds with
// those that it should hold (spec/state-db.md 3.5). It never asks the index itself: SQLite's own check of one passes
// although messages are missing, or calls one damaged that is merely behind.
package search
