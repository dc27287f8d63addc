package evidence_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

func inboundLine(second int, chat, msg string) string {
	return fmt.Sprintf("2026-08-06 16:18:%02d,000 INFO gateway.run: inbound message: platform=telegram user=Sam chat=%s msg='%s' reply_to_id=None reply_to_text=''\n", second, chat, msg)
}

func turnLine(second int, session, msg string) string {
	return fmt.Sprintf("2026-08-06 16:18:%02d,000 INFO [%s] agent.turn_context: conversation turn: session=%s model=m provider=p platform=telegram history=0 msg='%s'\n", second, session, session, msg)
}

func wide(text string) []byte {
	var out []byte
	for _, u := range utf16.Encode([]rune("\ufeff" + text)) {
		out = binary.LittleEndian.AppendUint16(out, u)
	}
	return out
}

func readLogs(t *testing.T, h *evidence.Home) *evidence.Logs {
	t.Helper()
	logs, err := h.ReadLogs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return logs
}

// served spells pairs as session, chat, and the commands that show them.
func served(logs *evidence.Logs) []string {
	var out []string
	for k := range logs.Served {
		s := &logs.Served[k]
		out = append(out, s.Session+" "+s.Chat+" "+s.How())
	}
	return out
}

func TestReadLogs(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		files map[string]string
		want  []string
		notes []string // a part of each
	}{
		{"no logs", nil, nil, nil},
		{"one", map[string]string{"agent.log": inboundLine(1, "1", "hi") + turnLine(2, "s1", "hi")},
			[]string{"s1 1 sed -n 1p logs/agent.log; sed -n 2p logs/agent.log"}, nil},
		{"across a rotation", map[string]string{"agent.log.2": "x\n", "agent.log.1": inboundLine(1, "1", "hi"), "agent.log": turnLine(2, "s1", "hi")},
			[]string{"s1 1 sed -n 1p logs/agent.log.1; sed -n 1p logs/agent.log"}, nil},
		{"the tenth before the second", map[string]string{"agent.log.10": inboundLine(1, "1", "hi"), "agent.log.2": turnLine(2, "s1", "hi")},
			[]string{"s1 1 sed -n 1p logs/agent.log.10; sed -n 1p logs/agent.log.2"}, nil},
		{"across two logs", map[string]string{"gateway.log": inboundLine(1, "1", "hi"), "agent.log": turnLine(1, "s1", "hi")},
			[]string{"s1 1 sed -n 1p logs/gateway.log; sed -n 1p logs/agent.log"}, nil},
		{"once in two logs", map[string]string{"gateway.log": inboundLine(1, "1", "hi"), "agent.log": inboundLine(1, "1", "hi") + turnLine(2, "s1", "hi") + turnLine(3, "s2", "hi")},
			[]string{"s1 1 sed -n 1p logs/agent.log; sed -n 2p logs/agent.log"}, nil},
		{"UTF-16", map[string]string{"agent.log": string(wide(inboundLine(1, "1", "hi") + turnLine(2, "s1", "hi")))},
			[]string{"s1 1 iconv -f UTF-16 logs/agent.log | sed -n 1p; iconv -f UTF-16 logs/agent.log | sed -n 2p"}, []string{"logs/agent.log is UTF-16"}},
		{"a line without end", map[string]string{"agent.log": strings.Repeat("x", 100_000) + "\n" + inboundLine(1, "1", "hi") + turnLine(2, "s1", "hi")},
			[]string{"s1 1 sed -n 2p logs/agent.log; sed -n 3p logs/agent.log"}, []string{"logs/agent.log has 1 lines longer"}},
		{"other names", map[string]string{"agent.log.old": inboundLine(1, "1", "hi") + turnLine(2, "s1", "hi"), "agent.txt": "x", "agent.log.1.gz.old": "x"}, nil, nil},
		{"bytes", map[string]string{"agent.log": "\x80\xff\xfe\n" + inboundLine(1, "1", "caf\xe9") + turnLine(2, "s1", "caf\xe9") + "2026-08-06 16:18"},
			[]string{"s1 1 sed -n 2p logs/agent.log; sed -n 3p logs/agent.log"}, []string{"logs/agent.log is not UTF-8 (lines that are not: 3)"}},
		{"UTF-16 without its mark", map[string]string{"agent.log": string(wide(inboundLine(1, "1", "hi") + turnLine(2, "s1", "hi")))[2:]},
			[]string{"s1 1 iconv -f UTF-16LE logs/agent.log | sed -n 1p; iconv -f UTF-16LE logs/agent.log | sed -n 2p"}, []string{"logs/agent.log is UTF-16LE"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			home := filepath.Join(t.TempDir(), "home")
			healthy(t, filepath.Join(home, "state.db"))
			for name, text := range test.files {
				write(t, filepath.Join(home, "logs", name), []byte(text))
			}
			before := listing(t, home)
			b := open(t, home)
			logs := readLogs(t, b.Homes[0])
			if diff := cmp.Diff(test.want, served(logs)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if len(logs.Notes) != len(test.notes) || logs.Limited {
				t.Errorf("limited %v, notes %q, want %q", logs.Limited, logs.Notes, test.notes)
			}
			for i := range min(len(logs.Notes), len(test.notes)) {
				if !strings.Contains(logs.Notes[i], test.notes[i]) {
					t.Errorf("note %q, want %q", logs.Notes[i], test.notes[i])
				}
			}
			if changed, err := b.Recheck(t.Context()); err != nil || len(changed) > 0 {
				t.Errorf("changed %q, %v", changed, err)
			}
			if diff := cmp.Diff(before, listing(t, home)); diff != "" {
				t.Errorf("the home changed (-before +after):\n%s", diff)
			}
			if text := fmt.Sprint(logs); strings.Contains(text, "'hi'") {
				t.Errorf("the text of a message was given away: %s", text)
			}
		})
	}
}

func packedText(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestPackedLogs(t *testing.T) {
	t.Parallel()
	pair := inboundLine(1, "1", "hi") + turnLine(2, "s1", "hi")
	more := strings.Repeat("2026-08-06 16:18:36,000 INFO a: nothing\n", 1000)
	var noise strings.Builder // what does not shrink, so that a cut file still has its beginning
	for i := range 40_000 {
		fmt.Fprintf(&noise, "%x\n", sha256.Sum256([]byte{byte(i), byte(i >> 8)}))
	}
	tests := []struct {
		name    string
		files   map[string][]byte
		want    []string
		limited bool
		note    string
	}{
		{"rotated", map[string][]byte{"agent.log.2.gz": packedText(t, more+inboundLine(1, "1", "hi")), "agent.log": []byte(turnLine(2, "s1", "hi"))},
			[]string{"s1 1 gzip -dc logs/agent.log.2.gz | sed -n 1001p; sed -n 1p logs/agent.log"}, false, ""},
		{"two members in one file", map[string][]byte{"agent.log.1.gz": append(packedText(t, inboundLine(1, "1", "hi")), packedText(t, turnLine(2, "s1", "hi"))...)},
			[]string{"s1 1 gzip -dc logs/agent.log.1.gz | sed -n 1p; gzip -dc logs/agent.log.1.gz | sed -n 2p"}, false, ""},
		{"UTF-16", map[string][]byte{"agent.log.gz": packedText(t, string(wide(pair)))},
			[]string{"s1 1 gzip -dc logs/agent.log.gz | iconv -f UTF-16 | sed -n 1p; gzip -dc logs/agent.log.gz | iconv -f UTF-16 | sed -n 2p"}, false, "UTF-16"},
		{"empty inside", map[string][]byte{"agent.log.1.gz": packedText(t, "")}, nil, false, ""},
		{"not packed", map[string][]byte{"agent.log.1.gz": []byte("x"), "agent.log": []byte(pair)},
			[]string{"s1 1 sed -n 1p logs/agent.log; sed -n 2p logs/agent.log"}, true, "logs/agent.log.1.gz could not be read to its end"},
		{"empty", map[string][]byte{"agent.log.1.gz": nil}, nil, true, "could not be read to its end"},
		{"torn", map[string][]byte{"agent.log.1.gz": packedText(t, pair+noise.String())[:600_000]},
			[]string{"s1 1 gzip -dc logs/agent.log.1.gz | sed -n 1p; gzip -dc logs/agent.log.1.gz | sed -n 2p"}, true, "could not be read to its end: unpack: unexpected EOF"},
		{"a bomb", map[string][]byte{"agent.log.1.gz": packedText(t, pair+strings.Repeat("\n", 64<<20))},
			[]string{"s1 1 gzip -dc logs/agent.log.1.gz | sed -n 1p; gzip -dc logs/agent.log.1.gz | sed -n 2p"}, true, "more than 250 times its size"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			home := filepath.Join(t.TempDir(), "home")
			healthy(t, filepath.Join(home, "state.db"))
			for name, data := range test.files {
				write(t, filepath.Join(home, "logs", name), data)
			}
			b := open(t, home)
			logs := readLogs(t, b.Homes[0])
			if diff := cmp.Diff(test.want, served(logs)); diff != "" || logs.Limited != test.limited {
				t.Errorf("limited %v (-want +got):\n%s", logs.Limited, diff)
			}
			if notes := strings.Join(logs.Notes, "\n"); (notes == "") != (test.note == "") || !strings.Contains(notes, test.note) {
				t.Errorf("notes %q, want %q", notes, test.note)
			}
			// Custody has the packed file as it is, also where the look at it ended before its end.
			inputs, err := b.Inputs(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, in := range inputs {
				if data, ok := test.files[filepath.Base(in.Path)]; ok && (in.SHA256 != fmt.Sprintf("%x", sha256.Sum256(data)) || in.Role != evidence.RoleLog) {
					t.Errorf("%+v", in)
				}
			}
			if changed, err := b.Recheck(t.Context()); err != nil || len(changed) > 0 {
				t.Errorf("changed %q, %v", changed, err)
			}
		})
	}
}

func TestLogsInCustody(t *testing.T) {
	t.Parallel()
	home := filepath.Join(t.TempDir(), "home")
	healthy(t, filepath.Join(home, "state.db"))
	write(t, filepath.Join(home, "logs/agent.log"), []byte(inboundLine(1, "1", "hi")))
	b := open(t, home)
	readLogs(t, b.Homes[0])
	inputs, err := b.Inputs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, in := range inputs {
		found = found || in.Role == evidence.RoleLog && len(in.SHA256) == 64 && in.Bytes > 0
	}
	if !found {
		t.Errorf("the log is no input: %+v", inputs)
	}
	write(t, filepath.Join(home, "logs/agent.log"), []byte(inboundLine(1, "1", "ho")))
	if changed, err := b.Recheck(t.Context()); err != nil || len(changed) != 1 || filepath.Base(changed[0]) != "agent.log" {
		t.Errorf("changed %q, %v", changed, err)
	}
}

func TestLogsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	home := filepath.Join(t.TempDir(), "home")
	healthy(t, filepath.Join(home, "state.db"))
	write(t, filepath.Join(home, "secret/agent.log"), []byte(inboundLine(1, "1", "hi")+turnLine(2, "s1", "hi")))
	if err := os.MkdirAll(filepath.Join(home, "logs", "gui.log"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(home, "logs", "desktop.log")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(home, "logs", "errors.log"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("agent.log", filepath.Join(home, "logs", "current.log")); err != nil { // silent: what it leads to is read
		t.Fatal(err)
	}
	write(t, filepath.Join(home, "logs", "agent.log"), []byte(strings.Repeat("\x00", 100)+"\n"))
	logs := readLogs(t, open(t, home).Homes[0])
	want := []string{
		"logs/agent.log has NUL bytes (in 1 lines): a part of it was overwritten, or it is in an encoding that is not read",
		"logs/desktop.log is not read: it is a link, and what it leads to is no file beside it",
		"logs/errors.log is not read: it is no regular file",
	}
	if diff := cmp.Diff(want, logs.Notes); diff != "" || !logs.Limited || len(logs.Served) > 0 {
		t.Errorf("limited %v, read %+v (-want +got):\n%s", logs.Limited, logs.Served, diff)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := open(t, home).Homes[0].ReadLogs(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestHomesThatLinkToEachOther(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	for _, home := range []string{a, b} {
		healthy(t, filepath.Join(home, "state.db"))
		write(t, filepath.Join(home, "logs/agent.log"), []byte(inboundLine(1, "1", "hi")+turnLine(2, "s1", "hi")))
		write(t, filepath.Join(home, "profiles/README"), []byte("x"))
	}
	for link, target := range map[string]string{filepath.Join(a, "profiles/other"): b, filepath.Join(b, "profiles/other"): a} {
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
	}
	bundle := open(t, a)
	if len(bundle.Homes) != 2 || bundle.Homes[1].Parent() != bundle.Homes[0] || bundle.Homes[0].Parent() != nil {
		t.Fatalf("%d homes", len(bundle.Homes))
	}
	reading := bundle.StartLogs(t.Context())
	defer reading.Stop()
	for k, want := range []string{"logs/agent.log", "profiles/other/logs/agent.log"} {
		logs, err := reading.Of(t.Context(), bundle.Homes[k])
		if err != nil || len(logs.Served) != 1 || logs.Served[0].Inbound().Path != want {
			t.Errorf("home %d: %+v, %v", k, logs, err)
		}
	}
}

func TestReadDumps(t *testing.T) {
	t.Parallel()
	home := filepath.Join(t.TempDir(), "home")
	healthy(t, filepath.Join(home, "state.db"))
	dump := func(session string) []byte {
		return fmt.Appendf(nil, "{\"session_id\": %q,\n\"request\": {\"body\": {\"system\": \"## Current Session Context\\n**Source:** Slack (DM with U1)\"}}}", session)
	}
	for name, text := range map[string][]byte{
		"request_dump_s1_20260806_161836_000001.json":        dump("s1"),
		"request_dump_s1_20260806_161836_000002.json":        dump("s1")[:60],
		"request_dump_s1_20260806_161836_000003.json":        dump("s2"),
		"request_dump_s3_20260806_161836_000001.json":        dump("s3"),
		"request_dump_s1.json":                               dump("s1"),
		"request_dump_s1_20260806_161836_000001.json.backup": dump("s1"),
	} {
		write(t, filepath.Join(home, "sessions", name), text)
	}
	b := open(t, home)
	got, err := b.Homes[0].ReadDumps(t.Context(), "sessions", func(session string) bool { return session == "s1" })
	if err != nil {
		t.Fatal(err)
	}
	if len(got.List) != 1 || got.List[0].Session != "s1" || got.List[0].Name != "U1" || got.List[0].At.Line != 2 || got.Limited {
		t.Errorf("%+v", got)
	}
	if len(got.Notes) != 2 || !strings.Contains(got.Notes[0], "torn or damaged") || !strings.Contains(got.Notes[1], "differ") {
		t.Errorf("notes %q", got.Notes)
	}
	if got, err := b.Homes[0].ReadDumps(t.Context(), "absent", func(string) bool { return true }); err != nil || len(got.List)+len(got.Notes) > 0 {
		t.Errorf("absent: %+v, %v", got, err)
	}
}

func TestSpool(t *testing.T) {
	t.Parallel()
	home := filepath.Join(t.TempDir(), "home")
	healthy(t, filepath.Join(home, "state.db"))
	write(t, filepath.Join(home, "pending_messages/pending-1.json"), []byte(`{"session_key": "k", "ts": 5}`))
	write(t, filepath.Join(home, "pending_messages/pending-2.json"), []byte(`{"session_key"`))
	write(t, filepath.Join(home, "pending_messages/notes.txt"), []byte("x"))
	list, limited, err := open(t, home).Homes[0].Spool(t.Context())
	if err != nil || limited || len(list) != 2 || list[0].Key != "k" || list[0].Problem != "" || list[1].Problem == "" {
		t.Errorf("%+v, %v, %v", list, limited, err)
	}
}

func TestEachCopy(t *testing.T) {
	t.Parallel()
	home := filepath.Join(t.TempDir(), "home")
	healthy(t, filepath.Join(home, "state.db"))
	for _, rel := range []string{"state-snapshots/20260806-030000/state.db", "state.db.malformed-backup-20260806_161836", "old.db", "state.db.retired-wal-20260806-1/state.db"} {
		healthy(t, filepath.Join(home, rel))
	}
	build(t, filepath.Join(home, "kanban.db"), "CREATE TABLE cards(id)")
	torn := read(t, filepath.Join(home, "old.db"))
	write(t, filepath.Join(home, "state.db.torn.bak"), append(bytes.Clone(torn[:100]), bytes.Repeat([]byte{0xff}, 5000)...))
	write(t, filepath.Join(home, "state.db.repair.lock"), nil)
	write(t, filepath.Join(home, "state.db.repair-attempts.json"), []byte("{}"))
	if err := os.Symlink("state.db", filepath.Join(home, "state.db.link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/elsewhere/kanban.db", filepath.Join(home, "board.db")); err != nil { // of another program, by its name
		t.Fatal(err)
	}
	before := listing(t, home)
	b := open(t, home)
	got := map[string]bool{}
	copies, err := b.Homes[0].EachCopy(t.Context(), func(s *evidence.Store) error {
		got[s.Name] = s.DB.Table("sessions") != nil
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{"state-snapshots/20260806-030000/state.db": true, "state.db.malformed-backup-20260806_161836": true, "old.db": true, "state.db.retired-wal-20260806-1/state.db": true}
	if diff := cmp.Diff(want, got); diff != "" || copies.Read != len(want) || copies.Limited {
		t.Errorf("%+v (-want +got):\n%s", copies, diff)
	}
	if len(copies.Notes) != 1 || !strings.Contains(copies.Notes[0], "state.db.torn.bak") {
		t.Errorf("notes %q", copies.Notes)
	}
	if changed, err := b.Recheck(t.Context()); err != nil || len(changed) > 0 {
		t.Errorf("changed %q, %v", changed, err)
	}
	if diff := cmp.Diff(before, listing(t, home)); diff != "" {
		t.Errorf("the home changed (-before +after):\n%s", diff)
	}
	stop := errors.New("enough")
	if _, err := b.Homes[0].EachCopy(t.Context(), func(*evidence.Store) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("an error of the visitor: %v", err)
	}
}

func TestLinkedWitnessesAreTold(t *testing.T) {
	t.Parallel()
	home := filepath.Join(t.TempDir(), "home")
	healthy(t, filepath.Join(home, "state.db"))
	for _, name := range []string{"state.db.bak", "sessions/sessions.json.bak", "sessions/request_dump_s1_20260806_161836_000001.json", "sessions/session_20260806_161836_0a1b2c.json", "pending_messages/p.json"} {
		write(t, filepath.Join(home, filepath.Dir(name), "kept.txt"), nil)
		if err := os.Symlink("/elsewhere/file", filepath.Join(home, name)); err != nil {
			t.Fatal(err)
		}
	}
	h := open(t, home).Homes[0]
	all := func(string) bool { return true }
	copies, err := h.EachCopy(t.Context(), func(*evidence.Store) error { return nil })
	if err != nil || !copies.Limited || len(copies.Notes) != 1 || !strings.HasPrefix(copies.Notes[0], "state.db.bak is not read: it is a link") {
		t.Errorf("copies: %+v, %v", copies, err)
	}
	mirrors, err := h.OldMirrors(t.Context(), "sessions", func(evidence.Ref, []byte) {})
	if err != nil || !mirrors.Limited || len(mirrors.Notes) != 1 || !strings.HasPrefix(mirrors.Notes[0], "sessions/sessions.json.bak is not read: it is a link") {
		t.Errorf("mirrors: %+v, %v", mirrors, err)
	}
	dumps, err := h.ReadDumps(t.Context(), "sessions", all)
	if err != nil || !dumps.Limited || len(dumps.Notes) != 1 || !strings.Contains(dumps.Notes[0], "it is a link") {
		t.Errorf("dumps: %+v, %v", dumps, err)
	}
	files, err := h.ReadSessionFiles(t.Context(), "sessions", all)
	if err != nil || !files.Limited || len(files.Notes) != 1 || !strings.Contains(files.Notes[0], "it is a link") {
		t.Errorf("session files: %+v, %v", files, err)
	}
	if list, limited, err := h.Spool(t.Context()); err != nil || !limited || len(list) != 1 || !strings.Contains(list[0].Problem, "it is a link") {
		t.Errorf("spool: %+v, %v, %v", list, limited, err)
	}
}

func TestCopiesAreBounded(t *testing.T) {
	t.Parallel()
	home := filepath.Join(t.TempDir(), "home")
	healthy(t, filepath.Join(home, "state.db"))
	data := read(t, filepath.Join(home, "state.db"))
	for i := range 20 {
		write(t, filepath.Join(home, fmt.Sprintf("state.db.bak%02d", i)), data)
	}
	n := 0
	copies, err := open(t, home).Homes[0].EachCopy(t.Context(), func(*evidence.Store) error { n++; return nil })
	if err != nil || n != 16 || !copies.Limited || len(copies.Notes) != 1 {
		t.Errorf("%d copies, %+v, %v", n, copies, err)
	}
}

func TestOldMirrors(t *testing.T) {
	t.Parallel()
	home := filepath.Join(t.TempDir(), "home")
	healthy(t, filepath.Join(home, "state.db"))
	for _, rel := range []string{"sessions/sessions.json", "sessions/sessions.json.bak", "sessions/.sessions_a.tmp", "state-snapshots/1/sessions.json", "state-snapshots/1/sessions/sessions.json", "sessions/other.json"} {
		write(t, filepath.Join(home, rel), []byte(rel))
	}
	var got []string
	copies, err := open(t, home).Homes[0].OldMirrors(t.Context(), "sessions", func(at evidence.Ref, text []byte) {
		if at.Path != string(text) {
			t.Errorf("%s holds %q", at.Path, text)
		}
		got = append(got, at.Path)
	})
	want := []string{"sessions/.sessions_a.tmp", "sessions/sessions.json.bak", "state-snapshots/1/sessions.json", "state-snapshots/1/sessions/sessions.json"}
	if diff := cmp.Diff(want, got); diff != "" || err != nil || copies.Limited {
		t.Errorf("%+v, %v (-want +got):\n%s", copies, err, diff)
	}
}

func TestWitnessesInAnArchive(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	healthy(t, filepath.Join(dir, "state.db"))
	db := read(t, filepath.Join(dir, "state.db"))
	members := []packed{{name: "hermes/state.db", data: db}, {name: "hermes/profiles/coder/state.db", data: db}}
	for _, home := range []string{"hermes/", "hermes/profiles/coder/"} {
		members = append(members,
			packed{name: home + "logs/agent.log.1", data: []byte(inboundLine(1, "1", "hi"))},
			packed{name: home + "logs/agent.log", data: []byte(turnLine(2, "s1", "hi"))},
			packed{name: home + "logs/gui.log.3.gz", data: packedText(t, inboundLine(5, "1", "hello"))},
			packed{name: home + "logs/core.bin", data: []byte("x")},
			packed{name: home + "pending_messages/pending-1.json", data: []byte(`{"session_key": "k"}`)},
			packed{name: home + "sessions/request_dump_s1_20260806_161836_000001.json", data: []byte(`{"session_id": "s1"}`)},
			packed{name: home + "sessions/sessions.json.bak", data: []byte("{}")},
			packed{name: home + "state-snapshots/20260806-030000/state.db", data: db},
			packed{name: home + "state.db.malformed-backup-20260806_161836", data: db},
		)
	}
	for name, data := range map[string][]byte{"home.zip": zipOf(t, members), "home.tar.gz": tarOf(t, members)} {
		write(t, filepath.Join(dir, name), data)
		b := open(t, filepath.Join(dir, name))
		if len(b.Homes) != 2 {
			t.Fatalf("%s: %d homes", name, len(b.Homes))
		}
		for k, prefix := range []string{"", "profiles/coder/"} {
			h := b.Homes[k]
			if logs := readLogs(t, h); len(logs.Served) != 1 || logs.Served[0].Inbound().Path != prefix+"logs/agent.log.1" {
				t.Errorf("%s: %+v", name, logs)
			}
			if spool, _, err := h.Spool(t.Context()); err != nil || len(spool) != 1 {
				t.Errorf("%s: %+v, %v", name, spool, err)
			}
			dumps, err := h.ReadDumps(t.Context(), "sessions", func(string) bool { return true })
			if err != nil || len(dumps.Notes) != 1 {
				t.Errorf("%s: %+v, %v", name, dumps, err)
			}
			copies, err := h.EachCopy(t.Context(), func(*evidence.Store) error { return nil })
			if err != nil || copies.Read != 2 {
				t.Errorf("%s: %+v, %v", name, copies, err)
			}
			mirrors, err := h.OldMirrors(t.Context(), "sessions", func(evidence.Ref, []byte) {})
			if err != nil || mirrors.Read != 1 {
				t.Errorf("%s: %+v, %v", name, mirrors, err)
			}
		}
		inputs, err := b.Inputs(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, in := range inputs {
			if in.Role == evidence.RoleLog || in.Role == evidence.RoleBackup && in.SHA256 == "" {
				t.Errorf("%s: input %+v", name, in)
			}
		}
	}
}
