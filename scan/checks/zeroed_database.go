package checks

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
)

var zeroedDatabase = &scan.Check{
	ID: "zeroed-database", Class: "P3", Severity: scan.Error,
	Title:  "the database is overwritten with NUL bytes",
	Issues: []string{"#68474"},
	Needs:  scan.NeedFile,
	Doc: scan.Doc{
		What:   "The file begins with 100 NUL bytes or more. The finding says how far they go. It also speaks of a file that the product has moved aside as state.db.zeroed-*.bak, where every session of the database in its place is younger.",
		Not:    "Where all bytes are NUL, nothing can be read from this file. Where only the beginning is, the rest may hold rows: the finding says from where on.",
		Origin: "A disk that was full or lost power, or a writer that was killed while it moved the file. Newer builds move such a file aside and begin with an empty one.",
		Safe:   "Keeping the file, and restoring the copy that the finding names: the copies in the home are opened, verified and ranked by what they hold.",
		Unsafe: "Starting the product: it begins an empty database in this place.",
		ByHand: "xxd -l 100 state.db",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		if p.Store.Fault == nil && p.Store.Header == nil {
			return reportMovedAside(ctx, p)
		}
		in := p.Store.Fault
		if in == nil {
			in = p.Store.Header.Input
		}
		if in.Fault != evidence.FaultZeroed {
			return nil
		}
		zeros, size, err := p.Store.Zeros(ctx)
		if err != nil {
			return err
		}
		f := scan.Finding{Evidence: []evidence.Item{inFile(p, "", fmt.Sprintf("%s, of which the first %d are NUL", scan.Count(size, "byte"), zeros), "xxd -l 100")}}
		if zeros == size {
			f.Message = fmt.Sprintf("%s is nothing but NUL: all %s", p.Store.Name, scan.Count(size, "byte"))
		} else {
			f.Message = fmt.Sprintf("%s begins with %s; from offset %d on the file still holds data", p.Store.Name, scan.Count(zeros, "NUL byte"), zeros)
		}
		if p.Store.Header != nil && p.Store.Header.Mended {
			names, items := mendedFields(p)
			f.Message += fmt.Sprintf(", and it can be read with a header that fits it (%s)", names)
			f.Advice, f.Evidence = mendedAdvice, append(f.Evidence, items...)
			p.Report(f)
			return nil
		}
		advice, items, err := restoreFrom(ctx, p)
		if err != nil {
			return err
		}
		f.Advice, f.Evidence = advice, append(f.Evidence, items...)
		p.Report(f)
		return nil
	},
}

// stampSlack is how far the local time in a name may be from UTC, in seconds.
const stampSlack = 14 * 3600

// reportMovedAside tells of a zeroed file that was moved aside and whose rows nobody brought back.
func reportMovedAside(ctx context.Context, p *scan.Pass) error {
	if p.Store.Home == nil || p.Facts == nil {
		return nil
	}
	beside, err := p.Store.Home.Beside()
	if err != nil {
		return err
	}
	first := facts.Never()
	for i := range p.Facts.Sessions {
		if s := p.Facts.Sessions[i].Start(); !s.Blank() && (first.Blank() || s < first) {
			first = s
		}
	}
	for _, b := range beside {
		stamp, ok := zeroedStamp(b.Path)
		if b.Kind != evidence.ZeroedAside || !ok || !first.Blank() && float64(first) < stamp-stampSlack {
			continue
		}
		advice, items, err := restoreFrom(ctx, p)
		if err != nil {
			return err
		}
		f := scan.Finding{Subject: scan.Subject{Path: b.Path}, Advice: advice,
			Evidence: append([]evidence.Item{{At: evidence.Ref{Path: b.Path}, Saw: scan.Count(b.Bytes, "byte") + ", moved aside because they begin with NUL", How: "xxd -l 100 " + evidence.ShellQuote(b.Path)}}, items...)}
		f.Message = fmt.Sprintf("the database was overwritten with NUL bytes and moved aside as %s; %s was begun anew in its place, and every session in it is younger", b.Path, p.Store.Name)
		p.Report(f)
	}
	return nil
}

// zeroedStamp reads the time in a name like state.db.zeroed-YYYYmmdd-HHMMSS-PID.bak, as if it were UTC.
func zeroedStamp(path string) (float64, bool) {
	_, rest, ok := strings.Cut(path, ".zeroed-")
	if !ok || len(rest) < 15 {
		return 0, false
	}
	at, err := time.Parse("20060102-150405", rest[:15])
	return float64(at.Unix()), err == nil
}
