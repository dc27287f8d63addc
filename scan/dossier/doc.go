// Package dossier fills in the list of what the maintainers of the product ask somebody who reports a damaged store: what the
// files can tell is told, and for what only the machine can tell stands the command that does. No text of a message is in it.
package dossier
