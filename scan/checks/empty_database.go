package checks

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

var emptyDatabase = &scan.Check{
	ID: "empty-database", Class: "P3", Severity: scan.Error,
	Title:  "the database has no byte, or no table",
	Issues: []string{"#97568"},
	Needs:  scan.NeedFile,
	Doc: scan.Doc{
		What:   "The file has no byte, or is a database without a single table. SQLite opens both without a complaint, and the product takes them for a new install. It is also said, as a warning, of a database that has its tables and not one row, where a copy beside it holds conversations: a start of the product on an empty file leaves that.",
		Not:    "It does not say when the rows were lost, nor that there ever were any: an install that was never used may have such a file. Where there are tables, somebody may have deleted every conversation on purpose.",
		Origin: "A copy or a move that was cut off, a full disk, a tool that made the file by opening it.",
		Safe:   "Keeping the file, and restoring the copy that the finding names: the copies in the home are opened, verified and ranked by what they hold.",
		Unsafe: "Starting the product: it makes a new database here, and nobody notices that the old one is gone.",
		ByHand: "ls -l state.db; sqlite3 'file:state.db?immutable=1' 'SELECT count(*) FROM sqlite_schema'",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		if p.Store.Fault == nil {
			return reportEmptied(ctx, p)
		}
		if p.Store.Fault.Fault != evidence.FaultEmpty {
			return nil
		}
		advice, items, err := restoreFrom(ctx, p)
		if err != nil {
			return err
		}
		p.Report(scan.Finding{
			Message:  p.Store.Name + " " + p.Store.Fault.Reason + "; SQLite and the product take it for a new install",
			Advice:   advice,
			Evidence: append([]evidence.Item{inFile(p, "", p.Store.Fault.Reason, "ls -l")}, items...),
		})
		return nil
	},
}

// reportEmptied tells of a database without a row beside a copy with some.
func reportEmptied(ctx context.Context, p *scan.Pass) error {
	if p.Store.Home == nil || p.Facts == nil || len(p.Facts.Sessions) > 0 || p.Facts.MessageRows > 0 {
		return nil
	}
	copies, read, err := p.Store.Home.Candidates(ctx)
	if err != nil {
		return fmt.Errorf("verify the copies: %w", err)
	}
	held := slices.IndexFunc(copies, func(c evidence.Candidate) bool { return c.Messages > 0 })
	if held < 0 {
		return nil
	}
	advice, items := restoreOf(p, copies, read)
	const q = "SELECT (SELECT count(*) FROM sessions), (SELECT count(*) FROM messages)"
	p.Report(scan.Finding{
		Severity: scan.Warning,
		Message:  fmt.Sprintf("%s has its tables and no row, and the copy %s holds %s", p.Store.Name, copies[held].Path, scan.Count(copies[held].Messages, "message")),
		Advice:   advice,
		Evidence: append([]evidence.Item{{At: evidence.Ref{Store: p.Facts.Store, Table: "sessions"}, Saw: "no row, and none in messages", How: q}}, items...),
	})
	return nil
}
