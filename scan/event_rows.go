package scan

import (
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan/adopt"
)

// teller turns the marks of one store into events.
type teller struct {
	*exam
	pass  *Pass
	kinds []EventKind
}

func newTeller(e *exam) *teller {
	return &teller{exam: e, pass: e.pass(&Check{}, 0, nil), kinds: eventRank()}
}

func (t *teller) tell(m *mark) Event {
	switch {
	case m.row < 0:
		return t.stray(m)
	case t.kinds[m.rank] == LogServed || t.kinds[m.rank] == LogLine:
		return t.line(m)
	}
	s := &t.facts.Sessions[m.row]
	e := Event{At: m.at, Kind: t.kinds[m.rank], Store: t.facts.Store, SessionID: s.ID, SessionKey: s.SessionKey, Platform: s.Source, chat: t.chatOf(m.row)}
	row := "row " + s.ID
	if s.NoID {
		row = fmt.Sprintf("the row without an id, rowid %d,", s.RowID)
	}
	var item evidence.Item
	switch e.Kind {
	case RowBegan:
		e.What = row + " begins" + t.beginning(m.row)
		item = t.pass.Cells(m.row, "", "started_at")
	case RowEnded:
		e.What = row + " is ended"
		if s.EndReason != "" {
			e.What += " (" + s.EndReason + ")"
		}
		item = t.pass.Cells(m.row, "", "ended_at", "end_reason")
	case FirstMessage:
		e.What = fmt.Sprintf("the first of %s in %s", Count(s.Messages, "message"), row)
		if s.Messages == 1 {
			e.What = "the only message in " + row
		}
		item = t.pass.Span(m.row)
	case LastMessage:
		e.What = fmt.Sprintf("the last of %s in %s", Count(s.Messages, "message"), row)
		item = t.pass.Span(m.row)
	case Silence:
		e.What = fmt.Sprintf("%s falls silent for %s", row, Age(m.span))
		item = evidence.Item{At: evidence.Ref{Store: t.facts.Store, Table: "messages", Key: s.ID, Column: "timestamp"},
			How: fmt.Sprintf("SELECT id, timestamp FROM messages WHERE session_id = %s AND timestamp BETWEEN %s AND %s ORDER BY timestamp",
				evidence.Quote(s.ID), evidence.FormatFloat(m.at), evidence.FormatFloat(m.at+m.span))}
	case EmptyRead:
		e.What = fmt.Sprintf("a turn in %s found no history (session_meta message %d of this row)", row, m.count)
		item = evidence.Item{At: evidence.Ref{Store: t.facts.Store, Table: "messages", Key: fmt.Sprint(m.n), Column: "role"},
			How: fmt.Sprintf("SELECT id, session_id, role, timestamp FROM messages WHERE id = %d", m.n)}
	}
	e.Source, e.How = item.At, item.Command()
	return e
}

// stray tells the first and the last of some messages that have no session row.
func (t *teller) stray(m *mark) Event {
	st := &t.facts.Strays[-1-m.row]
	which := "first"
	if t.kinds[m.rank] == LastMessage {
		which = "last"
	}
	item := t.pass.StraySpan(st)
	return Event{At: m.at, Kind: t.kinds[m.rank], Store: t.facts.Store, SessionID: st.SessionID, Source: item.At, How: item.Command(),
		What: fmt.Sprintf("the %s of %s that name the session %s, which has no row", which, Count(st.Messages, "message"), st.SessionID)}
}

// beginning says for whom a row begins.
func (t *teller) beginning(i int32) string {
	s := &t.facts.Sessions[i]
	words := ""
	switch {
	case s.Keyed():
		words = " for the chat " + s.SessionKey
	case t.orphans[i]:
		words = " without any routing identity"
	}
	if s.ParentID != "" {
		words += ", with the parent " + s.ParentID
	}
	return words
}

// chatOf is the key that an adoption would give to a row; "" = none.
func (e *exam) chatOf(i int32) string {
	if !e.orphans[i] {
		return ""
	}
	if a := e.adopted.Adoption(i); a != nil && a.Decision != adopt.Refuse {
		return a.SessionKey
	}
	return ""
}
