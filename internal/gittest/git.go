package gittest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Command is a git on the git directory dir with nobody's configuration; a machine without git skips the test. Commits are
// made by Hermes Checkpoint on 21 September 2026, 14:13:20 UTC, so that the ids of what commit-tree makes are the same in
// every run. A folder to work in, an index of its own and more of the environment are the caller's to add.
func Command(t testing.TB, dir string, args ...string) *exec.Cmd {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("the stores of this test are made by git, which is not here")
	}
	cmd := exec.CommandContext(t.Context(), "git", append([]string{"--git-dir", dir}, args...)...)
	cmd.Env = append(Settings(), "LC_ALL=C", "PATH="+os.Getenv("PATH"), "HOME="+t.TempDir())
	return cmd
}

// Settings are the variables of the environment, as name=value, by which git has nobody's configuration, and Command its
// name and time.
func Settings() []string {
	const who, mail, when = "Hermes Checkpoint", "hermes@local", "1790000000 +0000"
	return []string{
		"GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_ATTR_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=" + who, "GIT_AUTHOR_EMAIL=" + mail, "GIT_AUTHOR_DATE=" + when,
		"GIT_COMMITTER_NAME=" + who, "GIT_COMMITTER_EMAIL=" + mail, "GIT_COMMITTER_DATE=" + when,
	}
}

// Run runs Command and gives what it prints; a git that fails ends the test.
func Run(t testing.TB, dir string, input []byte, args ...string) []byte {
	t.Helper()
	cmd := Command(t, dir, args...)
	cmd.Stdin = bytes.NewReader(input)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, &stderr)
	}
	return out
}

// Line is Run for commands that print one line, without spaces around it.
func Line(t testing.TB, dir string, input []byte, args ...string) string {
	t.Helper()
	return strings.TrimSpace(string(Run(t, dir, input, args...)))
}

// Init makes an empty bare repository at dir, with the folders above it, as git init does with more arguments.
func Init(t testing.TB, dir string, args ...string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	Run(t, dir, nil, append([]string{"-c", "init.defaultBranch=master", "init", "--quiet", "--bare"}, args...)...)
}

// Quote spells a path for a stream of fast-import, whatever bytes it holds.
func Quote(path string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(path) {
		if c := path[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			fmt.Fprintf(&b, `\%03o`, c)
		} else {
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
