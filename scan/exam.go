package scan

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan/adopt"
	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
	"github.com/seed-4d3eb737/hermes-doctor/scan/resume"
	"github.com/seed-4d3eb737/hermes-doctor/scan/search"
)

// exam is one store under examination.
type exam struct {
	store  *evidence.Store
	others []*exam // every store of the bundle that could be read, this one too
	facts  *facts.Facts
	texts  *facts.Texts
	gen    resume.Generation
	now    map[resume.Generation]*resume.Loaded // over the rows as they are, of the generations that checks ask

	resolvers map[resume.Generation]*resume.Resolver
	adopted   *adopt.Decisions
	zombies   []ZombieRow
	undecided []ZombieRow // what a line of a log would make one if the zone of its time were known
	classes   []Class
	orphans   map[int32]bool
	lists     map[string]string // of columns, for evidence

	deep        bool             // the slow parts of checks are wanted too
	logs        []*evidence.Logs // of the store's home and of those around it; only while or for a timeline
	updateFirst string
	walk        *walk // of the pages
	search      *search.Layout
	unsearched  error // why there is none
	checked     bool  // the checks have run, and the store is in the result
}

// open reads the facts of one store.
func (r *runner) open(ctx context.Context, s *evidence.Store) (*exam, error) {
	if s.Fault != nil {
		return nil, s.Fault
	}
	r.tell("read sessions", 0)
	f, err := facts.Read(ctx, s, facts.Options{HomePath: r.options.HomePath, Zone: r.options.Zone})
	if err != nil {
		return nil, err
	}
	return &exam{store: s, facts: f, gen: resume.Of(f.Schema), orphans: map[int32]bool{}, lists: map[string]string{}, updateFirst: UpdateAdvice(f), deep: r.options.Deep, walk: r.newWalk(s)}, nil
}

func (r *runner) tell(stage string, done int64) {
	if r.options.Progress != nil {
		r.options.Progress(stage, done, 0)
	}
}

// examine answers the questions that checks share, runs the checks, and adds the store's part to the result.
func (r *runner) examine(ctx context.Context, e *exam) error {
	if r.selected("malformed-page") {
		defer e.walk.begin(ctx)()
	}
	r.tell("read logs and copies", 0)
	if err := r.hear(ctx, e); err != nil {
		return err
	}
	r.tell("find orphans", 0)
	orphans, witnesses, err := adopt.Orphans(ctx, e.facts, e.store.DB)
	if err != nil {
		return fmt.Errorf("find orphans: %w", err)
	}
	for _, i := range orphans {
		e.orphans[i] = true
	}
	r.tell("read texts", 0)
	if e.texts, err = e.facts.ReadTexts(ctx, e.store.DB, orphans, r.options.Deep); err != nil {
		return err
	}
	r.tell("decide about orphans", 0)
	resolvers := resume.All(e.facts, r.out.Now)
	in := adopt.Input{Facts: e.facts, DB: e.store.DB, Gap: r.options.MaxGap, Resolvers: resolvers, GarbledMessages: e.texts.Messages}
	if e.adopted, err = adopt.Decide(ctx, in, orphans, witnesses); err != nil {
		return fmt.Errorf("decide about orphans: %w", err)
	}
	e.resolve(resolvers)
	if err := e.findZombies(ctx, r.gap()); err != nil {
		return fmt.Errorf("find zombies: %w", err)
	}
	e.classify()
	from := len(r.out.Findings)
	// About three checks speak of each zombie; growing step by step would copy thousands of findings over and over.
	r.out.Findings = slices.Grow(r.out.Findings, len(orphans)+3*len(e.zombies))
	if err := r.runChecks(ctx, e); err != nil {
		return err
	}
	d := e.database(r.out.Now)
	d.Notes = append(d.Notes, e.searchNotes(ctx)...)
	r.out.Databases = append(r.out.Databases, d)
	e.checked = true
	r.out.Census = append(r.out.Census, e.census()...)
	r.out.Ends = append(r.out.Ends, e.ends(r.out.Now)...)
	lines := e.lines(e.planned(r.out.Findings[from:]))
	r.out.Resume = append(r.out.Resume, lines...)
	harmless, err := e.notDamage(ctx, r.out.Now)
	if err != nil {
		return fmt.Errorf("look for what only looks like damage: %w", err)
	}
	r.out.NotDamage = append(r.out.NotDamage, harmless...)
	if r.options.Rows {
		r.out.Sessions = append(r.out.Sessions, e.rows(r.out.Now)...)
	}
	stories := e.stories(r.out.Now, r.options.Target, r.single(e))
	if e.store.Header != nil || e.store.WAL.Foreign() { // a repair refuses such a file
		for i := range stories {
			stories[i].Next = ""
		}
	}
	if err := e.draw(ctx, stories, lines, r.options.Lanes); err != nil {
		return err
	}
	r.out.Stories = append(r.out.Stories, stories...)
	return nil
}

func (r *runner) gap() float64 {
	if r.options.MaxGap > 0 {
		return r.options.MaxGap
	}
	return adopt.DefaultGap
}

// resolve loads the routes of the generations that checks ask: the file's own and the newest.
func (e *exam) resolve(resolvers map[resume.Generation]*resume.Resolver) {
	e.resolvers, e.now = resolvers, map[resume.Generation]*resume.Loaded{}
	for _, g := range []resume.Generation{e.gen, resume.Newest} {
		if e.now[g] == nil {
			e.now[g] = resolvers[g].Load(e.facts.View())
		}
	}
}

// planned shows the facts with the cells of the default plan: those of adoptions and those that checks propose, but for
// what needs consent.
func (e *exam) planned(findings []Finding) *facts.View {
	var fills []Fill
	for i := range findings {
		if f := &findings[i]; f.Adoption == nil && !f.Held {
			fills = append(fills, f.Fills...)
		}
	}
	if len(fills) == 0 {
		return e.adopted.Planned()
	}
	v := e.adopted.Planned().Fork()
	adopt.Change(v, fills)
	return v
}

// has says whether the store has what a check needs.
func (e *exam) has(n Needs) bool {
	db := e.store.DB
	switch {
	case n&(NeedStore|NeedHome) != 0:
		return false
	case n&NeedMessages != 0 && db.Table("messages") == nil:
		return false
	case n&NeedKeys != 0 && !e.facts.HasKeys:
		return false
	case n&NeedRoutes != 0 && !e.facts.Routes.HasTable && !e.facts.Routes.HasFile:
		return false
	}
	return true
}

// pass makes what one check is given; what the check leaves blank in a finding is filled in.
func (e *exam) pass(c *Check, now float64, add func(Finding)) *Pass {
	return &Pass{
		Now:   now,
		Store: e.store, Facts: e.facts, Texts: e.texts, Resolver: e.now[e.gen], Newest: e.now[resume.Newest], Adopted: e.adopted,
		Zombies: e.zombies, Classes: e.classes, UpdateFirst: e.updateFirst, lists: e.lists, Deep: e.deep, walk: e.walk, own: e,
		Report: func(f Finding) { add(c.complete(f, e.facts.Store)) },
	}
}

// complete fills in what a check leaves blank in a finding.
func (c *Check) complete(f Finding, store string) Finding {
	f.Check, f.File = c.ID, c.Needs&NeedFile != 0
	if f.Severity == "" {
		f.Severity = c.Severity
	}
	if f.Issues == nil {
		f.Issues = c.Issues
	}
	if f.Subject.Store == "" {
		f.Subject.Store = store
	}
	return f
}

func (e *exam) database(now float64) Database {
	f, s := e.facts, e.store
	d := Database{
		Store: f.Store, SchemaVersion: f.Schema, Newer: f.Schema > facts.Newest, Generation: string(e.gen),
		JournalMode: s.JournalMode, PageSize: s.PageSize, Pages: s.Pages, Sessions: int64(len(f.Sessions)),
		Messages: f.MessageRows, View: s.View, Views: views(s), Notes: append([]string{}, s.Notes...),
	}
	if d.Newer {
		d.Notes = append(d.Notes, fmt.Sprintf("schema version %d is newer than any that is known (%d): read by its columns; rules of newer builds are unknown", f.Schema, facts.Newest))
	}
	if f.Schemas > 1 {
		d.Notes = append(d.Notes, fmt.Sprintf("schema_version has %d rows; the highest counts", f.Schemas))
	}
	if note := e.walk.note(); note != "" {
		d.Notes = append(d.Notes, note)
	}
	d.Notes = append(d.Notes, e.routeNotes()...)
	if w := e.writers(); w != "" {
		d.Notes = append(d.Notes, w)
	}
	d.Notes = append(d.Notes, f.Heard.Notes...)
	if note := e.pluginNote(); note != "" {
		d.Notes = append(d.Notes, note)
	}
	if note := e.pruneNote(now); note != "" {
		d.Notes = append(d.Notes, note)
	}
	return d
}

// layout reads what the store has for searching, once for all that ask. One that cannot be read stays an error for each.
func (e *exam) layout(ctx context.Context) (*search.Layout, error) {
	if e.search == nil && e.unsearched == nil {
		l, err := search.Read(ctx, e.store.DB)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		e.search, e.unsearched = l, err
	}
	return e.search, e.unsearched
}

// searchNotes names the full-text indexes that no check can compare with the messages. Of a layout that cannot be read the checks
// say so.
func (e *exam) searchNotes(ctx context.Context) (notes []string) {
	l, err := e.layout(ctx)
	if err != nil {
		return nil
	}
	for i := range l.Indexes {
		if why := l.Indexes[i].Uncheckable(); why != "" {
			notes = append(notes, "the search index "+l.Indexes[i].Name+" was not compared with the messages: "+why)
		}
	}
	return notes
}

// undecidedShown bounds the notes about lines of logs that decide nothing.
const undecidedShown = 10

// routeNotes tells what the answers about routes assume.
func (e *exam) routeNotes() []string {
	rt, notes := &e.facts.Routes, e.facts.Config.Notes
	switch {
	case rt.FileBroken != "":
		notes = append(notes, "sessions.json is not read by any build: "+rt.FileBroken)
	case rt.FileLost != "":
		notes = append(notes, "sessions.json is lost to builds before v0.21: "+rt.FileLost)
	}
	if len(rt.Table) == 0 && len(rt.Others) > 0 {
		notes = append(notes, fmt.Sprintf("gateway_routing has %d entries of other scopes than %q (%s): they are not read", len(rt.Others), rt.Scope, rt.ScopeBy))
	}
	if len(rt.Table) > 0 {
		notes = append(notes, fmt.Sprintf("routing entries are those of scope %q (%s)", rt.Scope, rt.ScopeBy))
	}
	switch entries := len(rt.Table)+len(rt.File) > 0; {
	case entries && e.facts.Heard.Local:
		notes = append(notes, "local times in routing entries and logs: "+rt.ZoneBy)
	case entries:
		notes = append(notes, "local times in routing entries: "+rt.ZoneBy)
	case e.facts.Heard.Local:
		notes = append(notes, "local times in logs: "+rt.ZoneBy)
	}
	for _, z := range e.undecided[:min(len(e.undecided), undecidedShown)] {
		notes = append(notes, fmt.Sprintf("%s says that session %s served %s, which resumes %s: whether that was later cannot be told without the zone; TZ names it",
			z.Line.Saw.At, z.Line.Session, e.facts.Sessions[z.Row].SessionKey, e.facts.Sessions[z.Row].ID))
	}
	return notes
}

func views(s *evidence.Store) []View {
	out := []View{}
	for _, v := range s.Views {
		w := View{Name: v.Name, Sessions: v.Sessions, Messages: v.Messages, Newest: v.Newest}
		if v.Err != nil {
			w.Error = v.Err.Error()
		}
		out = append(out, w)
	}
	return out
}
