package fix

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/fix/internal/write"
)

// UndoOptions steers Undo. Of ApplyOptions, Checks and Scan may stay blank: then the result is compared row by row and
// no check is run over it.
type UndoOptions struct {
	Apply  bool   // false = only say what would be restored
	Target string // the database; "" = where the journal says it is
	Backup BackupOptions
	ApplyOptions
}

// Undone says what an undo restores, or restored.
type Undone struct {
	Target   string
	Of       string // what is taken back: "fix" or "undo"
	Restored []Step // as the journal has them: New is what the cell holds, Old what it gets back
	Kept     []Kept
	Inputs   []evidence.Input // the database and its sidecars, as they were before anything was restored
	Outcome  *Outcome         // nil in a dry run, and where nothing is to be restored
}

// Kept is a cell that is left alone, and why.
type Kept struct {
	Step   Step
	Code   string // for programs; see the constants
	Reason string // for people
}

// The codes of a Kept.
const (
	KeptGone     = "gone"             // the row, or the column, is not there any more
	KeptRestored = "restored-already" // it holds what it held before the change: nothing is left to do
	KeptChanged  = "changed-since"    // it holds neither what the change wrote nor what it held before
)

// Done says that an undo has nothing left to do: every cell holds what it held before the change.
func (u *Undone) Done() bool {
	return (len(u.Restored) == 0 || u.Outcome != nil) && !slices.ContainsFunc(u.Kept, func(k Kept) bool { return k.Code != KeptRestored })
}

// Undo takes a change back by its journal: each cell whose value is still what the change wrote gets back what it held,
// and every other is kept and listed. It is a dry run unless Apply is set; then it makes a backup and a journal of its
// own, so that it can be taken back too. The error is a *RecordError for a journal that cannot be read or is damaged, an
// *evidence.InputError for a database that cannot be read, or one of those of VerifyBackup and Apply.
func Undo(ctx context.Context, journalPath string, o UndoOptions) (*Undone, error) {
	files := o.Backup.files
	if files == nil {
		files = write.OS{}
	}
	record, err := readJournal(files, journalPath)
	if err != nil {
		return nil, err
	}
	out := &Undone{Target: record.Database, Of: record.Of}
	if o.Target != "" {
		out.Target = o.Target
	}
	bundle, err := evidence.Open(ctx, []string{out.Target}, evidence.Options{TempDir: o.Backup.TempDir, Progress: o.Backup.Progress, NoCheckpoints: true})
	if err != nil {
		return nil, err
	}
	var backup *Backup
	if out.Inputs, err = bundle.Inputs(ctx); err == nil {
		backup, err = out.weigh(ctx, bundle, record, o)
	}
	if err = errors.Join(err, bundle.Close()); err != nil || backup == nil {
		return out, err
	}
	j := &job{Backup: backup, o: o.ApplyOptions, of: "undo", plan: record.Checksum}
	j.clock = o.Scan.Now
	for _, s := range out.Restored {
		s.Old, s.New = s.New, s.Old
		j.steps = append(j.steps, s)
	}
	out.Outcome, err = j.run(ctx)
	return out, err
}

// weigh sorts the journal's cells, and makes the backup where one of them is to be restored now.
func (u *Undone) weigh(ctx context.Context, bundle *evidence.Bundle, record *journal, o UndoOptions) (*Backup, error) {
	if len(bundle.Stores) != 1 {
		return nil, &RefusedError{Code: CodeSeveral, Path: u.Target, Reason: "an undo is for exactly one database", Next: "name the state.db"}
	}
	var places []write.Change
	for _, c := range record.Cells {
		places = append(places, write.Change{Table: c.Table, Key: c.Key.text(), Column: c.Column})
	}
	held, err := write.Cells(ctx, bundle.Stores[0].DB, places)
	if err != nil {
		return nil, fmt.Errorf("read the cells: %w", err)
	}
	for i, c := range record.Cells {
		now, there := held[places[i]]
		switch {
		case !there:
			u.Kept = append(u.Kept, Kept{c.step(), KeptGone, "the row, or the column, is not there any more"})
		case now == c.After.cell:
			u.Restored = append(u.Restored, c.step())
		case now == c.Before.cell:
			u.Kept = append(u.Kept, Kept{c.step(), KeptRestored, "it holds what it held before: there is nothing to take back"})
		default:
			u.Kept = append(u.Kept, Kept{c.step(), KeptChanged, "it was changed since, and only what the " + record.Of + " wrote is taken back"})
		}
	}
	if !o.Apply || len(u.Restored) == 0 {
		return nil, nil
	}
	return VerifyBackup(ctx, bundle, o.Backup)
}
