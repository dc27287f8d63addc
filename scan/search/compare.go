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
	d, at, next := &Difference{}, 0, int64(0)
	if len(held) > 0 {
		next = held[0].first
	}
	foreign := func(upTo int64) { // what lies in front of a message
		for at < len(held) && next < upTo {
			r := held[at]
			end := min(r.last+1, upTo)
			for id := next; id < end && len(d.ForeignIDs) < shown; id++ {
				d.ForeignIDs = append(d.ForeignIDs, id)
			}
			d.Foreign += end - next
			if next = end; next > r.last {
				if at++; at < len(held) {
					next = held[at].first
				}
			}
		}
	}
	err = db.Rows(ctx, "messages", []string{"role", "session_id"}, func(id int64, row []evidence.Value) error {
		foreign(id)
		in := at < len(held) && next == id
		if in {
			if next++; next > held[at].last {
				if at++; at < len(held) {
					next = held[at].first
				}
			}
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
	if len(held) > 0 {
		foreign(held[len(held)-1].last + 1)
	}
	return d, nil
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
