package evidence

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
)

// header is what the first page says, read without SQLite.
type header struct {
	magic       bool   // it begins as every SQLite 3 file does
	journalMode string // "wal" or "delete"
	pageSize    int    // 0 = not a legal one
	pages       int64  // how many the file should have; 0 = it does not say
	writer      int    // the SQLite that wrote last, as SQLITE_VERSION_NUMBER
}

// magic is how a SQLite 3 file begins; file format, section 1.3.1.
const magic = "SQLite format 3\x00"

// headSize is how much of a file is looked at to tell what it is: the smallest that makes entropy telling.
const headSize = 4096

// readHead gives the first bytes of a file.
func readHead(f *os.File) []byte {
	head := make([]byte, headSize)
	n, _ := f.ReadAt(head, 0) // a file that cannot be read looks empty and SQLite says why
	return head[:n]
}

// parseHeader reads the fields that are needed before SQLite is asked; file format, section 1.3.
func parseHeader(head []byte) header {
	h := header{journalMode: "delete"}
	if len(head) < 100 {
		return h
	}
	h.magic = string(head[:16]) == magic
	if head[18] == 2 || head[19] == 2 {
		h.journalMode = "wal"
	}
	h.writer = int(binary.BigEndian.Uint32(head[96:]))
	size := int(binary.BigEndian.Uint16(head[16:]))
	if size == 1 {
		size = 65536
	}
	if size >= 512 && size&(size-1) == 0 {
		h.pageSize = size
	}
	// The count is only valid when it was written with the last change.
	if bytes.Equal(head[24:28], head[92:96]) {
		h.pages = int64(binary.BigEndian.Uint32(head[28:]))
	}
	return h
}

// refuse says why a file that does not begin as SQLite's files do is no database, as far as its beginning tells.
// It gives nil when the beginning is good.
func refuse(path string, head []byte, size int64) *InputError {
	switch zeros := len(head) - len(bytes.TrimLeft(head, "\x00")); {
	case size == 0:
		return &InputError{Path: path, Fault: FaultEmpty, Reason: "is empty (0 bytes)", Next: restore}
	case zeros >= min(100, len(head)):
		return &InputError{Path: path, Fault: FaultZeroed, Reason: fmt.Sprintf("looks zeroed: the header is NUL bytes and the file has %d bytes (hermes-agent #68474)", size), Next: restore}
	case parseHeader(head).magic:
		return nil
	case bytes.HasPrefix(head, []byte(magic)), bytes.HasPrefix([]byte(magic), head):
		return &InputError{Path: path, Fault: FaultHeader, Reason: fmt.Sprintf("is cut off inside its header (%d bytes)", size), Next: restore}
	case len(head) >= 100 && bytes.Equal(head[21:24], []byte{64, 32, 32}):
		// Payload fractions that only SQLite's header has, at their place.
		return &InputError{Path: path, Fault: FaultHeader, Reason: "looks like a SQLite database whose first bytes were overwritten", Next: restore}
	}
	for _, p := range packed() {
		if bytes.HasPrefix(head, []byte(p.magic)) {
			return &InputError{Path: path, Reason: "is a " + p.name + " archive, which is not read here", Next: "unpack it and name the folder, or pack it as zip or tar.gz"}
		}
	}
	if len(head) >= 1024 && entropy(head) > 7.5 {
		return &InputError{Path: path, Reason: "is not a SQLite database: its beginning looks random, so it is encrypted or compressed", Next: "decrypt or unpack it first, and name the result", strange: true}
	}
	return &InputError{Path: path, Reason: "is not a SQLite database", Next: "name a state.db, a Hermes home folder, or a zip or tar.gz of one", strange: true}
}

// restore is the next step for a database of which nothing is left.
const restore = "keep this file; restore from the newest state-snapshots/*/state.db or *.bak beside it, and examine that"

type packing struct{ magic, name string }

// packed names archives that people send and that are not read.
func packed() []packing {
	return []packing{{"\xfd7zXZ\x00", "xz"}, {"\x28\xb5\x2f\xfd", "zstd"}, {"BZh", "bzip2"}, {"7z\xbc\xaf\x27\x1c", "7z"}, {"Rar!", "rar"}}
}

// entropy in bits a byte; 4096 random bytes have about 7.95.
func entropy(b []byte) float64 {
	var counts [256]int
	for _, c := range b {
		counts[c]++
	}
	var sum float64
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(b))
			sum -= p * math.Log2(p)
		}
	}
	return sum
}
