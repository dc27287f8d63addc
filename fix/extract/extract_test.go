package extract_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/fix/extract"
)

// everything is a checkpoint with each kind of entry, under names of each kind that POSIX holds.
func everything(s *store) evidence.ObjectID {
	deep := strings.Repeat("d/", 60) + "file"
	return s.commit(
		file{"100644", "a.txt", "a"}, file{"100644", "empty", ""}, file{"100755", "bin/run", "#!/bin/sh\n"}, file{"120000", "bin/link", "run"},
		file{"120000", "out", "/etc/passwd"}, file{"120000", "up", "../../../../etc"}, file{"120000", "long-link", strings.Repeat("l/", 150)},
		file{"100644", "\xff\xfe/n\xc3\xa9\xff", "bytes"}, file{"100644", "tab\tand\nline", "t"}, file{"100644", `back\slash`, "b"}, file{"100644", " space ", "s"},
		file{"100644", strings.Repeat("n", 250), "long"}, file{"100644", strings.Repeat("m/", 120) + strings.Repeat("n", 120), "longer"}, file{"100644", deep, "deep"},
		file{"160000", "tool", nestedCommit}, file{"160000", "in/side/tool", nestedCommit}, file{"100644", "in/side/file", "f"}, file{"100644", ".gitignore", "x"},
	)
}

// entries lists an archive: kind, mode, name, target and content.
func entries(t *testing.T, archive []byte) (list []string, commit string) {
	t.Helper()
	r := tar.NewReader(bytes.NewReader(archive))
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			slices.Sort(list)
			return list, commit
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeXGlobalHeader {
			commit = h.PAXRecords["comment"]
			continue
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, fmt.Sprintf("%c %o %q %q %q %d", h.Typeflag, h.Mode, h.Name, h.Linkname, content, h.ModTime.Unix()))
	}
}

func TestTarLikeGitArchive(t *testing.T) {
	s := newStore(t)
	commit := everything(s)
	r := s.open()
	plan := s.plan(r, commit, nil)
	path := filepath.Join(t.TempDir(), "out.tar")
	out, err := extract.Tar(t.Context(), r, plan, path, extract.Stamp{Commit: commit, Modified: time.Unix(1790000000, 0)})
	if err != nil {
		t.Fatal(err)
	}
	if out.Files != 12 || out.Links != 4 || len(out.Failed) > 0 {
		t.Errorf("%+v", out)
	}
	archive, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	got, gotCommit := entries(t, archive)
	want, wantCommit := entries(t, s.git(nil, "-c", "tar.umask=0022", "archive", "--format=tar", commit.String()))
	// git makes an empty folder of a nested repository, and so a folder that holds nothing else.
	want = slices.DeleteFunc(want, func(e string) bool { return strings.Contains(e, `tool/"`) })
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-git +got):\n%s", d)
	}
	if gotCommit != wantCommit {
		t.Errorf("commit %q, git %q", gotCommit, wantCommit)
	}
	again := filepath.Join(t.TempDir(), "again.tar")
	if _, err := extract.Tar(t.Context(), r, plan, again, extract.Stamp{Commit: commit, Modified: time.Unix(1790000000, 0)}); err != nil {
		t.Fatal(err)
	}
	if second, err := os.ReadFile(again); err != nil || !bytes.Equal(archive, second) {
		t.Errorf("the same plan gives other bytes (%v)", err)
	}
}

// listing describes a folder as everything describes a checkpoint.
func listing(t *testing.T, dir string) []string {
	t.Helper()
	out := []string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		name := strings.TrimPrefix(path, dir+"/")
		switch {
		case d.Type() == fs.ModeSymlink:
			target, err := os.Readlink(path)
			if err != nil {
				return err
			}
			out = append(out, fmt.Sprintf("120000 %q %q", name, target))
		case d.Type().IsRegular():
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			out = append(out, fmt.Sprintf("100%o %q %q", info.Mode().Perm(), name, content))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(out)
	return out
}

// recorded describes a checkpoint by git's own account.
func (s *store) recorded(commit evidence.ObjectID) []string {
	out := []string{}
	for line := range strings.SplitSeq(strings.TrimSuffix(string(s.git(nil, "ls-tree", "-r", "-z", commit.String())), "\x00"), "\x00") {
		meta, name, _ := strings.Cut(line, "\t")
		f := strings.Fields(meta)
		if f[1] == "blob" {
			out = append(out, fmt.Sprintf("%s %q %q", f[0], name, s.git(nil, "cat-file", "blob", f[2])))
		}
	}
	slices.Sort(out)
	return out
}

func TestFolderHoldsWhatIsRecorded(t *testing.T) {
	s := newStore(t)
	commit := everything(s)
	r := s.open()
	dir := filepath.Join(t.TempDir(), "out")
	out, err := extract.Folder(t.Context(), r, s.plan(r, commit, nil), dir)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(s.recorded(commit), listing(t, dir)); d != "" || len(out.Failed) > 0 {
		t.Errorf("failed %v (-git +got):\n%s", out.Failed, d)
	}
	if info, err := os.Lstat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("mode of the folder: %v, %v", info.Mode(), err)
	}
	if _, err := os.Lstat(filepath.Join(dir, "tool")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("something stands for the nested repository: %v", err)
	}
}

// A missing, an empty and a damaged content are told; the rest is delivered, and nothing of the bad ones is.
func TestDamaged(t *testing.T) {
	s := newStore(t)
	good := file{"100644", "good", "good"}
	commit := s.commit(good, file{"100644", "missing", "m"}, file{"100644", "empty", "e"}, file{"100644", "wrong", "w"}, file{"100644", "cut", strings.Repeat("cut", 9999)},
		file{"120000", "link", "lost target"}, file{"120000", "nul", "a\x00b"}, file{"100644", "lost/x", "x"})
	object := func(path string) string {
		id := s.line(nil, "rev-parse", commit.String()+":"+path)
		return filepath.Join(s.dir, "store", "objects", id[:2], id[2:])
	}
	goodBytes, err := os.ReadFile(object("good"))
	if err != nil {
		t.Fatal(err)
	}
	cut, err := os.ReadFile(object("cut"))
	if err != nil {
		t.Fatal(err)
	}
	for path, content := range map[string][]byte{"missing": nil, "link": nil, "lost": nil, "empty": {}, "wrong": goodBytes, "cut": cut[:len(cut)-9]} {
		name := object(path)
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
		if content == nil {
			continue
		}
		if err := os.WriteFile(name, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"cut corrupt", "empty empty", "link missing", "lost missing", "missing missing", "nul the target of the link is no path", "wrong hash-mismatch"}
	r := s.open()
	plan := s.plan(r, commit, nil)
	check := func(out *extract.Outcome, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		var failed []string
		for _, f := range out.Failed {
			why := f.Why
			if f.Fault != nil {
				why = string(f.Fault.Fault)
			}
			failed = append(failed, f.Path+" "+why)
		}
		slices.Sort(failed)
		if d := cmp.Diff(want, failed); d != "" {
			t.Errorf("failed (-want +got):\n%s", d)
		}
	}
	dir := filepath.Join(t.TempDir(), "out")
	check(extract.Folder(t.Context(), r, plan, dir))
	if d := cmp.Diff([]string{`100644 "good" "good"`}, listing(t, dir)); d != "" {
		t.Errorf("folder (-want +got):\n%s", d)
	}
	path := filepath.Join(t.TempDir(), "out.tar")
	check(extract.Tar(t.Context(), r, plan, path, extract.Stamp{Modified: time.Unix(0, 0)}))
	archive, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	got, _ := entries(t, archive)
	if d := cmp.Diff([]string{`0 644 "good" "" "good" 0`, `5 755 "lost/" "" "" 0`}, got); d != "" {
		t.Errorf("archive (-want +got):\n%s", d)
	}
}

// A file that is too large to be held is written as it is read.
func TestTarLargeFile(t *testing.T) {
	s := newStore(t)
	content := strings.Repeat("0123456789abcde\n", 17<<16)
	commit := s.commit(file{"100644", "large", content})
	r := s.open()
	path := filepath.Join(t.TempDir(), "out.tar")
	if _, err := extract.Tar(t.Context(), r, s.plan(r, commit, nil), path, extract.Stamp{}); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	archive := tar.NewReader(f)
	if h, err := archive.Next(); err != nil || h.Name != "large" || h.Size != int64(len(content)) {
		t.Fatalf("%+v, %v", h, err)
	}
	got, err := io.ReadAll(archive)
	if err != nil || string(got) != content {
		t.Errorf("%d bytes of %d, %v", len(got), len(content), err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}
