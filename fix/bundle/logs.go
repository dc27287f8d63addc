package bundle

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// repeats is how often a line is written that the source has more often: what counts is that it came again.
const repeats = 9

// logLine is a line of the log that is written anew.
type logLine struct {
	at   float64 // as told by evidence.Wall
	text string
}

// logWriter collects the lines.
type logWriter struct {
	*homeWriter
	lines []logLine
	texts int // that were given to messages: each its own, so that a pair can only be read as that pair
}

// logs writes one log anew, of the lines that tie a session to a chat or a key (spec/state-db.md 1.5), in the product's
// own words.
func (w *homeWriter) logs(ctx context.Context) error {
	logs, err := w.home.ReadLogs(ctx)
	if err != nil {
		return err
	}
	l := &logWriter{homeWriter: w}
	paired := map[string]int{}
	for k := range logs.Served {
		l.served(&logs.Served[k])
		paired[logs.Served[k].Session] += logs.Served[k].Count
	}
	for k := range logs.Spoken {
		s := &logs.Spoken[k]
		for range min(s.Count-paired[s.Session], repeats) {
			l.turn(s.Last, s.Session, s.Platform, l.message())
		}
	}
	for k := range logs.Behind {
		l.behind(&logs.Behind[k])
	}
	for k := range logs.Moved {
		l.moved(&logs.Moved[k])
	}
	if len(l.lines) == 0 {
		return nil
	}
	w.left["every line of the logs but those that tie a session to a chat"] = true
	slices.SortStableFunc(l.lines, func(a, b logLine) int { return cmp.Compare(a.at, b.at) })
	var b strings.Builder
	for _, line := range l.lines {
		b.WriteString(evidence.Wall(w.epoch(line.at)) + ",000 " + line.text + "\n")
	}
	return w.put("logs/agent.log", b.String())
}

func (l *logWriter) add(at float64, logger, format string, args ...any) {
	l.lines = append(l.lines, logLine{at, "INFO " + logger + ": " + fmt.Sprintf(format, args...)})
}

func (l *logWriter) message() string {
	l.texts++
	return fmt.Sprintf("%d.", l.texts)
}

func (l *logWriter) turn(at float64, session, platform, message string) {
	l.add(at, "agent.turn_context", "conversation turn: session=%s model=model provider=provider platform=%s history=1 msg='%s'", l.name(session), l.name(platform), message)
}

func (l *logWriter) served(s *evidence.Served) {
	for k := range min(s.Count, repeats) {
		at, message := s.At, l.message()
		if k > 0 {
			at = s.Last
		}
		l.add(at, "gateway.run", "inbound message: platform=%s user=user chat=%s msg='%s'", l.name(s.Platform), l.name(s.Chat), message)
		l.turn(at, s.Session, s.Platform, message)
		if s.Answered {
			l.add(at, "gateway.run", "response ready: platform=%s chat=%s time=1.0s api_calls=1 response=1 chars", l.name(s.Platform), l.name(s.Chat))
		}
	}
}

func (l *logWriter) behind(b *evidence.Behind) {
	for k := range b.Count {
		at, disk := b.First, 1
		if k == b.Count-1 {
			at = b.Last
		}
		if k < b.None {
			disk = 0
		}
		l.add(at, "gateway.run", "Persisted transcript lagged live cached history for session %s (disk=%d, memory=9); preserving live conversation context (possible FTS write corruption)", l.name(b.Key), disk)
	}
}

func (l *logWriter) moved(m *evidence.Moved) {
	key, session, to := l.name(m.Key), l.name(m.Session), l.name(m.To)
	add := func(format string, args ...any) { l.add(m.Wall, "gateway.session", format, args...) }
	switch {
	case m.NotMade:
		add("Failed to create session row %s for %s: error", session, key)
	case strings.HasPrefix(m.What, "the gateway could not end"):
		add("Failed to end predecessor session row %s for %s: error", session, key)
	case to != "" && key == "":
		add("SessionStore healed compressed session mapping: %s -> %s", session, to)
	case to != "":
		add("repointing stale sessions.json entry '%s' from ended %s (end_reason='unknown') to recovered %s", key, session, to)
	case strings.HasPrefix(m.What, "the gateway found"):
		add("routing key '%s' -> %s is ended in state.db but still live in sessions.json; dropping stale entry", key, session)
	default:
		add("pruning stale sessions.json entry '%s' -> %s (end_reason='unknown'); left by a crashed gateway", key, session)
	}
}
