// Kernelearn learns models of tables, predicts with them, evaluates and explains them, without a line of Go.
//
//	go install github.com/kernelearn/kernelearn/cmd/kernelearn@latest
//	kernelearn train houses.csv -target price -o price.keln
//	kernelearn predict price.keln new.csv
//
// Each command has -h, which begins with an example. A table is a CSV file, which may be compressed by gzip, an ARFF file, or a file of
// svmlight; a dash is a CSV file on standard input. Package table says how cells are read.
//
// It ends with status 0, with 1 for an error, with 2 for a wrong flag or argument, before anything is computed, and with 130 where it was
// interrupted. Results go to standard output, and all else to standard error.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/urfave/cli/v3"

	_ "github.com/kernelearn/kernelearn/adapters/simdblas" // a faster BLAS
)

const (
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// usageError is an error of the flags or arguments.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// streams are where a command reads and writes.
type streams struct {
	in       io.Reader
	out      io.Writer // results
	progress io.Writer // all else
}

// run runs the program and returns its exit code.
func run(ctx context.Context, args []string, in io.Reader, out, progress io.Writer) int {
	err := newCommand(&streams{in, out, progress}).Run(ctx, append([]string{"kernelearn"}, args...))
	var usage usageError
	switch {
	case err == nil:
		return 0
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		fmt.Fprintln(progress, "kernelearn: interrupted")
		return exitInterrupted
	case errors.As(err, &usage):
		fmt.Fprintf(progress, "kernelearn: %v (-h lists the flags)\n", err)
		return exitUsage
	}
	fmt.Fprintf(progress, "kernelearn: %v\n", err)
	return exitFailed
}

func newCommand(s *streams) *cli.Command {
	root := &cli.Command{
		Name:                  "kernelearn",
		Usage:                 "kernelearn learns models of tables, predicts with them, evaluates and explains them.",
		UsageText:             "kernelearn train houses.csv -target price -o price.keln\n  kernelearn predict price.keln new.csv",
		EnableShellCompletion: true,
		HideHelpCommand:       true,
		Commands: []*cli.Command{
			trainCommand(s), predictCommand(s), evaluateCommand(s), compareCommand(s), describeCommand(s), driftCommand(s), reportCommand(s),
		},
		Action: func(_ context.Context, c *cli.Command) error {
			if c.Args().Present() {
				return usagef("no command %q", c.Args().First())
			}
			return usagef("want a command, such as train")
		},
	}
	prepare(root, s)
	return root
}

// prepare sets what all commands have in common.
func prepare(c *cli.Command, s *streams) {
	c.Writer, c.ErrWriter = s.out, s.progress
	c.CustomHelpTemplate, c.CustomRootCommandHelpTemplate = helpTemplate, helpTemplate
	c.OnUsageError = func(_ context.Context, _ *cli.Command, err error, _ bool) error { return usageError{err} }
	c.ExitErrHandler = func(context.Context, *cli.Command, error) {}
	for _, one := range c.Commands {
		prepare(one, s)
	}
}

// helpTemplate begins with a sentence and an example.
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
		kind, usage := "", d.GetUsage()
		if before, rest, ok := strings.Cut(usage, "`"); ok { // the name of the value stands in back quotes
			if name, after, ok := strings.Cut(rest, "`"); ok {
				kind, usage = " "+name, before+name+after
			}
		}
		names := f.Names()
		for i, name := range names {
			names[i] = "-" + name
		}
		return fmt.Sprintf("  %s%s\n    \t%s", strings.Join(names, ", "), kind, usage)
	}
}
