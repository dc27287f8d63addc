package gitro

import "context"

// Unreached tells fn the objects of one kind, or of all for kind 0, that are not in a set, in the order of their
// numbers. Objects whose head cannot be read are told with an *ObjectError, whatever the kind. A second copy of a
// reached object is not told. It ends with the first error of fn or with that of ctx.
func (r *Reader) Unreached(ctx context.Context, reached Set, kind Kind, fn func(id ID, st ObjectStat, err error) error) error {
	for n := Number(0); n < r.repo.total; n++ {
		if n%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if reached.Has(n) {
			continue
		}
		id, err := r.repo.nameOf(&r.w, n)
		if err != nil {
			continue // the index is damaged, which is a problem of its own
		}
		if first, ok := r.repo.lookup(&r.w, id); ok && first != n {
			continue
		}
		st, err := r.stat(n, id)
		if err != nil {
			err = named(id, r.repo.where(&r.w, n), err)
		} else if kind != 0 && st.Kind != kind {
			continue
		}
		if err := fn(id, st, err); err != nil {
			return err
		}
	}
	return nil
}

// MarkHistory puts the numbers of a commit and of its first parents into a set of the repository's, as far as they can
// be read and are not in it. It keeps none of them, so that a history may be of any length.
func (r *Reader) MarkHistory(ctx context.Context, set Set, id ID) error {
	for n, ok := r.repo.lookup(&r.w, id); ok && int(n/64) < len(set.words) && set.add(n); n, ok = r.repo.lookup(&r.w, id) {
		c, err := r.Commit(id)
		if err != nil || len(c.Parents) == 0 {
			return ctx.Err()
		}
		if n%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		id = c.Parents[0]
	}
	return ctx.Err()
}

// Mark gives a copy of the set with these objects in it of the set; the caller marks the commits that it followed.
func (r *Reader) Mark(reached Set, ids []ID) Set {
	out := Set{append([]uint64(nil), reached.words...)}
	for _, id := range ids {
		if n, ok := r.repo.lookup(&r.w, id); ok && int(n/64) < len(out.words) {
			out.add(n)
		}
	}
	return out
}
