package corpus

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

// Options steers a run.
type Options struct {
	TempDir string // where the cases' folders are made; "" = os.TempDir()
	Deep    bool   // also the slow checks
}

// Outcome is what one case came to. The case passed when there are no Problems and nothing Skipped it.
type Outcome struct {
	Case     Case
	Skipped  string   // why this build cannot run the case; "" = it ran
	Problems []string // a line each: differences (-want, +got) and broken promises
	Got      Want
	Result   *scan.Result // nil when the case could not be built or scanned
	Again    *scan.Result // of a second scan, to be equal to Result
}

// Passed says that the case ran and kept every promise.
func (o Outcome) Passed() bool { return o.Skipped == "" && len(o.Problems) == 0 }

// Run builds each case, scans it twice with all the given checks, and compares. Beside the expectation every case
// proves that its files were left as they were, that a second scan says the same, that each query which an evidence
// names runs, that the timeline is in order, that the census counts each session row once, and that the checks it fires, and only those, fired.
// An error means that the run as a whole could not go on; a case that fails is an Outcome with Problems.
func Run(ctx context.Context, checks []*scan.Check, cases []Case, o Options) ([]Outcome, error) {
	root, err := os.MkdirTemp(o.TempDir, "corpus-*")
	if err != nil {
		return nil, fmt.Errorf("make folder for cases: %w", err)
	}
	var list []Outcome
	for i, c := range cases {
		dir := filepath.Join(root, fmt.Sprint(i))
		r := runner{checks: checks, options: o, dir: dir, out: Outcome{Case: c}}
		r.run(ctx)
		if err := ctx.Err(); err != nil {
			return list, errors.Join(err, os.RemoveAll(root))
		}
		list = append(list, r.out)
		if err := os.RemoveAll(dir); err != nil {
			return list, fmt.Errorf("remove folder of case %q: %w", c.Name, err)
		}
	}
	if err := os.RemoveAll(root); err != nil {
		return list, fmt.Errorf("remove folder for cases: %w", err)
	}
	return list, nil
}

// runner runs one case in one folder.
type runner struct {
	checks  []*scan.Check
	options Options
	dir     string
	out     Outcome
}

func (r *runner) problem(format string, args ...any) {
	r.out.Problems = append(r.out.Problems, fmt.Sprintf(format, args...))
}

func (r *runner) run(ctx context.Context) {
	c := r.out.Case
	skipped, err := c.skip(ctx)
	if err != nil || skipped != "" {
		r.out.Skipped = skipped
		if err != nil {
			r.problem("%v", err)
		}
		return
	}
	home := filepath.Join(r.dir, "home")
	if err := os.MkdirAll(filepath.Join(r.dir, "private"), 0o700); err != nil {
		r.problem("%v", err)
		return
	}
	if err := BuildTo(ctx, c, home); err != nil {
		r.problem("%v", err)
		return
	}
	before, err := snapshot(home)
	if err != nil {
		r.problem("%v", err)
		return
	}
	if r.out.Result, err = r.scan(ctx, home, true); err == nil {
		r.out.Again, err = r.scan(ctx, home, false)
	}
	if err != nil {
		r.problem("%v", err)
		return
	}
	after, err := snapshot(home)
	if err != nil {
		r.problem("%v", err)
		return
	}
	for _, line := range difference(before, after) {
		r.problem("source changed: %s", line)
	}
	r.compare()
}

// scan opens and scans the case. With prove the bundle is also asked the queries that the evidence names.
func (r *runner) scan(ctx context.Context, home string, prove bool) (*scan.Result, error) {
	c := r.out.Case
	b, err := evidence.Open(ctx, []string{c.Path(home)}, evidence.Options{TempDir: filepath.Join(r.dir, "private"), Damaged: true})
	if err != nil {
		return nil, fmt.Errorf("open: %w", err)
	}
	result, err := scan.Run(ctx, b, r.checks, scan.Options{Now: c.Now, Zone: c.Zone, Deep: r.options.Deep, Timeline: true})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("scan: %w", err), b.Close())
	}
	if prove {
		r.prove(ctx, b, result)
	}
	if err := b.Close(); err != nil {
		return nil, fmt.Errorf("close: %w", err)
	}
	left, err := os.ReadDir(filepath.Join(r.dir, "private"))
	if err != nil {
		return nil, fmt.Errorf("list private folder: %w", err)
	}
	for _, entry := range left {
		r.problem("private copy left behind: %s", entry.Name())
	}
	return result, nil
}

func (r *runner) compare() {
	r.out.Got = Describe(r.out.Result)
	want, got, again := r.out.Case.Want, r.out.Got, Describe(r.out.Again)
	sections := wantSections()
	if want.Ends != nil {
		sections = append(sections, endsSection)
	}
	for _, section := range sections {
		w, _ := want.section(section)
		g, _ := got.section(section)
		a, _ := again.section(section)
		for _, line := range difference(lines(w), lines(g)) {
			r.problem("%s: %s", section, line)
		}
		for _, line := range difference(lines(g), lines(a)) {
			r.problem("second scan: %s: %s", section, line)
		}
	}
	fired := map[string]bool{}
	for _, f := range r.out.Result.Findings {
		fired[f.Check] = true
	}
	for _, n := range r.out.Result.NotDamage {
		fired[n.ID] = true
	}
	for _, id := range r.out.Case.Fires {
		if !fired[id] {
			r.problem("fires: %s was silent", id)
		}
	}
	for _, id := range r.out.Case.Near {
		if fired[id] {
			r.problem("near: %s fired", id)
		}
	}
	for _, id := range slices.Concat(r.out.Case.Fires, r.out.Case.Near) {
		if !slices.ContainsFunc(r.checks, func(c *scan.Check) bool { return c.ID == id }) &&
			!slices.ContainsFunc(scan.AllLooksLike(), func(l scan.LooksLike) bool { return l.ID == id }) {
			r.problem("no check is called %s", id)
		}
	}
}

func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// difference lists the lines that only one of two lists has, as often as it has more of them.
func difference(want, got []string) []string {
	count := map[string]int{}
	for _, line := range got {
		count[line]++
	}
	var list []string
	for _, line := range want {
		if count[line]--; count[line] < 0 {
			list = append(list, "-"+line)
		}
	}
	for _, line := range got {
		if count[line] > 0 {
			count[line]--
			list = append(list, "+"+line)
		}
	}
	return list
}
