package scan

import (
	"cmp"
	"slices"

	"github.com/seed-4d3eb737/hermes-doctor/scan/adopt"
	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
	"github.com/seed-4d3eb737/hermes-doctor/scan/resume"
)

// classify gives every row its place in the census.
func (e *exam) classify() {
	zombie, twins := map[int32]bool{}, e.twins()
	for _, z := range e.zombies {
		zombie[z.Row] = true
	}
	e.classes = make([]Class, len(e.facts.Sessions))
	for i := range e.facts.Sessions {
		e.classes[i] = e.class(int32(i), zombie, twins)
	}
}

func (e *exam) class(i int32, zombie, twins map[int32]bool) Class {
	s := &e.facts.Sessions[i]
	if s.NoID || s.ID == "" {
		return Unreadable
	}
	kind := adopt.KindOf(e.facts, i, e.orphans[i])
	switch {
	case kind == adopt.Tool:
		return Tool
	case kind == adopt.Branch:
		return Branch
	case kind == adopt.Delegate:
		return Delegate
	case kind == adopt.ByDesign:
		return UnkeyedByDesign
	case kind == adopt.TooOld:
		return BeforeKeys
	case e.orphans[i]:
		return Orphan
	case !s.HasMessages():
		return Empty
	case s.Messages == 0:
		return Hollow
	case s.EndReason == "compression":
		return Compressed
	case zombie[i]:
		return Zombie
	case s.Live() && s.Keyed() && (e.now[e.gen].Fenced(e.facts.View(), i) || e.now[resume.Newest].Fenced(e.facts.View(), i)):
		return Fenced
	case twins[i]:
		return Duplicate
	case !s.Live():
		return Ended
	}
	return Healthy
}

// twins marks the live rows that share their chat with another live row.
func (e *exam) twins() map[int32]bool {
	out := map[int32]bool{}
	for _, group := range LiveTwins(e.facts) {
		for _, i := range group {
			out[i] = true
		}
	}
	return out
}

// LiveTwins groups the live rows of each chat that has two or more of them, by chat and in order of their start (D-live
// of spec/state-db.md 7.1). A compression chain has one live row: its other links are ended.
func LiveTwins(f *facts.Facts) [][]int32 {
	var out [][]int32
	v := f.View()
	for _, c := range f.Chats() {
		var live []int32
		for _, i := range v.ChatRows(c) {
			if f.Sessions[i].Live() {
				live = append(live, i)
			}
		}
		if len(live) < 2 {
			continue
		}
		slices.SortStableFunc(live, func(a, b int32) int {
			return cmp.Compare(f.Sessions[a].Start().OrZero(), f.Sessions[b].Start().OrZero())
		})
		out = append(out, live)
	}
	return out
}

// census counts the rows of the store by source and class.
func (e *exam) census() []CensusLine {
	type line struct {
		source string
		class  Class
	}
	at := map[line]int{}
	var out []CensusLine
	for i := range e.facts.Sessions {
		s := &e.facts.Sessions[i]
		l := line{s.Source, e.classes[i]}
		k, ok := at[l]
		if !ok {
			k = len(out)
			at[l] = k
			out = append(out, CensusLine{Store: e.facts.Store, Source: l.source, Verdict: l.class})
		}
		out[k].Sessions++
		out[k].Messages += s.Messages
	}
	slices.SortFunc(out, func(a, b CensusLine) int {
		if c := cmp.Compare(a.Source, b.Source); c != 0 {
			return c
		}
		return cmp.Compare(a.Verdict, b.Verdict)
	})
	return out
}
