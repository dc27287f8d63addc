package scan

import (
	"fmt"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
)

// prunable says that the product's own prune takes a row at its next run: it is ended, and it was last used more than 90 days before
// the scan's clock (#101316). A row without an end is never taken.
func prunable(s *facts.Session, now float64) bool {
	return !s.Ended.Blank() && !s.Act().Blank() && now-float64(s.Act()) > PrunedAfter
}

// prunedShown bounds the ids that the note names; --all marks them all.
const prunedShown = 5

// pruneNote says what the product's prune would take from the store; "" for nothing. Builds before September 2026 went by the start, or
// by the newest message alone, and took chats that were in use (#71043, #114024).
func (e *exam) pruneNote(now float64) string {
	var rows, early int
	var messages int64
	var ids []string
	for i := range e.facts.Sessions {
		s := &e.facts.Sessions[i]
		switch {
		case prunable(s, now):
			rows++
			messages += s.Messages
			if len(ids) < prunedShown {
				ids = append(ids, e.row(int32(i)).ID)
			}
		case !s.Ended.Blank() && !s.Start().Blank() && now-float64(s.Start()) > PrunedAfter:
			early++
		}
	}
	var words []string
	if rows > 0 {
		more := ""
		if rows > len(ids) {
			more = ", …"
		}
		words = append(words, fmt.Sprintf("a prune of the product (sessions.auto_prune) takes ended rows that were not used for %d days; by the scan's clock %s with %s: %s%s",
			prunedDays, Count(rows, "row"), Count(messages, "message"), strings.Join(ids, ", "), more))
	}
	if early > 0 {
		words = append(words, fmt.Sprintf("builds that prune by the start, or by the newest message alone, also take ended rows that began earlier and were used since: up to %s", Count(early, "row")))
	}
	return strings.Join(words, "; ")
}
