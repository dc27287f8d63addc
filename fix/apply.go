package fix

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/seed-4d3eb737/hermes-doctor/fix/internal/write"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

// ApplyOptions steers Apply and Undo.
type ApplyOptions struct {
	Checks          []*scan.Check // of the scan that verifies the result; the same as behind the plan
	Scan            scan.Options  // of the scan behind the plan
	LiveHomes       []string      // folders of installs, which are refused: $HERMES_HOME and ~/.hermes
	Output          string        // a new file for the result; "" = the database itself is changed
	AllowLiveHolder bool          // the user takes the risk of another process that uses the database
	// AllowForeignKeys goes on although foreign keys are violated already. More violations than before are refused in
	// any case.
	AllowForeignKeys bool
}

// Outcome is what a change came to. Data about files is in the Receipt.
type Outcome struct {
	Applied     int    // cells
	Target      string // the file that holds the result
	Backup      string
	Journal     string // for the command undo
	ReceiptPath string
	Receipt     *Receipt
	After       *scan.Result // of the scan that verified the result
	Notes       []string     // what the owner should know although all is good
}

// Apply carries a plan out, in this order: holders, the steps on a private copy that is scanned and compared, undo
// journal, then the rename of that copy, or, where the database has a -wal or a hot journal, the same steps by one
// transaction of SQLite in place, whose rows must come out equal to those of the copy; then the scan of the result and
// the receipt. A plan without steps does nothing.
//
// A *RefusedError means that the database is what it was, and its Left lists what was made for it and is still there:
// nothing, where the reason was found before the journal was written, the backup being removed then too. An *UnverifiedError, which comes with the Outcome so far, that
// the change is in it. After the error of ctx the database is what it was: once the change is in the file, ctx is not
// listened to any more.
func (b *Backup) Apply(ctx context.Context, p *Plan, o ApplyOptions) (*Outcome, error) {
	switch {
	case p == nil || p.seal == "" || p.seal != p.Sum():
		return nil, &RefusedError{Code: CodePlan, Reason: "this is no plan as it was made"}
	case p.Empty():
		return &Outcome{}, nil
	case b == nil || b.self != b:
		return nil, &RefusedError{Code: CodeUnbacked, Reason: "there is no verified backup"}
	case p.Digest != b.digest:
		return nil, &RefusedError{Code: CodePlan, Path: b.shown, Reason: "the plan was made for other bytes than those that are there", Next: "scan again, and look at the plan again"}
	}
	j := &job{Backup: b, o: o, of: "fix", plan: p.seal, steps: p.Steps, links: p.Adoptions, clock: p.now, fills: true, expect: p.kept}
	return j.run(ctx)
}

// kept refuses rows that resume other sessions than the plan promised.
func (p *Plan) kept(r *scan.Result) error {
	type line struct{ source, key, resolver string }
	now := map[line]string{}
	for _, l := range r.Resume {
		now[line{l.Source, l.SessionKey, l.Resolver}] = l.Now
	}
	for _, l := range p.promised {
		got, ok := now[line{l.Source, l.SessionKey, l.Resolver}]
		if !ok || got != l.AfterFix {
			return &RefusedError{Code: CodeResume, Reason: fmt.Sprintf("over the repaired rows %s resumes %s for %s, and the plan promised %s",
				l.Resolver, rowWords(got), l.SessionKey, rowWords(l.AfterFix))}
		}
	}
	return nil
}

// job is one change of one database, by a repair or by an undo.
type job struct {
	*Backup
	o      ApplyOptions
	of     string // "fix" or "undo"
	plan   string // hash of what is to be done
	steps  []Step
	links  []Link
	clock  float64                  // of the scans, epoch seconds
	fills  bool                     // the cells are blank now; else they hold a value that becomes blank
	expect func(*scan.Result) error // nil = nothing is promised

	held       bool // the process that started this one has the file open
	changes    []write.Change
	journal    string // path
	journalSum string
	work       string // the private copy
	result     write.Digest
	violations int64 // of foreign keys
	out        *Outcome
}

func (j *job) run(ctx context.Context) (*Outcome, error) {
	for _, s := range j.steps {
		j.changes = append(j.changes, write.Change{Table: s.Table, Key: s.Key, Column: s.Column, Old: s.Old, New: s.New})
	}
	if err := j.usable(); err != nil {
		return nil, err
	}
	j.out = &Outcome{Target: j.source, Backup: j.path}
	if j.o.Output != "" {
		j.out.Target = j.o.Output
	}
	lock, err := j.prepare()
	if err == nil {
		err = j.rehearse(ctx)
	}
	if err == nil {
		err = j.writeJournal()
	}
	if err == nil {
		err = j.commit(ctx, lock)
	}
	if j.work != "" {
		err = errors.Join(err, j.clear())
	}
	lock.Release()
	var late *UnverifiedError
	switch {
	case err == nil:
		return j.out, nil
	case errors.As(err, &late):
		return j.out, late
	}
	if !j.named { // nothing of the change was begun, so that nobody needs the backup
		err = errors.Join(err, j.discard())
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return nil, j.leaving(refuse(CodeWrite, "change the database", err))
}

// leaving adds to a refusal what was made and is still there.
func (j *job) leaving(err error) error {
	var known *RefusedError
	if !errors.As(err, &known) {
		return err
	}
	more := *known
	for _, path := range append(slices.Clone(j.made), j.stem+journalEnd, j.stem+journalEnd+".part", j.work) {
		if path == "" {
			continue
		}
		if _, err := os.Lstat(path); err == nil {
			more.Left = append(more.Left, path)
		}
	}
	return &more
}

// prepare looks whether the file may be changed, and locks it where its name is going to be taken.
func (j *job) prepare() (*write.Lock, error) {
	if err := j.unchanged(); err != nil {
		return nil, err
	}
	if j.o.Output != "" {
		if err := j.free(); err != nil {
			return nil, err
		}
		return nil, nil
	}
	if err := j.movable(); err != nil {
		return nil, err
	}
	caller, err := holders(j.source, j.o.LiveHomes, j.o.AllowLiveHolder)
	if err != nil {
		return nil, err
	}
	if caller {
		j.held = true
		j.out.Notes = append(j.out.Notes, "the process that started this one has the file open, so it was changed in place")
	}
	var lock *write.Lock
	if !j.inPlace() {
		var held bool
		if lock, held, err = write.Take(j.source); err != nil || held {
			return nil, &RefusedError{Code: CodeLocked, Path: j.source, Reason: "another process has it locked", Err: err}
		}
	}
	return lock, nil
}

// inPlace says that SQLite itself has to write to the database: rows stand in a sidecar, or somebody has it open.
func (j *job) inPlace() bool {
	return j.o.Output == "" && (j.view != "main" || j.o.AllowLiveHolder || j.held)
}

// movable refuses a file with other names, which would keep the old rows.
func (j *job) movable() error {
	if id, ok := write.Identify(j.set[0].info); ok && id.Links > 1 && !j.inPlace() {
		return &RefusedError{Code: CodeLinks, Path: j.source, Reason: fmt.Sprintf("the file has %d names (hard links), and only one of them would get the repaired rows", id.Links),
			Next: "copy it to a new file, or use --output"}
	}
	return nil
}

// clear removes the private copy with whatever SQLite left beside it.
func (j *job) clear() error {
	var errs []error
	for _, end := range slices.Backward(sidecarNames()) {
		if err := j.files.Remove(j.work + end); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	if len(errs) == 0 {
		j.work = ""
	}
	return errors.Join(errs...)
}
