// Kernelearn fits models to tables, predicts with them, evaluates, explains and serves them, without a line of Go.
//
//	go install github.com/kernelearn/kernelearn/cmd/kernelearn@latest
//	kernelearn train houses.csv -target price -o price.keln
//	kernelearn predict price.keln new.csv
//	kernelearn explain price.keln new.csv -row 3 -background houses.csv
//	kernelearn serve price.keln
//
// The help text of each command (-h) begins with an example. A table is a CSV file, optionally compressed with gzip, an ARFF file,
// or a file in the format of svmlight. A dash stands for a CSV file on standard input. Package table documents how cells are read.
//
// The exit status is 0 for success, 1 for an error, 2 for a wrong flag or argument, which is found before any computation, and 130
// for an interrupt. If serve is interrupted, it answers its open requests and exits with 0. A second interrupt ends any command at
// once. Results are written to standard output, and all other output to standard error.
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

	_ "github.com/kernelearn/kernelearn/adapters/simdblas" // for a faster BLAS
)

const (
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// usageError is an error in the flags or arguments.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// streams holds the input and the outputs of a command.
type streams struct {
	in       io.Reader
	out      io.Writer // results
	progress io.Writer // all other output
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
		Name:      "kernelearn",
		Usage:     "kernelearn fits models to tables, predicts with them, evaluates, explains and serves them.",
		UsageText: "kernelearn train houses.csv -target price -o price.keln\n  kernelearn predict price.keln new.csv",
		Description: "A table is a CSV file, also compressed by gzip, an ARFF file or an svmlight file;\n" +
			"a dash means CSV from standard input.\n" +
			"kernelearn COMMAND -h explains a command, kernelearn completion -h explains how a shell completes commands and flags.",
		EnableShellCompletion: true,
		HideHelpCommand:       true,
		Commands: []*cli.Command{
			trainCommand(s), predictCommand(s), evaluateCommand(s), compareCommand(s), describeCommand(s), explainCommand(s),
			driftCommand(s), reportCommand(s), serveCommand(s),
		},
		Action: func(_ context.Context, c *cli.Command) error {
			switch name := c.Args().First(); name {
			case "":
			case "help":
				return cli.ShowRootCommandHelp(c)
			default:
				return usagef("no command %q: want one of %s", name, commandNames(c))
			}
			return usagef("want a command, such as train")
		},
	}
	prepare(root, s)
	return root
}

func commandNames(root *cli.Command) string {
	var names []string
	for _, c := range root.VisibleCommands() {
		names = append(names, c.Name)
	}
	return strings.Join(names, ", ")
}

// prepare sets the common settings of all commands.
func prepare(c *cli.Command, s *streams) {
	c.Writer, c.ErrWriter = s.out, s.progress
	c.CustomHelpTemplate, c.CustomRootCommandHelpTemplate = helpTemplate, helpTemplate
	c.OnUsageError = func(_ context.Context, _ *cli.Command, err error, _ bool) error { return usageError{err} }
	c.ExitErrHandler = func(context.Context, *cli.Command, error) {}
	for _, one := range c.Commands {
		one.ShellComplete = completeFlags
		prepare(one, s)
	}
}
