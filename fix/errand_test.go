//go:build unix

package fix_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/fix"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checks"
)

// errand is what a child process is asked to do: a default repair that ends, or fails, at one operation.
type errand struct {
	Path, Dir, Temp string
	At              int
	How             string
}

// done is what a child says when it lives on.
type done struct {
	Ops        []string
	Refused    bool
	Unverified bool
	Error      string
	Left       []string // of a refusal
}

const errandEnv = "HERMES_DOCTOR_TEST_ERRAND"

func TestMain(m *testing.M) {
	text, child := os.LookupEnv(errandEnv)
	if !child {
		os.Exit(m.Run())
	}
	var e errand
	if err := json.Unmarshal([]byte(text), &e); err != nil {
		panic(err)
	}
	if e.How == "hold" {
		e.holdHere()
	}
	if err := json.NewEncoder(os.Stdout).Encode(e.run(context.Background())); err != nil {
		panic(err)
	}
}

// run does the errand in this process.
func (e errand) run(ctx context.Context) done {
	files := &faulty{at: e.At, how: e.How}
	err := e.repair(ctx, files)
	d := done{Ops: files.ops}
	if err != nil {
		d.Error = err.Error()
		d.Unverified = errors.As(err, new(*fix.UnverifiedError))
		var refused *fix.RefusedError
		if d.Refused = errors.As(err, &refused); d.Refused {
			d.Left = refused.Left
		}
	}
	return d
}

func (e errand) repair(ctx context.Context, files *faulty) error {
	b, err := evidence.Open(ctx, []string{e.Path}, evidence.Options{TempDir: e.Temp})
	if err != nil {
		return err
	}
	defer func() { _ = b.Close() }()
	r, err := scan.Run(ctx, b, checks.All(), scan.Options{Plan: true})
	if err != nil {
		return err
	}
	p, err := fix.NewPlan(r, fix.Options{})
	if err != nil || p.Empty() {
		return err
	}
	k, err := fix.VerifyBackup(ctx, b, fix.BackupOptions{Dir: e.Dir, TempDir: e.Temp, Now: at}.On(files))
	if err != nil {
		return err
	}
	if err := b.Close(); err != nil {
		return err
	}
	_, err = k.Apply(ctx, p, fix.ApplyOptions{Checks: checks.All()})
	return err
}

// hold lets a child begin to write to the database, for as long as the test lives.
func (e errand) hold(t *testing.T) {
	t.Helper()
	e.How = "hold"
	text, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), errandEnv+"="+string(text))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	if _, err := io.ReadFull(out, make([]byte, len("ready"))); err != nil {
		t.Fatal(err)
	}
}

// holdHere never comes back.
func (e errand) holdHere() {
	db, err := sql.Open("sqlite3", e.Path)
	if err != nil {
		panic(err)
	}
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("BEGIN IMMEDIATE"); err != nil {
		panic(err)
	}
	fmt.Print("ready")
	time.Sleep(time.Hour)
}

// send does the errand in a child; killed says that it did not live to tell.
func (e errand) send(t *testing.T, env ...string) (d done, killed bool) {
	t.Helper()
	text, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(append(os.Environ(), errandEnv+"="+string(text)), env...)
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() && status.Signal() == syscall.SIGKILL {
			return d, true
		}
	}
	if err != nil {
		t.Fatalf("child: %v\n%s", err, complaint.String())
	}
	if err := json.Unmarshal(out.Bytes(), &d); err != nil {
		t.Fatalf("child said %q: %v", out.String(), err)
	}
	return d, false
}
