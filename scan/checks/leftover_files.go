package checks

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
)

var leftoverFiles = &scan.Check{
	ID: "leftover-files", Severity: scan.Notice,
	Title:  "repairs and torn writes have left files beside the database",
	Issues: []string{"#86747", "#88224", "#32593", "#68336", "#71418", "#100108"},
	Needs:  scan.NeedFile,
	Doc: scan.Doc{
		What:   "Beside the database lie files that the product made when something went wrong: raw bytes from before a repair, copies that were never finished, databases that were moved aside, writes of sessions.json that were cut off. Their times are those of the incidents, and any of them may hold what the database has lost.",
		Not:    "Snapshots and backups that were made on purpose are not meant, and nothing is said here of what each file holds: hermes-doctor migrate candidates verifies them by their content and says which are the same, byte for byte.",
		Origin: "A repair that runs again at every start, a full disk, a process that was killed while it wrote.",
		Safe:   "Keeping them until the database is sound and backed up; then those may go of which a better or an equal one is kept.",
		Unsafe: "Deleting by age or by name: the best evidence is often the oldest.",
		ByHand: "ls -la state.db.malformed-backup-* state.db.zeroed-* state.db.backup-staging-* sessions/.sessions_*.tmp",
	},
	Run: func(_ context.Context, p *scan.Pass) error {
		if p.Store.Home == nil {
			return nil
		}
		beside, err := p.Store.Home.Beside()
		if err != nil {
			return err
		}
		for _, kind := range []struct {
			of   evidence.BesideKind
			what string
		}{
			{evidence.MalformedBackup, "raw bytes from before a repair"}, {evidence.ZeroedAside, "moved aside because they begin with NUL"},
			{evidence.BackupStaging, "a copy that was never finished"}, {evidence.TornMirror, "a write of sessions.json that was cut off"},
		} {
			reportLeftovers(p, kind.what, slices.DeleteFunc(slices.Clone(beside), func(b evidence.Beside) bool { return b.Kind != kind.of }))
		}
		return nil
	},
}

// leftoversShown bounds how many files of a kind are named.
const leftoversShown = 8

// reportLeftovers tells the files of one kind.
func reportLeftovers(p *scan.Pass, what string, list []evidence.Beside) {
	if len(list) == 0 {
		return
	}
	var bytes int64
	first, last := list[0].Modified, list[0].Modified
	for _, b := range list {
		bytes += b.Bytes
		first, last = min(first, b.Modified), max(last, b.Modified)
	}
	f := scan.Finding{
		Subject: scan.Subject{Path: kindPath(list[0])},
		Message: fmt.Sprintf("%s beside %s, %s: %s", scan.Count(int64(len(list)), "file"), p.Store.Name, scan.Count(bytes, "byte"), what),
		Advice:  "Delete none of them yet: hermes-doctor migrate candidates says what each holds and which to keep.",
	}
	if len(list) > 1 {
		f.Message += fmt.Sprintf("; the first of %s, the last of %s", scan.Moment(facts.Time(first)), scan.Moment(facts.Time(last)))
	}
	slices.SortStableFunc(list, func(a, b evidence.Beside) int { return strings.Compare(a.Path, b.Path) })
	for _, b := range list[:min(len(list), leftoversShown)] {
		f.Evidence = append(f.Evidence, evidence.Item{At: evidence.Ref{Path: b.Path}, Saw: scan.Count(b.Bytes, "byte") + ", of " + scan.Moment(facts.Time(b.Modified)), How: "ls -l " + evidence.ShellQuote(b.Path)})
	}
	p.Report(f)
}

// kindPath is the same for every file of a kind, so that one more of them makes no other finding.
func kindPath(b evidence.Beside) string {
	dir, name := "", b.Path
	if i := strings.LastIndexByte(b.Path, '/'); i >= 0 {
		dir, name = b.Path[:i+1], b.Path[i+1:]
	}
	if b.Kind == evidence.TornMirror {
		return dir + ".sessions_*.tmp"
	}
	return dir + strings.TrimSuffix(name, strings.TrimPrefix(name, "state.db."+string(b.Kind)+"-")) + "*"
}
