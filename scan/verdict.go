package scan

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
)

// lostChecks are those whose findings mean that bytes or canonical rows are lost.
func lostChecks() []string { return []string{"messages-without-session", "unreadable-text"} }

// elsewhereChecks are those whose findings mean that messages are intact where a restart does not look.
func elsewhereChecks() []string {
	return []string{"orphan-session", "zombie-session", "false-fence", "live-past-boundary", "messages-elsewhere", "session-only-in-json"}
}

// strandingChecks are those whose findings may mean the same: they do where the row is the newest talk of its chat and a
// restart does not pick it.
func strandingChecks() []string {
	return []string{"compression-without-child", "live-chat-closed-by-cleanup", "half-ended-session", "placeholder-source", "closed-by-another-surface"}
}

// verdict is the worst word that holds: damaged, inconclusive, absent, sound-elsewhere, sound.
func (r *runner) verdict() Verdict {
	count, emptied := map[string]int{}, 0
	for _, f := range r.out.Findings {
		if f.Check == "empty-database" && f.Severity == Warning {
			emptied++ // a copy holds what the file lacks
		}
		if !fileCheck(f.Check) || f.Severity == Error {
			count[f.Check]++
		}
		if searchPages(&f) {
			count[f.Check+" pages"]++
		}
	}
	total := func(ids []string) (n int) {
		for _, id := range ids {
			n += count[id]
		}
		return n
	}
	count["orphan-session"] -= r.resumedOrphans()
	failed := slices.ContainsFunc(r.out.Checks, func(c CheckStatus) bool { return c.Status == Failed })
	stranded, absent := r.stranded(), r.absentWords()
	lost, away := total(lostChecks())+total(lostFileChecks())+count["search-index-damaged pages"]+total(lostObjectChecks()), total(elsewhereChecks())
	hidden := total(hiddenStoreChecks()) + count["foreign-wal"]
	for _, rows := range stranded {
		away += len(rows)
	}
	for _, e := range r.stores {
		away += len(e.collided())
	}
	// Those of them that are in no copy, in no JSON file and in no other database are absent, which is worse.
	away += count["logged-session-missing"] + count["route-to-missing-session"]
	switch {
	case lost > 0:
		return Verdict{Damaged, "damaged: " + r.lostWords(count)}
	case failed || r.out.Partial || !r.out.Unchanged:
		return Verdict{Inconclusive, "inconclusive: " + r.openWords(failed)}
	case absent != "":
		return Verdict{Absent, absent}
	case count["ref-dangling"] > 0:
		return Verdict{Absent, danglingWords(count["ref-dangling"])}
	case away+hidden+emptied > 0:
		var words []string
		if emptied > 0 {
			words = append(words, Count(emptied, "database")+" "+be(emptied)+" without a row, and a copy beside it holds messages")
		}
		if away > 0 {
			words = append(words, r.awayWords(stranded))
		}
		return Verdict{SoundElsewhere, "sound elsewhere: " + strings.Join(slices.Concat(words, hiddenByWAL(count), hiddenCheckpoints(count)), "; ")}
	}
	rest := ""
	if n := len(r.out.Findings); n > 0 {
		rest = ", with " + Count(n, "remark")
	}
	return Verdict{Sound, "sound here: " + r.soundWords() + r.nestedWords() + rest + r.unwalkedWords()}
}

// absent lists the sessions that routing entries, logs and the names of JSON files name and that no given file has: no row of a
// database or of an older copy, and no JSON file with its messages.
func (r *runner) absent() (routed, logged, torn map[string]bool) {
	routed, logged, torn = map[string]bool{}, map[string]bool{}, map[string]bool{}
	defer func() {
		for k := range r.out.Findings {
			if f := &r.out.Findings[k]; f.Intact {
				for _, id := range f.sessions() {
					delete(routed, id)
					delete(logged, id)
					delete(torn, id)
				}
			}
		}
	}()
	for k := range r.out.Findings {
		switch f := &r.out.Findings[k]; {
		case f.Check == "route-to-missing-session":
			if id := f.Subject.SessionID; !r.held(f.Subject.Store, id) && !r.anywhere(id) {
				routed[id] = true
			}
		case f.Check == "logged-session-missing":
			for _, id := range f.sessions() {
				if !r.held(f.Subject.Store, id) {
					logged[id] = true
				}
			}
		case f.Check == "session-only-in-json" && !f.Intact:
			for _, id := range f.sessions() {
				if !r.held(f.Subject.Store, id) {
					torn[id] = true
				}
			}
		}
	}
	for _, e := range r.stores {
		for _, z := range e.zombies {
			if z.Line != nil && z.Newer < 0 && e.facts.Heard.Held[z.Line.Session] == "" {
				logged[z.Line.Session] = true
			}
		}
	}
	return routed, logged, torn
}

// sessions lists the sessions that a finding is about or stands for.
func (f *Finding) sessions() []string {
	if f.Subject.SessionID != "" {
		return []string{f.Subject.SessionID}
	}
	return f.Others
}

// held says that an older copy of a store has a session.
func (r *runner) held(store, id string) bool {
	for _, e := range r.stores {
		if e.facts.Store == store && e.facts.Heard.Held[id] != "" {
			return true
		}
	}
	return false
}

// anywhere says that a row of any database has a session.
func (r *runner) anywhere(id string) bool {
	return slices.ContainsFunc(r.stores, func(e *exam) bool {
		_, ok := e.facts.Index(id)
		return ok
	})
}

// absentWords is the sentence about them; "" for none.
func (r *runner) absentWords() string {
	routed, logged, torn := r.absent()
	by := "routing entries"
	switch {
	case len(routed)+len(logged) == 0:
		by = "JSON files that are torn"
	case len(routed) == 0:
		by = "logs"
	case len(logged) > 0:
		by = "routing entries or logs"
	}
	maps.Copy(logged, routed)
	maps.Copy(logged, torn)
	if len(logged) == 0 {
		return ""
	}
	return fmt.Sprintf("absent: %s %s named by %s, and no row has the id", Count(len(logged), "session"), be(len(logged)), by)
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
	return strings.Join(slices.Concat(lostFiles(count), words, lostObjects(count)), "; ")
}

func (r *runner) openWords(failed bool) string {
	var words []string
	if r.out.Partial {
		words = append(words, "an input could not be read to its end")
	}
	if !r.out.Unchanged {
		words = append(words, "an input changed while it was read")
	}
	if failed {
		words = append(words, "a check could not finish")
	}
	return strings.Join(words, "; ")
}

// awayWords counts the messages of orphans, of the rows that a zombie or a fence hides, and of stranded ones.
func (r *runner) awayWords(stranded map[*exam]map[int32]bool) string {
	heldOnly := slices.ContainsFunc(r.out.Findings, func(f Finding) bool {
		return (f.Check == "logged-session-missing" || f.Check == "route-to-missing-session" || f.Check == "session-only-in-json" && !f.Intact) && slices.ContainsFunc(f.sessions(), func(id string) bool { return r.held(f.Subject.Store, id) })
	})
	other := slices.ContainsFunc(r.out.Findings, func(f Finding) bool {
		return f.Check == "route-to-missing-session" && r.anywhere(f.Subject.SessionID)
	})
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
		maps.Copy(hidden, stranded[e])
		for _, i := range e.collided() {
			hidden[i] = true
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
	files := 0
	for k := range r.out.Findings {
		if f := &r.out.Findings[k]; f.Check == "session-only-in-json" && f.Intact {
			files += len(f.sessions())
		}
	}
	switch {
	case n == 0 && files > 0:
		return fmt.Sprintf("%s %s in JSON files and in no row", Count(files, "session"), be(files))
	case n == 0 && other:
		return "sessions that routing entries name have their rows in another database"
	case n == 0 && heldOnly:
		return "sessions that routing entries, logs or torn files name have their rows in an older copy alone"
	case n == 0:
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

// stranded lists the rows of findings that hold the newest talk of a chat which a restart does not resume there.
func (r *runner) stranded() map[*exam]map[int32]bool {
	out := map[*exam]map[int32]bool{}
	checks := strandingChecks()
	for k := range r.out.Findings {
		f := &r.out.Findings[k]
		if !slices.Contains(checks, f.Check) {
			continue
		}
		for _, e := range r.stores {
			if i, ok := e.facts.Index(f.Subject.SessionID); ok && e.facts.Store == f.Subject.Store && e.leftBehind(i) {
				if out[e] == nil {
					out[e] = map[int32]bool{}
				}
				out[e][i] = true
			}
		}
	}
	return out
}

// leftBehind says that a keyed row with messages is newer than what its chat resumes. A placeholder for a source hides
// the row from the chat that its key names.
func (e *exam) leftBehind(i int32) bool {
	s := &e.facts.Sessions[i]
	if !s.Keyed() || s.Messages == 0 {
		return false
	}
	c := s.Chat()
	if _, platform, _, ok := facts.KeyParts(s.SessionKey); ok && s.Source == "unknown" {
		c.Source = platform
	}
	a := e.answer(c)
	if a.Row >= 0 {
		return a.Row != i && s.Act() > e.facts.Sessions[a.Row].Act()
	}
	for _, j := range e.facts.View().ChatRows(c) {
		if t := &e.facts.Sessions[j]; j != i && t.Messages > 0 && t.Act() > s.Act() {
			return false
		}
	}
	return true
}
