package evidence_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// BenchmarkReadLogs reads 64 MB of a log in which three of ten lines matter, far more than in a gateway's own.
func BenchmarkReadLogs(b *testing.B) {
	var log bytes.Buffer
	for i := 0; log.Len() < 64<<20; i++ {
		at := fmt.Sprintf("2026-08-%02d %02d:%02d:%02d,000", 1+i/86400%28, i/3600%24, i/60%60, i%60)
		fmt.Fprintf(&log, "%s INFO gateway.run: inbound message: platform=telegram user=Sam chat=%d msg='message %d of a talk' reply_to_id=None reply_to_text=''\n", at, i%50, i)
		fmt.Fprintf(&log, "%s INFO [s%d] agent.turn_context: conversation turn: session=s%d model=m provider=p platform=telegram history=3 msg='message %d of a talk'\n", at, i%50, i%50, i)
		for k := range 7 {
			fmt.Fprintf(&log, "%s DEBUG [s%d] tools.terminal: a line about something else, %d: %s\n", at, i%50, k, strings.Repeat("x", 10+17*k))
		}
		fmt.Fprintf(&log, "%s INFO gateway.run: response ready: platform=telegram chat=%d time=1.0s api_calls=1 response=10 chars\n", at, i%50)
	}
	home := filepath.Join(b.TempDir(), "home")
	healthy(b, filepath.Join(home, "state.db"))
	write(b, filepath.Join(home, "logs/agent.log"), log.Bytes())
	h := open(b, home).Homes[0]
	b.SetBytes(int64(log.Len()))
	for b.Loop() {
		logs, err := h.ReadLogs(b.Context())
		if err != nil || len(logs.Served) != 50 {
			b.Fatalf("%d pairs, %v", len(logs.Served), err)
		}
	}
}
