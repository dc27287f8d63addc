package checkpoints

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// Label says how a checkpoint's own text and its tree agree about nested repositories.
type Label string

// The ways to agree. Only the tree is proof: the text may have been typed within a terminal command.
const (
	NoLabel  Label = "none"     // no nested repository and no label
	Labelled Label = "labelled" // the label names the nested repositories
	Predates Label = "predates" // nested repositories and no label: made by a build without it
	Wrong    Label = "wrong"    // a label that tells something else than the tree
)

const (
	labelStart = " [nested git repos not captured: "
	labelEnd   = "]"
	labelNames = 3
)

// LabelFor is the text that a build with the label appends to the reason of a checkpoint with these nested
// repositories, in the order of the tree, total of them in all; "" for none. Names stand unquoted.
func LabelFor(paths []string, total int) string {
	if total == 0 {
		return ""
	}
	text := labelStart + strings.Join(paths[:min(len(paths), labelNames)], ", ")
	if total > labelNames {
		text += " (+" + strconv.Itoa(total-labelNames) + ")"
	}
	return text + labelEnd
}

// Subject is the first line of a commit as git shows it: the first paragraph, its lines joined by a space.
func Subject(message []byte) string {
	var lines []string
	for line := range bytes.SplitSeq(bytes.TrimLeft(message, "\n"), []byte("\n")) {
		line = bytes.TrimRight(line, " \t\r\v\f")
		if len(line) == 0 {
			break
		}
		lines = append(lines, string(line))
	}
	return strings.Join(lines, " ")
}

// labelOf splits a commit's subject into its reason and what label stands behind it.
func labelOf(c *evidence.CommitInfo) (reason, label string) {
	reason = Subject(c.Message)
	if at := strings.LastIndex(" "+reason, labelStart); at >= 0 {
		label = (" " + reason)[at:]
		reason = strings.TrimPrefix((" " + reason)[:at], " ")
	}
	return reason, label
}

// agree compares the label of a commit with its tree's nested repositories.
func agree(c *evidence.CommitInfo, label string, paths []string, total int) Label {
	switch {
	case total == 0 && label == "":
		return NoLabel
	case total > 0 && label == "":
		return Predates
	}
	want := LabelFor(paths, total)
	if total == 0 || !tells(c.Message, want) {
		return Wrong
	}
	return Labelled
}

// tells says whether a message ends in a label: as it was written, or as trimming left it, which keeps the subject
// only. Where the text was not UTF-8, git took it for Latin-1 and wrote it anew.
func tells(message []byte, want string) bool {
	for _, w := range []string{want, latin1(want)} {
		if bytes.HasSuffix(bytes.TrimRight(message, "\n"), []byte(w)) || strings.HasSuffix(Subject(message), Subject([]byte("x" + w))[1:]) {
			return true
		}
	}
	return false
}

// latin1 reads bytes as Latin-1 where they are no UTF-8.
func latin1(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for _, c := range []byte(s) {
		b.WriteRune(rune(c))
	}
	return b.String()
}
