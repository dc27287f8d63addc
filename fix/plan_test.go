package fix_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-4d3eb737/hermes-doctor/fix"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

// guess is the incident where only time ties the orphan to the chat: another chat of the platform may be this user's.
func guess() []string {
	return append(incident(),
		"UPDATE sessions SET user_id = NULL",
		`INSERT INTO sessions(id, source, session_key, chat_id, chat_type, started_at, message_count)
			VALUES ('20260701_090000_aaaaaaaa', 'telegram', 'agent:main:telegram:dm:88', '88', 'dm', 1782900000, 1)`,
		"INSERT INTO messages(session_id, role, content, timestamp) VALUES ('20260701_090000_aaaaaaaa', 'user', 'x', 1782900001)")
}

// chain is two orphans in a row, the second of which names the first as its parent.
func chain() []string {
	return append(incident(),
		`INSERT INTO sessions(id, source, user_id, parent_session_id, started_at, message_count) VALUES ('20260807_100000_bbbbbb', 'telegram', '77', '`+orphan+`', 1785760100, 1)`,
		"UPDATE sessions SET ended_at = 1785760050, end_reason = 'compression' WHERE id = '"+orphan+"'",
		"INSERT INTO messages(session_id, role, content, timestamp) VALUES ('20260807_100000_bbbbbb', 'user', 'six', 1785760101)")
}

// idOf gives the id of the one finding of a check about a session.
func idOf(t *testing.T, r *scan.Result, check, session string) string {
	t.Helper()
	for _, f := range r.Findings {
		if f.Check == check && f.Subject.SessionID == session {
			return f.ID()
		}
	}
	t.Fatalf("no %s about %s", check, session)
	return ""
}

func TestConsent(t *testing.T) {
	t.Parallel()
	path := build(t, schema(), guess())
	r := look(t, path)
	p := plan(t, r, fix.Options{})
	if !p.Empty() || len(p.Held) != 1 || p.Held[0].SessionID != orphan || len(p.Held[0].Why) == 0 || len(p.Held[0].Steps) == 0 {
		t.Fatalf("steps %v, held %+v", p.Steps, p.Held)
	}
	for _, id := range []string{fix.AcceptContiguity, orphan, idOf(t, r, "orphan-session", orphan)} {
		p := plan(t, r, fix.Options{Accept: []string{id}})
		if len(p.Held) != 0 || !cmp.Equal(steps(p), wantSteps()) {
			t.Errorf("accept %q: held %+v (-want +got):\n%s", id, p.Held, cmp.Diff(wantSteps(), steps(p)))
		}
	}
	out, err := repair(t, path, plan(t, r, fix.Options{Accept: []string{orphan}}), applyOptions())
	if err != nil || out.Applied == 0 {
		t.Fatalf("%+v, %v", out, err)
	}
	if len(out.Receipt.Links) != 1 || !slices.Equal(out.Receipt.Links[0].Evidence, []string{"contiguity"}) {
		t.Errorf("the receipt says %+v: a guess must be told as one", out.Receipt.Links)
	}
}

func TestChainIsWhole(t *testing.T) {
	t.Parallel()
	r := look(t, build(t, schema(), chain()))
	first, second := idOf(t, r, "orphan-session", orphan), idOf(t, r, "orphan-session", "20260807_100000_bbbbbb")
	whole := plan(t, r, fix.Options{})
	if len(whole.Adoptions) != 2 {
		t.Fatalf("adoptions %+v, held %+v, refused %+v", whole.Adoptions, whole.Held, whole.Refused)
	}
	for _, id := range []string{first, second} {
		if p := plan(t, r, fix.Options{Only: []string{id}}); !cmp.Equal(p.Steps, whole.Steps) {
			t.Errorf("only %s: %v", id, steps(p))
		}
	}
	var all []string
	for _, s := range whole.Steps {
		all = append(all, s.ID)
	}
	if p := plan(t, r, fix.Options{Steps: all}); !cmp.Equal(p.Steps, whole.Steps) {
		t.Errorf("all steps by id: %v", steps(p))
	}
	p := plan(t, r, fix.Options{Steps: all[1:]})
	if !p.Empty() || len(p.Refused) != 2 || p.Refused[0].Code != "part-of-a-whole" {
		t.Errorf("all but one: %v, refused %+v", steps(p), p.Refused)
	}
}

func TestUnknownIDs(t *testing.T) {
	t.Parallel()
	r := look(t, build(t, schema(), incident()))
	for option, o := range map[string]fix.Options{
		"accept": {Accept: []string{"nobody"}}, "only": {Only: []string{orphan}}, "steps": {Steps: []string{""}},
	} {
		var unknown *fix.UnknownIDError
		if _, err := fix.NewPlan(r, o); !errors.As(err, &unknown) || unknown.Option != option {
			t.Errorf("%s: %v", option, err)
		}
	}
}

func TestLineage(t *testing.T) {
	t.Parallel()
	marked := build(t, schema(), incident(), []string{`UPDATE sessions SET model_config = '{"a":1}' WHERE id = '` + orphan + "'"})
	tests := []struct {
		name   string
		path   string
		record fix.Lineage
		want   []string
	}{
		{"safe, blank config", build(t, schema(), incident()), fix.LineageSafe, []string{"model_config", "parent_session_id"}},
		{"never, blank config", build(t, schema(), incident()), fix.LineageNever, nil},
		{"always, blank config", build(t, schema(), incident()), fix.LineageAlways, []string{"model_config", "parent_session_id"}},
		{"safe, config set", marked, "", nil},
		{"always, config set", marked, fix.LineageAlways, []string{"parent_session_id"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := plan(t, look(t, test.path), fix.Options{RecordLineage: test.record})
			var got []string
			for _, s := range p.Steps {
				if s.Column == "parent_session_id" || s.Column == "model_config" {
					got = append(got, s.Column)
				}
			}
			slices.Sort(got)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if len(p.Adoptions) != 1 || p.Adoptions[0].Predecessor != zombie {
				t.Errorf("adoptions %+v", p.Adoptions)
			}
		})
	}
}

// TestPlanRefuses gives findings that no check makes: a plan must not trust them.
func TestPlanRefuses(t *testing.T) {
	t.Parallel()
	fill := func(key, column string, v any) scan.Finding {
		return scan.Finding{Check: "made-up", Subject: scan.Subject{Store: "state.db", SessionID: key}, Fills: []scan.Fill{{Table: "sessions", Key: key, Column: column, Value: v}}}
	}
	tests := []struct {
		name string
		add  scan.Finding
		want string
	}{
		{"another value for a planned cell", fill(orphan, "chat_id", "78"), "contradicts"},
		{"a cell that holds a value", fill(zombie, "session_key", "x"), "not-blank"},
		{"a row that is not there", fill("nobody", "chat_id", "x"), "not-blank"},
		{"a column that is not there", fill(orphan, "nothing", "x"), "not-blank"},
		{"a table that is not known", scan.Finding{Check: "made-up", Subject: scan.Subject{Store: "state.db"}, Fills: []scan.Fill{{Table: "messages", Key: "1", Column: "content", Value: "x"}}}, "not-blank"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := look(t, build(t, schema(), incident()))
			r.Findings = append(r.Findings, test.add)
			p := plan(t, r, fix.Options{})
			if len(p.Refused) != 1 || p.Refused[0].Code != test.want {
				t.Errorf("refused %+v", p.Refused)
			}
			if diff := cmp.Diff(wantSteps(), steps(p)); diff != "" {
				t.Errorf("the rest of the plan (-want +got):\n%s", diff)
			}
		})
	}
	bad := map[string]struct {
		change func(r *scan.Result)
		want   string
	}{
		"no result":     {nil, fix.CodeSeveral},
		"partial":       {func(r *scan.Result) { r.Partial = true }, fix.CodeIncomplete},
		"no planner":    {func(r *scan.Result) { r.Planner = nil }, fix.CodeIncomplete},
		"changed":       {func(r *scan.Result) { r.Unchanged = false }, fix.CodeChanged},
		"no digest":     {func(r *scan.Result) { r.Digest = "" }, fix.CodeChanged},
		"two databases": {func(r *scan.Result) { r.Planner, r.Databases = nil, make([]scan.Database, 2) }, fix.CodeSeveral},
	}
	for name, test := range bad {
		var r *scan.Result
		if test.change != nil {
			r = look(t, build(t, schema(), incident()))
			test.change(r)
		}
		if _, err := fix.NewPlan(r, fix.Options{}); code(err) != test.want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPlanIsStable(t *testing.T) {
	t.Parallel()
	path := build(t, schema(), chain())
	one, two := plan(t, look(t, path), fix.Options{}), plan(t, look(t, path), fix.Options{})
	if one.Sum() != two.Sum() || !cmp.Equal(one.Steps, two.Steps) || one.Digest == "" {
		t.Error("two plans of the same bytes differ")
	}
	seen := map[string]bool{}
	for _, s := range one.Steps {
		if len(s.ID) != 12 || seen[s.ID] {
			t.Errorf("id %q", s.ID)
		}
		seen[s.ID] = true
	}
}

// The manual procedure must do what the repair does.
func TestSQL(t *testing.T) {
	t.Parallel()
	path := build(t, schema(), chain())
	p := plan(t, look(t, path), fix.Options{})
	byHand := build(t, schema(), chain())
	db := connect(t, byHand)
	for _, line := range strings.Split(p.SQL("state.db"), "\n") {
		if line != "" && !strings.HasPrefix(line, "--") {
			run(t, db, line)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := repair(t, path, p, applyOptions()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(dump(t, path), dump(t, byHand)); diff != "" {
		t.Errorf("by hand something else comes out (-tool +hand):\n%s", diff)
	}
}
