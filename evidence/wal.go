package evidence

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
)

// sidecarView names the view that the sidecars make of the file, and notes a -wal that adds nothing to it because
// SQLite ignores it. With ViewMain the file alone is what SQLite shows too.
func (store *Store) sidecarView(s *source, h header, set sizes) (string, error) {
	name := ViewMain
	if set.wal > 0 {
		f, _, err := openRegular(s.real + "-wal")
		if err != nil {
			return "", unreachable(s.path+"-wal", err)
		}
		problem := checkWAL(f, h.pageSize)
		_ = f.Close() // opened for reading
		if problem == "" {
			name = ViewWAL
		} else {
			store.Notes = append(store.Notes, fmt.Sprintf("the -wal of %d bytes is not used: %s", set.wal, problem))
		}
	}
	if set.journal > 0 {
		hot, err := hotJournal(s.real + "-journal")
		if err != nil {
			return "", unreachable(s.path+"-journal", err)
		}
		if hot {
			name = ViewJournal
			store.Notes = append(store.Notes, "a transaction was under way when this file was copied; it was rolled back on a private copy")
		}
	}
	return name, nil
}

// hotJournal says whether a rollback journal begins with its magic; SQLite clears that when a transaction ends.
func hotJournal(path string) (bool, error) {
	f, _, err := openRegular(path)
	if err != nil {
		return false, err
	}
	defer func() { _ = f.Close() }() // opened for reading
	head := make([]byte, 8)
	n, _ := f.ReadAt(head, 0) // a short one is not hot
	return bytes.Equal(head[:n], []byte{0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7}), nil
}

// checkWAL says why SQLite takes nothing from a -wal; "" when there is at least one committed transaction in it.
// File format, section 4: a frame counts when its salts are the header's and its checksum continues the chain,
// and only up to the last frame that commits.
func checkWAL(f *os.File, pageSize int) (problem string) {
	r := bufio.NewReaderSize(f, 1<<16)
	head := make([]byte, 32)
	if _, err := io.ReadFull(r, head); err != nil {
		return "it is shorter than its header"
	}
	var order binary.ByteOrder = binary.LittleEndian
	switch binary.BigEndian.Uint32(head) {
	case 0x377f0682:
	case 0x377f0683:
		order = binary.BigEndian
	default:
		return "it does not begin as a -wal does"
	}
	size := int(binary.BigEndian.Uint32(head[8:]))
	if size < 512 || size > 65536 || size&(size-1) != 0 {
		return fmt.Sprintf("its header names a page size of %d", size)
	}
	sum := walChecksum(order, [2]uint32{}, head[:24])
	if sum != [2]uint32{binary.BigEndian.Uint32(head[24:]), binary.BigEndian.Uint32(head[28:])} {
		return "the checksum of its header is wrong"
	}
	if pageSize > 0 && size != pageSize {
		return fmt.Sprintf("its pages are of %d bytes, those of the file of %d: it belongs to another file", size, pageSize)
	}
	frame := make([]byte, 24+size)
	for n := 0; ; n++ {
		if _, err := io.ReadFull(r, frame); err != nil {
			return walEnd(n, "it ends before a transaction is committed")
		}
		if !bytes.Equal(frame[8:16], head[16:24]) {
			return walEnd(n, "the salts of its frames are not those of its header")
		}
		sum = walChecksum(order, sum, frame[:8])
		sum = walChecksum(order, sum, frame[24:])
		if sum != [2]uint32{binary.BigEndian.Uint32(frame[16:]), binary.BigEndian.Uint32(frame[20:])} {
			return walEnd(n, "the checksum of its frames is wrong")
		}
		if binary.BigEndian.Uint32(frame[4:]) > 0 { // the size of the database after a commit
			return ""
		}
	}
}

// walEnd tells why the chain ended before the first commit, after n good frames.
func walEnd(n int, why string) string {
	if n == 0 {
		return why
	}
	return fmt.Sprintf("after %d frames of a transaction that was never committed, %s", n, why)
}

// walChecksum continues a checksum over data, whose length is a multiple of 8.
func walChecksum(order binary.ByteOrder, sum [2]uint32, data []byte) [2]uint32 {
	for ; len(data) >= 8; data = data[8:] {
		sum[0] += order.Uint32(data) + sum[1]
		sum[1] += order.Uint32(data[4:]) + sum[0]
	}
	return sum
}
