package fix

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/fix/internal/write"
)

// Verified is what a second look at a receipt found.
type Verified struct {
	Receipt *Receipt
	Checks  []Verification
}

// Verification is one statement of a receipt, looked at again.
type Verification struct {
	Name string // "backup", "journal", "result" (its bytes), "rows" (what it shows)
	Path string
	OK   bool
	Text string
}

// Good says that everything holds.
func (v *Verified) Good() bool {
	for _, c := range v.Checks {
		if !c.OK {
			return false
		}
	}
	return true
}

// Verify hashes and reads again what a receipt names: the backup's files, the undo journal, the bytes of the result and
// its rows. tempDir is for private copies; "" = os.TempDir(). The error is a
// *RecordError for a receipt that cannot be read or is none, or that of ctx.
func Verify(ctx context.Context, receipt, tempDir string) (*Verified, error) {
	files := write.OS{}
	r, err := readReceipt(files, receipt)
	if err != nil {
		return nil, err
	}
	v := &Verified{Receipt: r}
	for _, f := range r.Backup.Files {
		v.hash(ctx, files, "backup", f.Path, f.SHA256)
	}
	v.hash(ctx, files, "journal", r.Journal, r.JournalS)
	if _, err := readJournal(files, r.Journal); err != nil {
		v.add("journal", r.Journal, false, oneLine(err))
	}
	v.hash(ctx, files, "result", r.Result, r.After)
	v.rows(ctx, r, tempDir)
	return v, ctx.Err()
}

func (v *Verified) add(name, path string, ok bool, text string) {
	v.Checks = append(v.Checks, Verification{name, path, ok, text})
}

func (v *Verified) hash(ctx context.Context, files write.FS, name, path, want string) {
	sum, err := write.Hash(ctx, files, path)
	switch {
	case err != nil:
		v.add(name, path, false, "it cannot be read: "+oneLine(err))
	case sum.SHA256 != want:
		v.add(name, path, false, "its bytes are not those of the receipt")
	default:
		v.add(name, path, true, "its bytes are those of the receipt")
	}
}

// rows reads the result again.
func (v *Verified) rows(ctx context.Context, r *Receipt, tempDir string) {
	bundle, err := evidence.Open(ctx, []string{r.Result}, evidence.Options{TempDir: tempDir, NoCheckpoints: true})
	if err != nil {
		v.add("rows", r.Result, false, "it cannot be opened: "+oneLine(err))
		return
	}
	if len(bundle.Stores) != 1 {
		v.add("rows", r.Result, false, oneLine(errors.Join(errors.New("it is not one database"), bundle.Close())))
		return
	}
	err = sound(ctx, bundle.Stores[0].DB, r.Result)
	var rows write.Digest
	if err == nil {
		rows, err = write.DigestOf(ctx, bundle.Stores[0].DB)
	}
	err = errors.Join(err, bundle.Close())
	switch {
	case err != nil:
		v.add("rows", r.Result, false, "it cannot be read as a whole: "+oneLine(err))
	case rows.Sum() != r.RowsNow:
		v.add("rows", r.Result, false, "it shows other rows than the repair left")
	default:
		v.add("rows", r.Result, true, fmt.Sprintf("it shows the rows that the repair left, %d cells changed", r.Applied))
	}
}
