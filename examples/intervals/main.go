// Intervals measures what 95% intervals are worth: whether they cover what they promise, and how wide
// they are, for the intervals of the least-squares machine's own normal distribution and for those
// of package conformal, and draws two pictures of it.
//
// Without -data it draws alone: a band over one column whose noise is not normal and grows, and coverage
// against promise on Friedman's first function with skewed noise, over many draws. With -data DIR it also
// prints a table over the regression sets there: splits 75/25, columns standardised, gaps filled by the
// training median.
//
//	go run ./examples/intervals -out docs
//	go run ./examples/intervals -data DIR -splits 20
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"

	_ "github.com/kernelearn/kernelearn/adapters/simdblas" // a faster BLAS for all that follows
	"github.com/kernelearn/kernelearn/examples/internal/dataset"
)

const (
	readSets = "abalone,airquality,auto,auto-mpg,boston,breast-prognostic,california-housing,diabetes-progression,energy,prostate,slump,student,triazines,yacht," +
		"mauna-loa-co2-monthly,mauna-loa-co2-r,mauna-loa-co2-weekly"
	bandPicture, coveragePicture = "intervals-band.png", "intervals-coverage.png"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "intervals:", err)
		os.Exit(1)
	}
}

// settings are what the flags say.
type settings struct {
	dir, pictures      string
	sets               []string
	splits, rows, many int
	seed               uint64
}

func settingsOf(args []string, progress io.Writer) (settings, error) {
	var s settings
	flags := flag.NewFlagSet("intervals", flag.ContinueOnError)
	flags.SetOutput(progress)
	flags.StringVar(&s.dir, "data", "", "`folder` of CSV files; empty: no table")
	names := flags.String("sets", readSets, "comma separated `names` of regression sets in -data")
	flags.StringVar(&s.pictures, "out", "", "`folder` for the pictures; empty: none are drawn")
	flags.IntVar(&s.splits, "splits", 20, "splits 75/25 of a set")
	flags.IntVar(&s.rows, "rows", 1000, "training rows at most")
	flags.IntVar(&s.many, "draws", 200, "of the rows of the picture of coverage")
	flags.Uint64Var(&s.seed, "seed", 1, "of splits and draws")
	if err := flags.Parse(args); err != nil {
		return s, err
	}
	if s.splits < 1 || s.rows < 20 || s.many < 1 {
		return s, errors.New("want -splits and -draws of 1 or more, and -rows of 20 or more")
	}
	if s.dir != "" {
		s.sets = strings.Split(*names, ",")
	}
	if s.dir == "" && s.pictures == "" {
		s.pictures = "."
	}
	return s, nil
}

func run(ctx context.Context, args []string, out, progress io.Writer) error {
	s, err := settingsOf(args, progress)
	if err != nil {
		return err
	}
	if s.pictures != "" {
		if err := s.draw(ctx, out, progress); err != nil {
			return err
		}
	}
	if s.dir == "" {
		return nil
	}
	var sets []*dataset.Set
	for _, name := range s.sets {
		set, err := dataset.Open(s.dir, name)
		if err != nil {
			return err
		}
		if set.Y == nil {
			return fmt.Errorf("%s: its target is a class, want a number", name)
		}
		sets = append(sets, set)
	}
	bar := newBar(len(sets)*s.splits, progress)
	var rows []measured
	for _, set := range sets {
		r, err := s.measure(ctx, set, func() { _ = bar.Add(1) })
		if err != nil {
			return fmt.Errorf("%s: %w", set.Name, err)
		}
		rows = append(rows, r)
	}
	if err := bar.Finish(); err != nil { // the table is shown when it is gone
		return err
	}
	return print(out, rows)
}

func newBar(n int, progress io.Writer) *progressbar.ProgressBar {
	return progressbar.NewOptions(n, progressbar.OptionSetWriter(progress), progressbar.OptionShowCount(),
		progressbar.OptionSetPredictTime(true), progressbar.OptionClearOnFinish(), progressbar.OptionThrottle(200*time.Millisecond))
}

func (s settings) draw(ctx context.Context, out, progress io.Writer) error {
	for _, p := range []struct {
		name string
		draw func(ctx context.Context, path string, progress io.Writer) error
	}{{bandPicture, s.drawBand}, {coveragePicture, s.drawCoverage}} {
		path := filepath.Join(s.pictures, p.name)
		if err := p.draw(ctx, path, progress); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(out, "picture:", path); err != nil {
			return err
		}
	}
	return nil
}
