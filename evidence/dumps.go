package evidence

import (
	"context"
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence/internal/witness"
)

// Dump is what a request dump says about the chat that its session served. What it does not say is "".
type Dump struct {
	Session  string
	Platform string // as in session keys
	Kind     string // "dm", "group", "channel"
	Name     string // of the chat, or of the other person where Kind is "dm"; an id where there is no name
	Thread   string
	User     string
	UserID   string
	Label    string // how the product names the chat of origin
	At       Ref
	How      string
}

// Dumps is what the request dumps of some sessions say.
type Dumps struct {
	List    []Dump
	Notes   []string
	Limited bool // a bound was reached, or a file could not be read
}

// dumpName is how the product names a request dump: the session's id, then the moment.
var dumpName = regexp.MustCompile(`^request_dump_(.+)_\d{8}_\d{6}_\d+\.json$`)

// ReadDumps reads the request dumps in dir, the sessions folder, of the sessions that want names, newest first. Only a
// cancelled ctx is an error.
func (h *Home) ReadDumps(ctx context.Context, dir string, want func(session string) bool) (*Dumps, error) {
	out := &Dumps{}
	names, passed, err := h.names(dir, func(name string) bool {
		m := dumpName.FindStringSubmatch(name)
		return m != nil && want(m[1])
	})
	if err != nil {
		out.Limited, out.Notes = true, []string{err.Error()}
		return out, nil
	}
	out.Limited, out.Notes = len(passed) > 0, h.notes(dir, passed)
	if most := h.bundle.bounds.DumpFiles; len(names) > most {
		out.Limited = true
		out.Notes = append(out.Notes, fmt.Sprintf("%s: %d of %d request dumps were read", h.Path(dir), most, len(names)))
		names = names[len(names)-most:]
	}
	left := h.bundle.bounds.DumpBytes
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		rel := path.Join(dir, name)
		text, err := h.Read(rel, RoleDump, min(left, witness.DumpLimit))
		if err != nil {
			out.Limited = true
			out.Notes = append(out.Notes, fmt.Sprintf("%s is not read: %v", h.Path(rel), err))
			continue
		}
		left -= int64(len(text))
		d, err := witness.ParseDump(text)
		if err == nil && d.Session != dumpName.FindStringSubmatch(name)[1] {
			err = fmt.Errorf("its name and its session_id %q differ", d.Session)
		}
		if err != nil {
			out.Notes = append(out.Notes, fmt.Sprintf("%s tells nothing: %v", h.Path(rel), err))
			continue
		}
		out.List = append(out.List, Dump{
			Session: d.Session, Platform: d.Platform, Kind: d.Kind, Name: d.Name, Thread: d.Thread, User: d.User, UserID: d.UserID, Label: d.Label,
			At:  Ref{Path: h.Path(rel), Line: d.Line},
			How: `grep -o '## Current Session Context.\{0,400\}' ` + ShellQuote(h.Path(rel)),
		})
	}
	return out, nil
}

// Spooled is a message that waits in a file because it could not be written to the database. Its text is not kept.
type Spooled struct {
	Session string // "" where the file names only a key
	Key     string // "" where the file names only a session
	Reason  string
	When    float64 // epoch seconds; 0 = the file does not say
	Problem string  // why the file tells nothing; "" = it does
	At      Ref
}

// Spool lists the messages in pending_messages, by the names of their files; limited says that a bound was reached or a
// file could not be read. Only a cancelled ctx is an error.
func (h *Home) Spool(ctx context.Context) (list []Spooled, limited bool, err error) {
	const dir = "pending_messages"
	names, passed, err := h.names(dir, func(name string) bool { return strings.HasSuffix(name, ".json") })
	if err != nil {
		return nil, true, nil
	}
	limited = len(passed) > 0
	for _, u := range passed {
		list = append(list, Spooled{At: Ref{Path: h.Path(path.Join(dir, u.name))}, Problem: u.why})
	}
	if most := h.bundle.bounds.SpoolFiles; len(names) > most {
		names, limited = names[:most], true
	}
	left := h.bundle.bounds.SpoolBytes
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
		rel := path.Join(dir, name)
		s := Spooled{At: Ref{Path: h.Path(rel)}}
		text, err := h.Read(rel, RoleSpool, min(left, witness.SpoolLimit))
		if err != nil {
			limited = true
			s.Problem = err.Error()
			list = append(list, s)
			continue
		}
		left -= int64(len(text))
		m, err := witness.ParseSpooled(text)
		s.Session, s.Key, s.Reason, s.When = m.Session, m.Key, m.Reason, m.At
		if err != nil {
			s.Problem = err.Error()
		}
		list = append(list, s)
	}
	return list, limited, nil
}
