package bundle_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-4d3eb737/hermes-doctor/corpus"
	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/fix/bundle"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checks"
	"github.com/seed-4d3eb737/hermes-doctor/scan/pseudonym"
)

var only = flag.String("case", "", "only the case of this name")

// unlike are the cases whose skeleton a scan judges in another way, each with its reason.
var unlike = map[string]string{
	"key-layout-split": "of a chat's keys the finding names the first in the order of their letters, which pseudonyms change",
}

// A scan of the skeleton comes to the verdicts of a scan of the source, over the whole corpus.
func TestSkeletonGivesTheSameVerdicts(t *testing.T) {
	t.Parallel()
	dir, err := corpus.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	cases, err := corpus.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		if *only != "" && c.Name != *only {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			home := filepath.Join(t.TempDir(), "home")
			if err := corpus.BuildTo(t.Context(), c, home); err != nil {
				t.Skip(err)
			}
			diff, err := compare(t, c, home)
			switch {
			case errors.Is(err, bundle.ErrNothing):
				t.Skip("no database")
			case err != nil:
				t.Fatal(err)
			case len(diff) > 0 && unlike[c.Name] == "":
				t.Errorf("%s", strings.Join(diff, "\n"))
			case len(diff) == 0 && unlike[c.Name] != "":
				t.Errorf("the skeleton is judged as the source is: it is no exception any more")
			}
		})
	}
}

func compare(t *testing.T, c corpus.Case, home string) (diff []string, err error) {
	b, source, err := examine(t.Context(), c, c.Path(home))
	if b == nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(t.TempDir(), "home")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	m, err := bundle.Skeleton(t.Context(), b, dir, bundle.Options{Key: pseudonym.Key{1}})
	if err != nil {
		return nil, err
	}
	if _, err := m.Check(t.Context(), dir, func(string) bool { return false }); err != nil {
		return nil, err
	}
	if len(b.Stores) > 0 && c.Home() != (m.Path == dir) {
		return nil, fmt.Errorf("the skeleton of %s is %s", c.Path(home), m.Path)
	}
	again, skeleton, err := examine(t.Context(), c, m.Path)
	if again != nil {
		err = errors.Join(err, again.Close())
	}
	if err != nil {
		return nil, err
	}
	return m.Compare(source, skeleton), nil
}

func examine(ctx context.Context, c corpus.Case, path string) (*evidence.Bundle, *scan.Result, error) {
	b, err := evidence.Open(ctx, []string{path}, evidence.Options{Damaged: true})
	if err != nil {
		return nil, nil, err
	}
	r, err := scan.Run(ctx, b, checks.All(), scan.Options{Now: c.Now, Zone: c.Zone})
	return b, r, err
}
