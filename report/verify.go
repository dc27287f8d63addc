package report

import (
	"fmt"
	"io"
	"slices"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/fix"
)

// Verification is the document of the command verify: each statement of a receipt, looked at again.
type Verification struct {
	Tool     Tool
	Path     string // of the receipt or record
	Verified *fix.Verified
	// Record is the custody record that Verified.Checks are about; nil for the receipt of a change.
	Record *evidence.Record
}

// VerifiedReceipt is what verify writes as JSON.
type VerifiedReceipt struct {
	Receipt    string         `json:"receipt"`
	ReceiptB64 string         `json:"receipt_b64,omitempty"`
	Of         string         `json:"of"` // "fix", "undo" or "custody"
	Made       string         `json:"made"`
	Good       bool           `json:"good"`
	Checks     []ReceiptCheck `json:"checks"`
}

// ReceiptCheck is one statement, looked at again.
type ReceiptCheck struct {
	Name    string `json:"name"` // backup, journal, result (its bytes) or rows (what it shows); of a record: seal, input or output
	Path    string `json:"path"`
	PathB64 string `json:"path_b64,omitempty"`
	OK      bool   `json:"ok"`
	Text    string `json:"text"`
}

// RenderVerification writes v in the format f.
func RenderVerification(w io.Writer, v *Verification, f Format, o Options) error {
	switch f {
	case Table:
		d := v.document()
		return d.table(w, o)
	case Markdown:
		d := v.document()
		return d.markdown(w, o)
	case JSON:
		m, j := v.model(), newJSONWriter(w)
		j.member("schema", schemaNumber)
		j.member("tool", v.Tool)
		j.member("verify", m)
		return j.finish()
	case JSONLines:
		return eachLine(w, slices.Values(v.model().Checks))
	}
	return fmt.Errorf("render verification: unknown format %q (known: %s)", string(f), known())
}

func (v *Verification) model() VerifiedReceipt {
	of, made := v.of()
	out := VerifiedReceipt{Of: shownText(of), Made: shownText(made), Good: v.Verified.Good(),
		Checks: slices.AppendSeq(make([]ReceiptCheck, 0, len(v.Verified.Checks)), each(v.Verified.Checks, receiptCheck))}
	out.Receipt, out.ReceiptB64 = text(v.Path)
	return out
}

func receiptCheck(c fix.Verification) ReceiptCheck {
	out := ReceiptCheck{Name: c.Name, OK: c.OK, Text: shownText(c.Text)}
	out.Path, out.PathB64 = text(c.Path)
	return out
}

// of says what was done, and when.
func (v *Verification) of() (what, made string) {
	if v.Record != nil {
		return evidence.RecordKind, v.Record.Ended
	}
	return v.Verified.Receipt.Of, v.Verified.Receipt.Made
}

func (v *Verification) document() document {
	what := "the receipt of this "
	of, _ := v.of()
	if what += of; v.Record != nil {
		what = "the custody record of " + v.Record.Examiner + " of " + v.Record.Ended
	}
	d := document{word: "holds", color: green, rest: "all that " + what + " says is still so"}
	if !v.Verified.Good() {
		d = document{word: "does not hold", color: red, rest: "not all that " + what + " says is still so"}
	}
	g := &grid{columns: []column{left("what"), left("holds"), left("file"), left("seen")}}
	for _, c := range v.Verified.Checks {
		holds := "yes"
		if !c.OK {
			holds = "no"
		}
		g.add(c.Name, holds, c.Path, c.Text)
	}
	d.parts = []part{{title: "looked at again", grid: g}}
	return d
}
