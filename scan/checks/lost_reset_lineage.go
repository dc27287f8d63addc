package checks

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sort"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
	"github.com/seed-4d3eb737/hermes-doctor/scan/resume"
)

// together is how far, in seconds, the end of the old row and the start of the new one lie apart at a reset.
const together = 1.5

var lostResetLineage = &scan.Check{
	ID: "lost-reset-lineage", Class: "L1", Severity: scan.Notice,
	Title:  "a reset made a row that does not name the one before it",
	Issues: []string{"#12857"},
	Needs:  scan.NeedSessions | scan.NeedKeys,
	Doc: scan.Doc{
		What:   "The row has a key and no parent, and an earlier row of its chat was ended on purpose within about a second of its start. v0.18 never records the predecessor at a reset; v0.20.1 and v0.21 do, with the marker _reset_from since August 2026. Lists and recall show the history in two parts.",
		Not:    "Nothing is lost, and no restart depends on it: the resolver does not read parents of such rows.",
		Origin: "Every reset by a build before #82633.",
		Safe:   "Parent and _reset_from together, which is proposed where both cells are blank and done only when asked for.",
		Unsafe: "The parent without the marker: the product can take the row for a sub-agent's and hide it from its lists.",
		ByHand: "SELECT n.id, b.id, b.end_reason, b.ended_at, n.started_at FROM sessions n JOIN sessions b ON b.session_key = n.session_key AND b.source = n.source AND b.started_at < n.started_at AND abs(b.ended_at - n.started_at) <= 1.5 WHERE n.parent_session_id IS NULL AND b.end_reason IN ('session_reset','session_switch','idle','daily','suspended','resume_pending_expired')",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		v := p.Facts.View()
		for _, c := range p.Facts.Chats() {
			if err := ctx.Err(); err != nil {
				return err
			}
			rows := v.ChatRows(c)
			ends := boundaries(p.Facts, rows)
			for _, i := range rows {
				s := &p.Facts.Sessions[i]
				if s.ParentID != "" || s.NoID || !s.Started.Trusted() {
					continue
				}
				if b := endedAt(p.Facts, ends, i); b >= 0 {
					p.Report(lineageFinding(p, i, b))
				}
			}
		}
		return nil
	},
}

// boundaries lists the rows that were ended on purpose, by their end; of those that ended together the one that began
// first comes last.
func boundaries(f *facts.Facts, rows []int32) []int32 {
	var out []int32
	for _, i := range rows {
		if s := &f.Sessions[i]; resume.Boundary(s.EndReason) && s.Ended.Trusted() {
			out = append(out, i)
		}
	}
	slices.SortStableFunc(out, func(a, b int32) int {
		r, s := &f.Sessions[a], &f.Sessions[b]
		return cmp.Or(cmp.Compare(r.Ended, s.Ended), cmp.Compare(s.Start().OrZero(), r.Start().OrZero()))
	})
	return out
}

// endedAt gives the earlier row that ended last of those that ended within about a second of row i's start; -1 = none.
func endedAt(f *facts.Facts, ends []int32, i int32) int32 {
	at := f.Sessions[i].Started
	k := sort.Search(len(ends), func(k int) bool { return f.Sessions[ends[k]].Ended > at+together })
	for k--; k >= 0 && f.Sessions[ends[k]].Ended >= at-together; k-- {
		if b := ends[k]; b != i && f.Sessions[b].Start() < at {
			return b
		}
	}
	return -1
}

func lineageFinding(p *scan.Pass, i, b int32) scan.Finding {
	s, before := &p.Facts.Sessions[i], &p.Facts.Sessions[b]
	f := scan.Finding{
		Subject: p.About(i), Held: true,
		Message: fmt.Sprintf("row %s began when row %s was ended (%s), and names no parent", s.ID, before.ID, before.EndReason),
		Evidence: []evidence.Item{
			p.Cells(i, "no parent", "session_key", "parent_session_id", "model_config", "started_at"),
			p.Cells(b, "ended "+scan.Moment(before.Ended)+" ("+before.EndReason+")", "session_key", "started_at", "ended_at", "end_reason"),
		},
	}
	marker, err := json.Marshal(map[string]string{"_reset_from": before.ID})
	switch {
	case err != nil || s.Malformed && !s.Blank:
		f.Advice = "Nothing needs doing; the row's model_config is not JSON, so that no marker can be added."
	case s.Blank:
		f.Advice = "Nothing needs doing. Parent and marker can be filled in together, when they are asked for."
		f.Fills = []scan.Fill{
			{Table: "sessions", Key: s.ID, Column: "parent_session_id", Value: before.ID, Because: "the row that a reset ended when this one began"},
			{Table: "sessions", Key: s.ID, Column: "model_config", Value: string(marker), Because: "without this marker the product can hide a row that has a parent"},
		}
	default:
		f.Advice = "Nothing needs doing. " + byHand(fmt.Sprintf("UPDATE sessions SET parent_session_id = %s, model_config = json_set(model_config, '$._reset_from', %s) WHERE id = %s",
			evidence.Quote(before.ID), evidence.Quote(before.ID), evidence.Quote(s.ID)))
	}
	return f
}
