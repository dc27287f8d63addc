package fix_test

import (
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/fix"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checks"
)

var storeCount = flag.Int("stores", 3000, "how many random stores are repaired")

// TestRandomStores repairs thousands of small stores made of rows that are half right. Of each it must hold: only
// planned cells differ, none of them held a value, no other chat resumes another row, an adopted chat resumes the
// adopted row, a second run has nothing to do, and an undo gives every cell back.
func TestRandomStores(t *testing.T) {
	t.Parallel()
	stores := *storeCount
	if testing.Short() {
		stores = min(stores, 200)
	}
	empty := build(t, schema())
	var mu sync.Mutex
	var cells, adopted, consented, changed int
	t.Run("stores", func(t *testing.T) {
		const lots = 50
		for lot := range stores / lots {
			t.Run(fmt.Sprint(lot), func(t *testing.T) {
				t.Parallel()
				for n := range lots {
					seed := uint64(lot*lots + n)
					s := &randomStore{t: t, seed: seed, r: rand.New(rand.NewPCG(seed, 4))}
					s.dir = scratch(t)
					out, p := s.prove(empty)
					if out == nil {
						continue
					}
					mu.Lock()
					changed++
					cells += out.Applied
					adopted += len(p.Adoptions)
					if s.accept {
						consented++
					}
					mu.Unlock()
				}
			})
		}
	})
	t.Logf("%d stores, %d of them repaired (%d with consent): %d cells filled, %d rows adopted", stores, changed, consented, cells, adopted)
	if changed < stores/10 || adopted < stores/20 {
		t.Errorf("too few repairs to prove anything")
	}
}

// scratch is a folder in memory where there is one: what is proved here does not hang on the disk.
func scratch(t *testing.T) string {
	t.Helper()
	parent := "/dev/shm"
	if info, err := os.Stat(parent); err != nil || !info.IsDir() {
		parent = ""
	}
	dir, err := os.MkdirTemp(parent, "hermes-doctor-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

type randomStore struct {
	t      *testing.T
	seed   uint64
	r      *rand.Rand
	dir    string
	path   string
	accept bool
}

func (s *randomStore) fatal(format string, args ...any) {
	s.t.Helper()
	s.t.Fatalf("store %d: "+format, append([]any{s.seed}, args...)...)
}

func (s *randomStore) pick(options ...any) any { return options[s.r.IntN(len(options))] }

// fill makes the rows: a few chats of two platforms, and rows near each other in time of which each cell may be blank,
// right, or of another chat.
func (s *randomStore) fill(db *sql.DB) {
	exec := func(q string, args ...any) {
		if _, err := db.Exec(q, args...); err != nil {
			s.fatal("%s: %v", q, err)
		}
	}
	exec("PRAGMA synchronous=OFF")
	exec("PRAGMA foreign_keys=OFF")
	exec("BEGIN")
	at := 1785750000.0
	var ids []any
	for n := range 3 + s.r.IntN(7) {
		id := fmt.Sprintf("s%02d", n)
		source := s.pick("telegram", "telegram", "telegram", "discord").(string)
		user := s.pick("1", "1", "2").(string)
		key := any("agent:main:" + source + ":dm:" + user)
		chat, kind, owner := any(user), any("dm"), any(user)
		if n > 0 && s.r.IntN(2) == 0 {
			key = s.pick(nil, nil, "")
			if s.r.IntN(4) > 0 {
				chat, kind = s.pick(nil, ""), s.pick(nil, "")
			}
			owner = s.pick(user, user, nil, "")
		}
		at += float64(s.r.IntN(1500))
		parent := any(nil)
		if len(ids) > 0 && s.r.IntN(3) == 0 {
			parent = s.pick(append(slices.Clone(ids), "gone")...)
		}
		messages, last := s.r.IntN(4), at
		for range messages {
			last += float64(1 + s.r.IntN(900))
			exec("INSERT INTO messages(session_id, role, content, timestamp) VALUES (?, ?, 'x', ?)", id, s.pick("user", "assistant", "session_meta"), last)
		}
		ended, reason := any(nil), any(nil)
		if s.r.IntN(3) == 0 {
			ended, reason = last, s.pick("agent_close", "session_reset", "compression", "cli_close", "ws_orphan_reap", "", nil)
		}
		exec(`INSERT INTO sessions(id, source, user_id, session_key, chat_id, chat_type, thread_id, display_name, origin_json, model_config,
			parent_session_id, started_at, ended_at, end_reason, message_count, last_activity_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			id, source, owner, key, chat, kind, s.pick(nil, nil, ""), s.pick(nil, "", "Ann"), s.pick(nil, "", `{"platform":"x"}`),
			s.pick(nil, nil, "", `{"a":1}`, `{"_delegate_from":"s00"}`, "{"), parent, at, ended, reason, messages, s.pick(nil, nil, last, at))
		ids = append(ids, id)
		at = last
	}
	exec("COMMIT")
}

// prove makes one store and takes it through a repair and an undo; nil where there is nothing to repair.
func (s *randomStore) prove(empty string) (*fix.Outcome, *fix.Plan) {
	s.path = filepath.Join(s.dir, "state.db")
	clone(s.t, empty, s.path)
	db := connect(s.t, s.path)
	s.fill(db)
	if err := db.Close(); err != nil {
		s.fatal("%v", err)
	}
	before := s.cells()
	r, p, k := s.plan()
	if p == nil {
		return nil, nil
	}
	out, err := k.Apply(s.t.Context(), p, fix.ApplyOptions{Checks: checks.All(), AllowForeignKeys: true})
	if err != nil {
		s.fatal("%v", err)
	}
	s.proveCells(before, p)
	s.proveChats(r, p, out)
	if _, next, _ := s.plan(); next != nil && !s.accept {
		s.fatal("a second run would do %+v", next.Steps)
	}
	u, err := fix.Undo(s.t.Context(), out.Journal, fix.UndoOptions{Apply: true, Backup: fix.BackupOptions{Dir: s.dir, TempDir: s.dir}})
	if err != nil || len(u.Kept) > 0 {
		s.fatal("undo: %+v, %v", u, err)
	}
	if diff := cmp.Diff(before, s.cells()); diff != "" {
		s.fatal("undo gave back something else (-want +got):\n%s", diff)
	}
	return out, p
}

// plan scans and plans, half of the time with everything accepted, and proves a backup; nil where nothing is to be done.
func (s *randomStore) plan() (*scan.Result, *fix.Plan, *fix.Backup) {
	b, err := evidence.Open(s.t.Context(), []string{s.path}, evidence.Options{TempDir: s.dir})
	if err != nil {
		s.fatal("%v", err)
	}
	defer func() { _ = b.Close() }()
	r, err := scan.Run(s.t.Context(), b, checks.All(), scan.Options{Plan: true})
	if err != nil {
		s.fatal("%v", err)
	}
	p, err := fix.NewPlan(r, fix.Options{})
	if err == nil && len(p.Held) > 0 && s.seed%2 == 0 {
		s.accept = true
		var ids []string
		for _, h := range p.Held {
			ids = append(ids, h.Finding)
		}
		p, err = fix.NewPlan(r, fix.Options{Accept: ids})
	}
	if err != nil {
		s.fatal("%v", err)
	}
	if p.Empty() {
		return r, nil, nil
	}
	k, err := fix.VerifyBackup(s.t.Context(), b, fix.BackupOptions{Dir: s.dir, TempDir: s.dir})
	if err = errors.Join(err, b.Close()); err != nil {
		s.fatal("%v", err)
	}
	return r, p, k
}

// cells gives every cell of every row of sessions, and the other tables as a whole.
func (s *randomStore) cells() map[string]string {
	b, err := evidence.Open(s.t.Context(), []string{s.path}, evidence.Options{TempDir: s.dir})
	if err != nil {
		s.fatal("%v", err)
	}
	defer func() { _ = b.Close() }()
	out := map[string]string{}
	db := b.Stores[0].DB
	columns := db.Table("sessions").Columns
	err = db.Rows(s.t.Context(), "sessions", columns, func(_ int64, row []evidence.Value) error {
		for i, v := range row {
			out[string(row[0].Bytes)+"."+columns[i]] = v.Kind.String() + ":" + v.String()
		}
		return nil
	})
	if err == nil {
		err = db.Query(s.t.Context(), "SELECT id, session_id, role, content, timestamp, active FROM messages", nil, func(row []evidence.Value) error {
			out["messages "+row[0].String()] = fmt.Sprint(row[1], row[2], row[3], row[4], row[5])
			return nil
		})
	}
	if err != nil {
		s.fatal("%v", err)
	}
	return out
}

// proveCells compares all cells: those of the plan were blank and hold what it says, the others are what they were.
func (s *randomStore) proveCells(before map[string]string, p *fix.Plan) {
	want := map[string]string{}
	for at, v := range before {
		want[at] = v
	}
	for _, st := range p.Steps {
		at := st.Key + "." + st.Column
		if v := before[at]; v != "null:" && v != "text:" {
			s.fatal("%s held %q and is to be filled", at, v)
		}
		if f, ok := st.New.(float64); ok {
			want[at] = "real:" + evidence.FormatFloat(f)
		} else {
			want[at] = "text:" + st.New.(string)
		}
	}
	if diff := cmp.Diff(want, s.cells()); diff != "" {
		s.fatal("other cells than the planned ones differ (-want +got):\n%s", diff)
	}
}

// proveChats compares what each chat resumes with what it resumed before.
func (s *randomStore) proveChats(r *scan.Result, p *fix.Plan, out *fix.Outcome) {
	winner, touched := map[string]string{}, map[string]bool{}
	for _, a := range p.Adoptions {
		source, _, _ := r.Planner.Chat(a.SessionID)
		winner[source+" "+a.SessionKey] = a.SessionID // the last of a chat is its newest
	}
	for _, st := range p.Steps {
		if source, key, ok := r.Planner.Chat(st.Key); ok && key != "" {
			touched[source+" "+key] = true
		}
	}
	now := resumes(out.After)
	for _, l := range r.Resume {
		if !r.Planner.Decides(l.Resolver) {
			continue
		}
		chat := l.Source + " " + l.SessionKey
		got := now[chat+" "+l.Resolver]
		switch {
		case winner[chat] != "":
			if got != winner[chat] {
				s.fatal("%s: %s resumes %q, not the adopted %q", l.Resolver, chat, got, winner[chat])
			}
		case !touched[chat] && got != l.Now:
			s.fatal("%s: %s resumed %q and now resumes %q", l.Resolver, chat, l.Now, got)
		}
	}
	for _, st := range p.Steps {
		if st.Column == "end_reason" && !strings.HasPrefix(st.Because, "a reason that") && !strings.HasPrefix(st.Because, "the reason for") {
			s.fatal("an end_reason for another reason: %+v", st)
		}
	}
}
