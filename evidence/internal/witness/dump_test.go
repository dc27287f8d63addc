package witness_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-4d3eb737/hermes-doctor/evidence/internal/witness"
)

const prompt = "You are Hermes.\n\n## Current Session Context\n\n**Source:** "

func TestParseDump(t *testing.T) {
	t.Parallel()
	system := func(text string) any {
		return map[string]any{"messages": []any{map[string]any{"role": "system", "content": text}}}
	}
	tests := []struct {
		name string
		body any
		want witness.Dump // but for Session and Line; the zero value = an error
	}{
		{"dm", system(prompt + "Telegram (DM with Sam)\n**User:** Sam\n## Next\n**User:** Kim"),
			witness.Dump{Platform: "telegram", Kind: "dm", Name: "Sam", User: "Sam"}},
		{"group with a topic", system(prompt + "Telegram (group: club, thread: 9)\n**User ID:** 2002\n"),
			witness.Dump{Platform: "telegram", Kind: "group", Name: "club", Thread: "9", UserID: "2002"}},
		{"quoted", system(prompt + `Mattermost ("channel: a \"b\", thread: r1")` + "\n- `\"origin\"` → Back to this chat (town)\n"),
			witness.Dump{Platform: "mattermost", Kind: "channel", Name: `a "b"`, Thread: "r1", Label: "town"}},
		{"a name that looks like a thread", system(prompt + "Discord (group: a, thread: 1, thread: 2)"),
			witness.Dump{Platform: "discord", Kind: "group", Name: "a, thread: 1", Thread: "2"}},
		{"parts", map[string]any{"system": []any{map[string]any{"type": "text", "text": prompt + "Slack (DM with U1)"}}},
			witness.Dump{Platform: "slack", Kind: "dm", Name: "U1"}},
		{"instructions", map[string]any{"instructions": prompt + "Slack (DM with U1)"},
			witness.Dump{Platform: "slack", Kind: "dm", Name: "U1"}},
		{"body as text", `{"instructions": "## Current Session Context\n**Source:** Slack (DM with U1)"}`,
			witness.Dump{Platform: "slack", Kind: "dm", Name: "U1"}},
		{"of the user", map[string]any{"messages": []any{map[string]any{"role": "user", "content": prompt + "Slack (DM with U1)"}}}, witness.Dump{}},
		{"the machine itself", system(prompt + "Local (the machine running this agent)"), witness.Dump{}},
		{"no section", system("You are Hermes."), witness.Dump{}},
		{"no body", nil, witness.Dump{}},
		{"odd shapes", map[string]any{"messages": 5, "system": 7}, witness.Dump{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			text, err := json.Marshal(map[string]any{"session_id": "s1", "request": map[string]any{"body": test.body}})
			if err != nil {
				t.Fatal(err)
			}
			got, err := witness.ParseDump(text)
			if (err != nil) != (test.want == witness.Dump{}) {
				t.Fatalf("error %v, %+v", err, got)
			}
			if err != nil {
				return
			}
			test.want.Session, test.want.Line = "s1", 1
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseSpooled(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		want       witness.Spooled
		bad        bool
	}{
		{"of a chat", `{"session_key": "k", "reason": "shutdown", "ts": 5.5, "data": {"text": "secret"}}`, witness.Spooled{Key: "k", Reason: "shutdown", At: 5.5}, false},
		{"of a session", `{"session_key": "s1", "reason": "transcript_cap_drop", "data": {"session_id": "s1", "message": {}}}`, witness.Spooled{Session: "s1", Reason: "transcript_cap_drop"}, false},
		{"of a session that data does not name", `{"session_key": "s1", "reason": "transcript_cap_drop"}`, witness.Spooled{Session: "s1", Reason: "transcript_cap_drop"}, false},
		{"time as text", `{"session_key": "k", "ts": "now"}`, witness.Spooled{Key: "k"}, false},
		{"torn", `{"session_key": "k", "rea`, witness.Spooled{}, true},
		{"nobody's", `{"reason": "x"}`, witness.Spooled{Reason: "x"}, true},
		{"a list", `[]`, witness.Spooled{}, true},
	}
	for _, test := range tests {
		got, err := witness.ParseSpooled([]byte(test.text))
		if diff := cmp.Diff(test.want, got); diff != "" || (err != nil) != test.bad {
			t.Errorf("%s: error %v (-want +got):\n%s", test.name, err, diff)
		}
	}
}

func FuzzParseDump(f *testing.F) {
	f.Add([]byte(`{"session_id": "s1", "request": {"body": {"system": "## Current Session Context\n**Source:** Slack (DM with U1)"}}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if d, err := witness.ParseDump(text); err == nil && (d.Platform == "" || d.Kind == "" || d.Line < 1) {
			t.Errorf("%q gives %+v", text, d)
		}
	})
}
