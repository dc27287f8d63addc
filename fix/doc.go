// Package fix repairs one database by filling cells that are blank, and takes such a repair back.
//
// NewPlan turns the findings of a scan into steps, without any I/O, and proves them by the resolver over the facts.
// VerifyBackup copies the database with its sidecars, reads the copy back and compares every row; the Backup that it
// gives is the only thing that can write, and Apply is the only way in which it does: a rehearsal on a private copy, undo
// journal, one transaction, every step with the condition that its cell is still blank, verification before and after the
// commit, and a receipt. Undo restores the cells whose value is still what the repair wrote, by the same road. Verify
// looks again at what a receipt names.
//
// The package never overwrites a value, never deletes a row, and never writes without a backup. A *RefusedError means
// that nothing was written, and names the files that are left of the attempt; a *RecordError that a journal or receipt is
// none; an *UnverifiedError that the repair is in the file and something is wrong with it.
//
// Data flows from scan.Result to Plan, from evidence.Bundle to Backup, and from both to Outcome. All file operations
// go through internal/write.
package fix
