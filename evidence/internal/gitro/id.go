package gitro

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"slices"
)

// ID is the name of an object: 20 bytes in a SHA-1 repository, 32 in a SHA-256 one. The zero ID names nothing.
type ID struct {
	sum  [32]byte
	size uint8
}

// IDFrom gives the ID with these raw bytes; any length but 20 and 32 gives the zero ID.
func IDFrom(raw []byte) ID {
	var id ID
	if len(raw) == sha1.Size || len(raw) == sha256.Size {
		id.size = uint8(copy(id.sum[:], raw))
	}
	return id
}

// ParseID reads 40 or 64 lower-case or upper-case hex digits.
func ParseID(text string) (ID, error) {
	if len(text) != 2*sha1.Size && len(text) != 2*sha256.Size {
		return ID{}, fmt.Errorf("parse object id %.80q: want 40 or 64 hex digits, got %d characters", text, len(text))
	}
	raw, err := hex.DecodeString(text)
	if err != nil {
		return ID{}, fmt.Errorf("parse object id %.80q: not hex", text)
	}
	return IDFrom(raw), nil
}

// String is the lower-case hex of the id, "" for the zero ID.
func (id ID) String() string { return hex.EncodeToString(id.sum[:id.size]) }

// Bytes are the raw bytes; the caller may keep and change them.
func (id ID) Bytes() []byte { return slices.Clone(id.sum[:id.size]) }

// IsZero says that the id names nothing: it is absent, or consists of NUL bytes, as git spells "none".
func (id ID) IsZero() bool { return id.sum == [32]byte{} }

// Compare orders ids by their bytes.
func (id ID) Compare(o ID) int { return slices.Compare(id.sum[:], o.sum[:]) }

// MarshalText spells the id as String does, so that it can be a key or value in JSON.
func (id ID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// Format is the hash that names the objects of a repository.
type Format string

// The two formats of git.
const (
	SHA1   Format = "sha1"
	SHA256 Format = "sha256"
)

// Size is the length of a raw id in bytes.
func (f Format) Size() int {
	if f == SHA256 {
		return sha256.Size
	}
	return sha1.Size
}

func (f Format) newHash() hash.Hash {
	if f == SHA256 {
		return sha256.New()
	}
	return sha1.New()
}
