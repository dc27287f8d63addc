package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/seed-4d3eb737/hermes-doctor/corpus"
)

// checked ends a test at an error, as a script does.
type checked struct{ *testing.T }

func (c checked) Check(err error) {
	c.Helper()
	if err != nil {
		c.Fatal(err)
	}
}

// TestEveryCaseForCI scans every case of the corpus for code scanning and for CI: each SARIF log is what the schema of the
// standard describes, and each list of test results what JUnit.xsd does, in our reading of it and, where it is installed,
// in xmllint's.
func TestEveryCaseForCI(t *testing.T) {
	t.Parallel()
	c := checked{t}
	text, err := os.ReadFile(published("sarif-schema-2.1.0.json"))
	c.Check(err)
	schema := compile(c, text)
	x, err := readXSD(published("JUnit.xsd"))
	c.Check(err)
	var results []string
	for _, one := range cases(t) {
		if one.FTS == "yes" && !tool().FTS5 {
			continue
		}
		dir := filepath.Join(t.TempDir(), "home")
		c.Check(corpus.BuildTo(t.Context(), one, dir))
		log, suites := filepath.Join(t.TempDir(), one.Name+".sarif"), filepath.Join(t.TempDir(), one.Name+".xml")
		code, _, complaints := tell(t, "scan", "--output", log, "--output", suites, one.Path(dir))
		if code == exitUsage && strings.HasPrefix(string(complaints), "hermes-doctor: open ") {
			continue // it cannot be opened at all, so that there is no document
		}
		text, err := os.ReadFile(log)
		if err != nil {
			t.Errorf("%s: exit %d, %v\n%s", one.Name, code, err, complaints)
			continue
		}
		document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		c.Check(err)
		if err := schema.Validate(document); err != nil {
			t.Errorf("%s: %v", one.Name, err)
		}
		text, err = os.ReadFile(suites)
		c.Check(err)
		if err := x.validate(text); err != nil {
			t.Errorf("%s: %v", one.Name, err)
		}
		results = append(results, suites)
	}
	if len(results) < 200 {
		t.Errorf("only %d cases were looked at", len(results))
	}
	if _, err := exec.LookPath("xmllint"); err != nil {
		return
	}
	if out, err := exec.Command("xmllint", append([]string{"--noout", "--nonet", "--schema", published("JUnit.xsd")}, results...)...).CombinedOutput(); err != nil {
		t.Errorf("xmllint: %v\n%s", err, bytes.ReplaceAll(out, []byte(" validates\n"), nil))
	}
}
