package contents

import (
	"fmt"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// Gap is a reason why a list of checkpoints is empty, shorter than its owner expects, or not shown by the product.
type Gap struct {
	Code string // kebab-case
	Text string // one sentence
}

const quietSeconds = 60 // a json is touched a moment before or after the commit that it belongs to

// Gaps says what is missing from a project's list and why, as far as its own files tell.
func Gaps(p *evidence.CheckpointProject, set Settings) []Gap {
	var out []Gap
	add := func(code, format string, args ...any) { out = append(out, Gap{code, fmt.Sprintf(format, args...)}) }
	switch p.RefState {
	case evidence.RefAbsent:
		add("no-ref", "no ref leads to a checkpoint: every capture failed or was skipped, or a sweep ended before it was done")
	case evidence.RefBroken:
		add("ref-damaged", "the ref holds no id, so the product lists nothing: %s", p.RefFlaw)
	case evidence.RefDangling:
		add("ref-dangling", "the ref leads to a commit that cannot be read, so the product lists nothing: %s", p.RefFlaw)
	case evidence.RefWrong:
		add("ref-not-a-commit", "the ref leads to something that is no commit, so the product lists nothing: %s", p.RefFlaw)
	case evidence.RefPacked:
		add("ref-packed-value", "the ref's own file cannot be used; this is the history that packed-refs names, which may be older")
	}
	if p.Store.Version == 2 {
		jsonGaps(p, add)
	} else {
		add("first-layout", "a repository of the first layout: no command of today's product lists it")
	}
	switch oe := p.ChainErr; {
	case oe == nil:
	case oe.Fault == evidence.ObjectLimit:
		add("history-long", "the history goes on at %s: it is longer than is followed here, and older checkpoints are not listed", oe.ID)
	default:
		add("history-cut", "the history ends at %s, which is %s: the product then lists nothing, and the checkpoints here still restore by id", oe.ID, oe.Fault)
	}
	chainGaps(p, set, add)
	return out
}

func jsonGaps(p *evidence.CheckpointProject, add func(code, format string, args ...any)) {
	switch p.JSON {
	case evidence.Absent:
		add("no-json", "no file in projects/ names it: the lists over all projects leave it out, and no sweep removes it")
	case evidence.Damaged:
		add("json-damaged", "its file in projects/ cannot be used (%s): the lists over all projects leave it out", p.JSONFlaw)
	}
	if !p.HashMatches() {
		add("other-path", "its id is not that of the recorded path: /rollback in that folder looks elsewhere")
	}
	if len(p.Chain) == 0 || p.LastTouch == 0 {
		return
	}
	if tip := p.Chain[0].Author; tip.Valid && p.LastTouch > float64(tip.When)+quietSeconds {
		add("capture-blocked", "a later capture made no checkpoint: nothing had changed, or it failed at a nested repository without a commit, an unreadable file, or more than 50,000 entries")
	}
}

func chainGaps(p *evidence.CheckpointProject, set Settings, add func(code, format string, args ...any)) {
	n := len(p.Chain)
	if kept, from := set.snapshots(); n >= kept && p.ChainErr == nil && p.Store.Version == 2 {
		add("trimmed", "%d checkpoints: from %d on, which is %s, each new one drops the oldest", n, kept, from)
	}
	same := n > 1
	for i := range p.Chain {
		same = same && p.Chain[i].Author.Valid && p.Chain[i].Author.When == p.Chain[0].Author.When
	}
	if same && p.Store.Version == 2 {
		add("dates-lost", "all dates are equal: an older build wrote them anew when it dropped old checkpoints, so the order is that of the chain")
	}
}

// StoreGaps says what keeps the product from listing anything of a store, or keeps checkpoints from being made.
func StoreGaps(s *evidence.CheckpointStore) []Gap {
	var out []Gap
	add := func(code, format string, args ...any) { out = append(out, Gap{code, fmt.Sprintf(format, args...)}) }
	var lost []string
	for _, name := range s.Absent {
		switch {
		case name == "HEAD" && s.Version == 2:
			add("no-head", "HEAD is missing: the product says that there are no checkpoints until it makes the next one")
		case name == "refs", name == "objects":
			lost = append(lost, name)
		}
	}
	if len(lost) > 0 {
		add("skeleton-lost", "%s is missing: git calls this no repository, so the product lists nothing and takes nothing", strings.Join(lost, " and "))
	}
	if s.Head.Present && s.Head.Flaw != "" {
		add("head-damaged", "HEAD is damaged (%s): git calls this no repository, so the product lists nothing and takes nothing", s.Head.Flaw)
	}
	if s.Version != 2 {
		return out
	}
	counted, single := 0, 0
	for _, p := range s.Projects {
		if len(p.Chain) > 0 {
			counted++
		}
		if len(p.Chain) == 1 {
			single++
		}
	}
	if counted > 1 && single == counted {
		add("flattened", "every project has one checkpoint: a build of 2026 that reached its size limit dropped all others")
	}
	if s.Pending {
		add("gc-pending", "checkpoints were dropped and not yet removed: they are lost with the next prune")
	}
	return out
}

// BaseGaps says what is known of a base as a whole.
func BaseGaps(b *evidence.CheckpointBase, set Settings) []Gap {
	store := false
	for _, s := range b.Stores {
		store = store || s.Version == 2
	}
	on := set.Enabled != nil && *set.Enabled
	switch {
	case !store && on:
		return []Gap{{"no-store", "there is no store, although config.yaml enables checkpoints: no session of this home has taken one"}}
	case !store && set.Known:
		return []Gap{{"no-store", "there is no store, and config.yaml does not enable checkpoints: they are off unless it does, since 6 May 2026"}}
	case !store:
		return []Gap{{"no-store", "there is no store: checkpoints are off unless checkpoints.enabled is set in config.yaml, since 6 May 2026"}}
	case set.Known && !on:
		return []Gap{{"off", "config.yaml does not enable checkpoints: only sessions that ask for them (hermes chat --checkpoints) take new ones"}}
	}
	return nil
}
