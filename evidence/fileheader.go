package evidence

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/seed-4d3eb737/hermes-doctor/evidence/internal/pages"
)

// FileField is one number of a file's header, at its offset in bytes.
type FileField struct {
	At    int
	Name  string
	Value uint32
}

// FileHeader gives the fields of the first 100 bytes that people who mend databases ask for (file format, section 1.3), as
// they stand in the main file, whatever a -wal says. A file that does not begin as a database does is an error.
func (store *Store) FileHeader() ([]FileField, error) {
	b := make([]byte, 100)
	if err := store.head("", b); err != nil {
		return nil, err
	}
	h, err := pages.ParseHeader(b)
	if err != nil {
		return nil, fmt.Errorf("read the header of %q: %w", store.Name, err)
	}
	return []FileField{
		{16, "page size", uint32(h.PageSize)}, {18, "write version", uint32(h.WriteVersion)}, {19, "read version", uint32(h.ReadVersion)},
		{24, "change counter", h.ChangeCounter}, {28, "pages", h.PageCount}, {36, "free pages", h.FreelistCount}, {68, "application id", h.ApplicationID},
		{92, "version valid for", h.VersionValid}, {96, "SQLite version", h.LibraryVersion},
	}, nil
}

// WALHeader gives the fields of the first 32 bytes of the -wal beside the file (file format, section 4.1); nil where there
// is none, or where it is shorter.
func (store *Store) WALHeader() ([]FileField, error) {
	b := make([]byte, 32)
	switch err := store.head("-wal", b); {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, err
	}
	var out []FileField
	for i, name := range []string{"magic", "format", "page size", "sequence", "salt-1", "salt-2", "checksum-1", "checksum-2"} {
		out = append(out, FileField{4 * i, name, binary.BigEndian.Uint32(b[4*i:])})
	}
	return out, nil
}

// head reads the beginning of the main file or of one beside it.
func (store *Store) head(suffix string, b []byte) error {
	f, _, err := openRegular(store.real + suffix)
	if err != nil {
		return fmt.Errorf("read the header of %q: %w", store.Name+suffix, bare(err))
	}
	defer func() { _ = f.Close() }() // opened for reading
	if _, err := f.ReadAt(b, 0); err != nil {
		return fmt.Errorf("read the header of %q: %w", store.Name+suffix, bare(err))
	}
	return nil
}
