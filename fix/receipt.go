package fix

import (
	"encoding/json"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/fix/internal/write"
)

// receiptKind marks a receipt.
const receiptKind = "hermes-doctor receipt"

// Receipt is the written proof of a change: what the file was, what was done, and what it is now. Alone of all that is
// printed it carries wall time. Its JSON is what `fix --apply` prints as "receipt".
type Receipt struct {
	Schema   int           `json:"schema"`
	Kind     string        `json:"kind"`
	Of       string        `json:"of"`       // "fix" or "undo"
	Made     string        `json:"made"`     // RFC 3339, UTC
	Database string        `json:"database"` // that was examined
	Result   string        `json:"result"`   // the file that holds the rows now
	Digest   string        `json:"digest"`   // of the sources, before
	Before   string        `json:"before"`   // SHA-256 of the main file
	After    string        `json:"after"`    // SHA-256 of the result
	RowsNow  string        `json:"rows"`     // one hash over all rows of the result
	Files    []FileSum     `json:"files"`    // the database and its sidecars, before
	Backup   ReceiptBackup `json:"backup"`
	Journal  string        `json:"journal"`
	JournalS string        `json:"journal_sha256"`
	Plan     string        `json:"plan"` // SHA-256 of the plan
	Applied  int           `json:"applied"`
	Steps    []string      `json:"steps"` // ids
	Links    []Link        `json:"links,omitempty"`
	Verified bool          `json:"verified"`
	OneFile  bool          `json:"one_file"` // the result needs no sidecar any more
}

// ReceiptBackup is the backup's part of a receipt.
type ReceiptBackup struct {
	Path      string    `json:"path"`
	SHA256    string    `json:"sha256"`
	Integrity string    `json:"integrity"` // "ok": VerifyBackup makes no other
	RowsEqual bool      `json:"rows_equal"`
	Files     []FileSum `json:"files"`
}

func (r *Receipt) encode() ([]byte, error) {
	data, err := json.MarshalIndent(r, "", " ")
	return append(data, '\n'), err
}

func readReceipt(files write.FS, path string) (*Receipt, error) {
	bad := func(reason string, err error) error { return &RecordError{"receipt", path, reason, err} }
	data, err := readAll(files, path)
	if err != nil {
		return nil, bad(oneLine(err), err)
	}
	var r Receipt
	if err := json.Unmarshal(data, &r); err != nil || r.Kind != receiptKind {
		return nil, bad("it is none", err)
	}
	if r.Schema != 1 {
		return nil, bad(fmt.Sprintf("version %d is not known here", r.Schema), nil)
	}
	return &r, nil
}
