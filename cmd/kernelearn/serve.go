package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/kernelearn/kernelearn/cmd/kernelearn/internal/server"
)

func serveCommand(s *streams) *cli.Command {
	return &cli.Command{
		Name:      "serve",
		Usage:     "answers HTTP requests with the predictions of models, and reloads model files when they change.",
		UsageText: "kernelearn serve price.keln -addr 127.0.0.1:8080",
		Description: "POST /predict takes rows in JSON or CSV, GET / describes the endpoints. With several models, each has\n" +
			"/models/NAME/predict. There are no passwords and no encryption: the default address is for programs\n" +
			"on this machine, others need a proxy in front of it.\n" +
			"An interrupt ends it: open requests are finished, and the status is 0.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "addr", Value: "127.0.0.1:8080",
				Usage: "the `ADDRESS` to listen on; port 0 is a free one (default: 127.0.0.1:8080)"},
			&cli.Int64Flag{Name: "max-bytes", Value: server.DefaultMaxBytes,
				Usage: "the maximum `BYTES` of a request (default: 16777216)"},
			&cli.IntFlag{Name: "max-rows", Value: server.DefaultMaxRows, Usage: "the maximum `ROWS` of a request (default: 10000)"},
			&cli.IntFlag{Name: "max-requests", Value: server.DefaultMaxRequests,
				Usage: "the maximum `REQUESTS` for predictions at the same time; others get status 503 (default: 256)"},
			&cli.DurationFlag{Name: "timeout", Value: server.DefaultTimeout,
				Usage: "the `TIME` to read a request, and again to compute its answer (default: 30s)"},
			&cli.DurationFlag{Name: "grace", Value: 10 * time.Second,
				Usage: "the `TIME` for open requests to finish at the end (default: 10s)"},
			&cli.DurationFlag{Name: "poll", Value: server.DefaultPoll,
				Usage: "the `TIME` between two checks of the files (default: 2s)"},
			&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "write no line for each request"},
		},
		Action: func(ctx context.Context, c *cli.Command) error { return serve(ctx, s, c) },
	}
}

func serve(ctx context.Context, s *streams, c *cli.Command) error {
	if !c.Args().Present() {
		return usagef("want model files")
	}
	for _, name := range []string{"timeout", "grace", "poll"} {
		if c.Duration(name) <= 0 {
			return usagef("-%s %v: want more than 0", name, c.Duration(name))
		}
	}
	limits := server.Settings{MaxBytes: c.Int64("max-bytes"), MaxRows: c.Int("max-rows"), MaxRequests: c.Int("max-requests")}
	switch {
	case limits.MaxBytes < 1:
		return usagef("-max-bytes %d: want 1 or more", limits.MaxBytes)
	case limits.MaxRows < 1:
		return usagef("-max-rows %d: want 1 or more", limits.MaxRows)
	case limits.MaxRequests < 1:
		return usagef("-max-requests %d: want 1 or more", limits.MaxRequests)
	}
	level := slog.LevelInfo
	if c.Bool("quiet") {
		level = slog.LevelError
	}
	limits.Timeout, limits.Poll = c.Duration("timeout"), c.Duration("poll")
	limits.Log = slog.New(slog.NewTextHandler(s.progress, &slog.HandlerOptions{Level: level}))
	h, err := server.New(c.Args().Slice(), limits)
	if err != nil {
		return err
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", c.String("addr"))
	if err != nil {
		return fmt.Errorf("-addr: %w", err)
	}
	fmt.Fprintf(s.progress, "serving http://%v until interrupted\n", l.Addr())
	return h.Serve(ctx, l, c.Duration("grace"))
}
