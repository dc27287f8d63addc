package fix_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-4d3eb737/hermes-doctor/fix"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

// What would replace a value is never a step, and its owner gets the exact statement, which does what it says.
func TestAdvice(t *testing.T) {
	t.Parallel()
	const row = "INSERT INTO sessions(id, source, started_at, message_count, end_reason, parent_session_id, model_config, session_key) VALUES "
	tests := []struct{ name, check, row, want, shows string }{
		{"placeholder", "placeholder-source", "('x', 'unknown', 1785700000, 0, NULL, NULL, NULL, 'agent:main:telegram:dm:9')",
			"UPDATE sessions SET source = 'telegram' WHERE id = 'x'", "telegram"},
		{"counter too high", "hollow-session", "('x', 'cli', 1785700000, 5, NULL, NULL, NULL, NULL)", "UPDATE sessions SET message_count = 0 WHERE id = 'x'", "0"},
		{"half ended", "half-ended-session", "('x', 'cli', 1785700000, 0, '', NULL, NULL, NULL)", "UPDATE sessions SET end_reason = NULL WHERE id = 'x'", ""},
		{"parent gone", "dangling-parent", "('x', 'cli', 1785700000, 0, NULL, 'gone', NULL, NULL)", "UPDATE sessions SET parent_session_id = NULL WHERE id = 'x'", ""},
		{"no JSON", "malformed-model-config", "('x', 'cli', 1785700000, 0, NULL, NULL, '{', NULL)", "UPDATE sessions SET model_config = NULL WHERE id = 'x'", ""},
		{"an id that looks like the end of an advice", "hollow-session", "('; this tool does not run it', 'cli', 1785700000, 5, NULL, NULL, NULL, NULL)",
			"UPDATE sessions SET message_count = 0 WHERE id = '; this tool does not run it'", "0"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			path := build(t, schema(), []string{row + test.row})
			p := plan(t, look(t, path), fix.Options{})
			var got []string
			for _, a := range p.Advice {
				if a.Check == test.check {
					got = append(got, a.Statement)
				}
			}
			if diff := cmp.Diff([]string{test.want}, got); diff != "" {
				t.Fatalf("statements (-want +got):\n%s", diff)
			}
			if by := p.SQL("state.db"); !strings.Contains(by, "\n--   "+test.want+";\n") || strings.Contains(by, "\n"+test.want) {
				t.Errorf("the procedure by hand must have it as a comment only:\n%s", by)
			}
			db := connect(t, path)
			run(t, db, test.want)
			column, _, _ := strings.Cut(strings.TrimPrefix(test.want, "UPDATE sessions SET "), " = ")
			var shows string
			if err := db.QueryRow("SELECT coalesce(" + column + ", '') FROM sessions").Scan(&shows); err != nil || shows != test.shows {
				t.Errorf("%s is %q, %v", column, shows, err)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			if left := plan(t, look(t, path), fix.Options{}).Advice; len(left) > 0 && left[0].Check == test.check {
				t.Errorf("the statement did not help: %+v", left)
			}
		})
	}
}

// An entry that names the row which loses is no hindrance, and it is said what the start makes of it.
func TestRoutesThatContradict(t *testing.T) {
	t.Parallel()
	const origin = `, "origin": {"platform": "telegram", "chat_id": "77", "chat_type": "dm", "user_id": "77"}`
	for _, test := range []struct{ name, names, origin, want string }{
		{"the row that loses", zombie, origin, "the start repoints the routing entry (sessions.json)"},
		{"the row that loses, and no origin", zombie, "", "the entry does not hold, because the plan ends the row that it names; found by the key"},
		{"the row that wins", orphan, origin, ""},
	} {
		t.Log(test.name)
		path := build(t, schema(), incident())
		home := filepath.Dir(path)
		if err := os.MkdirAll(filepath.Join(home, "sessions"), 0o755); err != nil {
			t.Fatal(err)
		}
		entry := `{"` + chatKey + `": {"session_key": "` + chatKey + `", "session_id": "` + test.names + `", "created_at": "2026-08-03T12:10:00", "updated_at": "2026-08-03T12:30:00",
			"platform": "telegram", "chat_type": "dm"` + test.origin + `}}`
		if err := os.WriteFile(filepath.Join(home, "sessions", "sessions.json"), []byte(entry), 0o600); err != nil {
			t.Fatal(err)
		}
		r := look(t, home)
		p := plan(t, r, fix.Options{})
		if test.want == "" {
			if len(p.Routes) > 0 {
				t.Errorf("an entry that agrees is told: %+v", p.Routes)
			}
			continue
		}
		if len(p.Adoptions) != 1 || len(p.Routes) == 0 {
			t.Fatalf("adoptions %+v, held %+v, refused %+v, routes %+v", p.Adoptions, p.Held, p.Refused, p.Routes)
		}
		after := map[string]string{}
		for _, l := range r.Planner.Lines(fillsOf(p)) {
			after[l.Resolver] = l.AfterFix
		}
		for _, l := range p.Routes {
			if l.Names != zombie || l.AfterFix != after[l.Resolver] || l.AfterFix != orphan || l.SessionKey != chatKey || l.At.Path != "sessions/sessions.json" || !strings.HasPrefix(l.Does, test.want) {
				t.Errorf("%+v, and the resolver gives %q", l, after[l.Resolver])
			}
		}
		if by := p.SQL("state.db"); !strings.Contains(by, "\n-- The routing entry of "+chatKey) {
			t.Errorf("the procedure by hand is silent about it:\n%s", by)
		}
	}
}

func fillsOf(p *fix.Plan) []scan.Fill {
	var out []scan.Fill
	for _, s := range p.Steps {
		out = append(out, scan.Fill{Table: s.Table, Key: s.Key, Column: s.Column, Value: s.New})
	}
	return out
}

// proveAdvice looks, in every case, that no statement of the findings is lost and that SQLite takes each.
func proveAdvice(t *testing.T, r *scan.Result, p *fix.Plan, path string) {
	t.Helper()
	promised := 0
	for _, f := range r.Findings {
		if strings.Contains(f.Advice, "this tool does not run it") || f.Check == "dangling-parent" {
			promised++
		}
	}
	if len(p.Advice) != promised {
		t.Errorf("%d findings have a statement, and the plan has %d", promised, len(p.Advice))
	}
	if len(p.Advice) == 0 {
		return
	}
	to := filepath.Join(t.TempDir(), "state.db")
	clone(t, path, to)
	db := connect(t, to)
	defer func() { _ = db.Close() }()
	for _, a := range p.Advice {
		if _, err := db.Exec("EXPLAIN " + a.Statement); err != nil {
			t.Errorf("%s: %q: %v", a.Check, a.Statement, err)
		}
	}
}
