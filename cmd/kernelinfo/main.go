// Kernelinfo prints what model files hold: the type, the settings, the kernel, columns and classes, the imports that a
// program needs to load it, the library that wrote it, size and checksum, and the same of the parts of a pipeline.
//
//	go run github.com/kernelearn/kernelearn/cmd/kernelinfo model.keln
//	go run github.com/kernelearn/kernelearn/cmd/kernelinfo -json model.keln
//
// It reads the files of package modelfile, and says of those that a MarshalBinary wrote by itself as much as is in them. A model is not
// loaded, so that types of anybody's are told. It ends with status 1 if a file cannot be read, is damaged, or is of a newer format.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/kernelearn/kernelearn/estimators/modelfile"
)

func main() {
	err := run(os.Args[1:], os.Stdout, os.Stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, "kernelinfo:", err)
		os.Exit(1)
	}
}

// told is a file in JSON.
type told struct {
	Path  string          `json:"path"`
	Info  *modelfile.Info `json:"info,omitempty"`
	Error string          `json:"error,omitempty"`
}

func run(args []string, out, usage io.Writer) error {
	flags := flag.NewFlagSet("kernelinfo", flag.ContinueOnError)
	flags.SetOutput(usage)
	asJSON := flags.Bool("json", false, "print a JSON array, with an object for each file")
	flags.Usage = func() {
		fmt.Fprintln(usage, "usage: kernelinfo [-json] file ...")
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		return flag.ErrHelp
	}
	if flags.NArg() == 0 {
		flags.Usage()
		return flag.ErrHelp
	}
	var all []told
	var failed []error
	for i, path := range flags.Args() {
		info, err := modelfile.DescribeFile(path)
		switch {
		case err != nil:
			failed = append(failed, fmt.Errorf("%s: %w", path, err))
			all = append(all, told{Path: path, Error: err.Error()})
		case *asJSON:
			all = append(all, told{Path: path, Info: &info})
		default:
			if i > 0 {
				fmt.Fprintln(out)
			}
			fmt.Fprintf(out, "%s\n%s", path, info)
		}
	}
	if *asJSON {
		text, err := json.MarshalIndent(all, "", "  ")
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s\n", text)
	}
	return errors.Join(failed...)
}
