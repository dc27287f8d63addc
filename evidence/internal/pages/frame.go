package pages

import (
	"bytes"
	"fmt"
	"io"
)

// Frame gives the page of frame i, valid or not, as page 2 of a small file of its own, so that its rows can be read where they do
// not overflow; nil for a frame of page 1 or that is no page of a tree. page is the number that the frame names.
func (w *WAL) Frame(i int64) (page uint32, tree *File, err error) {
	b := make([]byte, w.frameSize())
	if _, err := readFull(w.r, b, w.frameAt(i)); err != nil {
		return 0, nil, fmt.Errorf("read wal frame %d: %w", i, err)
	}
	fr := parseFrame(b)
	content := b[frameHeaderSize:]
	if fr.page < 2 || !LooksLikeTree(content, len(content)) {
		return fr.page, nil, nil
	}
	ps := w.header.PageSize
	f := &File{r: io.NewSectionReader(bytes.NewReader(append(make([]byte, ps), content...)), 0, int64(2*ps)), size: int64(2 * ps), pages: 2, usable: ps}
	f.header = Header{PageSize: ps, Encoding: UTF8}
	f.bounds()
	return fr.page, f, nil
}
