package build

import "github.com/seed-4d3eb737/hermes-doctor/fix/ddl"

// Versions names the schema versions that Write can build, oldest first.
func Versions() []string { return ddl.Versions() }

// HasColumn says whether a table of that schema version has a column.
func HasColumn(schema, table, column string) bool { return ddl.HasColumn(schema, table, column) }
