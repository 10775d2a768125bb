// Gabasr compares GaBaSR with the tables of its paper (Pena-Llamas et al., Appl. Sci. 13 (2023) 2473) and with other methods on the
// same splits. The other methods are a perceptron, support vector machines, linear regression, a least-squares support vector
// machine, and the same number of random Fourier features with frequencies that are not fitted.
//
//	go run -C measurements ./papers/gabasr -quick
//	go run -C measurements ./papers/gabasr -data DIR -results gabasr.csv -out ../docs/measured
//	go run -C measurements ./papers/gabasr -data DIR -covariances -sets boston,energy
//
// Three quarters of each set are drawn at random for training: ten times if the set has at most 1000 rows, and three times
// otherwise. With -results finished cells are saved in a file, and the command continues from it. -out writes gabasr.md. -quick is
// for a short first run: it uses the sets that the repository ships and the generated ones, with fewer rows and one split.
// -covariances measures the memory and the time that the field Covariances of a Regressor saves, and its effect on the predictions.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/kernelearn/kernelearn/internal/cli"
	"github.com/kernelearn/kernelearn/internal/dataset"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/progressbar"
	"github.com/kernelearn/kernelearn/selection/validation"
)

// The sets, in the order of the paper's tables.
var (
	classSets   = []string{"breast-cancer-wdbc", "credit-g", "blood-transfusion", "electricity", "eeg-eye-state", "kr-vs-kp", xorName}
	numberSets  = []string{"mauna-loa-co2-monthly", "california-housing", "boston", "diabetes-progression", mixtureName}
	shippedSets = []string{"breast-cancer-wdbc", xorName, "mauna-loa-co2-monthly", "diabetes-progression", mixtureName}
)

const (
	smallRows   = 1000 // largest number of rows of a small set
	smallSplits = 10   // splits of a small set
	largeSplits = 3    // splits of a larger set
)

// settings holds the flags.
type settings struct {
	data, results, out string
	sets, methods      []string
	workers, splits    int
	seed               uint64
	quick, report      bool
	covariances        bool
}

func main() { cli.Main("gabasr", run) }

func run(ctx context.Context, args []string, out, progress io.Writer) error {
	var s settings
	flags := cli.NewFlags("gabasr", "gabasr reproduces the tables of the GaBaSR paper, beside other methods on the same splits.", out)
	flags.StringVar(&s.data, "data", "", "`folder` of CSV files; empty: the sets that the repository ships")
	flags.StringVar(&s.results, "results", "", "`file` that keeps what is done, and that the command goes on from")
	flags.StringVar(&s.out, "out", "", "`folder` to write gabasr.md to; empty: the tables are printed alone")
	sets := flags.String("sets", "", "comma separated names; empty: all that there are")
	chosen := flags.String("methods", "", "comma separated names; empty: "+strings.Join(methodNames(), ", "))
	flags.IntVar(&s.workers, "workers", 0, "fits at a time; 0: the number of processors")
	flags.IntVar(&s.splits, "splits", 0, fmt.Sprintf("divisions of a set; 0: %d up to %d rows, else %d", smallSplits, smallRows,
		largeSplits))
	flags.Uint64Var(&s.seed, "seed", 1, "of divisions and chains")
	flags.BoolVar(&s.quick, "quick", false, "one split of at most 300 rows")
	flags.BoolVar(&s.report, "report", false, "print what -results has, and do no more")
	flags.BoolVar(&s.covariances, "covariances", false,
		"compare how many sweeps keep their covariance, on the sets of numbers, and do no more")
	flags.AtLeast(0, "workers", "splits")
	flags.Reads("data")
	flags.Writes("results", "out")
	if err := flags.Parse(args); err != nil {
		return err
	}
	s.methods = methodNames()
	if *chosen != "" {
		s.methods = strings.Split(*chosen, ",")
	}
	for _, m := range s.methods {
		if !slices.Contains(methodNames(), m) {
			return fmt.Errorf("-methods: %q is none of %s", m, strings.Join(methodNames(), ", "))
		}
	}
	found := false
	switch {
	case *sets != "":
		s.sets = strings.Split(*sets, ",")
	case s.data == "" || s.quick:
		s.sets = shippedSets
	default:
		for _, name := range slices.Concat(classSets, numberSets) {
			drawn := name == xorName || name == mixtureName
			if drawn || dataset.Exists(s.data, name) {
				s.sets = append(s.sets, name)
				found = found || !drawn
			}
		}
		if !found {
			return fmt.Errorf("-data %s: the folder has none of the sets", s.data)
		}
	}
	var opened []*dataset.Set
	for _, name := range s.sets {
		set, err := s.open(name)
		if err != nil {
			return err
		}
		opened = append(opened, set)
	}
	if s.covariances {
		return s.compareCovariances(ctx, opened, out)
	}
	r, err := openResults(s.results)
	if err != nil {
		return err
	}
	defer r.close()
	if !s.report {
		if err := s.measure(ctx, r, opened, progress); err != nil {
			return err
		}
	}
	text := s.tables(r, opened)
	if s.out != "" {
		if err := os.WriteFile(filepath.Join(s.out, "gabasr.md"), []byte(text), 0o644); err != nil {
			return err
		}
	}
	_, err = io.WriteString(out, text)
	return err
}

// open reads or generates a set.
func (s settings) open(name string) (set *dataset.Set, err error) {
	switch name {
	case xorName:
		set = xor(s.seed)
	case mixtureName:
		set = mixtureSeries(s.seed)
	default:
		if set, err = dataset.Open(s.data, name); err != nil {
			return nil, err
		}
	}
	if set.Y == nil && len(set.Classes) != 2 {
		return nil, fmt.Errorf("%s: %d classes, want 2", name, len(set.Classes))
	}
	return set, nil
}

// splitsOf returns the number of splits of a set.
func (s settings) splitsOf(set *dataset.Set) int {
	n, _ := set.X.Dims()
	switch {
	case s.quick:
		return 1
	case s.splits > 0:
		return s.splits
	case n <= smallRows:
		return smallSplits
	}
	return largeSplits
}

// folds returns the splits of a set.
func (s settings) folds(set *dataset.Set) ([]validation.Fold, error) {
	n, _ := set.X.Dims()
	if set.Y == nil {
		return validation.StratifiedShuffleSplit{Splits: s.splitsOf(set), TestFraction: 0.25, Seed: s.seed}.Split(n, set.Labels)
	}
	return validation.ShuffleSplit{Splits: s.splitsOf(set), TestFraction: 0.25, Seed: s.seed}.Split(n, nil)
}

// cell returns the key of a fit, which contains everything that affects it.
func (s settings) cell(set *dataset.Set, m method, split int) cell {
	extra := fmt.Sprintf("seed %d, data %.8s", s.seed, set.SHA256)
	if s.quick {
		extra += ", quick"
	}
	return cell{set: set.Name, split: split, method: m.name, extra: extra}
}

// measure computes the unfinished cells.
func (s settings) measure(ctx context.Context, r *results, sets []*dataset.Set, progress io.Writer) error {
	type job struct {
		set  *dataset.Set
		m    method
		at   int
		fold validation.Fold
	}
	var jobs []job
	for _, set := range sets {
		folds, err := s.folds(set)
		if err != nil {
			return fmt.Errorf("%s: %w", set.Name, err)
		}
		for at, fold := range folds {
			for _, m := range methods {
				if !m.applies(set) || !slices.Contains(s.methods, m.name) {
					continue
				}
				if _, ok := r.done[s.cell(set, m, at)]; !ok {
					jobs = append(jobs, job{set, m, at, fold})
				}
			}
		}
	}
	bar := progressbar.New(progress, "fits", len(jobs))
	err := parallel.ForEach(ctx, s.workers, len(jobs), func(i int) error {
		j := jobs[i]
		t, err := prepare(ctx, j.set, j.fold, s.quick)
		if err != nil {
			return fmt.Errorf("%s: %w", j.set.Name, err)
		}
		t.seed = s.seed + 1000*uint64(j.at)
		begin := time.Now()
		v, err := j.m.fit(ctx, t)
		if err != nil {
			return fmt.Errorf("%s, split %d, %s: %w", j.set.Name, j.at, j.m.name, err)
		}
		v["seconds"] = time.Since(begin).Seconds()
		bar.Add(1)
		return r.put(s.cell(j.set, j.m, j.at), v)
	})
	if err != nil {
		return err
	}
	bar.Finish()
	return nil
}
