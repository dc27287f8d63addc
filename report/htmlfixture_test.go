package report_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/report"
	"github.com/seed-4d3eb737/hermes-doctor/report/lang"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

// drawn is the incident with what its picture needs.
func drawn() *scan.Result {
	r := incident()
	old, talk := r.Sessions[0], r.Sessions[1]
	lane := &scan.Lane{
		Rows: []scan.LaneRow{{SessionLine: old}, {SessionLine: talk}},
		More: 2, Talk: talk.ID, Picked: true, Now: old.ID, AfterFix: talk.ID, Why: "the only row with this key, never ended",
		Resolver: "v0.20.1", From: old.Started, To: talk.Last,
	}
	for n := range 60 {
		lane.Rows[0].Density = append(lane.Rows[0].Density, evidence.Bucket{N: n, Messages: int64(1 + n*7%5)})
	}
	for n := 60; n < scan.LaneStretches; n++ {
		lane.Rows[1].Density = append(lane.Rows[1].Density, evidence.Bucket{N: n, Messages: int64(3 + n*11%29)})
	}
	r.Stories[0].Lane = lane
	events := slices.Collect(r.Timeline.Events())
	log := func(at float64, what string, line int, kind scan.EventKind, step scan.Step) scan.Event {
		ref := evidence.Ref{Path: "backup/logs/gateway.log", Line: line}
		return scan.Event{At: at, Kind: kind, Step: step, What: what, Store: "state.db", SessionKey: key, Source: ref, How: "sed -n 7p backup/logs/gateway.log"}
	}
	events = append(events,
		log(1786120000, "the gateway could not make the key's row "+newID, 3, scan.LogLine, ""),
		log(1786212000, "the gateway dropped the key's entry, which named "+newID, 7, scan.LogLine, ""),
		log(1786212000, "a gateway starts and drops the entry of "+key+" that a crashed one left", 7, scan.Reconstructed, scan.Crash))
	r.Timeline = scan.TimelineOf(events...)
	return r
}

// hostileDrawn is the hostile result with a picture of hostile rows.
func hostileDrawn() *scan.Result {
	r, of := hostile(), drawn().Stories[0].Lane
	evil := r.Stories[0].Next
	of.Rows[0].ID, of.Rows[0].EndReason, of.Rows[1].ID, of.Talk, of.Now, of.AfterFix, of.Why = evil, evil, evil+evil, evil+evil, evil, evil+"3", evil
	of.Resolver = evil
	r.Stories[0].Lane, r.Stories[0].Store = of, evil
	return r
}

// pageIn is page in a language.
func pageIn(t *testing.T, r *scan.Result, code string) string {
	t.Helper()
	tongue, err := lang.Parse(code)
	if err != nil {
		t.Fatal(err)
	}
	var w bytes.Buffer
	if err := report.Render(&w, report.New(tool(), inputs(), r), report.HTML, report.Options{Lang: tongue}); err != nil {
		t.Fatal(err)
	}
	return w.String()
}
