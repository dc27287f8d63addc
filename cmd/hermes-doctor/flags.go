package main

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/seed-4d3eb737/hermes-doctor/report"
	"github.com/seed-4d3eb737/hermes-doctor/report/lang"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checks"
)

// commonFlags are the flags that every command takes, so that a script may pass them without looking. more are formats
// that the command alone has.
func commonFlags(more ...report.Format) []cli.Flag {
	var formats []string
	for _, f := range append(report.Formats(), more...) {
		formats = append(formats, string(f))
	}
	last := len(formats) - 1
	list := strings.Join(formats[:last], ", ") + " or " + formats[last]
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "format", Usage: "`FORMAT` of the output: " + list + "; once for each --output"},
		&cli.BoolFlag{Name: "json", Usage: "the same as --format json", DisableDefaultText: true},
		&cli.StringSliceFlag{Name: "output", Usage: "write to a new `FILE` instead of stdout; may be repeated, never overwrites"},
		&cli.BoolFlag{Name: "redact", Usage: "pseudonyms in the place of ids, names and paths, the same for the same everywhere", DisableDefaultText: true},
		&cli.StringFlag{Name: "color", Value: "auto", Usage: "colours on stdout `WHEN`: auto, always or never"},
		&cli.StringFlag{Name: "lang", Usage: "`LANGUAGE` of headings, verdict and explanations for people: en, fr or zh", DefaultText: "that of LC_ALL, LC_MESSAGES or LANG"},
		&cli.StringFlag{Name: "progress", Usage: "`KIND` of progress on stderr: none, bar or json", DefaultText: "a bar on a terminal"},
		&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "nothing but errors on stderr", DisableDefaultText: true},
		&cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Usage: "say on stderr what is being done", DisableDefaultText: true},
		&cli.BoolFlag{Name: "exit-zero", Usage: "exit 0 where it would be 1, 3 or 4", DisableDefaultText: true},
		&cli.BoolFlag{Name: "dry-run", Usage: "change no input: the default of every command", DisableDefaultText: true},
	}
}

// applyFlags are the flags of the commands that may change a copy.
func applyFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "apply", Usage: "change the copy, after a backup that was read back and proved", DisableDefaultText: true},
		&cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "confirm what is printed without being asked; never consents to a held repair", DisableDefaultText: true},
		&cli.StringFlag{Name: "backup-dir", Usage: "`DIR` for backup, undo journal and receipt, which must exist", DefaultText: "beside the file"},
		&cli.BoolFlag{Name: "allow-live-holder", Usage: "go on although another process uses the file, or its folder is the home of an install", DisableDefaultText: true},
		&cli.BoolFlag{Name: "allow-foreign-key-violations", Usage: "go on although rows name a session that is not there", DisableDefaultText: true},
	}
}

// examineFlags are the flags of the commands that read a file and tell about it.
func examineFlags() []cli.Flag {
	return append([]cli.Flag{
		&cli.StringFlag{Name: "chat", Usage: "only what concerns the chat with this session `KEY`"},
		&cli.StringFlag{Name: "session", Usage: "only what concerns the session row `ID`"},
	}, readFlags()...)
}

// readFlags steer how a file is read, whatever is then made of it.
func readFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "deep", Usage: "also the slow checks: full text index, all message texts", DisableDefaultText: true},
		&cli.Float64Flag{Name: "max-gap-seconds", Value: 900, Usage: "a row that fell quiet at most `S` seconds before an orphan began may be its predecessor"},
		&cli.Float64Flag{Name: "now", Usage: "the only clock of a scan, `EPOCH` seconds", DefaultText: "the newest trusted time in the input"},
		&cli.StringFlag{Name: "home-path", Usage: "`PATH` of the Hermes home on its own machine"},
		&cli.DurationFlag{Name: "time-budget", Usage: "begin no check after `DURATION`, such as 30s; the scan is then incomplete", DefaultText: "none"},
	}
}

// failOnFlag decides which findings the exit code of a scan tells.
func failOnFlag() cli.Flag {
	return &cli.StringFlag{Name: "fail-on", Value: "notice", Usage: "exit 1 for findings of this `SEVERITY` or above: none, notice, warning or error"}
}

// checkFlags choose among the checks.
func checkFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "only", Usage: "run only this `CHECK`; may be repeated"},
		&cli.StringSliceFlag{Name: "skip", Usage: "leave this `CHECK` out; may be repeated"},
	}
}

// selectFlags choose among the checks and rows.
func selectFlags() []cli.Flag {
	return append(checkFlags(), []cli.Flag{
		&cli.BoolFlag{Name: "all", Usage: "list every session row, not only the census", DisableDefaultText: true},
		&cli.BoolFlag{Name: "timings", Usage: "how long each check took: the only output that differs between runs", DisableDefaultText: true},
	}...)
}

// checkCommon refuses values of the common flags that no command can use.
func checkCommon(cc *cli.Context) error {
	for _, other := range []string{"apply", "show-text"} {
		if cc.Bool("redact") && cc.Bool(other) {
			return usageError{what: "--redact and --" + other + " contradict each other", try: "two runs: one for you, and one with --redact to pass on"}
		}
	}
	switch mode := cc.String("color"); mode {
	case "auto", "always", "never":
	default:
		return usageError{what: fmt.Sprintf("unknown --color %q", mode), try: "--color auto, always or never"}
	}
	if cc.IsSet("lang") {
		if _, err := lang.Parse(cc.String("lang")); err != nil {
			return usageError{what: err.Error(), try: "--lang en, fr or zh"}
		}
	}
	return nil
}

// tongue is the language that --lang names, else that of the environment.
func (c *console) tongue(cc *cli.Context) (*lang.Tongue, error) {
	if cc.IsSet("lang") {
		return lang.Parse(cc.String("lang"))
	}
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if value := c.env[name]; value != "" {
			return lang.Environment(value)
		}
	}
	return nil, nil
}

// scanOptions reads what steers a scan. The zone comes from TZ because the naive local times of routing entries were
// most often written on the machine, or at least in the zone, of the person who asks.
func (c *console) scanOptions(cc *cli.Context) (scan.Options, error) {
	list := checks.All()
	rows := cc.Bool("all") || cc.String("chat") != "" || cc.String("session") != ""
	o := scan.Options{Deep: cc.Bool("deep"), Rows: rows, HomePath: cc.String("home-path"), Budget: cc.Duration("time-budget").Seconds()}
	var err error
	if o.Only, err = checkIDs("only", cc.StringSlice("only"), list); err != nil {
		return o, err
	}
	if o.Skip, err = checkIDs("skip", cc.StringSlice("skip"), list); err != nil {
		return o, err
	}
	if o.Budget < 0 {
		return o, usageError{what: "--time-budget is negative", try: "--time-budget 30s"}
	}
	if o.MaxGap = cc.Float64("max-gap-seconds"); !(o.MaxGap >= 0) || math.IsInf(o.MaxGap, 0) {
		return o, usageError{what: "--max-gap-seconds is no length of time", try: "--max-gap-seconds 900"}
	}
	if o.MaxGap == 0 { // to scan, 0 means the default; a gap this small is none
		o.MaxGap = math.SmallestNonzeroFloat64
	}
	if o.Now = cc.Float64("now"); cc.IsSet("now") && !(o.Now >= 1 && o.Now <= 4.2e9) {
		return o, usageError{what: "--now is no time: epoch seconds lie in 1 to 4200000000", try: "--now 1785974316"}
	}
	if zone := strings.TrimPrefix(c.env["TZ"], ":"); zone != "" {
		if _, err := time.LoadLocation(zone); err != nil {
			c.note(cc, "TZ %q is no zone by name, such as Europe/Berlin: the zone is derived from the data instead", zone)
		} else {
			o.Zone = zone
		}
	}
	return o, nil
}

// checkIDs refuses an id that no check has: a typing mistake must not make a scan that looks at nothing.
func checkIDs(flag string, ids []string, list []*scan.Check) ([]string, error) {
	for _, id := range ids {
		if err := known(id, list, "--"+flag+" "); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

// known returns an error with a suggestion when no check has this id. before is what stands before the id on the
// command line.
func known(id string, list []*scan.Check, before string) error {
	var ids []string
	for _, c := range list {
		if c.ID == id {
			return nil
		}
		ids = append(ids, c.ID)
	}
	try := "hermes-doctor checks"
	if near := nearest(id, ids); near != "" {
		try = before + near + ", or " + try
	}
	return usageError{what: fmt.Sprintf("no check is called %q", id), try: try}
}

// failOn reads --fail-on as the rank that a finding must reach; none is a rank that nothing reaches.
func failOn(cc *cli.Context) (int, error) {
	if !cc.IsSet("fail-on") {
		return scan.Notice.Rank(), nil
	}
	name := cc.String("fail-on")
	if rank := scan.Severity(name).Rank(); rank > 0 {
		return rank, nil
	}
	if name == "none" {
		return scan.Error.Rank() + 1, nil
	}
	return 0, usageError{what: fmt.Sprintf("unknown severity %q", name), try: "--fail-on none, notice, warning or error"}
}
