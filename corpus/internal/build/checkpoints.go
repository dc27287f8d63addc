package build

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/seed-4d3eb737/hermes-doctor/scan/checkpoints"
)

// HasGit says whether a git can be started, which Checkpoints needs.
func HasGit() bool {
	_, err := exec.LookPath("git")
	return err == nil
}

// Checkpoints makes a git directory like the product's: bare, with its settings, filled by git fast-import from a stream.
// packed puts all objects into one pack and all refs into packed-refs. The same stream gives the same ids.
func Checkpoints(ctx context.Context, dir, stream string, packed bool) error {
	g := &git{ctx: ctx, dir: dir}
	g.init()
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

// init makes an empty git directory with the product's settings, and the folders above it.
func (g *git) init() {
	if g.err = os.MkdirAll(filepath.Dir(g.dir), 0o700); g.err != nil {
		return
	}
	g.run("", "-c", "init.defaultBranch=master", "init", "--quiet", "--bare", "--object-format=sha1", "--template=", g.dir)
	for _, set := range [][2]string{
		{"user.email", "hermes@local"}, {"user.name", "Hermes Checkpoint"}, {"commit.gpgsign", "false"}, {"tag.gpgSign", "false"}, {"gc.auto", "0"},
	} {
		g.run("", "config", set[0], set[1])
	}
	g.exclude()
}

// exclude writes the list of what is not captured, as the product does when it makes a repository.
func (g *git) exclude() {
	if g.err != nil {
		return
	}
	layout := 1
	if filepath.Base(g.dir) == "store" {
		layout = 2
	}
	info := filepath.Join(g.dir, "info")
	if g.err = os.MkdirAll(info, 0o700); g.err == nil {
		g.err = os.WriteFile(filepath.Join(info, "exclude"), []byte(strings.Join(checkpoints.DefaultExcludes(layout), "\n")+"\n"), 0o600)
	}
}

func (g *git) run(input string, args ...string) { g.feed(strings.NewReader(input), args...) }

func (g *git) feed(input io.Reader, args ...string) {
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
	cmd.Stdin = input
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
