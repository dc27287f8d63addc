package scan

import (
	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
	"github.com/seed-4d3eb737/hermes-doctor/scan/resume"
)

// updateFirst begins the advice where the newest damaged row was made by a writer without the fix.
const updateFirst = "Update Hermes Agent first, or it happens again: builds before #82633 (9 August 2026) make such rows."

// PatchedSince is the start of the oldest row that only a build with #82633 makes: a keyed row whose parent is an
// earlier row of its chat that a boundary ended. Never = no row shows it.
func PatchedSince(f *facts.Facts) facts.Time {
	at := facts.Never()
	for i := range f.Sessions {
		s := &f.Sessions[i]
		if !s.Keyed() || s.Parent < 0 {
			continue
		}
		p := &f.Sessions[s.Parent]
		if p.Chat() == s.Chat() && resume.Boundary(p.EndReason) && p.Start() < s.Start() && (at.Blank() || s.Start() < at) {
			at = s.Start()
		}
	}
	return at
}

// UpdateAdvice says to update first where nothing in the file shows a writer with the fix, and is "" elsewhere. A file that a build of
// schema version 26 or newer has opened is written by a patched one by now.
func UpdateAdvice(f *facts.Facts) string {
	if f.Schema > 25 || !PatchedSince(f).Blank() {
		return ""
	}
	return updateFirst
}
