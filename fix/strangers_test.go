package fix_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/fix"
)

func TestStrangersInTheFile(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		sql  []string
		want string // the code; "" = it is repaired all the same
		says string
	}{
		{"trigger into another table", []string{"CREATE TRIGGER spy AFTER UPDATE ON sessions BEGIN INSERT INTO state_meta VALUES (new.id || new.rowid || random(), 'seen'); END"}, fix.CodeTrigger, "spy"},
		{"trigger that changes messages", []string{"CREATE TRIGGER spy AFTER UPDATE OF session_key ON sessions BEGIN UPDATE messages SET active = 0; END"}, fix.CodeTrigger, "spy"},
		{"trigger into another column", []string{"CREATE TRIGGER spy AFTER UPDATE OF chat_id ON sessions BEGIN UPDATE sessions SET title = 'x' WHERE id = new.id; END"}, fix.CodeTrigger, "spy"},
		{"trigger into a planned column of another row", []string{
			"INSERT INTO sessions(id, source, started_at) VALUES ('bystander', 'cli', 1785000000)",
			"CREATE TRIGGER spy AFTER UPDATE OF chat_id ON sessions WHEN new.id <> 'bystander' BEGIN UPDATE sessions SET display_name = 'x' WHERE id = 'bystander'; END"}, fix.CodeTrigger, "spy"},
		{"trigger into a planned cell", []string{"CREATE TRIGGER spy AFTER UPDATE OF chat_id ON sessions WHEN new.chat_type IS NULL BEGIN UPDATE sessions SET display_name = 'x' WHERE id = new.id; END"}, fix.CodeTrigger, "spy"},
		{"trigger that forbids", []string{"CREATE TRIGGER no BEFORE UPDATE ON sessions BEGIN SELECT RAISE(ABORT, 'hands off'); END"}, fix.CodeTrigger, "hands off"},
		{"trigger that skips the row", []string{"CREATE TRIGGER no BEFORE UPDATE OF chat_id ON sessions BEGIN SELECT RAISE(IGNORE); END"}, fix.CodeTrigger, "0 rows fit"},
		{"trigger on another column", []string{"CREATE TRIGGER idle AFTER UPDATE OF title ON sessions BEGIN DELETE FROM messages; END"}, "", ""},
		{"trigger on another table", []string{"CREATE TRIGGER idle AFTER INSERT ON messages BEGIN DELETE FROM sessions; END"}, "", ""},
		{"messages without a session", []string{"INSERT INTO messages(session_id, role, timestamp) VALUES ('ghost', 'user', 1785000000)"}, fix.CodeForeignKeys, "1 rows name a session that is not there"},
		{"a check that the value breaks", []string{"CREATE UNIQUE INDEX one ON sessions(chat_id, source)"}, fix.CodeStep, "UNIQUE"},
		{"a generated column", []string{"ALTER TABLE sessions ADD COLUMN g TEXT GENERATED ALWAYS AS (chat_id || 'x') VIRTUAL"}, fix.CodeDiffers, "sessions"},
		{"a table named like a keyword", []string{`CREATE TABLE "select"("from" TEXT, rowid TEXT)`, `INSERT INTO "select" VALUES ('a', 'b')`}, "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			path := build(t, schema(), incident(), test.sql)
			p := plan(t, look(t, path), fix.Options{})
			if p.Empty() {
				t.Fatal("nothing is planned")
			}
			if test.want == "" {
				if _, err := repair(t, path, p, applyOptions()); err != nil {
					t.Error(err)
				}
				return
			}
			if err := refusedAt(t, path, p, applyOptions(), test.want); err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("%v does not say %q", err, test.says)
			}
		})
	}
}

func TestForeignKeysMayBeAllowed(t *testing.T) {
	t.Parallel()
	path := build(t, schema(), incident(), []string{"INSERT INTO messages(session_id, role, timestamp) VALUES ('ghost', 'user', 1785000000)"})
	o := applyOptions()
	o.AllowForeignKeys = true
	out, err := repair(t, path, plan(t, look(t, path), fix.Options{}), o)
	if err != nil || len(out.Notes) == 0 {
		t.Errorf("%+v, %v", out, err)
	}
}

func TestViewNamedSessions(t *testing.T) {
	t.Parallel()
	path := build(t, schema(), incident(), []string{"ALTER TABLE sessions RENAME TO real", "CREATE VIEW sessions AS SELECT * FROM real"})
	var in *evidence.InputError
	if _, err := evidence.Open(t.Context(), []string{path}, evidence.Options{TempDir: t.TempDir()}); !errors.As(err, &in) || !strings.Contains(in.Reason, "view") {
		t.Errorf("got %v", err)
	}
}

func TestRenamedColumn(t *testing.T) {
	t.Parallel()
	path := build(t, schema(), incident())
	p := plan(t, look(t, path), fix.Options{})
	db := connect(t, path)
	run(t, db, "ALTER TABLE sessions RENAME COLUMN display_name TO shown")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	refusedAt(t, path, p, applyOptions(), fix.CodePlan)
	p = plan(t, look(t, path), fix.Options{})
	if _, planned := steps(p)[orphan+".display_name"]; planned || p.Empty() {
		t.Errorf("planned: %v", steps(p))
	}
	if _, err := repair(t, path, p, applyOptions()); err != nil {
		t.Error(err)
	}
}
