package corpus_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed-4d3eb737/hermes-doctor/corpus"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checks"
)

// TestManyAbsent holds that the verdict counts every session that only logs name: of more than 200 one finding stands for the
// rest, and those of them that an older copy has are not absent.
func TestManyAbsent(t *testing.T) {
	t.Parallel()
	const total, shown, copied = 250, 200, 10 // the last ten are copied: the finding for the rest stands for them
	id := func(n int) string { return fmt.Sprintf("20260826_100000_%06x", n) }
	var rows, lines, gone strings.Builder
	for n := range total {
		fmt.Fprintf(&lines, "@LOG(@%dm) INFO [%s] agent.turn_context: conversation turn: session=%s model=m provider=p platform=desktop history=0 msg='x'\n", n, id(n), id(n))
	}
	for n := total - copied; n < total; n++ {
		fmt.Fprintf(&rows, "session s%d id=%s source=desktop start=@%dm\n", n, id(n), n)
		fmt.Fprintf(&gone, "DELETE FROM sessions WHERE id = '%s';\n", id(n))
	}
	base := "base 2026-08-26T10:00:00Z\n"
	text := "about: x\nschema: 25\nzone: UTC\nhome: yes\n-- rows.txt --\n" + base + rows.String() + "session a id=kept source=desktop start=@-1h\nmessages a 4 @-1h..@0\n" +
		"-- profiles/old/rows.txt --\n" + rows.String() + "-- sql --\n" + gone.String() + "-- files/logs/agent.log --\n" + lines.String() +
		"-- damage --\ncopy profiles/old/state.db state.db.bak\nremove profiles/old/state.db\n" +
		"-- want.txt --\n-- resume.txt --\n-- census.txt --\n-- verdict.txt --\nabsent\n"
	c, err := corpus.Parse("many-absent", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	r := outcome(t, checks.All(), c).Result
	want := fmt.Sprintf("absent: %d sessions are named by logs, and no row has the id", total-copied)
	if r.Verdict.Sentence != want {
		t.Errorf("the verdict is %q, want %q", r.Verdict.Sentence, want)
	}
	rest := slices.IndexFunc(r.Findings, func(f scan.Finding) bool { return f.Check == "logged-session-missing" && f.Subject.SessionID == "" })
	if rest < 0 || !strings.HasPrefix(r.Findings[rest].Message, fmt.Sprintf("%d more sessions", total-shown)) {
		t.Error("no finding stands for the sessions beyond those with one of their own")
	}
}
