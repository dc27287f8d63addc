package build

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// peer is one chat of the messaging gateway.
type peer struct {
	platform, user, key, chat, kind, thread, name string
}

// talk is one session before its messages are spread.
type talk struct {
	id, source    string
	peer          *peer   // nil = the row names no chat
	user          string  // user_id of a row without a peer
	start, length float64 // epoch seconds, seconds
	messages      int     // 0 = its share of what is left, or none where hollow
	hollow        bool
	parent        *talk
	marker        string // member of model_config that names the parent; "" = none
	reason        string // end_reason; "" = never ended
}

func (t *talk) end() float64 { return t.start + t.length }

// population draws the sessions of a large store.
type population struct {
	rnd   *rand.Rand
	prose *prose
	peers []*peer
	talks []*talk
	begin float64
	span  float64
}

// weighted is one thing to draw and how often.
type weighted[T any] struct {
	weight int
	value  T
}

func draw[T any](rnd *rand.Rand, list []weighted[T]) T {
	sum := 0
	for _, w := range list {
		sum += w.weight
	}
	n, i := rnd.IntN(sum), 0
	for n >= list[i].weight {
		n -= list[i].weight
		i++
	}
	return list[i].value
}

// firstDay is 2026-07-01T00:00:00Z: rows have had keys since June 2026.
const firstDay = 1_782_864_000

// populate draws all sessions, sorted by their start, with the messages of each.
func populate(rnd *rand.Rand, text *prose, o LargeOptions) *population {
	// Twenty sessions a day: denser, and most orphans would have several candidates.
	p := &population{rnd: rnd, prose: text, begin: firstDay, span: 86_400 * math.Max(60, float64(o.Sessions)/20)}
	for i := range max(12, o.Sessions/25) {
		p.peers = append(p.peers, p.newPeer(i))
	}
	if o.OrphanShare > 0 {
		p.plantOrphans(int(math.Round(o.OrphanShare * float64(o.Sessions))))
	}
	kinds := p.healthy()
	for len(p.talks) < o.Sessions {
		draw(rnd, kinds)(p.when(), p.anyone())
	}
	p.talks = p.talks[:o.Sessions] // the last kind may have added a few too many; none of them is a parent of others
	p.share(o.Messages)
	slices.SortStableFunc(p.talks, func(a, b *talk) int { return cmp.Compare(a.start, b.start) })
	return p
}

func (p *population) newPeer(i int) *peer {
	c := &peer{name: fmt.Sprintf("User %d", i), user: fmt.Sprint(10_000_000 + 7919*i)}
	c.platform = draw(p.rnd, []weighted[string]{{5, "telegram"}, {3, "discord"}, {2, "slack"}})
	c.kind = draw(p.rnd, []weighted[string]{{6, "dm"}, {2, "group"}, {2, "thread"}})
	c.chat = fmt.Sprintf("-100%d", 5_000_000+i)
	if c.kind == "dm" {
		c.chat = c.user
	}
	c.key = "agent:main:" + c.platform + ":" + c.kind + ":" + c.chat
	switch c.kind {
	case "thread":
		c.thread = fmt.Sprint(100 + i)
		c.key += ":" + c.thread
	case "group":
		c.key += ":" + c.user
	}
	return c
}

func (p *population) when() float64 { return p.begin + 3600 + p.rnd.Float64()*(p.span-7200) }

func (p *population) anyone() *peer { return p.peers[p.rnd.IntN(len(p.peers))] }

// add appends a talk and completes it: an id, and a length where it has none.
func (p *population) add(t talk) *talk {
	prefix := ""
	if t.source == "cron" {
		prefix = fmt.Sprintf("cron_%06x_", p.rnd.IntN(1<<24))
	}
	t.id = prefix + time.Unix(int64(t.start), 0).UTC().Format("20060102_150405_") + fmt.Sprintf("%08x", p.rnd.Uint32())
	if t.length == 0 {
		t.length = math.Min(6*3600, math.Exp(6.5+1.2*p.rnd.NormFloat64()))
	}
	p.talks = append(p.talks, &t)
	return &t
}

// share gives the talks without a number of messages what the others leave: few have many, each has one.
func (p *population) share(messages int) {
	var open []*talk
	var weights []float64
	var sum float64
	for _, t := range p.talks {
		if t.messages > 0 || t.hollow {
			messages -= t.messages
			continue
		}
		w := math.Exp(1.1 * p.rnd.NormFloat64())
		open, weights, sum = append(open, t), append(weights, w), sum+w
	}
	rest := messages - len(open)
	for i, t := range open {
		n := int(float64(messages-len(open)) * weights[i] / sum)
		t.messages = 1 + n
		rest -= n
	}
	for i := range rest {
		open[i%len(open)].messages++
	}
}
