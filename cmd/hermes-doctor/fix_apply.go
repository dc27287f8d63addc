package main

import (
	"errors"
	"path/filepath"

	"github.com/seed-4d3eb737/hermes-doctor/fix"
	"github.com/seed-4d3eb737/hermes-doctor/report"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checks"
)

// carryOut asks for what must be asked, makes the backup and applies the plan. The sources are closed before the
// database is written: closing a file drops the locks that SQLite holds on it.
func (r *repair) carryOut() error {
	if err := r.consents(); err != nil {
		return err
	}
	if r.doc.Plan.Empty() {
		return nil
	}
	if err := r.confirmed(); err != nil {
		return err
	}
	o := r.backupOptions(r.cc, r.meter)
	if o.Dir == "" && r.output != "" {
		o.Dir = filepath.Dir(r.output) // the input's folder is left alone
	}
	r.say(r.cc, r.meter, "making a backup of %q", r.doc.Database)
	backup, err := fix.VerifyBackup(r.cc.Context, r.bundle, o)
	if err := errors.Join(err, closeBundle(r.bundle)); err != nil {
		return err
	}
	r.say(r.cc, r.meter, "filling %d cells", len(r.doc.Plan.Steps))
	a := r.applyOptions(r.cc)
	a.Checks, a.Scan, a.Output = checks.All(), r.scan, r.output
	r.doc.Outcome, err = backup.Apply(r.cc.Context, r.doc.Plan, a)
	return err
}

// consents asks about each chat whose repair waits for its owner, and plans again with what was accepted. Neither --yes
// nor a missing terminal consents.
func (r *repair) consents() error {
	ask := r.asker()
	if r.cc.Bool("yes") || ask == nil {
		return nil
	}
	accepted, told := false, map[string]bool{}
	for _, h := range r.doc.Plan.Held {
		if told[h.Finding] || r.doc.Compared[h.Finding] == nil {
			continue
		}
		ids := append([]string{h.Finding}, h.With...)
		for _, id := range ids {
			told[id] = true
		}
		r.meter.clear()
		if err := report.RenderHeld(ask, r.doc, ids, report.Options{Width: r.width()}); err != nil {
			return err
		}
		yes, err := ask.yes(r.cc.Context, "Are these rows one conversation?")
		if err != nil {
			return err
		}
		if yes {
			accepted = true
			r.options.Accept = append(r.options.Accept, ids...)
		}
	}
	if !accepted {
		return nil
	}
	return r.plan()
}

// confirmed is nil when the plan may be carried out: by --yes, or by an answer on the terminal.
func (r *repair) confirmed() error {
	if r.cc.Bool("yes") {
		return nil
	}
	ask := r.asker()
	if ask == nil {
		return unconfirmed("there is no terminal to confirm the plan on, and no --yes", r.line("fix", "--apply", "--yes"))
	}
	r.meter.clear()
	r.doc.Apply = "" // the question stands in the place of this command
	if err := report.RenderRepair(ask, r.doc, report.Table, report.Options{Width: r.width()}); err != nil {
		return err
	}
	r.doc.Shown = true
	yes, err := ask.yes(r.cc.Context, "Back this copy up and fill these cells?")
	if err != nil {
		return err
	}
	if !yes {
		return unconfirmed("the plan was not confirmed", r.line("fix", "--apply"))
	}
	return nil
}

// codeUnconfirmed is the code of a refusal for want of a yes.
const codeUnconfirmed = "unconfirmed"

func unconfirmed(reason, next string) error {
	return &fix.RefusedError{Code: codeUnconfirmed, Reason: reason, Next: next}
}
