package checks

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
)

var spooledMessages = &scan.Check{
	ID: "spooled-messages", Class: "N1", Severity: scan.Warning,
	Title:  "messages lie in files because they never reached the database",
	Issues: []string{"#78182", "#82718"},
	Needs:  scan.NeedSessions | scan.NeedHome,
	Doc: scan.Doc{
		What:   "pending_messages holds files of messages that the gateway could not write to the database. The session that they belong to is told by the file, or its chat is.",
		Not:    "It does not say that the messages are missing from the database now: a build since v0.20.1 replays them at its next good write and then removes the files. Their texts are not read.",
		Origin: "The database was locked, full or damaged while the gateway ran, or more than 200 messages waited for it.",
		Safe:   "Keeping the files and starting a build of today, which replays them. Copy them away first.",
		Unsafe: "Deleting them, or starting the gateway with an empty database in the place of this one.",
		ByHand: "ls -l pending_messages",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		limited := false
		for _, s := range p.Stores {
			if err := ctx.Err(); err != nil {
				return err
			}
			reportSpool(s)
			limited = limited || s.Facts.SpoolLimited
		}
		if limited {
			return scan.ErrLimit
		}
		return nil
	},
}

// reportSpool makes one finding of the messages of each session, or of each chat where the files name only that.
func reportSpool(p *scan.Pass) {
	type target struct{ session, key string }
	groups := map[target][]evidence.Spooled{}
	var order []target
	for _, s := range p.Facts.Spool {
		at := target{s.Session, s.Key}
		if s.Session != "" {
			at.key = ""
		}
		if groups[at] == nil {
			order = append(order, at)
		}
		groups[at] = append(groups[at], s)
	}
	for _, at := range order {
		p.Report(spoolFinding(p, at.session, at.key, groups[at]))
	}
}

func spoolFinding(p *scan.Pass, session, key string, list []evidence.Spooled) scan.Finding {
	f := scan.Finding{
		Subject: scan.Subject{SessionID: session, SessionKey: key, Path: list[0].At.Path},
		Advice:  "Copy the folder pending_messages away before anything else; a build since v0.20.1 replays it at its next good write.",
	}
	whose := "the session " + session
	switch i, ok := p.Facts.Index(session); {
	case session == "" && key == "":
		whose = "a chat that cannot be told"
	case session == "":
		whose = "the chat " + key
	case !ok:
		whose += ", which has no row"
	default:
		f.Subject.Source = p.Facts.Sessions[i].Source
		f.Subject.SessionKey = p.Facts.Sessions[i].SessionKey
	}
	f.Message = fmt.Sprintf("%s of %s never written to the database: %s", waitWords(list), whose, reasonWords(list))
	for _, s := range list[:min(len(list), shown)] {
		saw := "a message that waits"
		if s.Problem != "" {
			saw = s.Problem
		} else if s.When > 0 {
			saw += " since " + scan.Moment(facts.Time(s.When))
		}
		f.Evidence = append(f.Evidence, evidence.Item{At: s.At, Saw: saw, How: "ls -l " + evidence.ShellQuote(s.At.Path)})
	}
	return f
}

func waitWords(list []evidence.Spooled) string {
	if len(list) == 1 {
		return "1 message was put into a file,"
	}
	return fmt.Sprintf("%d messages were put into files,", len(list))
}

// reasonWords lists the reasons that the files give.
func reasonWords(list []evidence.Spooled) string {
	var words []string
	for _, s := range list {
		word := s.Reason
		if s.Problem != "" {
			word = s.Problem
		}
		if word == "" {
			word = "no reason is given"
		}
		if !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	slices.Sort(words)
	return strings.Join(words[:min(len(words), shown)], "; ")
}
