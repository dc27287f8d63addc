package witness

import "strings"

// Window is how many seconds after a message came in a session begins to answer it, at most.
const Window = 30

// The bounds of what is kept while pairs are made.
const (
	openLimit   = 1024    // messages that wait for their turn
	servedLimit = 200_000 // pairs of a session and a chat
	movedLimit  = 100_000 // lines about keys
	toldLimit   = 20_000  // lines for a timeline
	spokenLimit = 200_000 // sessions that began turns
	laggedLimit = 10_000  // keys whose transcript lagged
)

// Place is a line of one of the files that events come from.
type Place struct{ File, Line int }

// Served is a session that answered messages of one chat.
type Served struct {
	Session, Platform, Chat string
	Inbound, Turn           Place   // the first pair
	At                      float64 // when its message came in, as Event.At
	Last                    float64 // when the newest one did
	Newest                  Place   // its line
	Count                   int     // pairs
	Answered                bool    // a line says that an answer went to the chat
}

// Spoken is a session that began turns, whichever chat or surface it served.
type Spoken struct {
	Session, Platform string
	Last              float64 // when the newest turn began, as Event.At
	Newest            Place
	Count             int // turns
}

// Behind is a key whose chat's reader got less from the file than the gateway held.
type Behind struct {
	Key         string
	First, Last float64 // of the lines, as Event.At
	Newest      Place
	Count, None int // lines, and those of them in which the file gave nothing
}

// Pairs finds which session answered which chat. Give it events in order of time; the zero value is not usable.
type Pairs struct {
	Served  []*Served
	Moved   []Event // the lines about keys, each once
	Spoken  []*Spoken
	Behind  []*Behind
	Doubted int  // turns whose text came in from several chats at that time
	Limited bool // a bound was reached
	Unheard bool // that of Spoken

	Told   []Event // every line but those about messages, in order of time; a line that stands in two logs is here once
	Untold int     // lines beyond the bound

	open   []Event
	byPair map[[3]string]*Served
	spoken map[string]*Spoken
	behind map[string]*Behind
	names  map[string]string     // platforms and chats, each once
	asked  map[[2]string]*Served // by platform and chat: the pair whose answer is awaited
	seen   map[Event]bool        // of Moved, without their places
	last   map[Event]bool        // of Told, those of its last moment, without their places
}

// NewPairs makes an empty collection.
func NewPairs() *Pairs {
	return &Pairs{byPair: map[[3]string]*Served{}, names: map[string]string{}, spoken: map[string]*Spoken{}, behind: map[string]*Behind{}, asked: map[[2]string]*Served{}, seen: map[Event]bool{}, last: map[Event]bool{}}
}

// Add takes the next event.
func (p *Pairs) Add(e Event) {
	switch e.Kind {
	case Inbound:
		p.inbound(e)
	case Turn:
		p.spoke(e)
		p.turn(e)
	case Lagged:
		p.tell(e)
		p.lagged(e)
	case Ready:
		at := [2]string{e.Platform, e.Chat}
		if s := p.asked[at]; s != nil {
			s.Answered = true
			delete(p.asked, at)
		}
	default:
		p.tell(e)
		if e.Kind.Witnesses() {
			p.moved(e)
		}
	}
}

// tell keeps a line for a timeline. The same line stands in several logs at the same moment.
func (p *Pairs) tell(e Event) {
	what := e
	what.File, what.Line = 0, 0
	if n := len(p.Told); n == 0 || p.Told[n-1].At != e.At {
		clear(p.last)
	}
	switch {
	case p.last[what]:
	case len(p.Told) == toldLimit:
		p.Untold++
	default:
		p.last[what] = true
		p.Told = append(p.Told, e)
	}
}

// inbound keeps a message until its turn. The same line stands in two logs.
func (p *Pairs) inbound(e Event) {
	p.forget(e.At)
	for i := range p.open {
		if o := &p.open[i]; o.At == e.At && o.Chat == e.Chat && o.Platform == e.Platform && o.text == e.text {
			return
		}
	}
	if len(p.open) == openLimit {
		p.open = append(p.open[:0], p.open[openLimit/2:]...)
		p.Limited = true
	}
	p.open = append(p.open, e)
}

// forget drops the messages that no turn can answer any more.
func (p *Pairs) forget(now float64) {
	n := 0
	for n < len(p.open) && p.open[n].At < now-Window {
		n++
	}
	if n > 0 {
		p.open = append(p.open[:0], p.open[n:]...)
	}
}

// turn looks for the message that a session answers. One text out of two chats at a time decides nothing.
func (p *Pairs) turn(e Event) {
	p.forget(e.At)
	found, text := -1, answeredText(e.text)
	for i := range p.open {
		o := &p.open[i]
		if o.Platform != e.Platform || o.At > e.At || !text.is(o.text, o.User) {
			continue
		}
		if found >= 0 && p.open[found].Chat != o.Chat {
			p.Doubted++
			return
		}
		found = i
	}
	if found < 0 {
		return
	}
	in := p.open[found]
	p.open = append(p.open[:found], p.open[found+1:]...)
	p.pair(in, e)
}

func (p *Pairs) pair(in, turn Event) {
	at := [3]string{turn.Session, in.Platform, in.Chat}
	s := p.byPair[at]
	if s == nil {
		if len(p.Served) == servedLimit {
			p.Limited = true
			return
		}
		// An event's texts are parts of its line, which is not to be kept.
		at = [3]string{strings.Clone(turn.Session), p.once(in.Platform), p.once(in.Chat)}
		s = &Served{Session: at[0], Platform: at[1], Chat: at[2], At: in.At,
			Inbound: Place{in.File, in.Line}, Turn: Place{turn.File, turn.Line}}
		p.byPair[at] = s
		p.Served = append(p.Served, s)
	}
	s.Count++
	s.Last, s.Newest = in.At, Place{in.File, in.Line}
	p.asked[[2]string{s.Platform, s.Chat}] = s
}

// spoke counts a turn of a session.
func (p *Pairs) spoke(e Event) {
	s := p.spoken[e.Session]
	if s == nil {
		if len(p.Spoken) == spokenLimit {
			p.Limited, p.Unheard = true, true
			return
		}
		s = &Spoken{Session: strings.Clone(e.Session)}
		p.spoken[s.Session] = s
		p.Spoken = append(p.Spoken, s)
	}
	if s.Count == 0 || e.At != s.Last { // the same line stands in two logs
		s.Count++
	}
	s.Platform, s.Last, s.Newest = p.once(e.Platform), e.At, Place{e.File, e.Line}
}

// lagged counts a line about a transcript that lagged.
func (p *Pairs) lagged(e Event) {
	b := p.behind[e.Key]
	if b == nil {
		if len(p.Behind) == laggedLimit {
			p.Limited = true
			return
		}
		b = &Behind{Key: strings.Clone(e.Key), First: e.At}
		p.behind[b.Key] = b
		p.Behind = append(p.Behind, b)
	}
	if b.Count > 0 && e.At == b.Last { // the same line stands in two logs
		return
	}
	b.Count++
	if e.Disk == 0 {
		b.None++
	}
	b.Last, b.Newest = e.At, Place{e.File, e.Line}
}

// once gives one copy of a text that many pairs hold.
func (p *Pairs) once(s string) string {
	if kept, ok := p.names[s]; ok {
		return kept
	}
	s = strings.Clone(s)
	p.names[s] = s
	return s
}

// moved keeps a line about a key once, however many logs hold it.
func (p *Pairs) moved(e Event) {
	what := e
	what.File, what.Line, what.At = 0, 0, 0
	if p.seen[what] {
		return
	}
	if len(p.Moved) == movedLimit {
		p.Limited = true
		return
	}
	p.seen[what] = true
	p.Moved = append(p.Moved, e)
}
