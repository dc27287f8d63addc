package scan

// What the checks of pages mean for the verdict (CONTRACT's words).

// brokenWords says what of the structure of databases is broken.
func brokenWords(count map[string]int) (words []string) {
	if n := count["malformed-page"]; n > 0 {
		words = append(words, "damaged pages in "+Count(n, "tree"))
	}
	if n := count["search-index-damaged pages"]; n > 0 {
		words = append(words, "damaged pages in "+Count(n, "table")+" of the search index, and no message lost")
	}
	if n := count["malformed-schema"]; n > 0 {
		words = append(words, Count(n, "fault")+" in the list of tables")
	}
	if n := count["shifted-columns"]; n > 0 {
		words = append(words, "the columns of "+Count(n, "table")+" are shifted")
	}
	if n := count["duplicate-rows"]; n > 0 {
		words = append(words, Count(n, "table")+" with rows that come twice")
	}
	return words
}

// searchPages says that a finding is about pages of the search index that cannot be read: bytes are lost, although no row of
// the talk is.
func searchPages(f *Finding) bool { return f.Check == "search-index-damaged" && f.Subject.Path != "" }

// unwalkedWords says that not every page was read; "" where every page was, or no check of pages ran.
func (r *runner) unwalkedWords() string {
	n := 0
	for _, e := range r.stores {
		if e.walk.note() != "" {
			n++
		}
	}
	switch {
	case n == 0:
		return ""
	case n == 1 && len(r.stores) == 1:
		return "; not every page was read (--deep reads all)"
	}
	return "; of " + Count(n, "database") + " not every page was read (--deep reads all)"
}
