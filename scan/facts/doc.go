// Package facts reads, once, what the routing checks share: the session rows, the spans of their messages, the
// routing entries, and the recorded pairs of session and chat. It draws no conclusion.
//
// Everything is read in ordered passes and joined in memory, so that the work is linear in the size of the file;
// what spans cannot answer is asked in one batch for the few rows that need it. A column that a schema version
// lacks reads as blank. Data flows from evidence to here and on to resume, adopt and the checks.
package facts
