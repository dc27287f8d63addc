//go:build unix && !linux

package fix

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// usersOf lists the other processes that have the database, or a sidecar, open. The kernel shows that to lsof, which
// macOS brings along; where it cannot be asked, that is an error, since nothing is known then.
func usersOf(path string) ([]int, error) {
	args := []string{"-w", "-t", "--"}
	for _, end := range sidecarNames() {
		if _, err := os.Stat(path + end); err == nil {
			args = append(args, path+end)
		}
	}
	out, err := ask("lsof", args...)
	// It ends with 1 and no word of complaint where one of the files is not open.
	var ended *exec.ExitError
	if err != nil && (!errors.As(err, &ended) || ended.ExitCode() != 1 || len(ended.Stderr) > 0) {
		return nil, fmt.Errorf("ask lsof: %w", err)
	}
	var users []int
	for _, word := range strings.Fields(out) {
		pid, err := strconv.Atoi(word)
		if err != nil {
			return nil, fmt.Errorf("read the answer of lsof: %w", err)
		}
		if pid != os.Getpid() && !slices.Contains(users, pid) {
			users = append(users, pid)
		}
	}
	return users, nil
}

// ancestors lists the processes that started this one, the parent first, as far as ps tells.
func ancestors() []int {
	var out []int
	for pid := os.Getppid(); pid > 1 && len(out) < 64; {
		out = append(out, pid)
		answer, err := ask("ps", "-o", "ppid=", "-p", strconv.Itoa(pid))
		if err != nil {
			return out
		}
		if pid, err = strconv.Atoi(strings.TrimSpace(answer)); err != nil {
			return out
		}
	}
	return out
}

// ask runs a tool of the system; a file system that does not answer must not hold a repair up for ever.
func ask(name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, name, args...).Output()
	return string(out), err
}

// usesFolder says whether a process has a file below dir open. A process that runs and does not show its files counts.
func usesFolder(pid int, dir string) bool {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return true
	}
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return false
	}
	names, err := ask("lsof", "-w", "-Fn", "-p", strconv.Itoa(pid))
	if err != nil || !strings.Contains(names, "\nn/") {
		return true
	}
	return strings.Contains(names, "\nn"+real+string(filepath.Separator))
}
