package gitro

// deltaHead reads the sizes of the base and of the result at the start of a delta.
func deltaHead(delta []byte) (base, result int64, rest []byte, err error) {
	for _, size := range []*int64{&base, &result} {
		var shift uint
		for {
			if len(delta) == 0 || shift > 56 {
				return 0, 0, nil, corrupt("the head of a delta is damaged")
			}
			c := delta[0]
			delta = delta[1:]
			*size |= int64(c&0x7f) << shift
			shift += 7
			if c < 0x80 {
				break
			}
		}
	}
	return base, result, delta, nil
}

// patch applies a delta to base. The result is never larger than limit.
func patch(base, delta []byte, limit int64) ([]byte, error) {
	from, to, delta, err := deltaHead(delta)
	if err != nil {
		return nil, err
	}
	if from != int64(len(base)) {
		return nil, corrupt("a delta is made for a base of %d bytes, its base has %d", from, len(base))
	}
	if to > limit {
		return nil, tooMuch("a delta makes %d bytes, the limit is %d", to, limit)
	}
	// A delta of n bytes makes at most n times its largest copy: a claim beyond that is not worth the memory.
	if to > int64(len(delta))*0xffffff {
		return nil, corrupt("a delta of %d bytes cannot make %d", len(delta), to)
	}
	out := make([]byte, 0, to)
	for len(delta) > 0 {
		op := delta[0]
		delta = delta[1:]
		if op&0x80 == 0 {
			n := int(op)
			if n == 0 || n > len(delta) || n > cap(out)-len(out) {
				return nil, corrupt("a delta inserts beyond its end")
			}
			out = append(out, delta[:n]...)
			delta = delta[n:]
			continue
		}
		var args [7]int64
		for i := range args {
			if op>>i&1 == 0 {
				continue
			}
			if len(delta) == 0 {
				return nil, corrupt("a delta ends inside a copy")
			}
			args[i] = int64(delta[0])
			delta = delta[1:]
		}
		off := args[0] | args[1]<<8 | args[2]<<16 | args[3]<<24
		n := args[4] | args[5]<<8 | args[6]<<16
		if n == 0 {
			n = 0x10000
		}
		if off+n > int64(len(base)) || n > int64(cap(out)-len(out)) {
			return nil, corrupt("a delta copies from beyond its base")
		}
		out = append(out, base[off:off+n]...)
	}
	if int64(len(out)) != to {
		return nil, corrupt("a delta makes %d bytes, not %d", len(out), to)
	}
	return out, nil
}
