package corpus

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"sort"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/corpus/internal/build"
	"golang.org/x/tools/txtar"
)

// Case is one store as text, with what a scan of it is to find.
type Case struct {
	Name    string // the file's name without .txtar
	About   string
	Issues  []string
	Schema  string // one of Versions
	Born    string // "" = born at Schema
	Fires   []string
	Near    []string
	Now     float64 // epoch seconds; 0 = the scan derives it
	Zone    string  // IANA name; "" = the scan derives it
	Journal string
	FTS     string // "", "yes" or "no"
	Want    Want

	folder  bool
	packed  bool
	repos   []repo
	stores  []store
	files   []file
	damage  []edit
	archive *txtar.Archive
}

// store is the text of one database: Folder is "" or "profiles/NAME".
type store struct{ folder, rows, sql string }

// file is another file of the home, its text not yet expanded.
type file struct{ path, text string }

// Versions names the schema versions that a case may ask for, oldest first.
func Versions() []string { return build.Versions() }

// Home says whether the case is scanned as a folder; else it is a lone state.db, or a lone checkpoints/ folder.
func (c *Case) Home() bool {
	if len(c.stores) == 0 {
		return false
	}
	return c.folder || len(c.files) > 0 || len(c.repos) > 0 || len(c.stores) > 1 || c.stores[0].folder != ""
}

// Load reads every *.txtar file at the top of dir as a case, sorted by name. The error joins one for each file
// that cannot be read; none of the cases is given then.
func Load(dir fs.FS) ([]Case, error) {
	names, err := fs.Glob(dir, "*.txtar")
	if err != nil {
		return nil, fmt.Errorf("list cases: %w", err)
	}
	sort.Strings(names)
	var cases []Case
	var bad []error
	for _, name := range names {
		data, err := fs.ReadFile(dir, name)
		if err != nil {
			bad = append(bad, fmt.Errorf("read case: %w", err))
			continue
		}
		c, err := Parse(strings.TrimSuffix(name, ".txtar"), data)
		if err != nil {
			bad = append(bad, err)
			continue
		}
		cases = append(cases, c)
	}
	if len(bad) > 0 {
		return nil, errors.Join(bad...)
	}
	return cases, nil
}

// Parse reads one case. What only SQLite can refuse, such as an unknown column, comes out when it is built.
func Parse(name string, data []byte) (Case, error) {
	c := Case{Name: name, Schema: "25", Journal: string(build.Delete), archive: txtar.Parse(data)}
	if err := c.header(string(c.archive.Comment)); err != nil {
		return Case{}, fmt.Errorf("case %q: %w", name, err)
	}
	seen := map[string]bool{}
	for _, f := range c.archive.Files {
		if seen[f.Name] {
			return Case{}, fmt.Errorf("case %q: section %q is given twice", name, f.Name)
		}
		seen[f.Name] = true
		if err := c.section(f.Name, string(f.Data)); err != nil {
			return Case{}, fmt.Errorf("case %q: section %q: %w", name, f.Name, err)
		}
	}
	if len(c.stores) == 0 && len(c.repos) == 0 {
		return Case{}, fmt.Errorf("case %q: no rows.txt", name)
	}
	for _, section := range wantSections() {
		if !seen[section] {
			return Case{}, fmt.Errorf("case %q: no %s", name, section)
		}
	}
	parsed, err := c.parse()
	if err != nil {
		return Case{}, fmt.Errorf("case %q: %w", name, err)
	}
	for _, p := range parsed {
		c.folder = c.folder || p.Mirror != nil
	}
	return c, nil
}

func (c *Case) section(name, text string) (err error) {
	profile, rest := profileOf(name)
	repository, isRepo := repoOf(name)
	switch {
	case isRepo:
		c.repos = append(c.repos, repo{repository, text})
	case rest == "rows.txt":
		c.at(profile).rows = text
	case rest == "sql":
		c.at(profile).sql = text
	case name == "damage":
		c.damage, err = edits(text)
	case name == "want.txt":
		c.Want.Findings = sorted(text)
	case name == "resume.txt":
		c.Want.Resume = sorted(text)
	case name == "census.txt":
		c.Want.Census = sorted(text)
	case name == "verdict.txt":
		c.Want.Verdict = strings.TrimSpace(text)
	case name == endsSection:
		c.Want.Ends = sorted(text)
	case strings.HasPrefix(name, "files/"):
		rel := strings.TrimPrefix(name, "files/")
		if !local(rel) {
			return fmt.Errorf("%q is no path below the home", rel)
		}
		c.files = append(c.files, file{rel, text})
	default:
		return fmt.Errorf("unknown section")
	}
	return err
}

// profileOf splits "profiles/NAME/rest"; any other name is the rest of the home itself.
func profileOf(name string) (folder, rest string) {
	parts := strings.Split(name, "/")
	if len(parts) == 3 && parts[0] == "profiles" && local(parts[1]) {
		return path.Join(parts[:2]...), parts[2]
	}
	return "", name
}

// at gives the store of a folder, made on first use. The home's own store comes first.
func (c *Case) at(folder string) *store {
	for i := range c.stores {
		if c.stores[i].folder == folder {
			return &c.stores[i]
		}
	}
	c.stores = append(c.stores, store{folder: folder})
	sort.SliceStable(c.stores, func(i, j int) bool { return c.stores[i].folder < c.stores[j].folder })
	return c.at(folder)
}

// local says whether a slash path stays below the folder that it is joined to.
func local(rel string) bool {
	return rel != "." && fs.ValidPath(rel) && !strings.ContainsAny(rel, "\\\x00:")
}

// Format is the case's text with another expectation, as -update writes it.
func (c *Case) Format(w Want) []byte {
	a := txtar.Archive{Comment: c.archive.Comment}
	for _, f := range c.archive.Files {
		if text, ok := w.section(f.Name); ok {
			f.Data = []byte(text)
		}
		a.Files = append(a.Files, f)
	}
	return txtar.Format(&a)
}
