// Package lang puts the reports into French and Chinese: the documentation of checks, the sentence of a verdict and the
// headings. English is what the rest of the program says, and the key under which a translation is found; what has none
// stays English. It knows nothing of formats, and ids, JSON and logs never pass through it.
//
// A language is three embedded files: checks.XX.txt holds the documentation of each check with a digest of the English
// text that it translates, so that a text which changed is not told in its old form; words.XX.txt the headings; and
// sentences.XX.txt the sentences that hold numbers. Tests hold all three complete.
package lang
