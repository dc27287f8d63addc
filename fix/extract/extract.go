package extract

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan/contents"
)

// Source gives the contents that a plan names; an *evidence.ObjectReader is one.
type Source interface {
	Stat(id evidence.ObjectID) (evidence.ObjectStat, error)
	Blob(id evidence.ObjectID, w io.Writer) (int64, error)
}

// Outcome is what was delivered.
type Outcome struct {
	Files   int
	Links   int
	Folders int
	Bytes   int64              // of files
	Failed  []contents.Failure // those of the plan, and contents and names that could not be delivered
}

// begin makes an outcome of what the plan knows already.
func begin(plan *contents.Plan) *Outcome {
	return &Outcome{Failed: append([]contents.Failure{}, plan.Failed...)}
}

// fail remembers what cannot be delivered. An error that tells of neither the object nor the name is given back.
func (o *Outcome) fail(i contents.Item, err error) error {
	f := contents.Failure{Path: i.Path, ID: i.ID}
	var refused *refusal
	switch {
	case errors.As(err, &f.Fault):
	case errors.As(err, &refused):
		f.Why = refused.why
	default:
		return fmt.Errorf("write %q: %w", i.Target, err)
	}
	o.Failed = append(o.Failed, f)
	return nil
}

// refusal is an error about one name of the target: the rest can be delivered.
type refusal struct{ why string }

func (r *refusal) Error() string { return r.why }

// longestLink bounds the target of a link; no system takes more.
const longestLink = 64 << 10

// linkTarget reads the content of a link.
func linkTarget(r Source, id evidence.ObjectID) (string, error) {
	st, err := r.Stat(id)
	if err == nil && st.Size > longestLink {
		return "", &refusal{"the target of the link is too long"}
	}
	var b bytes.Buffer
	if _, err := r.Blob(id, &b); err != nil {
		return "", err
	}
	if b.Len() == 0 || bytes.IndexByte(b.Bytes(), 0) >= 0 {
		return "", &refusal{"the target of the link is no path"}
	}
	return b.String(), nil
}

// each calls do for the items of some kinds.
func each(ctx context.Context, plan *contents.Plan, do func(contents.Item) error, kinds ...contents.Kind) error {
	for _, i := range plan.Items {
		if err := ctx.Err(); err != nil {
			return err
		}
		for _, k := range kinds {
			if i.Kind() == k {
				if err := do(i); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
