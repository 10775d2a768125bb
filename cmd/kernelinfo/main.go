// Kernelinfo prints what model files hold: the type, the settings, the kernel, columns and classes, the imports that a
// program needs to load it, the library that wrote it, size and checksum, and the same of the parts of a pipeline.
//
//	go run github.com/kernelearn/kernelearn/cmd/kernelinfo model.keln
//	go run github.com/kernelearn/kernelearn/cmd/kernelinfo -json model.keln
//
// It reads the files of package modelfile, and says of those that a MarshalBinary wrote by itself as much as is in them. A model is not
// loaded, so that it also reports third-party types. It ends with status 1 if a file cannot be read, is damaged, or is of a newer format.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/kernelearn/kernelearn/estimators/modelfile"
	"github.com/kernelearn/kernelearn/internal/cli"
)

func main() { cli.Main("kernelinfo", run) }

// fileInfo is a file in JSON.
type fileInfo struct {
	Path  string          `json:"path"`
	Info  *modelfile.Info `json:"info,omitempty"`
	Error string          `json:"error,omitempty"`
}

func run(_ context.Context, args []string, out, _ io.Writer) error {
	flags := cli.NewFlags("kernelinfo", "kernelinfo prints what model files hold.", out)
	asJSON := flags.Bool("json", false, "print a JSON array, with an object for each file")
	flags.Arguments("model files")
	if err := flags.Parse(args); err != nil {
		return err
	}
	var all []fileInfo
	var failed []error
	for i, path := range flags.Args() {
		info, err := modelfile.DescribeFile(path)
		switch {
		case err != nil:
			failed = append(failed, fmt.Errorf("%s: %w", path, err))
			all = append(all, fileInfo{Path: path, Error: err.Error()})
		case *asJSON:
			all = append(all, fileInfo{Path: path, Info: &info})
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
