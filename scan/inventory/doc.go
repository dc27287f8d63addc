// Package inventory judges every file of a home: what it is, whether it may be deleted, and whether it belongs to a move.
//
// It is conservative: a file goes only where its kind is known, nothing of it is found nowhere else, and a condition holds
// that is said with it. What is not known is kept. Nothing is written, and nothing is deleted by anybody here.
package inventory
