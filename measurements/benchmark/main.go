// Benchmark runs methods on data sets and reports what each reaches and what it
// costs: errors, seconds, memory, the size of the model; which differ, and which is the
// choice where.
//
//	go run -C measurements ./benchmark -quick
//	go run -C measurements ./benchmark -data DIR -second DIR2 -python python3 -rscript Rscript -out report
//	go run -C measurements ./benchmark -data DIR -sets boston,heart -methods ridge,lssvm,golearn
//	go run -C measurements ./benchmark -synthetic friedman1:100000x10 -splits 1 -out growth
//	go run -C measurements ./benchmark -redraw ../docs/measured/results
//
// The methods are this module's estimators with defaults, with their kernel by entropy
// and by a grid; golearn's, some of which need a C compiler; and, with -python and
// -rscript, scikit-learn's, those of libraries of gradient boosting and kernlab's
// (peers/README.md). A peer whose library is not there is missing: it is said once, when
// the run starts, and in the report.
//
// A cell is a set, a method and a split. Each runs in a process of its own, on one
// thread, and -workers of them at a time; those of Python are made by fork of processes
// that have imported their libraries, one for each worker. A cell's seconds are processor
// time, so that they hang neither on how many processors it finds nor much on other work
// on the machine. A process that is over its budget, which is of the same time, starting
// (but for Python's) and reading its rows included, is ended; so is one that takes three
// times that by the clock (on systems that are no Unix that alone). -budget is that of
// cells with up to 1000 training rows; above, it grows in proportion to the rows. A cell
// over budget, and one whose process fails, is a row of the report and stops nothing. The
// first split of every set and method comes before the second of any, and a method that
// was over budget on a split of a set is not run on the later ones: a run that takes too
// long can be ended, and started again with fewer splits for the report of what is there.
//
// With -threads N cells run one at a time on N threads, and their seconds are by the
// clock; the budget is N times as much processor time. The report says which it is.
//
// A finished cell is a file under -out; a run that is interrupted, however abruptly,
// goes on where it stopped when it is started again with the same -out. Cells that were
// made with another seed, budget, data file or configuration are an error, never mixed
// in; more splits, sets or methods may be asked for. The code of the library is not
// compared: after a change to it, take another -out. Cells that failed, were over budget
// or were not run are finished too; delete their files to run them again. What all runs
// with one -out took by the clock is printed in the end, and is in OUT/time.json.
//
// Without -data and -second the sets are those that the repository ships, less the series
// in time; with -data, all in DIR that docs/data.md has a protocol for; with -second, all
// in DIR2 of the second collection (docs/measured/second-collection.md), which are read by
// the general rule of docs/data.md without exceptions. The report has every table for each
// collection. Sets are split 75/25, by class where there are classes: ten times up to 1000
// rows and three times above, or -splits times. The splits
// depend on the seed and the set alone and are CSV files under OUT/splits, which
// other programs can read too (README.md there says how); the methods read the same
// files. A method scales its features itself. With -rows, training parts over so many rows
// are cut to that many at random, by class too; test parts are not cut. The cells of sets
// with fewer rows are the same with it and without.
//
// The report is OUT/report.md with its pictures, and is printed. Beside it are OUT/report.json,
// pages to be read one by one (one for each comparison, intervals.md, costs.md, ratios.md,
// sets.md with a line for each set, methods.md), and tables as CSV (sets, cells, summary, ranks, pairs, relations, fronts,
// front). Two runs give the same on any number of workers but for
// seconds, memory, and what follows from them: the fronts of error against time, which
// cells were over a budget that is near what they need, and the searches of peers that stop
// when half of it is used. Methods of golearn's that draw without a seed are marked.
//
// With -synthetic the sets are the first rows of Friedman's first function, in sizes
// that double up to the one that is named; -splits is the number of draws. The report
// has the exponent of each method's growth. A method that is over budget on a size is
// not run on larger ones, and the budget does not grow.
//
// With -redraw nothing is measured: the pictures of a report in a folder are drawn again from its summary.csv,
// ranks.csv and relations.csv.
//
// Memory is the resident memory of the cell's process, its language's runtime and the data
// included: "MB before" is that when the training rows were read and the garbage
// of reading them returned, "peak MB" the most from then until the predictions were
// there. Elsewhere than on Linux "MB before" is the most until then; where the
// system does not tell, both are missing.
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
	"runtime"
	"syscall"
	"time"

	_ "github.com/kernelearn/kernelearn/adapters/simdblas" // the peers have a fast BLAS too
	"github.com/kernelearn/kernelearn/internal/cli"

	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/methods"
	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/protocol"
	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/report"
	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/runner"
	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/standings"
)

// Defaults of the flags.
const (
	defaultBudget = 20 * time.Second
	defaultOut    = "benchmark-out"

	quickSplits  = 3
	quickMaxRows = 300
	quickBudget  = 5 * time.Second
)

func main() {
	if len(os.Args) == 2 && os.Args[1] == runner.CellCommand {
		os.Exit(runner.RunCell(os.Stdin, os.Stdout, os.Stderr))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "benchmark:", err)
		os.Exit(1)
	}
}

func parse(args []string, help io.Writer) (s protocol.Settings, redraw string, err error) {
	var sets, names, synthetic string
	var quick bool
	flags := cli.NewFlags("benchmark",
		"benchmark runs methods on data sets and reports their errors, their seconds, their memory and how they rank.", help)
	flags.StringVar(&s.Data, "data", "", "`folder` of CSV files; empty: what the repository ships")
	flags.StringVar(&sets, "sets", "", "comma separated `names`; empty: all in -data that have a protocol, and all of -second")
	flags.StringVar(&s.Second, "second", "", "`folder` of CSV files of the second collection, docs/measured/second-collection.md")
	flags.StringVar(&names, "methods", "",
		"comma separated `names`, also of sources (kernelearn, golearn, scikit-learn, boosting, pytorch, kernlab); empty: all that "+
			"there is a "+
			"program for")
	flags.StringVar(&synthetic, "synthetic", "", "in place of sets, how cost grows: `friedman1:ROWSxCOLUMNS`, for sizes up to ROWS")
	flags.BoolVar(&quick, "quick", false, fmt.Sprintf("a look: unless they are given, -splits %d -rows %d -budget %v", quickSplits,
		quickMaxRows, quickBudget))
	flags.IntVar(&s.Splits, "splits", 0, "75/25 splits; of -synthetic, draws; 0: "+protocol.SplitsBySize)
	flags.Uint64Var(&s.Seed, "seed", 1, "of the splits and the methods")
	flags.DurationVar(&s.Budget, "budget", defaultBudget,
		fmt.Sprintf("processor time for one cell of up to %d training rows, all told, in whole seconds, which grows in proportion to "+
			"the rows "+
			"above; by the clock %d times that", protocol.BudgetRows, protocol.ClockFactor))
	flags.IntVar(&s.MaxRows, "rows", 0, "most training rows of a split; 0: all; not of -synthetic")
	flags.IntVar(&s.Workers, "workers", runtime.NumCPU(), "cells at a time, each on one thread")
	flags.IntVar(&s.Threads, "threads", 1, "threads of a cell; with more than one, cells run one at a time")
	flags.StringVar(&s.Out, "out", defaultOut, "`folder` for splits, cells and the report")
	flags.StringVar(&s.Programs.Python, "python", "",
		"`program` that runs Python with scikit-learn and what else of peers/README.md there is; empty: without")
	flags.StringVar(&s.Programs.Rscript, "rscript", "", "`program` that runs R with kernlab; empty: without")
	flags.StringVar(&s.Programs.Scripts, "scripts", filepath.Join("benchmark", "peers"), "`folder` of what they run")
	flags.StringVar(&redraw, "redraw", "",
		"in place of all else, draw the pictures of the report in a `folder` again from its summary.csv, ranks.csv and relations.csv")
	flags.AtLeast(0, "splits")
	flags.AtLeast(1, "workers", "threads")
	flags.AtLeast(0, "rows")
	flags.Reads("data", "second", "redraw")
	flags.Runs("python", "scripts")
	flags.Runs("rscript", "scripts")
	flags.Writes("out")
	if err := flags.Parse(args); err != nil || redraw != "" {
		return s, redraw, err
	}
	if quick {
		quicken(&s, flags.FlagSet)
	}
	for _, f := range []struct {
		name string
		bad  bool
		want string
	}{
		{"budget", s.Budget < time.Second || s.Budget%time.Second != 0, "whole seconds"},
		{"rows", s.MaxRows == 1, "0 or >= 2"},
		{"out", s.Out == "", "a folder"},
	} {
		if f.bad {
			return s, "", fmt.Errorf("-%s %s: want %s", f.name, flags.Lookup(f.name).Value, f.want)
		}
	}
	if s.Threads > 1 {
		if isGiven(flags.FlagSet, "workers") && s.Workers > 1 {
			return s, "", fmt.Errorf("-workers %d: want 1 with -threads %d", s.Workers, s.Threads)
		}
		s.Workers = 1
	}
	if s.Methods, err = methods.Choose(names, s.Programs); err != nil {
		return s, "", err
	}
	if err := s.Programs.There(s.Methods); err != nil {
		return s, "", err
	}
	if synthetic == "" {
		s.Sets, err = protocol.Choose(s.Data, s.Second, sets)
		return s, "", err
	}
	if s.Data != "" || s.Second != "" || sets != "" {
		return s, "", errors.New("-synthetic is in place of -data, -second and -sets")
	}
	if s.Splits == 0 {
		s.Splits = protocol.FewSplits
	}
	s.Sizes, s.Columns, err = protocol.SizesOf(synthetic)
	return s, "", err
}

func isGiven(flags *flag.FlagSet, name string) (given bool) {
	flags.Visit(func(f *flag.Flag) { given = given || f.Name == name })
	return given
}

// quicken sets what was not given to less.
func quicken(s *protocol.Settings, flags *flag.FlagSet) {
	if !isGiven(flags, "splits") {
		s.Splits = quickSplits
	}
	if !isGiven(flags, "rows") {
		s.MaxRows = quickMaxRows
	}
	if !isGiven(flags, "budget") {
		s.Budget = quickBudget
	}
}

func run(ctx context.Context, args []string, out, progress io.Writer) error {
	s, redraw, err := parse(args, out)
	if err != nil {
		return err
	}
	if redraw != "" {
		return report.Redraw(redraw)
	}
	cells := runner.Runner{Settings: s}
	defer cells.Stop()
	if err := cells.FindPeers(ctx); err != nil {
		return err
	}
	s = cells.Settings // less the methods that are missing
	for _, m := range cells.Missing {
		fmt.Fprintln(progress, m)
	}
	sets, err := s.PrepareAll(ctx)
	if err != nil {
		return err
	}
	r := report.Report{Record: &standings.Record{Settings: standings.ConditionsOf(s), Missing: cells.Missing}}
	var jobs []protocol.Job
	for _, p := range sets {
		r.Sets = append(r.Sets, p.Description)
		jobs = append(jobs, s.Jobs(p)...)
	}
	if len(jobs) == 0 {
		return errors.New("none of -methods fits the task of any of -sets")
	}
	if r.Cells, err = cells.Run(ctx, jobs, progress); err != nil {
		return err
	}
	r.Summarise()
	if s.Sizes == nil {
		r.Analyse()
	} else {
		r.Grow()
	}
	if err := r.Write(s.Out); err != nil {
		return err
	}
	p, err := runner.ReadTime(s.Out)
	if err != nil {
		return err
	}
	p.Print(progress)
	return r.Markdown(out)
}
