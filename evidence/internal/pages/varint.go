package pages

// varint reads SQLite's big-endian variable-length integer at b[i] and gives the index behind it. Where b ends too
// early the index is beyond len(b). Nearly all are one byte long: callers in a loop try that first, since this is too
// large to be inlined.
func varint(b []byte, i int) (uint64, int) {
	if i >= len(b) {
		return 0, len(b) + 1
	}
	var v uint64
	for k, c := range b[i:] {
		if k == 8 { // the ninth byte counts whole
			return v<<8 | uint64(c), i + 9
		}
		v = v<<7 | uint64(c&0x7f)
		if c < 0x80 {
			return v, i + k + 1
		}
	}
	return 0, len(b) + 1
}
