package contents

import (
	"fmt"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

func (a *Answer) reason(c Code, format string, args ...any) {
	a.Reasons = append(a.Reasons, Reason{c.step(), c, fmt.Sprintf(format, args...)})
}

// explain fills in the reasons in their order.
func (a *Answer) explain(r *evidence.ObjectReader, q Question) {
	p := q.Project
	if len(p.Chain) == 0 {
		a.reason(NoCheckpoints, "the project has no checkpoint that can be read: captures are opt-in, and each can fail or be skipped")
	}
	a.unrecorded(r, q)
	a.nested()
	a.dropped()
	if oe := p.ChainErr; oe != nil && oe.Fault == evidence.ObjectLimit {
		a.reason(HistoryLong, "only the newest %d checkpoints were looked at: the history goes on at commit %s, and is longer than is followed here", len(p.Chain), oe.ID)
	}
	a.damaged(r)
	if oe := p.ChainErr; oe != nil && oe.Fault != evidence.ObjectLimit {
		a.reason(HistoryCut, "commit %s is %s: the product lists nothing, and what is here restores by id", oe.ID, oe.Fault)
	}
	switch p.RefState {
	case evidence.RefBroken, evidence.RefDangling, evidence.RefWrong:
		a.reason(RefUnreadable, "the project's ref leads to no commit: %s", p.RefFlaw)
	}
	for _, g := range StoreGaps(p.Store) {
		switch g.Code {
		case "no-head", "skeleton-lost", "head-damaged":
			a.reason(StoreUnreadable, "%s", g.Text)
		}
	}
	for _, l := range p.Store.Locks {
		if l.Path == "indexes/"+p.ID+".lock" {
			a.reason(Locked, "%s is left: a rollback of the project fails until it is gone", l.Path)
		}
	}
	if a.Outcome == ComesBack {
		a.reason(NotKnown, "a rollback is still refused where the session runs in a container, the working directory is gone, or the path leads out of it through a link")
	}
}

// count gives the numbers of the checkpoints in which the file is in a state.
func (a *Answer) numbers(state State) []int {
	var out []int
	for _, s := range a.Chain {
		if s.Place.State == state {
			out = append(out, s.Number)
		}
	}
	return out
}

func (a *Answer) unrecorded(r *evidence.ObjectReader, q Question) {
	without := a.numbers(Unknown)
	switch {
	case len(without) == 0:
		return
	case len(without) < len(a.Chain):
		why := ""
		if large := q.Settings.tooLarge(); without[0] == 1 && large != "" {
			why = ": it was deleted, or had become " + large
		}
		a.reason(GoneLater, "%s not there in %s%s", a.File, checkpointsNumbered(without), why)
		return
	}
	chain := q.Project.Chain
	line := NewIgnores(q.Project.Store, r, chain[0].Tree).Match(a.File, strings.HasSuffix(q.File, "/"))
	if line != nil {
		a.reason(Excluded, "no checkpoint has it: %s", line)
	}
	for _, l := range q.Project.Store.Ledgers {
		for _, e := range l.Entries {
			below, ok := relative(e.Path, q.Project.Workdir)
			if ok && below == a.File && chain[0].Author.Valid && e.At > float64(chain[0].Author.When) {
				a.reason(WrittenLater, "the agent wrote it after the newest checkpoint was taken, by ledgers/%s.json", l.ID)
			}
		}
	}
	if line == nil {
		large := ""
		if text := q.Settings.tooLarge(); text != "" {
			large = "was " + text + ", "
		}
		a.reason(NotRecorded, "no checkpoint has it, and nothing says why: it came later, %swas ignored by the user's own git settings, "+
			"lay in a folder that could not be read or below an ignored repository, was an empty folder or no plain file, or its name is spelled otherwise", large)
	}
}

func (a *Answer) nested() {
	in := a.numbers(InNested)
	if len(in) == 0 {
		return
	}
	for _, s := range a.Chain {
		if s.Place.State == InNested {
			a.reason(NestedRepo, "%s is a nested repository in %s, recorded at its commit %s: nothing in it was captured, and its own git (stash, reflog, fsck) is where to look",
				s.Place.Entry.Path, checkpointsNumbered(in), s.Place.Entry.ID)
			return
		}
	}
}

func (a *Answer) dropped() {
	have, stray := 0, 0
	for _, s := range a.Loose {
		if s.Place.State != Recorded {
			continue
		}
		have++
		if s.Stray {
			stray++
		}
	}
	if have == 0 {
		return
	}
	note := ""
	if stray > 0 {
		note = fmt.Sprintf("; of %d nothing says that they are this project's", stray)
	}
	a.reason(Dropped, "commits that no list shows and that have it: %d, dropped from a history or left by a lost ref, until a prune removes them%s", have, note)
}

func (a *Answer) damaged(whole *evidence.ObjectReader) {
	bad := a.numbers(Lost)
	if len(bad) == 0 {
		return
	}
	for _, s := range a.Chain {
		if s.Place.State == Lost {
			what := "its content"
			if s.Place.Entry.Kind() == Folder {
				what = "the folder " + s.Place.Entry.Path
			}
			if s.Place.Entry.Path == "" {
				what = "the whole tree"
			}
			note := ""
			if whole.Has(s.Place.Fault.ID) && s.Place.Fault.Fault == evidence.ObjectMissing {
				note = "; it lies in a pack whose index is gone or damaged, so that no rollback reaches it, and can be extracted"
			}
			a.reason(ObjectDamaged, "%s is %s in %s: object %s%s", what, s.Place.Fault.Fault, checkpointsNumbered(bad), s.Place.Fault.ID, note)
			return
		}
	}
}

// checkpointsNumbered lists numbers, runs of them as ranges.
func checkpointsNumbered(n []int) string {
	var parts []string
	for i := 0; i < len(n); {
		k := i
		for k+1 < len(n) && n[k+1] == n[k]+1 {
			k++
		}
		part := fmt.Sprint(n[i])
		if k > i {
			part = fmt.Sprintf("%d to %d", n[i], n[k])
		}
		parts = append(parts, part)
		i = k + 1
	}
	if len(n) == 1 {
		return "checkpoint " + parts[0]
	}
	return "checkpoints " + strings.Join(parts, ", ")
}
