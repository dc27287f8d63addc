package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/scan/backups"
)

// Candidates is the document of the command migrate candidates: what something could be restored from, best first.
type Candidates struct {
	Tool    Tool
	Ranking *backups.Ranking
}

// CandidatesDoc is Candidates as JSON.
type CandidatesDoc struct {
	Schema     int            `json:"schema"`
	Tool       Tool           `json:"tool"`
	Kind       string         `json:"kind"` // "candidates"
	Inputs     []Input        `json:"inputs"`
	Complete   bool           `json:"complete"` // every place could be looked into
	Notes      []string       `json:"notes"`
	Candidates []CandidateDoc `json:"candidates"`
}

// CandidateDoc is one of them.
type CandidateDoc struct {
	Rank     *int     `json:"rank"` // from 1; null = it cannot be read
	Path     string   `json:"path"`
	PathB64  string   `json:"path_b64,omitempty"`
	Store    *string  `json:"store"` // the database in an archive of several
	Profile  string   `json:"profile"`
	What     string   `json:"what"` // database, malformed-backup, backup-staging, zeroed, retired-wal, snapshot, archive or copy
	Bytes    int64    `json:"bytes"`
	Modified float64  `json:"modified"`
	View     *string  `json:"view"`
	Readable bool     `json:"readable"`
	Why      *string  `json:"why"` // it cannot be read
	Whole    bool     `json:"whole"`
	Flaws    []string `json:"flaws"`
	Verdict  *string  `json:"verdict"`
	Sentence *string  `json:"sentence"`
	Sessions int64    `json:"sessions"`
	Messages int64    `json:"messages"`
	Newest   *float64 `json:"newest"` // time of the newest message
	Alone    struct {
		Sessions int64    `json:"sessions"`
		Messages int64    `json:"messages"`
		IDs      []string `json:"ids"`
	} `json:"alone"` // what no other candidate holds
	Same  *string  `json:"same_as"`
	Notes []string `json:"notes"`
}

// RenderCandidates writes c in the format f.
func RenderCandidates(w io.Writer, c *Candidates, f Format, o Options) error {
	switch f {
	case JSONLines:
		return eachLine(w, each(c.Ranking.Candidates, candidateDoc))
	case Table, Markdown, JSON:
		return c.document().render(w, f, o, c.model())
	}
	return fmt.Errorf("render candidates: unknown format %q (known: %s)", string(f), known())
}

func (c *Candidates) model() CandidatesDoc {
	return CandidatesDoc{Schema: schemaNumber, Tool: c.Tool, Kind: "candidates", Complete: !c.Ranking.Limited, Notes: texts(c.Ranking.Notes),
		Inputs: allOf(c.Ranking.Inputs, input), Candidates: allOf(c.Ranking.Candidates, candidateDoc)}
}

func candidateDoc(x backups.Candidate) CandidateDoc {
	d := CandidateDoc{Profile: x.Profile, What: x.Kind, Bytes: x.Bytes, Modified: x.Modified, Readable: x.Why == "", Whole: x.Whole,
		Flaws: texts(x.Flaws), Sessions: x.Sessions, Messages: x.Messages, Newest: number(x.Newest), Notes: texts(x.Notes)}
	d.Path, d.PathB64 = text(x.Path)
	d.Store, _ = optionalText(x.Store)
	d.Why, _ = optionalText(x.Why)
	d.View, _ = optionalText(x.View)
	d.Same, _ = optionalText(x.Same)
	d.Verdict, _ = optionalText(string(x.Verdict.Word))
	d.Sentence, _ = optionalText(x.Verdict.Sentence)
	if x.Rank > 0 {
		d.Rank = &x.Rank
	}
	d.Alone.Sessions, d.Alone.Messages, d.Alone.IDs = x.Alone.Sessions, x.Alone.Messages, texts(x.Alone.IDs)
	return d
}

func (c *Candidates) document() document {
	r := c.Ranking
	d := document{word: "candidates", color: yellow, rest: "none of these files can be read"}
	if len(r.Candidates) == 0 {
		d.rest = "no copy of a database is here"
	}
	var heads, alone, flaws, unread []string
	grids := map[string]*grid{}
	var profiles []string
	different := 0
	for i := range r.Candidates {
		if x := &r.Candidates[i]; x.Why == "" && x.Same == "" {
			different++
		}
	}
	for i := range r.Candidates {
		x := &r.Candidates[i]
		name := candidateName(x)
		if x.Why != "" {
			unread = append(unread, name+" ("+x.Kind+"): "+x.Why)
			continue
		}
		g := grids[x.Profile]
		if g == nil {
			g = &grid{columns: []column{right("rank"), left("file"), left("what"), left("verdict"), left("newest message"), right("sessions"), right("messages"), right("alone")}}
			grids[x.Profile], profiles = g, append(profiles, x.Profile)
			heads = append(heads, candidateHead(x, profiles))
			if d.color = green; !x.Whole {
				d.color = yellow
			}
		}
		verdict := "whole"
		if !x.Whole {
			verdict = "not whole"
		}
		if x.Same != "" {
			verdict += ", the same as " + x.Same
		}
		g.add(fmt.Sprint(x.Rank), name, x.Kind, verdict, Time(x.Newest), Count(x.Sessions), Count(x.Messages), Count(x.Alone.Messages))
		for _, f := range x.Flaws {
			flaws = append(flaws, name+": "+f)
		}
		if different > 1 && x.Same == "" && x.Alone.Sessions+x.Alone.Messages > 0 {
			alone = append(alone, aloneLine(x))
		}
	}
	if len(heads) > 0 {
		d.rest = strings.Join(heads, "; ")
	}
	for _, p := range profiles {
		title := "best first"
		if len(profiles) > 1 {
			title += ", profile " + p
		}
		d.parts = append(d.parts, part{title: title, grid: grids[p].without(7, different < 2)})
	}
	d.add("held by one file alone", alone, "")
	d.add("not whole, and why", flaws, "")
	d.add("not readable, and why", unread, "")
	d.add("notes", slices.Clone(r.Notes), "")
	if len(r.Candidates) > 0 {
		d.add("to know", []string{"the order is that of content: whole files first, then by newest message, then by number of messages; the date of a file counts for nothing",
			"keep every file that holds something alone; put none back before a scan of it says what you expect"}, "")
	}
	return d
}

// candidateHead says which file is the best of its profile; profiles are those told so far, it among them.
func candidateHead(x *backups.Candidate, profiles []string) string {
	of := ""
	if len(profiles) > 1 || x.Profile != "default" {
		of = " of profile " + x.Profile
	}
	if !x.Whole {
		return "no copy" + of + " is whole; the one that reaches furthest is " + candidateName(x) + ", to " + Time(x.Newest)
	}
	return "the newest good one" + of + " is " + candidateName(x) + ", which reaches to " + Time(x.Newest) + " with " + plural(x.Messages, "message")
}

func aloneLine(x *backups.Candidate) string {
	s := fmt.Sprintf("%s: %s and %s that no other file here has", candidateName(x), plural(x.Alone.Messages, "message"), plural(x.Alone.Sessions, "session row"))
	ids := x.Alone.IDs[:min(len(x.Alone.IDs), aloneNamed)]
	if len(ids) > 0 {
		s += ", in " + strings.Join(ids, ", ")
	}
	if len(x.Alone.IDs) > len(ids) {
		s += " and others"
	}
	return s
}

// aloneNamed is how many sessions are named of those that one file alone has.
const aloneNamed = 3

func candidateName(x *backups.Candidate) string {
	if x.Store == "" {
		return x.Path
	}
	return x.Path + " (" + x.Store + ")"
}
