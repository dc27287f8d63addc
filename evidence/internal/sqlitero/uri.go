package sqlitero

import (
	"fmt"
	"path/filepath"
	"strings"
)

// uri spells path as SQLite's file: URI with the given parameters. Every byte outside the plainest set is
// escaped: a "?", "#" or "%" in a file name would otherwise be read as syntax, by SQLite and by the driver.
func uri(path, params string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("locate %q: %w", path, err)
	}
	var b strings.Builder
	b.WriteString("file://")
	slashed := filepath.ToSlash(abs)
	if !strings.HasPrefix(slashed, "/") {
		b.WriteByte('/') // a drive letter
	}
	for i := range len(slashed) {
		c := slashed[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '/', c == '.', c == '_', c == '-':
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String() + "?" + params, nil
}
