package gittest

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// File is one entry of a tree, as a line of a table: its mode as git spells it, such as "100644", its path, and the
// content of a file, the target of a link or the 40 or 64 digits of an id.
type File [3]string

func (f File) parts() (mode, path, content string) { return f[0], f[1], f[2] }

// Stream adds files to a stream of fast-import, behind the head of a commit.
func Stream(b *bytes.Buffer, files ...File) {
	for _, f := range files {
		mode, path, content := f.parts()
		if mode == "160000" {
			fmt.Fprintf(b, "M 160000 %s %s\n", content, Quote(path))
			continue
		}
		fmt.Fprintf(b, "M %s inline %s\ndata %d\n%s\n", mode, Quote(path), len(content), content)
	}
}

// Tree writes a tree whose entries stand as they are given, whatever git thinks of them, and gives its id. The content
// of every entry is an id.
func Tree(t testing.TB, dir string, entries ...File) string {
	t.Helper()
	var b bytes.Buffer
	for _, e := range entries {
		mode, path, id := e.parts()
		raw, err := hex.DecodeString(id)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s %s\x00%s", mode, path, raw)
	}
	return Line(t, dir, b.Bytes(), "hash-object", "-t", "tree", "-w", "--literally", "--stdin")
}

// Blob writes a blob and gives its id.
func Blob(t testing.TB, dir, content string) string {
	t.Helper()
	return Line(t, dir, []byte(content), "hash-object", "-w", "--stdin")
}

// Lose deletes a loose object.
func Lose(t testing.TB, dir, id string) {
	t.Helper()
	if err := os.Remove(filepath.Join(dir, "objects", id[:2], id[2:])); err != nil {
		t.Fatal(err)
	}
}
