package pseudonym

import (
	"strings"
	"time"
)

// stampForm is the moment that session ids and file names of the product begin with (spec/state-db.md 4.4).
const stampForm = "20060102_150405"

// stamped splits a word that begins with a moment of this century from what follows its underscore, and moves the moment.
func stamped(word string, shift int64) (at, rest string, ok bool) {
	if len(word) < len(stampForm) || !strings.HasPrefix(word, "20") {
		return "", "", false
	}
	t, err := time.Parse(stampForm, word[:len(stampForm)])
	if err != nil {
		return "", "", false
	}
	rest = word[len(stampForm):]
	if rest != "" && (rest[0] != '_' || rest == "_") {
		return "", "", false
	}
	return t.Add(time.Duration(shift) * time.Second).Format(stampForm), strings.TrimPrefix(rest, "_"), true
}
