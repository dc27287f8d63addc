package fix

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/seed-4d3eb737/hermes-doctor/fix/internal/write"
)

// writeJournal puts the undo journal on disk, before anything is written to the database.
func (j *job) writeJournal() error {
	record := journal{Schema: 1, Kind: journalKind, Of: j.of, Made: stamp(j.Backup.now()), Database: j.out.Target, Digest: j.digest, Backup: j.path, Plan: j.plan}
	for _, m := range j.set {
		record.Files = append(record.Files, FileSum{m.path, m.sum.Bytes, m.sum.SHA256})
	}
	for _, s := range j.steps {
		record.Cells = append(record.Cells, cellOf(s))
	}
	for _, l := range j.links {
		record.Links = append(record.Links, l.printable())
	}
	data, err := record.encode()
	if err != nil {
		return refuse(CodeJournal, "spell the undo journal", err)
	}
	path := j.stem + journalEnd
	err = write.Put(j.files, path, data)
	if _, serr := os.Lstat(path); !errors.Is(serr, fs.ErrNotExist) {
		j.named = true // although something may have failed after it got its name
	}
	if err != nil {
		return refuse(CodeJournal, "write the undo journal", err)
	}
	j.journal, j.out.Journal, j.journalSum = path, path, sumOf(data)
	if _, err := readJournal(j.files, path); err != nil {
		return refuse(CodeJournal, "read the undo journal back", err)
	}
	return nil
}

// writeReceipt writes what was done and what came of it.
func (j *job) writeReceipt(ctx context.Context, oneFile bool, put func(write.FS, string, []byte) error) error {
	sum, err := write.Hash(ctx, j.files, j.out.Target)
	if err != nil {
		return err
	}
	r := &Receipt{
		Schema: 1, Kind: receiptKind, Of: j.of, Made: stamp(j.Backup.now()), Database: j.source, Result: j.out.Target,
		Digest: j.digest, Before: j.set[0].sum.SHA256, After: sum.SHA256, RowsNow: j.result.Sum(),
		Backup:  ReceiptBackup{Path: j.path, SHA256: j.SHA256(), Integrity: "ok", RowsEqual: true, Files: j.Files()},
		Journal: j.journal, JournalS: j.journalSum, Plan: j.plan, Applied: len(j.changes), Verified: true, OneFile: oneFile,
	}
	for _, m := range j.set {
		r.Files = append(r.Files, FileSum{m.path, m.sum.Bytes, m.sum.SHA256})
	}
	for _, s := range j.steps {
		r.Steps = append(r.Steps, s.ID)
	}
	for _, l := range j.links {
		r.Links = append(r.Links, l.printable())
	}
	data, err := r.encode()
	if err != nil {
		return err
	}
	path := j.stem + receiptEnd
	if err := put(j.files, path, data); err != nil {
		return err
	}
	j.out.Receipt, j.out.ReceiptPath = r, path
	return nil
}

// What the names of a journal and of a receipt end with, behind the stem that they share with the backup.
const (
	journalEnd = ".undo.json"
	receiptEnd = ".receipt.json"
)

// stamp spells a time as journals and receipts do.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// printable makes a link that JSON holds as it is.
func (l Link) printable() Link {
	l.SessionID, l.Predecessor, l.SessionKey = utf8Only(l.SessionID), utf8Only(l.Predecessor), utf8Only(l.SessionKey)
	return l
}

func utf8Only(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
