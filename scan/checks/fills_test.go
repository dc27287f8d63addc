package checks_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-4d3eb737/hermes-doctor/corpus"
	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checks"
)

// scanned builds and scans a case.
func scanned(t *testing.T, data []byte, o scan.Options) *scan.Result {
	t.Helper()
	ctx, dir := context.Background(), t.TempDir()
	c, err := corpus.Parse("case", data)
	if err != nil {
		t.Fatal(err)
	}
	if err := corpus.BuildTo(ctx, c, dir); err != nil {
		t.Fatal(err)
	}
	b, err := evidence.Open(ctx, []string{c.Path(dir)}, evidence.Options{TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	r, err := scan.Run(ctx, b, checks.All(), o)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	return r
}

// fills lists the cells that a check proposes, held ones marked.
func fills(t *testing.T, data []byte, check string) []string {
	t.Helper()
	var out []string
	for _, f := range scanned(t, data, scan.Options{}).Findings {
		for _, c := range f.Fills {
			if f.Check == check {
				out = append(out, fmt.Sprintf("%s.%s = %v", c.Key, c.Column, c.Value))
				if f.Held {
					out[len(out)-1] += " if asked for"
				}
			}
		}
	}
	return out
}

const end = "-- want.txt --\n-- resume.txt --\n-- census.txt --\n-- verdict.txt --\nsound\n"

func TestFillsOfCases(t *testing.T) {
	tests := []struct {
		name, check string
		want        []string
	}{
		{"key-without-peer", "key-without-peer", []string{
			"text.chat_id = 1001", "text.chat_type = dm",
			"origin.chat_id = -100777", "origin.chat_type = group", "origin.user_id = 2002",
			"entry.chat_id = 55", "entry.chat_type = thread", "entry.thread_id = 66", "entry.user_id = 3003",
		}},
		{"key-without-peer-fenced", "key-without-peer", []string{
			"left.chat_id = 1001 if asked for", "left.chat_type = dm if asked for",
			"reset.chat_id = 1001", "reset.chat_type = dm",
		}},
		{"key-contradicts-peer", "key-without-peer", nil},
		{"lost-reset-lineage", "lost-reset-lineage", []string{
			"new1.parent_session_id = old1 if asked for", `new1.model_config = {"_reset_from":"old1"} if asked for`,
		}},
		{"half-ended-session", "half-ended-session", []string{"reason.ended_at = 1.7864388e+09 if asked for"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			data, err := os.ReadFile("../../corpus/cases/" + test.name + ".txtar")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, fills(t, data, test.check)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestPlaceFills(t *testing.T) {
	const head = "about: a test\n-- rows.txt --\nbase 2026-08-10T09:00:00Z\n"
	tests := []struct {
		name, rows string
		want       []string
	}{
		{"a routing entry of another row does not name the user", `
session a source=discord start=@0 ended=@1h reason=tui_close key=agent:main:discord:group:55:66
messages a 4 @0..@1h
session b source=discord start=@2h key=agent:main:discord:group:55:66 user=66 chat=55/group
messages b 4 @2h..@3h
route agent:main:discord:group:55:66 b
`, []string{"a.chat_id = 55", "a.chat_type = group"}},
		{"an entry that contradicts the key fills nothing", `
session a source=telegram start=@0 key=agent:main:telegram:dm:1001
messages a 4 @0..@1h
route agent:main:telegram:dm:1001 a origin=json'{"platform": "telegram", "chat_id": "2002", "chat_type": "dm"}'
`, nil},
		{"a thread that contradicts the key fills nothing", `
session a source=telegram start=@0 key=agent:main:telegram:dm:1001:45 thread_id=46
messages a 4 @0..@1h
`, nil},
		{"the row that takes the key by the same plan gets the place too", `
session a source=telegram start=@0 last=@1h ended=@1h reason=compression key=agent:main:telegram:dm:1001 user=1001
messages a 4 @0..@1h
session b source=telegram start=@1h last=@1d parent=a
messages b 4 @1h..@1d
`, []string{"a.chat_id = 1001", "a.chat_type = dm", "b.chat_id = 1001", "b.chat_type = dm"}},
		{"a place by which another chat would find the row", `
session a source=telegram start=@0 last=@1h key=agent:main:telegram:dm:1001 user=1001
messages a 4 @0..@1h
session b source=telegram start=@-1d last=@-1d ended=@-1d reason=tui_close key=agent:coder:telegram:dm:1001 user=1001 chat=1001/dm
messages b 4 @-1d..@-1d
`, []string{"a.chat_id = 1001 if asked for", "a.chat_type = dm if asked for"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, fills(t, []byte(head+test.rows+end), "key-without-peer")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestCopiesSavedAtOtherTimes(t *testing.T) {
	data := []byte("about: a test\n-- rows.txt --\nbase 2026-08-10T09:00:00Z\n" + `
session a source=cli start=@0
messages a 6 @0..@5m
session b source=cli start=@1h
messages b 8 @1h..@1h5m
-- sql --
UPDATE messages SET content = substr(content, 1, instr(content, ' of '));
` + end)
	for _, deep := range []bool{false, true} {
		var got []string
		for _, f := range scanned(t, data, scan.Options{Deep: deep}).Findings {
			got = append(got, f.Check+" "+f.Subject.SessionID)
		}
		var want []string
		if deep {
			want = []string{"conversation-copied b"}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("deep %v (-want +got):\n%s", deep, diff)
		}
	}
}
