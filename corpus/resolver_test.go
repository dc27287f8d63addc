package corpus_test

import (
	"context"
	"fmt"
	"math/rand"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-4d3eb737/hermes-doctor/corpus"
	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checks"
)

// finder is the product's query as SQL, which SQLite answers: written from spec/state-db.md 5.1 to 5.3, and from
// nothing that the resolver has.
func finder(reasons, handoff, where, fence, messages, order string) string {
	q := `SELECT id FROM sessions c WHERE source = ?1 AND ` + where + ` AND (ended_at IS NULL OR end_reason IN (` + reasons + `)` + handoff + `)`
	if messages != "" {
		q += " AND " + messages
	}
	if fence != "" {
		q += ` AND NOT EXISTS (SELECT 1 FROM sessions b WHERE b.source = c.source AND ` + fence + ` AND b.ended_at IS NOT NULL
			AND b.end_reason IN ('session_reset','session_switch','idle','daily','suspended','resume_pending_expired')
			AND b.ended_at > coalesce(c.last_activity_at, c.started_at))`
	}
	return q + " ORDER BY " + order + " LIMIT 1"
}

const (
	hasMessages = "(coalesce(message_count, 0) > 0 OR EXISTS (SELECT 1 FROM messages m WHERE m.session_id = c.id))"
	sameKey     = "session_key = ?2"
	samePeer    = "coalesce(user_id,'') = ?2 AND coalesce(chat_id,'') = ?3 AND coalesce(chat_type,'') = ?4 AND coalesce(thread_id,'') = ?5"
	keyFence    = "b.session_key = c.session_key"
	peerFence   = "coalesce(b.user_id,'') = coalesce(c.user_id,'') AND coalesce(b.chat_id,'') = coalesce(c.chat_id,'') AND coalesce(b.chat_type,'') = coalesce(c.chat_type,'') AND coalesce(b.thread_id,'') = coalesce(c.thread_id,'')"
	byBeat      = hasMessages + " DESC, coalesce(last_activity_at, started_at) DESC, started_at DESC"
)

// queries are the exact query and the tuple query of each resolver.
func queries() map[string][2]string {
	g1, g2 := "'agent_close'", "'agent_close','ws_orphan_reap'"
	g3 := g2 + ",'superseded_by_resume','startup_orphan_reap'"
	hand := " OR handoff_state = 'completed'"
	return map[string][2]string{
		"v0.18":   {finder(g1, "", sameKey, "", hasMessages, "started_at DESC, rowid"), finder(g1, "", samePeer, "", hasMessages, "started_at DESC, id")},
		"v0.20.1": {finder(g2, "", sameKey, keyFence, "", byBeat+", rowid"), finder(g2, "", samePeer, peerFence, hasMessages, "coalesce(last_activity_at, started_at) DESC, id")},
		"v0.21":   {finder(g3, hand, sameKey, keyFence, "", byBeat+", rowid"), finder(g3, hand, samePeer, peerFence, hasMessages, "coalesce(last_activity_at, started_at) DESC, id")},
	}
}

// TestResolverAgainstSQL holds the resolver against the product's queries on random stores without routing entries.
func TestResolverAgainstSQL(t *testing.T) {
	asked := 0
	for seed := range int64(120) {
		text := randomStore(rand.New(rand.NewSource(seed)))
		c, err := corpus.Parse("random", []byte(text))
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		dir := t.TempDir()
		if err := corpus.BuildTo(context.Background(), c, dir); err != nil {
			t.Fatal(err)
		}
		asked += compare(t, c.Path(dir), text)
	}
	if asked < 500 {
		t.Errorf("only %d answers were compared", asked)
	}
}

func compare(t *testing.T, path, text string) (asked int) {
	t.Helper()
	ctx := context.Background()
	b, err := evidence.Open(ctx, []string{path}, evidence.Options{TempDir: filepath.Dir(path)})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = b.Close() }()
	r, err := scan.Run(ctx, b, checks.All(), scan.Options{})
	if err != nil {
		t.Fatal(err)
	}
	db := b.Stores[0].DB
	one := func(q string, args ...any) (id string) {
		if err := db.Query(ctx, q, args, func(v []evidence.Value) error { id = v[0].String(); return nil }); err != nil {
			t.Fatal(err)
		}
		return id
	}
	for _, l := range r.Resume {
		q := queries()[l.Resolver]
		want := one(q[0], l.Source, l.SessionKey)
		if want == "" {
			var peer []any
			err := db.Query(ctx, `SELECT source, coalesce(user_id,''), chat_id, chat_type, coalesce(thread_id,'') FROM sessions
				WHERE source = ? AND session_key = ? AND chat_id <> '' AND chat_type <> '' ORDER BY started_at DESC, rowid DESC LIMIT 1`,
				[]any{l.Source, l.SessionKey}, func(v []evidence.Value) error {
					for _, c := range v {
						peer = append(peer, c.String())
					}
					return nil
				})
			if err != nil {
				t.Fatal(err)
			}
			if peer != nil {
				want = one(q[1], peer...)
			}
		}
		if asked++; l.Now != want {
			t.Errorf("%s gives %s %q, SQL gives %q\n%s", l.Resolver, l.SessionKey, l.Now, want, text)
		}
	}
	return asked
}

// randomStore draws a small store in which rows of two users and three chats compete.
func randomStore(r *rand.Rand) string {
	pick := func(list ...string) string { return list[r.Intn(len(list))] }
	var b strings.Builder
	b.WriteString("about: a random store\n\n-- rows.txt --\nbase 2026-08-20T09:00:00Z\n")
	for i := range 3 + r.Intn(9) {
		fmt.Fprintf(&b, "session s%02d source=%s start=@%d", i, pick("telegram", "telegram", "discord"), r.Intn(6)*3600)
		chat := pick("1001/dm user=1001", "2002/dm user=2002", "-77/group user=1001")
		if r.Intn(4) > 0 {
			fmt.Fprintf(&b, " key=%s", pick("agent:main:telegram:dm:1001", "agent:main:telegram:dm:2002", "agent:main:telegram:group:-77:1001"))
		}
		if r.Intn(5) > 0 {
			fmt.Fprintf(&b, " chat=%s", chat)
		}
		if r.Intn(2) == 0 {
			fmt.Fprintf(&b, " last=@%d", r.Intn(12)*3600)
		}
		if r.Intn(2) == 0 {
			fmt.Fprintf(&b, " reason=%s", pick("agent_close", "ws_orphan_reap", "session_reset", "idle", "cli_close", "compression", "superseded_by_resume", "new_session"))
			if r.Intn(5) > 0 {
				fmt.Fprintf(&b, " ended=@%d", r.Intn(12)*3600)
			}
		}
		if r.Intn(8) == 0 {
			b.WriteString(" handoff_state=completed")
		}
		if r.Intn(8) == 0 {
			b.WriteString(" message_count=3")
		}
		b.WriteString("\n")
		if n := r.Intn(4); n > 0 {
			fmt.Fprintf(&b, "messages s%02d %d @%d..@%d\n", i, n, r.Intn(6)*3600, 6*3600+r.Intn(6)*3600)
		}
	}
	return b.String() + "-- want.txt --\n-- resume.txt --\n-- census.txt --\n-- verdict.txt --\nsound\n"
}
