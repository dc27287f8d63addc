package evidence

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"strings"
	"unicode/utf8"
)

// CheckpointProject is one working directory: what is registered under an id, and the history that its ref leads to.
type CheckpointProject struct {
	Store       *CheckpointStore
	ID          string  // the stem of its json, the last part of its ref's name, or the name of a v1 repository
	Workdir     string  // a claim, never resolved on this machine; "" = not recorded
	WorkdirFrom string  // "json", "HERMES_WORKDIR", "core.worktree" or ""
	CreatedAt   float64 // epoch seconds of its json; 0 = unknown
	LastTouch   float64 // of its json: the last attempt at a checkpoint; 0 = unknown
	ParentDev   int64   // with ParentIno: the folder above Workdir on its machine; 0 = unknown
	ParentIno   int64
	JSON        State  // of projects/<id>.json; Absent in a v1 repository
	JSONFlaw    string // why it is Damaged
	BOM         bool   // its json begins with a byte order mark, which older builds refuse

	Ref      *GitRef  // nil when no ref and no packed line names the project
	Tip      ObjectID // the newest checkpoint that can be reached by the ref; the zero ObjectID when there is none
	RefState RefState
	RefFlaw  string // why RefState is not Sound
	Chain    []CommitInfo
	ChainErr *ObjectError // why Chain ends before a commit without a parent; nil when it does not
}

// State is how a file was found.
type State string

// The states of a file.
const (
	Present State = "present"
	Absent  State = "absent"
	Damaged State = "damaged"
)

// RefState is how the ref of a project was found.
type RefState string

// The states of a ref. RefPacked means that its own file is damaged or names a missing commit, and that the packed
// value, which may be older, was used.
const (
	RefSound    RefState = "sound"
	RefAbsent   RefState = "absent"
	RefBroken   RefState = "damaged"      // no value at all
	RefDangling RefState = "dangling"     // the object is missing or cannot be read
	RefWrong    RefState = "not-a-commit" // the object is something else
	RefPacked   RefState = "packed-value" // as told above
)

// ProjectHash is the id of a working directory: the first 16 hex digits of the SHA-256 of the path as it stands.
func ProjectHash(workdir string) string {
	sum := sha256.Sum256([]byte(workdir))
	return hex.EncodeToString(sum[:8])
}

// IsProjectID says whether a name is 16 lower-case hex digits.
func IsProjectID(name string) bool {
	return len(name) == 16 && strings.Trim(name, "0123456789abcdef") == ""
}

// HashMatches says whether the recorded path has the project's id; true when no path is recorded.
func (p *CheckpointProject) HashMatches() bool {
	return p.Workdir == "" || ProjectHash(p.Workdir) == p.ID
}

const projectBytes = 1 << 20

// readJSON reads projects/<id>.json.
func (p *CheckpointProject) readJSON(f *storeFiles, name string) {
	data, err := f.read("projects", name, projectBytes)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		p.JSON = Absent
		return
	case err != nil:
		p.JSON, p.JSONFlaw = Damaged, "it cannot be read: "+err.Error()
		return
	}
	p.JSON = Present
	if rest, ok := bytes.CutPrefix(data, []byte("\xef\xbb\xbf")); ok {
		p.BOM, data = true, rest
	}
	if flaw := p.parse(data); flaw != "" {
		p.JSON, p.JSONFlaw = Damaged, flaw
	}
}

// parse fills in what the json says and gives what is wrong with it.
func (p *CheckpointProject) parse(data []byte) (flaw string) {
	if !utf8.Valid(data) {
		return "it is not UTF-8"
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(data, &object); err != nil || object == nil {
		return "it is not a JSON object"
	}
	var workdir *string
	if err := json.Unmarshal(object["workdir"], &workdir); err != nil || workdir == nil || *workdir == "" {
		flaw = "its workdir is not a path"
	} else {
		p.Workdir, p.WorkdirFrom = *workdir, "json"
	}
	for _, n := range []struct {
		key string
		to  *float64
	}{{"created_at", &p.CreatedAt}, {"last_touch", &p.LastTouch}} {
		raw, ok := object[n.key]
		if !ok {
			continue
		}
		var v *float64
		if err := json.Unmarshal(raw, &v); err != nil || v == nil || math.IsInf(*v, 0) {
			flaw = "its " + n.key + " is not a number"
			continue
		}
		*n.to = *v
	}
	for key, to := range map[string]*int64{"workdir_parent_dev": &p.ParentDev, "workdir_parent_ino": &p.ParentIno} {
		if raw, ok := object[key]; ok {
			_ = json.Unmarshal(raw, to) // a value that is no integer says nothing
		}
	}
	return flaw
}
