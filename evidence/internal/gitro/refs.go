package gitro

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// Ref is one name below refs/, from its own file, from packed-refs, or from both.
type Ref struct {
	Name     string // bytes as they are, like "refs/hermes/0123456789abcdef"
	ID       ID     // the value in force: the file's, else that of packed-refs; the zero ID when neither is one
	Loose    ID     // of the file
	Packed   ID     // of packed-refs
	HasFile  bool
	Symbolic string // the name that the file refers to; never followed
	Flaw     string // why the file or the packed line has no value; "" = nothing wrong
}

// Refs is everything that names objects.
type Refs struct {
	All      []Ref // sorted by name
	Locks    []string
	Head     Head
	Folder   bool // refs/ exists
	PackedAt bool // packed-refs exists
	Problems []Problem
}

// Head is the file HEAD.
type Head struct {
	Present  bool
	Symbolic string // like "refs/heads/master"; never followed
	ID       ID
	Flaw     string
}

const (
	refBytes    = 4 << 10
	packedBytes = 64 << 20
	refDepth    = 32
)

// ReadRefs reads HEAD, packed-refs and the folder refs. It follows no link and no symbolic ref, and opens no pipe.
func ReadRefs(dir *Folder, limits Limits, f Format) Refs {
	limits = limits.orDefault()
	s := refScan{limit: limits.Refs, format: f, byName: map[string]int{}}
	s.head(dir)
	s.packed(dir)
	if sub, err := dir.Sub("refs"); err == nil {
		s.Folder = true
		s.folder(sub, "refs", 0)
		_ = sub.Close() // opened for reading
	} else if !missing(err) {
		s.problem("refs", FaultUnreadable, "cannot be opened: "+err.Error())
	}
	slices.SortFunc(s.All, func(a, b Ref) int { return strings.Compare(a.Name, b.Name) })
	return s.Refs
}

type refScan struct {
	Refs
	limit  int
	format Format
	byName map[string]int
}

func (s *refScan) problem(path string, f Fault, what string) {
	s.Problems = append(s.Problems, Problem{path, f, what})
}

// ref gives the entry of a name, a new one where there is none; nil beyond the limit.
func (s *refScan) ref(name string) *Ref {
	if at, ok := s.byName[name]; ok {
		return &s.All[at]
	}
	if len(s.All) >= s.limit {
		return nil
	}
	s.byName[name] = len(s.All)
	s.All = append(s.All, Ref{Name: name})
	return &s.All[len(s.All)-1]
}

func (s *refScan) head(dir *Folder) {
	data, st, err := dir.ReadFile("HEAD", refBytes)
	switch {
	case err == nil:
		s.Head.Present = true
		s.Head.ID, s.Head.Symbolic, s.Head.Flaw = s.value(data)
	case missing(err):
	default:
		s.Head.Present = true
		s.Head.Flaw = fmt.Sprintf("cannot be read (%s): %v", st.Mode, err)
	}
}

// value reads what a ref file holds.
func (s *refScan) value(data []byte) (ID, string, string) {
	if target, ok := bytes.CutPrefix(data, []byte("ref:")); ok {
		name := string(bytes.TrimSpace(target))
		if !strings.HasPrefix(name, "refs/") || strings.ContainsAny(name, "\n\x00") {
			return ID{}, "", "it refers to what is no ref"
		}
		return ID{}, name, ""
	}
	text := string(bytes.TrimSpace(data))
	switch {
	case len(data) == 0:
		return ID{}, "", "it is empty"
	case strings.Trim(text, "\x00") == "":
		return ID{}, "", "it holds only NUL bytes or blanks"
	}
	id, err := ParseID(text)
	if err != nil {
		return ID{}, "", "it holds no object id"
	}
	if int(id.size) != s.format.Size() {
		return ID{}, "", "it holds an object id of another hash"
	}
	if id.IsZero() {
		return ID{}, "", "it holds the id that means none"
	}
	return id, "", ""
}

func (s *refScan) packed(dir *Folder) {
	data, _, err := dir.ReadFile("packed-refs", packedBytes)
	if err != nil {
		if !missing(err) {
			s.PackedAt = true
			s.problem("packed-refs", FaultUnreadable, "cannot be read: "+err.Error())
		}
		return
	}
	s.PackedAt = true
	ParsePackedRefs(data, s.format, func(line int, name string, id ID, flaw string) bool {
		if flaw != "" {
			if len(s.Problems) < 100 {
				s.problem("packed-refs", FaultCorrupt, fmt.Sprintf("line %d %s", line, flaw))
			}
			return true
		}
		r := s.ref(name)
		if r == nil {
			s.problem("packed-refs", FaultLimit, fmt.Sprintf("more than %d refs", s.limit))
			return false
		}
		if r.Packed.IsZero() {
			r.Packed, r.ID = id, id
		}
		return true
	})
}

// ParsePackedRefs tells fn each ref of a packed-refs file, or what is wrong with a line, until fn gives false.
func ParsePackedRefs(data []byte, f Format, fn func(line int, name string, id ID, flaw string) bool) {
	for n := 1; len(data) > 0; n++ {
		line, rest, _ := bytes.Cut(data, []byte("\n"))
		data = rest
		if len(line) == 0 || line[0] == '#' || line[0] == '^' {
			continue
		}
		hex, name, found := bytes.Cut(bytes.TrimSuffix(line, []byte("\r")), []byte(" "))
		id, err := ParseID(string(hex))
		flaw := ""
		switch {
		case !found || err != nil || int(id.size) != f.Size() || id.IsZero():
			flaw = "holds no object id and name"
		case !bytes.HasPrefix(name, []byte("refs/")) || bytes.IndexByte(name, 0) >= 0 || len(name) > refBytes:
			flaw = "names what is no ref"
		}
		if !fn(n, string(name), id, flaw) {
			return
		}
	}
}

// folder reads the files of one folder of refs and of those below.
func (s *refScan) folder(dir *Folder, path string, depth int) {
	entries, err := dir.List(s.limit)
	if err != nil {
		s.problem(path, FaultUnreadable, "cannot be listed: "+err.Error())
		return
	}
	for _, e := range entries {
		name := path + "/" + e.Name
		switch {
		case e.Mode.IsDir():
			if depth == refDepth {
				s.problem(name, FaultLimit, "folders in folders")
				continue
			}
			sub, err := dir.Sub(e.Name)
			if err != nil {
				s.problem(name, FaultUnreadable, "cannot be opened: "+err.Error())
				continue
			}
			s.folder(sub, name, depth+1)
			_ = sub.Close() // opened for reading
		case strings.HasSuffix(e.Name, ".lock"):
			s.Locks = append(s.Locks, name)
		default:
			if !s.file(dir, e, name) {
				s.problem(path, FaultLimit, fmt.Sprintf("more than %d refs", s.limit))
				return
			}
		}
	}
}

// file reads one ref; false beyond the limit.
func (s *refScan) file(dir *Folder, e DirEntry, name string) bool {
	r := s.ref(name)
	if r == nil {
		return false
	}
	r.HasFile = true
	if !e.Mode.IsRegular() {
		r.Flaw = "it is no regular file: " + e.Mode.String()
		return true
	}
	data, _, err := dir.ReadFile(e.Name, refBytes)
	if err != nil {
		r.Flaw = "it cannot be read: " + err.Error()
		return true
	}
	r.Loose, r.Symbolic, r.Flaw = s.value(data)
	if !r.Loose.IsZero() {
		r.ID = r.Loose
	}
	return true
}
