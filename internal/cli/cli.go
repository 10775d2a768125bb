// Package cli provides code that the programs share. It checks flags before any computation, and ends programs with an exit code.
package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
)

// Main runs a program and exits. An interrupt cancels its context. An error is printed after the name, and the exit code is 1.
func Main(name string, run func(ctx context.Context, args []string, out, progress io.Writer) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}

// NoFlags parses the arguments of a program without flags. With -h it prints the summary and exits with code 0. With any other
// argument it prints an error and exits with code 1.
func NoFlags(summary string) {
	name := filepath.Base(os.Args[0])
	err := NewFlags(name, summary, os.Stdout).Parse(os.Args[1:])
	if errors.Is(err, flag.ErrHelp) {
		os.Exit(0)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}

// Flags holds the flags of a program. Its methods register requirements that Parse checks, so that a wrong flag is an error before
// any computation.
type Flags struct {
	*flag.FlagSet
	summary   string
	help      io.Writer
	arguments string // describes the arguments; "" if there are none
	checks    []func() error
}

// NewFlags returns the flags of a program. With -h, [Flags.Parse] writes the flags and the summary to help. The summary is a
// sentence about what the program does.
func NewFlags(name, summary string, help io.Writer) *Flags {
	f := &Flags{FlagSet: flag.NewFlagSet(name, flag.ContinueOnError), summary: summary, help: help}
	f.SetOutput(io.Discard) // the caller prints the error
	f.Usage = func() {}
	return f
}

// AtLeast requires the values of the named flags to be at least least.
func (f *Flags) AtLeast(least int, names ...string) {
	for _, name := range names {
		value := f.defined(name).Value.(flag.Getter)
		f.checks = append(f.checks, func() error {
			var below bool
			switch v := value.Get().(type) {
			case int:
				below = v < least
			case uint64:
				below = v < uint64(least)
			default:
				panic(fmt.Sprintf("flag -%s: AtLeast of a %T", name, v))
			}
			if below {
				return fmt.Errorf("-%s %v: want %d or more", name, value, least)
			}
			return nil
		})
	}
}

// Reads requires that the folders and files that these flags name exist. The usage of each flag must contain `folder` or `file` in
// back quotes. Flags without a value and default files are not checked.
func (f *Flags) Reads(names ...string) {
	for _, name := range names {
		one := f.defined(name)
		folder := isFolder(one)
		f.checks = append(f.checks, func() error {
			path := one.Value.String()
			if path == "" || path == one.DefValue {
				return nil
			}
			return checkMissing(name, path, folder)
		})
	}
}

func checkMissing(name, path string, folder bool) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return fmt.Errorf("-%s: %w", name, err)
	case folder && !info.IsDir():
		return fmt.Errorf("-%s %s: want a folder", name, path)
	case !folder && info.IsDir():
		return fmt.Errorf("-%s %s: want a file, this is a folder", name, path)
	}
	return nil
}

// Writes requires that the folders and files that these flags name are writable. It creates missing folders.
func (f *Flags) Writes(names ...string) {
	for _, name := range names {
		one := f.defined(name)
		folder := isFolder(one)
		f.checks = append(f.checks, func() error {
			path := one.Value.String()
			if path == "" {
				return nil
			}
			try := tryFile
			if folder {
				try = tryFolder
			}
			if err := try(path); err != nil {
				return fmt.Errorf("-%s: %w", name, err)
			}
			return nil
		})
	}
}

// tryFile opens a file for writing without changing its content. It removes a file that it created.
func tryFile(path string) error {
	if dir := filepath.Dir(path); dir != "." {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	_, err := os.Stat(path)
	fresh := errors.Is(err, os.ErrNotExist)
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	if fresh {
		return os.Remove(path)
	}
	return nil
}

func tryFolder(path string) error {
	if err := os.MkdirAll(path, 0o755); err != nil {
		return err
	}
	file, err := os.CreateTemp(path, ".writable-*")
	if err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	return os.Remove(file.Name())
}

// Runs requires that the program that a flag names can be run, and that the scripts that other flags name exist. If no program is
// named, default scripts are not checked.
func (f *Flags) Runs(name string, scripts ...string) {
	one := f.defined(name)
	f.Reads(scripts...)
	f.checks = append(f.checks, func() error {
		path := one.Value.String()
		if path == "" {
			return nil
		}
		if _, err := exec.LookPath(path); err != nil {
			return fmt.Errorf("-%s: %w", name, err)
		}
		for _, script := range scripts {
			if err := checkMissing(script, f.Lookup(script).Value.String(), isFolder(f.Lookup(script))); err != nil {
				return err
			}
		}
		return nil
	})
}

// Arguments allows arguments after the flags. what describes them, for example "model files".
func (f *Flags) Arguments(what string) { f.arguments = what }

// Parse parses and checks the arguments. Errors name the flag. Unless [Flags.Arguments] was called, arguments that belong to no
// flag are an error.
func (f *Flags) Parse(args []string) error {
	err := f.FlagSet.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		f.printHelp()
		return err
	}
	if err != nil {
		return fmt.Errorf("%w (-h lists the flags)", err)
	}
	switch {
	case f.arguments == "" && f.NArg() > 0:
		return fmt.Errorf("unexpected argument %q (-h lists the flags)", f.Arg(0))
	case f.arguments != "" && f.NArg() == 0:
		return fmt.Errorf("want %s (-h lists the flags)", f.arguments)
	}
	for _, check := range f.checks {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (f *Flags) printHelp() {
	fmt.Fprintln(f.help, f.summary)
	if f.arguments != "" {
		fmt.Fprintf(f.help, "\nArguments: %s\n", f.arguments)
	}
	any := false
	f.VisitAll(func(*flag.Flag) { any = true })
	if any {
		fmt.Fprintln(f.help, "\nFlags:")
		f.SetOutput(f.help)
		f.PrintDefaults()
		f.SetOutput(io.Discard)
	}
}

func (f *Flags) defined(name string) *flag.Flag {
	one := f.Lookup(name)
	if one == nil {
		panic("no flag -" + name)
	}
	return one
}

func isFolder(one *flag.Flag) bool {
	switch kind, _ := flag.UnquoteUsage(one); kind {
	case "folder":
		return true
	case "file":
		return false
	default:
		panic(fmt.Sprintf("the usage of -%s has neither `folder` nor `file` in it", one.Name))
	}
}
