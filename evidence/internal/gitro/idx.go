package gitro

import (
	"bytes"
	"encoding/binary"
)

// index is the .idx of a pack, version 1 or 2. Only its fan-out is held; names and offsets are read as they are asked
// for.
type index struct {
	file    *blockFile
	version int
	hash    int // bytes of an id
	count   int
	fan     [256]uint32
	names   int64 // where the names begin, in version 1 the records
	crcs    int64
	offsets int64
	large   int64 // where the offsets of 8 bytes begin
	larges  int64 // how many there are
}

const (
	indexMagic  = "\xfftOc"
	fanoutBytes = 256 * 4
)

// openIndex reads the head of an index and makes sure that the file is as long as it says.
func openIndex(w *window, f *blockFile, hash, limit int) (*index, error) {
	x := &index{file: f, version: 1, hash: hash}
	head, err := w.at(f, 0, 8+fanoutBytes)
	if err != nil {
		return nil, err
	}
	fan := head
	if bytes.HasPrefix(head, []byte(indexMagic)) {
		if len(head) < 8 || binary.BigEndian.Uint32(head[4:]) != 2 {
			return nil, corrupt("an index of an unknown version")
		}
		x.version, fan = 2, head[8:]
	}
	if len(fan) < fanoutBytes {
		return nil, corrupt("the index ends inside its head")
	}
	var before uint32
	for i := range x.fan {
		x.fan[i] = binary.BigEndian.Uint32(fan[4*i:])
		if x.fan[i] < before {
			return nil, corrupt("the counts at the head of the index go down")
		}
		before = x.fan[i]
	}
	if int64(before) > int64(limit) {
		return nil, tooMuch("the index names %d objects, the limit is %d", before, limit)
	}
	x.count = int(before)
	return x, x.layout()
}

// layout computes where the tables are.
func (x *index) layout() error {
	n, h := int64(x.count), int64(x.hash)
	if x.version == 1 {
		x.names = fanoutBytes
		if want := x.names + n*(4+h) + 2*h; x.file.size != want {
			return corrupt("the index has %d bytes, its head makes it %d", x.file.size, want)
		}
		return nil
	}
	x.names = 8 + fanoutBytes
	x.crcs = x.names + n*h
	x.offsets = x.crcs + n*4
	x.large = x.offsets + n*4
	rest := x.file.size - x.large - 2*h
	if rest < 0 || rest%8 != 0 || rest/8 > n {
		return corrupt("the index has %d bytes, its head makes it %d", x.file.size, x.large+2*h)
	}
	x.larges = rest / 8
	return nil
}

// hashOf finds by its size the length of the ids of an index; 0 where it fits neither or both.
func hashOf(w *window, f *blockFile, limit int) int {
	found := 0
	for _, hash := range []int{20, 32} {
		if x, err := openIndex(w, f, hash, limit); err == nil && x.count > 0 {
			if found != 0 {
				return 0
			}
			found = hash
		}
	}
	return found
}

// name gives the id at a place; valid until the next use of w.
func (x *index) name(w *window, at int) ([]byte, error) {
	off := x.names + int64(at)*int64(x.hash)
	if x.version == 1 {
		off = x.names + int64(at)*int64(4+x.hash) + 4
	}
	raw, err := w.at(x.file, off, x.hash)
	if err == nil && len(raw) < x.hash {
		err = corrupt("the index ends early")
	}
	return raw, err
}

// offset gives where in the pack the object at a place begins.
func (x *index) offset(w *window, at int) (int64, error) {
	off := x.offsets + 4*int64(at)
	if x.version == 1 {
		off = x.names + int64(at)*int64(4+x.hash)
	}
	raw, err := w.at(x.file, off, 4)
	if err != nil || len(raw) < 4 {
		return 0, corrupt("the index ends early")
	}
	v := binary.BigEndian.Uint32(raw)
	if x.version == 1 || v < 1<<31 {
		return int64(v), nil
	}
	if big := int64(v &^ (1 << 31)); big < x.larges {
		if raw, err = w.at(x.file, x.large+8*big, 8); err == nil && len(raw) == 8 && raw[0] < 0x80 {
			return int64(binary.BigEndian.Uint64(raw)), nil
		}
	}
	return 0, corrupt("the index refers to an offset that it does not have")
}

// find gives the place of an id; -1 when it is not there. Ids are spread evenly, so the first guess is nearly right.
func (x *index) find(w *window, id []byte) (int, error) {
	lo, hi := 0, int(x.fan[id[0]])
	if id[0] > 0 {
		lo = int(x.fan[id[0]-1])
	}
	want := uint64(binary.BigEndian.Uint32(id[1:]))
	low, high := uint64(0), uint64(1)<<32
	for tries := 0; lo < hi; tries++ {
		mid := lo + (hi-lo)/2
		if tries < 4 && want >= low && want < high {
			mid = lo + int((want-low)*uint64(hi-lo)/(high-low))
		}
		raw, err := x.name(w, mid)
		if err != nil {
			return -1, err
		}
		switch c := bytes.Compare(raw, id); {
		case c == 0:
			return mid, nil
		case c < 0:
			lo, low = mid+1, uint64(binary.BigEndian.Uint32(raw[1:]))
		default:
			hi, high = mid, uint64(binary.BigEndian.Uint32(raw[1:]))+1
		}
		if high <= low {
			low, high = 0, 1<<32
		}
	}
	return -1, nil
}
