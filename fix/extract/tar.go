package extract

import (
	"archive/tar"
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan/contents"
)

// Stamp is what an archive says of the checkpoint that it holds.
type Stamp struct {
	Commit   evidence.ObjectID // as `git archive` notes it, in a global header; the zero id = none
	Modified time.Time         // of every entry
}

// Tar delivers a plan into a new tar file that only its owner may read. A file that is there already is refused with
// fs.ErrExist. With an error, nothing is left. The same plan and stamp give the same bytes.
func Tar(ctx context.Context, r Source, plan *contents.Plan, path string, s Stamp) (*Outcome, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("make the archive: %w", err)
	}
	buffered := bufio.NewWriterSize(f, 1<<16)
	w := &tarWriter{r: r, tar: tar.NewWriter(buffered), stamp: s, out: begin(plan)}
	err = w.all(ctx, plan)
	for _, finish := range []func() error{w.tar.Close, buffered.Flush, f.Sync} {
		if err == nil {
			err = finish()
		}
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("write the archive: %w", err), os.Remove(path))
	}
	return w.out, nil
}

type tarWriter struct {
	r      Source
	tar    *tar.Writer
	stamp  Stamp
	out    *Outcome
	buffer bytes.Buffer
}

func (w *tarWriter) all(ctx context.Context, plan *contents.Plan) error {
	if !w.stamp.Commit.IsZero() {
		head := &tar.Header{Typeflag: tar.TypeXGlobalHeader, Name: "pax_global_header", PAXRecords: map[string]string{"comment": w.stamp.Commit.String()}}
		if err := w.tar.WriteHeader(head); err != nil {
			return err
		}
	}
	do := func(i contents.Item) error {
		if err := w.item(i); err != nil {
			return w.out.fail(i, err)
		}
		return nil
	}
	// Links come last: where two names are one to whoever unpacks this, nothing is written through a link.
	if err := each(ctx, plan, do, contents.Folder, contents.File, contents.Executable); err != nil {
		return err
	}
	return each(ctx, plan, do, contents.Link)
}

func (w *tarWriter) item(i contents.Item) error {
	h := &tar.Header{Name: i.Target, ModTime: w.stamp.Modified}
	switch i.Kind() {
	case contents.Folder:
		h.Typeflag, h.Name, h.Mode = tar.TypeDir, i.Target+"/", 0o755
		w.out.Folders++
		return w.tar.WriteHeader(h)
	case contents.Link:
		target, err := linkTarget(w.r, i.ID)
		if err != nil {
			return err
		}
		h.Typeflag, h.Linkname, h.Mode = tar.TypeSymlink, target, 0o777
		w.out.Links++
		return w.tar.WriteHeader(h)
	}
	h.Typeflag, h.Mode = tar.TypeReg, int64(permission(i))
	return w.file(i, h)
}

// inMemory is how large a file may be to be read once; a larger one is read twice, since a header must not promise a
// content that turns out to be damaged.
const inMemory = 16 << 20

func (w *tarWriter) file(i contents.Item, h *tar.Header) error {
	st, err := w.r.Stat(i.ID)
	if err != nil {
		return err
	}
	w.buffer.Reset()
	var content func() (int64, error)
	if st.Size <= inMemory {
		if _, err := w.r.Blob(i.ID, &w.buffer); err != nil {
			return err
		}
		h.Size = int64(w.buffer.Len())
		content = func() (int64, error) { return w.buffer.WriteTo(w.tar) }
	} else {
		if h.Size, err = w.r.Blob(i.ID, io.Discard); err != nil {
			return err
		}
		content = func() (int64, error) { return w.r.Blob(i.ID, w.tar) }
	}
	if err := w.tar.WriteHeader(h); err != nil {
		return err
	}
	n, err := content()
	if err != nil {
		// Half of a content is in the archive: this is no longer about one file.
		return fmt.Errorf("a content changed while it was read: %s", err.Error())
	}
	w.out.Files++
	w.out.Bytes += n
	return nil
}
