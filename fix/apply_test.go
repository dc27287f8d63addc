package fix_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-4d3eb737/hermes-doctor/fix"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

// wantSteps are the cells that the incident needs, with what they hold afterwards.
func wantSteps() map[string]any {
	return map[string]any{
		orphan + ".session_key": chatKey, orphan + ".chat_id": "77", orphan + ".chat_type": "dm", orphan + ".display_name": "Ann",
		orphan + ".origin_json": `{"platform":"telegram","chat_id":"77"}`, orphan + ".last_activity_at": 1785760000.0,
		orphan + ".parent_session_id": zombie, orphan + ".model_config": `{"_reset_from": "` + zombie + `"}`,
		zombie + ".ended_at": 1785758470.0, zombie + ".end_reason": "superseded_by_repair",
	}
}

func steps(p *fix.Plan) map[string]any {
	out := map[string]any{}
	for _, s := range p.Steps {
		out[s.Key+"."+s.Column] = s.New
	}
	return out
}

func TestRepair(t *testing.T) {
	t.Parallel()
	whole := append(schema(), incident()...)
	tests := []struct {
		name  string
		build func(t *testing.T) string
	}{
		{"no sidecar", func(t *testing.T) string { return build(t, whole) }},
		{"WAL mode, closed", func(t *testing.T) string { return build(t, []string{"PRAGMA journal_mode=WAL"}, whole) }},
		{"rows in the -wal", func(t *testing.T) string { return buildWAL(t, incident(), schema()) }},
		{"a hot journal", func(t *testing.T) string { return buildHot(t, "UPDATE sessions SET chat_id = 'never'", whole) }},
		{"another text encoding", func(t *testing.T) string { return build(t, []string{"PRAGMA encoding='UTF-16le'"}, whole) }},
		{"large pages", func(t *testing.T) string { return build(t, []string{"PRAGMA page_size=65536"}, whole) }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			path := test.build(t)
			before, bytesBefore := dump(t, path), read(t, path)
			p := plan(t, look(t, path), fix.Options{})
			if diff := cmp.Diff(wantSteps(), steps(p)); diff != "" {
				t.Fatalf("plan (-want +got):\n%s", diff)
			}
			out, err := repair(t, path, p, applyOptions())
			if err != nil {
				t.Fatal(err)
			}
			if out.Applied != len(p.Steps) || !out.Receipt.Verified || !out.Receipt.OneFile {
				t.Errorf("outcome %+v, receipt %+v", out, out.Receipt)
			}
			if len(out.PutBack()) < 4 {
				t.Errorf("how to put it back: %q", out.PutBack())
			}
			if got := names(t, filepath.Dir(path)); !slices.Equal(got, []string{"state.db"}) {
				t.Errorf("the folder holds %q", got)
			}
			if !bytes.Equal(read(t, out.Backup), bytesBefore) {
				t.Error("the backup is not the file as it was")
			}
			if diff := cmp.Diff(before, dump(t, out.Backup)); diff != "" {
				t.Errorf("the backup shows other rows:\n%s", diff)
			}
			proveWinner(t, path)
			proveVerify(t, out)
			proveSecondRun(t, path)
			proveUndo(t, path, out, before)
		})
	}
}

func proveWinner(t *testing.T, path string) {
	t.Helper()
	for chat, id := range resumes(look(t, path)) {
		if id != orphan {
			t.Errorf("%s resumes %q", chat, id)
		}
	}
}

func proveVerify(t *testing.T, out *fix.Outcome) {
	t.Helper()
	v, err := fix.Verify(t.Context(), out.ReceiptPath, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if !v.Good() || len(v.Checks) < 4 {
		t.Errorf("verify: %+v", v.Checks)
	}
}

func proveSecondRun(t *testing.T, path string) {
	t.Helper()
	before := read(t, path)
	p := plan(t, look(t, path), fix.Options{})
	if !p.Empty() {
		t.Errorf("a second run would do %+v", p.Steps)
	}
	out, err := repair(t, path, p, applyOptions())
	if err != nil || out.Applied != 0 {
		t.Errorf("a second run: %+v, %v", out, err)
	}
	if !bytes.Equal(before, read(t, path)) {
		t.Error("a second run changed the file")
	}
}

func proveUndo(t *testing.T, path string, out *fix.Outcome, before []string) {
	t.Helper()
	u, err := fix.Undo(t.Context(), out.Journal, fix.UndoOptions{})
	if err != nil || len(u.Restored) != out.Applied || u.Outcome != nil {
		t.Fatalf("undo, dry: %+v, %v", u, err)
	}
	u, err = fix.Undo(t.Context(), out.Journal, fix.UndoOptions{Apply: true, Backup: fix.BackupOptions{Dir: t.TempDir(), Now: at}})
	if err != nil || len(u.Kept) > 0 {
		t.Fatalf("undo: %+v, %v", u, err)
	}
	if diff := cmp.Diff(before, dump(t, path)); diff != "" {
		t.Errorf("undo gave back something else (-want +got):\n%s", diff)
	}
	again, err := fix.Undo(t.Context(), u.Outcome.Journal, fix.UndoOptions{Apply: true, Backup: fix.BackupOptions{Dir: t.TempDir(), Now: at}})
	if err != nil || len(again.Restored) != out.Applied {
		t.Fatalf("undo of the undo: %+v, %v", again, err)
	}
	proveWinner(t, path)
}

func TestUndoKeepsWhatChangedSince(t *testing.T) {
	t.Parallel()
	path := build(t, schema(), incident())
	out, err := repair(t, path, plan(t, look(t, path), fix.Options{}), applyOptions())
	if err != nil {
		t.Fatal(err)
	}
	db := connect(t, path)
	run(t, db, "UPDATE sessions SET last_activity_at = 1785770000 WHERE id = '"+orphan+"'", "UPDATE sessions SET display_name = NULL WHERE id = '"+orphan+"'")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	u, err := fix.Undo(t.Context(), out.Journal, fix.UndoOptions{Apply: true, Backup: fix.BackupOptions{Dir: t.TempDir(), Now: at}})
	if err != nil {
		t.Fatal(err)
	}
	kept := map[string]string{}
	for _, k := range u.Kept {
		kept[k.Step.Column] = k.Reason
	}
	want := map[string]string{
		"last_activity_at": "it was changed since, and only what the fix wrote is taken back",
		"display_name":     "it holds what it held before: there is nothing to take back",
	}
	if diff := cmp.Diff(want, kept); diff != "" {
		t.Errorf("kept (-want +got):\n%s", diff)
	}
	for _, line := range dump(t, path) {
		if strings.HasPrefix(line, "sessions text:"+orphan) && (!strings.Contains(line, "1785770000") || strings.Contains(line, chatKey)) {
			t.Errorf("after undo: %s", line)
		}
	}
}

func TestUndoRefusesADamagedJournal(t *testing.T) {
	t.Parallel()
	path := build(t, schema(), incident())
	out, err := repair(t, path, plan(t, look(t, path), fix.Options{}), applyOptions())
	if err != nil {
		t.Fatal(err)
	}
	data := bytes.Replace(read(t, out.Journal), []byte(`"superseded_by_repair"`), []byte(`"superseded_by_resume"`), 1)
	if err := os.WriteFile(out.Journal, data, 0o600); err != nil {
		t.Fatal(err)
	}
	before := read(t, path)
	if _, err := fix.Undo(t.Context(), out.Journal, fix.UndoOptions{Apply: true}); err == nil || !strings.Contains(err.Error(), "checksum") {
		t.Errorf("got %v", err)
	}
	if !bytes.Equal(before, read(t, path)) {
		t.Error("the file changed")
	}
}

func TestOutputLeavesTheInputAlone(t *testing.T) {
	t.Parallel()
	path := buildWAL(t, incident(), schema())
	main, wal := read(t, path), read(t, path+"-wal")
	o := applyOptions()
	o.Output = filepath.Join(t.TempDir(), "new.db")
	out, err := repair(t, path, plan(t, look(t, path), fix.Options{}), o)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(main, read(t, path)) || !bytes.Equal(wal, read(t, path+"-wal")) {
		t.Error("the input changed")
	}
	if got := names(t, filepath.Dir(o.Output)); !slices.Equal(got, []string{"new.db"}) {
		t.Errorf("beside the output: %q", got)
	}
	proveWinner(t, o.Output)
	proveVerify(t, out)
	if _, err := repair(t, path, plan(t, look(t, path), fix.Options{}), o); code(err) != fix.CodeExists {
		t.Errorf("over the output: %v", err)
	}
}

// A home's routing entries and policy decide what a chat resumes, also while the repaired rows lie in a private copy.
func TestRepairInAHome(t *testing.T) {
	t.Parallel()
	path := build(t, schema(), incident())
	home := filepath.Dir(path)
	if err := os.MkdirAll(filepath.Join(home, "sessions"), 0o755); err != nil {
		t.Fatal(err)
	}
	entry := `{"` + chatKey + `": {"session_key": "` + chatKey + `", "session_id": "` + orphan + `", "created_at": "2026-08-03T12:10:00", "updated_at": "2026-08-03T12:30:00",
		"platform": "telegram", "chat_type": "dm", "origin": {"platform": "telegram", "chat_id": "77", "chat_type": "dm", "user_id": "77"}}}`
	if err := os.WriteFile(filepath.Join(home, "sessions", "sessions.json"), []byte(entry), 0o600); err != nil {
		t.Fatal(err)
	}
	p := plan(t, look(t, home), fix.Options{})
	if len(p.Adoptions) != 1 || p.Adoptions[0].Evidence[0] != "recorded" {
		t.Fatalf("adoptions %+v: the routing entry was not seen", p.Adoptions)
	}
	out, err := repair(t, home, p, applyOptions())
	if err != nil {
		t.Fatal(err)
	}
	if out.After == nil || out.After.Verdict.Word != scan.Sound {
		t.Errorf("after: %+v", out.After)
	}
}
