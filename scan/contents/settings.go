package contents

import "fmt"

// Settings are what the configuration of a home says about its checkpoints. The zero value says that no configuration
// is known, so that the product's defaults are taken for granted (spec/checkpoint-store.md 5).
type Settings struct {
	Known     bool  // a configuration was read: what it does not set is the product's default
	Enabled   *bool // nil = it says nothing, which means that checkpoints are off
	Snapshots int   // checkpoints that are kept of a project; 0 = 20
	// MaxFile is the size in bytes above which a file is not captured, 0 = no limit. It counts where Known is true.
	MaxFile int64
}

const (
	defaultSnapshots = 20
	defaultMaxFile   = 10 << 20
)

// snapshots gives how many checkpoints are kept, and says where that comes from.
func (s Settings) snapshots() (n int, from string) {
	if s.Snapshots > 0 && s.Snapshots != defaultSnapshots {
		return s.Snapshots, "max_snapshots in config.yaml"
	}
	return defaultSnapshots, "the default"
}

// FileLimit is the size in bytes above which a file is not captured; 0 = no limit.
func (s Settings) FileLimit() int64 {
	if s.Known {
		return s.MaxFile
	}
	return defaultMaxFile
}

// tooLarge says what a file must be to be left out for its size; "" where no size is too large.
func (s Settings) tooLarge() string {
	switch limit := s.FileLimit(); {
	case !s.Known:
		return fmt.Sprintf("larger than max_file_size_mb (%d MiB where nothing is set; no config.yaml is given)", limit>>20)
	case limit == 0:
		return ""
	default:
		return fmt.Sprintf("larger than max_file_size_mb, %d bytes here", limit)
	}
}
