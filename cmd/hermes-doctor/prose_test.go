package main

import (
	"encoding/json"
	"flag"
	"slices"
	"testing"

	"github.com/seed-4d3eb737/hermes-doctor/corpus"
	"github.com/seed-4d3eb737/hermes-doctor/report/lang"
)

var everyProse = flag.Bool("every-prose", false, "look at the stories of every case of the corpus, not of a sample")

// The sentences of stories, of the steps of an incident and of why a restart gives a row are known in every language.
func TestStoriesAreTranslated(t *testing.T) {
	t.Parallel()
	fr, err := lang.Parse("fr")
	if err != nil {
		t.Fatal(err)
	}
	unknown := map[string]string{}
	told := 0
	for _, c := range cases(t) {
		if _, chosen := sample("prose", c.Name); !chosen && !*everyProse || c.FTS == "yes" && !tool().FTS5 {
			continue
		}
		dir := t.TempDir()
		if err := corpus.BuildTo(t.Context(), c, dir); err != nil {
			t.Fatal(err)
		}
		code, out, complaints := tell(t, "scan", "--format", "json", c.Path(dir))
		if code == exitUsage {
			continue // what cannot be read has no story
		}
		var doc struct {
			Stories []struct{ Text []string }
			Resume  []struct{ Why string }
			Events  []struct{ What, Step string } `json:"timeline"`
		}
		if err := json.Unmarshal(out, &doc); err != nil {
			t.Fatalf("%s: %v\n%s", c.Name, err, complaints)
		}
		var said []string
		for _, s := range doc.Stories {
			said = append(said, s.Text...)
		}
		for _, r := range doc.Resume {
			said = append(said, r.Why)
		}
		for _, e := range doc.Events {
			if e.Step != "" {
				said = append(said, e.What)
			}
		}
		for _, s := range said {
			if told++; s != "" && fr.Prose(s) == s {
				unknown[s] = c.Name
			}
		}
	}
	if told == 0 {
		t.Fatal("no case tells a story")
	}
	list := make([]string, 0, len(unknown))
	for s := range unknown {
		list = append(list, s)
	}
	slices.Sort(list)
	for _, s := range list {
		t.Errorf("%s: prose.fr.txt has no sentence for %q", unknown[s], s)
	}
}
