package corpus

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// edit is one change of a finished file.
type edit struct {
	line     int
	verb     string
	path, to string // slash paths below the case's folder
	offset   int64
	length   int64
	old, new []byte
}

// edits reads a damage section.
func edits(text string) ([]edit, error) {
	var list []edit
	for i, line := range strings.Split(text, "\n") {
		words := strings.Fields(line)
		if len(words) == 0 || words[0][0] == '#' {
			continue
		}
		e, err := readEdit(words)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		e.line = i + 1
		list = append(list, e)
	}
	return list, nil
}

func readEdit(words []string) (edit, error) {
	arguments := map[string]int{"edit": 4, "zero": 3, "truncate": 2, "copy": 2, "remove": 1}
	n, known := arguments[words[0]]
	if !known {
		return edit{}, fmt.Errorf("unknown edit %q", words[0])
	}
	if len(words) != n+1 {
		return edit{}, fmt.Errorf("%s has %d words behind it, want %d", words[0], len(words)-1, n)
	}
	e := edit{verb: words[0], path: words[1]}
	var err error
	number := func(word string) int64 {
		v, bad := strconv.ParseInt(word, 0, 64)
		if bad != nil || v < 0 || v > 1<<30 {
			err = fmt.Errorf("%q is no offset or length", word)
		}
		return v
	}
	decode := func(word string) []byte {
		data, bad := hex.DecodeString(word)
		if bad != nil {
			err = fmt.Errorf("bytes %q: %w", word, bad)
		}
		return data
	}
	switch e.verb {
	case "edit":
		e.offset, e.old, e.new = number(words[2]), decode(words[3]), decode(words[4])
		if len(e.old) != len(e.new) {
			err = fmt.Errorf("old and new bytes differ in length")
		}
	case "zero":
		e.offset, e.length = number(words[2]), number(words[3])
	case "truncate":
		e.length = number(words[2])
	case "copy":
		e.to = words[2]
	}
	for _, p := range []string{e.path, e.to} {
		if p != "" && !local(p) {
			return edit{}, fmt.Errorf("%q is no path below the home", p)
		}
	}
	return e, err
}

// apply changes the files below dir.
func (e edit) apply(dir string) error {
	path := filepath.Join(dir, filepath.FromSlash(e.path))
	if strings.Contains(e.path, "*") {
		found, err := filepath.Glob(path)
		if err != nil || len(found) != 1 {
			return fmt.Errorf("damage line %d: %d files are called %s, want one", e.line, len(found), e.path)
		}
		path = found[0]
	}
	if err := e.change(dir, path); err != nil {
		return fmt.Errorf("damage line %d: %s %s: %w", e.line, e.verb, e.path, err)
	}
	return nil
}

func (e edit) change(dir, path string) error {
	switch e.verb {
	case "remove":
		if _, err := os.Lstat(path); err != nil {
			return err
		}
		return os.RemoveAll(path)
	case "truncate":
		return os.Truncate(path, e.length)
	case "copy":
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return writeNew(filepath.Join(dir, filepath.FromSlash(e.to)), data)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	written := e.new
	if e.verb == "zero" {
		written = make([]byte, e.length)
	}
	old := make([]byte, len(written))
	if _, err := io.ReadFull(io.NewSectionReader(f, e.offset, int64(len(old))), old); err != nil {
		return fmt.Errorf("read at %d: %w", e.offset, err)
	}
	if e.verb == "edit" && !bytes.Equal(old, e.old) {
		return fmt.Errorf("bytes at %d are %x, not %x", e.offset, old, e.old)
	}
	if _, err := f.WriteAt(written, e.offset); err != nil {
		return err
	}
	return f.Close()
}

// writeNew makes a file that must not exist, and the folders above it, with modes that no umask changes.
func writeNew(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if _, err := f.Write(data); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
