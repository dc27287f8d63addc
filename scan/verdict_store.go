package scan

import "fmt"

// What the checks of checkpoint bases mean for the verdict (CONTRACT's words).

// lostObjectChecks mean that bytes of a checkpoint are lost.
func lostObjectChecks() []string {
	return []string{"commit-missing", "tree-missing", "blob-missing", "pack-damaged"}
}

// hiddenStoreChecks mean that checkpoints are intact where the product does not see them.
func hiddenStoreChecks() []string {
	return []string{"store-skeleton-lost", "store-head-bad", "ref-damaged"}
}

// lostObjects says which objects are lost.
func lostObjects(count map[string]int) (words []string) {
	if n := count["commit-missing"]; n > 0 {
		words = append(words, "the history of the checkpoints of "+Count(n, "project")+" breaks off")
	}
	if n := count["tree-missing"]; n > 0 {
		words = append(words, Count(n, "folder")+" of checkpoints cannot be read")
	}
	if n := count["blob-missing"]; n > 0 {
		words = append(words, Count(n, "file")+" of checkpoints cannot be read")
	}
	if n := count["pack-damaged"]; n > 0 {
		words = append(words, Count(n, "pack")+" "+be(n)+" damaged")
	}
	return words
}

// hiddenCheckpoints says why the product does not see checkpoints that are there.
func hiddenCheckpoints(count map[string]int) []string {
	var words []string
	if n := count["store-skeleton-lost"] + count["store-head-bad"]; n > 0 {
		words = append(words, Count(n, "checkpoint store")+" "+be(n)+" intact but for what makes git take it for one")
	}
	if n := count["ref-damaged"]; n > 0 {
		words = append(words, "the checkpoints of "+Count(n, "project")+" lie behind a damaged ref")
	}
	return words
}

// danglingWords are the sentence for refs that lead nowhere.
func danglingWords(n int) string {
	return fmt.Sprintf("absent: the newest checkpoint of %s %s named by a ref, and no file holds it", Count(n, "project"), be(n))
}

// soundWords says what is sound: of the databases, of the checkpoints, or of both.
func (r *runner) soundWords() string {
	switch {
	case len(r.out.Bases) == 0:
		return "each chat resumes its newest talk"
	case len(r.out.Databases) == 0:
		return "every checkpoint can be read"
	}
	return "each chat resumes its newest talk, and every checkpoint can be read"
}

// nestedWords counts the checkpoints that do not hold a nested repository; "" for none.
func (r *runner) nestedWords() string {
	n := 0
	for _, b := range r.out.Bases {
		n += b.Nested
	}
	if n == 0 {
		return ""
	}
	if n == 1 {
		return ", but 1 checkpoint holds nothing of a nested repository"
	}
	return ", but " + Count(n, "checkpoint") + " hold nothing of nested repositories"
}
