package pages

import (
	"context"

	"golang.org/x/sync/errgroup"
)

const (
	batchSpans   = 256     // spans that a worker hands over at once
	batchBytes   = 1 << 16 // bytes of keys after which it hands over earlier
	batchesAhead = 128     // batches that a worker may be ahead of the order in which they are given out
)

// spanBatch is a run of spans and the bytes of their keys.
type spanBatch struct {
	spans []Span
	keys  []byte
	ends  []int // where each key ends in keys
}

func newSpanBatch() *spanBatch {
	return &spanBatch{spans: make([]Span, 0, batchSpans), ends: make([]int, 0, batchSpans), keys: make([]byte, 0, 32*batchSpans)}
}

func (b *spanBatch) add(s *Span) {
	b.spans = append(b.spans, *s)
	b.keys = append(b.keys, s.Key.Bytes...)
	b.ends = append(b.ends, len(b.keys))
}

// each gives the spans with their keys put back.
func (b *spanBatch) each(fn func(*Span) error) error {
	from := 0
	for i := range b.spans {
		b.spans[i].Key.Bytes = b.keys[from:b.ends[i]]
		from = b.ends[i]
		if err := fn(&b.spans[i]); err != nil {
			return err
		}
	}
	return nil
}

// spanRanges reads every range in its own goroutine and joins their spans in key order. A range that is far ahead
// waits, so that memory is bounded whatever the file holds.
func (f *File) spanRanges(ctx context.Context, ranges []Range, q SpanQuery, seen *pageSet, j *spanJoiner) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	g, ctx := errgroup.WithContext(ctx)
	outs := make([]chan *spanBatch, len(ranges))
	for i, r := range ranges {
		outs[i] = make(chan *spanBatch, batchesAhead)
		g.Go(func() error {
			defer close(outs[i])
			return f.spanWorker(ctx, r, q, seen, outs[i])
		})
	}
	var joinErr error
	for _, out := range outs {
		for b := range out {
			if joinErr != nil {
				continue // drain, so that no worker hangs
			}
			if joinErr = b.each(j.add); joinErr != nil {
				cancel()
			}
		}
	}
	if err := g.Wait(); joinErr == nil {
		return err
	}
	return joinErr
}

// spanWorker reads one range into batches.
func (f *File) spanWorker(ctx context.Context, r Range, q SpanQuery, seen *pageSet, out chan<- *spanBatch) error {
	batch := newSpanBatch()
	send := func() error {
		select {
		case out <- batch:
			batch = newSpanBatch()
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	err := f.spanRange(ctx, r, q, seen, func(s *Span) error {
		batch.add(s)
		if len(batch.spans) >= batchSpans || len(batch.keys) >= batchBytes {
			return send()
		}
		return nil
	})
	if err != nil {
		return err
	}
	return send()
}
