// Package bundle makes a new home out of an old one that a stranger may see: the same tables with the same rows, times and
// relations, in which every id, name and path is a pseudonym and of every text only its length is left. A scan of it comes
// to the same verdicts, since no verdict depends on what a name or a text says, only on which are equal.
//
// Checkpoint stores are written anew too, by our own small writer of packs: each object with other names and no content, so
// that its id is another, and what was missing or damaged is so again.
//
// Skeleton writes it, and Check proves of the files that lie there that no word of the source is in them but those of a
// fixed vocabulary, which it lists. What is not carried (the search index, damage to pages and packs, tables and
// columns that the product does not have) is said in Made.Left.
package bundle
