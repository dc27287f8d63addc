package main_test

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// pkg is what `go list -json` says about one package; Imports leaves out those of test files.
type pkg struct {
	ImportPath string
	Dir        string
	Standard   bool
	Module     *struct{ Main bool }
	Imports    []string
}

// layer is a subtree of the module and the subtrees it may import, itself included. The longest prefix that fits a
// package is its layer.
type layer struct {
	name   string
	allows []string
}

// layers states the rule of the module: imports go one way, and a package never learns about those to its right.
func layers() []layer {
	facts := []string{"scan/facts", "evidence"}
	resume := append([]string{"scan/resume"}, facts...)
	adopt := append([]string{"scan/adopt"}, resume...)
	scan := append([]string{"scan"}, adopt...)
	fix := []string{"fix", "scan", "evidence"}
	report := append([]string{"report"}, fix...)
	corpus := []string{"corpus", "report", "fix", "scan", "evidence"}
	return []layer{
		{"evidence", []string{"evidence"}},
		{"scan/facts", facts},
		{"scan/resume", resume},
		{"scan/adopt", adopt},
		{"scan", scan},
		{"scan/checks", append([]string{"scan/checks"}, scan...)},
		{"fix", fix},
		{"report", report},
		{"corpus", corpus},
		{"internal/gittest", nil}, // no layer may import it: the imports of test files do not count
		{"cmd", []string{"cmd", "corpus", "report", "fix", "scan/checks", "scan", "scan/adopt", "scan/resume", "scan/facts", "evidence"}},
	}
}

// fence names imports that only some subtrees may have; nil means none may. A name that ends in "/..." stands for all
// below it as well.
type fence struct {
	imports []string
	only    []string
}

func (f fence) has(imported string) bool {
	return slices.ContainsFunc(f.imports, func(name string) bool {
		tree, all := strings.CutSuffix(name, "/...")
		return imported == tree || all && within(imported, tree)
	})
}

func fences() []fence {
	return []fence{
		{[]string{"github.com/mattn/go-sqlite3/...", "database/sql/..."}, []string{"evidence", "fix", "corpus/internal/build"}},
		{[]string{"os/exec"}, []string{"internal/gittest", "corpus/internal/build"}},
		{[]string{"net", "net/http/...", "net/rpc/...", "net/smtp", "crypto/tls"}, nil},
		{[]string{"github.com/olekukonko/tablewriter/..."}, []string{"report"}},
		{[]string{"github.com/urfave/cli/v2/..."}, []string{"cmd"}},
	}
}

func TestImportsGoOneWay(t *testing.T) {
	for _, p := range ours(t) {
		own, ok := layerOf(p.rel())
		if !ok {
			t.Errorf("%s is in no layer: give it one in layers()", p.ImportPath)
			continue
		}
		for _, imported := range p.Imports {
			rel, ok := relative(imported)
			if !ok {
				continue
			}
			target, ok := layerOf(rel)
			if !ok || !slices.Contains(own.allows, target.name) {
				t.Errorf("%s imports %s: %s may import only %s", p.rel(), rel, own.name, strings.Join(own.allows, ", "))
			}
		}
	}
}

func TestFencedImports(t *testing.T) {
	for _, p := range ours(t) {
		for _, f := range fences() {
			if slices.ContainsFunc(f.only, func(tree string) bool { return within(p.rel(), tree) }) {
				continue
			}
			for _, imported := range p.Imports {
				if f.has(imported) {
					t.Errorf("%s imports %s, which only %q may", p.rel(), imported, f.only)
				}
			}
		}
	}
}

// The promise "no network code at all" is about the binary, so it covers what the dependencies link in as well.
func TestNoNetworkCodeIsLinked(t *testing.T) {
	for _, p := range list(t, "-deps", "./cmd/...") {
		if p.ImportPath == "net" || p.ImportPath == "net/http" {
			t.Errorf("%s is linked into the command", p.ImportPath)
		}
	}
}

func TestEveryPackageHasDoc(t *testing.T) {
	for _, p := range ours(t) {
		if strings.Contains(p.ImportPath, "/internal/") {
			continue
		}
		if _, err := os.Stat(filepath.Join(p.Dir, "doc.go")); errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s has no doc.go", p.rel())
		}
	}
}

const module = "github.com/seed-4d3eb737/hermes-doctor"

// relative cuts the module off an import path; false for a package of somebody else.
func relative(path string) (string, bool) {
	return strings.CutPrefix(path, module+"/")
}

func (p pkg) rel() string {
	rel, _ := relative(p.ImportPath)
	return rel
}

// within says whether path is the tree or lies below it.
func within(path, tree string) bool {
	return path == tree || strings.HasPrefix(path, tree+"/")
}

func layerOf(rel string) (layer, bool) {
	var best layer
	for _, l := range layers() {
		if within(rel, l.name) && len(l.name) > len(best.name) {
			best = l
		}
	}
	return best, best.name != ""
}

// ours lists the packages of this module; an empty answer would make every test above pass.
func ours(t *testing.T) []pkg {
	t.Helper()
	pkgs := slices.DeleteFunc(list(t, "./..."), func(p pkg) bool { return p.Module == nil || !p.Module.Main })
	if len(pkgs) == 0 {
		t.Fatal("go list names no package of this module")
	}
	return pkgs
}

func list(t *testing.T, args ...string) []pkg {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"list", "-e", "-tags", "sqlite_fts5", "-json=ImportPath,Dir,Standard,Module,Imports"}, args...)...)
	cmd.Dir = filepath.Join("..", "..")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var pkgs []pkg
	for dec := json.NewDecoder(out); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		pkgs = append(pkgs, p)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("go list: %v", err)
	}
	return pkgs
}
