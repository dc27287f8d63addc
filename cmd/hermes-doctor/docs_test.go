package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"go.yaml.in/yaml/v3"
)

// workflow is what is read of a GitHub Actions workflow.
type workflow struct {
	Name string
	On   any
	Jobs map[string]struct {
		RunsOn   string `yaml:"runs-on"`
		Strategy struct {
			Matrix map[string][]any
		}
		Steps []workflowStep
	}
}

type workflowStep struct {
	Name, Uses, Run string
	If              string
	With            map[string]any
}

// workflows reads the YAML blocks of docs/ci.md.
func workflows() ([]workflow, error) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "ci.md"))
	if err != nil {
		return nil, err
	}
	var all []workflow
	for _, block := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(text, -1) {
		var w workflow
		if err := yaml.Unmarshal(block[1], &w); err != nil {
			return nil, fmt.Errorf("docs/ci.md: %w", err)
		}
		all = append(all, w)
	}
	return all, nil
}

// workflowCommand, as `workflow NUMBER CODE`, runs the `run:` steps of a workflow of docs/ci.md, in order and for each value
// of its matrix, with the shell that GitHub uses. The step that installs the tool is left out, since the tool is here.
// CODE is the highest exit code of a step, 0 = none fails; behind a step that fails the others of its job do not run.
func workflowCommand(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg, args, 2, "workflow NUMBER CODE")
	all, err := workflows()
	ts.Check(err)
	i := strings.Index("123456789", args[0])
	if i < 0 || i >= len(all) {
		ts.Fatalf("docs/ci.md has %d workflows", len(all))
	}
	ran, worst := 0, 0
	for name, job := range all[i].Jobs {
		shards := job.Strategy.Matrix["shard"]
		if shards == nil {
			shards = []any{""}
		}
		for _, value := range shards {
			code := 0
			for _, step := range job.Steps {
				if step.Run == "" || step.Name == "install" || code != 0 {
					continue
				}
				line := strings.ReplaceAll(step.Run, "${{ matrix.shard }}", fmt.Sprint(value))
				if strings.Contains(line, "${{") {
					ts.Fatalf("job %s: %s: an expression that this test does not know: %s", name, step.Name, line)
				}
				code = exitCode(ts, ts.Exec("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", line))
				worst = max(worst, code)
				ran++
			}
		}
	}
	if ran == 0 {
		ts.Fatalf("workflow %s has no step to run", args[0])
	}
	if fmt.Sprint(worst) != args[1] {
		ts.Fatalf("exit code %d, want %s", worst, args[1])
	}
}

// TestWorkflows holds the examples against what GitHub asks of every workflow.
func TestWorkflows(t *testing.T) {
	all, err := workflows()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 2 {
		t.Fatalf("docs/ci.md has %d workflows, want 2", len(all))
	}
	for _, w := range all {
		if w.Name == "" || w.On == nil || len(w.Jobs) == 0 {
			t.Errorf("workflow %q: a name, on and jobs are needed", w.Name)
		}
		for name, job := range w.Jobs {
			if job.RunsOn == "" || len(job.Steps) == 0 {
				t.Errorf("job %s: runs-on and steps are needed", name)
			}
			for _, step := range job.Steps {
				if (step.Uses == "") == (step.Run == "") {
					t.Errorf("job %s: step %q has both uses and run, or neither", name, step.Name)
				}
				if step.Uses != "" && !regexp.MustCompile(`^[\w-]+/[\w/-]+@v\d+$`).MatchString(step.Uses) {
					t.Errorf("job %s: uses %q is no action with a version", name, step.Uses)
				}
			}
		}
	}
}

// The statements of the document can be run only where DuckDB is installed.
func TestDuckDBStatements(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "ci.md"))
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```sql\n(.*?)```").FindSubmatch(text)
	if block == nil {
		t.Fatal("docs/ci.md has no SQL")
	}
	duckdb, err := exec.LookPath("duckdb")
	if err != nil {
		t.Skip("no duckdb in PATH")
	}
	dir := t.TempDir()
	lines := `{"schema":1,"n":1,"path":"a","exit":1,"options":"0123456789ab","verdict":"sound","counts":{"error":0,"warning":0,"notice":1},` +
		`"report":{"findings":[{"id":"0123456789ab","check":"clock-anomaly","severity":"notice"}]}}` + "\n" +
		`{"schema":1,"n":2,"path":"b","exit":2,"options":"0123456789ab","verdict":null,"counts":{"error":0,"warning":0,"notice":0},"error":{"what":"no","try":"yes"}}` + "\n"
	if err := os.WriteFile(filepath.Join(dir, "copies-1.jsonl"), []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(duckdb, "-csv", ":memory:", string(block[1]))
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("clock-anomaly,notice,1,1")) || !bytes.Contains(out, []byte("unreadable,1")) {
		t.Errorf("%v\n%s", err, out)
	}
}
