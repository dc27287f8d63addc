package pages

import (
	"context"
	"encoding/binary"
	"fmt"
)

// maxRemnants bounds how many runs of older frames a WALScan lists.
const maxRemnants = 64

// WALScan is what a WAL holds, as SQLite's recovery would read it.
type WALScan struct {
	Slots     int64  // whole frames that the file has room for
	Frames    int64  // valid frames: salts and running checksum hold
	Commits   int64  // valid frames that end a transaction
	Committed int64  // frames up to the last commit; those between it and Frames count for nothing
	Pages     uint32 // size of the database after the last commit, in pages; 0 without one
	Stop      WALStop
	Remnants  []Remnant // what stands behind the valid frames, at most the first 64 runs
	// Latest gives for each page the offset in the WAL at which its newest committed content begins. Pages beyond
	// Pages are left out.
	Latest map[uint32]int64
}

// WALStop says why no further frame is valid.
type WALStop string

// The reasons for which a scan ends.
const (
	StopEnd      WALStop = "end"      // every whole frame was valid, and no bytes are left over
	StopPartial  WALStop = "partial"  // bytes are left over that are no whole frame
	StopHeader   WALStop = "header"   // the header's checksum is wrong
	StopSalts    WALStop = "salts"    // a frame of another generation
	StopPage     WALStop = "page"     // a frame for page 0
	StopChecksum WALStop = "checksum" // a frame that was torn, or changed
)

// Remnant is a run of frames behind the valid ones that have the same salts. SQLite does not read it; it is most
// often the rest of an older generation, whose content the database took over before the WAL was started again.
type Remnant struct {
	Salts   Salts
	Current bool  // the salts are those of the header: frames behind a torn one
	First   int64 // number of the first frame, counted from 0
	Frames  int64
	Commits int64
}

// Scan walks all frames. Its time is linear in the file's length; the context is checked at each frame. Only reading
// problems are errors: damage is told by the result.
func (w *WAL) Scan(ctx context.Context) (*WALScan, error) {
	s := &WALScan{Slots: w.slots(), Latest: map[uint32]int64{}}
	if err := w.scanValid(ctx, s); err != nil {
		return nil, err
	}
	for page := range s.Latest {
		if page > s.Pages {
			delete(s.Latest, page)
		}
	}
	if err := w.scanRemnants(ctx, s); err != nil {
		return nil, err
	}
	return s, nil
}

// frame is the header of one frame.
type frame struct {
	page   uint32
	commit uint32 // size of the database in pages, where the frame ends a transaction
	salts  Salts
	sum    checksum
}

func parseFrame(b []byte) frame {
	u32 := func(at int) uint32 { return binary.BigEndian.Uint32(b[at:]) }
	return frame{u32(0), u32(4), Salts{u32(8), u32(12)}, checksum{u32(16), u32(20)}}
}

// scanValid walks frames as long as they are valid.
func (w *WAL) scanValid(ctx context.Context, s *WALScan) error {
	if !w.header.ChecksumValid {
		s.Stop = StopHeader
		return nil
	}
	b := make([]byte, w.frameSize())
	sum := w.seed
	pending := map[uint32]int64{} // pages of the transaction at hand
	for ; s.Frames < s.Slots; s.Frames++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		at := w.frameAt(s.Frames)
		if _, err := readFull(w.r, b, at); err != nil {
			return fmt.Errorf("read wal frame %d: %w", s.Frames, err)
		}
		fr := parseFrame(b)
		sum = sum.add(b[:8], w.header.BigEndian).add(b[frameHeaderSize:], w.header.BigEndian)
		if s.Stop = fr.problem(w.header.Salts, sum); s.Stop != "" {
			return nil
		}
		pending[fr.page] = at + frameHeaderSize
		if fr.commit != 0 {
			s.Commits++
			s.Committed = s.Frames + 1
			s.Pages = fr.commit
			for page, at := range pending {
				s.Latest[page] = at
			}
			clear(pending)
		}
	}
	s.Stop = StopEnd
	if w.frameAt(s.Slots) != w.size {
		s.Stop = StopPartial
	}
	return nil
}

// problem says why the frame is not valid, or "" where it is.
func (fr frame) problem(salts Salts, sum checksum) WALStop {
	switch {
	case fr.salts != salts:
		return StopSalts
	case fr.page == 0:
		return StopPage
	case fr.sum != sum:
		return StopChecksum
	}
	return ""
}

// scanRemnants lists what stands behind the valid frames.
func (w *WAL) scanRemnants(ctx context.Context, s *WALScan) error {
	var b [frameHeaderSize]byte
	var run *Remnant
	for i := s.Frames; i < s.Slots; i++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, err := readFull(w.r, b[:], w.frameAt(i)); err != nil {
			return fmt.Errorf("read wal frame %d: %w", i, err)
		}
		fr := parseFrame(b[:])
		if fr.page == 0 { // no frame was ever written there
			run = nil
			continue
		}
		if run == nil || run.Salts != fr.salts {
			if len(s.Remnants) == maxRemnants {
				return nil
			}
			s.Remnants = append(s.Remnants, Remnant{Salts: fr.salts, Current: fr.salts == w.header.Salts, First: i})
			run = &s.Remnants[len(s.Remnants)-1]
		}
		run.Frames++
		if fr.commit != 0 {
			run.Commits++
		}
	}
	return nil
}

// FirstPage is page 1 as one committed frame has it.
type FirstPage struct {
	Content []byte
	// Before is the size of the database, in pages, after the transactions that come before the first such frame; 0 where
	// it is not the first or nothing comes before.
	Before uint32
}

// maxFirstPages bounds how many contents of page 1 are kept: the first ones and the last.
const maxFirstPages = 1024

// FirstPages gives page 1 of every committed frame that has it, in order; of more than 1024 the last takes the place of
// the one before.
func (w *WAL) FirstPages(ctx context.Context, s *WALScan) ([]FirstPage, error) {
	var out []FirstPage
	var before uint32
	head := make([]byte, frameHeaderSize)
	for i := range s.Committed {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		at := w.frameAt(i)
		if _, err := readFull(w.r, head, at); err != nil {
			return nil, fmt.Errorf("read wal frame %d: %w", i, err)
		}
		fr := parseFrame(head)
		if fr.page == 1 {
			page := FirstPage{Content: make([]byte, w.header.PageSize)}
			if _, err := readFull(w.r, page.Content, at+frameHeaderSize); err != nil {
				return nil, fmt.Errorf("read wal frame %d: %w", i, err)
			}
			if len(out) == 0 {
				page.Before = before
			}
			if len(out) == maxFirstPages {
				out = out[:len(out)-1]
			}
			out = append(out, page)
		}
		if fr.commit != 0 {
			before = fr.commit
		}
	}
	return out, nil
}

// Behind gives, for each page in the frames behind the valid ones, the offset of its content in the last of them.
func (w *WAL) Behind(ctx context.Context, s *WALScan) (map[uint32]int64, error) {
	out := map[uint32]int64{}
	head := make([]byte, frameHeaderSize)
	for i := s.Frames; i < s.Slots; i++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if _, err := readFull(w.r, head, w.frameAt(i)); err != nil {
			return nil, fmt.Errorf("read wal frame %d: %w", i, err)
		}
		if fr := parseFrame(head); fr.page != 0 {
			out[fr.page] = w.frameAt(i) + frameHeaderSize
		}
	}
	return out, nil
}
