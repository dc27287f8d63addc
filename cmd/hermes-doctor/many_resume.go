package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync/atomic"
	"syscall"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/report"
)

// earlier is the output of an earlier run. It is only read: a file is never changed, and what a run takes over is
// written anew, so that the result is the same as that of a run which was never interrupted.
type earlier struct {
	file  *os.File // nil = there was none
	at    map[string]place
	count atomic.Int64
}

// place is where a line lies in the file.
type place struct{ offset, length int64 }

// seenLine is what is asked of an earlier line. Report is that of the document that its inputs are in.
type seenLine struct {
	N       int    `json:"n"`
	Path    string `json:"path"`
	PathB64 string `json:"path_b64"`
	Options string `json:"options"`
	Report  *struct {
		Unchanged bool           `json:"inputs_unchanged"`
		Inputs    []report.Input `json:"inputs"`
	} `json:"report"`
}

func (l *seenLine) key() string { return l.Path + "\x00" + l.PathB64 }

// readEarlier notes where the lines with the same options are; name "" = there is no earlier run. Lines without a report
// are left out, so that what failed is tried again. A last line that is cut short is one that was being written when that run ended.
func readEarlier(name, options string) (_ *earlier, err error) {
	e := &earlier{at: map[string]place{}}
	if name == "" {
		return e, nil
	}
	refuse := func(why any) error {
		return usageError{what: fmt.Sprintf("--resume %q: %v", name, why), try: "the file that an earlier scan --from-file --format jsonl wrote"}
	}
	if e.file, err = os.Open(name); err != nil {
		return nil, refuse(reason(err))
	}
	r := bufio.NewReaderSize(e.file, 1<<16)
	for offset := int64(0); ; {
		text, err := r.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return e, nil
		}
		var l seenLine
		if err == nil {
			err = json.Unmarshal(text, &l)
		}
		if err == nil && l.N < 1 {
			err = errors.New("a line is of no scan of a list")
		}
		if err != nil {
			e.close()
			return nil, refuse(err)
		}
		if l.Report != nil && l.Options == options {
			e.at[l.key()] = place{offset, int64(len(text))}
		}
		offset += int64(len(text))
	}
}

func (e *earlier) close() {
	if e != nil && e.file != nil {
		_ = e.file.Close() // opened for reading
	}
}

func (e *earlier) taken() int64 { return e.count.Load() }

// line gives the earlier line of an entry, if its files have the size and time of change that they had then. blank is the
// line as it would begin today. It may be called from several goroutines.
func (e *earlier) line(now entry, blank report.StoreLine) (report.StoreLine, bool) {
	at, ok := e.at[blank.Path+"\x00"+blank.PathB64]
	if !ok {
		return blank, false
	}
	text := make([]byte, at.length)
	if _, err := e.file.ReadAt(text, at.offset); err != nil {
		return blank, false
	}
	var seen seenLine
	line := blank
	if json.Unmarshal(text, &seen) != nil || json.Unmarshal(text, &line) != nil || !seen.Report.Unchanged || !stands(seen.Report.Inputs) {
		return blank, false
	}
	line.N, line.Schema, line.Report = now.n, blank.Schema, bytes.Clone(line.Report)
	e.count.Add(1)
	return line, true
}

// stands says that what was read is still there as it was, and that no sidecar has come to a database since.
func stands(inputs []report.Input) bool {
	there := map[string]bool{}
	for _, in := range inputs {
		there[in.Path] = true
	}
	archived := false
	for _, in := range inputs {
		archived = archived || in.Role == string(evidence.RoleArchive)
	}
	for _, in := range inputs {
		switch role := evidence.Role(in.Role); {
		case in.PathB64 != "" || in.Modified == nil || role == evidence.RoleCheckpoints:
			return false // nothing to compare with: look again
		case archived && role != evidence.RoleArchive:
			continue // in the archive, which is compared
		case !asItWas(in):
			return false
		case role == evidence.RoleDatabase:
			for _, end := range []string{"-wal", "-journal"} {
				if _, err := os.Lstat(in.Path + end); !there[in.Path+end] && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
					return false
				}
			}
		}
	}
	return len(inputs) > 0
}

func asItWas(in report.Input) bool {
	info, err := os.Stat(in.Path)
	return err == nil && info.Size() == in.Bytes && float64(info.ModTime().UnixMicro())/1e6 == *in.Modified
}
