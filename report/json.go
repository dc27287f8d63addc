package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"slices"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

// schemaNumber is the major version of the JSON documents.
const schemaNumber = 1

// jsonWriter writes one object, a member at a time and a list an element at a time, so that no more than one
// element is held as JSON.
type jsonWriter struct {
	w       *bufio.Writer
	buf     bytes.Buffer
	enc     *json.Encoder
	members int
	by      *Redactor // nil = nothing is redacted
	err     error     // the first failure; everything after it does nothing
}

func newJSONWriter(w io.Writer) *jsonWriter {
	w, by := through(w)
	j := &jsonWriter{w: bufio.NewWriter(w), by: by}
	j.enc = json.NewEncoder(&j.buf)
	j.enc.SetEscapeHTML(false)
	return j
}

func (j *jsonWriter) raw(s string) {
	if j.err == nil {
		_, j.err = j.w.WriteString(s)
	}
}

func (j *jsonWriter) value(v any) {
	if j.err != nil {
		return
	}
	j.buf.Reset()
	if j.err = j.enc.Encode(v); j.err != nil {
		return
	}
	_, j.err = j.w.Write(escapeHidden(j.by.json(bytes.TrimRight(j.buf.Bytes(), "\n"))))
}

func (j *jsonWriter) name(name string) {
	if j.members > 0 {
		j.raw(",\n")
	} else {
		j.raw("{\n")
	}
	j.members++
	j.raw(fmt.Sprintf("  %q: ", name))
}

func (j *jsonWriter) member(name string, v any) {
	j.name(name)
	j.value(v)
}

// finish closes the object and says what went wrong, if anything did.
func (j *jsonWriter) finish() error {
	j.raw("\n}\n")
	return j.flush()
}

func (j *jsonWriter) flush() error {
	if j.err == nil {
		j.err = j.w.Flush()
	}
	if j.err != nil {
		return fmt.Errorf("write JSON: %w", j.err)
	}
	return nil
}

// list writes a member that is an array, one element a line.
func list[T any](j *jsonWriter, name string, elements iter.Seq[T]) {
	j.name(name)
	n := 0
	for v := range elements {
		if j.err != nil {
			return
		}
		if n++; n > 1 {
			j.raw(",\n    ")
		} else {
			j.raw("[\n    ")
		}
		j.value(v)
	}
	if n == 0 {
		j.raw("[]")
	} else {
		j.raw("\n  ]")
	}
}

// each converts a list one element at a time.
func each[T, U any](list []T, convert func(T) U) iter.Seq[U] {
	return func(yield func(U) bool) {
		for _, v := range list {
			if !yield(convert(v)) {
				return
			}
		}
	}
}

// allOf converts a whole list; the empty one is [] in JSON.
func allOf[T, U any](list []T, convert func(T) U) []U {
	return slices.AppendSeq(make([]U, 0, len(list)), each(list, convert))
}

// eachLine writes JSON Lines: one document a line.
func eachLine[T any](w io.Writer, documents iter.Seq[T]) error {
	j := newJSONWriter(w)
	for d := range documents {
		j.value(d)
		j.raw("\n")
		if j.err != nil {
			break
		}
	}
	return j.flush()
}

// picked is each in the order of the positions in order.
func picked[T, U any](order []int, list []T, convert func(T) U) iter.Seq[U] {
	return each(order, func(i int) U { return convert(list[i]) })
}

func (r *Report) json(w io.Writer, o Options) error {
	j, res := newJSONWriter(w), r.result
	j.head(r.tool, r.inputs, res)
	list(j, "databases", each(res.Databases, database))
	if len(res.Databases) > 0 {
		j.member("database", database(res.Databases[0]))
	} else {
		j.member("database", nil)
	}
	j.member("clock", number(res.Now))
	j.member("verdict", Verdict{string(res.Verdict.Word), shownText(res.Verdict.Sentence)})
	list(j, "stories", each(res.Stories, story))
	list(j, "census", picked(r.census, res.Census, census))
	list(j, "ends", picked(r.ends, res.Ends, endLine))
	list(j, "not_damage", each(res.NotDamage, notDamage))
	list(j, "checks", each(res.Checks, func(c scan.CheckStatus) CheckStatus { return checkStatus(c, o.Timings) }))
	list(j, "findings", picked(r.findings, res.Findings, o.finding))
	list(j, "resume", picked(r.resume, res.Resume, resumeLine))
	if len(res.Bases) > 0 {
		j.member("checkpoints", audit(res))
	}
	if o.Known != nil {
		j.member("known", KnownBefore{Suppressed: len(o.Known.Suppressed), Notes: texts(o.Known.Notes)})
	}
	list(j, "timeline", events(res))
	if o.All {
		list(j, "sessions", each(res.Sessions, session))
	}
	return j.finish()
}

func (r *Report) jsonLines(w io.Writer, o Options) error {
	j := newJSONWriter(w)
	for _, i := range r.findings {
		j.value(o.finding(r.result.Findings[i]))
		j.raw("\n")
	}
	return j.flush()
}

// head writes what every document begins with: who made it, from what, and whether that stood still.
func (j *jsonWriter) head(tool Tool, inputs []evidence.Input, res *scan.Result) {
	j.member("schema", schemaNumber)
	j.member("tool", tool)
	list(j, "inputs", each(inputs, input))
	j.member("inputs_unchanged", res.Unchanged)
	if len(res.Changed) > 0 {
		j.member("inputs_changed", texts(res.Changed))
	}
}

func (r *ResumeReport) json(w io.Writer) error {
	j := newJSONWriter(w)
	j.head(r.tool, r.inputs, r.result)
	list(j, "resume", each(r.lines, r.chat))
	return j.finish()
}

func (r *ResumeReport) jsonLines(w io.Writer) error {
	j := newJSONWriter(w)
	for _, line := range r.lines {
		j.value(r.chat(line))
		j.raw("\n")
	}
	return j.flush()
}

// escapeHidden spells characters that do not show as \u escapes, which mean the same in JSON: a document may be
// read in a terminal too, where U+009B alone starts a control sequence.
func escapeHidden(doc []byte) []byte {
	if !hides(doc) {
		return doc
	}
	out := make([]byte, 0, len(doc)+16)
	for len(doc) > 0 {
		r, size := utf8.DecodeRune(doc)
		switch {
		case !hiddenInJSON(r):
			out = append(out, doc[:size]...)
		case r <= 0xFFFF:
			out = fmt.Appendf(out, `\u%04x`, r)
		default:
			hi, lo := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, hi, lo)
		}
		doc = doc[size:]
	}
	return out
}

// hides says that a document holds something invisible. Nearly all of it is ASCII, which needs no decoding.
func hides(doc []byte) bool {
	for i := 0; i < len(doc); i++ {
		if doc[i] < 0x7F {
			continue
		}
		r, size := utf8.DecodeRune(doc[i:])
		if hiddenInJSON(r) {
			return true
		}
		i += size - 1
	}
	return false
}

// hiddenInJSON leaves ASCII alone but for DEL: the encoder has escaped its control characters.
func hiddenInJSON(r rune) bool { return r == 0x7F || r >= 0x80 && !visible(r) }
