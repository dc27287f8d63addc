package report

import (
	"io"
	"slices"

	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

// noSeverity stands where a check has its severity.
const noSeverity scan.Severity = "none"

// notDamageTitle heads what looks like damage and is none.
const notDamageTitle = "looks like damage, and is none"

func notDamage(n scan.NotDamage) NotDamage {
	out := NotDamage{ID: n.ID, Sessions: n.Rows, Message: shownText(n.Message), Evidence: make([]Evidence, len(n.Evidence)), Issues: []string{}}
	out.Store, out.StoreB64 = text(n.Store)
	out.Verdict, _ = optionalText(n.Class.String())
	out.SessionKey, out.SessionKeyB64 = optionalText(n.SessionKey)
	for i, e := range n.Evidence {
		out.Evidence[i] = observation(e)
	}
	all := scan.AllLooksLike()
	if i := slices.IndexFunc(all, func(l scan.LooksLike) bool { return l.ID == n.ID }); i >= 0 {
		out.Issues = all[i].Issues
	}
	return out
}

// notDamageLines says each in one sentence, with the word that explain takes.
func (r *Report) notDamageLines() []string {
	var out []string
	for _, n := range r.result.NotDamage {
		line := n.ID + ": " + n.Message
		if r.stores() > 1 {
			line = n.Store + ": " + line
		}
		out = append(out, line)
	}
	return out
}

// RenderLooksLike explains one state that looks like damage and is none.
func RenderLooksLike(w io.Writer, l scan.LooksLike, f Format, o Options) error {
	return RenderCheck(w, scan.Check{ID: l.ID, Severity: noSeverity, Title: l.Title, Issues: l.Issues, Doc: l.Doc}, f, o)
}
