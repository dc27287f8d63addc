package compare

import "slices"

// Side says which of two copies has something.
type Side string

// The copies that are compared: A is the first, which is taken for the earlier one.
const (
	Both Side = "both"
	A    Side = "a"
	B    Side = "b"
)

// Change is one way in which a session differs.
type Change string

// The changes, those that lose something first. A session may have several.
const (
	Lost       Change = "lost"        // its row is in A alone, or messages of it are, and it has no row
	Shrunk     Change = "shrunk"      // a message of A is not among those of B, or has a shorter text there
	Rewritten  Change = "rewritten"   // a message of the same role and time has another text, no shorter one
	Reordered  Change = "reordered"   // the same messages stand in another order
	ReStamped  Change = "re-stamped"  // a time of the row or of a message differs
	ReParented Change = "re-parented" // another parent
	ReKeyed    Change = "re-keyed"    // another source, key, chat, user or profile
	Ended      Change = "ended"
	Reopened   Change = "reopened"
	Changed    Change = "changed" // another column of the row, or of a message beside its text and time
	Grown      Change = "grown"   // B has messages that A has not
	Added      Change = "added"   // its row is in B alone
)

// Of messages alone.
const (
	Moved     Change = "moved"      // its text and time are in another session of B
	MovedHere Change = "moved-here" // its text and time were in another session of A
)

// Changes lists those of sessions in that order.
func Changes() []Change {
	return []Change{Lost, Shrunk, Rewritten, Reordered, ReStamped, ReParented, ReKeyed, Ended, Reopened, Changed, Grown, Added}
}

// Difference is one database of both copies.
type Difference struct {
	Store    string
	In       Side
	Sessions []Session // those that differ, those that lose something first, then by id
	Same     int64     // sessions that are the same in all
	A, B     Totals
	Messages Messages
	Notes    []string
}

// Totals counts what one side holds.
type Totals struct{ Sessions, Messages int64 }

// Messages says what became of messages, from A to B. Each message of A is in one of Same, Changed, ReStamped, Shrunk,
// Rewritten, Moved and Lost; each of B in one of the first five, MovedHere and Added.
type Messages struct {
	Same      int64
	Changed   int64 // the same text and time; another column differs, such as the flag that a message is active
	ReStamped int64 // the same text at another time
	Shrunk    int64 // the same role and time with a shorter text
	Rewritten int64 // the same role and time with another text, no shorter one
	Moved     int64 // the same text and time in another session of B
	Lost      int64
	MovedHere int64
	Added     int64
}

func (m *Messages) add(o Messages) {
	m.Same += o.Same
	m.Changed += o.Changed
	m.ReStamped += o.ReStamped
	m.Shrunk += o.Shrunk
	m.Rewritten += o.Rewritten
	m.Moved += o.Moved
	m.Lost += o.Lost
	m.MovedHere += o.MovedHere
	m.Added += o.Added
}

// Session is a session that differs.
type Session struct {
	ID          string
	NoRow       bool   // messages name it and no session row has the id
	Source, Key string // of the row, that of B where both have one
	Changes     []Change
	Cells       []Cell
	Messages    Messages
	// Examples are the first messages that are lost, shrunk, rewritten, moved, re-stamped or added, in this order, of a
	// session that both copies have; More counts the others.
	Examples []Message
	More     int64
}

func (s *Session) has(c Change) bool { return slices.Contains(s.Changes, c) }

// Cell is a column of a session row that differs. Before and After are spelled as SQL would show them; they are blank where
// Hidden says that the column may hold private text.
type Cell struct {
	Column        string
	Before, After string
	Hidden        bool
}

// Message is one message that differs: its rowid and time (epoch seconds as stored; NaN = none) on the sides that have it.
type Message struct {
	What           Change // Lost, Shrunk, Rewritten, Moved, ReStamped, MovedHere or Added
	Role           string
	RowA, RowB     int64 // 0 = not on that side
	TimeA, TimeB   float64
	BytesA, BytesB int64  // of its text
	Other          string // of a moved message: the session that has it in B, or had it in A
}

// Lossless says that B has every session and message of A, unaltered but for more of both.
func (d *Difference) Lossless() bool {
	m := &d.Messages
	if m.Lost+m.Shrunk+m.Rewritten+m.ReStamped+m.Changed+m.Moved > 0 {
		return false
	}
	for i := range d.Sessions {
		for _, c := range d.Sessions[i].Changes {
			if c != Grown && c != Added {
				return false
			}
		}
	}
	return true
}
