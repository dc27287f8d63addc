package bundle

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

var (
	// looseName is the path of an object's own file.
	looseName = regexp.MustCompile(`/objects/[0-9a-f]{2}/[0-9a-f]{38,62}$`)
	// legacyPart is the day or the time in the name of an archive of old repositories.
	legacyPart = regexp.MustCompile(`^20\d{6}$|^[0-2]\d{5}$`)
)

// pack looks through every object of a pack.
func (c *checking) pack(in *bufio.Reader) error {
	hash := 20
	if len(c.file) > len(".pack")+64 && !strings.Contains(c.file[len(c.file)-len(".pack")-64:], "-") {
		hash = 32
	}
	err := eachPacked(in, func(kind byte, content []byte) error { return c.object(kind, content, hash) })
	if err != nil {
		return fmt.Errorf("check %s of the bundle: %w", c.file, err)
	}
	return nil
}

// loose looks through an object's own file, which may be damaged by intent.
func (c *checking) loose(data []byte) error {
	z, err := zlib.NewReader(bytes.NewReader(data))
	if err != nil {
		return c.text(string(data))
	}
	content, err := io.ReadAll(z)
	if err != nil {
		return fmt.Errorf("check %s of the bundle: %w", c.file, err)
	}
	return c.text(string(content))
}

// object looks through one object: the names of a tree, any other as text.
func (c *checking) object(kind byte, content []byte, hash int) error {
	if kind != packKinds[evidence.KindTree] {
		return c.text(string(content))
	}
	for len(content) > 0 {
		mode, rest, _ := bytes.Cut(content, []byte(" "))
		name, rest, found := bytes.Cut(rest, []byte{0})
		if !found || len(rest) < hash { // where a damaged tree breaks off
			return c.text(string(mode) + " " + string(name))
		}
		if err := c.text(string(name)); err != nil {
			return err
		}
		content = rest[hash:]
	}
	return nil
}
