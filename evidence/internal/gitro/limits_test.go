package gitro_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-4d3eb737/hermes-doctor/evidence/internal/gitro"
)

// What is more than the limits allow is an error of that kind, not memory.
func TestLimits(t *testing.T) {
	tests := []struct {
		name   string
		layout string
		limits gitro.Limits
	}{
		{"size, loose", "loose", gitro.Limits{Object: 1000}},
		{"size, packed", "gc", gitro.Limits{Object: 1000}},
		{"chain", "deep deltas", gitro.Limits{Chain: 1, DeltaBases: 1}},
		{"work", "gc", gitro.Limits{Work: 3000}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := build(t, layoutNamed(t, tt.layout))
			limited := 0
			_, r := open(t, dir, tt.limits)
			for _, name := range strings.Fields(string(git(t, dir, nil, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)"))) {
				if _, _, err := r.Object(parse(t, name)); err != nil {
					if gitro.FaultOf(err) != gitro.FaultLimit {
						t.Fatal(err)
					}
					limited++
				}
			}
			if limited == 0 {
				t.Error("no object met the limit")
			}
		})
	}
	for _, limits := range []gitro.Limits{{Depth: 1}, {Trees: 2}, {Entries: 3}} {
		t.Run(fmt.Sprintf("census %+v", limits), func(t *testing.T) {
			dir := build(t, layoutNamed(t, "gc"))
			repo, r := open(t, dir, limits)
			root, c := newest(t, repo, r, tip(t, dir))
			n, ok := c.Count(r, root)
			if !ok || !n.Damaged {
				t.Errorf("count %+v %v, want one that says it is not whole", n, ok)
			}
			limited := c.Stopped() != nil && c.Stopped().Fault == gitro.FaultLimit
			for _, d := range c.Damage() {
				limited = limited || d.Err.Fault == gitro.FaultLimit
			}
			if !limited {
				t.Errorf("no limit was told: %v %v", c.Stopped(), c.Damage())
			}
		})
	}
}
