package rows

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Env is what the times of a case refer to.
type Env struct {
	Schema string         // the schema version of the database, as build names it
	Base   float64        // epoch seconds of @0; NaN = not set
	Local  *time.Location // the zone of the machine that wrote the files
}

// trusted says whether a time may be taken for real, which some cases' times are not meant to be.
func trusted(epoch float64) bool { return epoch >= 1 && epoch <= 4.2e9 }

// Time reads @N, @2d3h5m10s or an absolute time with a zone as epoch seconds. ok is false for anything else.
func (e Env) Time(word string) (epoch float64, ok bool, err error) {
	if strings.HasPrefix(word, "@") {
		n, err := seconds(word[1:])
		if err != nil {
			return 0, false, err
		}
		if math.IsNaN(e.Base) {
			return 0, false, fmt.Errorf("time %q without a base", word)
		}
		return round(e.Base + n), true, nil
	}
	if len(word) < len("2006-01-02T15:04:05Z") || word[4] != '-' || word[10] != 'T' {
		return 0, false, nil
	}
	t, err := time.Parse(time.RFC3339Nano, word)
	if err != nil {
		return 0, false, nil
	}
	return float64(t.Unix()) + float64(t.Nanosecond())/1e9, true, nil
}

// round keeps milliseconds, so that a case's times do not depend on how a sum was made.
func round(epoch float64) float64 { return math.Round(epoch*1000) / 1000 }

// seconds reads a plain number of seconds or one with units: 3600, -90.5, 2d17h3m.
func seconds(text string) (float64, error) {
	digits, negative := strings.CutPrefix(text, "-")
	total := 0.0
	if n, err := strconv.ParseFloat(digits, 64); err == nil && digits[0] >= '0' && digits[0] <= '9' {
		total = n
	} else {
		unit := map[string]float64{"d": 86400, "h": 3600, "m": 60, "s": 1}
		parts := regexp.MustCompile(`(\d+(?:\.\d+)?)([dhms])`).FindAllStringSubmatch(digits, -1)
		used := 0
		for _, p := range parts {
			n, err := strconv.ParseFloat(p[1], 64)
			if err != nil {
				return 0, fmt.Errorf("seconds %q: %w", text, err)
			}
			total += n * unit[p[2]]
			used += len(p[0])
		}
		if used == 0 || used != len(digits) {
			return 0, fmt.Errorf("%q is no number of seconds: want 3600 or 2d17h3m", text)
		}
	}
	if negative {
		total = -total
	}
	if math.IsInf(total, 0) || math.IsNaN(total) {
		return 0, fmt.Errorf("%q is no number of seconds", text)
	}
	return total, nil
}

// local is the moment as the machine's clock showed it.
func (e Env) local(epoch float64) time.Time {
	return time.UnixMicro(int64(math.Round(epoch * 1e6))).In(e.Local)
}

// iso spells a moment as Python's isoformat does for a naive local time.
func (e Env) iso(epoch float64) string {
	t := e.local(epoch)
	if t.Nanosecond() == 0 {
		return t.Format("2006-01-02T15:04:05")
	}
	return t.Format("2006-01-02T15:04:05.000000")
}

// Expand replaces @ISO(T), @LOG(T) and @EPOCH(T) in a file's text by T as a naive local ISO time, as the time of a
// log line, and as epoch seconds.
func (e Env) Expand(text string) (string, error) {
	var failed error
	text = regexp.MustCompile(`@(ISO|LOG|EPOCH)\(([^()\n]*)\)`).ReplaceAllStringFunc(text, func(found string) string {
		kind, word, _ := strings.Cut(strings.TrimSuffix(found[1:], ")"), "(")
		epoch, ok, err := e.Time(word)
		switch {
		case err != nil:
			failed = err
		case !ok:
			failed = fmt.Errorf("%q is no time", word)
		case kind == "ISO":
			return e.iso(epoch)
		case kind == "LOG":
			return e.local(epoch).Format("2006-01-02 15:04:05,000")
		default:
			return strconv.FormatFloat(epoch, 'f', -1, 64)
		}
		return found
	})
	return text, failed
}
