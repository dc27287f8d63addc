package gitro

import (
	"bytes"
	"context"
	"fmt"
	"io"
)

// VerifyPacks hashes every pack and every index and compares them with what stands at their ends. It reads all of
// them; the error is that of ctx.
func (r *Repo) VerifyPacks(ctx context.Context) ([]Problem, error) {
	var problems []Problem
	for _, p := range r.packs {
		for _, f := range []*blockFile{p.data, p.index.file} {
			what, err := r.checksum(ctx, f)
			if ctx.Err() != nil {
				return problems, ctx.Err()
			}
			switch {
			case err != nil:
				problems = append(problems, Problem{f.name, FaultUnreadable, bare(err).Error()})
			case what != "":
				problems = append(problems, Problem{f.name, FaultMismatch, what})
			}
		}
	}
	return problems, nil
}

// checksum says what is wrong with the hash at the end of a file; "" = nothing.
func (r *Repo) checksum(ctx context.Context, f *blockFile) (string, error) {
	size := int64(r.format.Size())
	if f.size < size {
		return "it is shorter than the hash at its end", nil
	}
	h := r.format.newHash()
	buf := make([]byte, 256<<10)
	for off := int64(0); off < f.size-size; {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		n, err := f.file.ReadAt(buf[:min(int64(len(buf)), f.size-size-off)], off)
		_, _ = h.Write(buf[:n]) // documented never to fail
		off += int64(n)
		if err != nil && err != io.EOF {
			return "", err
		}
		if n == 0 {
			return "it became shorter while it was read", nil
		}
	}
	want := make([]byte, size)
	if _, err := f.file.ReadAt(want, f.size-size); err != nil {
		return "", err
	}
	if got := h.Sum(nil); !bytes.Equal(got, want) {
		return fmt.Sprintf("its content has the hash %x, at its end stands %x", got, want), nil
	}
	return "", nil
}
