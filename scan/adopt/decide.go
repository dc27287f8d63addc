package adopt

import (
	"context"
	"errors"
	"slices"
	"sort"
	"sync"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
	"github.com/seed-4d3eb737/hermes-doctor/scan/resume"
)

// DefaultGap is the widest silence, in seconds, that contiguity bridges (CONTRACT's adoption table).
const DefaultGap = 900

// Input is what a decision is made from.
type Input struct {
	Facts *facts.Facts
	DB    *evidence.DB
	Gap   float64 // seconds; 0 = DefaultGap
	// Resolvers holds one resolver for each generation, over Facts.
	Resolvers map[resume.Generation]*resume.Resolver
	// GarbledMessages holds the orphans with a message whose text is not UTF-8.
	GarbledMessages map[int32]bool
}

// Orphans finds the orphans of a file and the rank 1 witnesses that name sessions for chats. Where files lie beside the
// database, they must have been heard.
func Orphans(ctx context.Context, f *facts.Facts, db *evidence.DB) (rows []int32, witnesses map[string][]facts.Witness, err error) {
	witnesses = f.Recorded()
	spoken := f.Corroborated()
	served, err := f.Details(ctx, db, Suspects(f), facts.WantSessionMeta)
	if err != nil {
		return nil, nil, err
	}
	for i := range f.Sessions {
		d, id := served[int32(i)], f.Sessions[i].ID
		if Orphan(f, int32(i), d != nil && d.SessionMeta || len(witnesses[id])+len(spoken[id]) > 0) {
			rows = append(rows, int32(i))
		}
	}
	return rows, witnesses, nil
}

// orphan is one row under decision.
type orphan struct {
	*Adoption
	row     int32
	pred    int32 // -1 = none
	fit     fit   // how contiguity holds for pred
	strong  bool  // evidence other than contiguity
	lane    laneID
	origin  facts.Origin
	detail  *facts.Detail
	corrob  []facts.Witness // rank 2; those without a key say only which chat it was
	linkOf  *orphan         // the orphan that pred is, in a chain
	foreign *Refusal        // its parent is a row of another source or profile
	severed bool            // a reason that denies the link itself, so that the chain is not bound by this refusal
}

// Decisions is the outcome for one database.
type Decisions struct {
	Orphans   []int32 // by start
	Witnesses map[string][]facts.Witness
	Losers    map[int32][]int32 // by orphan: the live rows that its plan retires, the predecessor first

	byRow   map[int32]outcome
	fills   map[int32][]Fill
	planned *facts.View // with the default plan's cells
}

// outcome is what is kept of an orphan: decisions live as long as the scan.
type outcome struct {
	*Adoption
	pred   int32
	corrob []facts.Witness
}

type decider struct {
	Input
	f      *facts.Facts
	view   *facts.View
	gen    resume.Generation
	lanes  map[laneID]*lane
	chats  map[chatID]*chat
	places map[place][]string // keys by source, chat and thread
	wit    map[string][]facts.Witness
	around map[facts.Probe]facts.Around
	list   []*orphan
	byRow  map[int32]*orphan

	chatsOf map[string][]facts.Chat // by source
	tallies map[string]*tally
	people  map[string][]string // by source: users that orphans name, two at most

	asked   []facts.Chat // the chats whose answers are compared
	askedAt map[facts.Chat]int
	before  answers // over the facts as they are
}

type chatID struct {
	lane laneID
	key  string
}

// Decide decides about all orphans of a file. rows and witnesses come from Orphans.
func Decide(ctx context.Context, in Input, rows []int32, witnesses map[string][]facts.Witness) (*Decisions, error) {
	if in.Gap == 0 {
		in.Gap = DefaultGap
	}
	d := &decider{
		Input: in, f: in.Facts, view: in.Facts.View(), gen: resume.Of(in.Facts.Schema),
		chats: map[chatID]*chat{}, wit: witnesses, byRow: map[int32]*orphan{},
	}
	if err := d.prepare(ctx, rows); err != nil {
		return nil, err
	}
	for _, o := range d.list {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		d.weigh(o)
	}
	d.contest()
	d.settle()
	return d.plan(ctx)
}

// prepare sorts the orphans by start and asks in a few statements what spans cannot answer.
func (d *decider) prepare(ctx context.Context, rows []int32) error {
	var wait sync.WaitGroup
	wait.Go(func() { // needs nothing of what the statements below give
		d.index(rows)
		d.askAll()
	})
	details, err := d.f.Details(ctx, d.DB, rows, facts.WantVisible|facts.WantIdentity)
	corroborated, err2 := d.f.Delivered(ctx, d.DB, rows)
	wait.Wait()
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	for _, i := range rows {
		s := &d.f.Sessions[i]
		o := &orphan{Adoption: &Adoption{Decision: Adopt}, row: i, pred: -1, lane: laneOf(d.f, s), detail: details[i]}
		o.corrob = append(corroborated[i], d.f.Corroborated()[s.ID]...)
		if o.detail == nil {
			o.detail = &facts.Detail{}
		}
		o.origin, _ = facts.ParseOrigin([]byte(o.detail.OriginJSON))
		d.list = append(d.list, o)
		d.byRow[i] = o
	}
	sort.SliceStable(d.list, func(a, b int) bool {
		x, y := &d.f.Sessions[d.list[a].row], &d.f.Sessions[d.list[b].row]
		if s, t := x.Start(), y.Start(); s != t && !(s.Blank() && t.Blank()) {
			return s < t || t.Blank()
		}
		return x.ID < y.ID
	})
	d.around, err = d.f.Around(ctx, d.DB, d.probes())
	return err
}

// index builds the lanes: every keyed row, and every orphan, which may be a link of a chain.
func (d *decider) index(orphans []int32) {
	var rows []int32
	d.places, d.tallies, d.chatsOf = map[place][]string{}, map[string]*tally{}, map[string][]facts.Chat{}
	for _, c := range d.f.Chats() {
		d.chatsOf[c.Source] = append(d.chatsOf[c.Source], c)
	}
	for i := range d.f.Sessions {
		if s := &d.f.Sessions[i]; s.Keyed() {
			rows = append(rows, int32(i))
		}
	}
	d.lanes = newLanes(d.f, append(rows, orphans...))
	seen := map[*facts.Identity]bool{}
	for _, i := range rows {
		s := &d.f.Sessions[i]
		if seen[s.Identity] {
			continue
		}
		seen[s.Identity] = true
		if p := placeOf(d.f, s); p.chatID != "" && !slices.Contains(d.places[p], s.SessionKey) {
			d.places[p] = append(d.places[p], s.SessionKey)
		}
	}
}

// probes lists the rows that were active across an orphan's start: only for them do spans not tell whether they fell
// quiet before it.
func (d *decider) probes() []facts.Probe {
	var out []facts.Probe
	for _, o := range d.list {
		s := &d.f.Sessions[o.row]
		l := d.lanes[o.lane]
		start := s.Start()
		if l == nil || start.Blank() {
			continue
		}
		l.around(float64(start), float64(start), func(i int32) {
			if i != o.row && d.contradiction(o, i) == nil {
				out = append(out, facts.Probe{Row: i, At: start})
			}
		})
	}
	return out
}

// key is the key that a row has, or gets by this plan; "" = none.
func (d *decider) key(i int32) string {
	if o := d.byRow[i]; o != nil {
		if o.Decision == Refuse {
			return ""
		}
		return o.SessionKey
	}
	return d.f.Sessions[i].SessionKey
}

// Adoption gives the decision about an orphan; nil for any other row.
func (d *Decisions) Adoption(i int32) *Adoption {
	return d.byRow[i].Adoption
}

// Predecessor gives the row that an orphan continues; -1 = none.
func (d *Decisions) Predecessor(i int32) int32 {
	if o, ok := d.byRow[i]; ok {
		return o.pred
	}
	return -1
}

// Fills gives the cells that an orphan's adoption fills; nil where it is refused.
func (d *Decisions) Fills(i int32) []Fill { return d.fills[i] }

// Planned shows the facts with the default plan's cells filled in: every adoption that needs no consent.
func (d *Decisions) Planned() *facts.View { return d.planned }

// Corroboration gives an orphan's rank 2 witnesses: deliveries whose text its assistant sent, lines of logs, and request
// dumps.
func (d *Decisions) Corroboration(i int32) []facts.Witness {
	return d.byRow[i].corrob
}
