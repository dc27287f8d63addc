package ddl

import (
	"fmt"
	"slices"
	"strings"
)

// level orders schema versions: ten times the recorded number, plus one for the later of two shapes that
// carry the same number.
type level int

type version struct {
	name   string // as a case names it
	number int    // what the file's schema_version says
	level  level
}

// versions lists the shapes that can be built. "17b" is the shape of early July 2026, which added the
// compression cooldown and the handoff index without a new number.
func versions() []version {
	list := []version{{"2", 2, 20}}
	for n := 4; n <= 17; n++ {
		list = append(list, version{fmt.Sprint(n), n, level(10 * n)})
	}
	return append(list, version{"17b", 17, 171}, version{"22", 22, 220}, version{"25", 25, 250},
		version{"26", 26, 260}, version{"31", 31, 310})
}

// Versions names the schema versions that are known, oldest first.
func Versions() []string {
	var names []string
	for _, v := range versions() {
		names = append(names, v.name)
	}
	return names
}

func lookup(name string) (version, error) {
	list := versions()
	i := slices.IndexFunc(list, func(v version) bool { return v.name == name })
	if i < 0 {
		return version{}, fmt.Errorf("unknown schema version %q: want one of %s", name, strings.Join(Versions(), " "))
	}
	return list[i], nil
}

// span says from which level on a thing exists, and the first level without it; until 0 = it stayed.
type span struct{ since, until level }

func (s span) holds(at level) bool { return at >= s.since && (s.until == 0 || at < s.until) }
