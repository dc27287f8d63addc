package gitro

// Kind is the type of an object.
type Kind uint8

// The kinds, numbered as packs do; 0 is none.
const (
	Commit Kind = 1 + iota
	Tree
	Blob
	Tag
)

const (
	offsetDelta Kind = 6
	nameDelta   Kind = 7
)

// String names the kind as git does.
func (k Kind) String() string {
	switch k {
	case Commit:
		return "commit"
	case Tree:
		return "tree"
	case Blob:
		return "blob"
	case Tag:
		return "tag"
	}
	return "unknown"
}

func kindNamed(name []byte) Kind {
	for k := Commit; k <= Tag; k++ {
		if string(name) == k.String() {
			return k
		}
	}
	return 0
}
