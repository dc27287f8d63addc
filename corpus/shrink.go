package corpus

import "context"

// shrink leaves out of d what can be, coarse things first. Each step is delta debugging over a list of things: halves of it
// are tried first, then quarters, and so on down to each alone.
func (m *maker) shrink(ctx context.Context, d *draft) error {
	for _, list := range []func() []*bool{d.sessionUnits, d.otherUnits, d.messageUnits, d.columnUnits, d.sessionUnits} {
		if err := m.reduce(ctx, d, list()); err != nil {
			return err
		}
	}
	return nil
}

// reduce switches off as many units as it can.
func (m *maker) reduce(ctx context.Context, d *draft, units []*bool) error {
	for size := (len(units) + 1) / 2; size >= 1 && len(units) > 0; {
		kept := units[:0:0]
		for from := 0; from < len(units); from += size {
			part := units[from:min(from+size, len(units))]
			for _, on := range part {
				*on = false
			}
			fits := false
			if m.out.Scans < m.options.MaxScans {
				ok, _ := m.shows(ctx, d) // what cannot be built shows nothing
				fits = ok
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			if fits {
				continue
			}
			for _, on := range part {
				*on = true
			}
			kept = append(kept, part...)
		}
		units = kept
		if size == 1 {
			break
		}
		size = (size + 1) / 2
	}
	return nil
}
