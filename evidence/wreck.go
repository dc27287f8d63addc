package evidence

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence/internal/pages"
)

// Wreck is a database and what lies beside it as bytes, for taking rows out that SQLite no longer gives. Nothing of it is
// run: schemas are read as text, rows as records.
type Wreck struct {
	// Images are the best first: the database with its -wal, the database alone, the frames of the -wal, then each capture. A
	// -wal that is proved not to belong to the database is only among them as frames.
	Images []*Image
	Files  []WreckFile

	open []*os.File
}

// WreckFile is one file that was read.
type WreckFile struct {
	Path   string // as the caller named it
	Bytes  int64
	SHA256 string // when it was opened; see Wreck.Changed

	real string
}

// Image is one way to put the bytes together into a database, or the bare frames of a write-ahead log.
type Image struct {
	Name  string // such as "state.db with its -wal"
	Notes []string
	// Newest says that this is what the product itself would read: what is not in it was deleted or is lost.
	Newest bool
	// Foreign are proofs that the frames, of a -wal beside a database, do not belong to it; nil = none was found.
	Foreign []string
	// Header says that the first bytes were made up, because those of the file are no header.
	Header bool

	tree    *pages.File
	wal     *pages.WAL
	scan    *pages.WALScan
	entries []pages.Entry
	tables  []DeclaredTable // by entry; of what is no ordinary table: without a name
	assumed []DeclaredTable // where the schema cannot be read
}

// OpenWreck opens a database with its -wal and, as captures, the files and folders in more: a -wal, a copy of the database, or a
// folder with either. A damaged header is no obstacle. The caller must Close it.
func OpenWreck(ctx context.Context, path string, more []string) (_ *Wreck, err error) {
	w := &Wreck{}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.Close())
		}
	}()
	if err := w.set(ctx, path, "", true); err != nil {
		return nil, err
	}
	for _, m := range more {
		if err := w.capture(ctx, m); err != nil {
			return nil, err
		}
	}
	if len(w.Images) == 0 {
		return nil, &InputError{Path: path, Reason: "holds no page of a database", Next: restore}
	}
	return w, nil
}

// Close closes the files.
func (w *Wreck) Close() error {
	var errs []error
	for _, f := range w.open {
		errs = append(errs, f.Close())
	}
	w.open = nil
	return errors.Join(errs...)
}

// Changed names the files whose bytes are no longer those that were read.
func (w *Wreck) Changed(ctx context.Context) ([]string, error) {
	var out []string
	for _, f := range w.Files {
		sum, _, err := hashFile(ctx, f.real, func(int) {})
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil || sum != f.SHA256 {
			out = append(out, f.Path)
		}
	}
	return out, nil
}

// add opens one file for reading; nil where there is none.
func (w *Wreck) add(ctx context.Context, path string) (*os.File, int64, error) {
	real, err := filepath.EvalSymlinks(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, unreachable(path, err)
	}
	f, info, err := openRegular(real)
	if err != nil {
		return nil, 0, unreachable(path, err)
	}
	w.open = append(w.open, f)
	sum, size, err := hashFile(ctx, real, func(int) {})
	if err != nil {
		if ctx.Err() != nil {
			return nil, 0, ctx.Err()
		}
		return nil, 0, unreachable(path, err)
	}
	if size != info.Size() {
		return nil, 0, fmt.Errorf("read %q: %w", path, ErrChanged)
	}
	w.Files = append(w.Files, WreckFile{Path: path, Bytes: size, SHA256: sum, real: real})
	return f, size, nil
}

// set opens a database and its -wal.
func (w *Wreck) set(ctx context.Context, path, capture string, newest bool) error {
	f, size, err := w.add(ctx, path)
	if err != nil {
		return err
	}
	name := filepath.Base(path)
	if capture != "" {
		name = "capture " + capture
	}
	if f == nil && capture == "" {
		return unreachable(path, os.ErrNotExist)
	}
	wf, walSize, err := w.add(ctx, path+"-wal")
	if err != nil {
		return err
	}
	var wal *pages.WAL
	var scan *pages.WALScan
	var walNote string
	var foreign []string
	if wf != nil && walSize > 0 {
		if wal, err = pages.OpenWAL(wf, walSize); err != nil {
			walNote = "the -wal is not used: " + oneLine(err)
			wal = nil
		} else if scan, err = wal.Scan(ctx); err != nil {
			return fmt.Errorf("read %q: %w", path+"-wal", bare(err))
		} else if f != nil {
			if foreign, _, err = proofs(ctx, wal, scan, f, size); err != nil {
				return err
			}
		}
	}
	with := wal != nil && scan.Commits > 0 && foreign == nil
	if with && f != nil {
		overlay, err := pages.NewOverlay(f, size, wal, scan)
		if err == nil {
			if err := w.image(ctx, &Image{Name: name + " with its -wal", Newest: newest}, overlay, overlay.Size()); err != nil {
				return err
			}
			newest = newest && len(w.Images) == 0
		} else {
			walNote = "the -wal is not laid over it: " + oneLine(err)
		}
	}
	if f != nil && size > 0 {
		i := &Image{Name: name + " alone", Newest: newest}
		if wal == nil {
			i.Name = name
		}
		if walNote != "" {
			i.Notes = append(i.Notes, walNote)
		}
		if err := w.image(ctx, i, f, size); err != nil {
			return err
		}
	}
	if wal != nil {
		i := &Image{Name: name + ": frames of the -wal", Foreign: foreign, wal: wal, scan: scan}
		if foreign != nil {
			i.Notes = append(i.Notes, "the -wal does not belong to the file beside it: "+foreign[0])
		}
		w.Images = append(w.Images, i)
	}
	return nil
}

// capture opens what somebody set aside: a folder with a database, a -wal or both, or one of these.
func (w *Wreck) capture(ctx context.Context, path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return unreachable(path, err)
	}
	label := filepath.Base(path)
	if info.IsDir() {
		return w.set(ctx, filepath.Join(path, stateDB), label, false)
	}
	if strings.HasSuffix(path, "-wal") {
		f, size, err := w.add(ctx, path)
		if err != nil {
			return err
		}
		wal, err := pages.OpenWAL(f, size)
		if err != nil {
			return &InputError{Path: path, Reason: "is no write-ahead log: " + oneLine(err), Next: "name a -wal, a database or a folder with them", Err: err}
		}
		scan, err := wal.Scan(ctx)
		if err != nil {
			return fmt.Errorf("read %q: %w", path, bare(err))
		}
		w.Images = append(w.Images, &Image{Name: "capture " + label + ": frames of the -wal", wal: wal, scan: scan})
		return nil
	}
	return w.set(ctx, path, label, false)
}

// image takes over bytes as a database, with a header that is made up where theirs is none.
func (w *Wreck) image(ctx context.Context, i *Image, r io.ReaderAt, size int64) error {
	tree, err := pages.Open(r, size)
	if errors.Is(err, pages.ErrNotDatabase) {
		head := make([]byte, headerLength)
		if n, err := r.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) && n < headerLength {
			return fmt.Errorf("read %s: %w", i.Name, bare(err))
		}
		ps := pageSizeOf(r, size, 8*sampledPages, 0)
		if ps == 0 {
			return nil
		}
		if tree, err = pages.Open(&madeHeader{r, headers(head, ps, size, false)[0]}, size); err != nil {
			return nil
		}
		i.Header = true
		i.Notes = append(i.Notes, fmt.Sprintf("its first bytes are no header: pages of %d bytes are assumed, by what they look like", ps))
	} else if errors.Is(err, pages.ErrCorrupt) { // its first page is nowhere
		return nil
	} else if err != nil {
		return fmt.Errorf("read %s: %w", i.Name, bare(err))
	}
	i.tree = tree
	if i.entries, err = tree.SchemaRows(ctx); err != nil && !errors.Is(err, pages.ErrCorrupt) && !errors.Is(err, pages.ErrWithoutRowid) {
		return fmt.Errorf("read %s: %w", i.Name, bare(err))
	}
	if err != nil {
		i.Notes = append(i.Notes, "a part of its list of tables cannot be read: "+oneLine(err))
	}
	for _, e := range i.entries {
		t, ok := ParseTable(e.SQL)
		if e.Type != "table" || e.Root == 0 || !ok {
			t = DeclaredTable{}
		}
		i.tables = append(i.tables, t)
	}
	w.Images = append(w.Images, i)
	return nil
}

// madeHeader shows a file with other first bytes.
type madeHeader struct {
	r    io.ReaderAt
	head []byte
}

func (m *madeHeader) ReadAt(b []byte, at int64) (int, error) {
	n, err := m.r.ReadAt(b, at)
	if at < int64(len(m.head)) {
		copy(b[:n], m.head[at:])
	}
	return n, err
}

// Schema gives the texts of the schema that make tables and indexes, as the file has them.
func (i *Image) Schema() (tables []DeclaredTable, indexes map[string][]string) {
	indexes = map[string][]string{}
	for k, e := range i.entries {
		switch {
		case i.tables[k].Name != "":
			tables = append(tables, i.tables[k])
		case e.Type == "index":
			indexes[e.Name] = indexColumns(e.SQL)
		}
	}
	return tables, indexes
}

// ApplicationID is the number at offset 68 of the header; 0 where the header is made up.
func (i *Image) ApplicationID() uint32 {
	if i.tree == nil || i.Header {
		return 0
	}
	return i.tree.Header().ApplicationID
}

// Assume gives the tables that rows are matched with where the image's own schema does not say.
func (i *Image) Assume(tables []DeclaredTable) { i.assumed = tables }

// Holds says whether the schema names an ordinary table.
func (i *Image) Holds(table string) bool {
	return slices.ContainsFunc(i.tables, func(t DeclaredTable) bool { return strings.EqualFold(t.Name, table) })
}
