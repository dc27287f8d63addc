package evidence

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
)

// walkTar takes every member of a tar.gz, in one pass.
func (u *unpacking) walkTar(ctx context.Context, f *os.File, _ int64) error {
	counted := &countingReader{r: f}
	z, err := gzip.NewReader(bufio.NewReaderSize(counted, 1<<18))
	if err != nil {
		return err
	}
	defer func() { _ = z.Close() }() // only tells of errors that reading told
	u.packed = func() int64 { return counted.n }
	// Members that are skipped are unpacked too, so the cap is on all that comes out of the stream.
	t := tar.NewReader(io.LimitReader(z, u.caps.bytes))
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil && !errors.Is(err, tar.ErrInsecurePath) {
			return err
		}
		info := h.FileInfo()
		mode := info.Mode()
		if h.Typeflag != tar.TypeReg {
			mode |= os.ModeIrregular // links above all: a hard link's mode is that of a file
		}
		err = u.take(ctx, member{
			name: h.Name, size: h.Size, modified: h.ModTime, mode: mode,
			open: func() (io.ReadCloser, error) { return io.NopCloser(t), nil },
		})
		if err != nil {
			return err
		}
	}
}

// countingReader counts what was read of the packed file.
type countingReader struct {
	r io.Reader
	n int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}
