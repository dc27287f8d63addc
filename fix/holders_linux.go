package fix

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// usersOf lists the other processes that have the database, or a sidecar, open. Processes of other users do not show
// their files; the test of SQLite's locks covers them.
func usersOf(path string) ([]int, error) {
	var own []fs.FileInfo
	for _, end := range sidecarNames() {
		if info, err := os.Stat(path + end); err == nil {
			own = append(own, info)
		}
	}
	procs, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	var out []int
	for _, p := range procs {
		pid, err := strconv.Atoi(p.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		dir := filepath.Join("/proc", p.Name(), "fd")
		fds, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, fd := range fds {
			info, err := os.Stat(filepath.Join(dir, fd.Name()))
			if err == nil && info.Mode().IsRegular() && anySame(own, info) {
				out = append(out, pid)
				break
			}
		}
	}
	return out, nil
}

// ancestors lists the processes that started this one, the parent first.
func ancestors() []int {
	var out []int
	for pid := os.Getppid(); pid > 1 && len(out) < 64; {
		out = append(out, pid)
		stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
		if err != nil {
			return out
		}
		// The name in parentheses may hold anything; the state and the parent's number follow it.
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		if len(fields) < 2 {
			return out
		}
		if pid, err = strconv.Atoi(fields[1]); err != nil {
			return out
		}
	}
	return out
}

func anySame(list []fs.FileInfo, info fs.FileInfo) bool {
	for _, o := range list {
		if os.SameFile(o, info) {
			return true
		}
	}
	return false
}

// usesFolder says whether a process has a file below dir open. A process that runs and does not show its files counts.
func usesFolder(pid int, dir string) bool {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return true
	}
	fds := filepath.Join("/proc", strconv.Itoa(pid), "fd")
	list, err := os.ReadDir(fds)
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	if err != nil {
		return true
	}
	for _, fd := range list {
		target, err := os.Readlink(filepath.Join(fds, fd.Name()))
		if err == nil && strings.HasPrefix(target, real+string(filepath.Separator)) {
			return true
		}
	}
	return false
}
