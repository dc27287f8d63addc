package scan

import (
	"fmt"
	"strings"
	"time"

	"github.com/seed-4d3eb737/hermes-doctor/scan/adopt"
	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
	"github.com/seed-4d3eb737/hermes-doctor/scan/resume"
)

// Writer says which kind of build made a row, as far as the row shows it (spec/state-db.md 8). Files are mixed: it is judged row by
// row.
type Writer uint8

// The kinds of writers.
const (
	WriterUnknown Writer = iota
	Unkeyed              // without the fix of #82633: a chat's row without a key
	Unlinked             // without it: a reset made a row that does not name the one before it (#12857)
	Patched              // with it: a reset made a row that names the one before it
)

// WriterOf judges one row.
func WriterOf(f *facts.Facts, i int32) Writer {
	s := &f.Sessions[i]
	switch {
	case !s.Keyed() && adopt.Orphan(f, i, false):
		return Unkeyed
	case !s.Keyed() || s.Marked():
		return WriterUnknown
	case s.Parent >= 0:
		if p := &f.Sessions[s.Parent]; p.Chat() == s.Chat() && resume.Boundary(p.EndReason) && p.Start() < s.Start() {
			return Patched
		}
	case s.ParentID == "" && followsReset(f, i):
		return Unlinked
	}
	return WriterUnknown
}

// chatRows bounds the chats whose rows are held against each other: each row of one costs a look at all.
const chatRows = 1000

// followsReset says that a boundary ended another row of the chat when this one began.
func followsReset(f *facts.Facts, i int32) bool {
	s := &f.Sessions[i]
	rows := f.View().ChatRows(s.Chat())
	if len(rows) > chatRows {
		return false
	}
	for _, k := range rows {
		o := &f.Sessions[k]
		if apart := float64(o.Ended - s.Start()); k != i && resume.Boundary(o.EndReason) && apart >= -resetWindow && apart <= resetWindow {
			return true
		}
	}
	return false
}

// writers sums up which builds wrote to the file; "" where no row shows a build without the fix.
func (e *exam) writers() string {
	count := map[Writer]int{}
	first, last := map[Writer]facts.Time{}, map[Writer]facts.Time{}
	for i := range e.facts.Sessions {
		t := e.facts.Sessions[i].Start()
		w := WriterOf(e.facts, int32(i))
		if w == WriterUnknown || !t.Trusted() {
			continue
		}
		if count[w] == 0 || t < first[w] {
			first[w] = t
		}
		if count[w] == 0 || t > last[w] {
			last[w] = t
		}
		count[w]++
	}
	var parts []string
	newest := facts.Never()
	for _, w := range []Writer{Unkeyed, Unlinked} {
		if count[w] == 0 {
			continue
		}
		parts = append(parts, Count(count[w], "row")+map[Writer]string{Unkeyed: " of chats without a key", Unlinked: " after resets without lineage"}[w])
		newest = facts.Later(newest, last[w])
	}
	if len(parts) == 0 {
		return ""
	}
	text := fmt.Sprintf("writers: builds before #82633 made %s; rows of this kind stopped appearing on %s", strings.Join(parts, " and "), day(newest))
	switch {
	case count[Patched] == 0:
		text += ", and no row shows a build with the fix"
	case newest > first[Patched]:
		text += fmt.Sprintf(", although %s made with the fix since %s: an older program also wrote to this file", Count(count[Patched], "row")+" "+were(count[Patched]), day(first[Patched]))
	default:
		text += fmt.Sprintf("; %s made with the fix, the first on %s", Count(count[Patched], "row")+" "+were(count[Patched]), day(first[Patched]))
	}
	return text
}

func were(n int) string {
	if n == 1 {
		return "was"
	}
	return "were"
}

func day(t facts.Time) string { return time.Unix(int64(t), 0).UTC().Format("2 January 2006") }
