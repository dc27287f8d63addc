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

// deltaFor holds a delta against its base and gives how many bytes it makes, never more than limit, and its steps.
func deltaFor(base, delta []byte, limit int64) (to int64, steps []byte, err error) {
	from, to, steps, err := deltaHead(delta)
	switch {
	case err != nil:
		return 0, nil, err
	case from != int64(len(base)):
		return 0, nil, corrupt("a delta is made for a base of %d bytes, its base has %d", from, len(base))
	case to > limit || to < 0:
		return 0, nil, tooMuch("a delta makes %d bytes, the limit is %d", to, limit)
	case to > int64(len(steps))*0xffffff:
		// A delta of n bytes makes at most n times its largest copy: a claim beyond that is not worth the memory.
		return 0, nil, corrupt("a delta of %d bytes cannot make %d", len(steps), to)
	}
	return to, steps, nil
}

// patch fills out by the steps of a delta to base.
func patch(out, base, delta []byte) error {
	at := 0
	for len(delta) > 0 {
		op := delta[0]
		delta = delta[1:]
		if op&0x80 == 0 {
			n := int(op)
			if n == 0 || n > len(delta) || n > len(out)-at {
				return corrupt("a delta inserts beyond its end")
			}
			at += copy(out[at:], delta[:n])
			delta = delta[n:]
			continue
		}
		var args [7]int64
		for i := range args {
			if op>>i&1 == 0 {
				continue
			}
			if len(delta) == 0 {
				return corrupt("a delta ends inside a copy")
			}
			args[i] = int64(delta[0])
			delta = delta[1:]
		}
		off := args[0] | args[1]<<8 | args[2]<<16 | args[3]<<24
		n := args[4] | args[5]<<8 | args[6]<<16
		if n == 0 {
			n = 0x10000
		}
		if off+n > int64(len(base)) || n > int64(len(out)-at) {
			return corrupt("a delta copies from beyond its base")
		}
		at += copy(out[at:], base[off:off+n])
	}
	if at != len(out) {
		return corrupt("a delta makes %d bytes, not %d", at, len(out))
	}
	return nil
}
