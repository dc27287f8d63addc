package scan

import (
	"strings"
	"testing"
)

// Beyond the most of a kind one finding says how many more there are, and shows the worst of them.
func TestCrowd(t *testing.T) {
	var got []Finding
	c := &crowd{add: func(f Finding) { got = append(got, f) }}
	for i := range mostAlike + 3 {
		f := Finding{Severity: Notice, Message: "a"}
		if i == mostAlike+1 {
			f = Finding{Severity: Error, Message: "the worst"}
		}
		c.one(f)
	}
	c.rest()
	last := got[len(got)-1]
	if len(got) != mostAlike+1 || last.Severity != Error || !strings.HasPrefix(last.Message, "3 more findings") || !strings.Contains(last.Message, "the worst") {
		t.Errorf("%d findings, the last %+v", len(got), last)
	}
	got = nil
	few := &crowd{add: c.add}
	few.one(Finding{})
	few.rest()
	if len(got) != 1 {
		t.Errorf("%d findings of one", len(got))
	}
}
