package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/seed-4d3eb737/hermes-doctor/internal/gittest"
	"github.com/seed-4d3eb737/hermes-doctor/report"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"hermes-doctor": main})
}

// TestScript runs testdata/script/*.txtar: one behaviour of the command line each.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		Setup: func(e *testscript.Env) error {
			e.Setenv("COLUMNS", "100")
			e.Vars = append(e.Vars, gittest.Settings()...)
			return nil
		},
		Condition: func(name string) (bool, error) {
			if name == "root" {
				return os.Getuid() == 0, nil
			}
			return false, fmt.Errorf("unknown condition %q", name)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits":     exits,
			"complains": complains,
			"valid":     valid,
			"sarif":     sarif,
			"junit":     junit,
			"eachline":  eachLine,
			"stores":    stores,
			"walcopy":   walCopy,
			"workflow":  workflowCommand,
			"joined":    joined,
			"snapshot":  snapshot,
			"unchanged": unchanged,
			"build":     build,
			"mkfifo":    mkfifo,
			"zeros":     zeros,
			"noise":     noise,
			"cut":       cut,
			"overwrite": overwrite,
			"bytes":     bytesOf,
			"sqlite":    sqlite,
			"interrupt": interrupt,
			"hangup":    hangup,
			"same":      same,
			"journal":   journal,
			"receipt":   receipt,
		},
	})
}

// exits CODE COMMAND ARGS… runs a command and compares its exit code; stdout and stderr are kept for the next lines.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	code, command := usage(ts, neg, args, 2, "exits CODE COMMAND [ARG…]"), args[1]
	want, err := strconv.Atoi(code)
	ts.Check(err)
	if got := exitCode(ts, ts.Exec(command, args[2:]...)); got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// complains CODE PATTERN COMMAND ARGS… is exits, and nothing may be on stdout, two lines must be on stderr, and the
// first of them must match.
func complains(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg, args, 3, "complains CODE PATTERN COMMAND [ARG…]")
	exits(ts, false, append([]string{args[0]}, args[2:]...))
	if out := ts.ReadFile("stdout"); out != "" {
		ts.Fatalf("stdout is not silent:\n%s", out)
	}
	stderr := ts.ReadFile("stderr")
	if !regexp.MustCompile(`\Ahermes-doctor: [^\n]+\ntry: [^\n]+\n\z`).MatchString(stderr) {
		ts.Fatalf("stderr is not one line and one to try:\n%s", stderr)
	}
	what, _, _ := strings.Cut(stderr, "\n")
	if !regexp.MustCompile(args[1]).MatchString(what) {
		ts.Fatalf("%q does not match %q", what, args[1])
	}
}

// valid FILE… wants each file to be what the schema of this build describes.
func valid(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg, args, 1, "valid FILE…")
	schema := ownSchema(ts)
	for _, file := range args {
		follows(ts, schema, file, ts.ReadFile(file))
	}
}

// eachline FILE… is valid for every line of JSON Lines.
func eachLine(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg, args, 1, "eachline FILE…")
	schema := ownSchema(ts)
	for _, file := range args {
		for line := range strings.Lines(ts.ReadFile(file)) {
			follows(ts, schema, file, line)
		}
	}
}

// sarif FILE… wants each file to be what the schema of the standard describes.
func sarif(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg, args, 1, "sarif FILE…")
	text, err := os.ReadFile(published("sarif-schema-2.1.0.json"))
	ts.Check(err)
	schema := compile(ts, text)
	for _, file := range args {
		follows(ts, schema, file, ts.ReadFile(file))
	}
}

// junit FILE… wants each file to be what JUnit.xsd describes.
func junit(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg, args, 1, "junit FILE…")
	for _, file := range args {
		if err := validJUnit([]byte(ts.ReadFile(file)), ts.MkAbs(file)); err != nil {
			ts.Fatalf("%s: %v", file, err)
		}
	}
}

func ownSchema(ts *testscript.TestScript) *jsonschema.Schema { return compile(ts, report.Schema()) }

func compile(ts interface{ Check(error) }, text []byte) *jsonschema.Schema {
	schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	ts.Check(err)
	c := jsonschema.NewCompiler()
	c.AssertContent()
	c.AssertFormat()
	ts.Check(c.AddResource("schema.json", schema))
	compiled, err := c.Compile("schema.json")
	ts.Check(err)
	return compiled
}

func follows(ts *testscript.TestScript, schema *jsonschema.Schema, name, text string) {
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	ts.Check(err)
	if err := schema.Validate(document); err != nil {
		ts.Fatalf("%s: %v", name, err)
	}
}

// snapshot and unchanged compare every file below the script's folder: content, mode and time of change. The
// temporary folder is part of it.
func snapshot(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg, args, 0, "snapshot")
	ts.Setenv("SNAPSHOT", listing(ts))
}

func unchanged(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg, args, 0, "unchanged")
	if now := listing(ts); now != ts.Getenv("SNAPSHOT") {
		ts.Fatalf("files changed.\nbefore:\n%s\nafter:\n%s", ts.Getenv("SNAPSHOT"), now)
	}
}

func listing(ts *testscript.TestScript) string {
	var b strings.Builder
	root := ts.Getenv("WORK")
	ts.Check(filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s %s", rel, info.Mode())
		if info.Mode().IsRegular() {
			fmt.Fprintf(&b, " %d %s %s", info.Size(), info.ModTime().UTC(), digest(path))
		}
		b.WriteByte('\n')
		return nil
	}))
	return b.String()
}

// digest is "unreadable" for a file that may not be read; that must not change either.
func digest(path string) string {
	content, err := os.ReadFile(path)
	if err != nil {
		return "unreadable"
	}
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

func exitCode(ts *testscript.TestScript, err error) int {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	ts.Check(err)
	return 0
}

// usage checks how a script calls one of the commands above and returns the first argument.
func usage(ts *testscript.TestScript, neg bool, args []string, least int, how string) string {
	if neg || len(args) < least {
		ts.Fatalf("usage: %s", how)
	}
	if least == 0 {
		return ""
	}
	return args[0]
}
