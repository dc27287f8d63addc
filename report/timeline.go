package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"iter"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

// CSV is a timeline for spreadsheets and for tools that merge timelines: a format of RenderTimeline alone.
const CSV Format = "csv"

// TimelineReport is the document of the command timeline. It refers to the result, which must not change meanwhile.
type TimelineReport struct {
	tool   Tool
	inputs []evidence.Input
	result *scan.Result
}

// NewTimeline makes the document from a result whose scan had Options.Timeline.
func NewTimeline(tool Tool, inputs []evidence.Input, result *scan.Result) *TimelineReport {
	return &TimelineReport{tool, inputs, result}
}

// Event is one line of a timeline.
type Event struct {
	At            float64 `json:"at"` // epoch seconds
	What          string  `json:"what"`
	WhatB64       string  `json:"what_b64,omitempty"`
	Kind          string  `json:"kind"`
	Step          string  `json:"step,omitempty"` // of the incident of August 2026, where its evidence is there
	Store         string  `json:"store,omitempty"`
	StoreB64      string  `json:"store_b64,omitempty"`
	SessionID     string  `json:"session_id,omitempty"`
	SessionIDB64  string  `json:"session_id_b64,omitempty"`
	SessionKey    string  `json:"session_key,omitempty"`
	SessionKeyB64 string  `json:"session_key_b64,omitempty"`
	Platform      string  `json:"platform,omitempty"`
	PlatformB64   string  `json:"platform_b64,omitempty"`
	Source        string  `json:"source"` // the place that says so
	SourceB64     string  `json:"source_b64,omitempty"`
	How           string  `json:"how"`
	HowB64        string  `json:"how_b64,omitempty"`
}

func event(e scan.Event) Event {
	out := Event{At: e.At, Kind: string(e.Kind), Step: string(e.Step)}
	out.What, out.WhatB64 = text(e.What)
	out.Store, out.StoreB64 = text(e.Store)
	out.SessionID, out.SessionIDB64 = text(e.SessionID)
	out.SessionKey, out.SessionKeyB64 = text(e.SessionKey)
	out.Platform, out.PlatformB64 = text(e.Platform)
	out.Source, out.SourceB64 = text(e.Source.String())
	out.How, out.HowB64 = text(e.How)
	return out
}

// line is an event as Timesketch and plaso take it: message, datetime, timestamp and timestamp_desc are what the former
// needs, and source_long, parser, display_name and tag what the latter's own output has beside them.
type line struct {
	Message       string `json:"message"`
	Timestamp     int64  `json:"timestamp"` // microseconds since 1970
	Datetime      string `json:"datetime"`  // ISO 8601 in UTC
	TimestampDesc string `json:"timestamp_desc"`
	Source        string `json:"source"`
	SourceLong    string `json:"source_long"`
	Parser        string `json:"parser"`
	DisplayName   string `json:"display_name"`
	Tag           string `json:"tag"`
	Store         string `json:"store"`
	SessionID     string `json:"session_id"`
	SessionKey    string `json:"session_key"`
	Platform      string `json:"platform"`
	How           string `json:"how"`
}

// lineColumns are the columns of CSV, in the order of the fields of line.
func lineColumns() []string {
	return []string{"message", "timestamp", "datetime", "timestamp_desc", "source", "source_long", "parser", "display_name", "tag",
		"store", "session_id", "session_key", "platform", "how"}
}

func lineOf(e scan.Event) line {
	micro := int64(math.Round(e.At * 1e6))
	l := line{
		Message: shownText(e.What), Timestamp: micro, Datetime: time.UnixMicro(micro).UTC().Format("2006-01-02T15:04:05.000000+00:00"),
		TimestampDesc: described(e.Kind), Source: "FILE", SourceLong: string(e.Kind), Parser: "hermes-doctor", DisplayName: shownText(e.Source.String()),
		Tag: string(e.Step), Store: shownText(e.Store), SessionID: shownText(e.SessionID), SessionKey: shownText(e.SessionKey),
		Platform: shownText(e.Platform), How: shownText(e.How),
	}
	switch {
	case e.Kind == scan.Reconstructed:
		l.Source = "ANALYSIS"
	case e.Source.Table != "":
		l.Source = "SQLITE"
	case e.Kind == scan.LogLine || e.Kind == scan.LogServed:
		l.Source = "LOG"
	case e.Kind == scan.Checkpointed:
		l.Source = "GIT"
	}
	return l
}

// described says in the words of plaso what a time is the time of.
func described(k scan.EventKind) string {
	switch k {
	case scan.RowBegan, scan.RouteMade:
		return "Creation Time"
	case scan.RowEnded:
		return "End Time"
	case scan.FirstMessage, scan.TurnBegan, scan.Silence:
		return "Start Time"
	case scan.LastMessage, scan.RouteUsed:
		return "Last Activity Time"
	case scan.TopicBound, scan.ResumeMarked:
		return "Modification Time"
	case scan.LogLine, scan.LogServed:
		return "Event Logged"
	case scan.Reconstructed:
		return "Reconstructed Time"
	}
	return "Recorded Time"
}

// RenderTimeline writes the events in the format f, each as it is made.
func RenderTimeline(w io.Writer, r *TimelineReport, f Format, o Options) error {
	switch f {
	case Table:
		return r.table(w, o)
	case JSON:
		j := newJSONWriter(w)
		j.head(r.tool, r.inputs, r.result)
		if len(r.notes()) > 0 {
			j.member("notes", texts(r.notes()))
		}
		list(j, "timeline", events(r.result))
		return j.finish()
	case JSONLines:
		return eachLine(w, func(yield func(line) bool) {
			for e := range r.events() {
				if !yield(lineOf(e)) {
					return
				}
			}
		})
	case Markdown:
		return r.markdown(w, o)
	case CSV:
		return r.csv(w)
	}
	return fmt.Errorf("render timeline: unknown format %q (known: %s)", string(f), known(CSV))
}

func events(result *scan.Result) func(yield func(Event) bool) {
	return func(yield func(Event) bool) {
		if result.Timeline == nil {
			return
		}
		for e := range result.Timeline.Events() {
			if !yield(event(e)) {
				return
			}
		}
	}
}

func (r *TimelineReport) events() func(yield func(scan.Event) bool) {
	if r.result.Timeline == nil {
		return func(func(scan.Event) bool) {}
	}
	return r.result.Timeline.Events()
}

func (r *TimelineReport) notes() []string {
	if r.result.Timeline == nil {
		return nil
	}
	return r.result.Timeline.Notes
}

const noEvents = "nothing with a usable time"

// table writes one event after another. Widths are not fitted to the events: there may be a million.
func (r *TimelineReport) table(w io.Writer, o Options) error {
	p, n := newPage(w, o), 0
	for e := range r.events() {
		n++
		p.event(e)
	}
	if n == 0 {
		p.line(p.lang.Say(noEvents))
	}
	if notes := r.notes(); len(notes) > 0 {
		p.heading("notes")
		for _, l := range notes {
			p.hang("  ", "    ", l)
		}
	}
	return p.flush()
}

// event writes an event under its time, with the name of an incident's step before it, and then the place that says so.
func (p *page) event(e scan.Event) {
	head := Time(e.At) + "  "
	indent := strings.Repeat(" ", len(head))
	name := stepName(e.Step)
	for i, l := range wrap(Clean(name+p.by.prose(p.lang.Prose(e.What)), proseLimit), max(p.width-len(head), 20)) {
		if rest, ok := strings.CutPrefix(l, name); ok && i == 0 && name != "" {
			l = p.paint(yellow, name) + rest
		}
		if i > 0 {
			head = indent
		}
		p.line(head + l)
	}
	p.hang(indent, indent+"  ", e.Source.String())
}

// stepName spells a step as it stands before a sentence; "" for none.
func stepName(s scan.Step) string {
	if s == "" {
		return ""
	}
	return strings.ToUpper(strings.ReplaceAll(string(s), "-", " ")) + ": "
}

func (r *TimelineReport) markdown(w io.Writer, o Options) error {
	s := newSheet(w, o)
	s.events(r.events())
	s.bullets(r.notes())
	return s.flush()
}

// events writes a table of events, a part of it at a time: there may be a million.
func (s *sheet) events(list iter.Seq[scan.Event]) {
	if s.begun {
		s.lines([]string{""})
	}
	s.begun = true
	rows := []string{"| " + s.lang.Say("time") + " | " + s.lang.Say("what") + " | " + s.lang.Say("where") + " |", "| --- | --- | --- |"}
	for e := range list {
		what := markdownCell(s.lang.Prose(e.What))
		if e.Step != "" {
			what = "**" + strings.TrimSpace(stepName(e.Step)) + "** " + what
		}
		rows = append(rows, "| "+Time(e.At)+" | "+what+" | "+markdownCell(e.Source.String())+" |")
		if len(rows) == 512 {
			s.lines(rows)
			rows = rows[:0]
		}
	}
	s.lines(rows)
}

// lines writes lines of a block that began before.
func (s *sheet) lines(lines []string) {
	for _, l := range lines {
		if s.err == nil {
			_, s.err = s.w.WriteString(s.by.prose(l) + "\n")
		}
	}
}

func (r *TimelineReport) csv(w io.Writer) error {
	c := csv.NewWriter(w)
	if err := c.Write(lineColumns()); err != nil {
		return fmt.Errorf("write CSV: %w", err)
	}
	for e := range r.events() {
		l := lineOf(e)
		row := []string{l.Message, strconv.FormatInt(l.Timestamp, 10), l.Datetime, l.TimestampDesc, l.Source, l.SourceLong, l.Parser, l.DisplayName,
			l.Tag, l.Store, l.SessionID, l.SessionKey, l.Platform, l.How}
		for i := range row {
			row[i] = csvCell(row[i])
		}
		if err := c.Write(row); err != nil {
			return fmt.Errorf("write CSV: %w", err)
		}
	}
	c.Flush()
	if err := c.Error(); err != nil {
		return fmt.Errorf("write CSV: %w", err)
	}
	return nil
}

// csvCell makes a cell safe to open in a spreadsheet: a text that would be taken for a formula is quoted as text.
func csvCell(s string) string {
	s = Clean(s, codeLimit)
	if s != "" && strings.ContainsRune("=+-@", rune(s[0])) {
		return "'" + s
	}
	return s
}
