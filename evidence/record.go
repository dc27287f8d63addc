package evidence

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Record says who examined what, when, with which build and to what end. It is a statement by the person who made it: its
// seal shows a slip of an editor, not a forger.
type Record struct {
	Schema   int           `json:"schema"`
	Kind     string        `json:"kind"` // RecordKind
	Tool     RecordTool    `json:"tool"`
	Examiner string        `json:"examiner"`
	Command  []string      `json:"command"` // as it was given, the program's name left out
	Folder   string        `json:"folder"`  // in which relative paths begin; "" = they are not to be found
	Began    string        `json:"began"`   // RFC 3339, UTC, by this machine's clock
	Ended    string        `json:"ended"`
	Inputs   []RecordFile  `json:"inputs"`
	Changed  []string      `json:"inputs_changed"` // what did not stand still meanwhile
	Still    bool          `json:"inputs_unchanged"`
	Outputs  []RecordFile  `json:"outputs"` // what was written, but for this record
	Result   *RecordResult `json:"result,omitempty"`
	Seal     string        `json:"seal"` // SHA-256 of the record with an empty seal, as it is written
}

// RecordKind is what a record calls itself.
const RecordKind = "custody"

// RecordTool is the build that examined.
type RecordTool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	SQLite  string `json:"sqlite"`
	FTS5    bool   `json:"fts5"`
}

// RecordFile is one file as it was. Modified is epoch seconds; null = none, as for a file that was just written.
type RecordFile struct {
	Role     string   `json:"role"`
	Path     string   `json:"path"`
	Bytes    int64    `json:"bytes"`
	SHA256   string   `json:"sha256"`
	Modified *float64 `json:"modified"`
	Mode     string   `json:"mode"`
}

// RecordResult is what came of it, in one line.
type RecordResult struct {
	Verdict  string `json:"verdict"`
	Findings int    `json:"findings"`
	Digest   string `json:"digest"` // of the sources, see Digest
}

// Take puts the inputs of an examination into the record.
func (r *Record) Take(inputs []Input) {
	for _, in := range inputs {
		at := in.Modified
		f := RecordFile{Role: string(in.Role), Path: in.Path, Bytes: in.Bytes, SHA256: in.SHA256, Mode: in.Mode}
		if !math.IsNaN(at) && !math.IsInf(at, 0) {
			f.Modified = &at
		}
		r.Inputs = append(r.Inputs, f)
	}
}

// Wrote puts a file that was written into the record, with the hash that it has now.
func (r *Record) Wrote(ctx context.Context, role, path string) error {
	sum, size, err := hashFile(ctx, path, func(int) {})
	if err != nil {
		return fmt.Errorf("hash %q: %w", path, bare(err))
	}
	r.Outputs = append(r.Outputs, RecordFile{Role: role, Path: path, Bytes: size, SHA256: sum})
	return nil
}

// Text spells the record as it is written, with its seal.
func (r *Record) Text() ([]byte, error) {
	r.Schema, r.Kind = 1, RecordKind
	for _, list := range []*[]RecordFile{&r.Inputs, &r.Outputs} {
		if *list == nil {
			*list = []RecordFile{}
		}
	}
	if r.Changed == nil {
		r.Changed = []string{}
	}
	seal, err := r.seal()
	if err != nil {
		return nil, err
	}
	r.Seal = seal
	return r.spell()
}

func (r Record) seal() (string, error) {
	r.Seal = ""
	text, err := r.spell()
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), err
}

func (r *Record) spell() ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(r); err != nil {
		return nil, fmt.Errorf("spell the custody record: %w", err)
	}
	return buf.Bytes(), nil
}

// recordLimit is the largest record that is read, in bytes.
const recordLimit = 64 << 20

// ErrNoRecord is wrapped by the error of ReadRecord about a file that is no custody record.
var ErrNoRecord = errors.New("it is no custody record")

// ReadRecord reads a record. A seal that does not fit is no error: Sealed tells.
func ReadRecord(path string) (*Record, error) {
	f, _, err := openRegular(path)
	if err != nil {
		return nil, fmt.Errorf("read %q: %w", path, bare(err))
	}
	defer func() { _ = f.Close() }() // opened for reading
	text, err := io.ReadAll(io.LimitReader(f, recordLimit+1))
	if err != nil {
		return nil, fmt.Errorf("read %q: %w", path, bare(err))
	}
	var r Record
	if len(text) > recordLimit || json.Unmarshal(text, &r) != nil || r.Kind != RecordKind || r.Schema != 1 {
		return nil, fmt.Errorf("read %q: %w", path, ErrNoRecord)
	}
	return &r, nil
}

// Sealed says whether the record is as it was written.
func (r *Record) Sealed() bool {
	seal, err := r.seal()
	return err == nil && seal == r.Seal
}

// Rechecked is one file of a record, looked at again.
type Rechecked struct {
	What string // "input" or "output"
	Path string
	OK   bool
	Text string
}

// Recheck looks at every file of the record again: its bytes, its size and, of an input, its time and mode. Only a
// cancelled ctx is an error.
func (r *Record) Recheck(ctx context.Context) ([]Rechecked, error) {
	var out []Rechecked
	for _, list := range []struct {
		what  string
		files []RecordFile
	}{{"input", r.Inputs}, {"output", r.Outputs}} {
		for _, f := range list.files {
			ok, text := r.recheck(ctx, f)
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			out = append(out, Rechecked{list.what, f.Path, ok, text})
		}
	}
	return out, nil
}

func (r *Record) recheck(ctx context.Context, f RecordFile) (ok bool, text string) {
	path := f.Path
	if !filepath.IsAbs(path) && r.Folder != "" {
		path = filepath.Join(r.Folder, path)
	}
	real, err := filepath.EvalSymlinks(path)
	if errors.Is(err, syscall.ENOTDIR) && r.archived(f.Path) {
		return true, "it lies in an archive, which is looked at for it"
	}
	if err != nil {
		return false, "it cannot be found: " + oneLine(bare(err))
	}
	info, err := os.Lstat(real)
	if err != nil {
		return false, "it cannot be found: " + oneLine(bare(err))
	}
	now := Input{Modified: epoch(info.ModTime()), Mode: info.Mode().String()}
	if Role(f.Role) == RoleCheckpoints {
		l := &listing{path: f.Path, real: real, done: make(chan struct{})}
		l.begin(ctx)
		now, err = l.input()
	} else {
		now.SHA256, now.Bytes, err = hashFile(ctx, real, func(int) {})
	}
	switch {
	case err != nil:
		return false, "it cannot be read: " + oneLine(bare(err))
	case now.SHA256 != f.SHA256 || now.Bytes != f.Bytes:
		return false, "its bytes are not those of the record"
	case f.Modified != nil && now.Modified != *f.Modified:
		return false, "its bytes are those of the record, but it was written again at " + time.UnixMicro(int64(now.Modified*1e6)).UTC().Format(time.RFC3339)
	case f.Mode != "" && now.Mode != f.Mode:
		return false, "its bytes are those of the record, but its mode is " + now.Mode + " and was " + f.Mode
	}
	return true, "it is as the record says"
}

// archived says whether a path leads into an archive of the record.
func (r *Record) archived(path string) bool {
	for _, f := range r.Inputs {
		if Role(f.Role) == RoleArchive && strings.HasPrefix(path, f.Path+string(filepath.Separator)) {
			return true
		}
	}
	return false
}
