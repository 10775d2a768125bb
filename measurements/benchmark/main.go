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
	"slices"
	"strings"
	"syscall"
	"time"

	_ "github.com/kernelearn/kernelearn/adapters/simdblas" // the peers have a fast BLAS too
	"github.com/kernelearn/kernelearn/internal/cli"
	"github.com/kernelearn/kernelearn/internal/dataset"
	"github.com/kernelearn/kernelearn/measurements/internal/collection"
)

const shippedSets = "breast-cancer-wdbc,diabetes-progression"

// Defaults of the flags.
const (
	defaultBudget = 20 * time.Second
	defaultOut    = "benchmark-out"

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
	second   string
	sets     []named
	methods  []method
	splits   int // 0: by the size of a set
	seed     uint64
	budget   time.Duration
	maxRows  int // 0: no limit
	workers  int
	threads  int // of a cell
	out      string
	programs programs
	redraw   string
	servers  *servers // of Python; nil for none
	missing  []missingPeer
	sizes    []int // of synthetic sets
	columns  int
}

func parse(args []string, help io.Writer) (settings, error) {
	var s settings
	var sets, names, synthetic string
	var quick bool
	flags := cli.NewFlags("benchmark",
		"benchmark runs methods on data sets and reports their errors, their seconds, their memory and how they rank.", help)
	flags.StringVar(&s.data, "data", "", "`folder` of CSV files; empty: what the repository ships")
	flags.StringVar(&sets, "sets", "", "comma separated `names`; empty: all in -data that have a protocol, and all of -second")
	flags.StringVar(&s.second, "second", "", "`folder` of CSV files of the second collection, docs/measured/second-collection.md")
	flags.StringVar(&names, "methods", "",
		"comma separated `names`, also of sources (kernelearn, golearn, scikit-learn, boosting, pytorch, kernlab); empty: all that "+
			"there is a "+
			"program for")
	flags.StringVar(&synthetic, "synthetic", "", "in place of sets, how cost grows: `friedman1:ROWSxCOLUMNS`, for sizes up to ROWS")
	flags.BoolVar(&quick, "quick", false, fmt.Sprintf("a look: unless they are given, -splits %d -rows %d -budget %v", quickSplits,
		quickMaxRows, quickBudget))
	flags.IntVar(&s.splits, "splits", 0, "75/25 splits; of -synthetic, draws; 0: "+splitsBySize)
	flags.Uint64Var(&s.seed, "seed", 1, "of the splits and the methods")
	flags.DurationVar(&s.budget, "budget", defaultBudget,
		fmt.Sprintf("processor time for one cell of up to %d training rows, all told, in whole seconds, which grows in proportion to "+
			"the rows "+
			"above; by the clock %d times that", budgetRows, clockFactor))
	flags.IntVar(&s.maxRows, "rows", 0, "most training rows of a split; 0: all; not of -synthetic")
	flags.IntVar(&s.workers, "workers", runtime.NumCPU(), "cells at a time, each on one thread")
	flags.IntVar(&s.threads, "threads", 1, "threads of a cell; with more than one, cells run one at a time")
	flags.StringVar(&s.out, "out", defaultOut, "`folder` for splits, cells and the report")
	flags.StringVar(&s.programs.python, "python", "",
		"`program` that runs Python with scikit-learn and what else of peers/README.md there is; empty: without")
	flags.StringVar(&s.programs.rscript, "rscript", "", "`program` that runs R with kernlab; empty: without")
	flags.StringVar(&s.programs.scripts, "scripts", filepath.Join("benchmark", "peers"), "`folder` of what they run")
	flags.StringVar(&s.redraw, "redraw", "",
		"in place of all else, draw the pictures of the report in a `folder` again from its summary.csv, ranks.csv and relations.csv")
	flags.AtLeast(0, "splits")
	flags.AtLeast(1, "workers", "threads")
	flags.AtLeast(0, "rows")
	flags.Reads("data", "second", "redraw")
	flags.Runs("python", "scripts")
	flags.Runs("rscript", "scripts")
	flags.Writes("out")
	if err := flags.Parse(args); err != nil {
		return s, err
	}
	if s.redraw != "" {
		return s, nil
	}
	if quick {
		s.quicken(flags.FlagSet)
	}
	for _, f := range []struct {
		name string
		bad  bool
		want string
	}{
		{"budget", s.budget < time.Second || s.budget%time.Second != 0, "whole seconds"},
		{"rows", s.maxRows == 1, "0 or >= 2"},
		{"out", s.out == "", "a folder"},
	} {
		if f.bad {
			return s, fmt.Errorf("-%s %s: want %s", f.name, flags.Lookup(f.name).Value, f.want)
		}
	}
	if s.threads > 1 {
		if isGiven(flags.FlagSet, "workers") && s.workers > 1 {
			return s, fmt.Errorf("-workers %d: want 1 with -threads %d", s.workers, s.threads)
		}
		s.workers = 1
	}
	var err error
	if s.methods, err = methodsNamed(names, s.programs); err != nil {
		return s, err
	}
	if err := s.programs.there(s.methods); err != nil {
		return s, err
	}
	if synthetic == "" {
		s.sets, err = setsNamed(s.data, s.second, sets)
		return s, err
	}
	if s.data != "" || s.second != "" || sets != "" {
		return s, errors.New("-synthetic is in place of -data, -second and -sets")
	}
	if s.splits == 0 {
		s.splits = fewSplits
	}
	s.sizes, s.columns, err = sizesOf(synthetic)
	return s, err
}

func isGiven(flags *flag.FlagSet, name string) (given bool) {
	flags.Visit(func(f *flag.Flag) { given = given || f.Name == name })
	return given
}

// quicken sets what was not given to less.
func (s *settings) quicken(flags *flag.FlagSet) {
	if !isGiven(flags, "splits") {
		s.splits = quickSplits
	}
	if !isGiven(flags, "rows") {
		s.maxRows = quickMaxRows
	}
	if !isGiven(flags, "budget") {
		s.budget = quickBudget
	}
}

// The collections of sets, each with tables of its own.
const (
	shippedCollection = "the shipped sets"
	firstCollection   = "the first collection"
	secondCollection  = "the second collection"
)

// named is a set that is chosen.
type named struct{ name, folder, collection string }

// setsNamed checks that the named sets are there before anything is run. A name may be that
// of a set in dir without a protocol.
func setsNamed(dir, second, names string) ([]named, error) {
	var known []named
	add := func(folder, collection string, all []string) {
		for _, name := range all {
			if dataset.Exists(folder, name) {
				known = append(known, named{name, folder, collection})
			}
		}
	}
	first := firstCollection
	switch {
	case dir != "":
		var all []string
		for _, p := range dataset.Protocols() {
			all = append(all, p.Name)
		}
		add(dir, first, all)
	case second == "":
		first = shippedCollection
		add(dir, first, strings.Split(shippedSets, ","))
	}
	if dir != "" && len(known) == 0 && names == "" {
		return nil, fmt.Errorf("-data %s holds none of the sets that have a protocol", dir)
	}
	if second != "" {
		before := len(known)
		add(second, secondCollection, collection.Names())
		if len(known) == before {
			return nil, fmt.Errorf("-second %s holds none of the sets of the second collection", second)
		}
	}
	chosen := known
	if names != "" {
		chosen = nil
		for _, name := range strings.Split(names, ",") {
			i := slices.IndexFunc(known, func(k named) bool { return k.name == name })
			switch {
			case i >= 0:
				chosen = append(chosen, known[i])
			case (dir != "" || second == "") && dataset.Exists(dir, name):
				chosen = append(chosen, named{name, dir, first})
			default:
				var there []string
				for _, k := range known {
					there = append(there, k.name)
				}
				return nil, fmt.Errorf("-sets %s: no such set; there are %s", name, strings.Join(there, ", "))
			}
		}
	}
	for i, one := range chosen {
		j := slices.IndexFunc(chosen, func(k named) bool { return k.name == one.name })
		switch {
		case j == i:
		case names != "":
			return nil, fmt.Errorf("-sets names %s twice", one.name)
		default:
			return nil, fmt.Errorf("-data and -second both hold a set %s", one.name)
		}
	}
	return chosen, nil
}

func run(ctx context.Context, args []string, out, progress io.Writer) error {
	s, err := parse(args, out)
	if err != nil {
		return err
	}
	if s.redraw != "" {
		return redraw(s.redraw)
	}
	if err := s.lookForPeers(ctx); err != nil {
		return err
	}
	if s.servers != nil {
		defer s.servers.stop()
	}
	for _, m := range s.missing {
		fmt.Fprintln(progress, m)
	}
	sets, err := s.prepareAll(ctx)
	if err != nil {
		return err
	}
	r := report{Settings: s.conditions(), Missing: s.missing}
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
	p, err := readParts(s.out)
	if err != nil {
		return err
	}
	p.say(progress)
	return r.markdown(out)
}

// prepareAll writes the splits of all sets.
func (s settings) prepareAll(ctx context.Context) ([]prepared, error) {
	if s.sizes != nil {
		return s.prepareSynthetic()
	}
	var out []prepared
	for _, one := range s.sets {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p, err := s.prepare(one)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}
