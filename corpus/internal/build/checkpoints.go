package build

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// HasGit says whether a git can be started, which Checkpoints needs.
func HasGit() bool {
	_, err := exec.LookPath("git")
	return err == nil
}

// Checkpoints makes a git directory like the product's: bare, with its settings, filled by git fast-import from a stream.
// packed puts all objects into one pack and all refs into packed-refs. The same stream gives the same ids.
func Checkpoints(ctx context.Context, dir, stream string, packed bool) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return err
	}
	g := &git{ctx: ctx, dir: dir}
	g.run("", "-c", "init.defaultBranch=master", "init", "--quiet", "--bare", "--object-format=sha1", "--template=", dir)
	for _, set := range [][2]string{
		{"user.email", "hermes@local"}, {"user.name", "Hermes Checkpoint"}, {"commit.gpgsign", "false"}, {"tag.gpgSign", "false"}, {"gc.auto", "0"},
	} {
		g.run("", "config", set[0], set[1])
	}
	g.run(stream, "-c", "fastimport.unpackLimit=1000000", "fast-import", "--quiet", "--force")
	if packed {
		g.run("", "pack-refs", "--all")
		g.run("", "-c", "pack.writeReverseIndex=false", "-c", "repack.writeBitmaps=false", "-c", "pack.threads=1", "repack", "-a", "-d", "-q")
	}
	return g.err
}

// git runs commands in one git directory until one fails.
type git struct {
	ctx context.Context
	dir string
	err error
}

func (g *git) run(input string, args ...string) {
	if g.err != nil {
		return
	}
	cmd := exec.CommandContext(g.ctx, "git", args...)
	cmd.WaitDelay = 5 * time.Second
	// Nothing of the machine's own configuration may show in a case.
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Dir(g.dir), "GIT_DIR=" + g.dir, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_ATTR_NOSYSTEM=1", "LC_ALL=C", "TZ=UTC",
	}
	cmd.Stdin = strings.NewReader(input)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case g.ctx.Err() != nil:
		g.err = g.ctx.Err()
	case errors.As(err, &exit):
		g.err = fmt.Errorf("run git %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(string(out)))
	case err != nil:
		g.err = fmt.Errorf("start git: %w", err)
	}
}
