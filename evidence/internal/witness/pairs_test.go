package witness_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-4d3eb737/hermes-doctor/evidence/internal/witness"
)

func inbound(second int, chat, user, msg string) string {
	return fmt.Sprintf("2026-08-06 16:18:%02d,000 INFO gateway.run: inbound message: platform=telegram user=%s chat=%s msg=%s", second, user, chat, msg)
}

func turn(second int, session, msg string) string {
	return fmt.Sprintf("2026-08-06 16:18:%02d,000 INFO a: conversation turn: session=%s model=m provider=p platform=telegram history=0 msg=%s", second, session, msg)
}

func ready(second int, chat string) string {
	return fmt.Sprintf("2026-08-06 16:18:%02d,000 INFO gateway.run: response ready: platform=telegram chat=%s time=1s", second, chat)
}

func TestPairs(t *testing.T) {
	t.Parallel()
	x := strings.Repeat("x", 80)
	tests := []struct {
		name  string
		lines []string
		want  []string // session, chat, pairs, answered, lines of the first pair
	}{
		{"one", []string{inbound(1, "1", "Sam", "'hi'"), turn(2, "s1", "'hi'"), ready(9, "1")}, []string{"s1 1 1 true 1 2"}},
		{"the same line in two logs", []string{inbound(1, "1", "Sam", "'hi'"), inbound(1, "1", "Sam", "'hi'"), turn(2, "s1", "'hi'"), turn(3, "s2", "'hi'")}, []string{"s1 1 1 false 1 3"}},
		{"twice", []string{inbound(1, "1", "Sam", "'hi'"), turn(2, "s1", "'hi'"), inbound(5, "1", "Sam", "'ho'"), turn(6, "s1", "'ho'")}, []string{"s1 1 2 false 1 2"}},
		{"too late", []string{inbound(1, "1", "Sam", "'hi'"), turn(32, "s1", "'hi'")}, nil},
		{"just in time", []string{inbound(1, "1", "Sam", "'hi'"), turn(31, "s1", "'hi'")}, []string{"s1 1 1 false 1 2"}},
		{"before it came", []string{turn(1, "s1", "'hi'"), inbound(1, "1", "Sam", "'hi'")}, nil},
		{"another text", []string{inbound(1, "1", "Sam", "'hi'"), turn(2, "s1", "'hi!'")}, nil},
		{"no text", []string{inbound(1, "1", "Sam", "''"), turn(2, "s1", "''")}, nil},
		{"two chats, one text", []string{inbound(1, "1", "Sam", "'hi'"), inbound(1, "2", "Kim", "'hi'"), turn(2, "s1", "'hi'")}, nil},
		{"two chats, two texts", []string{inbound(1, "1", "Sam", "'hi'"), inbound(1, "2", "Kim", "'ho'"), turn(2, "s1", "'hi'"), turn(2, "s2", "'ho'")}, []string{"s1 1 1 false 1 3", "s2 2 1 false 2 4"}},
		{"quotes", []string{inbound(1, "1", "Sam", `"it's"`), turn(2, "s1", `'it\'s'`)}, []string{"s1 1 1 false 1 2"}},
		{"escapes", []string{inbound(1, "1", "Sam", `'a\x07\u2028\U0001f600\\'`), turn(2, "s1", `'a\x07\u2028\U0001f600\\'`)}, []string{"s1 1 1 false 1 2"}},
		{"cut at the preview", []string{inbound(1, "1", "Sam", "'"+x+"'"), turn(2, "s1", "'"+x+"...'")}, []string{"s1 1 1 false 1 2"}},
		{"dots of its own", []string{inbound(1, "1", "Sam", "'well...'"), turn(2, "s1", "'well...'")}, []string{"s1 1 1 false 1 2"}},
		{"with the sender", []string{inbound(1, "1", "Sam", "'hi'"), turn(2, "s1", "'[Sam] hi'")}, []string{"s1 1 1 false 1 2"}},
		{"with another sender", []string{inbound(1, "1", "Sam", "'hi'"), turn(2, "s1", "'[Kim] hi'")}, nil},
		{"with the sender, another text", []string{inbound(1, "1", "Sam", "'hi there'"), turn(2, "s1", "'[Sam] hi'")}, nil},
		{"with the sender, cut", []string{inbound(1, "1", "Sam", "'"+x+"'"), turn(2, "s1", "'[Sam] "+x[:74]+"...'")}, []string{"s1 1 1 false 1 2"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := witness.NewPairs()
			for n, line := range test.lines {
				e, ok := witness.Parse([]byte(line))
				if !ok {
					t.Fatalf("not read: %s", line)
				}
				e.Line = n + 1
				p.Add(e)
			}
			var got []string
			for _, s := range p.Served {
				got = append(got, fmt.Sprintf("%s %s %d %v %d %d", s.Session, s.Chat, s.Count, s.Answered, s.Inbound.Line, s.Turn.Line))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestPairsAreBounded(t *testing.T) {
	t.Parallel()
	p := witness.NewPairs()
	for i := range 3000 {
		e, ok := witness.Parse([]byte(inbound(1, fmt.Sprint(i), "Sam", "'hi'")))
		if !ok {
			t.Fatal("not read")
		}
		p.Add(e)
	}
	if !p.Limited {
		t.Error("3000 messages at once are within the bound")
	}
}
