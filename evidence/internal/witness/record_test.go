package witness_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/seed-4d3eb737/hermes-doctor/evidence/internal/witness"
)

const at = 1786033116 // 2026-08-06 16:18:36 as if it were UTC

func TestParse(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, line string
		want       *witness.Event
	}{
		{"inbound", "2026-08-06 16:18:36,250 INFO gateway.run: inbound message: platform=telegram user=Sam Low chat=1001 msg='hi' reply_to_id=None reply_to_text=''",
			&witness.Event{Kind: witness.Inbound, At: at + 0.25, Platform: "telegram", User: "Sam Low", Chat: "1001"}},
		{"inbound of v0.14", `2026-08-06 16:18:36,000 INFO gateway.run: inbound message: platform=matrix user=@s:x chat=!r:x msg="it's"`,
			&witness.Event{Kind: witness.Inbound, At: at, Platform: "matrix", User: "@s:x", Chat: "!r:x"}},
		{"queued inbound", "2026-08-06 16:18:36,000 INFO [s1] gateway.run: inbound message: platform=telegram user=Sam chat=1001 msg='hi' reply_to_id=5 reply_to_text='x' queued=True",
			&witness.Event{Kind: witness.Inbound, At: at, Platform: "telegram", User: "Sam", Chat: "1001"}},
		{"turn", "2026-08-06 16:18:36,000 INFO [s1] agent.turn_context: conversation turn: session=s1 model=a b provider=p platform=telegram history=3 msg='hi'",
			&witness.Event{Kind: witness.Turn, At: at, Session: "s1", Platform: "telegram"}},
		{"ready", "2026-08-06 16:18:36,000 INFO gateway.run: response ready: platform=telegram chat=1001 time=1.5s api_calls=2 response=30 chars",
			&witness.Event{Kind: witness.Ready, At: at, Platform: "telegram", Chat: "1001"}},
		{"repointed", "2026-08-06 16:18:36,000 WARNING gateway.session: gateway.session: repointing stale sessions.json entry 'agent:main:telegram:dm:1' from ended s1 (end_reason='compression') to recovered s2",
			&witness.Event{Kind: witness.Repointed, At: at, Key: "agent:main:telegram:dm:1", Session: "s1", To: "s2", Reason: "compression"}},
		{"pruned", "2026-08-06 16:18:36,000 INFO gateway.session: gateway.session: pruning stale sessions.json entry 'k' -> s1 (end_reason=None); left by a crashed gateway",
			&witness.Event{Kind: witness.Pruned, At: at, Key: "k", Session: "s1"}},
		{"dropped", "2026-08-06 16:18:36,000 WARNING gateway.session: routing key 'k' -> s1 is ended in state.db but still live in sessions.json; dropping stale entry",
			&witness.Event{Kind: witness.Dropped, At: at, Key: "k", Session: "s1"}},
		{"healed", "2026-08-06 16:18:36,000 INFO gateway.session: SessionStore healed compressed session mapping: s1 -> s2",
			&witness.Event{Kind: witness.Healed, At: at, Session: "s1", To: "s2"}},
		{"not made", "2026-08-06 16:18:36,000 WARNING gateway.session: Failed to create session row s1 for agent:main:matrix:group:!r:x:@u:x: database is locked — deferring",
			&witness.Event{Kind: witness.NotMade, At: at, Session: "s1", Key: "agent:main:matrix:group:!r:x:@u:x"}},
		{"not ended", "2026-08-06 16:18:36 WARNING gateway.session: Failed to end predecessor session row s1 for k: locked — the old row remains open",
			&witness.Event{Kind: witness.NotEnded, At: at, Session: "s1", Key: "k"}},
		{"lagged", "2026-08-06 16:18:36,000 WARNING gateway.run: Persisted transcript lagged live cached history for session agent:main:telegram:dm:1001 (disk=0, memory=31); preserving live conversation context (possible FTS write corruption)",
			&witness.Event{Kind: witness.Lagged, At: at, Key: "agent:main:telegram:dm:1001", Memory: 31}},
		{"made later", "2026-08-06 16:18:36,000 WARNING [s1] agent: Session DB creation failed (will retry next turn): database is locked",
			&witness.Event{Kind: witness.Trouble, At: at, Phrase: witness.RowLater}},
		{"child rolled back", "2026-08-06 16:18:36,000 WARNING agent: Compression child session create failed (locked) — rolling back to parent session s1 to avoid an orphan.",
			&witness.Event{Kind: witness.Trouble, At: at, Phrase: witness.ChildRolledBack, Session: "s1"}},
		{"append failed", "2026-08-06 16:18:36,000 WARNING gateway.session: Session DB transcript append failed for s1 (failure_count=3, pending=7); will retry: locked",
			&witness.Event{Kind: witness.Trouble, At: at, Phrase: witness.AppendFailed, Session: "s1"}},
		{"queue spooled", "2026-08-06 16:18:36,000 WARNING gateway.session: Session DB transcript pending queue full for s1 (cap=200); spooled oldest",
			&witness.Event{Kind: witness.Trouble, At: at, Phrase: witness.QueueSpooled, Session: "s1"}},
		{"queue dropped", "2026-08-06 16:18:36,000 WARNING gateway.session: Session DB transcript pending queue full for s1 (cap=200); dropping oldest message",
			&witness.Event{Kind: witness.Trouble, At: at, Phrase: witness.QueueDropped, Session: "s1"}},
		{"append rejected", "2026-08-06 16:18:36,000 WARNING gateway.session: Session DB transcript append rejected for compression-ended s1 with no unique live child; not retrying",
			&witness.Event{Kind: witness.Trouble, At: at, Phrase: witness.AppendRejected, Session: "s1"}},
		{"index corrupt", "2026-08-06 16:18:36,000 WARNING hermes_state: state.db write failed with an FTS-corruption error (malformed) — attempting one-shot in-place FTS rebuild; canonical message rows are preserved.",
			&witness.Event{Kind: witness.Trouble, At: at, Phrase: witness.IndexCorrupt}},
		{"index rebuilt", "2026-08-06 16:18:36,000 INFO gateway.session: Rebuilt 2 Session DB FTS index(es) after append corruption",
			&witness.Event{Kind: witness.Trouble, At: at, Phrase: witness.IndexRebuilt}},
		{"read failed", "2026-08-06 16:18:36,000 WARNING gateway.session: Transcript read failed for session s1 (returning empty; downstream must not treat this as data loss): locked",
			&witness.Event{Kind: witness.Trouble, At: at, Phrase: witness.ReadFailed, Session: "s1"}},
		{"sidecars deleted", "2026-08-06 16:18:36,000 CRITICAL hermes_state: FATAL: another process deleted state.db-wal or state.db-shm while it was open",
			&witness.Event{Kind: witness.Trouble, At: at, Phrase: witness.Replaced}},
		{"no store", "2026-08-06 16:18:36,000 WARNING gateway.run: [gateway] Warning: SQLite session store unavailable, falling back to JSONL",
			&witness.Event{Kind: witness.Trouble, At: at, Phrase: witness.NoStore}},
		{"routes not saved", "2026-08-06 16:18:36,000 WARNING gateway.session: gateway.session: state.db routing save failed: locked",
			&witness.Event{Kind: witness.Trouble, At: at, Phrase: witness.RoutesNotSaved}},

		{"lagged, cut", "2026-08-06 16:18:36,000 WARNING gateway.run: Persisted transcript lagged live cached history for session k (disk=0, mem", nil},
		{"another rebuild", "2026-08-06 16:18:36,000 INFO build: Rebuilt 2 containers", nil},
		{"another import", "2026-08-06 16:18:36,000 INFO tools: imported 12 contacts", nil},
		{"another line", "2026-08-06 16:18:36,000 INFO gateway.run: started", nil},
		{"the words inside a message", "2026-08-06 16:18:36,000 INFO tools: said: inbound message: platform=telegram user=a chat=1 msg='x'", nil},
		{"no time", "inbound message: platform=telegram user=Sam chat=1001 msg='hi'", nil},
		{"beginning cut", "8-06 16:18:36,000 INFO gateway.run: inbound message: platform=telegram user=Sam chat=1001 msg='hi'", nil},
		{"end cut in the text", "2026-08-06 16:18:36,000 INFO gateway.run: inbound message: platform=telegram user=Sam chat=1001 msg='hi", nil},
		{"end cut in an escape", `2026-08-06 16:18:36,000 INFO gateway.run: inbound message: platform=telegram user=Sam chat=1001 msg='hi \x4`, nil},
		{"end cut in an id", "2026-08-06 16:18:36,000 WARNING gateway.session: repointing stale sessions.json entry 'k' from ended s1 (end_reason='x') to recovered ", nil},
		{"no chat", "2026-08-06 16:18:36,000 INFO gateway.run: inbound message: platform=telegram user=Sam chat=unknown msg='hi'", nil},
		{"no session", "2026-08-06 16:18:36,000 INFO a: conversation turn: session=none model=m provider=p platform=telegram history=0 msg='hi'", nil},
		{"a name that holds a chat", "2026-08-06 16:18:36,000 INFO gateway.run: inbound message: platform=telegram user=x chat=9 chat=1001 msg='hi'", nil},
		{"a name that holds a message", "2026-08-06 16:18:36,000 INFO gateway.run: inbound message: platform=telegram user=x chat=9 msg='a' chat=1001 msg='hi'", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, ok := witness.Parse([]byte(test.line))
			if ok != (test.want != nil) {
				t.Fatalf("read: %v, %+v", ok, got)
			}
			if test.want == nil {
				return
			}
			if diff := cmp.Diff(*test.want, got, cmpopts.IgnoreUnexported(witness.Event{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add("2026-08-06 16:18:36,250 INFO gateway.run: inbound message: platform=telegram user=Sam chat=1001 msg='h\\x41i'")
	f.Add("2026-08-06 16:18:36 INFO [s] a: conversation turn: session=s1 model=m provider=p platform=t history=3 msg=\"hi\"")
	f.Fuzz(func(t *testing.T, line string) {
		e, ok := witness.Parse([]byte(line))
		if ok && e.Kind == witness.Inbound && (e.Chat == "" || strings.ContainsRune(e.Chat, ' ')) {
			t.Errorf("%q names the chat %q", line, e.Chat)
		}
	})
}
