package scan

import "slices"

// What the checks of database files mean for the verdict (CONTRACT's words). Only their errors count: with a lower severity
// they speak of a risk, or of what is also somewhere else.

// lostFileChecks mean that bytes of a database are lost.
func lostFileChecks() []string {
	return []string{"zeroed-database", "empty-database", "malformed-header", "malformed-page", "malformed-schema", "shifted-columns", "duplicate-rows"}
}

// fileCheck says whether only the errors of a check count for the verdict.
func fileCheck(id string) bool { return id == "foreign-wal" || slices.Contains(lostFileChecks(), id) }

// hiddenByWAL says that a database is intact without the -wal that lies beside it.
func hiddenByWAL(count map[string]int) []string {
	if n := count["foreign-wal"]; n > 0 {
		return []string{Count(n, "database") + " " + be(n) + " intact without the -wal beside it, which does not belong there"}
	}
	return nil
}

// lostFiles says which files are lost.
func lostFiles(count map[string]int) (words []string) {
	if n := count["zeroed-database"]; n > 0 {
		words = append(words, Count(n, "database")+" "+be(n)+" overwritten with NUL bytes")
	}
	if n := count["empty-database"]; n > 0 {
		words = append(words, Count(n, "database")+" "+be(n)+" empty")
	}
	if n := count["malformed-header"]; n > 0 {
		words = append(words, "the header of "+Count(n, "database")+" is damaged")
	}
	return append(words, brokenWords(count)...)
}
