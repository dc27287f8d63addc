package fix

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-4d3eb737/hermes-doctor/fix/internal/write"
)

// fill does the steps on a connection and proves that nothing else changed. same says that the file was just compared
// with the backup, byte for byte.
func (j *job) fill(ctx context.Context, c *write.Conn, same bool) error {
	if err := c.Begin(ctx); err != nil {
		if write.Locked(err) {
			return &RefusedError{Code: CodeLocked, Path: j.source, Reason: "another process writes to it", Err: err}
		}
		return refuse(CodeWrite, "begin the transaction", err)
	}
	err := j.fillInside(ctx, c, same)
	if err != nil {
		return errors.Join(err, c.Rollback())
	}
	return nil
}

func (j *job) fillInside(ctx context.Context, c *write.Conn, same bool) error {
	if err := j.asBackedUp(ctx, c, same); err != nil {
		return err
	}
	rest, err := c.DigestAround(ctx, j.changes)
	if err != nil {
		return refuse(CodeStep, "read the rows", err)
	}
	broken, err := j.foreignKeys(ctx, c)
	if err != nil {
		return err
	}
	if err := j.change(ctx, c); err != nil {
		return err
	}
	now, err := c.DigestAround(ctx, j.changes)
	if err != nil {
		return refuse(CodeStep, "read the rows", err)
	}
	result, err := c.Digest(ctx)
	if err != nil {
		return refuse(CodeStep, "read the rows", err)
	}
	diff := slices.DeleteFunc(result.Differs(j.rows), func(table string) bool {
		return slices.ContainsFunc(j.changes, func(ch write.Change) bool { return ch.Table == table })
	})
	if diff = append(diff, now.Differs(rest)...); len(diff) > 0 {
		return &RefusedError{Code: CodeDiffers, Path: j.source, Reason: fmt.Sprintf("other cells than the planned ones changed, in %q", diff)}
	}
	if n, err := c.ForeignKeys(ctx); err != nil || n > broken {
		return &RefusedError{Code: CodeForeignKeys, Path: j.source, Reason: fmt.Sprintf("with the steps %d rows name a row that is not there, without them %d", n, broken), Err: err}
	}
	if j.result.Tables != nil && len(result.Differs(j.result)) > 0 {
		return &RefusedError{Code: CodeDiffers, Path: j.source, Reason: "the rows come out otherwise than on the private copy"}
	}
	j.result = result
	return nil
}

// asBackedUp refuses rows that are not those of the backup.
func (j *job) asBackedUp(ctx context.Context, c *write.Conn, same bool) error {
	if same {
		return nil
	}
	rows, err := c.Digest(ctx)
	if err != nil {
		return refuse(CodeStep, "read the rows", err)
	}
	if diff := rows.Differs(j.rows); len(diff) > 0 {
		return &RefusedError{Code: CodeChanged, Path: j.source, Reason: fmt.Sprintf("its rows are not those that were backed up, in %q", diff), Next: "scan again"}
	}
	return nil
}

// foreignKeys counts the rows whose foreign keys name nothing, which is a refusal unless it was allowed.
func (j *job) foreignKeys(ctx context.Context, c *write.Conn) (int64, error) {
	n, err := c.ForeignKeys(ctx)
	if err != nil {
		return 0, refuse(CodeForeignKeys, "check foreign keys", err)
	}
	if n > 0 && j.fills && !j.o.AllowForeignKeys {
		return n, &RefusedError{Code: CodeForeignKeys, Path: j.shown,
			Reason: fmt.Sprintf("%d rows name a session that is not there: rows of this file were lost or written by something else", n),
			Next:   "look at the findings messages-without-session and dangling-parent; --allow-foreign-key-violations goes on all the same"}
	}
	j.violations = n
	return n, nil
}

// change changes the cells, each under its condition, and reads them back.
func (j *job) change(ctx context.Context, c *write.Conn) error {
	held, err := c.Cells(ctx, j.changes)
	if err != nil {
		return refuse(CodeStep, "read the cells", err)
	}
	for _, ch := range j.changes {
		if got, ok := held[ch]; !ok || got != ch.Old {
			return &RefusedError{Code: CodeStep, Path: j.source, Reason: fmt.Sprintf("%s.%s of %q is not what it was", ch.Table, ch.Column, ch.Key), Next: "scan again"}
		}
	}
	if j.fills {
		err = c.Fill(ctx, j.changes)
	} else {
		err = c.Restore(ctx, j.changes)
	}
	if err != nil {
		return j.stepError(ctx, c, err)
	}
	if held, err = c.Cells(ctx, j.changes); err != nil {
		return refuse(CodeStep, "read the cells", err)
	}
	for _, ch := range j.changes {
		if got, ok := held[ch]; !ok || got != ch.New {
			return &RefusedError{Code: CodeStep, Path: j.source, Reason: fmt.Sprintf("%s.%s of %q reads back as something else", ch.Table, ch.Column, ch.Key)}
		}
	}
	return nil
}

// stepError names the triggers of the tables where one of them may be why a step failed.
func (j *job) stepError(ctx context.Context, c *write.Conn, err error) error {
	if triggers, terr := c.Triggers(ctx, j.changes); terr == nil && len(triggers) > 0 && ctx.Err() == nil {
		return &RefusedError{Code: CodeTrigger, Path: j.source, Reason: fmt.Sprintf("the triggers %q fire on these rows and may write elsewhere: %v", triggers, err),
			Next: "these triggers are not Hermes's: find out who made them", Err: err}
	}
	return refuse(CodeStep, "change the cells", err)
}
