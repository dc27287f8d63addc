package evidence

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"regexp"
)

// sessionFileLimit is the largest of them that is read, in bytes.
const sessionFileLimit = 64 << 20

// SessionFile is a session that lies in a JSON file of its own: a snapshot that the product wrote, or an export
// (spec/state-db.md 1.3). Its messages are counted and not kept.
type SessionFile struct {
	Session  string
	Messages int
	Problem  string // why the file tells nothing; "" = it does
	At       Ref
	How      string
}

// SessionFiles is what ReadSessionFiles found.
type SessionFiles struct {
	List    []SessionFile // by name
	Notes   []string      // what was not read, and why
	Limited bool          // a bound was reached, or a file could not be read
}

// sessionFileName is how the product names a session's file, with or without the prefix; an id begins with a stamp.
var sessionFileName = regexp.MustCompile(`^(?:session_)?(\d{8}_\d{6}_[0-9a-f]{6,8})\.json$`)

// ReadSessionFiles reads the JSON files in dir, the sessions folder, of the sessions that want names. Only a cancelled ctx is
// an error.
func (h *Home) ReadSessionFiles(ctx context.Context, dir string, want func(session string) bool) (*SessionFiles, error) {
	out := &SessionFiles{}
	names, passed, err := h.names(dir, func(name string) bool {
		m := sessionFileName.FindStringSubmatch(name)
		return m != nil && want(m[1])
	})
	if err != nil {
		out.Limited, out.Notes = true, []string{err.Error()}
		return out, nil
	}
	out.Limited, out.Notes = len(passed) > 0, h.notes(dir, passed)
	if most := h.bundle.bounds.SessionFiles; len(names) > most {
		out.Limited = true
		out.Notes = append(out.Notes, fmt.Sprintf("%s: %d of %d sessions in JSON files were read", h.Path(dir), most, len(names)))
		names = names[len(names)-most:]
	}
	left := h.bundle.bounds.SessionBytes
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		rel := path.Join(dir, name)
		text, err := h.Read(rel, RoleSessionFile, min(left, sessionFileLimit))
		if err != nil {
			out.Limited = true
			out.Notes = append(out.Notes, fmt.Sprintf("%s is not read: %v", h.Path(rel), err))
			continue
		}
		left -= int64(len(text))
		var file struct {
			Session  string            `json:"session_id"`
			ID       string            `json:"id"`
			Messages []json.RawMessage `json:"messages"`
		}
		id := sessionFileName.FindStringSubmatch(name)[1]
		err = json.Unmarshal(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), &file)
		if named := file.Session + file.ID; err == nil && named != "" && named != id && file.Session != id {
			err = fmt.Errorf("its name and the session that it names, %q, differ", named)
		}
		f := SessionFile{Session: id, Messages: len(file.Messages), At: Ref{Path: h.Path(rel)}, How: "grep -o '\"role\"' " + ShellQuote(h.Path(rel)) + " | wc -l"}
		if err != nil {
			f.Messages, f.Problem = 0, err.Error()
		}
		out.List = append(out.List, f)
	}
	return out, nil
}
