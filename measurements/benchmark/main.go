// Benchmark runs methods on data sets and reports their errors, seconds, memory and model sizes. It also reports which methods
// differ, and which method to choose for which set.
//
//	go run -C measurements ./benchmark -quick
//	go run -C measurements ./benchmark -data DIR -second DIR2 -python python3 -rscript Rscript -out report
//	go run -C measurements ./benchmark -third DIR3 -threads 2 -budget 10m -trials 30 -python python3 -archive cells.csv.gz -out third
//	go run -C measurements ./benchmark -data DIR -sets boston,heart -methods ridge,lssvm,golearn
//	go run -C measurements ./benchmark -synthetic friedman1:100000x10 -splits 1 -out growth
//	go run -C measurements ./benchmark -redraw ../docs/measured/results
//	go run -C measurements ./benchmark -report ../docs/measured/tables/third-cells.csv.gz -out third
//
// The methods are this module's estimators: with defaults, with a kernel chosen by entropy, and with a kernel chosen from a grid.
// The methods of golearn are included, and some of them need a C compiler. With -python and -rscript, the methods of scikit-learn,
// of gradient boosting libraries and of kernlab are included (peers/README.md). A peer whose library is not installed is left out.
// It is named once when the run starts, and in the report.
//
// A cell is a set, a method and a split. Each cell runs in a process of its own, on one thread, and -workers of them run at a time.
// The Python processes are forked from processes that have imported their libraries, one for each worker. The seconds of a cell are
// processor time, so that they do not depend on the number of processors, and only a little on other work on the machine.
//
// The budget is also processor time. It includes the reading of the rows and, except in Python, the start of the process. A process
// that exceeds its budget is ended, as is one that takes three times the budget in wall-clock time. On systems other than Unix,
// only the wall-clock time is limited. -budget is the budget of cells with up to 1000 training rows. Above that the budget is
// proportional to the rows.
//
// A cell over budget, or a cell whose process fails, is a row of the report and does not stop the run. The first split of every set
// and method comes before the second split of any. A method that exceeded its budget on a split of a set is not run on later splits
// of it. A run that takes too long can be ended. Run the program again with fewer splits for a report of the finished cells.
//
// With -threads N cells run one at a time on N threads, and their seconds are wall-clock time. The budget is then N times as much
// processor time. The report states which kind of time its seconds are.
//
// A finished cell is a file under -out. If a run is interrupted, even abruptly, another run with the same -out continues where it
// stopped. Finished cells with another seed, budget, data file or configuration are an error and are never mixed in. More splits,
// sets or methods can be requested. The code of the library is not compared, so use another -out after a change to it. Cells that
// failed, were over budget or were not run are also finished: delete their files to run them again. The wall-clock time of all runs
// with one -out is printed at the end and is stored in OUT/time.json. With -archive, the finished cells are also written to a
// compressed CSV file when the program ends or is interrupted, and cells of an existing archive count as finished. A run can thus be
// continued on another machine.
//
// Without -data and -second, the sets are those that the repository ships, except for the time series. With -data, they are all
// sets in DIR that docs/data.md has a protocol for. With -second, all sets in DIR2 of the second collection
// (docs/measured/second-collection.md) are added. These are read by the general rule of docs/data.md without exceptions. The report
// contains every table for each collection.
//
// With -third, the sets in DIR3 of the third collection are added (docs/measured/third-collection.md). Their files are read by
// package table. All methods receive categories as codes, and gaps. Methods that do not accept these encode them first. The budget
// of these sets does not depend on their rows, and is wall-clock time. The method selection-budget may use as many seconds as
// catboost-tuned on the same split, and therefore needs its cell. -trials sets the number of settings that the searches of boosting
// and of extra trees try.
//
// Sets are split 75/25, by class if there are classes. There are ten splits for sets of up to 1000 rows and three for larger ones,
// or the number of -splits. The splits depend only on the seed and the set. They are CSV files under OUT/splits, and the methods
// read these files. Other programs can read them too, as the README.md in that folder describes. A method scales its features
// itself. With -rows, larger training parts are reduced to that number of rows, drawn at random, also by class. Test parts are not
// reduced. The cells of sets with fewer rows are the same with -rows and without.
//
// The report is OUT/report.md with its pictures, and is printed. The other files are:
//
//   - OUT/report.json
//   - pages in Markdown: one for each comparison, intervals.md, costs.md, ratios.md, methods.md, and sets.md with a line for each set
//   - tables in CSV: sets, cells, summary, ranks, pairs, relations, fronts, front
//
// Two runs return the same results for any number of workers, except for seconds, memory, and results that follow from them. Such
// results are the fronts of error against time, the cells over a budget that is close to their need, and the searches of peers that
// stop when half of the budget is used. Methods of golearn that draw without a seed are marked.
//
// With -synthetic the sets are the first rows of Friedman's first function, in sizes that double up to the named size. -splits is
// the number of draws. The report contains the exponent of each method's growth. A method that exceeds its budget on a size is not
// run on larger sizes, and the budget is constant.
//
// With -redraw nothing is measured. The pictures of a report in a folder are drawn again from its summary.csv, ranks.csv and
// relations.csv.
//
// With -report nothing is measured either. The report of the cells in an archive, those of sets of the second or third collection, is
// written to -out, without the sets' files. It leaves out the splits of a set that the methods of the archive have not all finished.
// With -earlier it also compares each method with itself in an earlier run, from the summary.csv of that run's report.
//
// Memory is the resident memory of the cell's process, including its language's runtime and the data. "MB before" is the memory
// after the training rows were read and the garbage of reading them was returned. "peak MB" is the largest value from then until
// the predictions were computed. On systems other than Linux "MB before" is the largest value until then. If the system does not
// report memory, both values are missing.
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

// The defaults of the flags.
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

// rewriting names what is written again without a measurement.
type rewriting struct {
	pictures string // folder of a report
	report   string // archive of cells
	earlier  string // summary.csv of an earlier run
}

func parse(args []string, help io.Writer) (s protocol.Settings, again rewriting, err error) {
	var sets, names, synthetic string
	var quick bool
	flags := cli.NewFlags("benchmark",
		"benchmark runs methods on data sets and reports their errors, their seconds, their memory and how they rank.", help)
	flags.StringVar(&s.Data, "data", "", "`folder` of CSV files; empty: the files of the repository")
	flags.StringVar(&sets, "sets", "", "comma separated `names`; empty: all in -data that have a protocol, and all of -second")
	flags.StringVar(&s.Second, "second", "", "`folder` of CSV files of the second collection, docs/measured/second-collection.md")
	flags.StringVar(&s.Third, "third", "", "`folder` of CSV files of the third collection, docs/measured/third-collection.md")
	flags.IntVar(&s.Trials, "trials", 0, "settings that the searches of boosting and extra trees try; 0: 10")
	flags.StringVar(&s.Archive, "archive", "", "CSV `file` of finished cells, compressed with gzip: read before the run, and written after it")
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
	flags.StringVar(&again.pictures, "redraw", "",
		"in place of all else, draw the pictures of the report in a `folder` again from its summary.csv, ranks.csv and relations.csv")
	flags.StringVar(&again.report, "report", "", "in place of all else, write the report of the cells in an archive, a `file`, to -out")
	flags.StringVar(&again.earlier, "earlier", "", "with -report, compare with an earlier run, given its summary.csv, a `file`")
	flags.AtLeast(0, "splits", "trials")
	flags.AtLeast(1, "workers", "threads")
	flags.AtLeast(0, "rows")
	flags.Reads("data", "second", "third", "redraw", "report", "earlier")
	flags.Runs("python", "scripts")
	flags.Runs("rscript", "scripts")
	flags.Writes("out", "archive")
	if err := flags.Parse(args); err != nil {
		return s, again, err
	}
	if again.earlier != "" && again.report == "" {
		return s, again, errors.New("-earlier: want -report")
	}
	if again != (rewriting{}) {
		return s, again, nil
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
			return s, again, fmt.Errorf("-%s %s: want %s", f.name, flags.Lookup(f.name).Value, f.want)
		}
	}
	if s.Threads > 1 {
		if isGiven(flags.FlagSet, "workers") && s.Workers > 1 {
			return s, again, fmt.Errorf("-workers %d: want 1 with -threads %d", s.Workers, s.Threads)
		}
		s.Workers = 1
	}
	if s.Methods, err = methods.Choose(names, s.Programs); err != nil {
		return s, again, err
	}
	if err := s.Programs.There(s.Methods); err != nil {
		return s, again, err
	}
	if synthetic == "" {
		s.Sets, err = protocol.Choose(s.Data, s.Second, s.Third, sets)
		return s, again, err
	}
	if s.Data != "" || s.Second != "" || s.Third != "" || sets != "" {
		return s, again, errors.New("-synthetic is in place of -data, -second, -third and -sets")
	}
	if s.Splits == 0 {
		s.Splits = protocol.FewSplits
	}
	s.Sizes, s.Columns, err = protocol.SizesOf(synthetic)
	return s, again, err
}

func isGiven(flags *flag.FlagSet, name string) (given bool) {
	flags.Visit(func(f *flag.Flag) { given = given || f.Name == name })
	return given
}

// quicken replaces the values of flags that were not set with values smaller than their defaults.
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
	s, again, err := parse(args, out)
	switch {
	case err != nil:
		return err
	case again.pictures != "":
		return report.Redraw(again.pictures)
	case again.report != "":
		return writeAgain(again, s.Out, out, progress)
	}
	cells := runner.Runner{Settings: s}
	defer cells.Stop()
	if err := cells.FindPeers(ctx); err != nil {
		return err
	}
	s = cells.Settings // without the missing methods
	for _, m := range cells.Missing {
		fmt.Fprintln(progress, m)
	}
	sets, err := s.PrepareAll(ctx)
	if err != nil {
		return err
	}
	if err := s.ReadArchive(); err != nil {
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
	r.Cells, err = cells.Run(ctx, jobs, progress)
	if err = errors.Join(err, s.WriteArchive()); err != nil {
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

// writeAgain writes the report of the cells in an archive to a folder.
func writeAgain(again rewriting, folder string, out, progress io.Writer) error {
	sets, cells, unfinished, err := protocol.FromArchive(again.report)
	if err != nil {
		return err
	}
	if unfinished > 0 {
		fmt.Fprintf(progress, "left out: %d splits of a set that not all methods have finished\n", unfinished)
	}
	conditions, err := standings.ConditionsOfCells(cells)
	if err != nil {
		return err
	}
	r := report.Report{Record: &standings.Record{Settings: conditions, Sets: sets, Cells: cells}}
	r.Summarise()
	r.Analyse()
	if again.earlier != "" {
		if err := r.CompareWith(again.earlier); err != nil {
			return err
		}
	}
	if err := r.Write(folder); err != nil {
		return err
	}
	return r.Markdown(out)
}
