package search

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
)

// Difference is what an index holds too little or too much.
type Difference struct {
	Messages int64 // that it should hold
	Absent   int64 // of those, not in it
	Foreign  int64 // rows of it that are of no message
	// A few ids of each, in order.
	AbsentIDs, ForeignIDs []int64
}

// shown bounds the ids of a Difference.
const shown = 5

// maxRuns bounds how many runs of ids are held at a time, 16 bytes each. The ids of an index are nearly one run.
const maxRuns = 4 << 20

// ErrTooScattered says that the ids of an index have more gaps than are held at a time.
var ErrTooScattered = errors.New("the ids in the search index have too many gaps to be held at a time")

type run struct{ first, last int64 }

// Compare says which messages an index lacks, by its table of sizes and the rule of its variant. An index without such a
// table, or whose rule is not known, gives nil. Messages that a rebuild has not reached, and those of sessions whose
// kind may have changed since they were indexed, may be in it or not.
func (l *Layout) Compare(ctx context.Context, db *evidence.DB, f *facts.Facts, x *Index) (*Difference, error) {
	if x.Rule == Unknown || x.Sizes == "" || db.Table(x.Sizes) == nil {
		return nil, nil
	}
	held, err := ids(ctx, db, x.Sizes)
	if err != nil {
		return nil, err
	}
	d, c := &Difference{}, cursor{left: held}
	foreign := func(r run) {
		for id := r.first; len(d.ForeignIDs) < shown; id++ {
			d.ForeignIDs = append(d.ForeignIDs, id)
			if id == r.last { // there may be no id behind it
				break
			}
		}
		d.Foreign += r.last - r.first + 1
	}
	err = db.Rows(ctx, "messages", []string{"role", "session_id"}, func(id int64, row []evidence.Value) error {
		for c.before(id) {
			foreign(c.take(id - 1))
		}
		in := c.at(id)
		if in {
			c.take(id)
		}
		if !l.wants(x, f, id, row) {
			return nil
		}
		if d.Messages++; !in {
			if d.Absent++; len(d.AbsentIDs) < shown {
				d.AbsentIDs = append(d.AbsentIDs, id)
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("compare the search index %s with the messages: %w", x.Name, err)
	}
	for _, r := range c.left {
		foreign(r)
	}
	return d, nil
}

// cursor goes over ids in order. It never counts beyond the last of a run, which may be the highest number that there is.
type cursor struct{ left []run }

func (c *cursor) before(id int64) bool { return len(c.left) > 0 && c.left[0].first < id }

func (c *cursor) at(id int64) bool { return len(c.left) > 0 && c.left[0].first == id }

// take gives what is left of the first run up to an id, and goes behind it.
func (c *cursor) take(upTo int64) run {
	r := c.left[0]
	if r.last <= upTo {
		c.left = c.left[1:]
		return r
	}
	c.left[0].first = upTo + 1
	return run{r.first, upTo}
}

// wants says that a message must be in the index.
func (l *Layout) wants(x *Index, f *facts.Facts, id int64, row []evidence.Value) bool {
	if l.Rebuild && id > l.Done && id <= l.High {
		return false
	}
	if x.Rule == All {
		return true
	}
	if row[0].Kind != evidence.Text || row[0].String() == "tool" {
		return false
	}
	if x.Rule == NotTools {
		return true
	}
	i, ok := f.Index(row[1].String())
	if !ok {
		return false
	}
	s := &f.Sessions[i]
	return s.Source != "cron" && s.Source != "subagent" && !s.HasDelegate
}

// ids gives the rowids of a table as runs.
func ids(ctx context.Context, db *evidence.DB, table string) ([]run, error) {
	var out []run
	err := db.Rows(ctx, table, nil, func(id int64, _ []evidence.Value) error {
		if n := len(out); n > 0 && out[n-1].last == id-1 {
			out[n-1].last = id
			return nil
		}
		if len(out) == maxRuns {
			return ErrTooScattered
		}
		out = append(out, run{id, id})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", table, err)
	}
	return out, nil
}
