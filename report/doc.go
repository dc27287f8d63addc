// Package report renders what a scan found: one document model, many formats.
//
// Data goes one way: a *scan.Result with the list of its inputs becomes a Report or a ResumeReport, a *fix.Plan with its
// outcome a Repair, and Render writes it as a table for a terminal, as JSON, as JSON lines or as Markdown. Nothing is
// decided here: no verdict, no severity, no exit code. A renderer has no clock, no host name and no file
// system, so that one result gives the same bytes everywhere.
//
// Everything that comes out of a database is hostile until shown otherwise. JSON carries it exactly (text that
// is not UTF-8 beside its bytes in base64, control and format characters as escapes); the formats that people
// read pass it through Clean, and Markdown neutralises markup, mentions and references on top of that.
//
// JSON documents are described by schema.json, which Schema returns.
package report
