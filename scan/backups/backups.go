package backups

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

// candidatesRead bounds how many different copies are compared: each has a bit of a word.
const candidatesRead = 64

// Candidate is one database that something could be restored from.
type Candidate struct {
	evidence.Nearby
	Store    string // the database in an archive of several; "" = the file itself
	View     string // which view of it was read, see evidence.Store
	Rank     int    // from 1, among those of its profile; 0 where it cannot be read
	Why      string // why it has no rank: it cannot be read
	Whole    bool   // nothing of it is damaged, and everything could be looked at
	Flaws    []string
	Verdict  scan.Verdict // of the file by itself, without what lies beside it
	Sessions int64
	Messages int64
	Newest   float64 // epoch seconds of the newest trusted message; NaN = none
	Alone    Alone
	Beyond   Beyond // what it holds and the database of its profile, where one was read, does not
	Aside    bool   // a -wal or -journal beside it was not used, or shows other rows: more may be in it than was read
	Same     string // the path of an earlier candidate that holds the same bytes; "" = none
	Notes    []string
	digest   string
}

// Alone is what no other candidate holds. A message is known by its session, time, role, text and tool calls, not by its
// row number.
type Alone struct {
	Sessions int64    // rows whose id no other candidate has
	Messages int64    // different messages
	IDs      []string // the first of the sessions that have such a message, or are themselves such a row, sorted
}

// Beyond counts what a candidate has and the database that is in use has not.
type Beyond struct{ Sessions, Messages int64 }

// Own is the database in use of a profile: the state.db of a home; nil where none is among the candidates.
func (r *Ranking) Own(profile string) *Candidate {
	for i := range r.Candidates {
		if x := &r.Candidates[i]; x.own() && x.Profile == profile {
			return x
		}
	}
	return nil
}

func (x *Candidate) own() bool { return x.Kind == "database" && x.Store == "" }

// aloneShown bounds Alone.IDs.
const aloneShown = 20

// Ranking is what is known of all candidates.
type Ranking struct {
	Candidates []Candidate // by profile, the default one first; of each the best first, and those that cannot be read last
	Inputs     []evidence.Input
	Notes      []string
	Limited    bool // something was not looked at, so that a better one may exist
}

// Options steer Rank; the zero value is good.
type Options struct {
	TempDir  string // where private copies go; "" = os.TempDir()
	Scan     scan.Options
	Progress func(stage string, done, total int64) // nil = nobody is told
}

// Rank looks at every copy of a database at the paths, which are files or folders. A candidate that cannot be read stays
// in the list with the reason. Only a path that is not there, and a cancelled ctx, are errors.
func Rank(ctx context.Context, paths []string, checks []*scan.Check, o Options) (*Ranking, error) {
	out := &Ranking{}
	var found []evidence.Nearby
	for _, p := range paths {
		list, limited, err := evidence.FindNearby(p)
		if err != nil {
			return nil, err
		}
		if limited {
			out.Limited = true
			out.Notes = append(out.Notes, fmt.Sprintf("not every folder of %s was looked into", p))
		}
		found = append(found, list...)
	}
	// Databases in use come first: no number of copies keeps them from being read.
	first := func(n evidence.Nearby) int {
		if n.Kind == "database" {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(found, func(a, b evidence.Nearby) int {
		return cmp.Or(cmp.Compare(first(a), first(b)), strings.Compare(a.Path, b.Path))
	})
	found = slices.CompactFunc(found, func(a, b evidence.Nearby) bool { return a.Path == b.Path })
	c := &comparing{options: o, checks: checks, out: out, first: map[string]int{}, held: map[digest]uint64{}, rows: map[string]uint64{}, of: map[digest]string{}}
	for _, n := range found {
		if err := c.candidate(ctx, n); err != nil {
			return nil, err
		}
	}
	c.count()
	slices.SortStableFunc(out.Candidates, better)
	place := map[string]int{}
	for i := range out.Candidates {
		if x := &out.Candidates[i]; x.Why == "" {
			place[x.Profile]++
			x.Rank = place[x.Profile]
		}
	}
	return out, nil
}

// better orders candidates: the database of one profile is no copy of another's, so that each has its own order. What can be
// read comes first, then by evidence.BetterCopy.
func better(a, b Candidate) int {
	yes := func(x bool) int {
		if x {
			return 0
		}
		return 1
	}
	return cmp.Or(
		cmp.Compare(yes(a.Profile == "default"), yes(b.Profile == "default")),
		strings.Compare(a.Profile, b.Profile),
		cmp.Compare(yes(a.Why == ""), yes(b.Why == "")),
		evidence.BetterCopy(a.holding(), b.holding()),
		cmp.Compare(yes(a.Same == ""), yes(b.Same == "")),
		strings.Compare(a.Path, b.Path),
		strings.Compare(a.Store, b.Store),
	)
}

func (x *Candidate) holding() evidence.Holding {
	return evidence.Holding{Sound: x.Whole, Sessions: x.Sessions, Messages: x.Messages, Newest: x.Newest}
}

// comparing is the work on one list of candidates.
type comparing struct {
	options Options
	checks  []*scan.Check
	out     *Ranking
	first   map[string]int    // the candidate that was the first with these bytes
	held    map[digest]uint64 // which candidates hold a message, one bit each
	rows    map[string]uint64 // which candidates have a session row of this id
	read    []int             // the candidate of each bit
	of      map[digest]string // the session of a message
}

// candidate opens one file and takes in what it holds.
func (c *comparing) candidate(ctx context.Context, n evidence.Nearby) (err error) {
	bundle, err := evidence.Open(ctx, []string{n.Path}, evidence.Options{TempDir: c.options.TempDir, Damaged: true, NoCheckpoints: true, Progress: c.options.Progress})
	if err != nil {
		return c.unread(ctx, n, "", err)
	}
	defer func() { err = errors.Join(err, bundle.Close()) }()
	if len(bundle.Stores) == 1 && bundle.Stores[0].Fault != nil {
		err := c.unread(ctx, n, "", bundle.Stores[0].Fault)
		inputs, _ := bundle.Inputs(ctx) // what could not be hashed is not named as an input
		c.out.Inputs = append(c.out.Inputs, inputs...)
		return err
	}
	o := c.options.Scan
	o.Target, o.Progress, o.Rows, o.Timeline = evidence.ShellQuote(n.Path), c.options.Progress, false, false
	result, err := scan.Run(ctx, bundle, c.checks, o)
	if err != nil {
		return c.unread(ctx, n, "", err)
	}
	inputs, err := bundle.Inputs(ctx)
	if err != nil {
		return c.unread(ctx, n, "", err)
	}
	c.out.Inputs = append(c.out.Inputs, inputs...)
	for _, s := range bundle.Stores {
		x := Candidate{Nearby: n, View: s.View, Newest: math.NaN(), Verdict: result.Verdict, Notes: s.Notes}
		if len(bundle.Stores) > 1 {
			x.Store = s.Name
			if s.Profile != "" {
				x.Profile = s.Profile
			}
		}
		x.Aside = aside(s, inputs)
		if s.Fault != nil {
			if err := c.unread(ctx, n, s.Name, s.Fault); err != nil {
				return err
			}
			continue
		}
		if len(bundle.Stores) == 1 {
			x.digest = result.Digest
		}
		if result.Verdict.Word == scan.Damaged || result.Verdict.Word == scan.Inconclusive {
			x.Flaws = append(x.Flaws, result.Verdict.Sentence)
		}
		if err := c.take(ctx, s, &x); err != nil {
			return err
		}
		x.Whole = len(x.Flaws) == 0
		c.out.Candidates = append(c.out.Candidates, x)
	}
	return nil
}

// aside says that the view that was read may lack rows that a sidecar holds.
func aside(s *evidence.Store, inputs []evidence.Input) bool {
	for i := range s.Views {
		if v := &s.Views[i]; v.Err != nil || v.Sessions != s.Views[0].Sessions || v.Messages != s.Views[0].Messages {
			return true
		}
	}
	for _, in := range inputs {
		if in.Bytes > 0 && (in.Role == evidence.RoleWAL && s.View != evidence.ViewWAL || in.Role == evidence.RoleJournal && s.View != evidence.ViewJournal) {
			return true
		}
	}
	return false
}

// unread keeps a candidate that cannot be read, with the reason. A database of another program is none.
func (c *comparing) unread(ctx context.Context, n evidence.Nearby, store string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	why := err.Error()
	var in *evidence.InputError
	if errors.As(err, &in) {
		why = in.Reason
		if in.OtherProgram() && n.Kind == "copy" || in.NoDatabase() && n.Kind == "archive" {
			return nil
		}
	}
	c.out.Candidates = append(c.out.Candidates, Candidate{Nearby: n, Store: store, Why: why, Newest: math.NaN()})
	return nil
}
