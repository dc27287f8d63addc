package build

import (
	"math/rand/v2"
	"strings"
)

// prose is a long text of invented words, of which every message is a slice: no work a message, and for a full text
// index much like language.
type prose struct {
	text string
	rnd  *rand.Rand
}

// proseLength is in bytes: long enough that the trigram index finds few messages alike.
const proseLength = 4 << 20

func newProse(rnd *rand.Rand) *prose {
	words := make([]string, 30_000)
	for i := range words {
		words[i] = word(rnd)
	}
	often := rand.NewZipf(rnd, 1.1, 8, uint64(len(words)-1)) // few words are frequent, most are rare
	var b strings.Builder
	for b.Len() < proseLength {
		b.WriteString(words[often.Uint64()])
		b.WriteByte(' ')
	}
	return &prose{b.String(), rnd}
}

// word joins one to four syllables.
func word(rnd *rand.Rand) string {
	const consonants = "bcdfghjklmnprstvwz"
	endings := [...]string{"a", "e", "i", "o", "u", "an", "er", "ing", "ot"}
	var b strings.Builder
	for range 1 + rnd.IntN(4) {
		b.WriteByte(consonants[rnd.IntN(len(consonants))])
		b.WriteString(endings[rnd.IntN(len(endings))])
	}
	return b.String()
}

// cut gives n bytes from anywhere. They need no escape in JSON.
func (p *prose) cut(n int) string {
	n = min(n, len(p.text)/2)
	at := p.rnd.IntN(len(p.text) - n)
	return p.text[at : at+n]
}
