package corpus_test

import (
	"strings"
	"testing"

	"github.com/seed-4d3eb737/hermes-doctor/corpus"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checks"
)

// TestWriters holds what a scan says of the builds that wrote a file.
func TestWriters(t *testing.T) {
	t.Parallel()
	const chat = "session a id=one source=telegram start=2026-08-01T10:00:00Z ended=2026-08-02T10:00:00Z reason=session_reset last=2026-08-02T09:00:00Z key=agent:main:telegram:dm:1 user=1 chat=1/dm\nmessages a 4 2026-08-01T10:00:00Z..2026-08-02T09:00:00Z\n"
	const unlinked = "session b id=two source=telegram start=2026-08-02T10:00:00Z ended=2026-08-12T10:00:00Z reason=session_reset last=2026-08-12T09:00:00Z key=agent:main:telegram:dm:1 user=1 chat=1/dm\nmessages b 4 2026-08-02T10:00:00Z..2026-08-12T09:00:00Z\n"
	const linked = "session c id=three source=telegram start=2026-08-12T10:00:00Z last=2026-08-14T10:00:00Z key=agent:main:telegram:dm:1 user=1 chat=1/dm parent=b\nmessages c 4 2026-08-12T10:00:00Z..2026-08-14T10:00:00Z\n"
	const lost = "session d id=four source=telegram start=2026-08-13T10:00:00Z user=1\nmessages d 4 2026-08-13T10:00:00Z..2026-08-13T11:00:00Z\n"
	tests := []struct{ name, rows, want string }{
		{"nothing to tell", chat, ""},
		{"only the fix", chat[:strings.Index(chat, "\n")+1] + linked, ""},
		{"before the fix", chat + unlinked, "builds before #82633 made 1 row after resets without lineage; rows of this kind stopped appearing on 2 August 2026, and no row shows a build with the fix"},
		{"updated", chat + unlinked + linked, "stopped appearing on 2 August 2026; 1 row was made with the fix, the first on 12 August 2026"},
		{"side by side", chat + unlinked + linked + lost, "made 1 row of chats without a key and 1 row after resets without lineage; rows of this kind stopped appearing on 13 August 2026, although 1 row was made with the fix since 12 August 2026: an older program"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			rows := test.rows
			if !strings.Contains(rows, "session b ") {
				rows = strings.ReplaceAll(rows, " parent=b", " parent=a")
			}
			text := "about: x\nschema: 25\n-- rows.txt --\n" + rows + "-- want.txt --\n-- resume.txt --\n-- census.txt --\n-- verdict.txt --\nsound\n"
			c, err := corpus.Parse("writers", []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			notes := strings.Join(outcome(t, checks.All(), c).Result.Databases[0].Notes, "\n")
			if said := strings.Contains(notes, "writers: "); said != (test.want != "") || !strings.Contains(notes, test.want) {
				t.Errorf("notes %q, want %q", notes, test.want)
			}
		})
	}
}
