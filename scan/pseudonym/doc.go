// Package pseudonym replaces what is private in a text and keeps its shape: word by word, the same word by the same
// pseudonym, everything that stands between words as it is. A session key keeps its parts, a path its depth and a JSON
// object its members, so that whatever was equal stays equal and whatever held a part of another still does.
//
// A word that the fixed vocabulary holds stays; any other goes, whatever it is: what is not known to be harmless is
// private. Pseudonyms come from a keyed hash, so that nobody without the key can try out ids until one fits.
package pseudonym
