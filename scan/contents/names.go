package contents

import (
	"crypto/sha256"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"
)

// System says which names a target can hold.
type System string

// The systems. In an archive any name may stand that no unpacker takes for another place.
const (
	POSIX   System = "posix"
	Darwin  System = "darwin" // names are UTF-8, and case does not tell them apart
	Windows System = "windows"
)

const longestName = 255 // bytes of one element, on every file system in use

// safeName spells one element of a path so that the system can hold it and no program takes it for something else;
// why is "" where it stays as it is. Bytes that cannot stay are written as % and two hex digits.
func safeName(name string, s System) (safe, why string) {
	safe = name
	switch {
	case name == "":
		return "%", "the name is empty"
	case name == ".", name == "..":
		return strings.ReplaceAll(name, ".", "%2E"), "the name leads to another folder"
	case gitFolder(name):
		safe, why = fmt.Sprintf("%%%02X", name[0])+name[1:], "git would take it for a repository"
	}
	if strings.Contains(safe, "/") {
		safe, why = strings.ReplaceAll(safe, "/", "%2F"), "the name holds a slash"
	}
	if strings.Contains(safe, "\x00") {
		safe, why = strings.ReplaceAll(safe, "\x00", "%00"), "the name holds a NUL byte"
	}
	if s == Darwin && !utf8.ValidString(safe) {
		safe, why = strings.ToValidUTF8(safe, "%FFFD"), "this system cannot hold the name"
	}
	if s == Windows {
		if w := windowsName(safe); w != safe {
			safe, why = w, "this system cannot hold the name"
		}
	}
	if len(safe) > longestName {
		sum := sha256.Sum256([]byte(name))
		safe, why = fmt.Sprintf("%s%%%x", cutRune(safe, 200), sum[:8]), "the name is too long"
	}
	return safe, why
}

// cutRune cuts a text at n bytes, or a little before in order to keep a character whole.
func cutRune(s string, n int) string {
	for k := 0; k < 4 && n-k > 0; k++ {
		if b := s[n-k]; b < 0x80 || b >= 0xC0 {
			return s[:n-k]
		}
	}
	return s[:n]
}

// gitFolder says whether any file system would take the name for .git: in any case, with what NTFS drops at the end
// or takes for a stream, by its short name, or with the characters that HFS+ does not see.
func gitFolder(name string) bool {
	seen := strings.Map(func(r rune) rune {
		if r >= 0x200B && r <= 0x200F || r >= 0x202A && r <= 0x202E || r >= 0x206A && r <= 0x206F || r == 0xFEFF {
			return -1
		}
		return r
	}, name)
	seen, _, _ = strings.Cut(seen, ":")
	seen, _, _ = strings.Cut(seen, `\`)
	seen = strings.ToLower(strings.TrimRight(seen, ". "))
	return seen == ".git" || seen == "git~1"
}

// windowsName escapes what Windows keeps for itself.
func windowsName(name string) string {
	var b strings.Builder
	for i := range len(name) {
		c := name[i]
		if c < 0x20 || strings.IndexByte(`<>:"|?*\`, c) >= 0 || i == len(name)-1 && (c == '.' || c == ' ') {
			fmt.Fprintf(&b, "%%%02X", c)
			continue
		}
		b.WriteByte(c)
	}
	out := strings.ToValidUTF8(b.String(), "%FFFD")
	stem, _, _ := strings.Cut(strings.ToLower(out), ".")
	switch stem = strings.TrimRight(stem, " "); {
	case stem == "con", stem == "prn", stem == "aux", stem == "nul",
		len(stem) == 4 && (strings.HasPrefix(stem, "com") || strings.HasPrefix(stem, "lpt")) && stem[3] >= '0' && stem[3] <= '9':
		return fmt.Sprintf("%%%02X", out[0]) + out[1:]
	}
	return out
}

// taken gives every path of a target once. Two names that would be one get a number.
type taken struct {
	system System
	used   map[string]bool
}

// place finds a free name for an element of a folder; the folder's path is a target already.
func (t *taken) place(folder, name string) (target, why string) {
	safe, why := safeName(name, t.system)
	target = path.Join(folder, safe) // safe is one element and not "." or ".."
	for n := 2; t.used[t.key(target)]; n++ {
		target, why = path.Join(folder, fmt.Sprintf("%s%%%d", cutName(safe), n)), "the name is there already"
	}
	t.used[t.key(target)] = true
	return target, why
}

func cutName(name string) string {
	if len(name) > longestName-16 {
		return cutRune(name, longestName-16)
	}
	return name
}

func (t *taken) key(target string) string {
	if t.system == Windows || t.system == Darwin {
		return strings.ToLower(target)
	}
	return target
}
