package pages

import (
	"context"
	"math"
)

// maxSchema bounds the text, in bytes, that Schema keeps.
const maxSchema = 64 << 20

// Entry is one row of sqlite_schema, as it stands there: nothing in it was checked against the tree it names.
type Entry struct {
	Rowid int64
	Type  string // "table", "index", "view", "trigger"
	Name  string
	Table string // tbl_name
	Root  uint32 // root page; 0 for views, triggers and virtual tables, and for a number that is no page
	SQL   string // empty for indexes that a constraint made
}

// Schema reads sqlite_schema, the table whose root is page 1, in order of rowid. Text is given as UTF-8, see
// Encoding.Decode. More than 64 MiB of it is an error that wraps ErrCorrupt.
func (f *File) Schema(ctx context.Context) ([]Entry, error) {
	var entries []Entry
	kept := 0
	err := f.Table(ctx, 1, func(rowid int64, rec *Record) error {
		text := func(i int) string {
			v := rec.Column(i)
			kept += len(v.Bytes)
			if v.Kind != Text || kept > maxSchema {
				return ""
			}
			return f.header.Encoding.Decode(v.Bytes)
		}
		e := Entry{Rowid: rowid, Type: text(0), Name: text(1), Table: text(2), SQL: text(4)}
		if root := rec.Column(3); root.Kind == Int && root.Int > 0 && root.Int <= math.MaxUint32 {
			e.Root = uint32(root.Int)
		}
		if kept += 100; kept > maxSchema { // the 100 stand for the entry itself
			return corrupt(1, "schema of more than %d bytes", maxSchema)
		}
		entries = append(entries, e)
		return nil
	})
	return entries, err
}
