package gitro

import (
	"encoding/binary"
	"hash/adler32"
)

// inflater decodes one zlib stream that lies whole in memory into a buffer of known or growing size. The standard
// library's reader costs several times as much for objects of a few hundred bytes, because it keeps a window and
// builds its tables anew on the heap.
type inflater struct {
	lit, dist *huffman // of the block being read
	own       [2]huffman
	fixed     [2]huffman // as RFC 1951 gives them; small objects use little else
	isFixed   bool       // fixed is filled in
	lens      [286 + 30]uint8
	in        []byte
	pos       int
	bits      uint64
	nbits     uint
	out       []byte // len is the room
	n         int    // bytes of out that are filled
	// grow is asked for more room when all of out is filled and the stream goes on.
	grow func(out []byte) ([]byte, error)
}

// errInput is the end of the input before the end of the stream: more input may help.
var errInput error = &fault{FaultCorrupt, "the compressed data ends early"}

// errRoom is more output than there is room for.
var errRoom error = &fault{FaultCorrupt, "it inflates to more than its stated size"}

// zlib inflates the stream at the start of in into out and gives the filled part and the length of the stream. grow
// may be nil: then out is all the room there is.
func (z *inflater) zlib(in, out []byte, grow func(out []byte) ([]byte, error)) ([]byte, int, error) {
	if len(in) < 2 {
		return nil, 0, errInput
	}
	if in[0]&0x0f != 8 || in[0]>>4 > 7 || in[1]&0x20 != 0 || (uint(in[0])<<8|uint(in[1]))%31 != 0 {
		return nil, 0, corrupt("not a zlib stream: it begins with %02x%02x", in[0], in[1])
	}
	z.in, z.pos, z.bits, z.nbits, z.out, z.n, z.grow = in, 2, 0, 0, out, 0, grow
	for last := false; !last; {
		var err error
		if last, err = z.block(); err != nil {
			return nil, 0, err
		}
	}
	z.pos -= int(z.nbits / 8) // whole bytes that were taken ahead
	if len(in)-z.pos < 4 {
		return nil, 0, errInput
	}
	if want, got := binary.BigEndian.Uint32(in[z.pos:]), adler32.Checksum(z.out[:z.n]); want != got {
		return nil, 0, corrupt("the checksum of the inflated data is %08x, not %08x", got, want)
	}
	return z.out[:z.n], z.pos + 4, nil
}

// refill brings the bit buffer to at least 56 bits unless the input ends.
func (z *inflater) refill() {
	if z.pos+8 <= len(z.in) {
		z.bits |= binary.LittleEndian.Uint64(z.in[z.pos:]) << z.nbits
		z.pos += int((63 - z.nbits) >> 3)
		z.nbits |= 56
		return
	}
	for z.nbits <= 56 && z.pos < len(z.in) {
		z.bits |= uint64(z.in[z.pos]) << z.nbits
		z.pos++
		z.nbits += 8
	}
}

// take gives n <= 32 bits.
func (z *inflater) take(n uint) (uint32, error) {
	if z.nbits < n {
		if z.refill(); z.nbits < n {
			return 0, errInput
		}
	}
	v := uint32(z.bits & (1<<n - 1))
	z.bits >>= n
	z.nbits -= n
	return v, nil
}

func (z *inflater) block() (last bool, err error) {
	head, err := z.take(3)
	if err != nil {
		return false, err
	}
	switch head >> 1 {
	case 0:
		err = z.stored()
	case 1:
		if err = z.useFixed(); err == nil {
			err = z.symbols()
		}
	case 2:
		z.lit, z.dist = &z.own[0], &z.own[1]
		if err = z.dynamic(); err == nil {
			err = z.symbols()
		}
	default:
		err = corrupt("a compressed block has the reserved type 3")
	}
	return head&1 != 0, err
}

// stored copies a block without compression.
func (z *inflater) stored() error {
	if _, err := z.take(z.nbits & 7); err != nil {
		return err
	}
	head, err := z.take(32)
	if err != nil {
		return err
	}
	n := int(head & 0xffff)
	if uint32(n) != ^head>>16 {
		return corrupt("the two lengths of a stored block disagree")
	}
	z.pos -= int(z.nbits / 8)
	z.bits, z.nbits = 0, 0
	if len(z.in)-z.pos < n {
		return errInput
	}
	for n > 0 {
		if err := z.room(); err != nil {
			return err
		}
		took := copy(z.out[z.n:], z.in[z.pos:z.pos+n])
		z.n += took
		z.pos += took
		n -= took
	}
	return nil
}

// room makes sure that one more byte fits.
func (z *inflater) room() error {
	if z.n < len(z.out) {
		return nil
	}
	if z.grow == nil {
		return errRoom
	}
	out, err := z.grow(z.out)
	if err != nil {
		return err
	}
	if len(out) <= len(z.out) {
		return errRoom
	}
	z.out = out
	return nil
}

// symbols decodes literals and matches until the end of the block.
func (z *inflater) symbols() error {
	lit := z.lit
	for {
		if z.nbits < 48 {
			z.refill()
		}
		e := lit.entry(z.bits)
		n := uint(e & 15)
		if n == 0 || n > z.nbits {
			return z.badCode(n)
		}
		z.bits >>= n
		z.nbits -= n
		switch e >> 8 & 3 {
		case entryLiteral:
			if z.n == len(z.out) {
				if err := z.room(); err != nil {
					return err
				}
			}
			z.out[z.n] = byte(e >> 16)
			z.n++
		case entryEnd:
			return nil
		case entryBase:
			if err := z.match(e); err != nil {
				return err
			}
		}
	}
}

func (z *inflater) badCode(n uint) error {
	if n > z.nbits || z.nbits < 15 && z.pos == len(z.in) {
		return errInput
	}
	return corrupt("the compressed data uses a code that is not defined")
}

// match copies what came before; e is the entry of its length.
func (z *inflater) match(e uint32) error {
	extra := uint(e >> 4 & 15)
	length := int(e>>16) + int(z.bits&(1<<extra-1))
	if extra > z.nbits {
		return errInput
	}
	z.bits >>= extra
	z.nbits -= extra
	d := z.dist.entry(z.bits)
	n := uint(d & 15)
	if n == 0 || n > z.nbits {
		return z.badCode(n)
	}
	z.bits >>= n
	z.nbits -= n
	extra = uint(d >> 4 & 15)
	distance := int(d>>16) + int(z.bits&(1<<extra-1))
	if extra > z.nbits {
		return errInput
	}
	z.bits >>= extra
	z.nbits -= extra
	if distance > z.n {
		return corrupt("the compressed data refers to before its start")
	}
	for length > 0 {
		if err := z.room(); err != nil {
			return err
		}
		from, to := z.n-distance, min(z.n+length, len(z.out))
		length -= to - z.n
		for z.n < to { // what was just written may be copied again, twice as much each time
			z.n += copy(z.out[z.n:to], z.out[from:z.n])
		}
	}
	return nil
}
