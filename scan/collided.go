package scan

import (
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
)

// Collided says that two rows of one key are of two chats: an id that holds a colon lets the key be read in two ways, and each row's
// chat_id reads it in another (#84686, #13013). Which other reasons two ids may have is open, so that they do not count.
func Collided(f *facts.Facts, a, b int32) bool {
	x, y := &f.Sessions[a], &f.Sessions[b]
	return x.SessionKey == y.SessionKey && x.ChatID != "" && y.ChatID != "" && x.ChatID != y.ChatID && reads(x) && reads(y)
}

// reads says that the key of a row goes on with the row's chat.
func reads(s *facts.Session) bool {
	_, _, rest, ok := facts.KeyParts(s.SessionKey)
	if !ok || s.ChatType == "" {
		return false
	}
	rest, ok = strings.CutPrefix(rest, s.ChatType+":")
	return ok && (rest == s.ChatID || strings.HasPrefix(rest, s.ChatID+":"))
}

// collided lists the rows with messages whose chat a restart sends into a row of another chat, because the two share a key.
func (e *exam) collided() []int32 {
	var out []int32
	for _, group := range LiveTwins(e.facts) {
		w := e.answer(e.facts.Sessions[group[0]].Chat()).Row
		for _, i := range group {
			if w >= 0 && i != w && e.facts.Sessions[i].Messages > 0 && Collided(e.facts, i, w) {
				out = append(out, i)
			}
		}
	}
	return out
}
