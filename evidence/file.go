package evidence

import (
	"io/fs"
	"os"
	"time"
)

// stat is what custody compares besides the content.
type stat struct {
	size     int64
	modified time.Time
	mode     fs.FileMode
}

func statOf(info fs.FileInfo) stat {
	return stat{size: info.Size(), modified: info.ModTime(), mode: info.Mode()}
}

// openRegular opens a regular file for reading and never waits: a pipe is refused before it is opened, and one
// that takes the file's place meanwhile is not waited for. The last element of path must not be a link.
func openRegular(path string) (*os.File, fs.FileInfo, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, info, notAFile(path, info.Mode())
	}
	f, err := os.OpenFile(path, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, nil, err
	}
	if info, err = f.Stat(); err == nil && !info.Mode().IsRegular() {
		err = notAFile(path, info.Mode())
	}
	if err != nil {
		_ = f.Close() // opened for reading
		return nil, nil, err
	}
	return f, info, nil
}
