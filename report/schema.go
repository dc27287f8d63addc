package report

import (
	_ "embed"
	"slices"
)

//go:embed schema.json
var schemaJSON []byte

// Schema is the JSON Schema (2020-12) of the documents that commands write as JSON.
func Schema() []byte { return slices.Clone(schemaJSON) }
