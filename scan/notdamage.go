package scan

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
	"github.com/seed-4d3eb737/hermes-doctor/scan/resume"
)

// LooksLike is a state that people take for damage and that is none, as a value: `explain` prints it, and a scan says where it
// holds. It is never a finding.
type LooksLike struct {
	ID     string // kebab-case and permanent
	Title  string
	Issues []string
	Doc    Doc // What it is, Not damage because, How it comes about, what is safe, what makes it worse, and how to see it by hand
}

// The states that look like damage.
const (
	liveByPolicy     = "live-by-policy"
	unkeyedByAge     = "unkeyed-by-age"
	counterAndRows   = "counter-not-rows"
	freshReset       = "fresh-reset"
	compressionChain = "compression-chain"
	diskZero         = "disk-zero"
	unansweredTurns  = "unanswered-turns"
	endedTogether    = "ended-together"
)

// AllLooksLike lists the states that look like damage and are none.
func AllLooksLike() []LooksLike {
	return []LooksLike{
		{liveByPolicy, "an old open row of a chat comes back at every restart", []string{"#80442", "#66255"}, Doc{
			What:   "The row is open, has its chat's key and holds the newest talk of that chat, so every generation of the product resumes it after a restart, however long it was quiet. In the census it is healthy.",
			Not:    "It is no zombie: nothing newer of this chat is in another row, in an orphan, in messages without a row or in a log. Deleting sessions.json changes nothing, because the row is found by its key.",
			Origin: "No reset policy is set, which is the default since July 2026, or the chat was used within the policy's time. A long conversation then stays one session for months.",
			Safe:   "/new in the chat, or a session_reset in config.yaml. This tool does not end the row.",
			Unsafe: "Ending the row by hand: the chat then loses its context at the next restart.",
			ByHand: "SELECT session_key, id, started_at, last_activity_at FROM sessions WHERE session_key <> '' AND ended_at IS NULL AND end_reason IS NULL",
		}},
		{unkeyedByAge, "rows of a messaging platform have no key", []string{"#54442"}, Doc{
			What:   "The rows are older than session keys: they began before schema version 17 was merged (28 June 2026) and before the first keyed row of the file. In the census they are before-keys.",
			Not:    "They are no orphans: no build of that time wrote a key, and the chats went on under keys later.",
			Origin: "The file was made by v0.17 or older and upgraded.",
			Safe:   "Leaving them. They are still listed and searched.",
			Unsafe: "Giving them a key by time alone: the chat would resume an old conversation.",
			ByHand: "SELECT source, count(*), max(started_at) FROM sessions WHERE coalesce(session_key, '') = '' GROUP BY source",
		}},
		{counterAndRows, "a row's counter, its messages and those that are active are three different numbers", []string{"#73848", "#86366"}, Doc{
			What:   "A row has more messages than are active, and message_count is equal to or above the active ones: the others were taken back by a rewind, or replaced by a compaction that kept the session's id.",
			Not:    "Nothing is lost: the inactive rows stay in the file. A counter below the active rows is a finding, count-below-rows.",
			Origin: "/undo, /retry or a rewind leave the counter or the rows as they are; compaction in place sets the counter to what stays active.",
			Safe:   "Leaving it.",
			Unsafe: "Deleting the inactive rows, or making them active again: the model would read everything twice.",
			ByHand: "SELECT session_id, count(*), sum(coalesce(active, 1) <> 0), sum(coalesce(compacted, 0) <> 0) FROM messages GROUP BY session_id",
		}},
		{freshReset, "a chat's newest row is open and empty", []string{"#82770"}, Doc{
			What:   "A reset ended the row before it, and the new one was made in the same moment; nobody has written since. In the census it is empty.",
			Not:    "It is no lost conversation: the row before it holds the talk, ended on purpose.",
			Origin: "/new, /reset or a reset policy.",
			Safe:   "Leaving it: the next message goes there. The older conversation comes back with /resume.",
			Unsafe: "Ending or deleting it while a routing entry names it.",
			ByHand: "SELECT s.id, s.session_key, s.started_at, p.id, p.ended_at, p.end_reason FROM sessions s JOIN sessions p ON p.session_key = s.session_key AND abs(p.ended_at - s.started_at) <= 60 WHERE s.ended_at IS NULL AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.session_id = s.id)",
		}},
		{compressionChain, "one chat has many rows, of which only the last is open", []string{"#44045"}, Doc{
			What:   "The rows are links of one conversation: compression ended each and began the next under the same key. In the census all but the last are compressed.",
			Not:    "They are no duplicates and no zombies: a compressed row is not resumed where its continuation has the key.",
			Origin: "The conversation outgrew the model's window, more than once.",
			Safe:   "Leaving the ended links as they are: lists and recall follow them.",
			Unsafe: "Changing the end reason of a link: the chain breaks there.",
			ByHand: "SELECT c.session_key, p.id, c.id FROM sessions c JOIN sessions p ON p.id = c.parent_session_id WHERE p.end_reason = 'compression' AND c.session_key = p.session_key",
		}},
		{diskZero, "the log says that the transcript lagged, disk=0, and suspects the search index", []string{"#82616", "#50502"}, Doc{
			What:   "The gateway held a conversation in memory, asked the database for it and got nothing or less. What the line calls a session is the routing key. The line adds \"possible FTS write corruption\", which is a guess.",
			Not:    "It is no proof that the search index is damaged: the transcript is read from the table messages by the session's id, and no index of words is part of that. In the incident of August 2026 the messages were whole, under another id than the one that the reader asked.",
			Origin: "The writer followed the session to another id (a row made late, a compression) while the reader asked the old one.",
			Safe:   "Looking at the findings about that chat: an orphan, a compressed row with its continuation, or messages elsewhere explain the line.",
			Unsafe: "Rebuilding or deleting the search index, or the database, because of this line.",
			ByHand: "grep -h 'Persisted transcript lagged' logs/*.log*",
		}},
		{unansweredTurns, "messages of the user stand together, with no answer between them", []string{"#43066"}, Doc{
			What:   "In what a chat resumes, two or more of the last messages are the user's, one after the other. All builds join such runs when they load them.",
			Not:    "It is no damage to the file: it does not say that an answer was lost, and no restart depends on it. Soon behind a compression it may mean lost answers, and is a finding, answers-missing.",
			Origin: "Someone wrote twice before the answer came, stopped the turn, or the turn ended by an error or a crash before it was answered.",
			Safe:   "Leaving it. Asking again in the chat.",
			Unsafe: "Deleting the messages that have no answer, or writing answers in.",
			ByHand: "SELECT session_id, id, timestamp FROM (SELECT session_id, id, timestamp, role, lag(role) OVER (PARTITION BY session_id ORDER BY timestamp, id) AS former FROM messages WHERE role IN ('user', 'assistant')) WHERE role = 'user' AND former = 'user'",
		}},
		{endedTogether, "several chats were ended in the same minute, and a restart acts as if all had been reset", []string{"#71916", "#54442", "#10163", "#8381", "#8385"}, Doc{
			What:   "The newest rows of three or more chats were ended within a minute of one another, by session_reset or agent_close: the signature of a shutdown, or of a reset policy that met them together. In the census they are ended.",
			Not:    "Nothing is lost: each row is whole, and /resume finds it. Whether the end was meant is not recorded.",
			Origin: "A gateway of early 2026 ended its sessions when it was stopped and dropped them from its routing file; or a policy reset all chats at one hour.",
			Safe:   "/resume in each chat, with the ids that the evidence lists.",
			Unsafe: "Taking the end out of the rows by hand while the gateway runs.",
			ByHand: "SELECT end_reason, CAST(ended_at / 60 AS INTEGER) AS minute, count(*), group_concat(id) FROM sessions WHERE session_key <> '' AND end_reason IN ('session_reset', 'agent_close') GROUP BY minute HAVING count(*) > 2",
		}},
	}
}

// NotDamage says of one store that a state which looks like damage holds there, and why it is none.
type NotDamage struct {
	ID, Store  string // ID is that of a LooksLike
	Class      Class  // of its rows in the census; the zero value where they are in several, or none is meant
	SessionKey string // where it is about one chat
	Rows       int
	Message    string
	Evidence   []evidence.Item
}

// notDamage looks for every such state in a store.
func (e *exam) notDamage(ctx context.Context, now float64) ([]NotDamage, error) {
	var out []NotDamage
	rows := map[string][]int32{}
	resumed := map[int32]bool{}
	for _, c := range e.now[e.gen].Chats() {
		if w := e.now[e.gen].Resolve(c).Row; w >= 0 {
			resumed[w] = true
		}
	}
	for i := range e.facts.Sessions {
		if id := e.looksLike(int32(i), resumed, now); id != "" {
			rows[id] = append(rows[id], int32(i))
		}
	}
	counted, err := e.aboveActive(ctx)
	if err != nil {
		return nil, err
	}
	rows[counterAndRows] = counted
	if rows[unansweredTurns], err = e.unanswered(ctx, resumed); err != nil {
		return nil, err
	}
	rows[endedTogether] = e.endedTogether()
	for _, l := range AllLooksLike() {
		if list := rows[l.ID]; len(list) > 0 {
			out = append(out, e.harmless(l.ID, list, now))
		}
	}
	return append(out, e.laggedChats()...), nil
}

// daySeconds is how old a row must be to have come back at a restart that people wonder about.
const daySeconds = 86400

// resetWindow is how far the end of a row and the start of the next may lie apart, in seconds, for one reset to have made both.
const resetWindow = 60

// looksLike sorts one row; "" = it looks like nothing. What a finding speaks of is not harmless.
func (e *exam) looksLike(i int32, resumed map[int32]bool, now float64) string {
	s := &e.facts.Sessions[i]
	switch e.classes[i] {
	case BeforeKeys:
		if s.Messages > 0 {
			return unkeyedByAge
		}
	case Healthy:
		undecided := slices.ContainsFunc(e.undecided, func(z ZombieRow) bool { return z.Row == i })
		if s.Keyed() && s.Live() && resumed[i] && !undecided && float64(s.Start()) < now-daySeconds {
			return liveByPolicy
		}
	case Empty:
		if FreshReset(e.facts, i) {
			return freshReset
		}
	case Compressed:
		for _, k := range e.facts.Children(i) {
			if c := &e.facts.Sessions[k]; s.Keyed() && c.Chat() == s.Chat() && !c.Marked() && c.Messages > 0 {
				return compressionChain
			}
		}
	}
	return ""
}

// FreshReset says that a row is what a reset has just made: open, keyed, without messages, the newest of its chat, and begun when a
// boundary ended the row before it.
func FreshReset(f *facts.Facts, i int32) bool {
	s := &f.Sessions[i]
	if !s.Keyed() || !s.Live() || s.HasMessages() || s.Start().Blank() {
		return false
	}
	made := false
	rows := f.View().ChatRows(s.Chat())
	if len(rows) > chatRows {
		return false
	}
	for _, k := range rows {
		o := &f.Sessions[k]
		if k == i {
			continue
		}
		if o.Start().Blank() || o.Start() >= s.Start() || o.Last > s.Start() {
			return false
		}
		apart := float64(o.Ended - s.Start())
		made = made || resume.Boundary(o.EndReason) && apart >= -resetWindow && apart <= resetWindow
	}
	return made
}

// looked bounds the rows whose active messages are counted for what is only said for comfort.
const looked = 1000

// aboveActive lists rows that have inactive messages and whose counter is not below the active ones: among those that were
// rewound, and those whose counter is below their rows.
func (e *exam) aboveActive(ctx context.Context) ([]int32, error) {
	t := e.store.DB.Table("messages")
	if t == nil || !t.Has("active") || !t.Has("session_id") {
		return nil, nil
	}
	at := map[string]int32{}
	var ids []string
	add := func(i int32) {
		s := &e.facts.Sessions[i]
		if _, twice := at[s.ID]; !twice && !s.NoID && s.Counted > 0 && len(ids) < looked {
			at[s.ID] = i
			ids = append(ids, s.ID)
		}
	}
	for i := range e.facts.Sessions {
		if s := &e.facts.Sessions[i]; s.Counted < s.Messages {
			add(int32(i))
		}
	}
	if e.store.DB.Table("sessions").Has("rewind_count") {
		err := e.store.DB.Query(ctx, "SELECT id FROM sessions WHERE rewind_count > 0", nil, func(v []evidence.Value) error {
			if i, ok := e.facts.Index(v[0].String()); ok {
				add(i)
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("list the rows that were rewound: %w", err)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	text, err := json.Marshal(ids)
	if err != nil {
		return nil, fmt.Errorf("spell the ids: %w", err)
	}
	var out []int32
	err = e.store.DB.Query(ctx, "SELECT r.value, (SELECT count(*) FROM messages m WHERE m.session_id = r.value AND coalesce(m.active, 1) <> 0) FROM json_each(?) r", []any{string(text)},
		func(v []evidence.Value) error {
			if i, ok := at[v[0].String()]; ok && e.facts.Sessions[i].Counted >= v[1].Int && e.facts.Sessions[i].Messages > v[1].Int {
				out = append(out, i)
			}
			return nil
		})
	if err != nil {
		return nil, fmt.Errorf("count active messages: %w", err)
	}
	slices.Sort(out)
	return out, nil
}

// endedTogether lists the newest rows of the chats that were ended within the same minute, the largest such group of three or
// more, in order of their ends.
func (e *exam) endedTogether() []int32 {
	var ended []int32
	for _, c := range e.facts.Chats() {
		newest := int32(-1)
		for _, i := range e.facts.View().ChatRows(c) {
			if s := &e.facts.Sessions[i]; newest < 0 || s.Act() > e.facts.Sessions[newest].Act() {
				newest = i
			}
		}
		if newest < 0 || e.classes[newest] != Ended {
			continue
		}
		if s := &e.facts.Sessions[newest]; s.Messages > 0 && s.Ended.Trusted() && (s.EndReason == "session_reset" || s.EndReason == "agent_close") {
			ended = append(ended, newest)
		}
	}
	slices.SortFunc(ended, func(a, b int32) int {
		return cmp.Or(cmp.Compare(e.facts.Sessions[a].Ended, e.facts.Sessions[b].Ended), cmp.Compare(a, b))
	})
	var best []int32
	from := 0
	for k := range ended {
		for e.facts.Sessions[ended[k]].Ended-e.facts.Sessions[ended[from]].Ended > resetWindow {
			from++
		}
		if n := k + 1 - from; n >= together && n > len(best) {
			best = ended[from : k+1]
		}
	}
	return best
}

// together is how many chats must have been ended in one minute for it to be one event.
const together = 3

// tail is how many of a row's last messages are looked at for turns without an answer.
const tail = 8

// unanswered lists rows that chats resume and among whose last messages two of the user follow one another.
func (e *exam) unanswered(ctx context.Context, resumed map[int32]bool) ([]int32, error) {
	t := e.store.DB.Table("messages")
	if t == nil || !t.Has("session_id") || !t.Has("role") || !t.Has("timestamp") || !t.Has("id") {
		return nil, nil
	}
	var newest []int32
	for i := range resumed {
		if s := &e.facts.Sessions[i]; s.Messages > 1 && !s.NoID {
			newest = append(newest, i)
		}
	}
	slices.SortFunc(newest, func(a, b int32) int {
		return cmp.Or(cmp.Compare(e.facts.Sessions[b].Act(), e.facts.Sessions[a].Act()), cmp.Compare(a, b))
	})
	newest = newest[:min(len(newest), looked)]
	ids := make([]string, len(newest))
	for k, i := range newest {
		ids[k] = e.facts.Sessions[i].ID
	}
	text, err := json.Marshal(ids)
	if err != nil {
		return nil, fmt.Errorf("spell the ids: %w", err)
	}
	active := ""
	if t.Has("active") {
		active = " AND coalesce(active, 1) <> 0"
	}
	var out []int32
	q := fmt.Sprintf("SELECT r.key, (SELECT group_concat(substr(role, 1, 1), '') FROM (SELECT role FROM messages WHERE session_id = r.value AND role IN ('user', 'assistant')%s ORDER BY timestamp DESC, id DESC LIMIT %d)) FROM json_each(?) r", active, tail)
	err = e.store.DB.Query(ctx, q, []any{string(text)}, func(v []evidence.Value) error {
		if strings.Contains(v[1].String(), "uu") {
			out = append(out, newest[v[0].Int])
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the roles of the last messages of rows: %w", err)
	}
	slices.Sort(out)
	return out, nil
}

// harmlessShown bounds the rows that are shown as evidence; of those that were ended together people want the ids.
const (
	harmlessShown = 3
	togetherShown = 20
)

// harmless says why rows that look like damage are none.
func (e *exam) harmless(id string, rows []int32, now float64) NotDamage {
	n := NotDamage{ID: id, Store: e.facts.Store, Rows: len(rows)}
	oldest := rows[0]
	for _, i := range rows {
		if e.facts.Sessions[i].Start() < e.facts.Sessions[oldest].Start() {
			oldest = i
		}
	}
	count := Count(len(rows), "row")
	switch id {
	case liveByPolicy:
		n.Class = Healthy
		n.Message = fmt.Sprintf("a row that began %s ago is open and comes back at every restart: it holds the newest talk of its chat, and no policy resets it", Age(now-float64(e.facts.Sessions[oldest].Start())))
		if len(rows) > 1 {
			n.Message = fmt.Sprintf("%s that began more than a day ago are open and come back at every restart: each holds the newest talk of its chat, and no policy resets it", count)
		}
	case unkeyedByAge:
		n.Class = BeforeKeys
		n.Message = fmt.Sprintf("%s of messaging platforms %s no key, because they are older than keys", count, hasOrHave(len(rows)))
	case counterAndRows:
		n.Message = fmt.Sprintf("%s %s more messages than are active: the others were taken back by a rewind, or replaced by a compaction in place, and the counter does not follow", count, hasOrHave(len(rows)))
	case freshReset:
		n.Class = Empty
		n.Message = fmt.Sprintf("%s %s open and empty, because a reset has just made %s", count, be(len(rows)), them(len(rows)))
	case unansweredTurns:
		n.Message = fmt.Sprintf("in %s that a chat resumes, messages of the user stand together near the end, with no answer between: every build joins them when it loads the row", count)
	case endedTogether:
		n.Class = Ended
		n.Message = fmt.Sprintf("the newest rows of %s were ended within a minute of one another, the first of them at %s, as a shutdown or a reset policy does: they are whole, and /resume finds them", Count(len(rows), "chat"), Moment(e.facts.Sessions[rows[0]].Ended))
	case compressionChain:
		n.Class = Compressed
		n.Message = fmt.Sprintf("%s %s an ended link of a conversation that goes on under the same key", count, be(len(rows)))
	}
	shown := harmlessShown
	if id == endedTogether {
		shown = togetherShown
	}
	for _, i := range rows[:min(len(rows), shown)] {
		s := &e.facts.Sessions[i]
		n.Evidence = append(n.Evidence, evidence.Item{At: e.facts.Locate(i, ""), Saw: fmt.Sprintf("%s, begun %s", Count(s.Messages, "message"), Moment(s.Start())),
			How: "SELECT * FROM sessions WHERE id = " + evidence.Quote(s.ID)})
	}
	return n
}

func hasOrHave(n int) string {
	if n == 1 {
		return "has"
	}
	return "have"
}

func them(n int) string {
	if n == 1 {
		return "it"
	}
	return "them"
}

// laggedChats acquits the search index of each chat that a log's disk=0 lines name, and says where the messages are.
func (e *exam) laggedChats() []NotDamage {
	var out []NotDamage
	for k := range e.facts.Heard.Behind {
		b := &e.facts.Heard.Behind[k]
		if b.None == 0 {
			continue
		}
		n := NotDamage{ID: diskZero, Store: e.facts.Store, SessionKey: b.Key, Evidence: []evidence.Item{{At: b.At, How: b.How, Saw: "the newest of these lines"}}}
		when := "at " + evidence.Wall(b.Last)
		if b.First != b.Last {
			when = evidence.Wall(b.First) + " to " + evidence.Wall(b.Last)
		}
		n.Message = fmt.Sprintf("%s of the logs, %s by their clock, %s that the file gave nothing for the chat %s (disk=0) and %s the search index, which is no part of that reading; %s",
			Count(b.None, "line"), when, say(b.None), b.Key, suspect(b.None), e.whereWords(b.Key))
		out = append(out, n)
	}
	return out
}

func say(n int) string {
	if n == 1 {
		return "says"
	}
	return "say"
}

func suspect(n int) string {
	if n == 1 {
		return "suspects"
	}
	return "suspect"
}

// whereWords says where the messages of a chat are.
func (e *exam) whereWords(key string) string {
	for _, i := range e.adopted.Orphans {
		if a := e.adopted.Adoption(i); a.SessionKey == key {
			return fmt.Sprintf("the messages lie in row %s, which has no routing identity (orphan-session)", e.facts.Sessions[i].ID)
		}
	}
	_, platform, _, _ := facts.KeyParts(key)
	var rows int
	var messages int64
	for _, i := range e.facts.View().ChatRows(facts.Chat{Source: platform, Key: key}) {
		rows++
		messages += e.facts.Sessions[i].Messages
	}
	if messages == 0 {
		return "no message of this chat is in the file: look for its session in the other findings"
	}
	return fmt.Sprintf("%s of the chat %s in %s of this file", Count(messages, "message"), be(int(messages)), Count(rows, "row"))
}
