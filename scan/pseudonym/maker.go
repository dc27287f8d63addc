package pseudonym

import (
	"crypto/hmac"
	"crypto/sha256"
	"hash"
	"hash/maphash"
	"strings"
	"unicode/utf8"
)

// Key is the secret behind pseudonyms. Who has it and guesses a name can prove the guess.
type Key [sha256.Size]byte

// Maker makes pseudonyms. The same key and vocabulary give the same ones. It is not safe for concurrent use.
type Maker struct {
	mac    hash.Hash
	keep   map[string]bool
	names  map[string]string   // every word that was replaced
	issued map[uint64]struct{} // hashes of all pseudonyms, so that one in a text stays what it is: a store has a million ids
	seed   maphash.Seed
	shift  int64
}

// New makes a Maker that keeps the words in keep, which must not change afterwards.
func New(key Key, keep map[string]bool) *Maker {
	return &Maker{mac: hmac.New(sha256.New, key[:]), keep: keep, names: map[string]string{}, issued: map[uint64]struct{}{}, seed: maphash.MakeSeed()}
}

// Shift makes the times that ids begin with later by whole seconds; before the first name only.
func (m *Maker) Shift(seconds int64) { m.shift = seconds }

// Keeps says whether a word is of the vocabulary.
func (m *Maker) Keeps(word string) bool { return m.keep[word] }

// Issued says whether a word is a pseudonym that m made.
func (m *Maker) Issued(word string) bool {
	_, is := m.issued[maphash.String(m.seed, word)]
	return is
}

// Issue makes a word count as a pseudonym: one that was worked out from others, as the hash of a path is.
func (m *Maker) Issue(word string) { m.issued[maphash.String(m.seed, word)] = struct{}{} }

// Object is the pseudonym of an object id, an abbreviation of one or a project's id, which stays hexadecimal and of its
// length also where it has digits alone.
func (m *Maker) Object(id string) string {
	out := m.object(id)
	m.Issue(out)
	return out
}

// Name replaces each word of a name, key or path that is not of the vocabulary. A name without any word, of marks
// alone, is one pseudonym when it is longer than three bytes.
func (m *Maker) Name(s string) string {
	if len(s) > 3 && strings.IndexFunc(s, func(r rune) bool { return !Separates(r) }) < 0 {
		return m.Word(s)
	}
	return Map(s, m.Word)
}

// Map gives s with each word replaced; what separates words stays. Bytes that are not UTF-8 belong to words.
func Map(s string, fn func(word string) string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if Separates(r) {
			b.WriteString(s[i : i+size])
			i += size
			continue
		}
		end := i
		for end < len(s) {
			r, size := utf8.DecodeRuneInString(s[end:])
			if Separates(r) {
				break
			}
			end += size
		}
		b.WriteString(fn(s[i:end]))
		i = end
	}
	return b.String()
}

// Separates says whether a character stands between words: white space and the marks of ASCII but the underscore.
// Every other character is part of a word, also where it is a symbol: a name may be written in emoji.
func Separates(r rune) bool {
	return r < 0x80 && strings.ContainsRune(" \t\r\n!\"#$%&'()*+,-./:;<=>?@[\\]^`{|}~", r)
}

// Word is the pseudonym of one word, or the word itself where the vocabulary has it or it is one letter. Digits stay digits and an object id
// stays one, with the pseudonym of an abbreviation the beginning of that of the whole. An id that begins with a moment
// keeps it. A word that is not UTF-8 gives one that is not.
func (m *Maker) Word(word string) string {
	if len(word) == 0 || m.keep[word] || m.Issued(word) || len(word) == 1 && word[0] < 0x80 {
		return word
	}
	if name, ok := m.names[word]; ok {
		return name
	}
	name := m.make(word)
	m.names[word] = name
	m.Issue(name)
	return name
}

func (m *Maker) make(word string) string {
	if at, rest, ok := stamped(word, m.shift); ok {
		if rest == "" {
			return at
		}
		if hexadecimal(rest) { // an id's length tells who made it
			return at + "_" + m.hex("id", word, len(rest))
		}
		return at + "_" + m.letters(word)
	}
	switch {
	case word[0] == '_': // by which the product tells its own members from entries
		return "_" + m.letters(word)
	case strings.Trim(word, "0123456789") == "":
		return "9" + m.spell("digits", word, "0123456789", 11)
	case len(word) >= 7 && hexadecimal(word):
		return m.object(word)
	case !utf8.ValidString(word):
		return m.letters(word) + "\xff"
	}
	return m.letters(word)
}

// Digest is a stand-in of 14 letters for a whole text: the same for the same text.
func (m *Maker) Digest(text string) string {
	out := "x" + m.spell("text", text, "bcdfghjkmnpqrtvwz23456789", 13)
	m.Issue(out)
	return out
}

// letters is a pseudonym that is no word of any language.
func (m *Maker) letters(word string) string {
	return "x" + m.spell("word", word, "bcdfghjkmnpqrtvwz23456789", 11)
}

// object is the pseudonym of an object id or an abbreviation of one.
func (m *Maker) object(word string) string {
	word = strings.ToLower(word)
	out := m.hex("object", word[:min(len(word), 8)], min(len(word), 8))
	if len(word) > 8 {
		out += m.hex("object", word[:min(len(word), 12)], min(len(word), 12)-8)
	}
	if len(word) > 12 {
		out += m.hex("object", word, len(word)-12)
	}
	return out
}

func (m *Maker) hex(kind, word string, n int) string {
	return m.spell(kind, word, "0123456789abcdef", n)
}

// spell writes the keyed hash of a word in n letters of an alphabet.
func (m *Maker) spell(kind, word, alphabet string, n int) string {
	var out strings.Builder
	var sum []byte
	for i := range n {
		if i%sha256.Size == 0 {
			m.mac.Reset()
			_, _ = m.mac.Write([]byte{byte(i / sha256.Size)}) // documented never to fail
			_, _ = m.mac.Write([]byte(kind + "\x00" + word))
			sum = m.mac.Sum(sum[:0])
		}
		out.WriteByte(alphabet[int(sum[i%sha256.Size])%len(alphabet)])
	}
	return out.String()
}

func hexadecimal(s string) bool {
	return s != "" && (strings.Trim(s, "0123456789abcdef") == "" || strings.Trim(s, "0123456789ABCDEF") == "")
}
