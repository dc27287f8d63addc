package main

import (
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/term"
)

// console is the world outside the program, as run was given it.
type console struct {
	env            map[string]string
	stdin          io.Reader
	stdout, stderr io.Writer
	asking         *asker   // once somebody was asked
	args           []string // of the command line, as they were given
	exitZero       bool     // --exit-zero: of the exit codes keep only 0, 2 and 130
}

func newConsole(env []string, stdin io.Reader, stdout, stderr io.Writer) *console {
	c := &console{env: make(map[string]string, len(env)), stdin: stdin, stdout: stdout, stderr: stderr}
	for _, e := range env {
		name, value, _ := strings.Cut(e, "=")
		c.env[name] = value
	}
	return c
}

// terminal returns the descriptor of a stream that is a terminal.
func terminal(stream any) (fd int, ok bool) {
	f, ok := stream.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0, false
	}
	return int(f.Fd()), true
}

// width is the number of columns for text: COLUMNS, else the terminal's own, else 100.
func (c *console) width() int {
	if n, err := strconv.Atoi(c.env["COLUMNS"]); err == nil && n > 0 {
		return max(n, narrowest)
	}
	if fd, ok := terminal(c.stdout); ok {
		if n, _, err := term.GetSize(fd); err == nil && n > 0 {
			return max(n, narrowest)
		}
	}
	return 100
}

// narrowest is the width below which tables stop being readable and are better wrapped by the terminal.
const narrowest = 40

// color decides about colours on stdout: mode is auto, always or never; NO_COLOR and TERM=dumb count for auto.
func (c *console) color(mode string) bool {
	if mode != "auto" {
		return mode == "always"
	}
	_, tty := terminal(c.stdout)
	return tty && c.env["NO_COLOR"] == "" && c.env["TERM"] != "dumb"
}
