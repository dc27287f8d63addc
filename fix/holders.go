package fix

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/fix/internal/write"
)

// sidecarNames are the endings of the files that belong to a database, the main file first.
func sidecarNames() []string { return []string{"", "-wal", "-journal", "-shm"} }

// holders refuses a database that somebody uses, or that is no copy. What cannot be found out counts as use. A lock
// is refused even with allow: SQLite could not write past it.
//
// A process that started this one waits for it and asked for the change, so that an idle handle of it is no use by
// somebody else; caller says that there is one, and the file must then keep its inode.
func holders(path string, liveHomes []string, allow bool) (caller bool, err error) {
	if lock, held, err := write.Take(path); err != nil {
		return false, refuse(CodeWrite, "open it for writing", err)
	} else if held && !allow {
		return false, &RefusedError{Code: CodeLocked, Path: path, Reason: "another process has it locked", Next: "stop the gateway, or repair a copy"}
	} else {
		lock.Release()
	}
	if allow {
		return false, nil
	}
	dir := filepath.Dir(path)
	if home := liveHome(dir, liveHomes); home != "" {
		return false, &RefusedError{Code: CodeLiveHome, Path: path, Reason: fmt.Sprintf("its folder is the home %q of an install", home),
			Next: "stop the gateway, copy state.db with its -wal, -shm and -journal to another folder and repair that copy; or use --output, or --allow-live-holder"}
	}
	users, err := usersOf(path)
	if err != nil {
		return false, refuse(CodeOpen, "look for processes that have it open", err)
	}
	callers := ancestors()
	for _, pid := range users {
		if slices.Contains(callers, pid) {
			caller = true
			continue
		}
		return false, &RefusedError{Code: CodeOpen, Path: path, Reason: fmt.Sprintf("process %d has it open", pid), Next: "stop that process, or repair a copy"}
	}
	for _, name := range []string{"gateway.pid", "gateway.lock"} {
		if pid := pidIn(filepath.Join(dir, name)); pid > 0 && pid != os.Getpid() && usesFolder(pid, dir) {
			return false, &RefusedError{Code: CodeRunning, Path: path, Reason: fmt.Sprintf("%s names process %d, which runs and may have files of this folder open", name, pid),
				Next: "stop the gateway, or repair a copy"}
		}
	}
	return caller, nil
}

// liveHome gives the home that a folder is, or whose profile's folder it is; "" for a copy.
func liveHome(dir string, homes []string) string {
	places := []string{dir}
	if filepath.Base(filepath.Dir(dir)) == "profiles" {
		places = append(places, filepath.Dir(filepath.Dir(dir)))
	}
	for _, home := range homes {
		h, err := os.Stat(home)
		if home == "" || err != nil {
			continue
		}
		for _, place := range places {
			if p, err := os.Stat(place); err == nil && os.SameFile(h, p) {
				return home
			}
		}
	}
	return ""
}

// pidIn reads the process that a run file names: a number, or a JSON object with a pid; 0 = none.
func pidIn(path string) int {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > 1<<16 {
		return 0
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	var object struct{ PID int }
	if json.Unmarshal(data, &object) == nil {
		return object.PID
	}
	word, _, _ := strings.Cut(strings.TrimSpace(string(data)), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(word))
	if err != nil {
		return 0
	}
	return pid
}
