package corpus_test

import (
	"os"
	"testing"

	"github.com/seed-4d3eb737/hermes-doctor/corpus"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checks"
)

// TestUnreadMarksEndNoScan is no case of the corpus, whose every store can be bundled: of this one a table cannot be read.
func TestUnreadMarksEndNoScan(t *testing.T) {
	data, err := os.ReadFile("testdata/search-marks-unread.txtar")
	if err != nil {
		t.Fatal(err)
	}
	c, err := corpus.Parse("search-marks-unread", data)
	if err != nil {
		t.Fatal(err)
	}
	o := outcome(t, checks.All(), c)
	if o.Skipped != "" {
		t.Skip(o.Skipped)
	}
	for _, p := range o.Problems {
		t.Error(p)
	}
}
