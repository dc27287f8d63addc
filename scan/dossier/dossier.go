package dossier

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/inventory"
)

// State says how an item of the list was answered.
type State string

// The states.
const (
	Filled   State = "filled"    // answered from the files
	Nothing  State = "nothing"   // looked for, and there is none
	NotGiven State = "not-given" // the file that would tell is not in this copy
	Machine  State = "machine"   // only the machine where the install runs can tell: see How
	ByHand   State = "by-hand"   // it needs a program that writes, on a copy: see How
)

// Item is one thing that is asked for.
type Item struct {
	Asked   string
	State   State
	Answers []string
	How     string // a command that tells it, or tells it again; "" = none is needed
}

// Section is a part of the list.
type Section struct {
	Title string
	Store string // the database that it is about; "" = all that was given
	Items []Item
}

// Dossier is the whole list.
type Dossier struct {
	Sections []Section
	Limited  bool // something could not be read
	Notes    []string
}

// Count gives the number of items of a state.
func (d *Dossier) Count(s State) (n int64) {
	for i := range d.Sections {
		for k := range d.Sections[i].Items {
			if d.Sections[i].Items[k].State == s {
				n++
			}
		}
	}
	return n
}

type writer struct {
	ctx    context.Context
	bundle *evidence.Bundle
	result *scan.Result
	inputs []evidence.Input
	out    *Dossier
	now    *Section
}

// Fill answers the list from an open bundle and the result of its scan. list are the files of the homes; nil where a lone
// database was given. It reads the databases once more and the logs, no more than a bound.
func Fill(ctx context.Context, b *evidence.Bundle, r *scan.Result, inputs []evidence.Input, list *inventory.List) (*Dossier, error) {
	w := &writer{ctx: ctx, bundle: b, result: r, inputs: inputs, out: &Dossier{Limited: r.Partial || !r.Unchanged}}
	w.identity()
	for _, s := range b.Stores {
		w.structure(s)
		w.rows(s)
	}
	w.beside(list)
	w.checkpoints()
	w.machine()
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("fill in the list: %w", err)
	}
	return w.out, nil
}

func (w *writer) section(title, store string) {
	w.out.Sections = append(w.out.Sections, Section{Title: title, Store: store})
	w.now = &w.out.Sections[len(w.out.Sections)-1]
}

// item adds an answer; one without any line is Nothing.
func (w *writer) item(asked, how string, answers ...string) {
	state := Filled
	if len(answers) == 0 {
		state = Nothing
	}
	w.now.Items = append(w.now.Items, Item{asked, state, answers, how})
}

func (w *writer) left(asked string, state State, how string) {
	w.now.Items = append(w.now.Items, Item{Asked: asked, State: state, How: how})
}

// identity is what was examined and what wrote it, as far as files tell.
func (w *writer) identity() {
	w.section("identity and environment", "")
	w.left("version and commit of Hermes Agent, and how it was installed", Machine, "hermes --version")
	var schema, writers, profiles []string
	for i := range w.result.Databases {
		d := &w.result.Databases[i]
		version := "none recorded"
		if d.SchemaVersion > 0 {
			version = fmt.Sprint(d.SchemaVersion)
		}
		schema = append(schema, fmt.Sprintf("%s: schema version %s, resolver of %s, journal mode %s, read as %s", d.Store, version, d.Generation, d.JournalMode, d.View))
		for _, n := range d.Notes {
			if said, ok := strings.CutPrefix(n, "writers: "); ok {
				writers = append(writers, d.Store+": "+said)
			}
		}
	}
	for _, s := range w.bundle.Stores {
		profiles = append(profiles, s.Name+": profile "+evidence.Quote(s.Profile))
		if v, ok := w.meta(s, "fts_storage_version"); ok {
			schema = append(schema, s.Name+": fts_storage_version "+v)
		}
	}
	w.item("builds that wrote the rows, by what only they leave", "", writers...)
	w.item("profile", "", profiles...)
	w.item("schema version, fts_storage_version, journal mode", "", schema...)
	var files []string
	for _, in := range w.inputs {
		if in.Role == evidence.RoleLog || in.Role == evidence.RoleDump || in.Role == evidence.RoleSessionFile {
			continue
		}
		files = append(files, fmt.Sprintf("%s (%s): %s, modified %s, sha256 %s", evidence.Quote(in.Path), in.Role, scan.Count(in.Bytes, "byte"), moment(in.Modified), in.SHA256))
	}
	w.item("size, time and hash of the database, its -wal, -shm and -journal, and of what else was read", "ls -li --time-style=full-iso; sha256sum", files...)
	for _, s := range w.bundle.Stores {
		h, err := s.FileHeader()
		if err != nil {
			w.item("header of "+s.Name, "xxd -l 100", err.Error())
			continue
		}
		w.item("header of "+s.Name, "xxd -l 100 "+evidence.ShellQuote(s.Name), fields(h))
		switch wal, err := s.WALHeader(); {
		case err != nil:
			w.item("-wal of "+s.Name, "xxd -l 32", err.Error())
		case wal == nil:
			w.item("-wal of "+s.Name, "")
		default:
			answers := []string{fields(wal)}
			if x := s.WAL; x != nil {
				answers = append(answers, fmt.Sprintf("%s with %s that count, %s behind them; %s differ from the main file", scan.Count(x.Frames, "frame"), scan.Count(x.Commits, "commit"), scan.Count(x.Behind, "frame"), scan.Count(x.Only, "page")))
				for _, a := range x.Against {
					answers = append(answers, "does not belong: "+a)
				}
			}
			w.item("-wal of "+s.Name, "xxd -l 32", answers...)
		}
	}
}

func fields(list []evidence.FileField) string {
	var out []string
	for _, f := range list {
		out = append(out, fmt.Sprintf("%s (offset %d) %d", f.Name, f.At, f.Value))
	}
	return strings.Join(out, "; ")
}

// meta reads one value of state_meta.
func (w *writer) meta(s *evidence.Store, key string) (value string, ok bool) {
	if t := s.DB.Table("state_meta"); !t.Has("key") || !t.Has("value") {
		return "", false
	}
	list, err := w.ask(s, "SELECT value FROM state_meta WHERE key = ?", key)
	if err != nil || len(list) == 0 {
		return "", false
	}
	return list[0][0], true
}

// linesAsked bounds the rows of an answer.
const linesAsked = 200

var errEnough = errors.New("enough rows")

// ask runs a statement and gives its cells as texts, of the first rows.
func (w *writer) ask(s *evidence.Store, query string, args ...any) (rows [][]string, err error) {
	err = s.DB.Query(w.ctx, query, args, func(row []evidence.Value) error {
		if len(rows) == linesAsked {
			return errEnough
		}
		cells := make([]string, len(row))
		for i, v := range row {
			cells[i] = v.String()
		}
		rows = append(rows, cells)
		return nil
	})
	if errors.Is(err, errEnough) {
		w.out.Notes = append(w.out.Notes, fmt.Sprintf("only the first %d rows of an answer are given: %s", linesAsked, query))
		err = nil
	}
	return rows, err
}

// answer adds what a statement gives, each row through a form.
func (w *writer) answer(s *evidence.Store, asked, query string, form func(row []string) string) {
	rows, err := w.ask(s, query)
	if err != nil {
		w.item(asked, query, "it cannot be read: "+err.Error())
		return
	}
	var out []string
	for _, r := range rows {
		out = append(out, form(r))
	}
	w.item(asked, query, out...)
}
