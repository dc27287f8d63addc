package witness_test

import (
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-4d3eb737/hermes-doctor/evidence/internal/witness"
)

// wide spells a text as UTF-16 with its mark.
func wide(text string, order binary.AppendByteOrder) string {
	var out []byte
	for _, u := range utf16.Encode([]rune("\ufeff" + text)) {
		out = order.AppendUint16(out, u)
	}
	return string(out)
}

func TestLines(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", witness.LineLimit+1)
	tests := []struct {
		name, text string
		want       []string
		long       int
	}{
		{"plain", "one\ntwo\r\n\nfour\n", []string{"one", "two", "", "four"}, 0},
		{"no end", "one\ntwo", []string{"one", "two"}, 0},
		{"empty", "", nil, 0},
		{"mark", "\xef\xbb\xbfone\n", []string{"one"}, 0},
		{"latin", "caf\xe9\n\x00\n", []string{"caf\xe9", "\x00"}, 0},
		{"little", wide("añ😀\ntwo\n", binary.LittleEndian), []string{"añ😀", "two"}, 0},
		{"big", wide("añ😀\ntwo", binary.BigEndian), []string{"añ😀", "two"}, 0},
		{"little without mark", wide("aé\ntwo\n", binary.LittleEndian)[2:], []string{"aé", "two"}, 0},
		{"big without mark", wide("aé\ntwo\n", binary.BigEndian)[2:], []string{"aé", "two"}, 0},
		{"long", "one\n" + long + "\nthree\n", []string{"one", "three"}, 1},
		{"long without end", "one\n" + long + long, []string{"one"}, 1},
	}
	for _, test := range tests {
		for _, block := range []int{4, 5, 4096, 1 << 20} {
			l := witness.Lines{}
			var got []string
			numbers := map[string]int{}
			each := func(line []byte) {
				got = append(got, string(line))
				numbers[string(line)] = l.Number
			}
			for text := []byte(test.text); len(text) > 0; {
				n := min(block, len(text))
				l.Write(text[:n], each)
				text = text[n:]
			}
			l.Close(each)
			if diff := cmp.Diff(test.want, got); diff != "" || l.Long != test.long {
				t.Errorf("%s in blocks of %d: %d long lines, want %d (-want +got):\n%s", test.name, block, l.Long, test.long, diff)
			}
			if n, ok := numbers["three"]; ok && n != 3 {
				t.Errorf("%s in blocks of %d: the third line is %d", test.name, block, n)
			}
		}
	}
}

func TestLinesOfOtherBytes(t *testing.T) {
	t.Parallel()
	l := witness.Lines{}
	l.Write([]byte("plain é\ncaf\xe9\n\x00\x00\n\xffend"), func([]byte) {})
	l.Close(func([]byte) {})
	if l.Foreign != 2 || l.Zeros != 1 || l.Encoding != "" {
		t.Errorf("%d lines are no UTF-8, %d have NUL bytes, encoding %q", l.Foreign, l.Zeros, l.Encoding)
	}
}
