package corpus

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/corpus/internal/build"
)

// repo is one git directory of a checkpoints/ folder: where it lies below the home, and a stream for git fast-import.
type repo struct{ folder, stream string }

// streamSuffix ends the name of a section that holds a repo's stream.
const streamSuffix = ".gitfi"

// repoOf reads the name of a section like "checkpoints/store.gitfi"; false for any other.
func repoOf(section string) (folder string, ok bool) {
	folder, ok = strings.CutSuffix(section, streamSuffix)
	if !ok || !local(folder) {
		return "", false
	}
	for _, part := range strings.Split(path.Dir(folder), "/") {
		if part == "checkpoints" {
			return folder, true
		}
	}
	return "", false
}

// buildRepos makes the git directories of the case.
func (c *Case) buildRepos(ctx context.Context, dir string) error {
	for _, r := range c.repos {
		if err := build.Checkpoints(ctx, filepath.Join(dir, filepath.FromSlash(r.folder)), r.stream, c.packed); err != nil {
			return fmt.Errorf("%s%s: %w", r.folder, streamSuffix, err)
		}
	}
	return nil
}
