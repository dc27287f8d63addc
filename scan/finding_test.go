package scan_test

import (
	"testing"

	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

func TestFindingID(t *testing.T) {
	orphan := func() scan.Finding {
		return scan.Finding{Check: "orphan-session", Severity: scan.Error, Message: "words", Subject: scan.Subject{Store: "state.db", SessionID: "s"}}
	}
	f := orphan()
	id := f.ID()
	f.Message, f.Evidence, f.Severity = "other words", nil, scan.Notice
	if got := f.ID(); got != id {
		t.Errorf("the words change the id from %s to %s", id, got)
	}
	seen := map[string]string{id: "the finding itself"}
	for name, change := range map[string]func(*scan.Finding){
		"check": func(f *scan.Finding) { f.Check = "x" }, "store": func(f *scan.Finding) { f.Subject.Store = "x" },
		"session": func(f *scan.Finding) { f.Subject.SessionID = "x" }, "key": func(f *scan.Finding) { f.Subject.SessionKey = "x" },
		"source": func(f *scan.Finding) { f.Subject.Source = "x" }, "table": func(f *scan.Finding) { f.Subject.Table = "x" },
		"row": func(f *scan.Finding) { f.Subject.RowID = 1 }, "path": func(f *scan.Finding) { f.Subject.Path = "x" },
	} {
		g := orphan()
		change(&g)
		got := g.ID()
		if len(got) != 12 || seen[got] != "" {
			t.Errorf("another %s gives %q, which is also that of %s", name, got, seen[got])
		}
		seen[got] = "another " + name
	}
}
