package report

import (
	"encoding/base64"
	"math"
	"unicode/utf8"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

// text splits s into what JSON can hold and, where that is not all of it, the bytes.
func text(s string) (shown, b64 string) {
	if utf8.ValidString(s) {
		return s, ""
	}
	return string([]rune(s)), base64.StdEncoding.EncodeToString([]byte(s))
}

// shownText is text for prose that names its subject elsewhere, where the bytes are carried.
func shownText(s string) string {
	shown, _ := text(s)
	return shown
}

func optionalText(s string) (shown *string, b64 string) {
	if s == "" {
		return nil, ""
	}
	t, b64 := text(s)
	return &t, b64
}

func number(f float64) *float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil
	}
	return &f
}

// texts copies a list so that it is never null in JSON.
func texts(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = shownText(s)
	}
	return out
}

func input(in evidence.Input) Input {
	out := Input{Role: string(in.Role), Bytes: in.Bytes, SHA256: in.SHA256, Modified: number(in.Modified), Mode: in.Mode}
	out.Path, out.PathB64 = text(in.Path)
	return out
}

func database(d scan.Database) Database {
	out := Database{
		Newer: d.Newer, Generation: d.Generation, JournalMode: shownText(d.JournalMode), PageSize: d.PageSize,
		Pages: d.Pages, Sessions: d.Sessions, Messages: d.Messages, View: d.View,
		Views: make([]View, len(d.Views)), Notes: texts(d.Notes),
	}
	out.Store, out.StoreB64 = text(d.Store)
	if d.SchemaVersion != 0 {
		out.SchemaVersion = &d.SchemaVersion
	}
	for i, v := range d.Views {
		out.Views[i] = View{v.Name, v.Sessions, v.Messages, number(v.Newest), shownText(v.Error)}
	}
	return out
}

func endLine(l scan.EndLine) End {
	a := l.Ages
	out := End{Open: l.Open, Sessions: l.Sessions, Ages: Ages{Day: a[0], Week: a[1], Month: a[2], Quarter: a[3], Older: a[4], Unknown: a[5]}}
	out.Store, out.StoreB64 = text(l.Store)
	out.Source, out.SourceB64 = text(l.Source)
	out.EndReason, out.EndReasonB64 = optionalText(l.Reason)
	return out
}

func census(c scan.CensusLine) Census {
	out := Census{Verdict: c.Verdict.String(), Sessions: c.Sessions, Messages: c.Messages}
	out.Store, out.StoreB64 = text(c.Store)
	out.Source, out.SourceB64 = text(c.Source)
	return out
}

func checkStatus(c scan.CheckStatus, timings bool) CheckStatus {
	out := CheckStatus{ID: c.ID, Status: string(c.Status), Reason: shownText(c.Reason)}
	if timings {
		out.Millis = number(c.Millis)
	}
	return out
}

func resumeLine(l scan.ResumeLine) Resume {
	out := Resume{Resolver: l.Resolver}
	out.Store, out.StoreB64 = text(l.Store)
	out.Source, out.SourceB64 = text(l.Source)
	out.SessionKey, out.SessionKeyB64 = text(l.SessionKey)
	out.Now, out.NowB64 = optionalText(l.Now)
	out.AfterFix, out.AfterFixB64 = optionalText(l.AfterFix)
	out.RunnerUp, out.RunnerUpB64 = text(l.RunnerUp)
	out.Why, out.WhyB64 = text(l.Why)
	return out
}

func row(l scan.SessionLine) Row {
	out := Row{
		Started: number(l.Started), Ended: number(l.Ended), First: number(l.First), Last: number(l.Last),
		Messages: l.Messages, Verdict: l.Verdict.String(),
	}
	out.SessionID, out.SessionIDB64 = text(l.ID)
	out.EndReason, out.EndReasonB64 = optionalText(l.EndReason)
	return out
}

func session(l scan.SessionLine) Session {
	out := Session{Verdict: l.Verdict.String(), First: number(l.First), Last: number(l.Last), Messages: l.Messages, Pruned: l.Pruned}
	out.Store, out.StoreB64 = text(l.Store)
	out.ID, out.IDB64 = text(l.ID)
	out.Source, out.SourceB64 = text(l.Source)
	out.SessionKey, out.SessionKeyB64 = optionalText(l.SessionKey)
	out.Parent, out.ParentB64 = optionalText(l.Parent)
	return out
}

func story(s scan.Story) Story {
	out := Story{Text: texts(s.Text), Next: shownText(s.Next)}
	out.Store, out.StoreB64 = text(s.Store)
	out.Source, out.SourceB64 = text(s.Source)
	out.SessionKey, out.SessionKeyB64 = text(s.SessionKey)
	return out
}
