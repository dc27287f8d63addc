package checks

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

var sessionOnlyInJSON = &scan.Check{
	ID: "session-only-in-json", Severity: scan.Warning,
	Title:  "a session lies in a JSON file, and no row has its id",
	Issues: []string{"#33906", "#2914", "#12563", "#20098"},
	Needs:  scan.NeedSessions | scan.NeedHome,
	Doc: scan.Doc{
		What:   "The sessions folder of the home holds a JSON file with messages of a session, and no database of the home has a row of that id. The conversation is intact in the file; no build reads it from there, so that neither a restart nor a list shows it.",
		Not:    "It does not say why the row is gone: someone may have deleted the session and left the file. Builds of today write such files only where sessions.write_json_snapshots is on, so that a missing file proves nothing. Texts are not read, only counted.",
		Origin: "The row could not be made at a compression and the file could, the database was replaced by an older one, or the file was exported or copied in.",
		Safe:   "Keeping the file: it may be all that is left. It is a transcript that can be read as it is.",
		Unsafe: "Writing it into the database by hand: its order, its tool calls and its place in a chain would be guesses.",
		ByHand: "ls sessions/session_*.json",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		var limited error
		for _, s := range p.Stores {
			switch err := reportSessionFiles(ctx, p, s); {
			case errors.Is(err, scan.ErrLimit):
				limited = err
			case err != nil:
				return fmt.Errorf("read the sessions in JSON files: %w", err)
			}
		}
		return limited
	},
}

// notesShown bounds how many reasons are told of files that were not read.
const notesShown = 3

// reportSessionFiles gives ErrLimit where it could not read all of them.
func reportSessionFiles(ctx context.Context, p, s *scan.Pass) error {
	dir := s.Facts.Config.SessionsFolder()
	if dir == "" {
		return nil
	}
	files, err := s.Store.Home.ReadSessionFiles(ctx, dir, func(id string) bool { return !inAnyStore(p, id) })
	if err != nil {
		return err
	}
	var torn []string
	for _, f := range files.List {
		if f.Problem != "" {
			torn = append(torn, f.Session)
		}
	}
	slices.Sort(torn)
	if err := s.Facts.SeekInCopies(ctx, s.Store, torn); err != nil {
		return err
	}
	told := 0
	var rest, lost []evidence.SessionFile // of those in rest every message was read
	for _, f := range files.List {
		if f.Messages == 0 && f.Problem == "" {
			continue
		}
		if told++; told > missingShown {
			if f.Problem != "" {
				lost = append(lost, f)
			} else {
				rest = append(rest, f)
			}
			continue
		}
		s.Report(sessionFileFinding(s, f))
	}
	if len(rest) > 0 {
		s.Report(moreFiles(dir, rest, true, scan.Count(len(rest), "session")+" more in JSON files and in no row"))
	}
	if len(lost) > 0 {
		s.Report(moreFiles(dir, lost, false, scan.Count(len(lost), "session")+" more in no row, and their JSON files are torn or no transcripts"))
	}
	if files.Limited {
		return fmt.Errorf("%w: %s", scan.ErrLimit, strings.Join(files.Notes[:min(len(files.Notes), notesShown)], "; "))
	}
	return nil
}

// moreFiles is one finding of many files.
func moreFiles(dir string, list []evidence.SessionFile, intact bool, message string) scan.Finding {
	f := scan.Finding{
		Subject: scan.Subject{Path: dir}, Message: message, Advice: "Keep the files.", Intact: intact,
		Evidence: []evidence.Item{{At: list[0].At, Saw: "one of them, " + list[0].Session, How: list[0].How}},
	}
	for _, o := range list {
		f.Others = append(f.Others, o.Session)
	}
	return f
}

func sessionFileFinding(s *scan.Pass, f evidence.SessionFile) scan.Finding {
	out := scan.Finding{
		Subject: scan.Subject{SessionID: f.Session},
		Group:   s.Facts.Store,
		Intact:  f.Problem == "",
		Message: fmt.Sprintf("session %s has no row, and %s of it in %s", f.Session, lies(f.Messages), f.At.Path),
		Advice:  "Keep the file: it is a transcript that can be read as it is. Nothing is written into the database.",
		Evidence: []evidence.Item{
			{At: f.At, Saw: scan.Count(f.Messages, "message"), How: f.How},
			{At: evidence.Ref{Store: s.Facts.Store, Table: "sessions", Key: f.Session}, Saw: "no row", How: "SELECT id FROM sessions WHERE id = " + evidence.Quote(f.Session)},
		},
	}
	if f.Problem != "" {
		out.Message = fmt.Sprintf("session %s has no row, and its file %s is torn or no transcript", f.Session, f.At.Path)
		out.Evidence[0].Saw, out.Evidence[0].How = f.Problem, "head -c 300 "+evidence.ShellQuote(f.At.Path)
		inCopy(s, f.Session, &out)
	}
	return out
}

func lies(n int) string {
	verb := " lie"
	if n == 1 {
		verb = " lies"
	}
	return scan.Count(n, "message") + verb
}
