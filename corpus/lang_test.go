package corpus_test

import (
	"strings"
	"testing"

	"github.com/seed-4d3eb737/hermes-doctor/report/lang"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checks"
)

// TestEveryVerdictIsTranslated asks for the sentence of every case in every language.
func TestEveryVerdictIsTranslated(t *testing.T) {
	for _, c := range load(t) {
		o := outcome(t, checks.All(), c)
		if o.Result == nil {
			continue
		}
		_, sentence, _ := strings.Cut(o.Result.Verdict.Sentence, ": ")
		for _, code := range lang.Languages() {
			tongue, err := lang.Parse(code)
			if err != nil {
				t.Fatal(err)
			}
			if said, known := tongue.Sentence(sentence); !known {
				t.Errorf("%s: sentences.%s.txt does not know all of %q: %q", c.Name, code, sentence, said)
			}
		}
	}
}
