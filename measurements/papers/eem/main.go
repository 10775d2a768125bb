// Eem reproduces the tables of the extreme entropy paper (Czarnecki and Tabor, arXiv 1501.05279) on the sets of its Table 3.
//
//	go run -C measurements ./papers/eem -data DIR -table divergence
//	go run -C measurements ./papers/eem -data DIR -table gmean -quick
//	go run -C measurements ./papers/eem -data DIR -table gmean -results gmean.csv
//
// The first command prints the paper's Table 1. It is the correlation, over random directions, between the divergence of two
// classes and the first term of the divergence. The machine maximises only this term.
//
// The second and third commands print the paper's Tables 4 and 5. They list the geometric mean of the two classes' accuracies, for
// extreme entropy machines and the methods compared with them. The estimate is repeated 10-fold stratified cross-validation. As in
// the paper, it is for the point of a grid that is best on the test folds. That favours every method, and most of all the one with
// the largest grid. In a second table, all other folds choose the point for each fold.
//
// The paper's grids take hours to days on the larger sets. With -results, finished cells are saved in a file, and the command
// continues from it. -quick uses the grids of the figures that the tables show for comparison. The figures of the paper are lost,
// so these are the figures of an independent implementation, from one 10-fold run.
package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/kernelearn/kernelearn/internal/cli"
	"github.com/kernelearn/kernelearn/internal/dataset"
)

const (
	// comparedSets lists the sets with figures for comparison, smaller sets first.
	comparedSets = "sonar,heart,ecoli,liver-disorders,breast-cancer,australian,diabetes-pima,ionosphere,oil-spill,splice,car-eval-34,abalone7"
	otherSets    = "arrhythmia,libras-move,spectrometer,banknote,german-numer,solar-flare,sick-euthyroid,mammography"
	shippedSets  = "breast-cancer-wdbc"
)

// settings holds the flags.
type settings struct {
	data, table, results string
	sets, methods        []string
	folds, repeats       int
	draws, workers       int
	seed                 uint64
	quick, report        bool
}

func main() { cli.Main("eem", run) }

func run(ctx context.Context, args []string, out, progress io.Writer) error {
	var s settings
	flags := cli.NewFlags("eem", "eem reproduces the tables of the paper on extreme entropy machines.", out)
	flags.StringVar(&s.data, "data", "", "`folder` of CSV files; empty: the one set of two classes that the repository ships")
	flags.StringVar(&s.table, "table", "gmean", "divergence or gmean")
	flags.StringVar(&s.results, "results", "", "`file` that keeps the folds that are done, and that the command goes on from")
	sets := flags.String("sets", "", "comma separated names; empty: the twenty sets of Table 3")
	chosen := flags.String("methods", "", "comma separated names; empty: "+strings.Join(methodNames(), ", "))
	flags.IntVar(&s.folds, "folds", 10, "of a cross-validation")
	flags.IntVar(&s.repeats, "repeats", 3, "cross-validations")
	flags.IntVar(&s.draws, "draws", 200, "random directions of the divergence table")
	flags.IntVar(&s.workers, "workers", 0, "folds at a time; 0: the number of processors")
	flags.Uint64Var(&s.seed, "seed", 1, "of folds and hidden units")
	flags.BoolVar(&s.quick, "quick", false, "cut grids: h 50 to 500, γ 1e-3 to 1, C 1e-1 to 1e4")
	flags.BoolVar(&s.report, "report", false,
		"print what -results has, and do no more; a number in brackets says how many cross-validations, if not all")
	flags.AtLeast(2, "folds")
	flags.AtLeast(1, "repeats")
	flags.AtLeast(3, "draws")
	flags.AtLeast(0, "workers")
	flags.Reads("data")
	flags.Writes("results")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *sets == "" {
		*sets = shippedSets
		if s.data != "" {
			*sets = comparedSets + "," + otherSets
		}
	}
	s.sets, s.methods = strings.Split(*sets, ","), methodNames()
	if *chosen != "" {
		s.methods = strings.Split(*chosen, ",")
	}
	for _, m := range s.methods {
		if !slices.Contains(methodNames(), m) {
			return fmt.Errorf("-methods: %q is none of %s", m, strings.Join(methodNames(), ", "))
		}
	}
	var opened []*dataset.Set
	for _, name := range s.sets {
		set, err := dataset.Open(s.data, name)
		if err != nil {
			return err
		}
		if len(set.Classes) != 2 {
			return fmt.Errorf("%s: %d classes, want 2", name, len(set.Classes))
		}
		opened = append(opened, set)
	}
	var text strings.Builder // printed after the progress bar has finished
	var err error
	switch s.table {
	case "divergence":
		err = s.divergences(ctx, &text, progress, opened)
	case "gmean":
		err = s.gmeans(ctx, &text, progress, opened)
	default:
		err = fmt.Errorf("-table %q: want divergence or gmean", s.table)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(out, text.String())
	return err
}

// positive returns 1 for each row of the set's positive class, and 0 for the other rows.
func positive(set *dataset.Set) []int {
	out := make([]int, len(set.Labels))
	for i, l := range set.Labels {
		if set.Classes[l] == set.Positive {
			out[i] = 1
		}
	}
	return out
}
