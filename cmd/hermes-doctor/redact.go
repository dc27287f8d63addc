package main

import (
	"github.com/urfave/cli/v2"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/report"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

// redacted completes o for --redact. The key of the pseudonyms comes from the files that the arguments name; where they
// name none, as those of explain, nothing was read that could be private. inputs and result may be nil.
func (c *console) redacted(cc *cli.Context, o report.Options, inputs []evidence.Input, result *scan.Result) (report.Options, error) {
	if !cc.Bool("redact") || o.Redact != nil {
		return o, nil
	}
	var paths []string
	for _, arg := range cc.Args().Slice() {
		if exists(arg) {
			paths = append(paths, arg)
		}
	}
	if len(paths) == 0 {
		return o, nil
	}
	key, err := evidence.Secret(cc.Context, "pseudonyms", paths)
	if err != nil {
		return o, err
	}
	o.Redact = report.NewRedactor(key, inputs, result)
	return o, nil
}
