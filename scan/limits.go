package scan

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"go.yaml.in/yaml/v3"
)

// CheckpointLimits are the settings that the product keeps a store within (spec/checkpoint-store.md 5).
type CheckpointLimits struct {
	MaxSnapshots int      // checkpoints of a project
	MaxTotal     int64    // bytes of the store; 0 = no limit
	MaxFile      int64    // bytes of a file, above which it is not captured; 0 = no limit
	Enabled      *bool    // what the configuration says about checkpoints as a whole; nil = nothing, or it is not known
	Set          []string // the keys of checkpoints: that the configuration sets to something usable
	Source       string   // where MaxTotal comes from, for people
	Known        bool     // a config.yaml was read, so that what is not Set is the product's default
}

const configBytes = 4 << 20

// LimitsOf reads the settings of the home that a base lies in, or gives the product's own where the base came without a
// home, or the home without a readable config.yaml.
func LimitsOf(bundle *evidence.Bundle, b *evidence.CheckpointBase) CheckpointLimits {
	l := CheckpointLimits{MaxSnapshots: 20, MaxTotal: 500 << 20, MaxFile: 10 << 20, Source: "the product's default; no config.yaml is given"}
	for _, h := range bundle.Homes {
		if filepath.Clean(b.Path) != filepath.Join(h.Name, "checkpoints") {
			continue
		}
		text, err := h.Read("config.yaml", evidence.RoleConfig, configBytes)
		if errors.Is(err, fs.ErrNotExist) {
			return l
		}
		var doc struct {
			Checkpoints yaml.Node `yaml:"checkpoints"`
		}
		if err != nil || yaml.Unmarshal(text, &doc) != nil {
			l.Source = "the product's default; config.yaml cannot be read"
			return l
		}
		l.Known, l.Source = true, "the product's default; config.yaml sets nothing else"
		l.read(&doc.Checkpoints)
	}
	return l
}

// read takes over what a configuration sets; checkpoints may be a plain true or false.
func (l *CheckpointLimits) read(n *yaml.Node) {
	var on bool
	if n.Kind == yaml.ScalarNode && n.Decode(&on) == nil {
		l.Enabled = &on
		return
	}
	var keys map[string]yaml.Node
	if n.Kind != yaml.MappingNode || n.Decode(&keys) != nil {
		return
	}
	if v, ok := keys["enabled"]; ok && v.Decode(&on) == nil {
		l.Enabled = &on
	}
	number := func(key string) (float64, bool) {
		v, ok := keys[key]
		var f float64
		if !ok || v.Decode(&f) != nil || math.IsNaN(f) || f < 0 || f >= 1<<40 {
			return 0, false
		}
		l.Set = append(l.Set, key)
		return f, true
	}
	if f, ok := number("max_snapshots"); ok {
		l.MaxSnapshots = max(int(min(f, math.MaxInt32)), 1)
	}
	if f, ok := number("max_total_size_mb"); ok {
		l.MaxTotal, l.Source = int64(f*(1<<20)), fmt.Sprintf("max_total_size_mb: %g in config.yaml", f)
	}
	if f, ok := number("max_file_size_mb"); ok {
		l.MaxFile = int64(f * (1 << 20))
	}
}
