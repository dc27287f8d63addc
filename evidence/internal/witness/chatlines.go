package witness

import "strings"

// preview is how many characters of a message the product writes to its logs.
const preview = 80

// readInbound reads `platform=%s user=%s chat=%s msg=%r …`. A user's name may hold anything: a line that can be read in
// two ways is left out.
func readInbound(e *Event, s string) bool {
	var ok bool
	if e.Platform, s, ok = between(s, "platform=", " user="); !ok {
		return false
	}
	head, tail, ok := cutMessage(s)
	if !ok || strings.Count(head, " chat=") != 1 || strings.Contains(head, " msg=") {
		return false
	}
	e.User, e.Chat, _ = strings.Cut(head, " chat=")
	var rest string
	if e.text, rest, ok = unrepr(tail); !ok || strings.Contains(rest, " chat=") || strings.Contains(rest, " msg=") {
		return false
	}
	return e.Platform != "" && e.Chat != "" && e.Chat != "unknown" && !strings.ContainsRune(e.Chat, ' ')
}

// cutMessage splits a line at its quoted message.
func cutMessage(s string) (head, tail string, ok bool) {
	i := strings.Index(s, " msg='")
	if j := strings.Index(s, ` msg="`); i < 0 || j >= 0 && j < i {
		i = j
	}
	if i < 0 {
		return "", "", false
	}
	return s[:i], s[i+len(" msg="):], true
}

// readTurn reads `session=%s model=%s provider=%s platform=%s history=%d msg=%r`.
func readTurn(e *Event, s string) bool {
	var ok bool
	if e.Session, s, ok = between(s, "session=", " model="); !ok || e.Session == "" || e.Session == "none" {
		return false
	}
	head, tail, ok := cutMessage(s)
	if !ok {
		return false
	}
	i := strings.LastIndex(head, " platform=")
	if i < 0 {
		return false
	}
	if e.Platform, _, ok = strings.Cut(head[i+len(" platform="):], " history="); !ok {
		return false
	}
	e.text, _, ok = unrepr(tail)
	return ok && e.Platform != ""
}

// readReady reads `platform=%s chat=%s time=%.1fs …`.
func readReady(e *Event, s string) bool {
	var ok bool
	if e.Platform, s, ok = between(s, "platform=", " chat="); !ok {
		return false
	}
	e.Chat, _, ok = strings.Cut(s, " time=")
	return ok && e.Chat != ""
}

// readRepointed reads `%r from ended %s (end_reason=%r) to recovered %s`.
func readRepointed(e *Event, s string) bool {
	var ok bool
	if e.Key, s, ok = unrepr(s); !ok {
		return false
	}
	if e.Session, s, ok = between(s, " from ended ", " (end_reason="); !ok {
		return false
	}
	if e.Reason, s, ok = unreprOrNone(s); !ok {
		return false
	}
	e.To, ok = strings.CutPrefix(s, ") to recovered ")
	return ok && named(e.Key, e.Session, e.To)
}

// readPruned reads `%r -> %s (end_reason=%r); left by a crashed gateway`.
func readPruned(e *Event, s string) bool {
	var ok bool
	if e.Key, s, ok = unrepr(s); !ok {
		return false
	}
	if e.Session, s, ok = between(s, " -> ", " (end_reason="); !ok {
		return false
	}
	e.Reason, _, ok = unreprOrNone(s)
	return ok && named(e.Key, e.Session)
}

// readDropped reads `%r -> %s is ended in state.db but still live in sessions.json; …`.
func readDropped(e *Event, s string) bool {
	var ok bool
	if e.Key, s, ok = unrepr(s); !ok {
		return false
	}
	e.Session, _, ok = between(s, " -> ", " is ended in state.db but still live")
	return ok && named(e.Key, e.Session)
}

// readHealed reads `%s -> %s`.
func readHealed(e *Event, s string) bool {
	var ok bool
	e.Session, e.To, ok = strings.Cut(s, " -> ")
	return ok && named(e.Session, e.To)
}

// sessionAndKey reads `%s for %s: %s …`, of a row that could not be made or ended. Keys hold colons but no space.
func sessionAndKey(e *Event, s string) bool {
	var ok bool
	if e.Session, s, ok = strings.Cut(s, " for "); !ok {
		return false
	}
	e.Key, _, ok = strings.Cut(s, ": ")
	return ok && named(e.Session, e.Key)
}

// named says that all of these are single words: ids and keys hold no space, and a line that was cut lacks the last.
func named(words ...string) bool {
	for _, w := range words {
		if w == "" || w == "None" || strings.ContainsAny(w, " \t") {
			return false
		}
	}
	return true
}

// unreprOrNone reads a quoted text, or None, which is "".
func unreprOrNone(s string) (value, rest string, ok bool) {
	if rest, ok := strings.CutPrefix(s, "None"); ok {
		return "", rest, true
	}
	return unrepr(s)
}
