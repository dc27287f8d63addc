// Hermes-doctor says, from a copy of a Hermes Agent install and without touching it, which conversation each chat
// would get after a restart and why, which rows of state.db are damaged, and what may be done about it; and it fills the
// blank cells of that copy when it is told to. It is
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
//	scan --from-file LIST
//	                   the same of each copy that LIST names, a line each
//	diff A B           what became of sessions, messages, checkpoints and findings of copy A in copy B
//	resume PATH…       which row each chat gets, for three generations of the product, its rows side by side
//	timeline PATH…     everything that has a time, in order, each with the place that says so
//	checkpoints list PATH
//	                   every project with its checkpoints, nested repositories and sizes, and why a list is short
//	checkpoints show PATH
//	                   each checkpoint of --project, or the files of one --checkpoint
//	checkpoints audit PATH
//	                   the list, what the checks of the store find, what is damaged, what no list shows
//	checkpoints why PATH FILE
//	                   why a file can or cannot come back, in the order in which to look
//	checkpoints simulate PATH
//	                   what /rollback would do with a checkpoint: restores, is refused or fails, and which files
//	checkpoints diff PATH
//	                   which files differ between two checkpoints, or between one and the folder --workdir
//	checkpoints extract PATH [-- FILE…]
//	                   files of a checkpoint, or all, into a new folder or .tar
//	fix PATH           the repair of one copy, step by step; --apply carries it out
//	undo JOURNAL       the cells of a repair that can be taken back; --apply takes them back
//	verify RECEIPT     backup, journal, result and rows of a repair, looked at again
//	demo [--keep DIR]  build the incident of August 2026 from invented data and scan it
//	explain CHECK      what a check proves, what it does not, and how to see the same by hand
//	checks             every check with its severity
//	corpus [check DIR] run the built-in corpus of damaged stores, or that of a folder, against this build
//	corpus new COPY    what a scan of the copy finds as a case of a corpus, with no more rows than that needs
//	schema             the JSON Schema of what --json writes
//	man                the manual page, for man -l -
//	completion SHELL   a script for bash, zsh, fish or powershell
//	version            version of the tool and of SQLite, and whether full text indexes can be checked
//	help [COMMAND]     flags
//
// # Output
//
// Data goes to stdout, everything else to stderr. --format is table, json, jsonl or markdown; also sarif and junit for
// scan, junit for corpus, csv for timeline, sql for fix, and html for scan, demo, resume and the lists of checkpoints;
// --json is --format json.
// --output FILE writes to a new file instead and may be repeated, each with its own --format, or none when the ending
// tells (.json, .jsonl, .md, .txt, .html; of scan also .sarif and .xml). An existing file is never overwritten, a name beside which a -wal or -journal
// lies is refused, and a run that fails leaves no file. The same input gives the same bytes; only --timings adds what
// differs between runs. Tables are as wide as COLUMNS, else the terminal, else 100.
//
// --color is auto, always or never; auto means on a terminal, unless NO_COLOR is set. Work that takes longer than a
// second shows its progress on stderr if that is a terminal; --progress none, bar or json decides otherwise. -q leaves
// only errors on stderr, -v says what is being done.
//
// --lang is en, fr or zh; without it LC_ALL, LC_MESSAGES or LANG decides. It is the language of headings, of the verdict
// and of what explain and checks say; ids, JSON, CSV, errors and what is said about single rows are English.
//
// # What a scan looks at
//
// --only and --skip choose checks by id and may be repeated; --deep adds the slow ones. --chat and --session narrow
// findings, resume lines and rows to one chat or row, and the exit code with them. --now is the only clock (default:
// the newest trusted time in the input), --home-path says where the home was on its machine, and the variable TZ names
// the zone of the naive local times in routing entries (default: derived from the data). --time-budget stops before
// the next check when it is used up.
//
// --format sarif is SARIF 2.1.0, junit a test for each check, which fails as the exit code does. Findings that --baseline
// has (a saved report as JSON, JSON Lines or SARIF, or ids, one a line) do not count, nor do those that --ignore-file names:
// lines of "ID: reason" or "ID until YYYY-MM-DD: reason", ID being that of a finding or a check. They stay in the
// documents, with the reason. An entry holds through its day by the clock of the scan; one that expired, or fits nothing,
// is said.
//
// # Cases of one's own
//
// corpus new takes over the columns that checks read, no text of a message, no title, prompt or name of a person, but ids,
// keys and times as they are: give it a redacted copy. It then leaves out sessions, rows, messages and columns as long as a
// scan of the rest shows what that of the copy showed (all findings and the verdict, or the one that --finding names) and
// nothing else, at most --max-scans times. The case has passed before it is written. What rests on texts, on other files of
// a home, on checkpoints or on the bytes of the file cannot be made, and is refused. corpus check DIR runs the *.txtar
// files of a folder, and exits 1 when one fails; it has the format junit too.
//
// # Two copies
//
// diff takes two databases or two homes, A for the earlier one, and compares their databases by name. A session is the same
// by its id; its messages by digests of what they hold, whatever their rowids, as many of equal ones as both sides have. A
// message that is not there as it was is found by its text at another time (re-stamped), by its role and time with a
// shorter or another text (shrunk, rewritten), in another session (moved), or it is lost. Columns that one side alone has
// are not compared, and are named. Values of columns that may hold private text are not shown. Findings are compared by
// their ids, chats by what they resume.
//
// # Many copies
//
// --from-file LIST (- is stdin) names copies, one a line, or each with a NUL behind it; lines that begin with # are free,
// and a name that comes again is left out. Each becomes one line: jsonl with the whole report of the copy in it, or table
// for people. The lines stand in the order of the list, whatever --jobs is; --shard I/N takes every N-th copy from the I-th
// on, and the shards together have the lines of one run. A copy that cannot be looked at is a line that says why, with the
// exit code that scan of it alone has; that of the run is the highest. --output FILE is written line by line and stays when
// the run is cut short: --resume FILE with another --output takes over its lines of copies whose files have the same size
// and time of change, tries again what failed, and writes what one whole run would have written.
//
// # Repair
//
// fix prints a plan: cells that are NULL or empty, each with the value that it would get and why. It overwrites nothing
// and deletes nothing. What the evidence does not settle is held until the owner consents, by --accept with the id of
// a session or finding or with contiguity for all adoptions, or on the terminal, where both rows stand side by side; what
// speaks against a repair is listed as refused. --finding, --only and --skip plan a part, --plan FILE the steps that an
// earlier fix --json showed, if the file still holds the same bytes. --format sql prints the procedure by hand.
// --record-lineage says when an adopted row names its predecessor: safe means where the product keeps listing the row.
// The plan also lists what it leaves: statements that would replace a value, for the owner to run or not, and routing
// entries that name another row than the chat then resumes, with what the product does about them at its start.
//
// With --apply the plan is carried out, after y on the terminal or with --yes, which confirms and never consents. A
// backup is made first (in --backup-dir, else beside the file), read back, hashed and compared row by row, then an undo
// journal, and both stay; where a rehearsal on a private copy shows that the repair cannot be made, they go again, and a
// later refusal names them. All steps are done or none: on a private copy that is verified and renamed over the file, or
// by one transaction of SQLite where a -wal lies beside it. The result is scanned again before and after. --output NEW.db
// writes a new file and leaves the input as it is. A file that another process has open or locked, and the folder of
// HERMES_HOME or ~/.hermes, are refused unless --allow-live-holder is given.
//
// undo restores each cell that still holds what the repair wrote and lists the others; it has a backup and a journal of
// its own. --database names the file if it was moved. Cells that hold already what they held before count as done.
//
// # Checkpoints
//
// PATH is a checkpoints folder, one git directory of it, or a home. Objects, refs and packs are read by this program: no
// git runs, no setting, hook, link or alternate of the store is followed, and the store is never written. --project
// names a project by its id or recorded working directory and may be left out where there is one; --checkpoint is N as
// /rollback counts, 1 = newest, or the beginning of the id of any commit or tree, also of those that no list shows.
//
// Sizes are bytes of contents before compression, each once: unique are those that nothing else in the store holds. A gap
// says why the product lists less than there is, or nothing. why asks, in this order: is there a project, was the file
// recorded, does it lie in a nested repository, was the checkpoint dropped, is an object damaged, can the ref and the
// store be read, and what stands in the way today.
//
// extract takes one --output: a name that ends in .tar, or else a folder, neither of which may exist; its manifest is
// what stdout gets, in --format. FILE is a literal path as recorded. Modes and links are as recorded, and nothing is
// written through a link or outside the folder; a name that would lead elsewhere, that git would take for a repository,
// or that the system cannot hold is spelled with % and hex digits and listed. Nested repositories are listed and not
// made. A missing or damaged content is listed, the rest is delivered, and the exit code is 3.
//
// # Exit codes
//
// Equal in every format:
//
//	0    every check that had its input ran, and found nothing at or above --fail-on (default: notice)
//	1    findings
//	2    wrong usage or unreadable input
//	3    incomplete: a check failed, a budget ran out, or the source changed while it was read; wins over 1
//	4    refused for safety: nothing was written to the database
//	130  interrupted by SIGINT or SIGTERM
//
// fix, undo: 0 nothing to do, 1 steps, held or refused repairs, cells left alone; with --apply 0 all done and verified, 1
// done but something is left, 3 something is wrong after the change (the command that takes it back is printed), 4
// nothing was written. verify: 1 when something of the receipt does not hold.
//
// diff: 0 the same, 1 they differ, 3 something could not be looked at.
//
// checkpoints audit exits as scan does; list, show, why and simulate exit 0 whatever they show; diff 0, or 3 when
// something could not be compared; extract 0, or 3 when something could not be delivered.
//
// --exit-zero keeps only 0, 2 and 130. resume, timeline, demo, explain, checks, schema and version exit 0 whatever they show;
// corpus exits 1 when a case fails. An error is two lines on stderr: what is wrong, and the next thing to try.
//
// # Limitations
//
// It reads copies. Of a live install, copied file by file, it can say only that the parts do not fit each other.
// Where several generations of the product would decide differently, all their answers are shown; which of them runs
// is not in the file. A chat's predecessor that is found by time alone is a guess and is called one. What no given
// file holds is reported as absent, not as lost: it may be in a backup. It repairs nothing in this version. A simulated
// rollback says what it takes for granted; only selections by git attributes get no verdict.
//
// A second interrupt ends the program at once and may leave its private copies in the temporary folder (TMPDIR).
package main
