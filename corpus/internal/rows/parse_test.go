package rows_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/seed-4d3eb737/hermes-doctor/corpus/internal/build"
	"github.com/seed-4d3eb737/hermes-doctor/corpus/internal/rows"
)

func env(schema string) rows.Env {
	return rows.Env{Schema: schema, Base: math.NaN(), Local: time.UTC}
}

// noon is 2026-08-03T12:00:00Z, the base of these tests.
const noon = 1785758400.0

func row(table string, pairs ...any) build.Row {
	r := build.Row{Table: table}
	for i := 0; i < len(pairs); i += 2 {
		r.Columns = append(r.Columns, pairs[i].(string))
		r.Values = append(r.Values, pairs[i+1])
	}
	return r
}

func TestRows(t *testing.T) {
	tests := []struct {
		name, text string
		want       []build.Row
	}{
		{"session with short names",
			`session donor source=telegram user=1001 key=agent:main:telegram:dm:1001 chat=1001/dm/7 start=@60
			 last=+3600 ended=@2h reason=idle config="{\"a\": 1}"`,
			[]build.Row{row("sessions", "id", "donor", "started_at", noon+60, "source", "telegram", "user_id", int64(1001),
				"session_key", "agent:main:telegram:dm:1001", "chat_id", "1001", "chat_type", "dm", "thread_id", "7",
				"last_activity_at", noon+3660, "ended_at", noon+7200, "end_reason", "idle", "model_config", `{"a": 1}`,
				"message_count", int64(0))}},
		{"ids and names",
			"session a id=20260803_120103_37976afb source=cli\nsession b id=42 source=$a parent=a message_count=7",
			[]build.Row{
				row("sessions", "id", "20260803_120103_37976afb", "started_at", noon, "source", "cli", "message_count", int64(0)),
				row("sessions", "id", "42", "started_at", noon, "source", "20260803_120103_37976afb",
					"parent_session_id", "20260803_120103_37976afb", "message_count", int64(7))}},
		{"messages are spaced evenly and counted",
			"session a source=cli\nmessages a 3 @0..@100 active=0\nmessages a 1 +5 roles=session_meta\nmessages gone 1 9 text=NULL",
			[]build.Row{
				row("sessions", "id", "a", "started_at", noon, "source", "cli", "message_count", int64(4)),
				row("messages", "session_id", "a", "role", "user", "timestamp", noon, "content", "user 1 of a", "active", int64(0)),
				row("messages", "session_id", "a", "role", "assistant", "timestamp", noon+50, "content", "assistant 2 of a", "active", int64(0)),
				row("messages", "session_id", "a", "role", "user", "timestamp", noon+100, "content", "user 3 of a", "active", int64(0)),
				row("messages", "session_id", "a", "role", "session_meta", "timestamp", noon+5),
				row("messages", "session_id", "gone", "role", "user", "timestamp", 9.0, "content", nil)}},
		{"values",
			`row t a=NULL b=inf c=-inf d=x'ff00' e=blob'ff' f="a b\x00" g=007 h=1.50 i=1.5 j=-3 k=2026-08-03T12:00:01.5Z l=+5 m=json'{"x": 1}'`,
			[]build.Row{row("t", "a", nil, "b", math.Inf(1), "c", math.Inf(-1), "d", "\xff\x00", "e", []byte{0xff},
				"f", "a b\x00", "g", "007", "h", "1.50", "i", 1.5, "j", int64(-3), "k", noon+1.5, "l", "+5", "m", `{"x": 1}`)}},
		{"routing entry",
			"local Europe/Berlin\nsession a source=telegram key=k chat=1/dm user=2 last=@1.5\n" +
				`route agent:main:telegram:dm:1 a created=@0 suspended=true active_turn_started_at=@60 n=3 s="a b"`,
			[]build.Row{
				row("sessions", "id", "a", "started_at", noon, "source", "telegram", "session_key", "k", "chat_id", "1",
					"chat_type", "dm", "user_id", int64(2), "last_activity_at", noon+1.5, "message_count", int64(0)),
				row("gateway_routing", "scope", "/home/u/.hermes/sessions", "session_key", "agent:main:telegram:dm:1",
					"entry_json", `{"session_key": "agent:main:telegram:dm:1", "session_id": "a", `+
						`"created_at": "2026-08-03T14:00:00", "updated_at": "2026-08-03T14:00:01.500000", "platform": "telegram", "chat_type": "dm", `+
						`"suspended": true, "active_turn_started_at": "2026-08-03T14:01:00", "n": 3, "s": "a b", `+
						`"origin": {"platform": "telegram", "chat_id": "1", "chat_name": null, "chat_type": "dm", "user_id": "2", `+
						`"user_name": null, "thread_id": null, "chat_topic": null}}`,
					"updated_at", noon+1.5)}},
		{"routing entry spelled out",
			"route k gone updated=@0 scope=\"\" entry=\"{\"\nroute k2 gone updated=@0 origin=none session_id=NULL created=\"\"",
			[]build.Row{
				row("gateway_routing", "scope", "", "session_key", "k", "entry_json", "{", "updated_at", noon),
				row("gateway_routing", "scope", "/home/u/.hermes/sessions", "session_key", "k2", "entry_json",
					`{"session_key": "k2", "session_id": null, "created_at": "", "updated_at": "2026-08-03T12:00:00", "platform": "", "chat_type": "dm"}`,
					"updated_at", noon)}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := rows.Parse("# a comment\nbase 2026-08-03T12:00:00Z\n\n"+test.text, env("25"))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got.Rows); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestNewestIsTrusted(t *testing.T) {
	got, err := rows.Parse("base 2026-08-03T12:00:00Z\nsession a source=cli last=2300-01-01T00:00:00Z\nmessages a 2 @0..@7", env("25"))
	if err != nil {
		t.Fatal(err)
	}
	if got.Newest != noon+7 {
		t.Errorf("newest is %v, want %v", got.Newest, noon+7)
	}
	if got, err = rows.Parse("session a source=cli start=5", env("25")); err != nil || !math.IsNaN(got.Newest) {
		t.Errorf("newest without a time is %v, error %v", got.Newest, err)
	}
}

func TestMessageUIDsAreFixed(t *testing.T) {
	for schema, want := range map[string]bool{"26": false, "31": true} {
		got, err := rows.Parse("session a source=cli start=5\nmessages a 1 5", env(schema))
		if err != nil {
			t.Fatal(err)
		}
		has := strings.Contains(strings.Join(got.Rows[1].Columns, " "), "message_uid")
		if has != want {
			t.Errorf("schema %s: message_uid given: %v, want %v", schema, has, want)
		}
	}
}

func TestCheckpointAndMirror(t *testing.T) {
	got, err := rows.Parse("session a source=cli start=5\ncheckpoint\nmessages a 1 6\nmirror k a origin=none", env("25"))
	if err != nil {
		t.Fatal(err)
	}
	want := &rows.Store{
		Rows: []build.Row{row("sessions", "id", "a", "started_at", int64(5), "source", "cli", "message_count", int64(1))},
		Tail: []build.Row{row("messages", "session_id", "a", "role", "user", "timestamp", 6.0, "content", "user 1 of a")},
		Mirror: []byte(`{
  "_README": "The gateway's routing index.",
  "k": {
    "session_key": "k",
    "session_id": "a",
    "created_at": "1970-01-01T00:00:05",
    "updated_at": "1970-01-01T00:00:05",
    "platform": "",
    "chat_type": "dm"
  }
}
`)}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(rows.Store{}, "Newest", "Env")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestExpand(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	e := rows.Env{Base: noon, Local: berlin}
	got, err := e.Expand("@LOG(@1.25) x @ISO(@0) @EPOCH(@-60) @OTHER(1) a@b.c")
	if err != nil {
		t.Fatal(err)
	}
	if want := "2026-08-03 14:00:01,250 x 2026-08-03T14:00:00 1785758340 @OTHER(1) a@b.c"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if _, err := e.Expand("@ISO(soon)"); err == nil {
		t.Error("@ISO(soon) was taken")
	}
}

func TestErrorsNameTheLine(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"unknown word", "sessions a", "line 1: sessions: unknown word"},
		{"nothing to continue", "  a=b", "line 1: nothing to continue"},
		{"open quote", "row t a=\"b", "line 1: quote"},
		{"stray quote", "row t a=b'c'", "stray quote"},
		{"option twice", "row t a=1\n a=2", "line 2: a is given twice"},
		{"session twice", "session a start=1\nsession a start=1", "line 2: session: a is given twice"},
		{"no base", "session a start=@5", "without a base"},
		{"bad unit", "base 2026-08-03T12:00:00Z\nsession a start=@5w", "no number of seconds"},
		{"base without zone", "base 2026-08-03T12:00:00", "no absolute time"},
		{"no count", "messages a x 5", "no number of messages"},
		{"no time", "messages a 1 soon", "no time"},
		{"unknown name", "row t a=$b", "names no session"},
		{"bad hex", "row t a=x'0'", "bytes x'0'"},
		{"bad json", "row t a=json'{'", "is not JSON"},
		{"odd chat", "session a start=1 chat=5", "not ID/TYPE"},
		{"option where none fits", "checkpoint now=1", "takes no now="},
		{"two checkpoints", "checkpoint\ncheckpoint", "given twice"},
		{"row of nothing", "row t", "no columns"},
		{"entry without time", "route k gone", "needs updated="},
		{"torn mirror", "mirror k gone updated=5 entry=\"{\"", "write a broken file out in full"},
		{"unknown zone", "local Moon/Tycho", "zone"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := rows.Parse(test.text, env("25"))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add("base 2026-08-03T12:01:03Z\nlocal UTC\nsession a id=x'ff' source=b chat=1/dm/2 start=@1 last=+2d3h\n k=\"\\x00\"\ncheckpoint\n")
	f.Add("messages a 3 1..9 roles=user,tool text=blob'00'\nroute k a updated=5 origin=json'[]' s=inf\nmirror k a updated=-1.5\nrow t a=$a b=NULL\n")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := rows.Parse(text, env("31"))
		if err != nil {
			return
		}
		for _, r := range append(got.Rows, got.Tail...) {
			if len(r.Columns) != len(r.Values) || len(r.Columns) == 0 {
				t.Errorf("row of %s has %d columns and %d values", r.Table, len(r.Columns), len(r.Values))
			}
		}
	})
}
