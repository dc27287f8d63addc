// Package evidence opens what a person was given (a state.db, a checkpoints/ folder, a Hermes home, or an archive), shows
// what is in it, and can prove afterwards that nothing was changed.
//
// Open finds the databases, hashes every file beside the reading, and gives a Store for each: one view of the
// database, the other views that were looked at, and what a reader must know about them. A Home reads the files
// around a database. A CheckpointBase holds the git directories of a checkpoints/ folder, read without git: projects,
// their chains of commits, and every damage as data; their trees and blobs are read when they are asked for. Item and Ref carry one observation and where it was made.
//
// The sources are never written: no byte, no mode, no time, no file beside them. What has to be recovered or
// unpacked is done on copies in a private folder that Close removes. Nothing is executed and nothing is fetched.
// Data flows out of here only; the package knows nothing of checks, plans or reports.
package evidence
