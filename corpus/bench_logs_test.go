package corpus_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/seed-4d3eb737/hermes-doctor/corpus/internal/build"
	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// The logs of the goal: a gigabyte in all, as one log with its rotated files.
const (
	logFiles = 8
	logBytes = 125 << 20 // of each file, at least
)

// logPhrases is what both readers look for.
func logPhrases() []string {
	return []string{
		"inbound message: ", "conversation turn: ", "response ready: ", "repointing stale sessions.json entry ", "pruning stale sessions.json entry ",
		"routing key ", "SessionStore healed compressed session mapping: ", "Failed to create session row ", "Failed to end predecessor session row ",
	}
}

// logged is a home with large logs, kept between runs.
func (b *bench) logged(dir string) string {
	home := filepath.Join(dir, "logs-2")
	if _, err := os.Stat(home); err == nil {
		return home
	}
	fmt.Printf("building %s once\n", home)
	part := home + ".part"
	err := os.RemoveAll(part) // of a build that was interrupted
	if err == nil {
		err = os.MkdirAll(filepath.Join(part, "logs"), 0o700)
	}
	if err == nil {
		err = build.Write(b.t.Context(), filepath.Join(part, "state.db"), build.Store{Schema: "25", Journal: build.Delete, Rows: tinyRows()})
	}
	turn := 0
	for i := logFiles - 1; i >= 0 && err == nil; i-- {
		name := "agent.log"
		if i > 0 {
			name += fmt.Sprintf(".%d", i)
		}
		turn, err = writeLog(filepath.Join(part, "logs", name), turn)
	}
	if err == nil {
		err = os.Rename(part, home)
	}
	if err != nil {
		b.t.Fatal(err)
	}
	return home
}

// writeLog writes one file of whole turns, from the given one on, and gives the next: of some thirty lines a turn, three
// tell which session answered which chat.
func writeLog(path string, turn int) (next int, err error) {
	f, err := os.Create(path)
	if err != nil {
		return 0, err
	}
	w, size := bufio.NewWriterSize(f, 1<<20), 0
	for ; size < logBytes && err == nil; turn++ {
		second := 0
		line := func(format string, args ...any) {
			at := time.Unix(int64(1_780_000_000+turn*40+second), 0).UTC().Format("2006-01-02 15:04:05")
			n, failed := fmt.Fprintf(w, "%s,%03d "+format+"\n", append([]any{at, turn % 1000}, args...)...)
			size, err = size+n, errors.Join(err, failed)
			second++
		}
		session, chat := fmt.Sprintf("20260806_%06d_%08x", turn/40%240000, turn/40), 1000+turn/40%50
		line("INFO gateway.run: inbound message: platform=telegram user=Sam chat=%d msg='message %d of the day' reply_to_id=None reply_to_text=''", chat, turn)
		line("INFO [%s] agent.turn_context: conversation turn: session=%s model=hermes-4 provider=openrouter platform=telegram history=%d msg='message %d of the day'", session, session, turn%40, turn)
		for k := range 12 {
			line("INFO [%s] run_agent: API call #%d: model=hermes-4 provider=openrouter in=%d out=%d latency=%d.2s cache=%d%%", session, k, turn%90_000, turn%900, k, turn%100)
			line("INFO [%s] tools.terminal: tool terminal completed (0.%ds, %d chars)", session, k, turn%9000)
			if k%4 == 0 {
				line("WARNING [%s] tools.web: request to https://example.org/%d failed with status 503; it will be made again\nTraceback (most recent call last):\n  File \"/opt/hermes/tools/web.py\", line 211, in fetch\ntools.web.Timeout: timed out", session, turn)
			}
		}
		line("INFO gateway.run: response ready: platform=telegram chat=%d time=18.2s api_calls=12 response=140 chars", chat)
	}
	return turn, errors.Join(err, w.Flush(), f.Close())
}

// countLines is grep -c for the same phrases over the same files; nil where there is no grep.
func (b *bench) countLines(home string) *run {
	grep, err := exec.LookPath("grep")
	if err != nil {
		return nil
	}
	args := []string{"-c", "-F"}
	for _, phrase := range logPhrases() {
		args = append(args, "-e", phrase)
	}
	files, err := filepath.Glob(filepath.Join(home, "logs", "*"))
	if err != nil || len(files) == 0 {
		b.t.Fatalf("no logs in %s: %v", home, err)
	}
	args = append(args, files...)
	return &run{name: "grep -c over logs", command: func(ctx context.Context) *exec.Cmd { return exec.CommandContext(ctx, grep, args...) }}
}

// readLogs reads the logs of a home as a scan does, with the hash that custody needs.
func readLogs(ctx context.Context, args []string, stdout io.Writer) (err error) {
	began := time.Now()
	b, err := unhashed(ctx, args[0], evidence.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	logs, err := b.Homes[0].ReadLogs(ctx)
	if err != nil {
		return err
	}
	if len(logs.Served) == 0 || logs.Limited {
		return fmt.Errorf("%d pairs, limited %v, %q: nothing was measured", len(logs.Served), logs.Limited, logs.Notes)
	}
	_, err = fmt.Fprintln(stdout, time.Since(began).Seconds(), 0)
	return err
}
