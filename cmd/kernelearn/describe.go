package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/urfave/cli/v3"

	"github.com/kernelearn/kernelearn/adapters/table"
	"github.com/kernelearn/kernelearn/estimators/modelfile"
)

func describeCommand(s *streams) *cli.Command {
	return &cli.Command{
		Name:      "describe",
		Usage:     "prints the contents of model files.",
		UsageText: "kernelearn describe price.keln",
		Description: "It prints the type, the settings, the kernel, columns and classes, the imports that a program needs to\n" +
			"load the file, the library that wrote it, the size and the checksum, also for the parts of a pipeline. For files\n" +
			"of train it also prints the use of each column. Models of other types are not loaded,\n" +
			"so that third-party types are reported too.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "json", Usage: "print a JSON array, with an object for each file"},
		},
		Action: func(_ context.Context, c *cli.Command) error { return describe(s, c) },
	}
}

// fileInfo is the description of a file in JSON.
type fileInfo struct {
	Path   string          `json:"path"`
	Info   *modelfile.Info `json:"info,omitempty"`
	Schema *table.Schema   `json:"schema,omitempty"`
	Error  string          `json:"error,omitempty"`
}

func describe(s *streams, c *cli.Command) error {
	if !c.Args().Present() {
		return usagef("want model files")
	}
	var all []fileInfo
	var failed []error
	for _, path := range c.Args().Slice() {
		one := fileInfo{Path: path}
		if info, err := modelfile.DescribeFile(path); err != nil {
			failed, one.Error = append(failed, fmt.Errorf("%s: %w", path, err)), err.Error()
		} else {
			one.Info = &info
			if info.Type == "table.Model" {
				if model, err := table.Load(path); err == nil { // it may contain a type of another library
					one.Schema = model.Schema()
				}
			}
		}
		all = append(all, one)
	}
	if c.Bool("json") {
		text, err := json.MarshalIndent(all, "", "  ")
		if err != nil {
			return err
		}
		fmt.Fprintf(s.out, "%s\n", text)
		return errors.Join(failed...)
	}
	first := true
	for _, one := range all {
		if one.Info == nil {
			continue
		}
		if !first {
			fmt.Fprintln(s.out)
		}
		first = false
		fmt.Fprintf(s.out, "%s\n%s", one.Path, one.Info)
		if one.Schema != nil {
			fmt.Fprintf(s.out, "\n%s", one.Schema)
		}
	}
	return errors.Join(failed...)
}
