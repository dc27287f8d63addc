package checks

import (
	"context"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

var walResetBug = &scan.Check{
	ID: "wal-reset-bug", Severity: scan.Notice,
	Title:  "a damaged file was last written by an SQLite that can damage files in WAL mode",
	Issues: []string{"#69784", "#76054"},
	Needs:  scan.NeedFile,
	Doc: scan.Doc{
		What:   "Pages of the file are damaged, the file is in WAL mode, and the SQLite that wrote last by the header is one of those with the WAL-reset bug (3.7.0 to 3.51.2, without 3.44.6 and 3.50.7).",
		Not:    "It is a risk and no verdict: nothing shows that this bug did the damage. An undamaged file is not told, since nearly every file has such a writer, and the header names only the last of several.",
		Origin: "A checkpoint that restarts the -wal while another process begins to write, in a library with the bug.",
		Safe:   "Going on with a build whose SQLite has the fix, or with database.journal_mode delete, after a salvage.",
		Unsafe: "Putting the salvaged file back under the same library.",
		ByHand: "xxd -s 96 -l 4 state.db",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		if p.Store.JournalMode != "wal" || !resetsWrongly(p.Store.Writer) {
			return nil
		}
		s, err := p.Structure(ctx)
		if err != nil || s == nil || len(s.Faults) == 0 {
			return err
		}
		v := p.Store.Writer
		version := fmt.Sprintf("%d.%d.%d", v/1000000, v/1000%1000, v%1000)
		p.Report(scan.Finding{
			Subject: scan.Subject{Path: p.Store.Name},
			Message: fmt.Sprintf("SQLite %s wrote this file last, which has a bug that can damage a file in WAL mode; whether it did is not known", version),
			Advice:  "Before a salvaged file is used, update to a build whose SQLite is 3.51.3 or newer (or 3.50.7, 3.44.6).",
			Evidence: []evidence.Item{
				inFile(p, "", "written last by SQLite "+version, "xxd -s 96 -l 4"),
				inFile(p, "", "the header says WAL mode", "xxd -s 18 -l 2"),
				pageItem(p, &s.Faults[0]),
			},
		})
		return nil
	},
}

// resetsWrongly says whether an SQLite has the WAL-reset bug; spec/state-db.md 1.1.
func resetsWrongly(v int) bool {
	switch {
	case v < 3007000, v >= 3051003:
		return false
	case v >= 3044006 && v < 3045000, v >= 3050007 && v < 3051000: // the fix, brought back to these
		return false
	}
	return true
}
