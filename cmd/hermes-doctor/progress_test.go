package main

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestMeter(t *testing.T) {
	tests := []struct {
		name, mode string
		at         []time.Duration // since the start; one report at each
		want       string
	}{
		{"silent in the first second", "bar", []time.Duration{0, 999 * time.Millisecond}, ""},
		{"none", "none", []time.Duration{5 * time.Second}, ""},
		{"json, at most ten a second", "json", []time.Duration{time.Second, 1050 * time.Millisecond, 1100 * time.Millisecond},
			"{\"stage\":\"hash\",\"done\":0,\"total\":4}\n{\"stage\":\"hash\",\"done\":2,\"total\":4}\n"},
		{"bar, cleared at the end", "bar", []time.Duration{0, 2 * time.Second},
			"\rhash ███████░░░░░░░░░░░░░░░░░░░░░░░  25%\x1b[K\r\x1b[K"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			begun := time.Unix(1e9, 0)
			now := begun
			m := &meter{mode: tt.mode, w: &out, width: 80, begun: begun, now: func() time.Time { return now }}
			for i, at := range tt.at {
				now = begun.Add(at)
				m.report("hash", int64(i), 4)
			}
			m.clear()
			if diff := cmp.Diff(tt.want, out.String()); diff != "" {
				t.Errorf("stderr (-want +got):\n%s", diff)
			}
		})
	}
}
