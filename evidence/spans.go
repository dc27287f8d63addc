package evidence

import (
	"context"
	"errors"
)

// Spans is a pass over the messages that goes on beside other reading.
type Spans struct {
	db     *DB
	cancel context.CancelFunc
	done   chan struct{}
	err    error

	keys  []byte // all session ids, one behind the other
	spans []keyedSpan
}

type keyedSpan struct {
	Span
	end  int // of the id in keys
	null bool
}

// StartSpans begins to read the span of every session_id from the pages of the file, in a goroutine of its own, while
// the caller reads other tables of the same DB. The caller must call Each or Stop.
func (d *DB) StartSpans(ctx context.Context) *Spans {
	ctx, cancel := context.WithCancel(ctx)
	n := d.RowHint(ctx, "sessions") // most ids have a row, and most rows have messages
	s := &Spans{db: d, cancel: cancel, done: make(chan struct{}), keys: make([]byte, 0, 32*n), spans: make([]keyedSpan, 0, n)}
	var index *Index
	if t := d.Table("messages"); t != nil {
		index = t.spanIndex()
	}
	if d.direct == nil || index == nil {
		s.err = errNotDirect
		close(s.done)
		return s
	}
	go func() {
		defer close(s.done)
		_, _, s.err = d.direct.spans(ctx, index, 1, func(id []byte, span Span) error {
			s.keys = append(s.keys, id...)
			s.spans = append(s.spans, keyedSpan{span, len(s.keys), id == nil})
			return nil
		})
	}()
	return s
}

// Each waits for the pass and gives what Spans of DB gives. A file without messages gives nothing.
func (s *Spans) Each(ctx context.Context, fn func(session []byte, span Span) error) error {
	<-s.done
	s.cancel()
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.err != nil {
		if s.db.Table("messages") == nil {
			return nil
		}
		return s.db.Spans(ctx, fn)
	}
	from := 0
	for i := range s.spans {
		k := &s.spans[i]
		id := s.keys[from:k.end:k.end]
		if k.null {
			id = nil
		}
		from = k.end
		if err := fn(id, k.Span); err != nil {
			return err
		}
	}
	return nil
}

// Stop ends the pass without its answer.
func (s *Spans) Stop() error {
	s.cancel()
	<-s.done
	if errors.Is(s.err, context.Canceled) || errors.Is(s.err, errNotDirect) {
		return nil
	}
	return s.err
}

// RowHint is about how many rows an ordinary table has, for making room: its highest rowid, if that is believable.
func (d *DB) RowHint(ctx context.Context, table string) int {
	t, n := d.Table(table), int64(0)
	if t == nil || t.rowid == "" {
		return 0
	}
	err := d.Query(ctx, "SELECT max("+t.rowid+") FROM "+QuoteName(t.Name), nil, func(row []Value) error {
		n = row[0].Int
		return nil
	})
	if err != nil || n < 0 || n > 1<<20 {
		return 0
	}
	return int(n)
}
