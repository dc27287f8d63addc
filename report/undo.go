package report

import (
	"fmt"
	"io"
	"slices"

	"github.com/seed-4d3eb737/hermes-doctor/fix"
)

// Undo is the document of the command undo: which cells get back what they held, which are left alone and why, and,
// after --apply, what came of it.
type Undo struct {
	Tool    Tool
	Journal string
	Undone  *fix.Undone
	Refused *fix.RefusedError    // why nothing was written although it was to be
	Failed  *fix.UnverifiedError // what went wrong after the commit
	Shown   bool                 // the cells were shown already: the table leaves them out
	Apply   string               // the command that carries it out
	Undo    string               // the command that takes it back; "" = nothing was changed
}

// Undoing is what undo does. In its steps, new is what the cell holds and old what it gets back.
type Undoing struct {
	Journal     string     `json:"journal"`
	JournalB64  string     `json:"journal_b64,omitempty"`
	Of          string     `json:"of"` // "fix" or "undo"
	Database    string     `json:"database"`
	DatabaseB64 string     `json:"database_b64,omitempty"`
	Restored    []Step     `json:"restored"`
	Kept        []KeptCell `json:"kept"`
}

// KeptCell is a cell that is left alone.
type KeptCell struct {
	Step
	Code   string `json:"code"` // gone, restored-already or changed-since
	Reason string `json:"reason"`
}

// RenderUndo writes u in the format f.
func RenderUndo(w io.Writer, u *Undo, f Format, o Options) error {
	switch f {
	case Table:
		d := u.document()
		return d.table(w, o)
	case Markdown:
		d := u.document()
		return d.markdown(w, o)
	case JSON:
		j := newJSONWriter(w)
		j.member("schema", schemaNumber)
		j.member("tool", u.Tool)
		j.member("undo", u.model())
		u.ending().write(j)
		return j.finish()
	case JSONLines:
		return eachLine(w, each(u.Undone.Restored, step))
	}
	return fmt.Errorf("render undo: unknown format %q (known: %s)", string(f), known())
}

func (u *Undo) ending() ending {
	return ending{outcome: u.Undone.Outcome, refused: u.Refused, failed: u.Failed, undo: u.Undo}
}

func (u *Undo) model() Undoing {
	out := Undoing{Of: u.Undone.Of, Restored: steps(u.Undone.Restored),
		Kept: slices.AppendSeq(make([]KeptCell, 0, len(u.Undone.Kept)), each(u.Undone.Kept, func(k fix.Kept) KeptCell {
			return KeptCell{step(k.Step), k.Code, shownText(k.Reason)}
		}))}
	out.Journal, out.JournalB64 = text(u.Journal)
	out.Database, out.DatabaseB64 = text(u.Undone.Target)
	return out
}

func (u *Undo) headline() (word, color, rest string) {
	n, kept := int64(len(u.Undone.Restored)), ""
	if k := int64(len(u.Undone.Kept)); k > 0 {
		kept = "; " + plural(k, "cell") + " left alone"
	}
	switch {
	case u.Refused != nil:
		return "refused", red, "nothing was written to the database: " + u.Refused.Reason
	case u.Failed != nil:
		return "wrong", red, u.Failed.Error()
	case u.Undone.Outcome != nil:
		return "taken back", green, plural(n, "cell") + " hold again what they held before the " + u.Undone.Of + kept
	case n > 0:
		return "plan", yellow, plural(n, "cell") + " of " + u.Undone.Target + " would get back what they held before the " + u.Undone.Of + kept
	}
	if u.Undone.Done() {
		return "nothing to do", green, "every cell holds already what it held before the " + u.Undone.Of
	}
	return "nothing to do", yellow, "no cell holds what the " + u.Undone.Of + " wrote" + kept
}

func (u *Undo) document() document {
	d := document{inputs: u.Undone.Inputs}
	d.word, d.color, d.rest = u.headline()
	var back, kept []string
	for _, s := range u.Undone.Restored {
		back = append(back, fmt.Sprintf("%s  %s[%s].%s: %s becomes %s again", s.ID, s.Table, s.Key, s.Column, cellWords(s.New), cellWords(s.Old)))
	}
	for _, k := range u.Undone.Kept {
		kept = append(kept, fmt.Sprintf("%s  %s[%s].%s: %s", k.Step.ID, k.Step.Table, k.Step.Key, k.Step.Column, k.Reason))
	}
	if len(back) > 0 && !u.Shown {
		d.parts = append(d.parts, part{title: "cells (" + Count(int64(len(back))) + ")", lines: back, noun: "cell"})
	}
	if len(kept) > 0 && !u.Undone.Done() {
		d.parts = append(d.parts, part{title: "left alone", lines: kept, noun: "cell"})
	}
	d.parts = append(d.parts, u.ending().parts()...)
	if u.Refused == nil && u.Failed == nil && u.Undone.Outcome == nil && len(back) > 0 && u.Apply != "" {
		d.parts = append(d.parts, part{title: "next: this makes a backup and a journal of its own, and then changes the file", code: []string{u.Apply}})
	}
	return d
}
