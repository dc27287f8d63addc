package scan

import (
	"fmt"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
)

// Cells is the evidence of some cells of a session row: what was seen there, and the SELECT that shows them again.
// Columns that the file does not have are left out of the statement.
func (p *Pass) Cells(i int32, saw string, columns ...string) evidence.Item {
	item := evidence.Item{At: p.Facts.Locate(i, ""), Saw: saw, Select: p.columns(columns)}
	if len(columns) == 1 {
		item.At.Column = columns[0]
	}
	if s := &p.Facts.Sessions[i]; s.NoID {
		item.How = fmt.Sprintf("SELECT %s FROM sessions WHERE %s = %d", item.Select, p.Store.DB.Table("sessions").RowID(), s.RowID)
	}
	return item
}

// columns spells the id and those of the columns that the file has, each list once.
func (p *Pass) columns(columns []string) string {
	asked := strings.Join(columns, ", ")
	if list, ok := p.lists[asked]; ok {
		return list
	}
	t, list := p.Store.DB.Table("sessions"), "id"
	for _, c := range columns {
		if t.Has(c) {
			list += ", " + c
		}
	}
	p.lists[asked] = list
	return list
}

// Span is the evidence of how many messages a row has, from when to when.
func (p *Pass) Span(i int32) evidence.Item {
	s := &p.Facts.Sessions[i]
	return p.span(s.ID, s.Messages, s.First, s.Last)
}

// StraySpan is the same for messages whose session row is gone.
func (p *Pass) StraySpan(st *facts.Stray) evidence.Item {
	return p.span(st.SessionID, st.Messages, st.First, st.Last)
}

func (p *Pass) span(id string, n int64, first, last facts.Time) evidence.Item {
	saw := Count(n, "message")
	if !first.Blank() {
		saw += ", " + Moment(first) + " to " + Moment(last)
	}
	return evidence.Item{
		At:  evidence.Ref{Store: p.Facts.Store, Table: "messages", Key: id},
		Saw: saw, Select: "count(*), min(timestamp), max(timestamp)",
	}
}

// About names a session row as a finding's subject.
func (p *Pass) About(i int32) Subject {
	s := &p.Facts.Sessions[i]
	sub := Subject{SessionID: s.ID, SessionKey: s.SessionKey, Source: s.Source, Table: "sessions"}
	if s.NoID {
		sub.RowID = s.RowID
	}
	return sub
}
