package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/seed-4d3eb737/hermes-doctor/report"
)

// version is a constant and not the build's VCS stamp: the same source must print the same bytes however it was built.
const version = "0.1.0"

// run is the whole program: everything it touches but the file system is an argument, and what it returns is the
// process's exit code.
func run(ctx context.Context, args, env []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	c := newConsole(env, stdin, stdout, stderr)
	defer func() {
		if p := recover(); p != nil {
			c.complain(fmt.Sprintf("internal error: %v", p), "report this with the output of hermes-doctor version; inputs are as they were")
			code = exitIncomplete
		}
		if c.exitZero && code != exitUsage && code != exitInterrupted {
			code = exitClean
		}
	}()
	c.args = args
	commands := c.commands()
	arranged, err := arrange(commands, args, exists)
	if err != nil {
		return c.conclude(ctx, err)
	}
	app := &cli.App{
		Name:                      "hermes-doctor",
		Usage:                     "which conversation each chat of a Hermes Agent install gets after a restart, and why",
		UsageText:                 "hermes-doctor COMMAND [flags] PATH…\nhermes-doctor PATH              the same as scan PATH",
		Description:               overview,
		Commands:                  commands,
		Writer:                    stdout,
		ErrWriter:                 stderr,
		HideHelp:                  true, // arrange sends --help to the command help; the built-in one takes paths for topics
		HideVersion:               true,
		DisableSliceFlagSeparator: true, // a comma is part of a file's name
		ExitErrHandler:            func(*cli.Context, error) {},
		OnUsageError:              onUsageError,
		Action:                    func(*cli.Context) error { return usageError{what: "no command given", try: "hermes-doctor help"} },
	}
	return c.conclude(ctx, app.RunContext(ctx, append([]string{app.Name}, arranged...)))
}

// overview stands in the help; doc.go is the manual.
const overview = `Offline: it is given a copy and opens no connection. Only fix and undo with --apply change a byte of it, after a
backup that was read back and proved.
PATH is a state.db or a whole Hermes home, as a folder, a zip or a tar.gz.

Exit codes: 0 nothing found, 1 findings, 2 wrong usage or unreadable input, 3 incomplete,
4 refused for safety, 130 interrupted.`

// commands lists every command of this version, in the order in which help shows them.
func (c *console) commands() []*cli.Command {
	return []*cli.Command{
		c.scanCommand(),
		c.resumeCommand(),
		c.timelineCommand(),
		c.diffCommand(),
		c.fixCommand(),
		c.undoCommand(),
		c.verifyCommand(),
		c.salvageCommand(),
		c.bundleCommand(),
		c.checkpointsCommand(),
		c.filesCommand(),
		c.issueCommand(),
		c.migrateCommand(),
		c.demoCommand(),
		c.explainCommand(),
		c.checksCommand(),
		c.corpusCommand(),
		c.schemaCommand(),
		c.manCommand(),
		c.completionCommand(),
		c.versionCommand(),
		c.helpCommand(),
	}
}

// command completes a command with what all share. arguments says how many arguments may follow the flags, at least
// and at most; most < 0 means any number. more are the formats that it has beside those that every command has.
func (c *console) command(cmd *cli.Command, least, most int, more ...report.Format) *cli.Command {
	do := cmd.Action
	cmd.Flags = append(cmd.Flags, commonFlags(more...)...)
	cmd.HideHelp = true
	cmd.OnUsageError = onUsageError
	cmd.Action = func(cc *cli.Context) error {
		c.exitZero = cc.Bool("exit-zero")
		try := strings.TrimSpace("hermes-doctor " + title(cmd) + " " + cmd.ArgsUsage)
		if cc.NArg() < least {
			return usageError{what: fmt.Sprintf("%s needs an argument: %s", title(cmd), cmd.ArgsUsage), try: try}
		}
		if most >= 0 && cc.NArg() > most {
			return usageError{what: fmt.Sprintf("%s has no use for the argument %q", title(cmd), cc.Args().Get(most)), try: try}
		}
		if err := checkCommon(cc); err != nil {
			return err
		}
		return do(cc)
	}
	return cmd
}

// onUsageError keeps the parser from printing its help on stdout.
func onUsageError(cc *cli.Context, err error, _ bool) error {
	return usageError{what: err.Error(), try: "hermes-doctor help " + title(cc.Command)}
}

// title is a command's name with that of its group before it.
func title(cmd *cli.Command) string {
	if name, ok := strings.CutPrefix(cmd.HelpName, "hermes-doctor "); ok {
		return name
	}
	return cmd.Name
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}
