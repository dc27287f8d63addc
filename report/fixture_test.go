package report_test

import (
	"math"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/report"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

const (
	oldID  = "20260803_101500_aa11bb22"
	newID  = "20260806_161836_3c4d5e6f"
	otherK = "agent:main:discord:group:900:17"
	key    = "agent:main:telegram:dm:123"
)

var nan = math.NaN()

func tool() report.Tool {
	return report.Tool{Name: "hermes-doctor", Version: "1.0.0", SQLite: "3.50.4", FTS5: true}
}

func inputs() []evidence.Input {
	return []evidence.Input{
		{Role: evidence.RoleDatabase, Path: "backup/state.db", Bytes: 3_194_880,
			SHA256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", Modified: 1786255516.25, Mode: "-rw-r--r--"},
		{Role: evidence.RoleSessions, Path: "backup/sessions/sessions.json", Bytes: 812,
			SHA256: "60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752", Modified: 1786255500, Mode: "-rw-------"},
	}
}

// incident is the chat that woke up in the past: a keyed row that was never ended, and a row without any
// identity that holds everything said since.
func incident() *scan.Result {
	result := &scan.Result{
		Databases: []scan.Database{database()},
		Verdict: scan.Verdict{Word: scan.SoundElsewhere,
			Sentence: "798 messages are intact in 1 row that a restart does not pick"},
		Census: []scan.CensusLine{
			{Store: "state.db", Source: "telegram", Verdict: scan.Zombie, Sessions: 1, Messages: 212},
			{Store: "state.db", Source: "telegram", Verdict: scan.Orphan, Sessions: 1, Messages: 798},
			{Store: "state.db", Source: "cli", Verdict: scan.UnkeyedByDesign, Sessions: 3, Messages: 150},
			{Store: "state.db", Source: "discord", Verdict: scan.Healthy, Sessions: 1, Messages: 44},
		},
		Ends: []scan.EndLine{
			{Store: "state.db", Source: "telegram", Open: true, Sessions: 2, Ages: [scan.Ages]int{1, 1}},
			{Store: "state.db", Source: "cli", Reason: "cli_close", Sessions: 2, Ages: [scan.Ages]int{2: 1, 4: 1}},
			{Store: "state.db", Source: "cli", Open: true, Sessions: 1, Ages: [scan.Ages]int{5: 1}},
			{Store: "state.db", Source: "discord", Reason: "agent_close", Sessions: 1, Ages: [scan.Ages]int{1: 1}},
		},
		Checks: []scan.CheckStatus{
			{ID: "orphan-session", Status: scan.Ran, Millis: 1.25}, {ID: "zombie-session", Status: scan.Ran, Millis: 0.5},
			{ID: "unreadable-text", Status: scan.Skipped, Reason: "deep"},
			{ID: "route-mirror-disagrees", Status: scan.Skipped, Reason: "no-input"},
		},
		Findings: []scan.Finding{zombie(), orphan()},
		NotDamage: []scan.NotDamage{{
			ID: "disk-zero", Store: "state.db", SessionKey: key, Message: "2 lines of the logs say that the file gave nothing for the chat " + key,
			Evidence: []evidence.Item{{At: evidence.Ref{Path: "logs/gateway.log", Line: 7}, Saw: "the newest of these lines", How: "sed -n 7p logs/gateway.log"}},
		}},
		Stories: []scan.Story{{
			Store: "state.db", Source: "telegram", SessionKey: key,
			Text: []string{
				"This chat ran in row " + oldID + " until 2026-08-06 16:04:02Z. From 2026-08-06 16:18:36Z on it wrote into row " + newID + ", which carries no key.",
				"A restart resumes the older row, 2.7 days in the past. Nothing is lost: all 798 messages are in the newer row.",
			},
			Next: "hermes-doctor fix backup/state.db",
		}},
		Sessions: []scan.SessionLine{
			{Store: "state.db", ID: oldID, Source: "telegram", SessionKey: key, Verdict: scan.Zombie,
				First: 1785752100, Last: 1786032242, Started: 1785752100, Ended: nan, Messages: 212},
			{Store: "state.db", ID: newID, Source: "telegram", Verdict: scan.Orphan,
				First: 1786033116.5, Last: 1786208580, Started: 1786033116.25, Ended: nan, Messages: 798},
			{Store: "state.db", ID: "20260801_080000_d15c", Source: "discord", SessionKey: otherK, Verdict: scan.Healthy,
				First: 1785571200, Last: 1786200000, Started: 1785571200, Ended: 1786200600, EndReason: "agent_close", Messages: 44},
		},
		Timeline: scan.TimelineOf(
			scan.Event{At: 1786033116, Kind: scan.RowBegan, What: "row " + newID + " begins without any routing identity", Store: "state.db", SessionID: newID,
				Platform: "telegram", Source: evidence.Ref{Store: "state.db", Table: "sessions", Key: newID, Column: "started_at"},
				How: "SELECT id, started_at FROM sessions WHERE id = '" + newID + "'"},
			scan.Event{At: 1786033116, Kind: scan.Reconstructed, Step: scan.Fork, What: "the chat " + key + " forks: row " + newID + " takes over", Store: "state.db",
				SessionID: newID, Platform: "telegram", Source: evidence.Ref{Store: "state.db", Table: "sessions", Key: newID},
				How: "SELECT id, session_key FROM sessions WHERE id = '" + newID + "'"},
			scan.Event{At: 1786208591.002, Kind: scan.LogLine, What: "the gateway dropped the key's entry", Store: "state.db", SessionID: newID, SessionKey: key,
				Source: evidence.Ref{Path: "logs/gateway.log", Line: 4}, How: "sed -n 4p logs/gateway.log"},
		),
		Unchanged: true,
		Now:       1786208580,
	}
	for _, v := range []string{"v0.21", "v0.18", "v0.20.1"} {
		result.Resume = append(result.Resume,
			scan.ResumeLine{Store: "state.db", Source: "telegram", SessionKey: key, Resolver: v, Now: oldID, AfterFix: newID,
				Why: "the only row with this key, never ended"},
			scan.ResumeLine{Store: "state.db", Source: "discord", SessionKey: otherK, Resolver: v,
				Now: "20260801_080000_d15c", AfterFix: "20260801_080000_d15c", Why: "ended by agent_close, which resumes"})
	}
	return result
}

func database() scan.Database {
	return scan.Database{
		Store: "state.db", SchemaVersion: 25, Generation: "v0.20.1", JournalMode: "wal", PageSize: 4096, Pages: 780,
		Sessions: 6, Messages: 1204, View: "main+wal",
		Views: []scan.View{
			{Name: "main", Sessions: 6, Messages: 1180, Newest: 1786200000},
			{Name: "main+wal", Sessions: 6, Messages: 1204, Newest: 1786208580},
		},
		Notes: []string{"backup/state.db-shm is ignored: it is rebuilt from the WAL"},
	}
}

func orphan() scan.Finding {
	return scan.Finding{
		Check: "orphan-session", Severity: scan.Error,
		Message: "Row " + newID + " holds 798 messages and no session key: no restart finds it.",
		Advice:  "Update first: until then the next crash makes another one. Then look at the plan of hermes-doctor fix.",
		Subject: scan.Subject{Store: "state.db", SessionID: newID, Source: "telegram", Table: "sessions"},
		Evidence: []evidence.Item{
			{At: evidence.Ref{Store: "state.db", Table: "sessions", Key: newID, Column: "session_key"}, Saw: "NULL",
				How: "SELECT session_key, chat_id, chat_type, user_id FROM sessions\n WHERE id = '" + newID + "';"},
			{At: evidence.Ref{Store: "state.db", Table: "messages"}, Saw: "798 rows, the newest at 2026-08-08 17:03:00Z",
				How: "SELECT count(*), max(timestamp) FROM messages WHERE session_id = '" + newID + "';"},
		},
		Issues: []string{"#82616", "#82633"},
		Adoption: &scan.Adoption{
			Decision: "adopt", Predecessor: oldID, SessionKey: key, Evidence: []string{"contiguity"},
			Candidates: []scan.Candidate{{SessionID: oldID}, {SessionID: "20260702_080000_ffff", RejectedBy: "last message 34.2 days before"}},
			Caveats:    []string{"contiguity is a guess: nothing in the file records the link"},
		},
		Fills: []scan.Fill{
			{Table: "sessions", Key: newID, Column: "session_key", Value: key, Because: "the predecessor's key"},
			{Table: "sessions", Key: oldID, Column: "ended_at", Value: 1786032242.0, Because: "its last activity"},
		},
	}
}

func zombie() scan.Finding {
	return scan.Finding{
		Check: "zombie-session", Severity: scan.Warning,
		Message: "Row " + oldID + " was never ended and still holds the key of a chat that moved on.",
		Subject: scan.Subject{Store: "state.db", SessionID: oldID, SessionKey: key, Source: "telegram", Table: "sessions"},
		Evidence: []evidence.Item{{
			At: evidence.Ref{Store: "state.db", Table: "sessions", Key: oldID, Column: "ended_at"}, Saw: "NULL",
			How: "SELECT ended_at, end_reason FROM sessions WHERE id = '" + oldID + "';",
		}},
		Issues: []string{"#82616"},
	}
}

// sound is a store in which every chat resumes its newest talk.
func sound() *scan.Result {
	return &scan.Result{
		Databases: []scan.Database{{Store: "state.db", SchemaVersion: 31, Generation: "v0.21", JournalMode: "delete",
			PageSize: 4096, Pages: 12, Sessions: 1, Messages: 44, View: "main",
			Views: []scan.View{{Name: "main", Sessions: 1, Messages: 44, Newest: 1786200000}}}},
		Verdict: scan.Verdict{Word: scan.Sound, Sentence: "every row and page was read and each chat resumes its newest talk"},
		Census:  []scan.CensusLine{{Store: "state.db", Source: "discord", Verdict: scan.Healthy, Sessions: 1, Messages: 44}},
		Checks:  []scan.CheckStatus{{ID: "orphan-session", Status: scan.Ran, Millis: 0.125}},
		Resume: []scan.ResumeLine{{Store: "state.db", Source: "discord", SessionKey: otherK, Resolver: "v0.21",
			Now: "20260801_080000_d15c", AfterFix: "20260801_080000_d15c", Why: "open, with the newest message"}},
		Sessions: []scan.SessionLine{{Store: "state.db", ID: "20260801_080000_d15c", Source: "discord", SessionKey: otherK,
			Verdict: scan.Healthy, First: 1785571200, Last: 1786200000, Started: 1785571200, Ended: nan, Messages: 44}},
		Unchanged: true,
		Now:       1786200000,
	}
}

// hostile is the incident with attacks in every place that a database can fill.
func hostile() *scan.Result {
	const evil = "\x1b[2J\r\nx\u202e|`@octocat #1 <img src=x> \xff\xed\xa0\x80\u200b\u009b31m"
	f := orphan()
	f.Message += evil
	f.Advice += evil
	f.Subject.SessionID, f.Subject.SessionKey, f.Subject.Path = evil, evil, evil
	f.Evidence[0].At.Key, f.Evidence[0].Saw, f.Evidence[0].How = evil, evil, "SELECT '"+evil+"```'"
	f.Adoption = &scan.Adoption{Decision: "refuse", Predecessor: evil, SessionKey: evil,
		Refusals:   []scan.Refusal{{Code: "user-contradicts", Text: evil}},
		Candidates: []scan.Candidate{{SessionID: evil, RejectedBy: evil}}, Caveats: []string{evil}}
	f.Fills = []scan.Fill{{Table: "sessions", Key: evil, Column: "session_key", Value: evil, Because: evil},
		{Table: "sessions", Key: evil, Column: "ended_at", Value: nan, Because: evil}}
	r := incident()
	r.Findings = []scan.Finding{f}
	r.Verdict.Sentence += evil
	r.Census[0].Source = evil
	r.Ends[0].Source, r.Ends[0].Reason, r.Ends[0].Sessions = evil, evil, 1200
	r.NotDamage = []scan.NotDamage{{ID: "live-by-policy", Store: evil, Class: scan.Healthy, SessionKey: evil, Rows: 3, Message: evil,
		Evidence: []evidence.Item{{At: evidence.Ref{Store: evil, Table: "sessions", Key: evil}, Saw: evil, How: "SELECT 1"}}}}
	r.Stories = []scan.Story{{Store: "state.db", Source: evil, SessionKey: evil, Text: []string{evil}, Next: evil}}
	r.Sessions[0].ID, r.Sessions[0].EndReason, r.Sessions[0].Parent = evil, evil, evil
	r.Sessions[1].SessionKey = evil
	r.Resume = []scan.ResumeLine{{Store: "state.db", Source: evil, SessionKey: evil, Resolver: "v0.21", Now: evil, RunnerUp: evil, Why: evil}}
	r.Databases[0].Notes = []string{evil}
	r.Timeline = scan.TimelineOf(scan.Event{At: 1786033116, Kind: scan.RowBegan, Step: scan.Fork, What: evil, Store: evil, SessionID: "=cmd()" + evil, SessionKey: "@" + evil,
		Platform: "-" + evil, Source: evidence.Ref{Store: evil, Table: "sessions", Key: evil}, How: "SELECT '" + evil + "'"})
	r.Timeline.Notes = []string{evil}
	r.Checks = append(r.Checks, scan.CheckStatus{ID: "orphan-session", Status: scan.Failed, Reason: evil})
	r.Unchanged, r.Changed = false, []string{"backup/state.db"}
	return r
}
