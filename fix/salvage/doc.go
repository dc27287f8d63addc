// Package salvage makes a new database out of what can still be read of a damaged one: rows by their tables, by their
// indexes and by the shape of pages that nothing leads to, from the database, its write-ahead log and captures. The source is
// only read, nothing of it is run, and every id that the product ever gave to a message is accounted for.
package salvage
