package inventory

import (
	"path"
	"strings"
)

// many says that files of a kind are told together: a home may have thousands of them.
func many(what string) bool {
	switch what {
	case "transcript", "session file", "request dump", "torn write of the routing index", "older log":
		return true
	}
	return false
}

// stopped is the condition of files that a running install uses.
const stopped = "the install is stopped, and starts well without it"

// judge says what one entry of a home is, by its name; spec/state-db.md 1.1 to 1.3 and spec/checkpoint-store.md. What has no
// rule is kept.
func (l *lister) judge(line *Line, rel string, dir bool) {
	set := func(what string, j Judgement, t Travel, why string) {
		line.What, line.Judgement, line.Travel, line.Why = what, j, t, why
	}
	name := path.Base(rel)
	switch path.Dir(rel) {
	case "sessions":
		sessionsRule(line, name, dir, set)
		return
	case "state-snapshots":
		line.What = "snapshot"
		l.copyFate(line, dir)
		return
	case "checkpoints":
		checkpointsRule(line, name, dir, set)
		return
	case "logs":
		if dir {
			set("not known", Unknown, With, "no rule knows this name")
			return
		}
		set("log", Keep, Optional, "it says when and why something happened, and names chats where rows do not")
		if i := strings.LastIndexByte(name, '.'); i > 0 && strings.Trim(name[i+1:], "0123456789") == "" {
			set("older log", MayGo, Optional, "the product rotates it away by itself; until then it is evidence")
			line.After = "no incident of its time is still to be explained"
		}
		return
	}
	rest, own := strings.CutPrefix(name, "state.db.")
	switch {
	case name == "state.db":
		set("database", Keep, With, "all conversations are in it")
	case name == "state.db-wal":
		set("-wal of the database", Keep, With, "it may hold the newest messages, which are nowhere else until SQLite has moved them; deleting it loses them")
	case name == "state.db-shm":
		set("-shm of the database", Keep, With, "it belongs to the -wal; SQLite removes both when the last program closes the database")
	case name == "state.db-journal":
		set("rollback journal", Keep, With, "a change was cut off: without this file the database may be damaged for good")
	case own && strings.HasPrefix(rest, "malformed-backup-"):
		line.What = "backup from before a repair"
		l.sidecarOrCopy(line, name, dir)
	case own && strings.HasPrefix(rest, "backup-staging-"):
		line.What = "unfinished backup"
		l.sidecarOrCopy(line, name, dir)
	case own && strings.HasPrefix(rest, "zeroed-"):
		line.What = "zeroed database that was moved aside"
		l.sidecarOrCopy(line, name, dir)
	case own && dir && strings.HasPrefix(rest, "retired-wal-"):
		line.What = "retired -wal"
		l.copyFate(line, true)
	case own && !dir && line.Bytes == 0 && strings.HasSuffix(rest, ".lock"):
		set("lock", MayGo, Leave, "an empty file that the product makes again")
		line.After = stopped
	case own && rest == "repair-attempts.json":
		set("ledger of repairs", Keep, Leave, "it tells how often a repair failed, and on which file")
	case strings.HasSuffix(name, ".recovery.json"):
		set("report of a recovery", Keep, Optional, "it tells which rows of a recovered database are placeholders")
	case archive(name):
		line.What = "archive"
		l.copyFate(line, false)
	case name == "pending_messages":
		set("spooled messages", Keep, With, "messages in it may never have reached the database")
	case name == "config.yaml" || name == "gateway.json" || name == "SOUL.md" || name == "channel_directory.json":
		set("settings", Keep, With, "the install reads it")
	case name == ".env" || name == "auth.json":
		set("secrets", Keep, With, "keys and tokens: carry it over a safe way, and never send it to anybody")
	case dir && (name == "memories" || name == "skills" || name == "cron" || name == "state" || name == "hooks" || name == "plugins"):
		set(name, Keep, With, "the agent's own files")
	case !dir && (name == "gateway.pid" || name == "gateway.lock"):
		set("run state", MayGo, Leave, "it names a process of this machine")
		line.After = stopped
	case name == "gateway_state.json" || name == "processes.json" || name == ".clean_shutdown" || strings.HasSuffix(name, "restart_counts.json") || name == ".restart_failure_counts":
		set("run state", Keep, Leave, "it tells how the last run ended; it means nothing on another machine")
	case !dir && database(name):
		if l.known(line.Path) {
			line.What = "copy of the database"
			l.copyFate(line, false)
			return
		}
		set("another database", Keep, With, "it is not the store of sessions, or it cannot be read; other parts of the product keep their own")
	case sidecar(name):
		set("sidecar of another database", Keep, With, "it shares the fate of the database beside it, and may hold rows that are only here")
	default:
		set("not known", Unknown, With, "no rule knows this name")
	}
}

// sidecarOrCopy keeps the sidecars of a copy beside it: they are a part of it.
func (l *lister) sidecarOrCopy(line *Line, name string, dir bool) {
	for _, suffix := range []string{"-wal", "-shm", "-journal"} {
		if main, ok := strings.CutSuffix(line.Path, suffix); ok && strings.HasSuffix(name, suffix) {
			path := line.Path
			line.Path, line.What = main, line.What+", its "+suffix
			l.copyFate(line, false)
			line.Path = path
			return
		}
	}
	l.copyFate(line, dir)
}

func (l *lister) known(path string) bool {
	if l.ranking == nil {
		return false
	}
	for i := range l.ranking.Candidates {
		if l.ranking.Candidates[i].Path == path {
			return true
		}
	}
	return false
}

func sidecar(name string) bool {
	return strings.HasSuffix(name, "-wal") || strings.HasSuffix(name, "-shm") || strings.HasSuffix(name, "-journal")
}

func archive(name string) bool {
	lower := strings.ToLower(name)
	return strings.HasSuffix(lower, ".zip") || strings.HasSuffix(lower, ".tar.gz") || strings.HasSuffix(lower, ".tgz")
}

func database(name string) bool {
	for _, end := range []string{".db", ".sqlite", ".sqlite3", ".bak"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return strings.HasPrefix(name, "state") && strings.Contains(name, ".db")
}

func sessionsRule(line *Line, name string, dir bool, set func(string, Judgement, Travel, string)) {
	switch {
	case dir:
		set("not known", Unknown, With, "no rule knows this name")
	case name == "sessions.json":
		set("routing index", Keep, With, "it says which row each chat continues")
	case strings.HasPrefix(name, ".sessions_") && strings.HasSuffix(name, ".tmp"):
		set("torn write of the routing index", MayGo, Leave, "a write that was never finished; it may show an older route")
		line.After = "every chat resumes its newest talk (hermes-doctor resume)"
	case strings.HasPrefix(name, "request_dump_"):
		set("request dump", MayGo, Leave, "it says which chat a session served; it also holds whole prompts, so never send it")
		line.After = "a scan finds no row without identity any more"
	case strings.HasSuffix(name, ".jsonl"):
		set("transcript", Keep, With, "messages as an old build wrote them; some are in no database")
	default:
		set("session file", Keep, With, "a saved or exported session; it may be in no database")
	}
}

func checkpointsRule(line *Line, name string, dir bool, set func(string, Judgement, Travel, string)) {
	switch {
	case dir && strings.HasPrefix(name, "legacy-"):
		set("checkpoints of the first layout", MayGo, Optional, "the product sweeps it seven days after it moved it there; no rollback reaches it")
		line.After = "nothing of it is wanted back (hermes-doctor checkpoints list)"
	case dir && name == "store":
		set("checkpoint store", Keep, With, "delete nothing inside by hand: one missing object ends the history of several projects")
	case name == "corrupt-refs":
		set("refs that were moved away", Keep, With, "each may be the only way to a history")
	default:
		set("checkpoints", Keep, With, "a rollback may need it")
	}
}
