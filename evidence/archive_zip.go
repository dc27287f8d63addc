package evidence

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"os"
)

// zipDirectory is the largest directory of a zip that is read: all of it is held in memory at once.
const zipDirectory = 64 << 20

// walkZip takes every member of a zip.
func (u *unpacking) walkZip(ctx context.Context, f *os.File, size int64) error {
	if n := zipDirectorySize(f, size); n > zipDirectory {
		return errors.New("its directory is too large")
	}
	r, err := zip.NewReader(f, size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return err
	}
	u.packed = func() int64 { return size }
	for _, m := range r.File {
		if m.Flags&1 != 0 {
			return errors.New("it is encrypted")
		}
		if m.UncompressedSize64 > uint64(u.caps.bytes) {
			return errors.New("it names an impossible size")
		}
		err := u.take(ctx, member{
			name: m.Name, size: int64(m.UncompressedSize64), modified: m.Modified, mode: m.Mode(),
			open: func() (io.ReadCloser, error) { return m.Open() },
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// zipDirectorySize gives the length of a zip's directory as its end record says (APPNOTE 4.3.14 to 4.3.16); 0
// where none is found, which package zip refuses.
func zipDirectorySize(f *os.File, size int64) uint64 {
	const endLen, locatorLen, recordLen = 22, 20, 56
	tail := make([]byte, min(size, 1<<16+endLen+locatorLen))
	if _, err := f.ReadAt(tail, size-int64(len(tail))); err != nil {
		return 0
	}
	at := bytes.LastIndex(tail, []byte("PK\x05\x06"))
	if at < 0 || len(tail)-at < endLen {
		return 0
	}
	n := uint64(binary.LittleEndian.Uint32(tail[at+12:]))
	if at < locatorLen || !bytes.HasPrefix(tail[at-locatorLen:], []byte("PK\x06\x07")) {
		return n
	}
	record := make([]byte, recordLen)
	offset := binary.LittleEndian.Uint64(tail[at-locatorLen+8:])
	if offset > uint64(size) {
		return n
	}
	if _, err := f.ReadAt(record, int64(offset)); err != nil || !bytes.HasPrefix(record, []byte("PK\x06\x06")) {
		return n
	}
	return binary.LittleEndian.Uint64(record[40:])
}
