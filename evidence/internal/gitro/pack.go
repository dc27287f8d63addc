package gitro

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
)

// pack is a .pack with its index.
type pack struct {
	name  string // like "objects/pack/pack-1f….pack"
	data  *blockFile
	index *index
	base  Number // of its first object
	limit int64  // where the entries end
}

// packHeadBytes is the length of a pack's head.
const packHeadBytes = 12

// openPack opens a pack and its index. Where they contradict each other the answer also has a note; the objects that
// can be read are read all the same, each is verified against its own name.
func openPack(w *window, dir *Folder, stem string, hash, limit int) (p *pack, note string, err error) {
	p = &pack{name: "objects/pack/" + stem + ".pack"}
	var files [2]*blockFile
	for i, ext := range []string{".pack", ".idx"} {
		var f *os.File
		var st Stat
		if f, st, err = dir.Open(stem + ext); err != nil {
			err = fmt.Errorf("open %s%s: %w", stem, ext, err)
			break
		}
		files[i] = &blockFile{name: "objects/pack/" + stem + ext, file: f, size: st.Size}
	}
	if err == nil {
		p.data = files[0]
		w.indexes.add(files[1])
		if p.index, err = openIndex(w, files[1], hash, limit); err == nil {
			note, err = p.compare(w)
		}
	}
	if err != nil {
		for _, f := range files {
			if f != nil {
				_ = f.file.Close() // opened for reading
			}
		}
		return nil, "", err
	}
	return p, note, nil
}

// compare holds the head and the end of the pack against the index.
func (p *pack) compare(w *window) (note string, err error) {
	hash := int64(p.index.hash)
	p.limit = max(p.data.size-hash, 0)
	head, err := w.at(p.data, 0, packHeadBytes)
	if err != nil {
		return "", err
	}
	if len(head) < packHeadBytes {
		return "the pack ends inside its head", nil
	}
	if string(head[:4]) != "PACK" || binary.BigEndian.Uint32(head[4:])-2 > 1 {
		return "the pack does not begin as a pack of version 2 or 3", nil
	}
	if n := binary.BigEndian.Uint32(head[8:]); int64(n) != int64(p.index.count) {
		return fmt.Sprintf("the pack has %d objects, its index %d", n, p.index.count), nil
	}
	end, err := w.at(p.data, p.limit, int(hash))
	if err != nil {
		return "", err
	}
	trailer := bytes.Clone(end)
	want, err := w.at(p.index.file, p.index.file.size-2*hash, int(hash))
	if err != nil {
		return "", err
	}
	if !bytes.Equal(trailer, want) {
		return fmt.Sprintf("the pack ends in %x, its index expects %x: it is cut short, damaged or another pack", trailer, want), nil
	}
	return "", nil
}

func (p *pack) close() {
	_ = p.data.file.Close()       // opened for reading
	_ = p.index.file.file.Close() // opened for reading
}

// packEntry is the head of one entry.
type packEntry struct {
	kind Kind
	size int64 // of the inflated data, for a delta that of the delta
	data int64 // where the compressed data begins
	base int64 // for a delta, where its base begins
}

// entryHead is more than the longest head of an entry.
const entryHead = 10 + 32

// entry reads the head of the entry at off.
func (p *pack) entry(w *window, off int64) (packEntry, error) {
	if off < packHeadBytes || off >= p.limit {
		return packEntry{}, corrupt("the index points to byte %d, outside of the pack", off)
	}
	raw, err := w.at(p.data, off, entryHead)
	if err != nil {
		return packEntry{}, err
	}
	e := packEntry{kind: Kind(raw[0] >> 4 & 7), size: int64(raw[0] & 15)}
	i, shift := 0, uint(4)
	for raw[i] >= 0x80 {
		if i++; i == len(raw) || shift > 53 {
			return packEntry{}, corrupt("the head of an entry is damaged")
		}
		e.size |= int64(raw[i]&0x7f) << shift
		shift += 7
	}
	i++
	e.data = off + int64(i)
	switch e.kind {
	case Commit, Tree, Blob, Tag:
		return e, nil
	case offsetDelta:
		return e, e.offsetBase(off, raw[i:])
	case nameDelta:
		hash := p.index.hash
		if len(raw)-i < hash {
			return e, corrupt("the pack ends inside the head of an entry")
		}
		e.data += int64(hash)
		return e, p.namedBase(w, &e, bytes.Clone(raw[i:i+hash]))
	}
	return e, corrupt("an entry of the unknown type %d", e.kind)
}

// offsetBase reads how far before the delta its base is.
func (e *packEntry) offsetBase(off int64, raw []byte) error {
	var back int64
	for i, c := range raw {
		if i > 0 {
			back++
		}
		if back >= 1<<55 {
			break
		}
		back = back<<7 | int64(c&0x7f)
		if c < 0x80 {
			e.data += int64(i + 1)
			if e.base = off - back; back <= 0 || e.base < packHeadBytes {
				return corrupt("a delta names a base outside of the pack")
			}
			return nil
		}
	}
	return corrupt("the head of a delta is damaged")
}

func (p *pack) namedBase(w *window, e *packEntry, id []byte) error {
	at, err := p.index.find(w, id)
	if err == nil && at < 0 {
		err = corrupt("the base %x of a delta is not in the pack", id)
	}
	if err == nil {
		e.base, err = p.index.offset(w, at)
	}
	return err
}
