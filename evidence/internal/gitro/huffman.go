package gitro

import "math/bits"

// huffman is a decoding table of two levels. An entry is
//
//	bits 0-3   length of the whole code; 0 = no such code
//	bits 4-7   number of extra bits, or of the index bits of a second-level table
//	bits 8-9   what it is
//	bits 16-31 the literal, the base value, or where the second-level table begins
type huffman struct {
	table []uint32
	first [firstLevel]uint32
}

const (
	firstBits  = 9
	firstLevel = 1 << firstBits
	codeLimit  = 15
)

// What an entry is.
const (
	entryLiteral = iota
	entryBase
	entryEnd
	entryLink
)

// entry looks the next code up.
func (h *huffman) entry(b uint64) uint32 {
	e := h.first[b&(firstLevel-1)]
	if e>>8&3 == entryLink {
		e = h.table[uint64(e>>16)+b>>firstBits&(1<<(e>>4&15)-1)]
	}
	return e
}

// build makes the table of the canonical code with these lengths; value gives the entry of a symbol without its
// length. As zlib does, it refuses codes that are over-subscribed, and incomplete ones unless there is a single code
// of one bit, or none at all.
func (h *huffman) build(lens []uint8, value func(symbol int) uint32) error {
	var count [codeLimit + 1]int
	for _, l := range lens {
		count[l]++
	}
	count[0] = 0
	left, longest := 1, 0
	var next [codeLimit + 2]int
	for l := 1; l <= codeLimit; l++ {
		if left = left<<1 - count[l]; left < 0 {
			return corrupt("a table of the compressed data has too many codes")
		}
		if count[l] > 0 {
			longest = l
		}
		next[l+1] = (next[l] + count[l]) << 1
	}
	if left > 0 {
		if longest > 1 {
			return corrupt("a table of the compressed data is incomplete")
		}
		clear(h.first[:])
	}
	h.table = h.table[:0]
	if longest > firstBits {
		clear(h.first[:])
	}
	for symbol, l := range lens {
		if l == 0 {
			continue
		}
		code := int(bits.Reverse16(uint16(next[l])) >> (16 - l))
		next[l]++
		h.set(code, int(l), longest, value(symbol)|uint32(l))
	}
	return nil
}

// set enters a reversed code at all its places.
func (h *huffman) set(code, l, longest int, e uint32) {
	if l <= firstBits {
		for i := code; i < firstLevel; i += 1 << l {
			h.first[i] = e
		}
		return
	}
	second := longest - firstBits
	link := &h.first[code&(firstLevel-1)]
	if *link == 0 {
		*link = uint32(len(h.table))<<16 | entryLink<<8 | uint32(second)<<4
		for range 1 << second {
			h.table = append(h.table, 0)
		}
	}
	sub := h.table[*link>>16:]
	for i := code >> firstBits; i < 1<<second; i += 1 << (l - firstBits) {
		sub[i] = e
	}
}

// literalEntry is the entry of a literal, the end, or a match length, by RFC 1951 3.2.5; 286 and 287 are no symbols.
func literalEntry(symbol int) uint32 {
	switch {
	case symbol < 256:
		return uint32(symbol)<<16 | entryLiteral<<8
	case symbol == 256:
		return entryEnd << 8
	case symbol < 265:
		return uint32(symbol-257+3)<<16 | entryBase<<8
	case symbol == 285:
		return 258<<16 | entryBase<<8
	}
	extra := uint32(symbol-261) / 4
	return ((4+uint32(symbol-265)%4)<<extra+3)<<16 | entryBase<<8 | extra<<4
}

// distanceEntry is the entry of a distance; 30 and 31 are no symbols.
func distanceEntry(symbol int) uint32 {
	if symbol < 4 {
		return uint32(symbol+1)<<16 | entryBase<<8
	}
	extra := uint32(symbol-2) / 2
	return ((2+uint32(symbol)%2)<<extra+1)<<16 | entryBase<<8 | extra<<4
}

// useFixed reads the next block with the tables of RFC 1951 3.2.6.
func (z *inflater) useFixed() error {
	z.lit, z.dist = &z.fixed[0], &z.fixed[1]
	if z.isFixed {
		return nil
	}
	if err := z.buildFixed(); err != nil {
		return err
	}
	z.isFixed = true
	return nil
}

func (z *inflater) buildFixed() error {
	var lens [288]uint8
	for i := range lens {
		switch {
		case i < 144, i >= 280:
			lens[i] = 8
		case i < 256:
			lens[i] = 9
		default:
			lens[i] = 7
		}
	}
	err := z.lit.build(lens[:], func(symbol int) uint32 {
		if symbol > 285 {
			return entryLiteral << 8 // made invalid below
		}
		return literalEntry(symbol)
	})
	if err != nil {
		return err
	}
	for i, e := range z.lit.first {
		if e>>16 == 0 && e&15 == 8 && e>>8&3 == entryLiteral && i&0xff != 0x0c { // 0x0c is the code of literal 0, reversed
			z.lit.first[i] = 0
		}
	}
	var five [32]uint8
	for i := range five {
		five[i] = 5
	}
	if err := z.dist.build(five[:], distanceEntry); err != nil {
		return err
	}
	for i := range z.dist.first { // 30 and 31 are 11110 and 11111, reversed
		if i&31 == 15 || i&31 == 31 {
			z.dist.first[i] = 0
		}
	}
	return nil
}

// dynamic reads the tables of RFC 1951 3.2.7.
func (z *inflater) dynamic() error {
	head, err := z.take(14)
	if err != nil {
		return err
	}
	nlit, ndist, ncode := int(head&31)+257, int(head>>5&31)+1, int(head>>10)+4
	if nlit > 286 || ndist > 30 {
		return corrupt("a compressed block has %d length and %d distance codes", nlit, ndist)
	}
	order := [19]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}
	var codeLens [19]uint8
	for _, at := range order[:ncode] {
		l, err := z.take(3)
		if err != nil {
			return err
		}
		codeLens[at] = uint8(l)
	}
	// The table of literals is free until its own lengths are known.
	if err := z.lit.build(codeLens[:], func(symbol int) uint32 { return uint32(symbol) << 16 }); err != nil {
		return err
	}
	lens := z.lens[:nlit+ndist]
	if err := z.codeLengths(lens); err != nil {
		return err
	}
	if lens[256] == 0 {
		return corrupt("a compressed block has no end code")
	}
	if err := z.lit.build(lens[:nlit], literalEntry); err != nil {
		return err
	}
	return z.dist.build(lens[nlit:], distanceEntry)
}

// codeLengths decodes the lengths of all codes with the code in z.lit.
func (z *inflater) codeLengths(lens []uint8) error {
	for i := 0; i < len(lens); {
		if z.nbits < 24 {
			z.refill()
		}
		e := z.lit.entry(z.bits)
		n := uint(e & 15)
		if n == 0 || n > z.nbits {
			return z.badCode(n)
		}
		z.bits >>= n
		z.nbits -= n
		symbol := e >> 16
		if symbol < 16 {
			lens[i] = uint8(symbol)
			i++
			continue
		}
		width, base := uint(7), uint32(11)
		var repeated uint8
		switch symbol {
		case 16:
			if i == 0 {
				return corrupt("a compressed block repeats a length before the first")
			}
			width, base, repeated = 2, 3, lens[i-1]
		case 17:
			width, base = 3, 3
		}
		more, err := z.take(width)
		if err != nil {
			return err
		}
		times := int(base + more)
		if times > len(lens)-i {
			return corrupt("a compressed block repeats a length beyond the last")
		}
		for range times {
			lens[i] = repeated
			i++
		}
	}
	return nil
}
