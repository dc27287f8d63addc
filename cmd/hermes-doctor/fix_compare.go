package main

import (
	"fmt"
	"math"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/fix"
	"github.com/seed-4d3eb737/hermes-doctor/report"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

// textLimit bounds, in bytes, how much of a message --show-text reads.
const textLimit = 2000

// compare puts the rows of held adoptions side by side, with their first and last messages.
func (r *repair) compare(held []fix.Held) (map[string]*report.Comparison, error) {
	if len(held) == 0 {
		return nil, nil
	}
	findings := map[string]*scan.Finding{}
	for i := range r.doc.Result.Findings {
		f := &r.doc.Result.Findings[i]
		findings[f.ID()] = f
	}
	rows := map[string]scan.SessionLine{}
	for _, s := range r.doc.Result.Sessions {
		rows[s.ID] = s
	}
	out := map[string]*report.Comparison{}
	for _, h := range held {
		f := findings[h.Finding]
		if f == nil || f.Adoption == nil {
			continue
		}
		c := &report.Comparison{Candidates: f.Adoption.Candidates}
		var err error
		if c.Predecessor, err = r.side(rows[f.Adoption.Predecessor]); err == nil {
			c.Orphan, err = r.side(rows[f.Subject.SessionID])
		}
		if err != nil {
			return nil, err
		}
		if c.Others, err = r.others(f.Adoption, rows); err != nil {
			return nil, err
		}
		start := c.Orphan.Row.Started
		if !(start >= 1 && start <= 4.2e9) {
			start = c.Orphan.Row.First
		}
		c.Gap = start - c.Predecessor.Row.Last
		out[h.Finding] = c
	}
	return out, nil
}

// othersLimit bounds how many other candidates are shown with their messages.
const othersLimit = 6

// others reads the rows of candidates that were set aside.
func (r *repair) others(a *scan.Adoption, rows map[string]scan.SessionLine) (out []report.Side, err error) {
	for _, c := range a.Candidates {
		row, ok := rows[c.SessionID]
		if !ok || c.SessionID == a.Predecessor || len(out) == othersLimit {
			continue
		}
		s, err := r.side(row)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

func (r *repair) side(row scan.SessionLine) (s report.Side, err error) {
	s.Row = row
	if s.First, err = r.message(row.ID, "ASC"); err == nil {
		s.Last, err = r.message(row.ID, "DESC")
	}
	return s, err
}

// message reads the first message of a row in an order of time; nil where it has none with a usable time.
func (r *repair) message(session, order string) (*report.Message, error) {
	db := r.bundle.Stores[0].DB
	t := db.Table("messages")
	for _, c := range []string{"id", "session_id", "timestamp", "role"} {
		if !t.Has(c) {
			return nil, nil
		}
	}
	content := "NULL"
	if r.cc.Bool("show-text") && t.Has("content") {
		content = fmt.Sprintf("substr(content, 1, %d)", textLimit)
	}
	var out *report.Message
	err := db.Query(r.cc.Context, "SELECT id, timestamp, role, "+content+" FROM messages WHERE session_id = ? AND timestamp BETWEEN 1 AND 4200000000 ORDER BY timestamp "+
		order+", id "+order+" LIMIT 1", []any{session}, func(row []evidence.Value) error {
		out = &report.Message{ID: row[0].String(), At: row[1].Number(), Role: row[2].String(), HasText: content != "NULL", Text: row[3].String()}
		if math.IsInf(out.At, 0) {
			out.At = math.NaN()
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read a message of %q: %w", session, err)
	}
	return out, nil
}
