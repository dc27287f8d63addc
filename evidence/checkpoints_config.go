package evidence

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence/internal/gitro"
)

// readConfig reads the store's config as data and gives the hash that it names.
func (s *CheckpointStore) readConfig(files *storeFiles) (hint gitro.Format) {
	data, err := files.read("", "config", 1<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	c := &s.Config
	c.Present = true
	if err != nil {
		c.Flaw = "it cannot be read: " + err.Error()
		return ""
	}
	settings, line := gitro.ParseConfig(data)
	c.Settings = settings
	if line > 0 {
		c.Flaw = fmt.Sprintf("line %d is no git config", line)
	}
	for _, set := range settings {
		if s.foreign(set) {
			c.Foreign = append(c.Foreign, set)
		}
		switch set.Key {
		case "core.repositoryformatversion":
			v, err := strconv.Atoi(strings.TrimSpace(set.Value))
			if err != nil {
				c.Flaw = "core.repositoryformatversion is no number"
			}
			c.Version = v
		case "core.worktree":
			c.Worktree = set.Value
		case "extensions.objectformat":
			hint = gitro.Format(strings.ToLower(set.Value))
		}
	}
	c.Unsupported = unsupported(c.Version, settings)
	if hint != gitro.SHA1 && hint != gitro.SHA256 {
		return ""
	}
	return hint
}

// unsupported names what makes git refuse a repository, or read it in a way that is not known here.
func unsupported(version int, settings []gitro.Setting) string {
	if version > 1 || version < 0 {
		return fmt.Sprintf("core.repositoryformatversion %d", version)
	}
	for _, set := range settings {
		name, ok := strings.CutPrefix(set.Key, "extensions.")
		if !ok {
			continue
		}
		value := strings.ToLower(set.Value)
		switch name {
		case "objectformat":
			if value != "sha1" && value != "sha256" {
				return set.Key + " " + set.Value
			}
		case "refstorage":
			if value != "files" {
				return set.Key + " " + set.Value
			}
		case "noop", "preciousobjects", "partialclone", "worktreeconfig":
		default:
			if version == 1 {
				return set.Key
			}
		}
	}
	return ""
}

// foreign says whether neither the product nor `git init` writes a setting.
func (s *CheckpointStore) foreign(set gitro.Setting) bool {
	switch set.Key {
	case "core.repositoryformatversion", "core.filemode", "core.bare", "core.symlinks", "core.ignorecase",
		"core.precomposeunicode", "user.email", "user.name", "commit.gpgsign", "tag.gpgsign", "gc.auto",
		"extensions.objectformat":
		return false
	case "core.logallrefupdates", "core.worktree":
		return s.Version != 1
	}
	return true
}
