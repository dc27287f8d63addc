package scan

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"go.yaml.in/yaml/v3"
)

// CheckpointLimits are the settings that the product keeps a store within (spec/checkpoint-store.md 5).
type CheckpointLimits struct {
	MaxSnapshots int   // checkpoints of a project
	MaxTotal     int64 // bytes of the store; 0 = no limit
	Source       string
}

const configBytes = 4 << 20

// checkpointLimits reads the settings of the home that a base lies in, or gives the product's own.
func (r *runner) checkpointLimits(b *evidence.CheckpointBase) CheckpointLimits {
	l := CheckpointLimits{MaxSnapshots: 20, MaxTotal: 500 << 20, Source: "the product's default; no config.yaml is given"}
	for _, h := range r.bundle.Homes {
		if filepath.Clean(b.Path) != filepath.Join(h.Name, "checkpoints") {
			continue
		}
		text, err := h.Read("config.yaml", evidence.RoleConfig, configBytes)
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) {
				l.Source = "the product's default; config.yaml cannot be read"
			}
			return l
		}
		var doc struct {
			Checkpoints struct {
				MaxSnapshots *int     `yaml:"max_snapshots"`
				MaxTotal     *float64 `yaml:"max_total_size_mb"`
			} `yaml:"checkpoints"`
		}
		if yaml.Unmarshal(text, &doc) != nil { // checkpoints may be a plain true or false
			return l
		}
		l.Source = "the product's default; config.yaml sets nothing else"
		if n := doc.Checkpoints.MaxSnapshots; n != nil {
			l.MaxSnapshots, l.Source = max(*n, 1), "config.yaml"
		}
		if n := doc.Checkpoints.MaxTotal; n != nil && *n >= 0 && *n < 1<<40 {
			l.MaxTotal, l.Source = int64(*n*(1<<20)), fmt.Sprintf("max_total_size_mb: %g in config.yaml", *n)
		}
	}
	return l
}
