package evidence

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
)

// packedEnd ends the name of a file that gzip packed.
const packedEnd = ".gz"

// The bounds of what a packed file may grow to. Logs shrink to a tenth or a fiftieth; what grows a thousandfold was made
// to do so.
const (
	inflatedRatio = 250
	inflatedFree  = 4 << 20 // bytes that are not held against the ratio
	inflatedBlock = 256 << 10
)

var errRatio = fmt.Errorf("it grows to more than %d times its size", inflatedRatio)

// inflate is stream for a file that gzip packed: custody gets the file as it is, fn what was packed in it. When fn has
// enough and says false, the rest is only hashed.
func (h *Home) inflate(ctx context.Context, rel string, role Role, fn func(block []byte) bool) error {
	from, to := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := unpack(from, fn)
		_ = from.CloseWithError(io.ErrClosedPipe) // documented to be nil; what is still written goes nowhere
		ended <- err
	}()
	err := h.stream(ctx, rel, role, func(block []byte) { _, _ = to.Write(block) })
	_ = to.CloseWithError(err) // documented to be nil
	inside := <-ended
	if err != nil {
		return err
	}
	return inside
}

// counted counts what is read.
type counted struct {
	io.Reader
	n int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += int64(n)
	return n, err
}

// unpack gives fn what gzip packed, block by block; every block but the last is full.
func unpack(r io.Reader, fn func(block []byte) bool) error {
	in := &counted{Reader: r}
	z, err := gzip.NewReader(bufio.NewReaderSize(in, inflatedBlock))
	if err != nil {
		return fmt.Errorf("unpack: %w", err)
	}
	block, out := make([]byte, inflatedBlock), int64(0)
	for {
		n, err := fill(z, block)
		if out += int64(n); out > inflatedFree+inflatedRatio*in.n {
			return errRatio
		}
		if n > 0 && !fn(block[:n]) {
			return nil
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("unpack: %w", err)
		}
	}
}

// fill reads until block is full. Unlike io.ReadFull it tells the end of a packed file from one that is cut.
func fill(r io.Reader, block []byte) (n int, err error) {
	for n < len(block) && err == nil {
		var k int
		k, err = r.Read(block[n:])
		n += k
	}
	return n, err
}
