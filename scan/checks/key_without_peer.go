package checks

import (
	"context"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
)

var keyWithoutPeer = &scan.Check{
	ID: "key-without-peer", Class: "K4", Severity: scan.Warning,
	Title:  "a row has its chat's key but does not say where the chat is",
	Issues: []string{"#59527", "#71322"},
	Needs:  scan.NeedSessions | scan.NeedKeys,
	Doc: scan.Doc{
		What:   "A messaging row has a session key, and its chat_id is blank. v0.21 answers /resume of such a row with \"belongs to a different user or chat\", because its proof of ownership fails on any NULL; v0.18 and v0.20.1 cannot fall back on the chat's ids when the key finds nothing.",
		Not:    "It does not say that the key is wrong: a restart still finds the row by it.",
		Origin: "Compression children before #59527, rows keyed by the upgrade to schema version 18 or by hand from logs, and rows whose create ran before the gateway knew the chat (261 rows in one install).",
		Safe:   "Filling chat_id, chat_type and thread_id from the row's own origin_json, else from the origin of the key's routing entry, else from the key where it can be read in one way only; user_id from an origin alone. That is proposed where no chat resumes another row for it.",
		Unsafe: "Cutting a key apart by eye: ids may hold colons, and a third part may be a topic or a user (#84686).",
		ByHand: "SELECT id, source, session_key, chat_id, chat_type, thread_id, user_id FROM sessions WHERE session_key <> '' AND coalesce(chat_id, '') = ''",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		rows := placeless(p)
		if len(rows) == 0 {
			return nil
		}
		details, err := p.Facts.Details(ctx, p.Store.DB, rows, facts.WantIdentity)
		if err != nil {
			return err
		}
		entries, heirs := originEntries(p), adoptedFrom(p)
		var list []*placing
		for _, i := range rows {
			l := placeFor(p, i, details[i], entries)
			l.fill(p, heirs[i])
			list = append(list, l)
		}
		if err := prove(ctx, p, list); err != nil {
			return err
		}
		for _, l := range list {
			p.Report(l.finding(p))
		}
		return nil
	},
}

// placeless lists the keyed messaging rows without a chat_id. A row that the usage writer made first has the source
// unknown and may be a chat's all the same.
func placeless(p *scan.Pass) []int32 {
	var out []int32
	for i := range p.Facts.Sessions {
		s := &p.Facts.Sessions[i]
		if s.Keyed() && s.ChatID == "" && !s.NoID && (p.Facts.Gateway(s.Source) || s.Source == "unknown") &&
			p.Classes[i] != scan.Tool && p.Classes[i] != scan.Delegate {
			out = append(out, int32(i))
		}
	}
	return out
}

// originEntries gives the routing entries with an origin that the file's generation loads, by key.
func originEntries(p *scan.Pass) map[string]*facts.Route {
	out := map[string]*facts.Route{}
	for _, r := range loadedRoutes(p) {
		if r.Origin != nil && r.Origin.ChatID != "" {
			out[r.Key] = r
		}
	}
	return out
}

// adoptedFrom lists, for each keyed row, the orphans that take its identity by the default plan.
func adoptedFrom(p *scan.Pass) map[int32][]int32 {
	out := map[int32][]int32{}
	for _, i := range p.Adopted.Orphans {
		if p.Adopted.Adoption(i).Decision != scan.Adopt {
			continue
		}
		root := p.Adopted.Predecessor(i)
		for range p.Adopted.Orphans {
			if root < 0 || p.Facts.Sessions[root].Keyed() {
				break
			}
			root = p.Adopted.Predecessor(root)
		}
		if root >= 0 {
			out[root] = append(out[root], i)
		}
	}
	return out
}

func (l *placing) finding(p *scan.Pass) scan.Finding {
	s := &p.Facts.Sessions[l.row]
	f := scan.Finding{
		Subject: p.About(l.row), Fills: l.fills, Held: l.held != "",
		Message:  fmt.Sprintf("row %s has the key %s, but its chat_id is blank", s.ID, s.SessionKey),
		Evidence: []evidence.Item{p.Cells(l.row, "chat_id is blank", "session_key", "source", "chat_id", "chat_type", "thread_id", "user_id")},
	}
	if l.seen != nil {
		f.Evidence = append(f.Evidence, *l.seen)
	}
	switch {
	case len(l.fills) == 0:
		f.Advice = "Leave it as it is: " + l.why + "."
	case l.held != "":
		f.Advice = "Its place is known from " + l.from + ", but " + l.held + "."
	default:
		f.Advice = "Its blank cells can be filled from " + l.from + "; nothing is overwritten."
	}
	return f
}
