package gitro

import (
	"encoding/hex"
	"io"
)

// looseObject reads an object's own file.
func (r *Reader) looseObject(id ID) (Kind, []byte, error) {
	in, err := r.looseFile(id)
	if err != nil {
		return 0, nil, err
	}
	if len(in) == 0 {
		return 0, nil, &fault{FaultEmpty, "the file has no byte"}
	}
	if r.out == nil {
		r.out = make([]byte, 16<<10)
	}
	data, used, err := r.z.zlib(in, r.out, r.room)
	if err != nil {
		return 0, nil, err
	}
	if cap(data) > len(r.out) && cap(data) <= 1<<20 {
		r.out = data[:cap(data)]
	}
	kind, size, head, ok, err := looseHead(data)
	switch {
	case err != nil:
		return 0, nil, err
	case !ok:
		return 0, nil, corrupt("it ends inside its head")
	case size != int64(len(data)-head):
		return 0, nil, corrupt("it inflates to %d bytes, not %d", len(data)-head, size)
	case used != len(in):
		return 0, nil, corrupt("%d bytes follow the object in its file", len(in)-used)
	}
	if err := r.charge(size); err != nil {
		return 0, nil, err
	}
	return kind, data[head:], r.verify(id, kind, data[head:])
}

// room makes room for a loose object by what its head says.
func (r *Reader) room(out []byte) ([]byte, error) {
	_, size, head, ok, err := looseHead(out)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, corrupt("the head of a loose object is damaged")
	}
	if size > r.largest {
		return nil, tooMuch("%d bytes, the limit is %d", size, r.largest)
	}
	// The claim is paid for as it comes true.
	grown := make([]byte, min(size+int64(head), int64(len(out))*4))
	copy(grown, out)
	return grown, nil
}

// looseFile reads a loose object's file as it is.
func (r *Reader) looseFile(id ID) ([]byte, error) {
	fan := int(id.sum[0])
	if r.fanned != fan {
		if err := r.Close(); err != nil {
			return nil, err
		}
		sub, err := r.repo.loose.dir.Sub(hex.EncodeToString(id.sum[:1]))
		if err != nil {
			return nil, err
		}
		r.fan, r.fanned = sub, fan
	}
	if r.file == nil {
		r.file = make([]byte, 16<<10)
	}
	name := hex.EncodeToString(id.sum[1:id.size])
	n, whole, err := r.fan.ReadInto(name, r.file)
	if err != nil || whole {
		return r.file[:n], err
	}
	f, st, err := r.fan.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // opened for reading
	limit := r.largest + r.largest/1000 + 1<<10
	if st.Size > limit {
		return nil, tooMuch("a file of %d bytes, the limit is %d", st.Size, limit)
	}
	data, err := io.ReadAll(io.LimitReader(f, limit))
	if err != nil {
		return nil, bare(err)
	}
	return data, nil
}
