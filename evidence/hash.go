package evidence

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
)

// hashBlock is how much is read at a time. Two blocks are alive: one is hashed while the next is read.
const hashBlock = 256 << 10

// hashFile gives the SHA-256 of what path holds and the number of bytes. step is told each block's length.
func hashFile(ctx context.Context, path string, step func(n int)) (sum string, size int64, err error) {
	f, _, err := openRegular(path)
	if err != nil {
		return "", 0, err
	}
	defer func() { _ = f.Close() }() // opened for reading
	h := sha256.New()
	err = readAhead(ctx, f, func(block []byte) {
		_, _ = h.Write(block) // documented never to fail
		size += int64(len(block))
		step(len(block))
	})
	if err != nil {
		return "", 0, err
	}
	return hex.EncodeToString(h.Sum(nil)), size, nil
}

// readAhead gives fn the file block by block while a second goroutine reads the next one.
func readAhead(ctx context.Context, f *os.File, fn func(block []byte)) error {
	// The caller may be bound to its thread, and blocks handed to it would each cost a change of threads.
	ended := make(chan error, 1)
	go func() { ended <- consume(ctx, f, fn) }()
	return <-ended
}

func consume(ctx context.Context, f *os.File, fn func(block []byte)) error {
	free, full := make(chan []byte, 2), make(chan []byte, 1)
	stop := make(chan struct{})
	defer close(stop)
	free <- make([]byte, hashBlock)
	free <- make([]byte, hashBlock)
	failed := make(chan error, 1)
	go func() {
		defer close(full)
		for {
			var block []byte
			select {
			case block = <-free:
			case <-stop:
				return
			}
			n, err := io.ReadFull(f, block[:hashBlock])
			if n > 0 {
				select {
				case full <- block[:n]:
				case <-stop:
					return
				}
			}
			switch err {
			case nil:
			case io.EOF, io.ErrUnexpectedEOF:
				return
			default:
				failed <- err
				return
			}
		}
	}()
	for block := range full {
		if err := ctx.Err(); err != nil {
			return err
		}
		fn(block)
		free <- block
	}
	select {
	case err := <-failed:
		return err
	default:
		return ctx.Err()
	}
}
