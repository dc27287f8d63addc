package checks

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

var malformedHeader = &scan.Check{
	ID: "malformed-header", Severity: scan.Error,
	Title:  "the first bytes of the database are overwritten",
	Issues: []string{"#106667", "#102808", "#29507", "#102198"},
	Needs:  scan.NeedFile,
	Doc: scan.Doc{
		What:   "SQLite refuses the file because of its first 100 bytes, and the pages behind them are those of a database. The page size is told by those pages. Where a header that fits them makes the list of tables readable on a private copy, everything else in the report was read from that copy, and the finding lists the fields that were put right.",
		Not:    "It does not say that all pages are sound, nor who wrote the bytes. Where no header helps, the whole first page is gone, and with it the list of tables.",
		Origin: "A program that wrote to a file descriptor which had become the database's (a TLS record is the known case), a writer that was killed, a disk.",
		Safe:   "Keeping the file with its sidecars. On a copy, the fields can be put right as listed; then check that copy whole before anything uses it.",
		Unsafe: "Opening it with the product, which takes such a file for damaged and may put another in its place; writing a header into the only copy.",
		ByHand: "xxd -l 100 state.db",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		in, d := p.Store.Fault, p.Store.Header
		if d != nil {
			in = d.Input
		}
		if in == nil || in.Fault != evidence.FaultHeader {
			return nil
		}
		f := scan.Finding{Evidence: []evidence.Item{inFile(p, "", in.Reason, "xxd -l 100")}}
		looks := ""
		if d != nil && d.Looks != "" {
			looks = "; in its place is " + d.Looks
		}
		if d == nil || !d.Mended {
			f.Message = fmt.Sprintf("%s %s%s; no header helps", p.Store.Name, in.Reason, looks)
			advice, items, err := restoreFrom(ctx, p)
			if err != nil {
				return err
			}
			f.Advice, f.Evidence = advice, append(f.Evidence, items...)
			p.Report(f)
			return nil
		}
		names, items := mendedFields(p)
		f.Message = fmt.Sprintf("the header of %s is damaged (%s)%s; the pages behind it can be read, and were", p.Store.Name, names, looks)
		f.Advice, f.Evidence = mendedAdvice, append(f.Evidence, items...)
		p.Report(f)
		return nil
	},
}

// mendedAdvice is what to do with a file whose rows can be read with another header.
const mendedAdvice = "Keep the file and its sidecars. Let nothing of Hermes open it. On a copy, write the listed bytes, and check that copy with PRAGMA integrity_check before it is used."

// mendedFields names the fields of a header that were put right on a private copy, and shows them.
func mendedFields(p *scan.Pass) (string, []evidence.Item) {
	var names []string
	var items []evidence.Item
	for _, h := range p.Store.Header.Fields {
		names = append(names, h.Name)
		items = append(items, evidence.Item{At: evidence.Ref{Path: p.Store.Name, Key: fmt.Sprintf("offset %d", h.Offset)},
			Saw: fmt.Sprintf("%s: %s; %s fits the pages behind it", h.Name, h.Saw, h.Want),
			How: fmt.Sprintf("xxd -s %d -l %d %s", h.Offset, len(h.Saw)/2, evidence.ShellQuote(p.Store.Name))})
	}
	return strings.Join(names, ", "), items
}
