package evidence

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A bomb is small and unpacks to much; the caps are made small here instead.
func TestArchiveCaps(t *testing.T) {
	t.Parallel()
	zeros := make([]byte, 1<<20)
	var zipped, tarred bytes.Buffer
	zw := zip.NewWriter(&zipped)
	gw := gzip.NewWriter(&tarred)
	tw := tar.NewWriter(gw)
	for _, name := range []string{"readme", "profiles/a/state.db", "profiles/b/state.db"} {
		f, err := zw.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		_, err = f.Write(zeros)
		err = errors.Join(err, tw.WriteHeader(&tar.Header{Name: name, Typeflag: tar.TypeReg, Size: int64(len(zeros)), Mode: 0o644}))
		if _, werr := tw.Write(zeros); err != nil || werr != nil {
			t.Fatal(err, werr)
		}
	}
	if err := errors.Join(zw.Close(), tw.Close(), gw.Close()); err != nil {
		t.Fatal(err)
	}
	roomy := ordinaryCaps()
	tests := []struct {
		name string
		caps caps
		says string // "" = it unpacks
	}{
		{"roomy", roomy, ""},
		{"bytes", caps{bytes: 3<<20 - 1, entries: 9, files: 9, ratio: 9999, slack: 1 << 30}, "bytes|unexpected EOF"},
		{"entries", caps{bytes: 1 << 30, entries: 2, files: 9, ratio: 9999, slack: 1 << 30}, "more than 2 entries"},
		{"files", caps{bytes: 1 << 30, entries: 9, files: 1, ratio: 9999, slack: 1 << 30}, "more than 1 files"},
		{"ratio", caps{bytes: 1 << 30, entries: 9, files: 9, ratio: 10, slack: 1 << 19}, "more than 10 times"},
		{"ratio within the slack", caps{bytes: 1 << 30, entries: 9, files: 9, ratio: 10, slack: 1 << 30}, ""},
	}
	for _, tt := range tests {
		for kind, data := range map[string][]byte{"zip": zipped.Bytes(), "tar.gz": tarred.Bytes()} {
			t.Run(tt.name+" "+kind, func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "a")
				if err := os.WriteFile(path, data, 0o600); err != nil {
					t.Fatal(err)
				}
				f, err := os.Open(path)
				if err != nil {
					t.Fatal(err)
				}
				defer func() { _ = f.Close() }()
				u := &unpacking{caps: tt.caps, dir: t.TempDir(), tell: func(string, int64, int64) {}, files: map[string]saved{}}
				if kind == "zip" {
					if tt.name == "bytes" {
						u.caps.bytes = 2<<20 - 1 // a zip's members are not read when they are left out
					}
					err = u.walkZip(t.Context(), f, int64(len(data)))
				} else {
					err = u.walkTar(t.Context(), f, int64(len(data)))
				}
				if tt.says == "" {
					if err != nil {
						t.Error(err)
					}
					return
				}
				said := false
				for _, s := range strings.Split(tt.says, "|") {
					said = said || err != nil && strings.Contains(err.Error(), s)
				}
				if !said {
					t.Errorf("got %v, want one that says %q", err, tt.says)
				}
			})
		}
	}
}

func TestZipDirectorySize(t *testing.T) {
	t.Parallel()
	end := func(size uint32) []byte {
		b := append([]byte("PK\x05\x06"), make([]byte, 18)...)
		binary.LittleEndian.PutUint32(b[12:], size)
		return b
	}
	record := append([]byte("PK\x06\x06"), make([]byte, 52)...)
	binary.LittleEndian.PutUint64(record[40:], 1<<40)
	locator := append([]byte("PK\x06\x07"), make([]byte, 16)...)
	binary.LittleEndian.PutUint64(locator[8:], 4)
	tests := []struct {
		name string
		data []byte
		want uint64
	}{
		{"none", []byte("PK\x03\x04"), 0},
		{"plain", append([]byte("PK\x03\x04"), end(77)...), 77},
		{"zip64", bytes.Join([][]byte{[]byte("PK\x03\x04"), record, locator, end(0xffffffff)}, nil), 1 << 40},
		{"zip64 without its record", bytes.Join([][]byte{make([]byte, 60), locator, end(0xffffffff)}, nil), 0xffffffff},
		{"empty", nil, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "a.zip")
			if err := os.WriteFile(path, tt.data, 0o600); err != nil {
				t.Fatal(err)
			}
			f, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = f.Close() }()
			if got := zipDirectorySize(f, int64(len(tt.data))); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
		})
	}
}
