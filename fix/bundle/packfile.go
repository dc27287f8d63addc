package bundle

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// packFile writes git objects into one new pack, without deltas, and its index (gitformat-pack(5), version 2).
type packFile struct {
	format  evidence.ObjectFormat
	file    *os.File
	out     *bufio.Writer
	sum     hash.Hash
	at      int64
	entries []packed
	buf     bytes.Buffer
	deflate *zlib.Writer
}

// packed is one object of the pack.
type packed struct {
	id  evidence.ObjectID
	crc uint32
	at  int64
}

// packKinds are the numbers of the kinds in a pack.
var packKinds = map[evidence.ObjectKind]byte{evidence.KindCommit: 1, evidence.KindTree: 2, evidence.KindBlob: 3, evidence.KindTag: 4}

func newHash(f evidence.ObjectFormat) hash.Hash {
	if f.Size() == sha256.Size {
		return sha256.New()
	}
	return sha1.New()
}

// newPack begins a pack in dir, the folder objects/pack, under a name of its own.
func newPack(dir string, f evidence.ObjectFormat) (*packFile, error) {
	file, err := os.OpenFile(filepath.Join(dir, "pack.part"), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	p := &packFile{format: f, file: file, out: bufio.NewWriterSize(file, 1<<16), sum: newHash(f), at: 12}
	p.deflate = zlib.NewWriter(&p.buf)
	_, err = p.out.Write([]byte("PACK\x00\x00\x00\x02\x00\x00\x00\x00")) // the count follows at the end
	return p, err
}

// idOf is the name that git gives an object.
func idOf(f evidence.ObjectFormat, kind evidence.ObjectKind, data []byte) evidence.ObjectID {
	h := newHash(f)
	_, _ = fmt.Fprintf(h, "%s %d\x00", kind, len(data)) // documented never to fail
	_, _ = h.Write(data)
	return evidence.ObjectIDFrom(h.Sum(nil))
}

// add writes one object, which must not be in the pack yet.
func (p *packFile) add(id evidence.ObjectID, kind evidence.ObjectKind, data []byte) error {
	p.buf.Reset()
	size := len(data)
	first := packKinds[kind]<<4 | byte(size&15)
	for size >>= 4; ; size >>= 7 {
		if size == 0 {
			p.buf.WriteByte(first)
			break
		}
		p.buf.WriteByte(first | 0x80)
		first = byte(size & 0x7f)
	}
	p.deflate.Reset(&p.buf)
	if _, err := p.deflate.Write(data); err != nil {
		return err
	}
	if err := p.deflate.Close(); err != nil {
		return err
	}
	p.entries = append(p.entries, packed{id, crc32.ChecksumIEEE(p.buf.Bytes()), p.at})
	p.at += int64(p.buf.Len())
	_, err := p.out.Write(p.buf.Bytes())
	return err
}

// finish writes count, hash and index, and gives the stem of both files; "" where the pack has nothing and is gone.
func (p *packFile) finish() (stem string, err error) {
	part := p.file.Name()
	if len(p.entries) == 0 {
		return "", errors.Join(p.file.Close(), os.Remove(part))
	}
	if err := p.seal(); err != nil {
		return "", errors.Join(err, p.file.Close())
	}
	if err := p.file.Close(); err != nil {
		return "", err
	}
	slices.SortFunc(p.entries, func(a, b packed) int { return a.id.Compare(b.id) })
	stem = fmt.Sprintf("pack-%x", p.sum.Sum(nil))
	base := filepath.Join(filepath.Dir(part), stem)
	return stem, errors.Join(os.Rename(part, base+".pack"), os.WriteFile(base+".idx", p.index(), 0o600))
}

// seal enters the count and appends the hash of everything before it.
func (p *packFile) seal() error {
	if err := p.out.Flush(); err != nil {
		return err
	}
	if _, err := p.file.WriteAt(binary.BigEndian.AppendUint32(nil, uint32(len(p.entries))), 8); err != nil {
		return err
	}
	if _, err := io.Copy(p.sum, io.NewSectionReader(p.file, 0, p.at)); err != nil {
		return err
	}
	_, err := p.file.WriteAt(p.sum.Sum(nil), p.at)
	return err
}

// index is the index of the pack; the entries are sorted.
func (p *packFile) index() []byte {
	out := make([]byte, 0, 8+4*256+len(p.entries)*(p.format.Size()+8+8)+2*p.format.Size())
	out = append(out, "\xfftOc\x00\x00\x00\x02"...)
	var fan [256]uint32
	for _, e := range p.entries {
		fan[e.id.Bytes()[0]]++
	}
	n := uint32(0)
	for _, k := range fan {
		n += k
		out = binary.BigEndian.AppendUint32(out, n)
	}
	for _, e := range p.entries {
		out = append(out, e.id.Bytes()...)
	}
	for _, e := range p.entries {
		out = binary.BigEndian.AppendUint32(out, e.crc)
	}
	var large []byte
	for _, e := range p.entries {
		if e.at < 1<<31 {
			out = binary.BigEndian.AppendUint32(out, uint32(e.at))
			continue
		}
		out = binary.BigEndian.AppendUint32(out, 1<<31|uint32(len(large)/8))
		large = binary.BigEndian.AppendUint64(large, uint64(e.at))
	}
	out = append(append(out, large...), p.sum.Sum(nil)...)
	own := newHash(p.format)
	_, _ = own.Write(out) // documented never to fail
	return own.Sum(out)
}

// loose writes an object's own file below objects/: data, deflated, or whatever raw is.
func loose(objects string, id evidence.ObjectID, raw []byte) error {
	name := id.String()
	dir := filepath.Join(objects, name[:2])
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, name[2:]), raw, 0o600)
}

func deflated(data []byte) ([]byte, error) {
	var buf bytes.Buffer
	z := zlib.NewWriter(&buf)
	_, err := z.Write(data)
	err = errors.Join(err, z.Close()) // only then is all of it in buf
	return buf.Bytes(), err
}

// eachPacked tells fn every object of a pack as packFile writes it. data is valid until fn returns.
func eachPacked(in *bufio.Reader, fn func(kind byte, data []byte) error) error {
	var head [12]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return fmt.Errorf("the pack is too short: %w", err)
	}
	var z io.ReadCloser
	var data bytes.Buffer
	for range binary.BigEndian.Uint32(head[8:]) {
		c, err := in.ReadByte()
		kind := c >> 4 & 7
		for err == nil && c&0x80 != 0 {
			c, err = in.ReadByte()
		}
		if err != nil {
			return err
		}
		if z == nil {
			z, err = zlib.NewReader(in)
		} else {
			err = z.(zlib.Resetter).Reset(in, nil) // documented to be one
		}
		if err != nil {
			return err
		}
		data.Reset()
		if _, err := data.ReadFrom(z); err != nil {
			return err
		}
		if err := fn(kind, data.Bytes()); err != nil {
			return err
		}
	}
	return nil
}
