package salvage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/fix/ddl"
	"github.com/seed-4d3eb737/hermes-doctor/fix/internal/write"
)

// Options steer Salvage.
type Options struct {
	Output   string // the new database; it must not exist
	Progress func(stage string, done, total int64)
	// Prove examines the new file, under the path that it has until it is finished; nil = nothing more than SQLite's own
	// checks. Its words go into the manifest, its error keeps the file from being made.
	Prove func(ctx context.Context, path string) (string, error)
}

// ErrNothing is wrapped by the error of Salvage for a source that gives no row.
var ErrNothing = errors.New("no row of a session or a message can be read")

// Salvage makes a new database of what the wreck still holds, and accounts for it. On an error nothing is left under the
// name of the output, nor beside it. The source is only read.
func Salvage(ctx context.Context, w *evidence.Wreck, o Options) (_ *Manifest, err error) {
	r := &run{wreck: w, o: o, tables: map[string]*target{}, have: map[string]bool{}, m: &Manifest{
		Schema: 1, Output: o.Output, Images: []Image{}, Tables: []Table{}, Made: []Made{}, Left: []Left{}, Notes: []string{}, Proved: []string{},
	}}
	for _, f := range w.Files {
		r.m.Inputs = append(r.m.Inputs, Input{f.Path, f.Bytes, f.SHA256})
	}
	if err := r.choose(ctx); err != nil {
		return nil, fmt.Errorf("salvage: %w", err)
	}
	if r.db, err = write.Create(ctx, write.OS{}, o.Output); err != nil {
		return nil, fmt.Errorf("salvage: %w", err)
	}
	defer func() { err = errors.Join(err, r.db.Discard()) }()
	if err := r.fill(ctx); err != nil {
		return nil, fmt.Errorf("salvage: %w", err)
	}
	return r.m, r.finish(ctx)
}

// run is the state of one Salvage.
type run struct {
	wreck   *evidence.Wreck
	o       Options
	m       *Manifest
	db      *write.New
	version string
	behind  []string
	newest  *evidence.Image
	loss    map[string]*evidence.Loss // of the newest image
	strange bool                      // a -wal beside a database is of another state or another file
	blind   bool                      // the schema of the newest image cannot be read: nothing says what was deleted
	tables  map[string]*target        // by lower-case name

	ids, elsewhere, torn idSet // of messages
	known                idSet // that a sound index over messages has
	soundIndex           string
	high                 int64
	titles               map[string]bool
	have                 map[string]bool // ids of sessions
	tornRows             []tornRow
}

// target is one table of the new file.
type target struct {
	line    *Table
	columns map[string]string // own spelling by lower-case name
	maps    map[*evidence.DeclaredTable]*mapping
	filled  bool // rows of it have fewer columns than the table, which fills them in
}

// mapping says which columns of a row go where.
type mapping struct {
	from    []int // places in the row
	columns []string
	alias   bool // the rowid is among the columns
}

// choose finds the newest image, and the version of the product's schema that fits it.
func (r *run) choose(ctx context.Context) error {
	for _, i := range r.wreck.Images {
		if i.Newest && r.newest == nil {
			r.newest = i
		}
	}
	if r.newest == nil {
		r.newest = r.wreck.Images[0]
	}
	number := 0
	for _, i := range r.wreck.Images {
		err := i.Small(ctx, "schema_version", func(row *evidence.WreckRow) error {
			if v := row.Values[0]; v.Kind == evidence.Int && v.Int > int64(number) && v.Int < 1000 {
				number = int(v.Int)
			}
			return nil
		})
		if err != nil {
			return err
		}
		if number > 0 {
			break
		}
	}
	r.m.Source = number
	if !r.newest.Holds("messages") && !r.newest.Holds("sessions") {
		r.blind = true
		if err := r.guess(ctx); err != nil {
			return err
		}
	}
	if r.version == "" {
		r.version = ddl.Version(number, r.laterShape())
	}
	if r.version == "" {
		r.version = r.nearest()
		r.note("no schema version can be read: the new file has that of version %s, whose columns are most alike", r.version)
	}
	r.m.Version = ddl.Number(r.version)
	if number > 0 && r.m.Version != number {
		r.note("the schema of version %d is not known here: the new file has that of version %d and the columns that it lacks; the product brings it up to date when it opens it", number, r.m.Version)
	}
	return nil
}

func (r *run) note(format string, args ...any) {
	r.m.Notes = append(r.m.Notes, fmt.Sprintf(format, args...))
}

// laterShape says that the sessions of the source have a column that only the later shape of version 17 has.
func (r *run) laterShape() bool {
	tables, _ := r.newest.Schema()
	for _, t := range tables {
		if strings.EqualFold(t.Name, "sessions") {
			return slices.ContainsFunc(t.Columns, func(c evidence.DeclaredColumn) bool {
				return strings.HasPrefix(c.Name, "compression_failure_cooldown")
			})
		}
	}
	return false
}

// parsed are the tables of a version.
func parsed(version string) []evidence.DeclaredTable {
	before, _, err := ddl.Parts(version, false)
	if err != nil {
		return nil
	}
	var list []evidence.DeclaredTable
	for _, sql := range before {
		if t, ok := evidence.ParseTable(sql); ok {
			list = append(list, t)
		}
	}
	return list
}

// guess finds the version whose tables the rows on the pages fit best, where the schema is gone.
func (r *run) guess(ctx context.Context) error {
	best, most := "", 0
	versions := ddl.Versions()
	for k := len(versions) - 1; k >= 0; k-- {
		n, err := r.newest.Sample(ctx, parsed(versions[k]))
		if err != nil {
			return err
		}
		if n > most {
			best, most = versions[k], n
		}
	}
	if best == "" {
		return ErrNothing
	}
	r.version = best
	r.newest.Assume(parsed(best))
	r.note("the list of tables cannot be read: rows are told by their shape, which fits version %s best; a deleted row cannot be told from a lost one", best)
	return nil
}

// nearest is the version whose columns of sessions and messages are most alike those of the source.
func (r *run) nearest() string {
	tables, _ := r.newest.Schema()
	best, most := "", -1<<30
	for _, v := range ddl.Versions() {
		score := 0
		for _, want := range parsed(v) {
			for _, t := range tables {
				if !strings.EqualFold(t.Name, want.Name) || t.Name != "sessions" && t.Name != "messages" {
					continue
				}
				for _, c := range want.Columns {
					if slices.ContainsFunc(t.Columns, func(o evidence.DeclaredColumn) bool { return strings.EqualFold(o.Name, c.Name) }) {
						score++
					} else {
						score--
					}
				}
			}
		}
		if score > most {
			best, most = v, score
		}
	}
	return best
}

// fill makes the tables, puts all rows in and makes what is made of them.
func (r *run) fill(ctx context.Context) error {
	fts, err := r.db.FTS5(ctx)
	if err != nil {
		return err
	}
	if !fts {
		r.note("this build has no FTS5: the new file has no search index, and the product makes one when it opens it")
	}
	before, behind, err := ddl.Parts(r.version, fts)
	if err != nil {
		return err
	}
	r.behind = behind
	if err := r.db.Run(ctx, before); err != nil {
		return err
	}
	if _, err := r.db.Change(ctx, "INSERT INTO schema_version (version) VALUES (?)", int64(r.m.Version)); err != nil {
		return err
	}
	if err := r.prepare(ctx); err != nil {
		return err
	}
	r.tables["schema_version"].line.Rows = 1
	r.tables["schema_version"].filled = true
	for _, i := range r.wreck.Images {
		n, err := i.Sequence(ctx, "messages")
		if err != nil {
			return err
		}
		if i == r.newest {
			r.high = n
		}
	}
	if err := r.images(ctx); err != nil {
		return err
	}
	if err := r.patch(ctx); err != nil {
		return err
	}
	if r.rows("messages") == 0 && r.rows("sessions") == 0 {
		return ErrNothing
	}
	if err := r.relate(ctx); err != nil {
		return err
	}
	r.tell("make indexes", 0, 0)
	if err := r.db.Run(ctx, r.behind); err != nil {
		return err
	}
	if err := r.account(ctx); err != nil {
		return err
	}
	return r.db.SetApplicationID(ctx, r.newest.ApplicationID())
}

func (r *run) tell(stage string, done, total int64) {
	if r.o.Progress != nil {
		r.o.Progress(stage, done, total)
	}
}

func (r *run) rows(table string) int64 {
	if t := r.tables[table]; t != nil {
		return t.line.Rows
	}
	return 0
}
