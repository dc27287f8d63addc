package checks

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
)

// inFile is an observation in the bytes of a database or of a file beside it; suffix is "" or "-wal", "-shm", "-journal".
func inFile(p *scan.Pass, suffix, saw, command string) evidence.Item {
	name := p.Store.Name + suffix
	return evidence.Item{At: evidence.Ref{Path: name}, Saw: saw, How: command + " " + evidence.ShellQuote(name)}
}

// candidatesShown bounds how many copies a finding names.
const candidatesShown = 4

// restoreFrom verifies the copies beside a lost database. It gives the advice that names the best of them, and the
// evidence for it.
func restoreFrom(ctx context.Context, p *scan.Pass) (string, []evidence.Item, error) {
	if p.Store.Home == nil {
		return "Keep this file. Examine the whole Hermes home: the copies in it are then verified and the best is named.", nil, nil
	}
	list, read, err := p.Store.Home.Candidates(ctx)
	if err != nil {
		return "", nil, fmt.Errorf("verify the copies: %w", err)
	}
	advice, items := restoreOf(p, list, read)
	return advice, items, nil
}

// restoreOf is restoreFrom over copies that were verified.
func restoreOf(p *scan.Pass, list []evidence.Candidate, read *evidence.Copies) (string, []evidence.Item) {
	var items []evidence.Item
	for _, c := range list[:min(len(list), candidatesShown)] {
		items = append(items, candidate(&c))
	}
	for _, note := range read.Notes[:min(len(read.Notes), candidatesShown)] {
		items = append(items, evidence.Item{At: evidence.Ref{Path: p.Store.Home.Path(".")}, Saw: note, How: "ls -lR " + evidence.ShellQuote(p.Store.Home.Path("."))})
	}
	if len(list) == 0 || !list[0].Sound {
		return "Keep this file. No sound copy of it lies beside it: look for backups elsewhere (hermes-backup-*.zip in the user's home directory, snapshots of the disk).", items
	}
	beside := "with no -wal and no -shm beside it"
	switch list[0].View {
	case evidence.ViewWAL:
		beside = "together with its own -wal, which holds a part of it, and no other"
	case evidence.ViewJournal:
		beside = "together with its own -journal, which it needs, and with no -wal and no -shm beside it"
	}
	return fmt.Sprintf("Keep this file. The best copy beside it is %s: put a copy of that one in its place, %s, while nothing of Hermes runs.", list[0].Path, beside), items
}

// candidate shows what a copy holds.
func candidate(c *evidence.Candidate) evidence.Item {
	words := []string{scan.Count(c.Sessions, "session"), scan.Count(c.Messages, "message"), "newest " + scan.Moment(facts.Time(c.Newest))}
	switch {
	case c.Same != "":
		words = append(words, "byte for byte the same as "+c.Same)
	case c.Sound:
		words = append(words, "sessions and messages are sound")
	default:
		words = append(words, "damaged")
	}
	how := "sqlite3 " + evidence.ShellQuote("file:"+c.Path+"?immutable=1")
	if c.View != evidence.ViewMain { // which immutable=1 would leave out
		how = "on a copy of it and what lies beside it: sqlite3 " + evidence.ShellQuote(c.Path)
	}
	return evidence.Item{At: evidence.Ref{Path: c.Path}, Saw: "a copy: " + strings.Join(words, ", "),
		How: how + " 'PRAGMA quick_check; SELECT count(*), max(timestamp) FROM messages'"}
}
