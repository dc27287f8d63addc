package gitro

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"slices"
)

// loose lists the objects that have a file of their own.
type loose struct {
	dir   *Folder // objects; nil when there is none
	hash  int
	names []byte // raw ids, sorted
	fan   [257]int
	base  Number // of its first object
}

func (l *loose) count() int { return len(l.names) / max(l.hash, 1) }

func (l *loose) name(at int) []byte { return l.names[at*l.hash : (at+1)*l.hash] }

// find gives the place of an id; -1 when it is not there.
func (l *loose) find(id []byte) int {
	lo, hi := l.fan[id[0]], l.fan[int(id[0])+1]
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		switch c := bytes.Compare(l.name(mid), id); {
		case c == 0:
			return mid
		case c < 0:
			lo = mid + 1
		default:
			hi = mid
		}
	}
	return -1
}

// looseFiles is what one fan-out folder holds.
type looseFiles struct {
	objects []DirEntry // regular files whose names are hex of one of the two lengths
	others  []DirEntry
}

// listFan reads one of the 256 folders; a missing one is empty.
func listFan(objects *Folder, fan string, limit int) (looseFiles, error) {
	var files looseFiles
	dir, err := objects.Sub(fan)
	if err != nil {
		if missing(err) {
			err = nil
		}
		return files, err
	}
	defer func() { _ = dir.Close() }() // opened for reading
	entries, err := dir.List(limit)
	if err != nil {
		return files, err
	}
	files.objects = slices.DeleteFunc(entries, func(e DirEntry) bool {
		ok := e.Mode.IsRegular() && (len(e.Name) == 38 || len(e.Name) == 62) && lowerHex(e.Name)
		if !ok {
			files.others = append(files.others, e)
		}
		return !ok
	})
	return files, nil
}

func lowerHex(s string) bool {
	for _, c := range []byte(s) {
		if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'f') {
			return false
		}
	}
	return true
}

// openLoose lists all loose objects. Files in the fan-out folders that are no objects are given as leftovers or
// problems.
func (r *Repo) openLoose(fans [256]looseFiles) {
	l := r.loose
	l.hash = r.format.Size()
	total := 0
	for _, f := range fans {
		total += len(f.objects)
	}
	l.names = make([]byte, 0, total*l.hash)
	raw := make([]byte, l.hash)
	for i, f := range fans {
		l.fan[i] = l.count()
		raw[0] = byte(i)
		for _, e := range f.objects {
			if len(e.Name) != 2*(l.hash-1) {
				r.problem(fmt.Sprintf("objects/%02x/%s", i, e.Name), FaultCorrupt, "the name has the length of another hash")
				continue
			}
			if _, err := hex.Decode(raw[1:], []byte(e.Name)); err == nil {
				l.names = append(l.names, raw...)
			}
		}
	}
	l.fan[256] = l.count()
}

// looseName is the file of a loose object below the git directory.
func looseName(id []byte) string {
	return "objects/" + hex.EncodeToString(id[:1]) + "/" + hex.EncodeToString(id[1:])
}

// looseHead parses "tree 123\0" and gives where the content begins; ok is false while more bytes may help.
func looseHead(b []byte) (kind Kind, size int64, head int, ok bool, err error) {
	end := bytes.IndexByte(b[:min(len(b), 32)], 0)
	if end < 0 {
		if len(b) < 32 {
			return 0, 0, 0, false, nil
		}
		return 0, 0, 0, false, corrupt("the head of a loose object is damaged")
	}
	word, digits, found := bytes.Cut(b[:end], []byte(" "))
	kind = kindNamed(word)
	if !found || kind == 0 || len(digits) == 0 || len(digits) > 18 || len(digits) > 1 && digits[0] == '0' {
		return 0, 0, 0, false, corrupt("the head of a loose object is damaged: %q", b[:end])
	}
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, 0, 0, false, corrupt("the head of a loose object is damaged: %q", b[:end])
		}
		size = size*10 + int64(c-'0')
	}
	return kind, size, end + 1, true, nil
}
