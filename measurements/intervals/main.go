// Intervals measures the coverage and the width of 95% intervals. It compares the intervals of the least-squares machine, which
// assume a normal distribution, with those of package conformal. It also draws two pictures.
//
// Without -data it only draws the pictures. One shows a band over one column, whose noise is not normal and grows. The other shows
// the coverage against the level over many draws, for Friedman's first function with skewed noise. With -data DIR it also prints a
// table of the regression sets in DIR. Splits are 75/25, columns are standardised, and missing values are replaced with the
// training median.
//
// -classes measures sets of classes on the classification sets in DIR. It reports how often the class is in the set, and the number
// of classes in the set. Splits are by class. -python adds scikit-learn's Gaussian process and MAPIE to the regression table, on
// the same splits. -spread compares scores with and without a fitted spread, in thirds of the rows, on a generated set and the sets
// in DIR.
//
//	go run -C measurements ./intervals -out ../docs/measured
//	go run -C measurements ./intervals -data DIR -splits 20
//	go run -C measurements ./intervals -data DIR -splits 3 -python python3
//	go run -C measurements ./intervals -data DIR -classes
//	go run -C measurements ./intervals -data DIR -spread -splits 10
package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	_ "github.com/kernelearn/kernelearn/adapters/simdblas" // a faster BLAS for the program
	"github.com/kernelearn/kernelearn/internal/cli"
	"github.com/kernelearn/kernelearn/internal/dataset"
	"github.com/kernelearn/kernelearn/internal/progressbar"
)

const (
	readSets = "abalone,airquality,auto,auto-mpg,boston,breast-prognostic,california-housing,diabetes-progression,energy,prostate,slump,student,triazines,yacht," +
		"mauna-loa-co2-monthly,mauna-loa-co2-r,mauna-loa-co2-weekly"
	bandPicture, coveragePicture = "intervals-band.png", "intervals-coverage.png"
)

func main() { cli.Main("intervals", run) }

// settings holds the values of the flags.
type settings struct {
	dir, pictures      string
	python, script     string
	classes, spread    bool
	sets               []string
	splits, rows, many int
	seed               uint64
}

func settingsOf(args []string, help io.Writer) (settings, error) {
	var s settings
	flags := cli.NewFlags("intervals", "intervals measures whether 95% intervals cover what they promise, and how wide they are.", help)
	flags.StringVar(&s.dir, "data", "", "`folder` of CSV files; empty: no table")
	names := flags.String("sets", "", "comma separated `names` of sets in -data; empty: 17 of regression, or all of classes")
	flags.BoolVar(&s.classes, "classes", false, "the table of sets of classes")
	flags.BoolVar(&s.spread, "spread", false, "the table of scores with a learnt spread")
	flags.StringVar(&s.python, "python", "", "`program` that runs Python with scikit-learn and MAPIE; empty: without")
	flags.StringVar(&s.script, "script", filepath.Join("benchmark", "peers", "intervals.py"), "`file` of what it runs")
	flags.StringVar(&s.pictures, "out", "", "`folder` for the pictures; empty: none are drawn")
	flags.IntVar(&s.splits, "splits", 20, "splits 75/25 of a set")
	flags.IntVar(&s.rows, "rows", 1000, "training rows at most")
	flags.IntVar(&s.many, "draws", 200, "of the rows of the picture of coverage")
	flags.Uint64Var(&s.seed, "seed", 1, "of splits and draws")
	flags.AtLeast(1, "splits", "draws")
	flags.AtLeast(20, "rows")
	flags.Reads("data")
	flags.Runs("python", "script")
	flags.Writes("out")
	if err := flags.Parse(args); err != nil {
		return s, err
	}
	switch {
	case s.dir == "":
	case *names != "":
		s.sets = strings.Split(*names, ",")
	case s.classes:
		if s.sets = classSets(s.dir); len(s.sets) == 0 {
			return s, fmt.Errorf("-data %s: the folder has no set of classes", s.dir)
		}
	case s.spread:
		s.sets = strings.Split(spreadSets, ",")
	default:
		s.sets = strings.Split(readSets, ",")
	}
	if s.dir == "" && s.pictures == "" && !s.spread {
		s.pictures = "."
	}
	return s, nil
}

// classSets returns the names of the available sets that have classes.
func classSets(dir string) []string {
	var out []string
	for _, p := range dataset.Protocols() {
		if p.Classes != nil && dataset.Exists(dir, p.Name) {
			out = append(out, p.Name)
		}
	}
	slices.Sort(out)
	return out
}

func run(ctx context.Context, args []string, out, progress io.Writer) error {
	s, err := settingsOf(args, out)
	if err != nil {
		return err
	}
	var sets []*dataset.Set
	for _, name := range s.sets {
		set, err := dataset.Open(s.dir, name)
		if err != nil {
			return err
		}
		if want := "a number"; (set.Y == nil) != s.classes {
			if s.classes {
				want = "a class"
			}
			return fmt.Errorf("%s: its target is not %s", name, want)
		}
		sets = append(sets, set)
	}
	if s.pictures != "" {
		if err := s.draw(ctx, out, progress); err != nil {
			return err
		}
	}
	if s.spread {
		bar := progressbar.New(progress, "splits", (1+len(sets))*s.splits)
		defer bar.Finish()
		return s.compareSpread(ctx, out, sets, func() { bar.Add(1) })
	}
	if s.dir == "" {
		return nil
	}
	bar := progressbar.New(progress, "splits", len(sets)*s.splits)
	var rows []measured
	var inSets []measuredSets
	for _, set := range sets {
		var of measured
		var in measuredSets
		var err error
		if s.classes {
			in, err = s.measureSets(ctx, set, func() { bar.Add(1) })
		} else {
			of, err = s.measure(ctx, set, func() { bar.Add(1) })
		}
		if err != nil {
			return fmt.Errorf("%s: %w", set.Name, err)
		}
		rows, inSets = append(rows, of), append(inSets, in)
	}
	bar.Finish()
	if s.classes {
		return printSets(out, inSets)
	}
	return print(out, s.names(), rows)
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
