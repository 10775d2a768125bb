// Benchmark runs methods on data sets and reports what each reaches and what it
// costs: errors, seconds, memory, the size of the model; which differ, and which is the
// choice where.
//
//	go run ./examples/benchmark -quick
//	go run ./examples/benchmark -data DIR -python python3 -rscript Rscript -out report
//	go run ./examples/benchmark -data DIR -sets boston,heart -methods ridge,lssvm,golearn
//	go run ./examples/benchmark -synthetic friedman1:100000x10 -splits 1 -out growth
//	go run ./examples/benchmark -redraw docs/measured/results
//
// The methods are this module's estimators with defaults, with their kernel by entropy
// and by a grid; golearn's, some of which need a C compiler; and, with -python and
// -rscript, scikit-learn's and kernlab's (peers/README.md).
//
// A cell is a set, a method and a split. Each runs in a process of its own, on one
// thread, and -workers of them at a time. Its seconds are processor time, so that they
// hang neither on how many processors it finds nor much on other work on the machine. A
// process that is over its budget, which is of the same time, starting and reading its
// rows included, is ended; so is one that takes three times that by the clock (on systems
// that are no Unix that alone). Such a cell, and one whose process fails, is a row of the
// report and stops nothing. The first split of every set and method comes before the
// second of any, and a method that was over budget on a split of a set is not run on the
// later ones: a run that takes too long can be ended, and started again with fewer splits
// for the report of what is there.
//
// A finished cell is a file under -out; a run that is interrupted, however abruptly,
// goes on where it stopped when it is started again with the same -out. Cells that were
// made with another seed, budget, data file or configuration are an error, never mixed
// in; more splits, sets or methods may be asked for. The code of the library is not
// compared: after a change to it, take another -out. Cells that failed, were over budget
// or were not run are finished too; delete their files to run them again.
//
// Without -data the sets are those that the repository ships, less the series in
// time; with it, all in DIR that docs/data.md has a protocol for. Sets are read by
// that protocol and split 75/25, by class where there are classes. The splits
// depend on the seed and the set alone and are CSV files under OUT/splits, which
// other programs can read too (README.md there says how); the methods read the same
// files. A method scales its features itself. Training parts over -rows rows are
// cut to that many at random, by class too; test parts are not cut.
//
// The report is OUT/report.md with its pictures, OUT/report.json, and tables as CSV
// (cells, summary, ranks, pairs, front), and is printed. Two runs give the same on any
// number of workers but for seconds, memory, and what follows from them: the fronts of
// error against time, and which cells were over a budget that is near what they need.
// Methods of golearn's that draw without a seed are marked.
//
// With -synthetic the sets are the first rows of Friedman's first function, in sizes
// that double up to the one that is named; -splits is the number of draws. The report
// has the exponent of each method's growth. A method that is over budget on a size is
// not run on larger ones.
//
// With -redraw nothing is measured: the pictures of a report in a folder are drawn again from its summary.csv and ranks.csv.
//
// Memory is the resident memory of the cell's process, Go's runtime and the data
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
	"slices"
	"strings"
	"syscall"
	"time"

	_ "github.com/kernelearn/kernelearn/adapters/simdblas" // the peers have a fast BLAS too
	"github.com/kernelearn/kernelearn/examples/internal/dataset"
)

const shippedSets = "breast-cancer-wdbc,diabetes-progression"

// Defaults of the flags.
const (
	defaultBudget  = 20 * time.Second
	defaultMaxRows = 4000
	defaultOut     = "benchmark-out"

	quickSplits  = 3
	quickMaxRows = 300
	quickBudget  = 5 * time.Second
)

func main() {
	if len(os.Args) == 2 && os.Args[1] == cellCommand {
		os.Exit(cellMain(os.Stdin, os.Stdout, os.Stderr))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "benchmark:", err)
		os.Exit(1)
	}
}

// settings are the flags, checked.
type settings struct {
	data     string
	sets     []string
	methods  []method
	splits   int
	seed     uint64
	budget   time.Duration
	maxRows  int
	workers  int
	out      string
	programs programs
	redraw   string
	sizes    []int // of synthetic sets
	columns  int
}

func parse(args []string, usage io.Writer) (settings, error) {
	var s settings
	var sets, names, synthetic string
	var quick bool
	flags := flag.NewFlagSet("benchmark", flag.ContinueOnError)
	flags.SetOutput(usage)
	flags.StringVar(&s.data, "data", "", "`folder` of CSV files; empty: what the repository ships")
	flags.StringVar(&sets, "sets", "", "comma separated `names`; empty: all in -data that have a protocol")
	flags.StringVar(&names, "methods", "", "comma separated `names`, also of sources (kernelearn, golearn, scikit-learn, kernlab); empty: all that there is a program for")
	flags.StringVar(&synthetic, "synthetic", "", "in place of sets, how cost grows: `friedman1:ROWSxCOLUMNS`, for sizes up to ROWS")
	flags.BoolVar(&quick, "quick", false, fmt.Sprintf("a look: unless they are given, -splits %d -rows %d -budget %v", quickSplits, quickMaxRows, quickBudget))
	flags.IntVar(&s.splits, "splits", 10, "75/25 splits; of -synthetic, draws")
	flags.Uint64Var(&s.seed, "seed", 1, "of the splits and the methods")
	flags.DurationVar(&s.budget, "budget", defaultBudget, fmt.Sprintf("processor time for one cell, all told, in whole seconds; by the clock %d times that", clockFactor))
	flags.IntVar(&s.maxRows, "rows", defaultMaxRows, "most training rows of a split; not of -synthetic")
	flags.IntVar(&s.workers, "workers", runtime.NumCPU(), "cells at a time, each on one thread")
	flags.StringVar(&s.out, "out", defaultOut, "`folder` for splits, cells and the report")
	flags.StringVar(&s.programs.python, "python", "", "`program` that runs Python with scikit-learn; empty: without")
	flags.StringVar(&s.programs.rscript, "rscript", "", "`program` that runs R with kernlab; empty: without")
	flags.StringVar(&s.programs.scripts, "scripts", filepath.Join("examples", "benchmark", "peers"), "`folder` of what they run")
	flags.StringVar(&s.redraw, "redraw", "", "in place of all else, draw the pictures of the report in a `folder` again from its summary.csv and ranks.csv")
	if err := flags.Parse(args); err != nil {
		return s, err
	}
	if flags.NArg() > 0 {
		return s, fmt.Errorf("unknown argument %q", flags.Arg(0))
	}
	if s.redraw != "" {
		return s, nil
	}
	if quick {
		s.quicken(flags)
	}
	for _, f := range []struct {
		name string
		bad  bool
		want string
	}{
		{"splits", s.splits < 1, ">= 1"},
		{"budget", s.budget < time.Second || s.budget%time.Second != 0, "whole seconds"},
		{"rows", s.maxRows < 2, ">= 2"},
		{"workers", s.workers < 1, ">= 1"},
		{"out", s.out == "", "a folder"},
	} {
		if f.bad {
			return s, fmt.Errorf("-%s %s: want %s", f.name, flags.Lookup(f.name).Value, f.want)
		}
	}
	var err error
	if s.methods, err = methodsNamed(names, s.programs); err != nil {
		return s, err
	}
	if err := s.programs.there(s.methods); err != nil {
		return s, err
	}
	if synthetic == "" {
		s.sets, err = setsNamed(s.data, sets)
		return s, err
	}
	if s.data != "" || sets != "" {
		return s, errors.New("-synthetic is in place of -data and -sets")
	}
	s.sizes, s.columns, err = sizesOf(synthetic)
	return s, err
}

// quicken sets what was not given to less.
func (s *settings) quicken(flags *flag.FlagSet) {
	given := map[string]bool{}
	flags.Visit(func(f *flag.Flag) { given[f.Name] = true })
	if !given["splits"] {
		s.splits = quickSplits
	}
	if !given["rows"] {
		s.maxRows = quickMaxRows
	}
	if !given["budget"] {
		s.budget = quickBudget
	}
}

// setsNamed checks that the named sets are there before anything is run.
func setsNamed(dir, names string) ([]string, error) {
	known := strings.Split(shippedSets, ",")
	if dir != "" {
		known = nil
		for _, p := range dataset.Protocols() {
			if dataset.Exists(dir, p.Name) {
				known = append(known, p.Name)
			}
		}
	}
	chosen := known
	if names != "" {
		chosen = strings.Split(names, ",")
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("-data %s holds none of the sets that have a protocol", dir)
	}
	for i, name := range chosen {
		if !dataset.Exists(dir, name) {
			return nil, fmt.Errorf("-sets %s: no such set; there are %s", name, strings.Join(known, ", "))
		}
		if slices.Contains(chosen[:i], name) {
			return nil, fmt.Errorf("-sets names %s twice", name)
		}
	}
	return chosen, nil
}

func run(ctx context.Context, args []string, out, progress io.Writer) error {
	s, err := parse(args, progress)
	if err != nil {
		return err
	}
	if s.redraw != "" {
		return redraw(s.redraw)
	}
	sets, err := s.prepareAll(ctx)
	if err != nil {
		return err
	}
	r := report{Settings: s.conditions()}
	var jobs []job
	for _, p := range sets {
		r.Sets = append(r.Sets, p.description)
		jobs = append(jobs, s.jobs(p)...)
	}
	if len(jobs) == 0 {
		return errors.New("none of -methods fits the task of any of -sets")
	}
	if r.Cells, err = s.runAll(ctx, jobs, progress); err != nil {
		return err
	}
	r.summarise()
	if s.sizes == nil {
		r.analyse()
	} else {
		r.grow()
	}
	if err := r.write(s.out); err != nil {
		return err
	}
	return r.markdown(out)
}

// prepareAll writes the splits of all sets.
func (s settings) prepareAll(ctx context.Context) ([]prepared, error) {
	if s.sizes != nil {
		return s.prepareSynthetic()
	}
	var out []prepared
	for _, name := range s.sets {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p, err := s.prepare(name)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}
