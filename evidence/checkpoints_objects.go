package evidence

import (
	"cmp"
	"context"
	"slices"
	"strings"
)

// Reader gives a reader of the store's objects, for one goroutine. It must be closed before the Bundle is.
func (s *CheckpointStore) Reader() *ObjectReader { return s.repo.Reader() }

// WholeReader is Reader, and finds also what lies in packs whose index is missing or unusable. No git sees that, and a
// rollback does not reach it; it can be extracted.
func (s *CheckpointStore) WholeReader() *ObjectReader { return s.repo.WholeReader() }

// Objects is how many copies of objects the store holds.
func (s *CheckpointStore) Objects() int { return s.repo.Objects() }

// Census reads every tree of every project's chain once. Damage is in the answer; the error is that of ctx.
func (s *CheckpointStore) Census(ctx context.Context, o CensusOptions) (*TreeCensus, error) {
	var roots []ObjectID
	for _, p := range s.Projects {
		for _, c := range p.Chain {
			roots = append(roots, c.Tree)
		}
	}
	return s.repo.Census(ctx, roots, o)
}

// CensusOf reads every tree below the given ones once.
func (s *CheckpointStore) CensusOf(ctx context.Context, trees []ObjectID, o CensusOptions) (*TreeCensus, error) {
	return s.repo.Census(ctx, trees, o)
}

// VerifyPacks hashes every pack and index whole and tells those that are not what the hash at their end says; paths
// are below the store. The error is that of ctx.
func (s *CheckpointStore) VerifyPacks(ctx context.Context) ([]GitProblem, error) {
	return s.repo.VerifyPacks(ctx)
}

// EmptyObjects lists the loose objects whose file has no byte, as a crash of the machine leaves them: an index of
// names calls them present. It waits for the listing that Open began.
func (s *CheckpointStore) EmptyObjects(ctx context.Context) ([]ObjectID, error) {
	was, err := s.Base.listed(ctx)
	if err != nil {
		return nil, err
	}
	prefix := "objects/"
	if !s.Base.lone {
		prefix = s.Name + "/objects/"
	}
	var ids []ObjectID
	for _, name := range was.empty {
		rest, ok := strings.CutPrefix(name, prefix)
		if id, err := ParseObjectID(strings.Replace(rest, "/", "", 1)); ok && err == nil {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, ObjectID.Compare)
	return ids, nil
}

// Unreachable is what no project's chain leads to.
type Unreachable struct {
	Commits []CommitInfo   // newest committer time first, then by id
	Damaged []*ObjectError // objects that cannot be read, whatever they were
	Objects int            // of all kinds, the above included
}

// Unreachable finds the commits that no chain leads to: trimmed ones, those behind a gap, those of lost refs, and those
// in packs without a usable index. The
// census must be one with Blobs, or every blob counts as unreachable.
func (s *CheckpointStore) Unreachable(ctx context.Context, census *TreeCensus) (*Unreachable, error) {
	r := s.WholeReader()
	defer func() { _ = r.Close() }() // opened for reading
	var chained []ObjectID
	for _, p := range s.Projects {
		for _, c := range p.Chain {
			chained = append(chained, c.ID)
		}
	}
	u := &Unreachable{}
	var ids []ObjectID
	reached := r.Mark(census.Reached(), chained)
	for _, p := range s.Projects {
		if p.ChainErr != nil && p.ChainErr.Fault == ObjectLimit { // too long to be kept, which does not make it lost
			if err := r.MarkHistory(ctx, reached, p.ChainErr.ID); err != nil {
				return nil, err
			}
		}
	}
	err := r.Unreached(ctx, reached, 0, func(id ObjectID, st ObjectStat, err error) error {
		u.Objects++
		if err != nil {
			u.damaged(err)
		} else if st.Kind == KindCommit {
			ids = append(ids, id)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		c, err := r.Commit(id)
		if err != nil {
			u.damaged(err)
			continue
		}
		u.Commits = append(u.Commits, c)
	}
	slices.SortFunc(u.Commits, func(a, b CommitInfo) int {
		return cmp.Or(cmp.Compare(b.Committer.When, a.Committer.When), a.ID.Compare(b.ID))
	})
	return u, nil
}

func (u *Unreachable) damaged(err error) {
	if oe := objectError(err); oe != nil {
		u.Damaged = append(u.Damaged, oe)
	}
}
