package gitro

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// What is spent on a pack without an index: everything in it must be read, and each object is 60 bytes in memory, of which 28 stay.
const (
	reindexObjects = 1 << 20  // over all such packs
	reindexWork    = 2 << 30  // bytes that are inflated, over all such packs
	reindexDelta   = 12 << 20 // bytes of an object that is stored as a delta, of which three are in memory: a capture leaves out files above 10 MiB
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

// found is what was found in a pack that is being read: as much as is needed of each object, as there may be a million.
type found struct {
	offs  []int64
	names []byte // raw ids, one after the other
	known Set    // of those whose content, and so whose id, is known
	hash  int
}

func (f *found) name(i int) []byte { return f.names[i*f.hash : (i+1)*f.hash] }

func (f *found) named(i int, id ID) {
	copy(f.name(i), id.sum[:f.hash])
	f.known.add(Number(i))
}

// readPack makes an index of a pack. note says why it is not that of the whole pack; p is nil where nothing was found.
func (r *Repo) readPack(f *blockFile, left *int64) (p *pack, note string) {
	hash := r.format.Size()
	p = &pack{name: f.name, data: f, limit: max(f.size-int64(hash), 0), index: &index{hash: hash, file: &blockFile{}}}
	rd := &Reader{repo: r, w: window{indexes: r.indexes}, hash: r.format.newHash(), bases: newBases(r.limits.DeltaBases), fanned: -1, allowed: max(*left, 1), largest: r.limits.Object}
	defer func() { *left -= rd.work }()
	count, err := p.heads(&rd.w)
	if err != nil {
		return nil, err.Error()
	}
	all, err := rd.entries(p, min(count, reindexObjects-r.packDir.Reindexed))
	if err != nil {
		note = fmt.Sprintf("its object %d of %d cannot be read, so that those behind it are not found: %v", len(all.offs)+1, count, err)
	}
	rd.largest = min(rd.largest, reindexDelta)
	for range reindexRounds {
		rd.w.indexes.drop(p.index.file)
		p.index = nil // free for the collector before there is another
		if p.index, err = memoryIndex(&rd.w, all); err != nil {
			return nil, err.Error()
		}
		if rd.resolve(p, all) == 0 {
			break
		}
	}
	if p.index.count == 0 {
		return nil, note
	}
	if note == "" && len(all.offs) < count {
		note = fmt.Sprintf("only the first %d of its %d objects are looked for", len(all.offs), count)
	}
	if lost := len(all.offs) - p.index.count; lost > 0 && note == "" {
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
func (r *Reader) entries(p *pack, count int) (*found, error) {
	hash := r.repo.format.Size()
	count = min(count, int(p.limit/leastEntry)) // the claim of a short pack is not worth the memory
	all := &found{offs: make([]int64, 0, count), names: make([]byte, count*hash), known: newSet(Number(count)), hash: hash}
	off := int64(packHeadBytes)
	for len(all.offs) < count {
		e, err := p.entryAlone(&r.w, off)
		if err == nil {
			err = r.charge(e.size)
		}
		if err == nil {
			err = p.fits(e)
		}
		if err != nil {
			return all, err
		}
		id, used, err := r.idAt(p, e)
		if err != nil {
			return all, err
		}
		if e.kind != offsetDelta && e.kind != nameDelta {
			all.named(len(all.offs), id)
		}
		all.offs = append(all.offs, off)
		off = e.data + used
	}
	return all, nil
}

// leastEntry is less than the length of any entry: one byte of head, and of zlib's two, four and some data.
const leastEntry = 8

// idAt hashes an entry as if it were an object, which a delta is not, and gives the length of its compressed data. An
// object of any size costs no memory.
func (r *Reader) idAt(p *pack, e packEntry) (id ID, used int64, err error) {
	if e.size <= largeEntry {
		if int64(cap(r.delta)) < e.size {
			r.delta = make([]byte, e.size)
		}
		data, used, err := r.inflateAt(p, e, r.delta[:e.size])
		if err != nil {
			return id, used, err
		}
		return r.sumOf(e.kind, data), used, nil
	}
	r.startSum(e.kind, e.size)
	if used, err = p.streamAt(e, r.hash); err != nil {
		return id, used, err
	}
	return IDFrom(r.hash.Sum(r.sum[:0])), used, nil
}

// largeEntry is the most bytes of an entry whose compressed data is read whole before it is inflated.
const largeEntry = 1 << 20

// inflateAt inflates an entry into out and gives the length of its compressed data.
func (r *Reader) inflateAt(p *pack, e packEntry, out []byte) ([]byte, int64, error) {
	if e.size > largeEntry {
		b := piece(out[:0])
		used, err := p.streamAt(e, &b)
		return b, used, err
	}
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
		return data, int64(used), err
	}
}

// streamAt inflates an entry piece by piece and gives the length of its compressed data.
func (p *pack) streamAt(e packEntry, to io.Writer) (used int64, err error) {
	in := &counted{from: bufio.NewReaderSize(io.NewSectionReader(p.data.file, e.data, p.limit-e.data), blockSize)}
	z, err := zlib.NewReader(in)
	if err != nil {
		return in.n, corrupt("%v", err)
	}
	n, err := io.Copy(to, io.LimitReader(z, e.size+1))
	switch {
	case err != nil:
		return in.n, corrupt("%v", err)
	case n != e.size:
		return in.n, corrupt("it inflates to %d bytes, not %d", n, e.size)
	}
	return in.n, nil
}

// piece is memory of a known size that is written to.
type piece []byte

func (p *piece) Write(b []byte) (int, error) {
	if len(b) > cap(*p)-len(*p) {
		return 0, errors.New("it inflates to more bytes than it says")
	}
	*p = append(*p, b...)
	return len(b), nil
}

// counted counts what is taken from a reader, so that an inflater that asks for single bytes takes none too many.
type counted struct {
	from *bufio.Reader
	n    int64
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.from.Read(b)
	c.n += int64(n)
	return n, err
}

func (c *counted) ReadByte() (byte, error) {
	b, err := c.from.ReadByte()
	if err == nil {
		c.n++
	}
	return b, err
}

// entryAlone is entry for a pack that has no index to look a base up in.
func (p *pack) entryAlone(w *window, off int64) (packEntry, error) {
	if off >= p.limit {
		return packEntry{}, corrupt("the pack ends before it")
	}
	e, err := p.entry(w, off)
	if e.kind == nameDelta && e.data > off+int64(p.index.hash) {
		err = nil // its base is looked up when there is an index
	}
	return e, err
}

// resolve applies deltas whose bases are known, and says how many objects it found.
func (r *Reader) resolve(p *pack, all *found) (n int) {
	for i, off := range all.offs {
		if all.known.Has(Number(i)) {
			continue
		}
		kind, data, err := r.packed(p, off)
		if err != nil {
			continue // its base is found in a later round, or never
		}
		all.named(i, r.sumOf(kind, data))
		n++
	}
	return n
}

// memoryIndex is an index of version 2 over the objects whose ids are known.
func memoryIndex(w *window, all *found) (*index, error) {
	sorted := make([]uint32, 0, len(all.offs))
	for i := range all.offs {
		if all.known.Has(Number(i)) {
			sorted = append(sorted, uint32(i))
		}
	}
	name := func(i uint32) []byte { return all.name(int(i)) }
	slices.SortFunc(sorted, func(a, b uint32) int { return cmp.Or(bytes.Compare(name(a), name(b)), cmp.Compare(a, b)) })
	sorted = slices.CompactFunc(sorted, func(a, b uint32) bool { return bytes.Equal(name(a), name(b)) })
	wide := 0
	for _, i := range sorted {
		if all.offs[i] >= 1<<31 {
			wide++
		}
	}
	size := len(indexMagic) + 4 + 256*4 + len(sorted)*(all.hash+8) + wide*8 + 2*all.hash
	b := append(make([]byte, 0, size), indexMagic...)
	b = binary.BigEndian.AppendUint32(b, 2)
	at := 0
	for i := range 256 {
		for at < len(sorted) && int(name(sorted[at])[0]) <= i {
			at++
		}
		b = binary.BigEndian.AppendUint32(b, uint32(at))
	}
	for _, i := range sorted {
		b = append(b, name(i)...)
	}
	b = b[:len(b)+4*len(sorted)]
	wide = 0
	for _, i := range sorted {
		if all.offs[i] < 1<<31 {
			b = binary.BigEndian.AppendUint32(b, uint32(all.offs[i]))
			continue
		}
		b = binary.BigEndian.AppendUint32(b, 1<<31|uint32(wide))
		wide++
	}
	for _, i := range sorted {
		if all.offs[i] >= 1<<31 {
			b = binary.BigEndian.AppendUint64(b, uint64(all.offs[i]))
		}
	}
	b = b[:size] // nobody made a sum of it
	f := &blockFile{file: memory{bytes.NewReader(b)}, size: int64(len(b))}
	w.indexes.add(f)
	return openIndex(w, f, all.hash, reindexObjects)
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
