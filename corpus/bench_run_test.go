package corpus_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// run is one process that is measured several times.
type run struct {
	name    string
	command func(context.Context) *exec.Cmd
	reports bool // it prints the seconds of its own pass, and of reading texts, which count in neither, and how much it read

	seconds []float64 // of the whole process, without reading texts
	inside  []float64 // of its own pass
	cpu     []float64 // seconds of all cores: steadier than seconds where others use them too
	memory  []float64 // MiB
	read    int       // what it says it read
}

// once runs the process; what it prints goes through a pipe and is thrown away.
func (r *run) once(ctx context.Context, counts bool) error {
	cmd := r.command(ctx)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	var complaint, said bytes.Buffer
	cmd.Stderr = &complaint
	to := io.Discard
	if r.reports {
		to = &said
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return err
	}
	if _, err := io.Copy(to, out); err != nil {
		return err
	}
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("%w\n%s", err, complaint.String())
	}
	took := time.Since(began).Seconds()
	var inside, texts float64
	if r.reports {
		if n, err := fmt.Sscan(said.String(), &inside, &texts, &r.read); n < 2 {
			return fmt.Errorf("read %q: %w", said.String(), err)
		}
	}
	if !counts {
		return nil
	}
	r.seconds = append(r.seconds, took-texts)
	r.cpu = append(r.cpu, (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds())
	r.memory = append(r.memory, residentMiB(cmd.ProcessState))
	if r.reports {
		r.inside = append(r.inside, inside)
	}
	return nil
}

func median(list []float64) float64 {
	sorted := slices.Sorted(slices.Values(list))
	if n := len(sorted); n%2 == 0 {
		return (sorted[n/2-1] + sorted[n/2]) / 2
	}
	return sorted[len(sorted)/2]
}

// goals collects a line for each goal.
type goals struct{ b strings.Builder }

func (g *goals) line(name string, got, most float64, unit, how string) {
	g.judge(name, got, unit, "<=", most, got <= most, how)
}

func (g *goals) judge(name string, got float64, unit, sign string, wanted float64, met bool, how string) {
	word := "ok"
	if !met {
		word = "MISS"
	}
	fmt.Fprintf(&g.b, "%-34s %9.2f %-4s %s %6.2f  %-5s %s\n", name, got, unit, sign, wanted, word, how)
}

// ratio is the median over the rounds of what a run took against another in the same round.
func (g *goals) ratio(name string, r, base *run, most float64) {
	got, how := against(r, base)
	g.line(name, got, most, "x", how)
}

// atLeast is ratio where more is better.
func (g *goals) atLeast(name string, r, base *run, least float64) {
	got, how := against(r, base)
	g.judge(name, got, "x", ">=", least, got >= least, how)
}

func against(r, base *run) (middle float64, how string) {
	list := make([]float64, len(r.seconds))
	for i := range list {
		list[i] = r.seconds[i] / base.seconds[i]
	}
	return median(list), fmt.Sprintf("%.4f s / %.4f s; %.2f to %.2f", median(r.seconds), median(base.seconds), slices.Min(list), slices.Max(list))
}

// detail prints what each process took.
func detail(runs []*run) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-34s %9s %9s %9s %9s %9s %9s\n", "process", "median s", "min s", "max s", "inside s", "cpu s", "peak MiB")
	for _, r := range runs {
		inside := ""
		if r.reports {
			inside = fmt.Sprintf("%.4f", median(r.inside))
		}
		fmt.Fprintf(&b, "%-34s %9.4f %9.4f %9.4f %9s %9.4f %9.1f\n", r.name, median(r.seconds), slices.Min(r.seconds), slices.Max(r.seconds), inside, median(r.cpu), peak(r))
	}
	return b.String()
}

// childCommand is this binary with a task.
func childCommand(ctx context.Context, task string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Args[0], args...)
	cmd.Env = append(os.Environ(), benchChild+"="+task)
	return cmd
}

// peak is the most memory of all rounds, in MiB.
func peak(r *run) float64 { return slices.Max(r.memory) }
