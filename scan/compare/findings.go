package compare

import (
	"slices"

	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

// Findings gives the findings that only the scan of B has, and those that only that of A has, by their stable ids. What the
// other scan could not have found is left out: it says nothing where a check failed, or where an input could not be read.
func Findings(a, b *scan.Result) (appeared, went []scan.Finding) {
	return only(b, a), only(a, b)
}

// only gives the findings of r that other lacks.
func only(r, other *scan.Result) (out []scan.Finding) {
	if other.Partial {
		return nil
	}
	known := make(map[string]bool, len(other.Findings))
	for i := range other.Findings {
		known[other.Findings[i].ID()] = true
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		failed := slices.ContainsFunc(other.Checks, func(c scan.CheckStatus) bool { return c.ID == f.Check && c.Status == scan.Failed })
		if !known[f.ID()] && !failed {
			out = append(out, *f)
		}
	}
	return out
}

// Resumed is a chat that resumes another row in B than in A. "" = a new session.
type Resumed struct {
	Store, Source, SessionKey, Resolver string
	Before, After                       string
	OnlyIn                              Side // Both, or the side whose copy alone knows the chat
}

// Resumes compares what chats resume, chat by chat and build by build, in the order of B and then of A, in the stores that
// compared says yes to.
func Resumes(a, b []scan.ResumeLine, compared func(store string) bool) (out []Resumed) {
	type chat struct{ store, source, key, resolver string }
	of := func(l *scan.ResumeLine) chat { return chat{l.Store, l.Source, l.SessionKey, l.Resolver} }
	before := make(map[chat]string, len(a))
	for i := range a {
		before[of(&a[i])] = a[i].Now
	}
	after := make(map[chat]bool, len(b))
	for i := range b {
		l := &b[i]
		after[of(l)] = true
		now, known := before[of(l)]
		if known && now == l.Now || !compared(l.Store) {
			continue
		}
		r := Resumed{l.Store, l.Source, l.SessionKey, l.Resolver, now, l.Now, Both}
		if !known {
			r.OnlyIn = B
		}
		out = append(out, r)
	}
	for i := range a {
		if l := &a[i]; !after[of(l)] && compared(l.Store) {
			out = append(out, Resumed{l.Store, l.Source, l.SessionKey, l.Resolver, l.Now, "", A})
		}
	}
	return out
}
