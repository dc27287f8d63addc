package gitro

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// What is spent on a pack without an index: everything in it must be read, and each object is 28 bytes in memory.
const (
	reindexObjects = 1 << 20  // over all such packs
	reindexWork    = 2 << 30  // bytes that are inflated, over all such packs
	reindexDelta   = 32 << 20 // bytes of an object that is stored as a delta
	reindexRounds  = 64       // deltas whose bases are told by name, on top of each other
)

// reindex reads packs whose index is missing or unusable from end to end. git sees none of their objects, and neither do
// readers that are to see what git sees; WholeReader gives them. A pack that ends early gives what stands before.
func (r *Repo) reindex(stems []string) {
	left := int64(reindexWork)
	for _, stem := range stems {
		path := "objects/pack/" + stem + ".pack"
		f, st, err := r.packDir.dir.Open(stem + ".pack")
		if err != nil {
			r.problem(path, FaultUnreadable, "cannot be opened: "+bare(err).Error())
			continue
		}
		var p *pack
		note := "more packs, or objects of such packs, than are read"
		if len(r.packs)+len(r.hidden) < r.limits.Packs && r.packDir.Reindexed < reindexObjects {
			p, note = r.readPack(&blockFile{name: path, file: f, size: st.Size}, &left)
		}
		if note != "" {
			r.problem(path, FaultCorrupt, note)
		}
		if p == nil {
			_ = f.Close() // opened for reading
			continue
		}
		r.hidden = append(r.hidden, p)
		r.packDir.Reindexed += p.index.count
	}
}

// found is an object of a pack that is being read.
type foundEntry struct {
	off  int64
	id   ID // the zero id until its content is known
	base ID // of a delta whose base is told by name
}

// readPack makes an index of a pack. note says why it is not that of the whole pack; p is nil where nothing was found.
func (r *Repo) readPack(f *blockFile, left *int64) (p *pack, note string) {
	hash := r.format.Size()
	p = &pack{name: f.name, data: f, limit: max(f.size-int64(hash), 0)}
	rd := &Reader{repo: r, w: window{indexes: r.indexes}, hash: r.format.newHash(), bases: newBases(r.limits.DeltaBases), fanned: -1, allowed: max(*left, 1), largest: r.limits.Object}
	defer func() { *left -= rd.work }()
	count, err := p.heads(&rd.w)
	if err != nil {
		return nil, err.Error()
	}
	entries, err := rd.entries(p, min(count, reindexObjects-r.packDir.Reindexed))
	if err != nil {
		note = fmt.Sprintf("its object %d of %d cannot be read, so that those behind it are not found: %v", len(entries)+1, count, err)
	}
	rd.largest = min(rd.largest, reindexDelta)
	for range reindexRounds {
		if p.index, err = memoryIndex(&rd.w, entries, hash); err != nil {
			return nil, err.Error()
		}
		if rd.resolve(p, entries) == 0 {
			break
		}
	}
	if p.index.count == 0 {
		return nil, note
	}
	if note == "" && len(entries) < count {
		note = fmt.Sprintf("only the first %d of its %d objects are looked for", len(entries), count)
	}
	if lost := len(entries) - p.index.count; lost > 0 && note == "" {
		note = fmt.Sprintf("%d of its objects cannot be made out: what they are stored against is missing, damaged or too much to be read", lost)
	}
	return p, note
}

// heads reads how many objects a pack says it has.
func (p *pack) heads(w *window) (count int, err error) {
	head, err := w.at(p.data, 0, packHeadBytes)
	if err != nil {
		return 0, err
	}
	if len(head) < packHeadBytes || string(head[:4]) != "PACK" || binary.BigEndian.Uint32(head[4:])-2 > 1 {
		return 0, corrupt("it does not begin as a pack of version 2 or 3")
	}
	return int(binary.BigEndian.Uint32(head[8:])), nil
}

// entries steps from entry to entry: where one ends is known only when it is inflated.
func (r *Reader) entries(p *pack, count int) ([]foundEntry, error) {
	var all []foundEntry
	off := int64(packHeadBytes)
	var buf []byte
	for len(all) < count {
		e, base, err := p.entryOrName(&r.w, off, r.repo.format.Size())
		if err == nil {
			err = r.charge(e.size)
		}
		if err != nil {
			return all, err
		}
		if err := p.fits(e); err != nil {
			return all, err
		}
		if int64(cap(buf)) < e.size {
			buf = make([]byte, e.size)
		}
		data, used, err := r.inflateAt(p, e, buf[:e.size])
		if err != nil {
			return all, err
		}
		found := foundEntry{off: off, base: base}
		if e.kind != offsetDelta && e.kind != nameDelta {
			found.id = r.sumOf(e.kind, data)
		}
		all = append(all, found)
		off = e.data + int64(used)
		if cap(buf) > 1<<20 {
			buf = nil
		}
	}
	return all, nil
}

// inflateAt inflates an entry into out and gives the length of its compressed data.
func (r *Reader) inflateAt(p *pack, e packEntry, out []byte) ([]byte, int, error) {
	rest := p.limit - e.data
	for want := e.size + e.size/8 + 64; ; want *= 8 {
		in, err := r.w.at(p.data, e.data, int(min(want, rest)))
		if err != nil {
			return nil, 0, err
		}
		data, used, err := r.z.zlib(in, out, nil)
		if errors.Is(err, errInput) && want < rest {
			continue
		}
		if err == nil && int64(len(data)) != e.size {
			err = corrupt("it inflates to %d bytes, not %d", len(data), e.size)
		}
		return data, used, err
	}
}

// entryOrName is entry for a pack that has no index to look a base up in: that is given by its name.
func (p *pack) entryOrName(w *window, off int64, hash int) (e packEntry, base ID, err error) {
	if off >= p.limit {
		return e, base, corrupt("the pack ends before it")
	}
	p.index = &index{hash: hash, file: &blockFile{}}
	e, err = p.entry(w, off)
	if e.kind != nameDelta || e.data <= off {
		return e, base, err
	}
	raw, err := w.at(p.data, e.data-int64(hash), hash)
	return e, IDFrom(raw), err
}

// resolve applies deltas whose bases are known, and says how many objects it found.
func (r *Reader) resolve(p *pack, entries []foundEntry) (found int) {
	for i := range entries {
		e := &entries[i]
		if !e.id.IsZero() {
			continue
		}
		kind, data, err := r.packed(p, e.off)
		if err != nil {
			continue // its base is found in a later round, or never
		}
		e.id = r.sumOf(kind, data)
		found++
	}
	return found
}

// memoryIndex is an index of version 2 over the entries whose ids are known.
func memoryIndex(w *window, entries []foundEntry, hash int) (*index, error) {
	sorted := make([]foundEntry, 0, len(entries))
	for _, e := range entries {
		if !e.id.IsZero() {
			sorted = append(sorted, e)
		}
	}
	slices.SortFunc(sorted, func(a, b foundEntry) int { return cmp.Or(a.id.Compare(b.id), cmp.Compare(a.off, b.off)) })
	sorted = slices.CompactFunc(sorted, func(a, b foundEntry) bool { return a.id == b.id })
	var b, wide bytes.Buffer
	b.WriteString(indexMagic)
	put := func(v uint32) { b.Write(binary.BigEndian.AppendUint32(nil, v)) }
	put(2)
	at := 0
	for i := range 256 {
		for at < len(sorted) && int(sorted[at].id.sum[0]) <= i {
			at++
		}
		put(uint32(at))
	}
	for _, e := range sorted {
		b.Write(e.id.sum[:hash])
	}
	b.Write(make([]byte, 4*len(sorted)))
	wides := uint32(0)
	for _, e := range sorted {
		if e.off < 1<<31 {
			put(uint32(e.off))
			continue
		}
		put(1<<31 | wides)
		wides++
		wide.Write(binary.BigEndian.AppendUint64(nil, uint64(e.off)))
	}
	b.Write(wide.Bytes())
	b.Write(make([]byte, 2*hash)) // nobody made a sum of it
	f := &blockFile{file: memory{bytes.NewReader(b.Bytes())}, size: int64(b.Len())}
	w.indexes.add(f)
	return openIndex(w, f, hash, reindexObjects)
}

// memory is the content of a file that was never written.
type memory struct{ *bytes.Reader }

func (memory) Close() error { return nil }

// content is what a blockFile reads from.
type content interface {
	io.ReaderAt
	io.Closer
}

var _ content = (*os.File)(nil)
