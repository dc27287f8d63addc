package report_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/seed-4d3eb737/hermes-doctor/report"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

func TestFirstLine(t *testing.T) {
	for _, c := range []struct {
		name     string
		word     scan.Word
		sentence string
		want     string
	}{
		{"bare sentence", scan.Damaged, "2 messages have no row.", "damaged: 2 messages have no row (1 session, 44 messages read; no findings)"},
		{"sentence with the word", scan.SoundElsewhere, "sound elsewhere: 5 messages", "sound elsewhere: 5 messages (1 session, 44 messages read; no findings)"},
		{"sentence with the word and more", scan.Sound, "sound here: all is well", "sound here: all is well (1 session, 44 messages read; no findings)"},
		{"another word", scan.Sound, "sound\x1b[2J: x", `sound: sound\x1b[2J: x (1 session, 44 messages read; no findings)`},
	} {
		t.Run(c.name, func(t *testing.T) {
			result := sound()
			result.Verdict = scan.Verdict{Word: c.word, Sentence: c.sentence}
			var b bytes.Buffer
			if err := report.Render(&b, report.New(tool(), nil, result), report.Table, report.Options{}); err != nil {
				t.Fatal(err)
			}
			if got, _, _ := strings.Cut(b.String(), "\n"); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}
