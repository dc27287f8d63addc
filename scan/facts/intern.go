package facts

import (
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// interner gives rows that say the same one shared value: a file has far fewer chats and settings than rows.
type interner struct {
	texts map[string]string
	ids   map[string]*Identity
	marks map[string]*Marks
	ends  map[Ending]*Ending
	none  *Marks
	buf   []byte
}

func newInterner() *interner {
	return &interner{texts: map[string]string{}, ids: map[string]*Identity{}, marks: map[string]*Marks{}, ends: map[Ending]*Ending{}, none: marksOf(nil, true)}
}

func (in *interner) text(v evidence.Value) string {
	if v.Kind == evidence.Null {
		return ""
	}
	if v.Kind != evidence.Text && v.Kind != evidence.Blob {
		return v.String()
	}
	if s, ok := in.texts[string(v.Bytes)]; ok {
		return s
	}
	s := strings.Clone(string(v.Bytes))
	in.texts[s] = s
	return s
}

// identity takes the cells source, user_id, session_key, chat_id, chat_type, thread_id, profile_name.
func (in *interner) identity(cells []evidence.Value) *Identity {
	in.buf = in.buf[:0]
	for _, v := range cells {
		n := len(v.Bytes)
		if v.Kind == evidence.Int || v.Kind == evidence.Float {
			in.buf = append(in.buf, v.String()...)
		}
		in.buf = append(in.buf, v.Bytes...)
		// The length ends each field, so that no two rows share a spelling by accident.
		in.buf = append(in.buf, byte(v.Kind), byte(n), byte(n>>8), byte(n>>16))
	}
	if id, ok := in.ids[string(in.buf)]; ok {
		return id
	}
	id := &Identity{
		Source: in.text(cells[0]), UserID: in.text(cells[1]), SessionKey: in.text(cells[2]), ChatID: in.text(cells[3]),
		ChatType: in.text(cells[4]), ThreadID: in.text(cells[5]), Profile: in.text(cells[6]),
	}
	id.of = id.profile()
	in.ids[string(in.buf)] = id
	return id
}

func (in *interner) config(v evidence.Value) *Marks {
	if v.Kind == evidence.Null {
		return in.none
	}
	text := bytesOf(v)
	if m, ok := in.marks[string(text)]; ok {
		return m
	}
	m := marksOf(text, false)
	in.marks[string(text)] = m
	return m
}

func (in *interner) ending(reason, handoff evidence.Value) *Ending {
	e := Ending{EndReason: in.text(reason), Handoff: in.text(handoff), HasReason: reason.Kind != evidence.Null}
	if shared, ok := in.ends[e]; ok {
		return shared
	}
	shared := new(Ending)
	*shared = e
	in.ends[e] = shared
	return shared
}

func (in *interner) session(rowid int64, row []evidence.Value) Session {
	s := Session{
		RowID: rowid, NoID: row[0].Kind == evidence.Null, ID: row[0].String(),
		Identity: in.identity(row[1:8]), Marks: in.config(row[14]),
		ParentID: in.parent(row[8]), Ending: in.ending(row[11], row[15]),
		Started: timeOf(row[9]), Ended: timeOf(row[10]), LastActivity: timeOf(row[12]),
		First: Never(), Last: Never(),
	}
	if n := row[13].Number(); n > 0 && n < 1<<62 {
		s.Counted = int64(n)
	}
	return s
}

// parent is not interned: a parent's id is seldom named twice, and a table of them would outweigh the copies.
func (in *interner) parent(v evidence.Value) string {
	if v.Kind == evidence.Null {
		return ""
	}
	return v.String()
}

// bytesOf is the text of a value of any kind, valid as long as the value is.
func bytesOf(v evidence.Value) []byte {
	if v.Kind == evidence.Text || v.Kind == evidence.Blob {
		return v.Bytes
	}
	return []byte(v.String())
}
