package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// Progress shows nothing for work that is done at once, and then not so often that it costs anything.
const (
	progressDelay = time.Second
	progressEvery = 100 * time.Millisecond
)

// meter tells a person or a program how far the work is, on stderr. Its report may be called from several goroutines.
type meter struct {
	mode  string // "none", "bar", "json"
	w     io.Writer
	width int
	now   func() time.Time

	mu          sync.Mutex
	begun, last time.Time
	drawn       bool // a bar stands on the current line
}

// newMeter reads --progress; "" is the default: a bar on a terminal, silence elsewhere and with --quiet.
func (c *console) newMeter(mode string, quiet bool) (*meter, error) {
	switch mode {
	case "":
		mode = "none"
		if _, tty := terminal(c.stderr); tty && !quiet {
			mode = "bar"
		}
	case "none", "bar", "json":
	default:
		return nil, usageError{what: fmt.Sprintf("unknown --progress %q", mode), try: "--progress none, bar or json"}
	}
	return &meter{mode: mode, w: c.stderr, width: c.width(), now: time.Now, begun: time.Now()}, nil
}

// report shows that done of total units of a stage are through; total 0 means unknown.
func (m *meter) report(stage string, done, total int64) {
	if m.mode == "none" {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	if now.Sub(m.begun) < progressDelay || now.Sub(m.last) < progressEvery {
		return
	}
	m.last = now
	if m.mode == "json" {
		line, err := json.Marshal(struct {
			Stage string `json:"stage"`
			Done  int64  `json:"done"`
			Total int64  `json:"total"`
		}{stage, done, total})
		if err == nil {
			fmt.Fprintf(m.w, "%s\n", line)
		}
		return
	}
	fmt.Fprintf(m.w, "\r%s\x1b[K", m.bar(stage, done, total))
	m.drawn = true
}

func (m *meter) bar(stage string, done, total int64) string {
	stage = oneLine(stage)
	if total <= 0 {
		return stage
	}
	share := min(max(float64(done)/float64(total), 0), 1)
	cells := min(30, max(m.width-len(stage)-8, 5))
	full := int(share * float64(cells))
	return fmt.Sprintf("%s %s%s %3.0f%%", stage, strings.Repeat("█", full), strings.Repeat("░", cells-full), share*100)
}

// clear takes the bar off the screen, before anything else is written there.
func (m *meter) clear() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.drawn {
		fmt.Fprint(m.w, "\r\x1b[K")
		m.drawn = false
	}
}
