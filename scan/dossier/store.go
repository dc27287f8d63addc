package dossier

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
)

func moment(t float64) string {
	if math.IsNaN(t) || t <= 0 {
		return "-"
	}
	return scan.Moment(facts.Time(t))
}

// structure is what the pages and SQLite say of one file.
func (w *writer) structure(s *evidence.Store) {
	w.section("structure", s.Name)
	if s.Fault != nil {
		w.item("the file", "", s.Fault.Reason)
		return
	}
	one := func(row []string) string { return strings.Join(row, " ") }
	w.answer(s, "integrity_check", "PRAGMA integrity_check", one)
	w.answer(s, "quick_check", "PRAGMA quick_check", one)
	w.answer(s, "foreign_key_check", "PRAGMA foreign_key_check", one)
	w.answer(s, "root pages", "SELECT rootpage, type, name FROM sqlite_schema WHERE rootpage > 0 ORDER BY rootpage", one)
	st, err := s.Structure(w.ctx, evidence.StructureOptions{})
	if err != nil {
		w.item("damaged pages, each with the object that it belongs to", "", err.Error())
	} else {
		var faults, sizes []string
		for _, f := range st.Faults {
			of := "the file as a whole"
			if f.Object >= 0 {
				o := &st.Objects[f.Object]
				of = o.Type + " " + evidence.Quote(o.Name)
			}
			line := fmt.Sprintf("page %d, of %s: %s", f.Page, of, f.Reason)
			if f.Looks != "" {
				line += "; its bytes look like " + f.Looks
			}
			faults = append(faults, line)
		}
		how := ""
		if len(faults) > 0 {
			how = fmt.Sprintf("xxd -s $(( (PAGE - 1) * %d )) -l 64 state.db   # look at it first: a torn page may hold text of a talk", s.PageSize)
		}
		w.item("damaged pages, each with the object that it belongs to", how, faults...)
		for i := range st.Objects {
			o := &st.Objects[i]
			sizes = append(sizes, fmt.Sprintf("%s %s: %s, %s", o.Type, evidence.Quote(o.Name), scan.Count(o.Pages*int64(s.PageSize), "byte"), scan.Count(o.Rows, "row")))
		}
		if !st.Whole {
			sizes = append(sizes, "not every page was read: these are lower bounds")
		}
		w.item("bytes of each object", "", sizes...)
	}
	w.search(s)
}

// search is what can be told of the full text index without writing: its own check is an INSERT.
func (w *writer) search(s *evidence.Store) {
	w.answer(s, "triggers and what they belong to", "SELECT name, tbl_name FROM sqlite_schema WHERE type = 'trigger' ORDER BY name", func(row []string) string {
		return evidence.Quote(row[0]) + " on " + evidence.Quote(row[1])
	})
	var index []string
	for _, name := range []string{"messages_fts", "messages_fts_trigram", "messages_fts_cjk"} {
		if s.DB.Table(name+"_docsize") == nil {
			continue
		}
		rows, err := w.ask(s, "SELECT (SELECT count(*) FROM messages), (SELECT count(*) FROM "+name+"_docsize)")
		if err != nil || len(rows) == 0 {
			index = append(index, name+" cannot be counted")
			continue
		}
		line := fmt.Sprintf("%s: %s rows of messages, %s in the index", name, rows[0][0], rows[0][1])
		switch _, err := w.ask(s, "SELECT count(*) FROM "+name+" WHERE "+name+" MATCH 'hermes'"); {
		case err == nil:
			line += "; a MATCH is answered"
		case s.DB.FTS5():
			line += "; a MATCH fails: " + err.Error()
		}
		index = append(index, line)
	}
	if v, ok := w.meta(s, "fts_stale"); ok {
		index = append(index, "state_meta fts_stale: "+evidence.Quote(v))
	}
	w.item("the search index against the messages, and a MATCH", "", index...)
	if len(index) > 0 {
		w.left("the index's own check, ranks 0 and 1", ByHand, `mkdir copy && cp state.db* copy/ && sqlite3 copy/state.db "INSERT INTO messages_fts(messages_fts) VALUES('integrity-check'); INSERT INTO messages_fts(messages_fts, rank) VALUES('integrity-check', 1)"`)
	}
}

// columnsAsked are the columns of a suspect row. Titles, names of people and prompts are not among them.
func columnsAsked() []string {
	return []string{"source", "session_key", "chat_id", "chat_type", "thread_id", "user_id", "parent_session_id", "started_at", "ended_at", "end_reason",
		"last_activity_at", "message_count", "profile_name", "handoff_state"}
}

// rows is what one database says of its sessions.
func (w *writer) rows(s *evidence.Store) {
	t := s.DB.Table("sessions")
	if t == nil {
		return
	}
	w.section("rows", s.Name)
	suspects := w.suspects(s.Name)
	var out []string
	for _, id := range suspects {
		if line, err := w.suspect(s, t, id); err != nil {
			out = append(out, evidence.Quote(id)+": "+err.Error())
		} else if line != "" {
			out = append(out, line)
		}
	}
	w.item("rows that findings are about, with their columns, real counts and markers", "", out...)
	w.item("each row without a key against the row before it: parent, end and start", "", w.orphans(s.Name)...)
	has := func(list ...string) bool {
		return !slices.ContainsFunc(list, func(c string) bool { return !t.Has(c) })
	}
	if has("end_reason") {
		w.answer(s, "rows by source and end_reason", "SELECT source, end_reason, count(*) FROM sessions GROUP BY 1, 2 ORDER BY 1, 2", func(row []string) string {
			return fmt.Sprintf("%s, %s: %s", evidence.Quote(row[0]), cmp.Or(row[1], "NULL"), row[2])
		})
	}
	var blank []string
	for _, c := range []string{"session_key", "chat_id", "chat_type", "thread_id", "user_id", "profile_name"} {
		if !t.Has(c) {
			blank = append(blank, c+": no such column")
			continue
		}
		if n, err := w.ask(s, "SELECT count(*) FROM sessions WHERE coalesce("+c+", '') = ''"); err == nil && len(n) > 0 {
			blank = append(blank, c+": blank in "+n[0][0])
		}
	}
	w.item("blank identity columns, of all rows", "", blank...)
	if has("ended_at") {
		act := "started_at"
		if has("last_activity_at") {
			act = "coalesce(last_activity_at, started_at)"
		}
		w.answer(s, "open rows by age at "+moment(w.result.Now), fmt.Sprintf(
			"SELECT source, sum(%[2]s - a < 86400), sum(%[2]s - a >= 86400 AND %[2]s - a < 604800), sum(%[2]s - a >= 604800 AND %[2]s - a < 2592000), sum(%[2]s - a >= 2592000) FROM (SELECT source, %[1]s AS a FROM sessions WHERE ended_at IS NULL) GROUP BY 1 ORDER BY 1",
			act, evidence.FormatFloat(w.result.Now)), func(row []string) string {
			return fmt.Sprintf("%s: under a day %s, under a week %s, under 30 days %s, older %s", evidence.Quote(row[0]), row[1], row[2], row[3], row[4])
		})
	}
	w.lineage(s.Name)
	w.routes(s)
}

// suspects are the rows that findings name, each once, in their order.
func (w *writer) suspects(store string) (ids []string) {
	for i := range w.result.Findings {
		f := &w.result.Findings[i]
		if f.Subject.Store != "" && f.Subject.Store != store {
			continue
		}
		list := []string{f.Subject.SessionID}
		if f.Adoption != nil {
			list = append(list, f.Adoption.Predecessor)
		}
		for _, id := range list {
			if id != "" && !slices.Contains(ids, id) && len(ids) < linesAsked {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

func (w *writer) suspect(s *evidence.Store, t *evidence.Table, id string) (string, error) {
	var columns []string
	for _, c := range columnsAsked() {
		if t.Has(c) {
			columns = append(columns, c)
		}
	}
	query := "SELECT " + strings.Join(columns, ", ")
	if t.Has("model_config") {
		query += ", model_config"
	}
	rows, err := w.ask(s, query+" FROM sessions WHERE id = ?", id)
	if err != nil || len(rows) == 0 {
		return "", err
	}
	parts := []string{}
	for i, c := range columns {
		v := rows[0][i]
		if strings.HasSuffix(c, "_at") && v != "" {
			v += " (" + moment(numberOf(v)) + ")"
		} else if v != "" {
			v = evidence.Quote(v)
		}
		parts = append(parts, c+" "+cmp.Or(v, "NULL"))
	}
	if n, err := w.ask(s, "SELECT count(*), min(timestamp), max(timestamp) FROM messages WHERE session_id = ?", id); err == nil && len(n) > 0 {
		parts = append(parts, fmt.Sprintf("real count %s, %s to %s", n[0][0], moment(numberOf(n[0][1])), moment(numberOf(n[0][2]))))
	}
	if t.Has("model_config") {
		parts = append(parts, "markers "+markers(rows[0][len(columns)]))
	}
	return evidence.Quote(id) + ": " + strings.Join(parts, "; "), nil
}

func numberOf(s string) float64 {
	var f float64
	if json.Unmarshal([]byte(s), &f) != nil {
		return math.NaN()
	}
	return f
}

// markers names the members of a model_config that say what a row is; the others may be anything.
func markers(config string) string {
	var doc map[string]json.RawMessage
	if config == "" {
		return "none"
	}
	if json.Unmarshal([]byte(config), &doc) != nil {
		return "unreadable: it is not JSON"
	}
	var out []string
	for k := range doc {
		if strings.HasPrefix(k, "_") {
			out = append(out, k)
		}
	}
	if len(out) == 0 {
		return "none"
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// orphans sets each row without a key against its predecessor: what the first thread (#82616) was asked for.
func (w *writer) orphans(store string) (out []string) {
	for i := range w.result.Findings {
		f := &w.result.Findings[i]
		if f.Adoption == nil || f.Subject.Store != store {
			continue
		}
		a := f.Adoption
		line := evidence.Quote(f.Subject.SessionID) + ": " + string(a.Decision)
		if a.Predecessor != "" {
			line += ", before it " + evidence.Quote(a.Predecessor) + " (evidence: " + strings.Join(a.Evidence, ", ") + ")"
		}
		for _, r := range a.Refusals {
			line += "; " + r.Code + ": " + r.Text
		}
		for _, e := range f.Evidence {
			line += "; " + e.At.String() + ": " + e.Saw
		}
		out = append(out, line)
	}
	return out
}

// lineage lists what each chat resumes by each generation of the product, where a finding is about it.
func (w *writer) lineage(store string) {
	chats := map[string]bool{}
	for i := range w.result.Stories {
		if st := &w.result.Stories[i]; st.Store == store {
			chats[st.SessionKey] = true
		}
	}
	var out []string
	for _, l := range w.result.Resume {
		if l.Store == store && chats[l.SessionKey] && l.SessionKey != "" {
			out = append(out, fmt.Sprintf("%s by the rules of %s: %s (%s)", evidence.Quote(l.SessionKey), l.Resolver, cmp.Or(l.Now, "a new session"), l.Why))
		}
	}
	w.item("which row each chat in trouble resumes, and why", "", out...)
}

// routes are the entries that name a chat in trouble, and the side tables that name rows.
func (w *writer) routes(s *evidence.Store) {
	quoted := func(row []string) string {
		for i := range row {
			row[i] = evidence.Quote(row[i])
		}
		return strings.Join(row, " ")
	}
	if t := s.DB.Table("gateway_routing"); t.Has("entry_json") && t.Has("session_key") {
		w.answer(s, "routing entries: key, session_id, updated_at", "SELECT session_key, CASE WHEN json_valid(entry_json) THEN json_extract(entry_json, '$.session_id') END, CASE WHEN json_valid(entry_json) THEN json_extract(entry_json, '$.updated_at') END FROM gateway_routing ORDER BY 1", quoted)
	} else {
		w.left("routing entries in the database", NotGiven, "")
	}
	for _, x := range []struct{ asked, table, columns string }{
		{"topic bindings: chat, topic, key, session", "telegram_dm_topic_bindings", "chat_id, thread_id, session_key, session_id"},
		{"compression leases: session", "compression_locks", "session_id"},
	} {
		if s.DB.Table(x.table) != nil {
			w.answer(s, x.asked, "SELECT "+x.columns+" FROM "+x.table, quoted)
		} else {
			w.item(x.asked, "")
		}
	}
}
