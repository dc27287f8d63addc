package checks

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

var malformedPage = &scan.Check{
	ID: "malformed-page", Class: "P1", Severity: scan.Error,
	Title:  "pages of the file are damaged",
	Issues: []string{"#88587", "#88604", "#102827", "#89737", "#98077", "#105670", "#102240"},
	Needs:  scan.NeedFile,
	Doc: scan.Doc{
		What:   "The file breaks its own format: a page that is no page of its tree, two trees or cells that lead to one page, rowids out of order, a freelist that leads outside the file, an index that holds other rows than its table. Each fault is told under the table or index that it belongs to, tables of the talk first; the words \"FTS write corruption\" in a log say nothing of that.",
		Not:    "Changed letters or numbers inside a cell break no rule of the format: SQLite keeps no checksum of them. Of a file of more than 32 MiB only interior pages and the freelist are walked without --deep, and the report says so.",
		Origin: "Two processes without locks, a file replaced under a running one, a -wal of another generation, a full disk, a bad disk or network file system.",
		Safe:   "Keeping this file, and hermes-doctor salvage into a new one. An index or the search index alone can be made again from its table, on a copy.",
		Unsafe: "VACUUM, REINDEX or .recover in place, a reinstall (it does not touch this file), or a backup that was not checked itself.",
		ByHand: "sqlite3 'file:COPY?immutable=1' 'PRAGMA integrity_check'",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		s, err := p.Structure(ctx)
		if err != nil || s == nil {
			return err
		}
		told := false
		broken := canonicalBroken(s)
		for i := range s.Objects {
			f := pageFinding(p, s, i)
			if f == nil {
				continue
			}
			told = true
			if s.Objects[i].Worth != evidence.WorthSearch || broken || p.Facts == nil { // else it is search-index-damaged
				p.Report(*f)
			}
		}
		if f := fileFinding(p, s); f != nil {
			told = true
			p.Report(*f)
		}
		reportChecked(p, s, told)
		return nil
	},
}

// pagesShown bounds how many places of one object a finding shows.
const pagesShown = 8

// pageFinding is what is wrong with one table or index; nil for nothing.
func pageFinding(p *scan.Pass, s *evidence.Structure, i int) *scan.Finding {
	o := &s.Objects[i]
	var items []evidence.Item
	lost := false
	for _, f := range s.Faults {
		if f.Object == i {
			lost = lost || f.Lost
			if len(items) < pagesShown {
				items = append(items, pageItem(p, &f))
			}
		}
	}
	words, knows := []string{}, int64(0)
	if o.Faults > 0 {
		words = append(words, fmt.Sprintf("%s is damaged at %s", objectName(o), scan.Count(o.Faults, "place")))
	}
	for _, d := range s.Differences {
		switch {
		case o.Type == "table" && d.Table == o.Name && lost && d.OnlyIndex > knows:
			knows = d.OnlyIndex
			items = append(items, differenceItem(p, &d))
		case o.Type == "index" && d.Index == o.Name && !(d.OnlyTable == 0 && damaged(s, d.Table)): // else it is the table that is to blame
			words = append(words, differenceWords(&d))
			items = append(items, differenceItem(p, &d))
		}
	}
	if len(words) == 0 {
		return nil
	}
	if knows > 0 {
		words = append(words, fmt.Sprintf("an index still names %s of it that cannot be read", scan.Count(knows, "row")))
	}
	f := &scan.Finding{Subject: scan.Subject{Table: o.Name}, Message: strings.Join(words, "; "), Evidence: items}
	switch {
	case o.Worth == evidence.WorthCanonical && lost && s.Whole:
		f.Message += fmt.Sprintf("; %s of it can still be read", scan.Count(o.Rows, "row"))
	case o.Worth == evidence.WorthIndex && o.Faults > 0:
		f.Message += ": all that it should hold stands in the table " + o.Table
	case o.Worth == evidence.WorthSearch:
		f.Message += ": search misses, and the messages themselves lie elsewhere"
	}
	f.Advice = pageAdvice(o)
	return f
}

// damaged says whether rows of a table cannot be read.
func damaged(s *evidence.Structure, table string) bool {
	for _, f := range s.Faults {
		if f.Lost && f.Object >= 0 && s.Objects[f.Object].Type == "table" && s.Objects[f.Object].Name == table {
			return true
		}
	}
	return false
}

func pageAdvice(o *evidence.Object) string {
	switch o.Worth {
	case evidence.WorthSearch:
		return "The messages are not part of it. hermes-doctor salvage makes a new file with a fresh search index; keep this one."
	case evidence.WorthIndex:
		return "No row is lost by it, but the product finds rows through it. hermes-doctor salvage makes a new file with a fresh index; keep this one."
	}
	return "Stop everything that writes to the original. hermes-doctor salvage brings what can be read into a new file and lists what cannot; nothing should be done to this file."
}

// objectName names an object for people.
func objectName(o *evidence.Object) string {
	if o.Worth == evidence.WorthSearch {
		return fmt.Sprintf("%s %s of the search index", o.Type, o.Name)
	}
	if o.Type == "index" {
		return fmt.Sprintf("index %s of table %s", o.Name, o.Table)
	}
	return o.Type + " " + o.Name
}

func pageItem(p *scan.Pass, f *evidence.PageFault) evidence.Item {
	saw := f.Reason
	if f.Looks != "" {
		saw += " (it looks like " + f.Looks + ")"
	}
	at := evidence.Ref{Path: p.Store.Name}
	if f.Page > 0 {
		at.Key = fmt.Sprintf("page %d", f.Page)
	}
	how := "sqlite3 " + evidence.ShellQuote("file:"+p.Store.Name+"?immutable=1") + " 'PRAGMA integrity_check'"
	if f.Page > 0 && p.Store.PageSize > 0 {
		how = fmt.Sprintf("xxd -s %d -l 64 %s", int64(f.Page-1)*int64(p.Store.PageSize), evidence.ShellQuote(p.Store.Name))
	}
	return evidence.Item{At: at, Saw: saw, How: how}
}

func differenceWords(d *evidence.IndexDifference) string {
	if d.OnlyTable < 0 {
		return fmt.Sprintf("index %s does not fit its table: %d entries, %s of %s", d.Index, d.Entries, scan.Count(d.Rows, "row"), d.Table)
	}
	return fmt.Sprintf("index %s does not fit its table: %s of %s can be read by the table and not by it, %d by it and not by the table",
		d.Index, scan.Count(d.OnlyTable, "row"), d.Table, d.OnlyIndex)
}

func differenceItem(p *scan.Pass, d *evidence.IndexDifference) evidence.Item {
	saw := fmt.Sprintf("%d entries, %s in the table", d.Entries, scan.Count(d.Rows, "row"))
	if len(d.TableRows) > 0 {
		saw += "; rowids that the table alone has: " + numbers(d.TableRows)
	}
	if len(d.IndexRowIDs) > 0 {
		saw += "; rowids that the index alone has: " + numbers(d.IndexRowIDs)
	}
	return evidence.Item{At: evidence.Ref{Store: p.Store.Name, Table: d.Table, Column: d.Index}, Saw: saw,
		How: fmt.Sprintf("SELECT (SELECT count(*) FROM %[1]s NOT INDEXED), (SELECT count(*) FROM %[1]s INDEXED BY %[2]s)", evidence.QuoteName(d.Table), evidence.QuoteName(d.Index))}
}

// numbers lists ids, with runs as first-last.
func numbers(ids []int64) string {
	var words []string
	for i := 0; i < len(ids); i++ {
		first := ids[i]
		for i+1 < len(ids) && ids[i+1] == ids[i]+1 {
			i++
		}
		if ids[i] > first {
			words = append(words, fmt.Sprintf("%d-%d", first, ids[i]))
		} else {
			words = append(words, fmt.Sprint(first))
		}
	}
	return strings.Join(words, ", ")
}

// fileFinding is what is wrong with the file as a whole: its length, its freelist, pages that nothing uses.
func fileFinding(p *scan.Pass, s *evidence.Structure) *scan.Finding {
	f := &scan.Finding{Advice: pageAdvice(&evidence.Object{})}
	unused, others := 0, 0
	for _, t := range s.Faults {
		if t.Object >= 0 {
			continue
		}
		if strings.HasPrefix(t.Reason, "nothing uses") {
			unused++
		} else {
			others++
		}
		if len(f.Evidence) < pagesShown {
			f.Evidence = append(f.Evidence, pageItem(p, &t))
		}
	}
	switch {
	case others > 0:
		f.Message = fmt.Sprintf("the list of free pages, or another part that belongs to no table, is damaged at %s; rows can be read all the same, but the next write may take a page for free that is not", scan.Count(others, "place"))
	case unused > 0:
		f.Severity = scan.Warning
		f.Message = fmt.Sprintf("%s of pages that nothing uses: what lies there belongs to no table any more", scan.Count(unused, "run"))
		f.Advice = "Keep this file: hermes-doctor salvage looks for rows in such pages too."
	default:
		return nil
	}
	return f
}

// reportChecked tells what SQLite itself finds and no walk can: rows that break the rules of their own table, and, where
// nothing else was told, whatever it said.
func reportChecked(p *scan.Pass, s *evidence.Structure, told bool) {
	how := "PRAGMA integrity_check(100)"
	rules, rest := map[string][]string{}, []string{}
	for _, line := range s.Checked {
		low := strings.ToLower(line)
		switch {
		case strings.Contains(low, "fts") || strings.Contains(low, "inverted index"): // the checks of the search index
		case strings.Contains(line, "TEXT value in "), strings.Contains(line, "NUMERIC value in "): // no damage of the file
		case strings.HasPrefix(line, "NULL value in "):
			rules[strings.TrimPrefix(line, "NULL value in ")] = append(rules[strings.TrimPrefix(line, "NULL value in ")], line)
		default:
			rest = append(rest, line)
		}
	}
	for _, column := range sortedNames(rules) {
		table, _, _ := strings.Cut(column, ".")
		p.Report(scan.Finding{
			Subject: scan.Subject{Table: column},
			Message: fmt.Sprintf("%s of %s with nothing in %s, which its table forbids: no writer of the product can have made it", scan.Count(len(rules[column]), "row"), table, column),
			Advice:  "Do not invent a value. A copy of this row into another file fails; hermes-doctor salvage lists it.",
			Evidence: []evidence.Item{{At: evidence.Ref{Store: p.Store.Name, Table: table}, Saw: rules[column][0],
				How: fmt.Sprintf("SELECT rowid FROM %s WHERE %s IS NULL", evidence.QuoteName(table), evidence.QuoteName(strings.TrimPrefix(column, table+".")))}},
		})
	}
	if len(rest) == 0 || told {
		return
	}
	f := scan.Finding{Subject: scan.Subject{Path: p.Store.Name}, Advice: pageAdvice(&evidence.Object{}),
		Message: fmt.Sprintf("SQLite's own check finds %s in the file", scan.Count(len(rest), "fault"))}
	for _, line := range rest[:min(len(rest), pagesShown)] {
		f.Evidence = append(f.Evidence, evidence.Item{At: evidence.Ref{Store: p.Store.Name}, Saw: line, How: how})
	}
	p.Report(f)
}
