package bundle

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Pack writes the files below dir into w as a zip, in the order of their names.
func Pack(ctx context.Context, dir string, w io.Writer) error {
	z := zip.NewWriter(w)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil || rel == "." {
			return err
		}
		name := filepath.ToSlash(rel)
		info, err := d.Info()
		if err != nil {
			return err
		}
		if d.IsDir() {
			_, err := z.CreateHeader(&zip.FileHeader{Name: name + "/", Modified: info.ModTime().UTC()})
			return err
		}
		to, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: info.ModTime().UTC()})
		if err != nil {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		_, err = io.Copy(to, f)
		return errors.Join(err, f.Close())
	})
	if err := errors.Join(err, z.Close()); err != nil {
		return fmt.Errorf("pack the bundle: %w", err)
	}
	return nil
}
