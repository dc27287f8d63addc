package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// render writes a document for people, or model as JSON: indented, or in one line.
func (d document) render(w io.Writer, f Format, o Options, model any) error {
	switch f {
	case Table:
		return d.table(w, o)
	case Markdown:
		return d.markdown(w, o)
	case JSON:
		return indented(w, model)
	case JSONLines:
		j := newJSONWriter(w)
		j.value(model)
		j.raw("\n")
		return j.flush()
	}
	return fmt.Errorf("render: unknown format %q (known: %s)", string(f), known())
}

// indented writes a value as JSON over many lines.
func indented(w io.Writer, model any) error {
	var one, all bytes.Buffer
	w, by := through(w)
	j := newJSONWriter(Redacting(&one, by))
	j.value(model)
	if err := j.flush(); err != nil {
		return err
	}
	all.Grow(2 * one.Len())
	if err := json.Indent(&all, one.Bytes(), "", "  "); err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	all.WriteByte('\n')
	if _, err := all.WriteTo(w); err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	return nil
}
