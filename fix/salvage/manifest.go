package salvage

// Manifest accounts for what was taken over and what was not.
type Manifest struct {
	Schema  int      `json:"schema"`
	Output  string   `json:"output"`
	SHA256  string   `json:"sha256"` // of the new file
	Bytes   int64    `json:"bytes"`
	Version int      `json:"schema_version"` // of the new file
	Source  int      `json:"source_schema_version"`
	Inputs  []Input  `json:"inputs"`
	Images  []Image  `json:"images"` // the ways in which the inputs were read, the best first
	Tables  []Table  `json:"tables"`
	Account Account  `json:"messages"`
	Made    []Made   `json:"made"` // rows that no file has as they are
	Left    []Left   `json:"left"` // rows that were read and not taken over as they are; no more than a thousand
	LeftAll int64    `json:"left_total"`
	Notes   []string `json:"notes"`
	// Complete says that nothing is known to be missing: every message id is there or was deleted, no row was left, and no -wal of
	// another state lies beside the file, which may hold what was never in it.
	Complete bool `json:"complete"`
	// Proved is what the new file passed.
	Proved []string `json:"proved"`
}

// Input is a file that was read.
type Input struct {
	Path   string `json:"path"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// Image is one way in which the inputs were read.
type Image struct {
	Name  string   `json:"name"`
	Rows  int64    `json:"rows"`  // that it gave
	Taken int64    `json:"taken"` // of them, those that are in the new file because of it
	Notes []string `json:"notes"`
}

// Table counts the rows of one table of the new file, by the way in which they were come by.
type Table struct {
	Name   string `json:"name"`
	Rows   int64  `json:"rows"`
	Tree   int64  `json:"by_table"`
	Torn   int64  `json:"torn"` // a part of them is missing
	Index  int64  `json:"by_index"`
	Shape  int64  `json:"by_page"`  // on pages that nothing leads to
	Frame  int64  `json:"by_frame"` // of an older frame of a write-ahead log
	Digest string `json:"digest"`   // over all rows as they were put in; the new file was read back and gives the same
	Lost   int    `json:"places_lost"`

	sum uint64
}

// Account says what became of every id from 1 to the highest that was ever given.
type Account struct {
	HighWater int64     `json:"high_water"`
	Recovered []Range   `json:"recovered"`
	Elsewhere []Range   `json:"recovered_from_elsewhere"` // not by the table of the newest image
	Torn      []Range   `json:"recovered_in_part"`
	Deleted   []Range   `json:"deleted"`
	Lost      []Range   `json:"lost"`
	Known     []LostRow `json:"lost_known"` // what an index still says of lost ones; no more than a thousand
	How       string    `json:"how"`        // how deleted ones were told from lost ones
}

// LostRow is what an index still says of a message that is gone.
type LostRow struct {
	ID      int64    `json:"id"`
	Session string   `json:"session_id"`
	At      *float64 `json:"timestamp"` // epoch seconds; null = not known
}

// Made is a row that was made so that others can stand.
type Made struct {
	Table string `json:"table"`
	Key   string `json:"key"`
	Why   string `json:"why"`
}

// Left is a row that was read and not taken over, or not as it is.
type Left struct {
	Table string `json:"table"`
	RowID int64  `json:"rowid"`
	Image string `json:"image"`
	Found string `json:"found"`
	Why   string `json:"why"`
}

// maxLeft bounds lists of single rows.
const maxLeft = 1000

func (m *Manifest) leave(l Left) {
	if m.LeftAll++; len(m.Left) < maxLeft {
		m.Left = append(m.Left, l)
	}
}
