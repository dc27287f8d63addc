package checks

import (
	"context"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

var malformedModelConfig = &scan.Check{
	ID: "malformed-model-config", Class: "J1", Severity: scan.Error,
	Title:  "a row's model_config is not JSON",
	Issues: []string{"#101679", "#101726"},
	Needs:  scan.NeedSessions,
	Doc: scan.Doc{
		What:   "The cell holds text that is neither NULL nor JSON; the empty string counts, since SQLite's JSON functions refuse it. Before v0.21 one such row makes session lists, the lookup of a compressed parent's continuation and the product's own repair fail.",
		Not:    "It does not say what the settings were. NaN and Infinity are no damage: the product's encoder writes them.",
		Origin: "A torn write, an import, or a client that stores free text.",
		Safe:   "On a copy, set the cell to NULL and keep the text. That overwrites a value, so the finding prints the statement.",
		Unsafe: "Guessing the markers: a lost _delegate_from or _branched_from would make the row look like a chat's.",
		ByHand: "SELECT id, model_config FROM sessions WHERE model_config IS NOT NULL AND NOT json_valid(model_config)",
	},
	Run: func(_ context.Context, p *scan.Pass) error {
		for i := range p.Facts.Sessions {
			s := &p.Facts.Sessions[i]
			if !s.Malformed {
				continue
			}
			saw := "text that is not JSON"
			if s.EmptyText {
				saw = "the empty string"
			}
			p.Report(scan.Finding{
				Subject: p.About(int32(i)),
				Message: fmt.Sprintf("the model_config of row %s is %s", s.ID, saw),
				Advice: fmt.Sprintf("By hand, on a copy, after keeping the text: UPDATE sessions SET model_config = NULL WHERE id = %s; this tool does not run it, because it overwrites a value.",
					evidence.Quote(s.ID)),
				Evidence: []evidence.Item{p.Cells(int32(i), saw, "model_config")},
			})
		}
		return nil
	},
}
