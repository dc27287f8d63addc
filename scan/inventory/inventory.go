package inventory

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan/backups"
)

// Judgement says what may be done with a file.
type Judgement string

// The judgements.
const (
	Keep    Judgement = "keep"
	MayGo   Judgement = "may-go" // under the condition of Line.After
	Unknown Judgement = "unknown-keep"
)

// Travel says whether a file belongs to a move to another machine.
type Travel string

// The kinds of travel.
const (
	With     Travel = "with"     // it belongs to the database or to the install: without it something is lost
	Optional Travel = "optional" // evidence and older copies: nothing needs it, and it may be wanted
	Leave    Travel = "leave"    // it says something about this machine or this run only
)

// Line is one file, or one folder whose files share a fate.
type Line struct {
	Path      string // as the caller named the home, joined with the name below it
	What      string
	Profile   string
	Files     int
	Bytes     int64
	Modified  float64 // epoch seconds
	Judgement Judgement
	After     string // the condition under which it may go; "" unless MayGo
	Why       string
	Travel    Travel

	others int // files in a folder that are no database and belong to none
}

// List is all lines of some homes.
type List struct {
	Lines   []Line // by path
	Limited bool   // a folder could not be listed or is too large: its sizes are at least those
	Notes   []string
}

// entriesCounted bounds how many entries of one folder are counted.
const entriesCounted = 20_000

// Homes judges the entries of each home. ranking says what the copies in it hold; nil = not known, and none may go.
func Homes(ctx context.Context, homes []*evidence.Home, ranking *backups.Ranking) (*List, error) {
	l := &lister{out: &List{}, ranking: ranking}
	for _, h := range homes {
		if err := l.folder(ctx, h, "."); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(l.out.Lines, func(a, b Line) int { return cmp.Or(strings.Compare(a.Path, b.Path)) })
	return l.out, nil
}

type lister struct {
	out     *List
	ranking *backups.Ranking
}

// opened are the folders whose entries have fates of their own.
func opened(rel string) bool {
	switch rel {
	case ".", "sessions", "state-snapshots", "checkpoints", "logs", "profiles":
		return true
	}
	return false
}

// folder judges what lies in one folder of a home.
func (l *lister) folder(ctx context.Context, h *evidence.Home, rel string) error {
	entries, err := h.ReadDir(rel)
	if err != nil {
		l.out.Limited = true
		l.out.Notes = append(l.out.Notes, err.Error())
		return ctx.Err()
	}
	alike := map[string]int{} // lines of many files of one kind, by kind
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		below := path.Join(rel, e.Name())
		if e.IsDir() && opened(below) {
			if below == "profiles" {
				l.profiles(h)
				continue
			}
			if err := l.folder(ctx, h, below); err != nil {
				return err
			}
			continue
		}
		line := Line{Path: path.Join(h.Name, below), Profile: h.Profile, Files: 1}
		switch info, err := e.Info(); {
		case err != nil:
			line.What, line.Judgement, line.Why, line.Travel = "cannot be read", Unknown, err.Error(), With
		case e.IsDir():
			line.Modified = float64(info.ModTime().UnixMicro()) / 1e6
			line.Files = 0
			l.measure(ctx, h, below, &line)
			l.judge(&line, below, true)
		case !e.Type().IsRegular():
			line.What, line.Judgement, line.Travel = "a link, pipe or socket", Unknown, Leave
			line.Why = "it is no file of its own; what a link leads to is not copied with the folder"
		default:
			line.Bytes, line.Modified = info.Size(), float64(info.ModTime().UnixMicro())/1e6
			l.judge(&line, below, false)
		}
		if many(line.What) {
			if i, ok := alike[line.What]; ok {
				x := &l.out.Lines[i]
				x.Files++
				x.Bytes += line.Bytes
				x.Modified = max(x.Modified, line.Modified)
				x.Path = path.Join(h.Name, rel) + "/"
				continue
			}
			alike[line.What] = len(l.out.Lines)
		}
		l.out.Lines = append(l.out.Lines, line)
	}
	return nil
}

// profiles names the folders below profiles that are no home of their own here.
func (l *lister) profiles(h *evidence.Home) {
	entries, err := h.ReadDir("profiles")
	if err != nil {
		l.out.Limited, l.out.Notes = true, append(l.out.Notes, err.Error())
		return
	}
	for _, e := range entries {
		if !e.IsDir() {
			l.out.Lines = append(l.out.Lines, Line{Path: path.Join(h.Name, "profiles", e.Name()), What: "not known", Profile: h.Profile, Files: 1,
				Judgement: Unknown, Why: "no rule knows this name", Travel: With})
			continue
		}
		if _, err := h.ReadDir(path.Join("profiles", e.Name())); err == nil {
			names, _ := h.ReadDir(path.Join("profiles", e.Name())) // it could just be listed
			if slices.ContainsFunc(names, func(n fs.DirEntry) bool { return n.Name() == "state.db" }) {
				continue // a home of its own, which has its lines
			}
		}
		l.out.Lines = append(l.out.Lines, Line{Path: path.Join(h.Name, "profiles", e.Name()), What: "profile without a database", Profile: e.Name(),
			Judgement: Unknown, Why: "it may hold the settings and skills of a profile", Travel: With})
	}
}

// measure sums up a folder.
func (l *lister) measure(ctx context.Context, h *evidence.Home, rel string, line *Line) {
	entries, err := h.ReadDir(rel)
	if err != nil {
		l.out.Limited, l.out.Notes = true, append(l.out.Notes, err.Error())
		line.others++ // what is in it is not known
		return
	}
	for _, e := range entries {
		if line.Files >= entriesCounted || ctx.Err() != nil {
			l.out.Limited = true
			l.out.Notes = append(l.out.Notes, fmt.Sprintf("%s holds more than the %d files that are counted", line.Path, entriesCounted))
			line.others++
			return
		}
		if e.IsDir() {
			l.measure(ctx, h, path.Join(rel, e.Name()), line)
			continue
		}
		line.Files++
		if !database(e.Name()) && !sidecar(e.Name()) && !strings.EqualFold(e.Name(), "manifest.json") {
			line.others++
		}
		if info, err := e.Info(); err == nil && e.Type().IsRegular() {
			line.Bytes += info.Size()
		}
	}
}

// copyFate judges an older copy by what it holds that the profile's own database lacks.
func (l *lister) copyFate(line *Line, folder bool) {
	line.Travel = Optional
	if l.ranking == nil {
		line.Judgement, line.Why = Keep, "it was not compared with the database: it may hold rows that are found nowhere else"
		return
	}
	seen := 0
	for i := range l.ranking.Candidates {
		c := &l.ranking.Candidates[i]
		if c.Path != line.Path && !(folder && strings.HasPrefix(c.Path, line.Path+"/")) {
			continue
		}
		seen++
		own := l.ranking.Own(c.Profile)
		switch {
		case c.Why != "":
			line.Judgement, line.Why = Keep, "it cannot be read ("+c.Why+"), so that nobody knows what only it holds"
			return
		case own == nil || own.Why != "":
			line.Judgement, line.Why = Keep, "the database itself cannot be read: this copy may be all there is"
			return
		case !own.Whole:
			line.Judgement, line.Why = Keep, "the database itself is not whole: a copy may hold what it lost"
			return
		case !c.Whole:
			line.Judgement, line.Why = Keep, "it could not be read to its end, so that what only it holds is not known"
			return
		case c.Aside:
			line.Judgement, line.Why = Keep, "the -wal or -journal beside it shows other rows, or could not be used: more may be in it than was compared"
			return
		case c.Beyond.Sessions+c.Beyond.Messages > 0:
			line.Judgement, line.Why = Keep, fmt.Sprintf("the database lacks some of what it holds (messages: %d, session rows: %d)", c.Beyond.Messages, c.Beyond.Sessions)
			return
		}
	}
	if seen == 0 {
		line.Judgement, line.Why = Keep, "no database in it could be compared"
		return
	}
	if line.others > 0 || archive(path.Base(line.Path)) {
		line.Judgement, line.Why = Keep, "every message and every session row in it is in the database too, but what else it holds was not compared: settings, memories or skills of that time may be in no other place"
		return
	}
	line.Judgement, line.After = MayGo, "the install has run well on its database for a while, and one other verified copy is kept"
	line.Why = "every message and every session row in it is in the database too (rows by their ids; other tables were not compared)"
}
