package corpus

import (
	"embed"
	"fmt"
	"io/fs"
)

//go:embed cases/*.txtar
var embedded embed.FS // never written

// Embedded is the folder of the cases that are part of the program.
func Embedded() (fs.FS, error) {
	dir, err := fs.Sub(embedded, "cases")
	if err != nil {
		return nil, fmt.Errorf("embedded cases: %w", err)
	}
	return dir, nil
}

// Demo is the reference incident: a chat that wakes up days in the past while its real talk lies in a row without
// identity (#82616).
func Demo() (Case, error) {
	const name = "reference-incident"
	data, err := embedded.ReadFile("cases/" + name + ".txtar")
	if err != nil {
		return Case{}, fmt.Errorf("embedded case: %w", err)
	}
	return Parse(name, data)
}
