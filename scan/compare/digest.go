package compare

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"math"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// digest is half a SHA-256: enough that two messages of different content never share one.
type digest [16]byte

// hasher feeds cells to a hash so that no two rows give the same bytes. The salt is another one for each comparison, so
// that nobody can make messages whose digests add up to those of others.
type hasher struct {
	h    hash.Hash
	salt []byte
	buf  [9]byte
	sum  [sha256.Size]byte
}

func newHasher(salt []byte) *hasher {
	h := &hasher{h: sha256.New(), salt: salt}
	_, _ = h.h.Write(salt) // documented never to fail
	return h
}

// cell adds a value. A number counts by its value: whether SQLite stores it as an integer or a real is no difference.
func (h *hasher) cell(v evidence.Value) {
	h.buf[0] = byte(v.Kind)
	n := uint64(len(v.Bytes))
	switch v.Kind {
	case evidence.Int:
		n = uint64(v.Int)
	case evidence.Float:
		if i := int64(v.Float); v.Float >= -1<<53 && v.Float <= 1<<53 && float64(i) == v.Float {
			h.buf[0], n = byte(evidence.Int), uint64(i)
		} else {
			n = math.Float64bits(v.Float)
		}
	}
	binary.LittleEndian.PutUint64(h.buf[1:], n)
	_, _ = h.h.Write(h.buf[:]) // documented never to fail
	if len(v.Bytes) > 0 {
		_, _ = h.h.Write(v.Bytes)
	}
}

// add adds a digest.
func (h *hasher) add(d digest) { _, _ = h.h.Write(d[:]) }

// end gives the digest of what was added and begins anew.
func (h *hasher) end() (d digest) {
	copy(d[:], h.h.Sum(h.sum[:0]))
	h.h.Reset()
	_, _ = h.h.Write(h.salt)
	return d
}

// bag sums up digests so that their order does not matter, and line so that it does.
type bag struct {
	count int64
	sum   [2]uint64
	line  uint64
}

func (b *bag) put(d digest) {
	lo, hi := binary.LittleEndian.Uint64(d[:8]), binary.LittleEndian.Uint64(d[8:])
	b.count++
	b.sum[0] += lo
	b.sum[1] += hi
	b.line = b.line*0x9E3779B97F4A7C15 + lo // odd, so that nothing that was put is lost
}
