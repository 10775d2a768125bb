package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v3"
)

func trainCommand(s *streams) *cli.Command {
	return &cli.Command{
		Name:      "train",
		Usage:     "fits a model to a table and writes it to a file.",
		UsageText: "kernelearn train houses.csv -target price -o price.keln",
		Flags: append(append([]cli.Flag{
			&cli.StringFlag{Name: "output", Aliases: []string{"o"},
				Usage: "the `FILE` of the model (default: the name of the table with .keln)"},
		}, columnFlags()...), fitFlags()...),
		Action: func(ctx context.Context, c *cli.Command) error { return train(ctx, s, c) },
	}
}

func train(ctx context.Context, s *streams, c *cli.Command) error {
	of, err := findMethod(c.String("method"))
	if err != nil {
		return err
	}
	path := c.String("output")
	if path == "" {
		path = modelPath(c.Args().First())
	}
	if dir := filepath.Dir(path); dir != "." { // before a long fit
		if _, err := os.Stat(dir); err != nil {
			return usagef("-output: %w", err)
		}
	}
	t, err := readToLearn(ctx, s, c)
	if err != nil {
		return err
	}
	model, err := of.model(t.Schema.Task, c.Duration("budget"))
	if err != nil {
		return err
	}
	begun := time.Now()
	if err := fit(ctx, s, c, model, t, "train"); err != nil {
		return err
	}
	if err := model.Save(path); err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.progress, "%v\nwritten to %s: %d bytes after %.1f s\n", model, path, info.Size(), time.Since(begun).Seconds())
	return nil
}

// modelPath returns the name of a table's file with the extension of a model file.
func modelPath(path string) string {
	if path == "-" || path == "" {
		return "model.keln"
	}
	path = strings.TrimSuffix(path, ".gz")
	return strings.TrimSuffix(path, filepath.Ext(path)) + ".keln"
}
