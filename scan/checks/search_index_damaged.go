package checks

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/search"
)

var searchIndexDamaged = &scan.Check{
	ID: "search-index-damaged", Class: "F1", Severity: scan.Warning,
	Title:  "the search index is damaged, and the messages are not",
	Issues: []string{"#50502", "#86747", "#45383", "#64607", "#103840"},
	Needs:  scan.NeedFile | scan.NeedMessages,
	Doc: scan.Doc{
		What:   "The tables of a full-text index are damaged, or gone, or do not hold the messages that this kind of index should hold, while the tables of the talk can be read. Search misses, and while the triggers are there every message that is appended may fail.",
		Not:    "An index that only lags behind a rebuild or a mark of the product is not damaged, and one with a tokenizer of its own library is named and not checked. The words inside the index are not compared. Of a file of more than 32 MiB the index is compared with --deep only.",
		Origin: "A crash or a full disk while the index was written, two processes without locks, triggers that were missing for a while, a dump that was read back.",
		Safe:   "On a copy: dropping triggers and index tables one by one and letting the product make them anew, or hermes-doctor salvage into a new file.",
		Unsafe: "Believing SQLite's own check of the index: without its argument it passes although messages are missing, and with it an index that is merely behind is called \"malformed\".",
		ByHand: "SELECT count(*) FROM messages WHERE id NOT IN (SELECT id FROM messages_fts_docsize)",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		l, err := p.Search(ctx)
		if err != nil || len(l.Indexes) == 0 {
			return err
		}
		s, err := p.Structure(ctx)
		if err != nil {
			return err
		}
		if s != nil && canonicalBroken(s) { // that is told, and what an index holds means nothing beside it
			return nil
		}
		broken := map[string]bool{}
		for i := range l.Indexes {
			if x := &l.Indexes[i]; len(x.Lost) > 0 {
				broken[x.Name] = true
				p.Report(scan.Finding{
					Subject: scan.Subject{Table: x.Name},
					Message: fmt.Sprintf("the search index %s has lost %s that it is made of: it cannot be opened", x.Name, scan.Count(int64(len(x.Lost)), "table")),
					Advice:  searchAdvice,
					Evidence: []evidence.Item{{At: evidence.Ref{Store: p.Store.Name, Table: "sqlite_schema", Key: x.Name}, Saw: "no " + strings.Join(x.Lost, ", no "),
						How: "SELECT name FROM sqlite_schema WHERE name LIKE " + evidence.Quote(x.Name+"_%")}},
				})
			}
		}
		if s != nil {
			reportSearchPages(p, s, broken)
		}
		if s == nil || !s.Whole {
			return scan.ErrDeep
		}
		for i := range l.Indexes {
			x := &l.Indexes[i]
			if broken[x.Name] || l.Cut(x) {
				continue
			}
			if err := reportOutOfStep(ctx, p, l, x, s); err != nil {
				return err
			}
		}
		if !p.Store.DB.FTS5() {
			return scan.ErrNoFTS
		}
		return nil
	},
}

const searchAdvice = "No message is lost. hermes-doctor salvage makes a new file with a fresh search index; keep this one."

// canonicalBroken says that the tables of the talk, or the file as a whole, are damaged.
func canonicalBroken(s *evidence.Structure) bool {
	for _, f := range s.Faults {
		if f.Object < 0 && f.Lost || f.Object >= 0 && s.Objects[f.Object].Worth == evidence.WorthCanonical {
			return true
		}
	}
	return len(s.Doubled) > 0
}

// reportSearchPages tells the damaged pages of the tables of an index, and what SQLite's own check said of one.
func reportSearchPages(p *scan.Pass, s *evidence.Structure, broken map[string]bool) {
	for i := range s.Objects {
		if s.Objects[i].Worth != evidence.WorthSearch {
			continue
		}
		f := pageFinding(p, s, i)
		if f == nil {
			continue
		}
		f.Subject.Path = p.Store.Name
		broken[indexOf(s.Objects[i].Table)] = true
		p.Report(*f)
	}
	version, _ := evidence.SQLiteVersion()
	for _, line := range s.Checked {
		if low := strings.ToLower(line); !strings.Contains(low, "malformed inverted index") || !strings.Contains(low, "messages_fts") {
			continue
		}
		name := "messages_fts"
		if _, last, ok := strings.Cut(line, "main."); ok {
			name = strings.TrimSpace(last)
		}
		if broken[indexOf(name)] {
			continue
		}
		broken[indexOf(name)] = true
		p.Report(scan.Finding{
			Subject: scan.Subject{Table: name},
			Message: fmt.Sprintf("the words in the search index %s contradict each other, by the check of SQLite %s: other versions may judge otherwise", name, version),
			Advice:  searchAdvice,
			Evidence: []evidence.Item{{At: evidence.Ref{Store: p.Store.Name, Table: name}, Saw: line,
				How: "PRAGMA integrity_check(" + evidence.Quote(name) + ")"}},
		})
	}
}

// indexOf names the index that a table belongs to.
func indexOf(table string) string {
	for _, end := range []string{"_data", "_idx", "_docsize", "_config", "_content"} {
		if base, ok := strings.CutSuffix(table, end); ok {
			return base
		}
	}
	return table
}

// reportOutOfStep compares one index with the messages.
func reportOutOfStep(ctx context.Context, p *scan.Pass, l *search.Layout, x *search.Index, s *evidence.Structure) error {
	empty, err := l.Empty(ctx, p.Store.DB, x)
	if err != nil || empty { // an index that was never filled is a rebuild that was not finished
		return err
	}
	d, err := l.Compare(ctx, p.Store.DB, p.Facts, x)
	if err != nil || d == nil || d.Absent+d.Foreign == 0 {
		return err
	}
	var words []string
	if d.Absent > 0 {
		words = append(words, fmt.Sprintf("lacks %d of %s that it should hold", d.Absent, scan.Count(d.Messages, "message")))
	}
	if d.Foreign > 0 {
		words = append(words, fmt.Sprintf("lists %s that no message has", scan.Count(d.Foreign, "id")))
	}
	f := scan.Finding{
		Subject: scan.Subject{Table: x.Name},
		Message: fmt.Sprintf("the search index %s %s; the messages are whole: %d read", x.Name, strings.Join(words, " and "), p.Facts.MessageRows),
		Advice:  searchAdvice,
	}
	saw := ""
	if d.Absent > 0 {
		saw = "without the messages " + numbers(d.AbsentIDs)
		if d.Absent > int64(len(d.AbsentIDs)) {
			saw += " and others"
		}
	}
	if d.Foreign > 0 {
		if saw != "" {
			saw += "; "
		}
		saw += "with the ids " + numbers(d.ForeignIDs)
		if d.Foreign > int64(len(d.ForeignIDs)) {
			saw += " and others"
		}
	}
	item := countItem(p, x, saw)
	item.How = fmt.Sprintf("SELECT id FROM messages WHERE id NOT IN (SELECT id FROM %s) LIMIT 5", x.Sizes)
	if d.Absent == 0 {
		item.How = fmt.Sprintf("SELECT id FROM %s WHERE id NOT IN (SELECT id FROM messages) LIMIT 5", x.Sizes)
	}
	f.Evidence = []evidence.Item{item}
	p.Report(f)
	return nil
}
