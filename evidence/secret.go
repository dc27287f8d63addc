package evidence

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// secretPart is how many bytes of a file count for a secret: enough that nobody guesses them, and no hour of reading.
const secretPart = 256 << 20

// Secret is a key that only who has the given files can know: a hash over what they hold, which no other hash of them
// gives away. purpose makes keys for different uses independent. Of a folder every file counts but logs and git objects.
// The same files give the same key; their names do not count. Where there is no file it is an error: anybody can make that key.
func Secret(ctx context.Context, purpose string, paths []string) (key [sha256.Size]byte, err error) {
	var sums []string
	for _, path := range paths {
		top, err := filepath.EvalSymlinks(path) // a walk does not follow a link that it begins with
		if err != nil {
			return key, fmt.Errorf("make a key from %q: %w", path, bare(err))
		}
		err = filepath.WalkDir(top, func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case ctx.Err() != nil:
				return ctx.Err()
			case d.IsDir() && name != top && (d.Name() == "objects" || d.Name() == "logs"):
				return fs.SkipDir
			}
			info, err := os.Stat(name)
			if err != nil || !info.Mode().IsRegular() {
				return nil // a link to nowhere or a pipe holds nothing
			}
			sum, err := secretSum(ctx, purpose, name)
			sums = append(sums, sum)
			return err
		})
		if err != nil {
			return key, fmt.Errorf("make a key from %q: %w", path, bare(err))
		}
	}
	if len(sums) == 0 {
		return key, errors.New("make a key: no file is given")
	}
	slices.Sort(sums)
	return sha256.Sum256([]byte(purpose + "\x00" + strings.Join(sums, "\x00"))), nil
}

// secretSum hashes a file behind a purpose, so that the hash cannot be had from that of the file.
func secretSum(ctx context.Context, purpose, path string) (string, error) {
	f, _, err := openRegular(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // opened for reading
	h := sha256.New()
	_, _ = io.WriteString(h, purpose+"\x00") // documented never to fail
	left := int64(secretPart)
	err = readAhead(ctx, f, func(block []byte) {
		block = block[:min(left, int64(len(block)))]
		left -= int64(len(block))
		_, _ = h.Write(block)
	})
	return string(h.Sum(nil)), err
}
