package report

import (
	"fmt"
	"io"
	"strings"
)

// Bundle is the document of the command bundle, and the manifest in the zip.
type Bundle struct {
	Tool        Tool
	Output      string   // the zip as the caller named it; "" in the manifest
	Left        []string // what is not carried
	Differences []string // in what a scan of the skeleton differs from that of the original; nil = in nothing
	Files       int      // that were looked through
	Words       int
	Kept        []string // the words of the fixed vocabulary that are in it
	Whole       bool     // every word of the original was compared
}

// BundleDoc is Bundle as JSON.
type BundleDoc struct {
	Schema      int      `json:"schema"`
	Tool        Tool     `json:"tool"`
	Kind        string   `json:"kind"` // "bundle"
	Output      *string  `json:"output"`
	Scan        string   `json:"scan"` // the folder in it that a scan is for
	Faithful    bool     `json:"faithful"`
	Differences []string `json:"differences"`
	Left        []string `json:"left"`
	Checked     Looked   `json:"checked"`
}

// Looked is what the look through the finished files came to.
type Looked struct {
	Files int      `json:"files"`
	Words int      `json:"words"`
	Whole bool     `json:"whole"`
	Kept  []string `json:"kept"`
}

// RenderBundle writes b in the format f.
func RenderBundle(w io.Writer, b *Bundle, f Format, o Options) error {
	m := BundleDoc{Schema: schemaNumber, Tool: b.Tool, Kind: "bundle", Scan: "skeleton", Faithful: len(b.Differences) == 0,
		Differences: texts(b.Differences), Left: texts(b.Left), Checked: Looked{b.Files, b.Words, b.Whole, texts(b.Kept)}}
	m.Output, _ = optionalText(b.Output)
	switch f {
	case Table, Markdown, JSON, JSONLines:
		return b.document().render(w, f, o, m)
	}
	return fmt.Errorf("render bundle: unknown format %q (known: %s)", string(f), known())
}

func (b *Bundle) document() document {
	d := document{word: "bundled", color: green, rest: b.Output + "; a scan of the skeleton in it comes to the same verdicts"}
	if len(b.Differences) > 0 {
		d.color, d.rest = yellow, b.Output+"; a scan of the skeleton in it differs in what stands below"
	}
	d.add("differences", b.Differences, "difference")
	d.add("not carried", b.Left, "")
	looked := fmt.Sprintf("%s with %s of four letters or more were looked through: no word of the original is among them",
		plural(int64(b.Files), "file"), plural(int64(b.Words), "word"))
	if n := len(b.Kept); n > 0 {
		looked += " but " + Count(int64(n)) + " of a fixed vocabulary"
	}
	if !b.Whole {
		looked += "; the original has more words than are remembered, so that those at its end were not compared"
	}
	proof := []string{looked}
	if len(b.Kept) > 0 {
		proof = append(proof, "kept: "+strings.Join(b.Kept, " "))
	}
	d.add("proof", proof, "")
	return d
}
