package checks

import (
	"context"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/resume"
)

var markerPollution = &scan.Check{
	ID: "marker-pollution", Class: "O4", Severity: scan.Warning,
	Title:  "a chat's row carries a marker that calls it a delegate or a branch",
	Issues: []string{"#109073"},
	Needs:  scan.NeedSessions | scan.NeedKeys,
	Doc: scan.Doc{
		What:   "A keyed row's _delegate_from or _branched_from names a parent that a reset or compression ended, which it continues; or an unkeyed row's _delegate_from is __orphaned__ or not its parent, while a record names the row for a chat or the gateway's own session_meta message is in it. v0.18 and v0.20.1 go by the marker's presence and leave such a row out of lists and of their own repair; v0.21 compares its value with the parent.",
		Not:    "A marker inherited by the continuation of a real branch or delegate is not meant, nor is _reset_from. Without a record or a session_meta message an unkeyed row with such a marker counts as a delegate.",
		Origin: "The one-time migration to schema version 16, which tags parentless, untitled rows with a tool message, and builds that wrote the marker into a main session (#109073).",
		Safe:   "Removing the false marker, on an unkeyed row only together with a record that names its chat. It replaces a value, so that the finding prints the statement.",
		Unsafe: "Removing markers in bulk: the continuation of a real delegate looks just the same.",
		ByHand: "SELECT id, session_key, parent_session_id, model_config FROM sessions WHERE instr(model_config, '_delegate_from') OR instr(model_config, '_branched_from')",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		for i := range p.Facts.Sessions {
			if i%4096 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			if marker := falseMarker(p, int32(i)); marker != "" {
				p.Report(markedFinding(p, int32(i), marker))
			}
		}
		for _, i := range p.Adopted.Orphans {
			if p.Facts.Sessions[i].HasDelegate {
				p.Report(markedOrphan(p, i))
			}
		}
		return nil
	},
}

// falseMarker names the marker by which a keyed row calls itself the branch or the delegate of a row that it continues.
func falseMarker(p *scan.Pass, i int32) string {
	s := &p.Facts.Sessions[i]
	if !s.Keyed() || s.NoID || !s.Marked() || s.Parent < 0 || s.Parent == i {
		return ""
	}
	parent := &p.Facts.Sessions[s.Parent]
	if parent.EndReason != "compression" && !resume.Boundary(parent.EndReason) {
		return ""
	}
	switch {
	case s.HasDelegate && s.Delegate == parent.ID:
		return "_delegate_from"
	case s.HasBranched && s.Branched == parent.ID:
		return "_branched_from"
	}
	return ""
}

func markedFinding(p *scan.Pass, i int32, marker string) scan.Finding {
	s := &p.Facts.Sessions[i]
	parent := &p.Facts.Sessions[s.Parent]
	return scan.Finding{
		Subject: p.About(i),
		Message: fmt.Sprintf("row %s continues row %s (%s), but its %s names that row, which hides it from lists", s.ID, parent.ID, parent.EndReason, marker),
		Advice:  byHand(removeMarker(s.ID, marker)),
		Evidence: []evidence.Item{
			p.Cells(i, marker+" "+parent.ID, "session_key", "parent_session_id", "model_config"),
			p.Cells(s.Parent, "ended by "+parent.EndReason, "session_key", "ended_at", "end_reason"),
		},
	}
}

func markedOrphan(p *scan.Pass, i int32) scan.Finding {
	s := &p.Facts.Sessions[i]
	f := scan.Finding{
		Subject: p.About(i),
		Message: fmt.Sprintf("row %s is marked as the delegate of %s, which is not its parent, and it served a chat", s.ID, s.Delegate),
		Advice:  "Leave the marker: no record names the row's chat, and the continuation of a real delegate looks the same.",
		Evidence: []evidence.Item{
			p.Cells(i, "_delegate_from "+s.Delegate, "session_key", "parent_session_id", "model_config"),
		},
	}
	recorded := false
	for _, w := range append(p.Adopted.Witnesses[s.ID][:len(p.Adopted.Witnesses[s.ID]):len(p.Adopted.Witnesses[s.ID])], p.Adopted.Corroboration(i)...) {
		recorded = true
		f.Evidence = append(f.Evidence, evidence.Item{At: w.At, Saw: w.Saw, How: w.How})
	}
	if recorded {
		f.Advice = "Together with the chat's key: " + byHand(removeMarker(s.ID, "_delegate_from"))
		return f
	}
	f.Evidence = append(f.Evidence, evidence.Item{
		At: evidence.Ref{Store: p.Facts.Store, Table: "messages", Key: s.ID}, Saw: "a session_meta message, which only the gateway writes",
		How: "SELECT id, timestamp FROM messages WHERE role = 'session_meta' AND session_id = " + evidence.Quote(s.ID),
	})
	return f
}

func removeMarker(id, marker string) string {
	return fmt.Sprintf("UPDATE sessions SET model_config = json_remove(model_config, '$.%s') WHERE id = %s", marker, evidence.Quote(id))
}
