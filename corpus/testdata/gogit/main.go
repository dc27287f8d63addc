// Command gogit reads every tree of every ref below refs/hermes once with go-git, and prints how many there are. It is
// what the goals of checkpoint stores are compared with, and a module of its own.
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
)

func main() {
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(path string) error {
	repo, err := git.PlainOpen(path)
	if err != nil {
		return err
	}
	refs, err := repo.References()
	if err != nil {
		return err
	}
	seen := map[plumbing.Hash]bool{}
	var todo []plumbing.Hash
	add := func(id plumbing.Hash) {
		if !seen[id] {
			seen[id] = true
			todo = append(todo, id)
		}
	}
	err = refs.ForEach(func(ref *plumbing.Reference) error {
		if !strings.HasPrefix(ref.Name().String(), "refs/hermes/") {
			return nil
		}
		tip, err := repo.CommitObject(ref.Hash())
		if err != nil {
			return err
		}
		return object.NewCommitPreorderIter(tip, nil, nil).ForEach(func(c *object.Commit) error {
			add(c.TreeHash)
			return nil
		})
	})
	gitlinks := 0
	for err == nil && len(todo) > 0 {
		id := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		var tree *object.Tree
		if tree, err = repo.TreeObject(id); err != nil {
			break
		}
		for _, e := range tree.Entries {
			switch e.Mode {
			case filemode.Dir:
				add(e.Hash)
			case filemode.Submodule:
				gitlinks++
			}
		}
	}
	fmt.Println(len(seen), gitlinks)
	return err
}
