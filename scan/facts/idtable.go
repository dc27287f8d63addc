package facts

import "hash/maphash"

// idTable finds rows by session id. A map would hold every id a second time: here the rows themselves are compared.
type idTable struct {
	seed  maphash.Seed
	rows  []Session
	slots []int32 // row + 1 at its hash or behind it; 0 = free
}

// newIDTable indexes rows that have an id; of two with one id, the first.
func newIDTable(rows []Session) *idTable {
	size := 8
	for 3*size < 4*len(rows)+4 {
		size *= 2
	}
	t := &idTable{seed: maphash.MakeSeed(), rows: rows, slots: make([]int32, size)}
	for i := range rows {
		if s := &rows[i]; !s.NoID {
			if at := t.slot(s.ID); t.slots[at] == 0 {
				t.slots[at] = int32(i) + 1
			}
		}
	}
	return t
}

// slot is where id stands, or would stand.
func (t *idTable) slot(id string) int {
	mask := len(t.slots) - 1
	at := int(maphash.String(t.seed, id)) & mask
	for t.slots[at] != 0 && t.rows[t.slots[at]-1].ID != id {
		at = (at + 1) & mask
	}
	return at
}

// find gives the row of an id.
func (t *idTable) find(id string) (row int32, ok bool) {
	if t == nil { // facts that were not read
		return -1, false
	}
	row = t.slots[t.slot(id)] - 1
	return row, row >= 0
}
