package dossier

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/inventory"
)

// linesOfLogs are what the maintainers look for in a log; spec/state-db.md 1.5.
func linesOfLogs() []string {
	return []string{"malformed", "FTS rebuild", "FTS index", "DeletedWalGenerationError", "StateDbReplacedError", "Session split detected", "#54878", "falling back to JSONL",
		"tools.checkpoint_manager", "looks ZEROED", "was replaced underneath", "Session DB creation failed", "possible FTS write corruption", "pruning stale", "repointing stale"}
}

const (
	logLimit = 64 << 20  // bytes of one log
	logTotal = 256 << 20 // of all
)

// beside is what lies beside the databases.
func (w *writer) beside(list *inventory.List) {
	w.section("files beside", "")
	if list == nil || len(w.bundle.Homes) == 0 {
		for _, asked := range []string{"snapshots, retired -wal files and backups", "spooled messages and transcripts", "sessions.json", "lines of the logs"} {
			w.left(asked, NotGiven, "run this on the whole home instead of the database alone")
		}
		return
	}
	pick := func(names ...string) (out []string) {
		for i := range list.Lines {
			l := &list.Lines[i]
			if slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(l.What, n) }) {
				out = append(out, fmt.Sprintf("%s: %s, %s with %s, modified %s", evidence.Quote(l.Path), l.What, scan.Count(int64(l.Files), "file"), scan.Count(l.Bytes, "byte"), moment(l.Modified)))
			}
		}
		return out
	}
	w.item("snapshots, retired -wal files and backups", "hermes-doctor migrate candidates HOME   # opens each, and says which is good", pick("snapshot", "retired", "backup", "unfinished backup", "zeroed", "archive", "copy", "another database", "report of a recovery", "ledger of repairs")...)
	w.item("spooled messages and transcripts", "", pick("spooled", "transcript", "session file", "request dump")...)
	w.item("sessions.json", "", pick("routing index", "torn write")...)
	var lines []string
	left := int64(logTotal)
	for _, h := range w.bundle.Homes {
		entries, err := h.ReadDir("logs")
		if err != nil {
			continue
		}
		for _, e := range entries {
			if !e.Type().IsRegular() || w.ctx.Err() != nil {
				continue
			}
			data, err := h.Read("logs/"+e.Name(), evidence.RoleLog, min(logLimit, left))
			if err != nil {
				lines = append(lines, evidence.Quote(h.Path("logs/"+e.Name()))+" was not read: "+err.Error())
				w.out.Limited = true
				continue
			}
			left -= int64(len(data))
			lines = append(lines, counted(h.Path("logs/"+e.Name()), data)...)
		}
	}
	w.item("lines of the logs that matter, counted (they may quote a talk: look at each before you send it)", "grep -nF 'TEXT' logs/*.log*", lines...)
}

// counted tells how often each text stands in a log, and in which lines first and last.
func counted(name string, data []byte) (out []string) {
	type hit struct{ n, first, last int }
	wanted := linesOfLogs()
	hits := make([]hit, len(wanted))
	number := 0
	for line := range bytes.Lines(data) {
		number++
		for i, text := range wanted {
			if bytes.Contains(line, []byte(text)) {
				h := &hits[i]
				if h.n++; h.n == 1 {
					h.first = number
				}
				h.last = number
			}
		}
	}
	for i, h := range hits {
		if h.n > 0 {
			out = append(out, fmt.Sprintf("%s: %s with %q, the first is line %d, the last %d", evidence.Quote(name), scan.Count(int64(h.n), "line"), wanted[i], h.first, h.last))
		}
	}
	return out
}

// checkpoints is what git would say of the stores.
func (w *writer) checkpoints() {
	w.section("checkpoints", "")
	if len(w.bundle.Checkpoints) == 0 {
		w.left("the checkpoint stores", NotGiven, "run this on the whole home, or on its checkpoints folder")
		return
	}
	for _, b := range w.bundle.Checkpoints {
		for _, s := range b.Stores {
			name := b.Name + "/" + s.Name
			at := []string{scan.Count(int64(s.Objects()), "object") + ", " + scan.Count(int64(len(s.Packs.Whole)), "pack") + ", layout " + fmt.Sprint(s.Version)}
			if len(s.Absent) > 0 {
				at = append(at, "missing: "+strings.Join(s.Absent, ", "))
			}
			w.item("what "+name+" holds, and what of it is missing", "ls STORE; git -C STORE count-objects -v", at...)
			w.item("config of "+name+", beyond what the product writes", "git -C STORE config --list", settings(s)...)
			var refs, locks, projects, bad []string
			for _, r := range s.Refs {
				refs = append(refs, r.Name+" "+r.ID.String())
			}
			for _, l := range s.Locks {
				locks = append(locks, fmt.Sprintf("%s, modified %s", l.Path, moment(l.Modified)))
			}
			for _, p := range s.Projects {
				projects = append(projects, fmt.Sprintf("%s %s: %s, ref %s, json %s", p.ID, evidence.Quote(p.Workdir), scan.Count(int64(len(p.Chain)), "checkpoint"), p.RefState, p.JSON))
			}
			for _, p := range s.Problems {
				bad = append(bad, p.Path+": "+p.What)
			}
			w.item("refs of "+name, "git -C STORE for-each-ref", refs...)
			w.item("locks of "+name, "ls -l STORE/indexes/*.lock", locks...)
			w.item("projects and ledgers of "+name, "", append(projects, scan.Count(int64(len(s.Ledgers)), "ledger"))...)
			w.item("damaged files of "+name, "git -C STORE fsck", bad...)
		}
	}
	var found []string
	for i := range w.result.Findings {
		if f := &w.result.Findings[i]; f.Subject.Project != "" || f.Subject.Checkpoint != "" {
			found = append(found, f.Check+": "+f.Message)
		}
	}
	w.item("what the checks find in them", "", found...)
}

func settings(s *evidence.CheckpointStore) (out []string) {
	for _, x := range s.Config.Foreign {
		out = append(out, x.Key)
	}
	if s.Config.Flaw != "" {
		out = append(out, "git refuses it: "+s.Config.Flaw)
	}
	return out
}

// machine is what no copy can tell.
func (w *writer) machine() {
	w.section("only the machine can tell", "")
	w.left("operating system, kernel, file system and mount of the home", Machine, "uname -a; stat -f ~/.hermes; findmnt -T ~/.hermes")
	w.left("Python and its SQLite, of the install and of the shell", Machine, `python3 -c "import sys, sqlite3; print(sys.version, sqlite3.sqlite_version, sqlite3.connect(':memory:').execute('select sqlite_source_id()').fetchone())"; sqlite3 --version`)
	w.left("inodes and which programs hold the files, also deleted ones", Machine, "ls -li ~/.hermes/state.db*; lsof ~/.hermes/state.db*; ls -l /proc/*/fd 2>/dev/null | grep -F '(deleted)'")
	w.left("locks and processes", Machine, "cat /proc/locks; ps -ef | grep -i hermes")
}
