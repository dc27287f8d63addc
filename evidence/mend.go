package evidence

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/seed-4d3eb737/hermes-doctor/evidence/internal/pages"
	"github.com/seed-4d3eb737/hermes-doctor/evidence/internal/sqlitero"
)

// HeaderField is a part of the first 100 bytes that is not what the rest of the file needs it to be.
type HeaderField struct {
	Name      string
	Offset    int
	Saw, Want string // hexadecimal
}

// HeaderDamage says that a file is a database whose header is not one.
type HeaderDamage struct {
	Input  *InputError
	Fields []HeaderField // what was put right on a private copy; nil where nothing helped
	Looks  string        // what the bytes in the place of the header look like; "" = nothing that is known
	// PageSize is that of the pages behind the first; 0 = none was found.
	PageSize int
	Mended   bool // the store shows the rows of the private copy
}

// ViewMended is the view of a private copy whose header was put right.
const ViewMended = "mended-header"

// headerLength is that of SQLite's header; file format, section 1.3.
const headerLength = 100

// headerField is a part of the header and how it is put right.
type headerField struct {
	name         string
	offset, size int
}

// mend opens a private copy of a file whose header is damaged, with a header that fits the pages behind it. The proof is
// that SQLite reads the list of tables with it and can count sessions and messages. It gives false where no header helps.
func (b *Bundle) mend(ctx context.Context, s *source, store *Store, why *InputError) (bool, error) {
	f, info, err := openRegular(s.real)
	if err != nil {
		return false, unreachable(s.path, err)
	}
	defer func() { _ = f.Close() }() // opened for reading
	head := readHead(f)
	d := &HeaderDamage{Input: why, Looks: looksLike(head), PageSize: pageSizeOf(f, info.Size(), sampledPages, enoughTrees)}
	store.Header = d
	if d.PageSize == 0 || len(head) < headerLength {
		return false, nil
	}
	wal := false
	for _, sc := range sidecars() {
		if _, err := os.Lstat(s.real + sc.suffix); err == nil && sc.role != RoleJournal {
			wal = true
		}
	}
	var path string
	for _, header := range headers(head[:headerLength], d.PageSize, info.Size(), wal) {
		if path == "" {
			if path, err = b.stage(ctx, s, f, sizes{main: info.Size()}); err != nil {
				return false, err
			}
		}
		if err := overwrite(path, header); err != nil {
			return false, fmt.Errorf("mend private copy: %w", bare(err))
		}
		conn, err := sqlitero.Open(path)
		if err != nil {
			continue
		}
		trial := &Store{Name: store.Name, Profile: store.Profile, Home: store.Home, Notes: slices.Clone(store.Notes)}
		err = trial.adopt(ctx, conn, s)
		var shown View
		if err == nil {
			shown = look(ctx, ViewMended, conn, nil)
			err = shown.Err
		}
		if err != nil {
			if trial.DB != nil {
				_ = trial.DB.close() // opened for reading
			}
			if ctx.Err() != nil {
				return false, ctx.Err()
			}
			continue
		}
		d.Mended, d.Fields = true, differing(head[:headerLength], header)
		store.DB, store.PageSize, store.Pages, store.Notes = trial.DB, trial.PageSize, trial.Pages, trial.Notes
		store.JournalMode = parseHeader(header).journalMode
		store.View = ViewMended
		store.Views = []View{look(ctx, ViewMain, nil, errors.New(why.Reason)), shown}
		store.Notes = append(store.Notes, fmt.Sprintf("%s; what is told here was read from a private copy with a header that fits the pages behind it", why.Reason))
		return true, nil
	}
	return false, nil
}

// overwrite puts a header into a private copy.
func overwrite(path string, header []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(header, 0)
	return errors.Join(err, f.Close())
}

// headers lists what the header may have been, the one that changes least first.
func headers(head []byte, pageSize int, size int64, wal bool) [][]byte {
	least := slices.Clone(head)
	copy(least, magic)
	binary.BigEndian.PutUint16(least[16:], uint16(pageSize&0xffff|pageSize>>16)) // 65536 is spelled 1
	for _, at := range []int{18, 19} {
		if least[at] != 1 && least[at] != 2 {
			least[at] = 1
			if wal {
				least[at] = 2
			}
		}
	}
	copy(least[21:24], []byte{64, 32, 32})
	u32 := func(b []byte, at int) uint32 { return binary.BigEndian.Uint32(b[at:]) }
	put := func(b []byte, at int, n uint32) { binary.BigEndian.PutUint32(b[at:], n) }
	if pageSize-int(least[20]) < 480 {
		least[20] = 0
	}
	there := uint32(min(size/int64(pageSize), 1<<32-2))
	put(least, 28, there)
	put(least, 24, u32(least, 92))
	for _, at := range []int{32, 36} {
		if u32(least, at) > there {
			put(least, 32, 0)
			put(least, 36, 0)
		}
	}
	if n := u32(least, 44); n < 1 || n > 4 {
		put(least, 44, 4)
	}
	if n := u32(least, 52); n > there {
		put(least, 52, 0)
		put(least, 64, 0)
	}
	if n := u32(least, 56); n < 1 || n > 3 {
		put(least, 56, 1)
	}
	plain := slices.Clone(least)
	plain[20] = 0
	clear(plain[32:40])
	clear(plain[48:56])
	clear(plain[60:68])
	clear(plain[72:92])
	put(plain, 44, 4)
	put(plain, 56, 1)
	out := [][]byte{least}
	if least[20] != 0 {
		// No build of the product reserves bytes, so that what stands here is damage rather than a setting.
		unreserved := slices.Clone(least)
		unreserved[20] = 0
		out = [][]byte{unreserved, least}
	}
	return append(out, plain)
}

// differing lists the fields in which two headers differ.
func differing(old, mended []byte) []HeaderField {
	var out []HeaderField
	for _, f := range []headerField{{"magic", 0, 16}, {"page size", 16, 2}, {"write version", 18, 1}, {"read version", 19, 1}, {"reserved bytes", 20, 1},
		{"payload fractions", 21, 3}, {"change counter", 24, 4}, {"number of pages", 28, 4}, {"first free page", 32, 4}, {"number of free pages", 36, 4},
		{"schema format", 44, 4}, {"cache size", 48, 4}, {"largest root page", 52, 4}, {"text encoding", 56, 4}, {"user version", 60, 4},
		{"incremental vacuum", 64, 4}, {"unused bytes", 72, 20}} {
		a, b := old[f.offset:f.offset+f.size], mended[f.offset:f.offset+f.size]
		if !bytes.Equal(a, b) {
			out = append(out, HeaderField{f.name, f.offset, hex.EncodeToString(a), hex.EncodeToString(b)})
		}
	}
	return out
}

// looksLike names what stands in the place of a header; "" = nothing that is known.
func looksLike(head []byte) string {
	for at := 0; at+5 <= min(len(head), headerLength); at++ {
		// A TLS record: its kind, version 3.x, and a length that a record may have.
		if kind := head[at]; kind >= 20 && kind <= 23 && head[at+1] == 3 && head[at+2] <= 4 && binary.BigEndian.Uint16(head[at+3:]) <= 1<<14+256 && head[at+3:][0]|head[at+4] != 0 {
			return fmt.Sprintf("a TLS record at offset %d: a program wrote to a network connection, and the file had taken its place", at)
		}
	}
	switch n := min(len(head), headerLength); {
	case n > 0 && len(bytes.TrimLeft(head[:n], "\x00")) == 0:
		return "NUL bytes"
	case n > 0 && (head[0] == 13 || head[0] == 5 || head[0] == 10 || head[0] == 2) && pages.LooksLikeTree(head, len(head)):
		return "another page of a database"
	case n > 8 && bytes.Equal(head[:4], []byte{0x37, 0x7f, 0x06, 0x82}), n > 8 && bytes.Equal(head[:4], []byte{0x37, 0x7f, 0x06, 0x83}):
		return "the beginning of a -wal"
	case n > 8 && printable(head[:n]):
		return "text"
	}
	return ""
}

func printable(b []byte) bool {
	for _, c := range b {
		if (c < ' ' || c > '~') && c != '\n' && c != '\t' && c != '\r' {
			return false
		}
	}
	return true
}

// The sample of pages that tells the page size, and the share of it that must look like pages of trees.
const (
	sampledPages = 128
	enoughTrees  = 0.3
)

// pageSizeOf finds the page size of a database without its header: under the right one most pages begin as pages of trees
// do. Under one that is too small every second page, or fewer, lies inside another; under one that is too large all
// pages that are looked at still begin right, so that the smallest of those that fit is the right one. About sample
// pages are looked at, of which the share least must look like pages of trees; where that is 0, one is enough. 0 = none fits.
func pageSizeOf(f io.ReaderAt, size int64, sample int64, least float64) int {
	type candidate struct {
		size  int
		share float64
	}
	var fits []candidate
	best := 0.0
	for ps := 512; ps <= 65536; ps *= 2 {
		n := size/int64(ps) - 1 // the first page is the one in doubt
		if n < 1 {
			break
		}
		seen, good := 0, 0
		buf := make([]byte, ps)
		step := max(n/sample, 1)
		for k := int64(1); k <= n; k += step {
			if _, err := f.ReadAt(buf, k*int64(ps)); err != nil {
				break
			}
			seen++
			if pages.LooksLikeTree(buf, ps) {
				good++
			}
		}
		if seen == 0 {
			continue
		}
		share := float64(good) / float64(seen)
		best = max(best, share)
		fits = append(fits, candidate{ps, share})
	}
	for _, c := range fits {
		if c.share > 0 && c.share >= least && c.share >= 0.75*best {
			return c.size
		}
	}
	return 0
}
