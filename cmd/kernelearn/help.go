package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"
)

// helpTemplate is the template of help texts. They begin with a sentence and an example.
const helpTemplate = `{{.Usage}}

  {{.UsageText}}
{{if .Description}}
{{.Description}}
{{end}}{{if .VisibleCommands}}
Commands:
{{range .VisibleCommands}}  {{printf "%-10s" .Name}} {{.Usage}}
{{end}}{{end}}
Flags:
{{range .VisibleFlags}}{{.}}
{{end}}`

func init() {
	cli.FlagStringer = func(f cli.Flag) string {
		d, ok := f.(cli.DocGenerationFlag)
		if !ok {
			return ""
		}
		kind, usage := describeFlag(d.GetUsage())
		names := f.Names()
		for i, name := range names {
			names[i] = "-" + name
		}
		if kind != "" {
			kind = " " + kind
		}
		return fmt.Sprintf("  %s%s\n    \t%s", strings.Join(names, ", "), kind, usage)
	}
}

// describeFlag returns the name of a flag's value, which the usage contains in back quotes, and the usage without these quotes.
func describeFlag(usage string) (kind, plain string) {
	if before, rest, ok := strings.Cut(usage, "`"); ok {
		if name, after, ok := strings.Cut(rest, "`"); ok {
			return name, before + name + after
		}
	}
	return "", usage
}

// completeFlags prints the flags of a command that start with the last word, with the same number of dashes. The shell uses them
// for completion.
func completeFlags(_ context.Context, c *cli.Command) {
	words := c.Args().Slice()
	if len(words) == 0 || !strings.HasPrefix(words[len(words)-1], "-") {
		for _, one := range c.VisibleCommands() {
			fmt.Fprintf(c.Root().Writer, "%s:%s\n", one.Name, one.Usage)
		}
		return // the shell then completes file names
	}
	last := words[len(words)-1]
	dashes := "-"
	if strings.HasPrefix(last, "--") {
		dashes = "--"
	}
	for _, f := range c.VisibleFlags() {
		d, ok := f.(cli.DocGenerationFlag)
		if name := slices.MaxFunc(f.Names(), func(a, b string) int { return len(a) - len(b) }); ok && strings.HasPrefix(dashes+name, last) {
			_, usage := describeFlag(d.GetUsage())
			fmt.Fprintf(c.Root().Writer, "%s%s:%s\n", dashes, name, usage)
		}
	}
}
