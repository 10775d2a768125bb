// Fsm reproduces the experiments of the feature space measure (Nguyen and Ho, Pattern Recognition 41, 2008, 3366). They test
// whether a measure of a kernel matrix, computed without a fit, predicts the cross-validation error of a support vector machine.
//
//	go run -C measurements ./papers/fsm
//	go run -C measurements ./papers/fsm -figure 3
//	go run -C measurements ./papers/fsm -data DIR -quick
//	go run -C measurements ./papers/fsm -data DIR -results errors.csv -out ../docs/measured
//
// Figure 3 needs no data. It has two Gaussian classes and the linear kernel. The means of the classes are separated by an angle,
// and their spread is a fraction of the distance between the means. The problem is therefore the same for each angle, except for
// the position of the origin. FSM should not depend on the angle, whereas KTA does.
//
// Figure 4 and Table 1 compare four fixed kernels on nine sets. They show 1-KTA, CSMnorm, FSMerr and the error, and the rank that
// each measure assigns to the kernel with the smallest error. The errors take minutes, most of them for mushrooms, whose kernel
// matrices take 528 MB each. With -results, finished errors are saved in a file, and the command continues from it. -quick computes
// fewer errors, on at most 1000 rows.
package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/kernelearn/kernelearn/internal/cli"
)

const (
	paperSets    = "australian,breast-cancer,diabetes-pima,fourclass,german-numer,heart,ionosphere,mushrooms,vehicle"
	shippedSets  = "breast-cancer-wdbc"
	quickRepeats = 2
	quickRows    = 1000
)

// settings holds the flags.
type settings struct {
	data, results, out string
	figure, table      int
	sets               []string
	repeats, folds     int
	step, draws        int
	workers            int
	seed               uint64
	c                  float64
	quick              bool
	vehicle, poly      string
}

func main() { cli.Main("fsm", run) }

func run(ctx context.Context, args []string, out, progress io.Writer) error {
	s, err := parse(args, out)
	if err != nil {
		return err
	}
	var text strings.Builder // printed after the progress bar has finished
	if s.wants(3, 0) {
		if err := s.figure3(ctx, &text, progress); err != nil {
			return err
		}
	}
	if s.wants(4, 1) {
		if err := s.benchmark(ctx, &text, progress); err != nil {
			return err
		}
	}
	_, err = fmt.Fprint(out, text.String())
	return err
}

func parse(args []string, help io.Writer) (settings, error) {
	var s settings
	flags := cli.NewFlags("fsm", "fsm reproduces the experiments of the paper on the feature space measure.", help)
	flags.IntVar(&s.figure, "figure", 0, "3 or 4; 0: none with -table, all without it")
	flags.IntVar(&s.table, "table", 0, "1; 0: none with -figure, all without it")
	flags.StringVar(&s.data, "data", "", "`folder` of CSV files; empty: the one set of two classes that the repository ships")
	sets := flags.String("sets", "", "comma separated names; empty: the nine of the paper")
	flags.StringVar(&s.vehicle, "vehicle", "opel+saab",
		"the `classes` of vehicle that are one of two, joined by +; rest: four classes, and measures that are means of one against the "+
			"rest")
	flags.StringVar(&s.poly, "poly", "1",
		"γ of the polynomial kernel (γ<x,z>+1)³: 1 or 1/d; mixed: 1 for the measures, 1/d for the support vector machine")
	flags.Float64Var(&s.c, "c", 1, "C of the support vector machine")
	flags.IntVar(&s.repeats, "repeats", 10, "cross-validations")
	flags.IntVar(&s.folds, "folds", 5, "of a cross-validation")
	flags.IntVar(&s.step, "step", 10, "of the angle of figure 3, in degrees")
	flags.IntVar(&s.draws, "draws", 100, "of the data of figure 3, for the spread of the measures")
	flags.Uint64Var(&s.seed, "seed", 1, "of folds and drawn data")
	flags.IntVar(&s.workers, "workers", 0, "cross-validations at a time; 0: the number of processors")
	flags.BoolVar(&s.quick, "quick", false, fmt.Sprintf("at most %d repeats, and %d rows of a set", quickRepeats, quickRows))
	flags.StringVar(&s.results, "results", "", "`file` that keeps the cross-validations that are done, and that the command goes on from")
	flags.StringVar(&s.out, "out", "", "`folder` for the pictures, fsm-figure3.png and fsm-figure4.png; empty: none")
	flags.AtLeast(0, "figure", "table", "workers")
	flags.AtLeast(1, "repeats", "step")
	flags.AtLeast(2, "folds", "draws")
	flags.Reads("data")
	flags.Writes("results", "out")
	if err := flags.Parse(args); err != nil {
		return s, err
	}
	if *sets == "" {
		*sets = shippedSets
		if s.data != "" {
			*sets = paperSets
		}
	}
	s.sets = strings.Split(*sets, ",")
	if s.quick {
		s.repeats = min(s.repeats, quickRepeats)
	}
	return s, s.check()
}

func (s settings) check() error {
	switch {
	case s.figure != 0 && s.figure != 3 && s.figure != 4:
		return fmt.Errorf("-figure %d: want 3 or 4", s.figure)
	case s.table != 0 && s.table != 1:
		return fmt.Errorf("-table %d: want 1", s.table)
	case !(s.c > 0):
		return fmt.Errorf("-c %v: want more than 0", s.c)
	case s.poly != "1" && s.poly != "1/d" && s.poly != "mixed":
		return fmt.Errorf("-poly %q: want 1, 1/d or mixed", s.poly)
	case s.step > 150:
		return fmt.Errorf("-step %d: want 1 to 150", s.step)
	}
	return nil
}

// wants reports whether the figure or the table is selected. Without either flag, all of them are selected.
func (s settings) wants(figure, table int) bool {
	return s.figure == 0 && s.table == 0 || s.figure == figure || table > 0 && s.table == table
}

// picture returns the path of a picture. wanted is false if no pictures are requested.
func (s settings) picture(name string) (path string, wanted bool) {
	return filepath.Join(s.out, name), s.out != ""
}
