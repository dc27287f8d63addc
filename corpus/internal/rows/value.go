package rows

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// rawJSON is a value that goes into a routing entry as it is spelled.
type rawJSON string

// moment is a value that was written as a time. In a column it is epoch seconds, in an entry a naive local time.
type moment float64

// value reads one value; from is the start of the session that the line is about, NaN where it is about none.
func (p *parser) value(word string, from float64) (any, error) {
	switch word {
	case "NULL":
		return nil, nil
	case "inf":
		return math.Inf(1), nil
	case "-inf":
		return math.Inf(-1), nil
	}
	switch {
	case strings.HasPrefix(word, `"`):
		text, err := strconv.Unquote(word)
		if err != nil {
			return nil, fmt.Errorf("text %s: %w", word, err)
		}
		return text, nil
	case strings.HasPrefix(word, "x'"), strings.HasPrefix(word, "blob'"), strings.HasPrefix(word, "json'"):
		return quoted(word)
	case strings.ContainsAny(word, `"'`):
		return nil, fmt.Errorf("stray quote in %s", word)
	case strings.HasPrefix(word, "$"):
		s := p.sessions[word[1:]]
		if s == nil {
			return nil, fmt.Errorf("%s names no session above", word)
		}
		return s.id, nil
	}
	if after, ok := strings.CutPrefix(word, "+"); ok && !math.IsNaN(from) {
		if n, err := seconds(after); err == nil {
			return moment(round(from + n)), nil
		}
	}
	epoch, ok, err := p.env.Time(word)
	if err != nil {
		return nil, err
	}
	if ok {
		return moment(epoch), nil
	}
	return number(word), nil
}

func quoted(word string) (any, error) {
	kind, body, _ := strings.Cut(word, "'")
	body, closed := strings.CutSuffix(body, "'")
	if !closed {
		return nil, fmt.Errorf("stray text behind %s", word)
	}
	if kind == "json" {
		if !json.Valid([]byte(body)) {
			return nil, fmt.Errorf("%s is not JSON", word)
		}
		return rawJSON(body), nil
	}
	data, err := hex.DecodeString(body)
	if err != nil {
		return nil, fmt.Errorf("bytes %s: %w", word, err)
	}
	if kind == "x" {
		return string(data), nil
	}
	return data, nil
}

// number gives a number for a word that is spelled exactly like one, else the word: 007 and 1.50 stay text.
func number(word string) any {
	if n, err := strconv.ParseInt(word, 10, 64); err == nil && strconv.FormatInt(n, 10) == word {
		return n
	}
	if f, err := strconv.ParseFloat(word, 64); err == nil && strconv.FormatFloat(f, 'f', -1, 64) == word {
		return f
	}
	return word
}

// cell is the value as a column takes it.
func cell(v any) any {
	switch v := v.(type) {
	case moment:
		return float64(v)
	case rawJSON:
		return string(v)
	}
	return v
}

// seen notes a time that stands in a row, for Store.Newest.
func (p *parser) seen(v any) {
	if m, ok := v.(moment); ok && trusted(float64(m)) && !(p.out.Newest >= float64(m)) {
		p.out.Newest = float64(m)
	}
}
