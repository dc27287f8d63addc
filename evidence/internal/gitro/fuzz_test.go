package gitro

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// deflated is some data in every way that deflate has of storing it.
func deflated(data []byte) [][]byte {
	var all [][]byte
	for _, level := range []int{0, 1, 6, 9, zlib.HuffmanOnly} {
		var b bytes.Buffer
		w, err := zlib.NewWriterLevel(&b, level)
		if err != nil {
			panic(err)
		}
		_, _ = w.Write(data)
		_ = w.Close()
		all = append(all, b.Bytes())
	}
	return all
}

// The own inflater and the standard library's agree on what is a stream and on what it holds.
func FuzzInflate(f *testing.F) {
	for _, data := range [][]byte{nil, []byte("a"), bytes.Repeat([]byte("abc"), 500), binary.AppendUvarint(nil, 1<<60), make([]byte, 70_000)} {
		for _, z := range deflated(data) {
			f.Add(z)
			f.Add(z[:len(z)/2])
		}
	}
	f.Add([]byte{0x78, 0x9c, 0x07})
	var z inflater
	f.Fuzz(func(t *testing.T, in []byte) {
		const limit = 1 << 20
		got, used, err := z.zlib(in, make([]byte, 16), func(out []byte) ([]byte, error) {
			if len(out) >= limit {
				return nil, errRoom
			}
			return append(out, make([]byte, len(out))...), nil
		})
		r, rerr := zlib.NewReader(bytes.NewReader(in))
		var want []byte
		if rerr == nil {
			want, rerr = io.ReadAll(io.LimitReader(r, limit+1))
		}
		if len(want) >= limit {
			return
		}
		if (err == nil) != (rerr == nil) {
			t.Fatalf("own: %v, standard library: %v", err, rerr)
		}
		if err != nil {
			return
		}
		if !bytes.Equal(got, want) {
			t.Fatalf("own gives %d bytes, the standard library %d others", len(got), len(want))
		}
		exact, again, err := z.zlib(in[:used], make([]byte, len(want)), nil)
		if err != nil || again != used || !bytes.Equal(exact, want) {
			t.Fatalf("into exact room: %d bytes, %d used, %v; want %d, %d", len(exact), again, err, len(want), used)
		}
		head, err := z.begin(in, make([]byte, min(len(want), 7)))
		if err != nil || !bytes.Equal(head, want[:min(len(want), 7)]) {
			t.Fatalf("the first bytes are %q, %v; want %q", head, err, want[:min(len(want), 7)])
		}
	})
}

func FuzzPatch(f *testing.F) {
	f.Add([]byte("base"), []byte{4, 6, 0x90, 4, 2, 'x', 'y'})
	f.Add([]byte("base"), []byte{4, 0xff, 0xff, 0xff, 0xff, 0x7f, 0x80})
	f.Fuzz(func(t *testing.T, base, delta []byte) {
		to, steps, err := deltaFor(base, delta, 1<<20)
		if err != nil {
			return
		}
		if to > 1<<20 {
			t.Fatalf("%d bytes, beyond the limit", to)
		}
		out := make([]byte, to)
		if err := patch(out, base, steps); err != nil && FaultOf(err) != FaultCorrupt {
			t.Fatal(err)
		}
	})
}

// small are limits under which a hostile file can cost little.
func small() Limits {
	return Limits{Object: 1 << 20, Stream: 1 << 20, Chain: 50, Depth: 20, Entries: 1000, Trees: 1000, Objects: 10_000, Packs: 4, Refs: 100, Commits: 100, Work: 16 << 20}
}

// readAll opens a repository and reads everything in it.
func readAll(t *testing.T, dir string) {
	t.Helper()
	folder, err := OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = folder.Close() }()
	repo, err := Open(folder, "", small())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = repo.Close() }()
	r := repo.Reader()
	defer func() { _ = r.Close() }()
	var all []ID
	for n := range Number(repo.Objects()) {
		if id, err := r.Name(n); err == nil {
			all = append(all, id)
		}
	}
	for _, id := range all[:min(len(all), 50)] {
		_, _, _ = r.Object(id)
		_, _ = r.Stat(id)
		_, _ = r.Blob(id, io.Discard)
		_, _ = r.Chain(id)
		_ = r.Walk(t.Context(), id, WalkOptions{Limit: 1000}, func([]byte, TreeEntry, error) error { return nil })
	}
	c, err := repo.Census(t.Context(), all[:min(len(all), 50)], CensusOptions{Blobs: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range c.Damage() {
		c.Path(r, d.ID)
	}
	_ = r.Unreached(t.Context(), c.Reached(), 0, func(ID, ObjectStat, error) error { return nil })
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func FuzzLoose(f *testing.F) {
	for _, text := range []string{"blob 3\x00abc", "tree 0\x00", "blob 99999999999999999\x00", "blob 03\x00abc", "tree 28\x00" + "40000 a\x00" + "aaaaaaaaaaaaaaaaaaaa"} {
		for _, z := range deflated([]byte(text)) {
			f.Add(z)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "objects/f2/ba8f84ab5c1bce84a7b441cb1959cfc7093b7f"), data)
		readAll(t, dir)
	})
}

// seedPack is a pack of two blobs, the second a delta of the first, and its index, as git makes them.
func seedPack() (pack, idx string) {
	return "testdata/small.pack", "testdata/small.idx"
}

func FuzzPack(f *testing.F) {
	packFile, idxFile := seedPack()
	pack, err := os.ReadFile(packFile)
	if err != nil {
		f.Fatal(err)
	}
	idx, err := os.ReadFile(idxFile)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(pack, idx)
	f.Add(pack[:len(pack)-7], idx)
	f.Add(pack, idx[:len(idx)-9])
	f.Fuzz(func(t *testing.T, pack, idx []byte) {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "objects/pack/pack-1.pack"), pack)
		write(t, filepath.Join(dir, "objects/pack/pack-1.idx"), idx)
		readAll(t, dir)
	})
}

func FuzzText(f *testing.F) {
	f.Add([]byte("# pack-refs with: peeled\n0123456789012345678901234567890123456789 refs/hermes/a\n^01\n"))
	f.Add([]byte("[core]\n\tbare = true ; x\n[remote \"a\\\"b\"]\nurl = \"x y\" \\\n z\n"))
	f.Add([]byte("tree 0123456789012345678901234567890123456789\nauthor a <b> 1 +0000\ncommitter a <b> 99999999999999999999 +0\n\nx\n"))
	f.Add([]byte("40000 a\x00aaaaaaaaaaaaaaaaaaaa100644 b\x00bbbbbbbbbbbbbbbbbbbb"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, format := range []Format{SHA1, SHA256} {
			ParsePackedRefs(data, format, func(_ int, name string, id ID, flaw string) bool {
				if flaw == "" && (name == "" || id.IsZero()) {
					t.Fatalf("a ref without name or id: %q %s", name, id)
				}
				return true
			})
			if c, err := ParseCommit(data, format); err == nil && c.Tree.size == 0 {
				t.Fatal("a commit without a tree")
			}
			entries, _ := ParseTree(data, format, 100)
			if len(entries) > 100 {
				t.Fatalf("%d entries, beyond the limit", len(entries))
			}
			for _, e := range entries {
				if len(e.Name) == 0 || bytes.IndexByte(e.Name, 0) >= 0 {
					t.Fatalf("an entry with the name %q", e.Name)
				}
			}
		}
		ParseConfig(data)
	})
}
