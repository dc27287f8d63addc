package rollback_test

import (
	"encoding/json"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-4d3eb737/hermes-doctor/scan/rollback"
)

// rollbackCase is what the product was seen to do with one tree and one selection.
type rollbackCase struct {
	Name string `json:"name"`
	Tree []struct {
		Path string `json:"path"`
		Mode string `json:"mode"`
	} `json:"tree"`
	Selection *string  `json:"selection"`
	Verdict   string   `json:"verdict"`
	Nested    []string `json:"nested"`
	Restored  []string `json:"restored"`
	Class     *string  `json:"error_class"`
	Stage     *string  `json:"error_stage"`
	DependsOn string   `json:"depends_on"`
	PreFix    string   `json:"pre_fix_verdict"`
}

// TestCases replays recorded verdicts out of the file that ROLLBACK_CASES names. Cases that need today's working
// directory are left out.
func TestCases(t *testing.T) {
	name := os.Getenv("ROLLBACK_CASES")
	if name == "" {
		t.Skip("ROLLBACK_CASES names no file of cases")
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var cases []rollbackCase
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, c := range cases {
		if c.DependsOn == "today" {
			continue
		}
		ran++
		t.Run(c.Name, func(t *testing.T) { c.check(t) })
	}
	if ran == 0 {
		t.Error("the file holds no case to run")
	}
}

func (c rollbackCase) check(t *testing.T) {
	var leaves []leaf
	for _, e := range c.Tree {
		mode, err := strconv.ParseUint(e.Mode, 8, 32)
		if err != nil {
			t.Fatal(err)
		}
		leaves = append(leaves, leaf{e.Path, rollback.Mode(mode)})
	}
	objects, root := store(leaves)
	r := rollback.Request{}
	if c.Selection != nil {
		r.Selection = *c.Selection
	}
	got, err := rollback.Simulate(t.Context(), objects, root, r)
	if err != nil {
		t.Fatal(err)
	}
	if c.DependsOn == "attributes" && got.Verdict == rollback.Unknown {
		return
	}
	type told struct {
		Verdict, Class, Stage, Before string
		Nested, Restored              []string
	}
	want := told{Verdict: c.Verdict, Before: c.PreFix, Nested: c.Nested, Restored: slices.Sorted(slices.Values(c.Restored))}
	if c.Class != nil {
		want.Class, want.Stage = *c.Class, *c.Stage
	}
	has := told{
		Verdict: string(got.Verdict), Class: string(got.Class), Before: string(got.BeforeFix),
		Nested: append([]string{}, got.Nested...), Restored: got.Restored,
	}
	if got.Verdict == rollback.Failed {
		has.Stage = string(got.Stage)
	}
	if diff := cmp.Diff(want, has); diff != "" {
		t.Errorf("selection %q (-want +got):\n%s", r.Selection, diff)
	}
}
