package fix

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"

	"github.com/seed-4d3eb737/hermes-doctor/fix/internal/write"
)

// journalKind marks an undo journal.
const journalKind = "hermes-doctor undo journal"

// journal is what undo needs, on disk before the first write. It names every cell with what it held and what it is to
// hold, and the database by path, size and hash.
type journal struct {
	Schema   int           `json:"schema"`
	Kind     string        `json:"kind"`
	Of       string        `json:"of"` // what it can take back: "fix" or "undo"
	Made     string        `json:"made"`
	Database string        `json:"database"`
	Digest   string        `json:"digest"` // of the sources, before
	Files    []FileSum     `json:"files"`  // the database and its sidecars, before
	Backup   string        `json:"backup"`
	Plan     string        `json:"plan"`
	Cells    []journalCell `json:"cells"`
	Links    []Link        `json:"links,omitempty"`
	Checksum string        `json:"checksum"` // SHA-256 of this object with a blank checksum, in this spelling
}

type journalCell struct {
	ID      string `json:"id"`
	Finding string `json:"finding"`
	Table   string `json:"table"`
	Key     value  `json:"key"`
	Column  string `json:"column"`
	Before  value  `json:"before"`
	After   value  `json:"after"`
	Because string `json:"because"`
}

// FileSum is a file and what it held.
type FileSum struct {
	Path   string `json:"path"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

func (c journalCell) step() Step {
	return Step{ID: c.ID, Finding: c.Finding, Table: c.Table, Key: c.Key.text(), Column: c.Column, Old: c.Before.cell, New: c.After.cell, Because: c.Because}
}

func cellOf(s Step) journalCell {
	return journalCell{ID: s.ID, Finding: s.Finding, Table: s.Table, Key: value{s.Key}, Column: s.Column, Before: value{s.Old}, After: value{s.New}, Because: utf8Only(s.Because)}
}

// encode spells the journal with its checksum.
func (j *journal) encode() ([]byte, error) {
	j.Checksum = ""
	sum, err := j.sum()
	if err != nil {
		return nil, err
	}
	j.Checksum = sum
	data, err := json.MarshalIndent(j, "", " ")
	return append(data, '\n'), err
}

func (j *journal) sum() (string, error) {
	blank := *j
	blank.Checksum = ""
	data, err := json.Marshal(blank)
	if err != nil {
		return "", fmt.Errorf("spell undo journal: %w", err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), nil
}

// readJournal reads an undo journal and proves that it is whole.
func readJournal(files write.FS, path string) (*journal, error) {
	bad := func(reason string, err error) error { return &RecordError{"undo journal", path, reason, err} }
	data, err := readAll(files, path)
	if err != nil {
		return nil, bad(oneLine(err), err)
	}
	var j journal
	if err := json.Unmarshal(data, &j); err != nil || j.Kind != journalKind {
		return nil, bad("it is none", err)
	}
	sum, err := j.sum()
	switch {
	case err != nil:
		return nil, bad(oneLine(err), err)
	case j.Schema != 1:
		return nil, bad(fmt.Sprintf("version %d is not known here", j.Schema), nil)
	case sum != j.Checksum:
		return nil, bad("its checksum is wrong: it was changed or is damaged", nil)
	}
	return &j, nil
}

// readAll gives a whole small file.
func readAll(files write.FS, path string) ([]byte, error) {
	f, err := files.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // opened for reading
	const limit = 256 << 20
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && len(data) > limit {
		err = fmt.Errorf("more than %d bytes", limit)
	}
	return data, err
}
