package pages_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"testing"
)

func writeFile(t testing.TB, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// rechecksum gives a WAL with big-endian checksums, straight from the text of the format.
func rechecksum(wal []byte, pageSize int) []byte {
	b := bytes.Clone(wal)
	var s0, s1 uint32
	sum := func(part []byte) {
		for i := 0; i < len(part); i += 8 {
			s0 += binary.BigEndian.Uint32(part[i:]) + s1
			s1 += binary.BigEndian.Uint32(part[i+4:]) + s0
		}
	}
	put := func(at int) {
		binary.BigEndian.PutUint32(b[at:], s0)
		binary.BigEndian.PutUint32(b[at+4:], s1)
	}
	b[3] |= 1
	sum(b[:24])
	put(24)
	for at := 32; at < len(b); at += 24 + pageSize {
		sum(b[at : at+8])
		sum(b[at+24 : at+24+pageSize])
		put(at + 16)
	}
	return b
}
