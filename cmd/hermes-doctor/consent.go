package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/seed-4d3eb737/hermes-doctor/fix"
)

// asker puts questions to a person. What it is written goes where that person reads, never into the data on stdout.
type asker struct {
	io.Writer
	answers *bufio.Reader
}

// asker is nil when nobody is there to answer: stdin is no terminal.
func (c *console) asker() *asker {
	if c.asking != nil {
		return c.asking
	}
	if _, ok := terminal(c.stdin); !ok {
		return nil
	}
	a := &asker{answers: bufio.NewReader(c.stdin), Writer: c.stderr}
	if _, ok := terminal(c.stderr); !ok { // stderr goes into a file: the question would not be seen there
		a.Writer = c.stdin.(*os.File)
	}
	c.asking = a
	return a
}

// yes is true only for y or yes; anything else, the end of input included, is no.
func (a *asker) yes(ctx context.Context, question string) (bool, error) {
	if _, err := fmt.Fprintf(a, "\n%s [y/N] ", question); err != nil {
		return false, fmt.Errorf("ask on the terminal: %w", err)
	}
	type reply struct {
		line string
		err  error
	}
	got := make(chan reply, 1)
	// A read from a terminal cannot be cancelled; an interrupted program ends without it.
	go func() {
		line, err := a.answers.ReadString('\n')
		got <- reply{line, err}
	}()
	select {
	case <-ctx.Done():
		return false, ctx.Err()
	case r := <-got:
		if r.err != nil && !errors.Is(r.err, io.EOF) {
			return false, fmt.Errorf("read the answer: %w", r.err)
		}
		switch strings.ToLower(strings.TrimSpace(r.line)) {
		case "y", "yes":
			return true, nil
		}
		return false, nil
	}
}

// backupOptions reads where backups go.
func (c *console) backupOptions(cc *cli.Context, m *meter) fix.BackupOptions {
	return fix.BackupOptions{Dir: cc.String("backup-dir"), TempDir: c.env["TMPDIR"], Progress: m.report}
}

// applyOptions reads what a change may do, and where the homes of installs are.
func (c *console) applyOptions(cc *cli.Context) fix.ApplyOptions {
	o := fix.ApplyOptions{AllowLiveHolder: cc.Bool("allow-live-holder"), AllowForeignKeys: cc.Bool("allow-foreign-key-violations")}
	if home := c.env["HERMES_HOME"]; home != "" {
		o.LiveHomes = append(o.LiveHomes, home)
	}
	if home := c.env["HOME"]; home != "" {
		o.LiveHomes = append(o.LiveHomes, filepath.Join(home, ".hermes"))
	}
	return o
}
