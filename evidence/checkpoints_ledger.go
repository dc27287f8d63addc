package evidence

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// CheckpointLedger lists the files that agents wrote below one project root.
type CheckpointLedger struct {
	ID      string // the hash of the root that the writer found, which may be another than the restored directory's
	Entries []LedgerEntry
	Flaw    string // why it cannot be read, or not whole; "" = nothing wrong
}

// LedgerEntry is one file, as it was after an agent wrote it last.
type LedgerEntry struct {
	Path   string // absolute, on its machine
	SHA256 string // 64 hex digits; "" when the entry holds none
	At     float64
}

const ledgerBytes = 32 << 20

// readLedger reads ledgers/<id>.json.
func readLedger(f *storeFiles, name string) *CheckpointLedger {
	l := &CheckpointLedger{ID: strings.TrimSuffix(name, ".json")}
	data, err := f.read("ledgers", name, ledgerBytes)
	if err != nil {
		l.Flaw = "it cannot be read: " + err.Error()
		return l
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), &object); err != nil || object == nil {
		l.Flaw = "it is not a JSON object"
		return l
	}
	for path, raw := range object {
		var entry struct {
			SHA256 string  `json:"sha256"`
			TS     float64 `json:"ts"`
		}
		if err := json.Unmarshal(raw, &entry); err != nil || len(entry.SHA256) != 64 || strings.Trim(entry.SHA256, "0123456789abcdef") != "" {
			l.Flaw = "an entry holds no hash and time"
			entry.SHA256 = ""
		}
		l.Entries = append(l.Entries, LedgerEntry{Path: path, SHA256: entry.SHA256, At: entry.TS})
	}
	slices.SortFunc(l.Entries, func(a, b LedgerEntry) int { return strings.Compare(a.Path, b.Path) })
	return l
}
