// Hermes-doctor says, from a copy of a Hermes Agent install and without touching it, which conversation each chat
// would get after a restart and why, which rows of state.db are damaged, and what may be done about it. It is
// independent of, and not affiliated with, Hermes Agent, its makers or its own command `hermes doctor`.
//
// Usage:
//
//	hermes-doctor COMMAND [flags] PATH…
//	hermes-doctor PATH
//
// PATH is a copy: a state.db, or a whole Hermes home (with profiles/*), as a folder or as the zip or tar.gz that
// somebody sent. Copy state.db together with its -wal, -shm and -journal: without them the newest rows may be missing.
// PATH alone means scan PATH. A file that is called like a command is given as ./scan.
//
// Flags may stand before or after paths; -- ends them. An unknown flag is an error, never a path, and a flag's value
// does not begin with a dash unless it is a number or is joined by =.
//
// # Commands
//
//	scan PATH…         verdict, findings with their evidence, and what each chat resumes
//	resume PATH…       which row each chat gets, for three generations of the product, its rows side by side
//	demo [--keep DIR]  build the incident of August 2026 from invented data and scan it
//	explain CHECK      what a check proves, what it does not, and how to see the same by hand
//	checks             every check with its severity
//	corpus [check DIR] run the built-in corpus of damaged stores, or that of a folder, against this build
//	schema             the JSON Schema of what scan and resume write with --json
//	version            version of the tool and of SQLite, and whether full text indexes can be checked
//	help [COMMAND]     flags
//
// # Output
//
// Data goes to stdout, everything else to stderr. --format is table, json, jsonl or markdown; --json is --format json.
// --output FILE writes to a new file instead and may be repeated, each with its own --format, or none when the ending
// tells (.json, .jsonl, .md, .txt). An existing file is never overwritten, a name beside which a -wal or -journal
// lies is refused, and a run that fails leaves no file. The same input gives the same bytes; only --timings adds what
// differs between runs. Tables are as wide as COLUMNS, else the terminal, else 100.
//
// --color is auto, always or never; auto means on a terminal, unless NO_COLOR is set. Work that takes longer than a
// second shows its progress on stderr if that is a terminal; --progress none, bar or json decides otherwise. -q leaves
// only errors on stderr, -v says what is being done.
//
// # What a scan looks at
//
// --only and --skip choose checks by id and may be repeated; --deep adds the slow ones. --chat and --session narrow
// findings, resume lines and rows to one chat or row, and the exit code with them. --now is the only clock (default:
// the newest trusted time in the input), --home-path says where the home was on its machine, and the variable TZ names
// the zone of the naive local times in routing entries (default: derived from the data). --time-budget stops before
// the next check when it is used up.
//
// # Exit codes
//
// Equal in every format:
//
//	0    every check that had its input ran, and found nothing at or above --fail-on (default: notice)
//	1    findings
//	2    wrong usage or unreadable input
//	3    incomplete: a check failed, a budget ran out, or the source changed while it was read; wins over 1
//	4    refused for safety; no command of this version does
//	130  interrupted by SIGINT or SIGTERM
//
// --exit-zero keeps only 0, 2 and 130. resume, demo, explain, checks, schema and version exit 0 whatever they show;
// corpus exits 1 when a case fails. An error is two lines on stderr: what is wrong, and the next thing to try.
//
// # Limitations
//
// It reads copies. Of a live install, copied file by file, it can say only that the parts do not fit each other.
// Where several generations of the product would decide differently, all their answers are shown; which of them runs
// is not in the file. A chat's predecessor that is found by time alone is a guess and is called one. What no given
// file holds is reported as absent, not as lost: it may be in a backup. It repairs nothing and reads no checkpoints in this
// version.
//
// A second interrupt ends the program at once and may leave its private copies in the temporary folder (TMPDIR).
package main
