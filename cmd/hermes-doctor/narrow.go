package main

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

// narrow keeps only what concerns one chat, one session row, or both; "" means any. Verdict, census and checks stay
// those of the whole input, and the exit code follows the findings that are left. A name that no row and no chat has
// is an error: an empty answer would read like a clean one.
func (x *examination) narrow(chat, session string) error {
	if chat == "" && session == "" {
		return nil
	}
	r := *x.result
	of := make(map[row]string, len(r.Sessions)) // the chat of each row
	for _, s := range r.Sessions {
		of[row{s.Store, s.ID}] = s.SessionKey
	}
	if session != "" && !slices.ContainsFunc(r.Sessions, func(s scan.SessionLine) bool { return s.ID == session }) &&
		!slices.ContainsFunc(r.Findings, func(f scan.Finding) bool { return f.Subject.SessionID == session || slices.Contains(f.Others, session) }) {
		return usageError{what: fmt.Sprintf("no session row has the id %q", session), try: "--all, which lists every row"}
	}
	if chat != "" && !slices.ContainsFunc(r.Resume, func(l scan.ResumeLine) bool { return l.SessionKey == chat }) {
		return usageError{what: fmt.Sprintf("no row and no route names the chat %q", chat), try: "hermes-doctor resume PATH, which lists every chat"}
	}
	r.Resume = keep(r.Resume, func(l scan.ResumeLine) bool {
		return (chat == "" || l.SessionKey == chat) &&
			(session == "" || slices.Contains(named(l), session) || of[row{l.Store, session}] == l.SessionKey)
	})
	beside := make(map[row]bool) // rows that a chat's answer names although they do not carry its key
	for _, l := range r.Resume {
		for _, id := range named(l) {
			beside[row{l.Store, id}] = true
		}
	}
	r.Findings = keep(r.Findings, func(f scan.Finding) bool {
		return (chat == "" || aboutChat(f, chat, of)) && (session == "" || aboutSession(f, session))
	})
	r.Sessions = keep(r.Sessions, func(s scan.SessionLine) bool {
		return s.ID == session || session == "" && s.SessionKey == chat || beside[row{s.Store, s.ID}]
	})
	slices.SortStableFunc(r.Sessions, func(a, b scan.SessionLine) int { // in order of time
		return cmp.Compare(when(a), when(b))
	})
	r.Stories = keep(r.Stories, func(s scan.Story) bool {
		return slices.ContainsFunc(r.Resume, func(l scan.ResumeLine) bool {
			return l.Store == s.Store && l.Source == s.Source && l.SessionKey == s.SessionKey
		})
	})
	if r.Timeline != nil {
		r.Timeline.Narrow(func(e *scan.Event) bool { return e.Concerns(chat, session) })
	}
	r.NotDamage = keep(r.NotDamage, func(n scan.NotDamage) bool { return n.SessionKey != "" && n.SessionKey == chat })
	r.Bases, r.Checkpoints = nil, nil // no checkpoint belongs to a chat
	x.result = &r
	return nil
}

// when is a row's start, else its first message; a row without both comes first.
func when(s scan.SessionLine) float64 {
	if s.Started >= 1 {
		return s.Started
	}
	return s.First
}

// row is a session row's place: an id alone may be in two stores.
type row struct{ store, id string }

// named lists the rows that an answer about a chat mentions.
func named(l scan.ResumeLine) []string {
	return slices.DeleteFunc([]string{l.Now, l.AfterFix, l.RunnerUp}, func(id string) bool { return id == "" })
}

func aboutChat(f scan.Finding, chat string, of map[row]string) bool {
	return f.Subject.SessionKey == chat || of[row{f.Subject.Store, f.Subject.SessionID}] == chat ||
		f.Adoption != nil && f.Adoption.SessionKey == chat
}

func aboutSession(f scan.Finding, session string) bool {
	return f.Subject.SessionID == session || slices.Contains(f.Others, session) || f.Adoption != nil && (f.Adoption.Predecessor == session ||
		slices.ContainsFunc(f.Adoption.Candidates, func(c scan.Candidate) bool { return c.SessionID == session }))
}

// keep is a filter that leaves the list it is given alone.
func keep[T any](list []T, wanted func(T) bool) []T {
	var kept []T
	for _, item := range list {
		if wanted(item) {
			kept = append(kept, item)
		}
	}
	return kept
}
