package contents_test

import (
	"strings"
	"testing"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan/contents"
)

// chain is a history with these author dates, newest first.
func chain(dates ...int64) []evidence.CommitInfo {
	out := make([]evidence.CommitInfo, len(dates))
	for i, at := range dates {
		out[i].Author.When, out[i].Author.Valid = at, true
	}
	return out
}

func codes(list []contents.Gap) string {
	var out []string
	for _, g := range list {
		out = append(out, g.Code)
	}
	return strings.Join(out, " ")
}

func TestGaps(t *testing.T) {
	v2, v1 := &evidence.CheckpointStore{Version: 2}, &evidence.CheckpointStore{Version: 1}
	twenty := make([]int64, 20)
	for i := range twenty {
		twenty[i] = int64(1000 - i)
	}
	const path, id = "/home/you/project", project
	lost := &evidence.ObjectError{Fault: evidence.ObjectMissing}
	for name, tt := range map[string]struct {
		project evidence.CheckpointProject
		want    string
	}{
		"nothing":                 {evidence.CheckpointProject{Store: v2, ID: id, Workdir: path, JSON: evidence.Present, RefState: evidence.RefSound, Chain: chain(1000, 999), LastTouch: 1001}, ""},
		"never captured":          {evidence.CheckpointProject{Store: v2, JSON: evidence.Present, RefState: evidence.RefAbsent, LastTouch: 9000}, "no-ref"},
		"json lost":               {evidence.CheckpointProject{Store: v2, JSON: evidence.Absent, RefState: evidence.RefSound, Chain: chain(1000)}, "no-json"},
		"json damaged":            {evidence.CheckpointProject{Store: v2, JSON: evidence.Damaged, RefState: evidence.RefSound, Chain: chain(1000)}, "json-damaged"},
		"other path":              {evidence.CheckpointProject{Store: v2, ID: id, Workdir: "/x", JSON: evidence.Present, RefState: evidence.RefSound, Chain: chain(1000)}, "other-path"},
		"ref damaged":             {evidence.CheckpointProject{Store: v2, JSON: evidence.Present, RefState: evidence.RefBroken}, "ref-damaged"},
		"ref dangling":            {evidence.CheckpointProject{Store: v2, JSON: evidence.Present, RefState: evidence.RefDangling}, "ref-dangling"},
		"ref to a tree":           {evidence.CheckpointProject{Store: v2, JSON: evidence.Present, RefState: evidence.RefWrong}, "ref-not-a-commit"},
		"ref from the packed":     {evidence.CheckpointProject{Store: v2, JSON: evidence.Present, RefState: evidence.RefPacked, Chain: chain(1000)}, "ref-packed-value"},
		"blocked":                 {evidence.CheckpointProject{Store: v2, JSON: evidence.Present, RefState: evidence.RefSound, Chain: chain(1000), LastTouch: 1061}, "capture-blocked"},
		"touched in time":         {evidence.CheckpointProject{Store: v2, JSON: evidence.Present, RefState: evidence.RefSound, Chain: chain(1000), LastTouch: 1060}, ""},
		"a hole":                  {evidence.CheckpointProject{Store: v2, JSON: evidence.Present, RefState: evidence.RefSound, Chain: chain(1000), ChainErr: lost}, "history-cut"},
		"longer than is followed": {evidence.CheckpointProject{Store: v2, JSON: evidence.Present, RefState: evidence.RefSound, Chain: chain(1000), ChainErr: &evidence.ObjectError{Fault: evidence.ObjectLimit}}, "history-long"},
		"full":                    {evidence.CheckpointProject{Store: v2, JSON: evidence.Present, RefState: evidence.RefSound, Chain: chain(twenty...)}, "trimmed"},
		"not full":                {evidence.CheckpointProject{Store: v2, JSON: evidence.Present, RefState: evidence.RefSound, Chain: chain(twenty[1:]...)}, ""},
		"dates reset":             {evidence.CheckpointProject{Store: v2, JSON: evidence.Present, RefState: evidence.RefSound, Chain: chain(7, 7)}, "dates-lost"},
		"first layout":            {evidence.CheckpointProject{Store: v1, JSON: evidence.Absent, RefState: evidence.RefSound, Chain: chain(7, 7)}, "first-layout"},
	} {
		if got := codes(contents.Gaps(&tt.project, contents.Settings{})); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

func TestStoreGaps(t *testing.T) {
	flat := &evidence.CheckpointStore{Version: 2, Projects: []*evidence.CheckpointProject{{Chain: chain(1)}, {Chain: chain(2)}, {}}}
	for name, tt := range map[string]struct {
		store *evidence.CheckpointStore
		want  string
	}{
		"nothing":        {&evidence.CheckpointStore{Version: 2, Absent: []string{"branches", "refs/heads"}}, ""},
		"no HEAD":        {&evidence.CheckpointStore{Version: 2, Absent: []string{"HEAD"}}, "no-head"},
		"no refs":        {&evidence.CheckpointStore{Version: 2, Absent: []string{"refs", "refs/heads"}}, "skeleton-lost"},
		"damaged HEAD":   {&evidence.CheckpointStore{Version: 2, Head: evidence.GitHead{Present: true, Flaw: "empty"}}, "head-damaged"},
		"gc pending":     {&evidence.CheckpointStore{Version: 2, Pending: true}, "gc-pending"},
		"flattened":      {flat, "flattened"},
		"one project":    {&evidence.CheckpointStore{Version: 2, Projects: flat.Projects[:1]}, ""},
		"a longer chain": {&evidence.CheckpointStore{Version: 2, Projects: []*evidence.CheckpointProject{{Chain: chain(1)}, {Chain: chain(2, 1)}}}, ""},
		"first layout":   {&evidence.CheckpointStore{Version: 1, Absent: []string{"HEAD"}, Pending: true}, ""},
	} {
		if got := codes(contents.StoreGaps(tt.store)); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
	if got := codes(contents.BaseGaps(&evidence.CheckpointBase{}, contents.Settings{})); got != "no-store" {
		t.Errorf("no store: %q", got)
	}
	if got := codes(contents.BaseGaps(&evidence.CheckpointBase{Stores: []*evidence.CheckpointStore{flat}}, contents.Settings{})); got != "" {
		t.Errorf("a store: %q", got)
	}
}
