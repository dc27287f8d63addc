package gitro

import (
	"compress/zlib"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"slices"
)

// stream inflates a blob that is no delta piece by piece.
func (r *Reader) stream(n Number, id ID, w io.Writer) (int64, error) {
	src, err := r.compressed(n, id)
	if err != nil {
		return 0, named(id, r.repo.where(&r.w, n), err)
	}
	defer src.close()
	z, err := zlib.NewReader(src.in)
	if err != nil {
		return 0, named(id, r.repo.where(&r.w, n), corrupt("%v", err))
	}
	size := src.size
	if src.file {
		if size, err = streamHead(z); err != nil {
			return 0, named(id, r.repo.where(&r.w, n), err)
		}
	}
	if size > r.repo.limits.Stream {
		return 0, named(id, r.repo.where(&r.w, n), tooMuch("%d bytes, the limit is %d", size, r.repo.limits.Stream))
	}
	t := &tally{to: w, hash: r.repo.format.newHash()}
	_, _ = fmt.Fprintf(t.hash, "blob %d\x00", size) // documented never to fail
	_, err = io.Copy(t, io.LimitReader(z, size+1))
	switch {
	case t.err != nil:
		return t.n, t.err
	case err != nil:
		err = corrupt("%v", err)
	case t.n != size:
		err = corrupt("it inflates to %d bytes, not %d", t.n, size)
	default:
		if got := IDFrom(t.hash.Sum(nil)); got != id {
			err = &fault{FaultMismatch, "its content has the hash " + got.String()}
		}
	}
	if err != nil {
		return t.n, named(id, r.repo.where(&r.w, n), err)
	}
	return t.n, nil
}

// source is where compressed data comes from.
type source struct {
	in    io.Reader
	size  int64
	file  bool // a loose object, which has a head
	close func()
}

func (r *Reader) compressed(n Number, id ID) (source, error) {
	p, at := r.repo.place(n)
	if p != nil {
		off, err := p.index.offset(&r.w, at)
		if err != nil {
			return source{}, err
		}
		e, err := p.entry(&r.w, off)
		if err != nil {
			return source{}, err
		}
		return source{in: io.NewSectionReader(p.data.file, e.data, p.limit-e.data), size: e.size, close: func() {}}, nil
	}
	sub, err := r.repo.loose.dir.Sub(hex.EncodeToString(id.sum[:1]))
	if err != nil {
		return source{}, err
	}
	defer func() { _ = sub.Close() }() // opened for reading
	f, _, err := sub.Open(hex.EncodeToString(id.sum[1:id.size]))
	if err != nil {
		return source{}, err
	}
	return source{in: f, file: true, close: func() { _ = f.Close() }}, nil // opened for reading
}

// streamHead reads the head of a loose object byte by byte.
func streamHead(z io.Reader) (int64, error) {
	var head []byte
	var one [1]byte
	for {
		if _, err := io.ReadFull(z, one[:]); err != nil {
			return 0, corrupt("it ends inside its head: %v", err)
		}
		head = append(head, one[0])
		kind, size, _, ok, err := looseHead(head)
		if err != nil {
			return 0, err
		}
		if ok && kind != Blob {
			return 0, &fault{FaultKind, "a " + kind.String() + ", not a blob"}
		}
		if ok {
			return size, nil
		}
	}
}

// tally hashes and counts what it passes on.
type tally struct {
	to   io.Writer
	hash hash.Hash
	n    int64
	err  error // of to
}

func (t *tally) Write(p []byte) (int, error) {
	_, _ = t.hash.Write(p) // documented never to fail
	n, err := t.to.Write(p)
	t.n += int64(n)
	t.err = err
	return n, err
}

func sortIDs(ids []ID) []ID {
	slices.SortFunc(ids, ID.Compare)
	return ids
}
