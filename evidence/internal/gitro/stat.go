package gitro

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// ObjectStat is what is known of an object without reading it whole.
type ObjectStat struct {
	Kind   Kind
	Size   int64  // bytes of its content
	Stored int64  // bytes of its file, when it is loose; 0 in a pack
	Packed bool   // else loose
	Where  string // the file below the git directory, with the offset in a pack
}

// Has says whether a pack or a file has the object. It does not say that the object is sound.
func (r *Reader) Has(id ID) bool {
	_, ok := r.repo.lookup(&r.w, id)
	return ok
}

// Number gives the number of the first copy of an object.
func (r *Reader) Number(id ID) (Number, bool) { return r.repo.lookup(&r.w, id) }

// Name gives the object that a number stands for.
func (r *Reader) Name(n Number) (ID, error) { return r.repo.nameOf(&r.w, n) }

// Stat gives kind and size from the head of an object, unverified. An error is an *ObjectError.
func (r *Reader) Stat(id ID) (ObjectStat, error) {
	n, ok := r.repo.lookup(&r.w, id)
	if !ok {
		return ObjectStat{}, &ObjectError{ID: id, Fault: FaultMissing}
	}
	st, err := r.stat(n, id)
	if err != nil {
		return st, named(id, r.repo.where(&r.w, n), err)
	}
	st.Where = r.repo.where(&r.w, n)
	return st, nil
}

func (r *Reader) stat(n Number, id ID) (st ObjectStat, err error) {
	p, at := r.repo.place(n)
	if p == nil {
		return r.looseStat(id)
	}
	off, err := p.index.offset(&r.w, at)
	if err != nil {
		return st, err
	}
	st.Packed = true
	e, err := p.entry(&r.w, off)
	if err != nil {
		return st, err
	}
	st.Size = e.size
	if e.kind == offsetDelta || e.kind == nameDelta {
		if st.Size, err = r.deltaSize(p, e); err != nil {
			return st, err
		}
	}
	for depth := 0; e.kind == offsetDelta || e.kind == nameDelta; depth++ {
		if depth == r.repo.limits.Chain {
			return st, tooMuch("more than %d deltas on top of each other", depth)
		}
		if e, err = p.entry(&r.w, e.base); err != nil {
			return st, err
		}
	}
	st.Kind = e.kind
	return st, nil
}

// deltaSize inflates the head of a delta only.
func (r *Reader) deltaSize(p *pack, e packEntry) (int64, error) {
	in, err := r.w.at(p.data, e.data, int(min(p.limit-e.data, 512)))
	if err != nil {
		return 0, err
	}
	var buf [32]byte
	data, err := r.z.begin(in, buf[:min(e.size, int64(len(buf)))])
	if err != nil {
		return 0, err
	}
	_, to, _, err := deltaHead(data)
	return to, err
}

func (r *Reader) looseStat(id ID) (st ObjectStat, err error) {
	in, err := r.looseFile(id)
	if err != nil {
		return st, err
	}
	st.Stored = int64(len(in))
	if len(in) == 0 {
		return st, &fault{FaultEmpty, "the file has no byte"}
	}
	var buf [32]byte
	data, err := r.z.begin(in, buf[:])
	if err != nil {
		return st, err
	}
	var ok bool
	st.Kind, st.Size, _, ok, err = looseHead(data)
	if err == nil && !ok {
		err = corrupt("it ends inside its head")
	}
	return st, err
}

// begin inflates as much as fits into out.
func (z *inflater) begin(in, out []byte) ([]byte, error) {
	_, _, err := z.zlib(in, out, nil)
	if err == nil || errors.Is(err, errRoom) || errors.Is(err, errInput) && z.n > 0 {
		return z.out[:z.n], nil
	}
	return nil, err
}

// Prefix gives the objects whose ids begin with some hex digits, sorted, at most limit of them.
func (r *Reader) Prefix(digits string, limit int) ([]ID, error) {
	digits = strings.ToLower(digits)
	if len(digits) < 2 || len(digits) > 2*r.repo.format.Size() || !lowerHex(digits) {
		return nil, fmt.Errorf("look up %.80q: want 2 to %d hex digits", digits, 2*r.repo.format.Size())
	}
	low, err := hex.DecodeString(digits + strings.Repeat("0", 2*r.repo.format.Size()-len(digits)))
	if err != nil {
		return nil, err
	}
	seen := map[ID]bool{}
	var found []ID
	take := func(raw []byte) bool {
		if !strings.HasPrefix(hex.EncodeToString(raw), digits) {
			return false
		}
		if id := IDFrom(raw); !seen[id] && len(found) < limit {
			seen[id] = true
			found = append(found, id)
		}
		return len(found) < limit
	}
	for _, p := range slices.Concat(r.repo.packs, r.repo.sought(&r.w)) {
		for at := p.index.lower(&r.w, low); at < p.index.count; at++ {
			if raw, err := p.index.name(&r.w, at); err != nil || !take(raw) {
				break
			}
		}
	}
	l := r.repo.loose
	for at := l.fan[low[0]]; at < l.fan[int(low[0])+1]; at++ {
		if raw := l.name(at); bytes.Compare(raw, low) >= 0 && !take(raw) {
			break
		}
	}
	return sortIDs(found), nil
}

// lower gives the first place whose id is not below the given one.
func (x *index) lower(w *window, id []byte) int {
	lo, hi := 0, int(x.fan[id[0]])
	if id[0] > 0 {
		lo = int(x.fan[id[0]-1])
	}
	for lo < hi {
		mid := lo + (hi-lo)/2
		raw, err := x.name(w, mid)
		if err != nil {
			return x.count
		}
		if bytes.Compare(raw, id) < 0 {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// Blob writes a blob's content to w as it is inflated, without holding a large one, and gives its size. A blob whose
// hash turns out not to be its name was written all the same: the caller must drop it on an error. Errors about the
// object are *ObjectError, those of w are as w gave them.
func (r *Reader) Blob(id ID, w io.Writer) (int64, error) {
	n, ok := r.repo.lookup(&r.w, id)
	if !ok {
		return 0, &ObjectError{ID: id, Fault: FaultMissing}
	}
	if r.small(n, id) {
		data, err := r.Expect(id, Blob)
		if err != nil {
			return 0, err
		}
		written, err := w.Write(data)
		return int64(written), err
	}
	return r.stream(n, id, w)
}

// smallBlob is what is held in memory to be verified before it is written.
const smallBlob = 16 << 20

// small says whether a blob is read whole: it is not large, or a delta, or something is wrong that reading it tells.
func (r *Reader) small(n Number, id ID) bool {
	st, err := r.stat(n, id)
	if err != nil || st.Kind != Blob || st.Size <= smallBlob {
		return true
	}
	p, at := r.repo.place(n)
	if p == nil {
		return false
	}
	off, err := p.index.offset(&r.w, at)
	if err != nil {
		return true
	}
	e, err := p.entry(&r.w, off)
	return err != nil || e.kind != Blob
}
