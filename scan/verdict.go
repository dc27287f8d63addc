package scan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
)

// lostChecks are those whose findings mean that bytes or canonical rows are lost.
func lostChecks() []string { return []string{"messages-without-session", "unreadable-text"} }

// elsewhereChecks are those whose findings mean that messages are intact where a restart does not look.
func elsewhereChecks() []string {
	return []string{"orphan-session", "zombie-session", "false-fence", "live-past-boundary"}
}

// verdict is the worst word that holds: damaged, inconclusive, absent, sound-elsewhere, sound.
func (r *runner) verdict() Verdict {
	count := map[string]int{}
	for _, f := range r.out.Findings {
		count[f.Check]++
	}
	total := func(ids []string) (n int) {
		for _, id := range ids {
			n += count[id]
		}
		return n
	}
	count["orphan-session"] -= r.resumedOrphans()
	failed := slices.ContainsFunc(r.out.Checks, func(c CheckStatus) bool { return c.Status == Failed })
	lost, away := total(lostChecks()), total(elsewhereChecks())
	switch {
	case lost > 0:
		return Verdict{Damaged, "damaged: " + r.lostWords(count)}
	case failed || r.out.Partial || !r.out.Unchanged:
		return Verdict{Inconclusive, "inconclusive: " + r.openWords(failed)}
	case count["route-to-missing-session"] > 0:
		return Verdict{Absent, fmt.Sprintf("absent: %s named by routing entries, and no row has the id",
			Count(count["route-to-missing-session"], "session")+" "+be(count["route-to-missing-session"]))}
	case away > 0:
		return Verdict{SoundElsewhere, "sound elsewhere: " + r.awayWords()}
	}
	rest := ""
	if n := len(r.out.Findings); n > 0 {
		rest = ", with " + Count(n, "remark")
	}
	return Verdict{Sound, "sound here: each chat resumes its newest talk" + rest}
}

func be(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

func (r *runner) lostWords(count map[string]int) string {
	var words []string
	if n := count["messages-without-session"]; n > 0 {
		words = append(words, Count(n, "session row")+" "+be(n)+" gone, the messages are there")
	}
	if n := count["unreadable-text"]; n > 0 {
		words = append(words, Count(n, "row")+" with text that is not UTF-8")
	}
	return strings.Join(words, "; ")
}

func (r *runner) openWords(failed bool) string {
	var words []string
	if r.out.Partial {
		words = append(words, "a database could not be read")
	}
	if !r.out.Unchanged {
		words = append(words, "an input changed while it was read")
	}
	if failed {
		words = append(words, "a check could not finish")
	}
	return strings.Join(words, "; ")
}

// awayWords counts the messages of orphans and of the rows that a zombie or a fence hides.
func (r *runner) awayWords() string {
	var messages int64
	hidden := map[int32]bool{}
	n := 0
	for _, e := range r.stores {
		clear(hidden)
		for _, i := range e.adopted.Orphans {
			hidden[i] = true
		}
		for _, z := range e.zombies {
			if z.Resumed && z.Newer >= 0 {
				hidden[z.Newer] = true
			}
		}
		for i := range e.facts.Sessions {
			if e.classes[i] == Fenced {
				hidden[int32(i)] = true
			}
		}
		for i := range hidden {
			messages += e.facts.Sessions[i].Messages
			n++
		}
	}
	if n == 0 {
		return "an open row is not the newest of its chat"
	}
	return fmt.Sprintf("%s %s intact in %s that a restart does not pick", Count(messages, "message"), be(int(messages)), Count(n, "row"))
}

// resumedOrphans counts the orphans that a restart picks all the same, by a routing entry.
func (r *runner) resumedOrphans() (n int) {
	for _, e := range r.stores {
		for _, i := range e.adopted.Orphans {
			a := e.adopted.Adoption(i)
			if a.SessionKey != "" && e.answer(facts.Chat{Source: e.facts.Sessions[i].Source, Key: a.SessionKey}).Row == i {
				n++
			}
		}
	}
	return n
}
