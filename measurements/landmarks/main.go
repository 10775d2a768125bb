// Landmarks compares kernel machines on many rows. It prints one of three tables:
//
//	go run -C measurements ./landmarks -table growth
//	go run -C measurements ./landmarks -table nystroem -python python3
//	go run -C measurements ./landmarks -table curves -python python3 -data DIR -out ../docs/measured
//
// growth measures falkon.Regressor, with its default kernel and ridge, on friedman1 for several numbers of rows and of landmarks.
// The table contains the seconds, the memory in addition to the rows, and the error for targets without noise. It also contains the
// exponent with which each of these grows in the number of rows.
//
// nystroem compares falkon.Regressor with scikit-learn's Nystroem and Ridge, with the same kernel, ridge and landmarks. They take
// turns on the same rows of friedman1 with 20 columns.
//
// curves plots the error on other rows against the number of training rows, up to all rows of a set. The learners are
// selection.Regressor or selection.Classifier, and those of falkon behind a scaler, all with default settings. With -python it
// includes scikit-learn's HistGradientBoosting, with defaults and with 500 rounds. The results are a table and, with -out, a
// picture. falkon-median uses the kernel of the median distance instead of the default choice, to compare the two. falkon-4000 has
// 4000 landmarks, and lssvm uses all rows, in 6 GiB. Sets are read from -data DIR. friedman1, sine and clusters are generated and
// need no files.
//
// Seconds are wall-clock time, except in curves, where they are processor seconds if the system reports them. Processor seconds are
// summed over all processors. Both include only the fit. With -cells FILE every measurement is saved, and saved measurements are
// not repeated, so that an interrupted run can be continued. Measurements of another version of the library have to be deleted.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	_ "github.com/kernelearn/kernelearn/adapters/simdblas" // a faster BLAS for the program
	"github.com/kernelearn/kernelearn/internal/cli"
	"github.com/kernelearn/kernelearn/measurements/internal/cells"
)

const (
	drawnSets = "friedman1,sine,clusters"
	readSets  = "california-housing,electricity,eeg-eye-state,mammography"
	pictured  = "landmarks.png"
	leastRows = 100
)

func main() { cli.Main("landmarks", run) }

// program holds the values of the flags.
type program struct {
	table           string
	rows, landmarks []int
	sets, learners  []string
	draws           int
	seed            uint64
	dir, out        string
	python, script  string
	cells           *cells.Cells[key, value]
	progress        io.Writer
}

// tables holds the function of each table, by name.
var tables = map[string]func(program, context.Context, io.Writer) error{
	"growth": program.growth, "nystroem": program.nystroem, "curves": program.curves,
}

func programOf(args []string, help, progress io.Writer) (program, error) {
	p := program{progress: progress}
	flags := cli.NewFlags("landmarks",
		"landmarks measures kernel machines on many rows: their growth, their Nyström features, or their learning curves.", help)
	flags.StringVar(&p.table, "table", "curves", "`name`: growth, nystroem or curves")
	rows := flags.String("rows", "",
		"comma separated `numbers`; empty: 10000,100000,1000000 of growth, 100000 of nystroem, 1000,3162,10000,31623,100000 of curves, "+
			"which "+
			"end with all rows of a set")
	landmarks := flags.String("landmarks", "", "comma separated `numbers`, of growth and nystroem; empty: 500,2000,5000 and 500,2000")
	sets := flags.String("sets", "", "comma separated `names`, of curves; empty: "+drawnSets+", and with -data "+readSets)
	learners := flags.String("learners", "",
		"comma separated `names`, of curves; empty: selection,falkon, and with -python boosting,boosting500; there is also falkon-median")
	flags.IntVar(&p.draws, "draws", 1, "`times` that rows are drawn, from seeds that follow each other; of nystroem turns on the same rows")
	flags.Uint64Var(&p.seed, "seed", 1, "of the first draw")
	flags.StringVar(&p.dir, "data", "", "`folder` of CSV files; empty: none")
	flags.StringVar(&p.out, "out", "", "`folder` for the picture of curves, "+pictured+"; empty: none is drawn")
	flags.StringVar(&p.python, "python", "", "`program` that runs Python with scikit-learn; empty: without")
	flags.StringVar(&p.script, "script", filepath.Join("benchmark", "peers", "landmarks.py"), "`file` of what it runs")
	path := flags.String("cells", "", "CSV `file` that keeps measurements; empty: none does")
	flags.AtLeast(1, "draws")
	flags.Reads("data")
	flags.Runs("python", "script")
	flags.Writes("out", "cells")
	if err := flags.Parse(args); err != nil {
		return p, err
	}
	if tables[p.table] == nil {
		return p, fmt.Errorf("-table %s: want growth, nystroem or curves", p.table)
	}
	if p.table == "nystroem" && p.python == "" {
		return p, errors.New("-table nystroem: want -python, the program that runs scikit-learn")
	}
	own := map[string][2]string{
		"growth": {"10000,100000,1000000", "500,2000,5000"}, "nystroem": {"100000", "500,2000"},
		"curves": {"1000,3162,10000,31623,100000", "1"},
	}[p.table]
	var err error
	if p.rows, err = numbers("-rows", *rows, own[0], leastRows); err != nil {
		return p, err
	}
	if p.landmarks, err = numbers("-landmarks", *landmarks, own[1], 1); err != nil {
		return p, err
	}
	if p.sets, p.learners, err = p.names(*sets, *learners); err != nil {
		return p, err
	}
	p.cells, err = readCells(*path)
	return p, err
}

// numbers parses a list of numbers and sorts it.
func numbers(flag, text, usual string, least int) (out []int, err error) {
	if text == "" {
		text = usual
	}
	for _, word := range strings.Split(text, ",") {
		n, err := strconv.Atoi(word)
		if err != nil || n < least {
			return nil, fmt.Errorf("%s %s: want numbers of %d or more", flag, text, least)
		}
		out = append(out, n)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// names returns the sets and the learners for curves.
func (p program) names(sets, learners string) (of, by []string, err error) {
	if sets == "" {
		sets = drawnSets
		if p.dir != "" {
			sets = readSets + "," + drawnSets
		}
	}
	if learners == "" {
		learners = "selection,falkon"
		if p.python != "" {
			learners += ",boosting,boosting500"
		}
	}
	by = strings.Split(learners, ",")
	for _, name := range by {
		_, peer := peers[name]
		if _, ours := regressors[name]; !ours && !peer {
			return nil, nil, fmt.Errorf("-learners %s: there is no %s", learners, name)
		}
		if peer && p.python == "" {
			return nil, nil, fmt.Errorf("-learners %s: %s wants -python", learners, name)
		}
	}
	return strings.Split(sets, ","), by, nil
}

func run(ctx context.Context, args []string, out, progress io.Writer) error {
	p, err := programOf(args, out, progress)
	if err != nil {
		return err
	}
	return tables[p.table](p, ctx, out)
}

// seeds returns the seeds of the draws.
func (p program) seeds() (out []uint64) {
	for i := range p.draws {
		out = append(out, p.seed+uint64(i))
	}
	return out
}

// say prints the key of a measurement as progress.
func (p program) say(k key) { fmt.Fprintf(p.progress, "%v\n", k) }
