// Package gitro reads a bare or non-bare git directory that came from a stranger.
//
// Open lists packs, loose objects, refs and the files that steer git, and never obeys the latter: config, hooks,
// alternates, grafts, replace refs, shallow lists, commit-graphs and multi-pack indexes are data that a caller may
// report. A Reader gives objects by id, each verified against its id. A Census reads every tree below some roots once
// and remembers counts and gitlinks, not contents.
//
// Nothing is written, locked, mapped or executed. Links are not followed, pipes are not opened. Every size, depth and
// count that a file claims is held against Limits before memory is spent on it; what is wrong with an object is an
// *ObjectError that names it.
package gitro
