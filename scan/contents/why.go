package contents

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// Question asks why one file can or cannot come back.
type Question struct {
	Project *evidence.CheckpointProject
	File    string // below the working directory, or absolute on its machine
	// Loose are commits that no chain leads to; nil where nobody looked for them. Those that Owners gives to other
	// projects alone are not asked.
	Loose    []evidence.CommitInfo
	Settings Settings
}

// Code names a reason of an Answer.
type Code string

// The codes, with the step of the order in which they are asked.
const (
	OtherProject    Code = "other-project"     // 1: the file is outside of the working directory
	NoCheckpoints   Code = "no-checkpoints"    // 1: the project has none
	Excluded        Code = "excluded"          // 2: a line of an exclude list leaves it out
	WrittenLater    Code = "written-later"     // 2: the agent wrote it after the newest checkpoint
	NotRecorded     Code = "not-recorded"      // 2: no checkpoint has it, and no trace says why
	GoneLater       Code = "not-in-all"        // 2: some checkpoints do not have it
	NestedRepo      Code = "nested-repository" // 3: it is, or lies in, one
	Dropped         Code = "dropped"           // 4: only commits that no list shows have it
	HistoryLong     Code = "history-long"      // 4: the history is longer than is followed
	ObjectDamaged   Code = "object-damaged"    // 5: its content, or a folder above it, is missing or damaged
	HistoryCut      Code = "history-cut"       // 5: a commit is missing, so the product lists nothing
	RefUnreadable   Code = "ref-unreadable"    // 6: the project's ref leads nowhere
	StoreUnreadable Code = "store-unreadable"  // 6: git calls the store no repository
	Locked          Code = "locked"            // 7: a lock file is left
	NotKnown        Code = "today"             // 7: what only the machine of the rollback knows
)

// step is where a code stands in the order.
func (c Code) step() int {
	return map[Code]int{
		OtherProject: 1, NoCheckpoints: 1, Excluded: 2, WrittenLater: 2, NotRecorded: 2, GoneLater: 2, NestedRepo: 3, Dropped: 4, HistoryLong: 4,
		ObjectDamaged: 5, HistoryCut: 5, RefUnreadable: 6, StoreUnreadable: 6, Locked: 7, NotKnown: 7,
	}[c]
}

// Reason is one thing that stands in the way, or may.
type Reason struct {
	Step int // 1 to 7, the order in which an owner should look
	Code Code
	Text string
}

// Outcome is an Answer in one word.
type Outcome string

// The outcomes.
const (
	ComesBack Outcome = "comes-back" // a checkpoint of the list has it whole
	Elsewhere Outcome = "dropped"    // only a commit that no list shows has it whole
	Cannot    Outcome = "cannot"     // no commit of the store has it whole
)

// Sighting is what one commit knows of the file.
type Sighting struct {
	Commit evidence.CommitInfo
	Number int // as /rollback counts; 0 = no list shows it
	Place  Place
	Stray  bool // the commit may be another project's
}

// Answer says whether a file can come back, and what stands in the way, in the order of the product's own tests.
type Answer struct {
	File     string // below the working directory
	Outcome  Outcome
	Reasons  []Reason
	Chain    []Sighting // newest first: one for every checkpoint
	Loose    []Sighting // commits outside of the chain that have the file, in the order of Question.Loose
	Versions int        // different contents, in all of them
}

// Why answers a Question. Damage is in the answer. What r finds and a rollback would not, because no git sees it, counts
// as lost from the project's checkpoints.
func Why(ctx context.Context, r *evidence.ObjectReader, q Question) (*Answer, error) {
	file, inside := relative(q.File, q.Project.Workdir)
	a := &Answer{File: file, Outcome: Cannot}
	if !inside {
		a.reason(OtherProject, "%s is not below the working directory %s", q.File, q.Project.Workdir)
		return a, nil
	}
	visible := q.Project.Store.Reader()
	defer func() { _ = visible.Close() }() // opened for reading
	if err := a.look(ctx, visible, r, q); err != nil {
		return nil, err
	}
	for _, s := range a.Chain {
		if s.Place.State == Recorded {
			a.Outcome = ComesBack
		}
	}
	for _, s := range a.Loose {
		if a.Outcome == Cannot && s.Place.State == Recorded {
			a.Outcome = Elsewhere
		}
	}
	a.explain(r, q)
	return a, nil
}

// look asks every commit. Commits of equal trees are asked once.
func (a *Answer) look(ctx context.Context, visible, whole *evidence.ObjectReader, q Question) error {
	known := map[*evidence.ObjectReader]map[evidence.ObjectID]Place{visible: {}, whole: {}}
	contents := map[evidence.ObjectID]bool{}
	ask := func(r *evidence.ObjectReader, c evidence.CommitInfo, n int) (Sighting, error) {
		p, ok := known[r][c.Tree]
		if !ok {
			var err error
			if p, err = Find(r, c.Tree, a.File); err != nil {
				return Sighting{}, fmt.Errorf("look for %q in %s: %w", a.File, c.ID, err)
			}
			known[r][c.Tree] = p
		}
		if p.State == Recorded {
			contents[p.Entry.ID] = true
		}
		return Sighting{Commit: c, Number: n, Place: p}, ctx.Err()
	}
	for i, c := range q.Project.Chain {
		s, err := ask(visible, c, i+1)
		if err != nil {
			return err
		}
		a.Chain = append(a.Chain, s)
	}
	owners := Owners(q.Project.Store, q.Loose)
	for _, c := range q.Loose {
		own := owners[c.ID]
		if len(own) > 0 && !slices.Contains(own, q.Project) {
			continue
		}
		s, err := ask(whole, c, 0)
		if err != nil {
			return err
		}
		s.Stray = len(own) == 0
		if s.Place.State != Unknown {
			a.Loose = append(a.Loose, s)
		}
	}
	a.Versions = len(contents)
	return nil
}
