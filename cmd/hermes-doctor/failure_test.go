package main

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-4d3eb737/hermes-doctor/fix"
)

// TestConcludeChange is about the errors of a change: whoever reads only the exit code must learn whether the database
// is what it was.
func TestConcludeChange(t *testing.T) {
	late := &fix.UnverifiedError{Reason: "the receipt could not be written", Journal: "it's.undo.json", Backup: "b.bak"}
	const lateText = "hermes-doctor: the change is in the file, but the receipt could not be written\n" +
		`try: hermes-doctor undo --apply 'it'\''s.undo.json'` + "\n"
	tests := []struct {
		name      string
		err       error
		cancelled bool
		code      int
		stderr    string
	}{
		{"refused", &fix.RefusedError{Code: fix.CodeLocked, Path: "a.db", Reason: "another process has it locked", Next: "stop it"}, false, exitRefused,
			"hermes-doctor: refused, nothing was written to the database: \"a.db\": another process has it locked\ntry: stop it\n"},
		{"refused without a next step", &fix.RefusedError{Reason: "no"}, false, exitRefused,
			"hermes-doctor: refused, nothing was written to the database: no\ntry: hermes-doctor help fix\n"},
		{"wrapped", fmt.Errorf("fix: %w", late), false, exitIncomplete, lateText},
		{"interrupted after the commit", late, true, exitIncomplete, lateText},
		{"interrupted before it", context.Canceled, true, exitInterrupted,
			"hermes-doctor: interrupted; private copies are removed, inputs are as they were\n" +
				"try: the same command again; -v or --progress bar shows how far it is\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			if tt.cancelled {
				cancel()
			}
			defer cancel()
			var stderr bytes.Buffer
			c := newConsole(nil, nil, nil, &stderr)
			if code := c.conclude(ctx, tt.err); code != tt.code {
				t.Errorf("exit %d, want %d", code, tt.code)
			}
			if d := cmp.Diff(tt.stderr, stderr.String()); d != "" {
				t.Errorf("stderr (-want +got):\n%s", d)
			}
		})
	}
}
