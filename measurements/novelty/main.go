// Novelty measures detectors on the classification sets of -data. The largest class of a set is the usual class. A detector is
// fitted to 70% of its rows, without labels. It scores the other rows of this class and the rows of all other classes. The command
// prints the area under the ROC curve of the scores for each set. Over all sets it prints the share of usual test rows that are
// flagged as novel at level 0.05. Missing values are replaced with the medians of the training rows.
//
// The settings of the detectors were chosen on some of the sets and seeds, which the table names. With -settled, the command
// measures on these sets and seeds, and otherwise on the others. -python adds scikit-learn's one-class SVM, local outlier factor
// and isolation forest, on the same rows.
//
//	go run -C measurements ./novelty
//	go run -C measurements ./novelty -data DIR
//	go run -C measurements ./novelty -data DIR -python python3
//	go run -C measurements ./novelty -data DIR -python python3 -settled
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	_ "github.com/kernelearn/kernelearn/adapters/simdblas" // a faster BLAS for the program
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/novelty"
	"github.com/kernelearn/kernelearn/estimators/svm"
	"github.com/kernelearn/kernelearn/internal/cli"
	"github.com/kernelearn/kernelearn/internal/dataset"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/measurements/internal/peer"
	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// settledSets and settledSeeds are the sets and seeds on which the scales of Density were chosen. The candidates were standard
// deviations, quartiles, and two forms of whitening. For each of them, the scales were either the same for all rows or larger where
// rows are rare.
var (
	settledSets  = []string{"banknote", "breast-cancer-wdbc", "diabetes-pima", "ecoli", "heart", "ionosphere", "sonar", "vehicle"}
	settledSeeds = []uint64{7, 8}
	judgedSeeds  = []uint64{1, 2, 3, 4, 5}
)

const (
	level      = 0.05
	trainShare = 0.7
	shippedSet = "breast-cancer-wdbc" // one of settledSets
	leastRows  = 40                   // least number of training rows of the usual class
)

// method is a detector, with the form of the columns that it requires.
type method struct {
	name   string
	build  func(columns int, seed uint64) estimators.Detector
	scaled bool // requires scaled columns
}

var ours = []method{
	{"novelty.Density", func(_ int, seed uint64) estimators.Detector { return &novelty.Density{Seed: seed} }, false},
	{"svm.OneClass", func(_ int, seed uint64) estimators.Detector { return &svm.OneClass{Seed: seed} }, true},
	{"svm.OneClass, RBF(1/d)", func(columns int, seed uint64) estimators.Detector {
		return &svm.OneClass{Kernel: kernels.RBF{Gamma: 1 / float64(columns)}, Seed: seed}
	}, true},
}

// theirs lists the methods of the script in the same order.
var theirs = []string{"OneClassSVM, nu = .05", "OneClassSVM, defaults", "LocalOutlierFactor", "IsolationForest"}

func main() { cli.Main("novelty", run) }

type settings struct {
	dir, python, script string
	sets                []string
	seeds               []uint64
	rows                int
}

func settingsOf(args []string, help io.Writer) (settings, error) {
	var s settings
	flags := cli.NewFlags("novelty", "novelty measures how well detectors find rows of classes that they have not seen.", help)
	flags.StringVar(&s.dir, "data", "", "`folder` of CSV files; empty: the set that the repository ships")
	flags.StringVar(&s.python, "python", "", "`program` that runs Python with scikit-learn; empty: without")
	flags.StringVar(&s.script, "script", filepath.Join("benchmark", "peers", "novelty.py"), "`file` of what it runs")
	names := flags.String("sets", "",
		"comma separated `names` of sets; empty: those of classes in -data, without those of -settled, or "+shippedSet+" without -data")
	settled := flags.Bool("settled", false, "the sets and seeds on which the detectors were settled")
	flags.IntVar(&s.rows, "rows", 1000, "rows to learn from at most, and half of it usual and other rows to tell apart")
	flags.AtLeast(leastRows, "rows")
	flags.Reads("data")
	flags.Runs("python", "script")
	if err := flags.Parse(args); err != nil {
		return s, err
	}
	s.seeds = judgedSeeds
	if *settled {
		s.seeds = settledSeeds
	}
	switch {
	case *names != "":
		s.sets = strings.Split(*names, ",")
	case *settled:
		s.sets = settledSets
	case s.dir == "":
		s.sets = []string{shippedSet}
	default:
		for _, p := range dataset.Protocols() {
			if p.Classes != nil && !slices.Contains(settledSets, p.Name) && dataset.Exists(s.dir, p.Name) {
				s.sets = append(s.sets, p.Name)
			}
		}
		slices.Sort(s.sets)
	}
	return s, nil
}

// trial holds the training rows and the test rows of a set. The usual rows come first in test.
type trial struct {
	train, test *mat.Dense
	usual       int
	seed        uint64
}

// trialOf draws a trial. ok is false if the largest class has too few rows.
func (s settings) trialOf(set *dataset.Set, seed uint64) (t trial, ok bool, err error) {
	counts := map[int]int{}
	for _, l := range set.Labels {
		counts[l]++
	}
	usual := 0
	for l, n := range counts {
		if best := counts[usual]; n > best || n == best && l < usual {
			usual = l
		}
	}
	var of, others []int
	for i, l := range set.Labels {
		if l == usual {
			of = append(of, i)
		} else {
			others = append(others, i)
		}
	}
	rng := rand.New(rand.NewPCG(seed, 0x6e6f76656c))
	rng.Shuffle(len(of), func(i, j int) { of[i], of[j] = of[j], of[i] })
	rng.Shuffle(len(others), func(i, j int) { others[i], others[j] = others[j], others[i] })
	n := min(s.rows, int(trainShare*float64(len(of))))
	if n < leastRows || len(others) == 0 {
		return t, false, nil
	}
	test := slices.Clone(of[n:min(len(of), n+s.rows/2)])
	t.usual, t.seed = len(test), seed
	test = append(test, others[:min(len(others), s.rows/2)]...)
	train, _, _ := set.Rows(of[:n])
	rows, _, _ := set.Rows(test)
	t.train, t.test, err = dataset.Impute(train, rows)
	return t, true, err
}

// verdict holds the scores of a method on a trial.
type verdict struct{ auc, flagged float64 }

func (t trial) judge(scores []float64, novel []bool) (v verdict, err error) {
	y := make([]int, len(scores))
	flagged := 0
	for i := range y {
		if i < t.usual {
			y[i] = 1
			if novel[i] {
				flagged++
			}
		}
	}
	v.flagged = float64(flagged) / float64(t.usual)
	v.auc, err = metrics.AUC(y, 1, scores, nil)
	return v, err
}

// measure fits one of our methods to the training rows, and returns its verdict from the test rows.
func (t trial) measure(ctx context.Context, m method) (verdict, error) {
	train, test := t.train, t.test
	if m.scaled {
		scaler := &scalers.StandardScaler{}
		err := scaler.Fit(ctx, t.train)
		if err == nil {
			train, err = scaler.Transform(t.train)
		}
		if err == nil {
			test, err = scaler.Transform(t.test)
		}
		if err != nil {
			return verdict{}, err
		}
	}
	_, columns := train.Dims()
	d := m.build(columns, t.seed)
	if err := d.Fit(ctx, train); err != nil {
		return verdict{}, err
	}
	scores, err := d.Score(test)
	if err != nil {
		return verdict{}, err
	}
	novel, err := d.Predict(test)
	if err != nil {
		return verdict{}, err
	}
	return t.judge(scores, novel)
}

// runPeers runs the script on a trial and returns the verdicts of its methods.
func (s settings) runPeers(ctx context.Context, t trial) (out []verdict, err error) {
	dir, err := os.MkdirTemp("", "novelty")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	f := peer.Folder(dir)
	for name, m := range map[string]*mat.Dense{"x": t.train, "xt": t.test} {
		if err := f.Write(name, m); err != nil {
			return nil, err
		}
	}
	cmd := exec.CommandContext(ctx, s.python, s.script, dir, strconv.FormatUint(t.seed, 10), strconv.FormatFloat(level, 'g', -1, 64))
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s %s: %w", s.python, s.script, err)
	}
	scores, err := f.Read("scores")
	if err != nil {
		return nil, err
	}
	flags, err := f.Read("novel")
	if err != nil {
		return nil, err
	}
	rows, _ := t.test.Dims()
	for _, m := range []*mat.Dense{scores, flags} {
		if r, c := m.Dims(); r != len(theirs) || c != rows {
			return nil, fmt.Errorf("%s: %d×%d, want %d methods × %d rows", s.script, r, c, len(theirs), rows)
		}
	}
	for k := range theirs {
		novel := make([]bool, rows)
		for i, v := range flags.RawRowView(k) {
			novel[i] = v > 0
		}
		v, err := t.judge(scores.RawRowView(k), novel)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
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
		if set.Labels == nil {
			return fmt.Errorf("%s has no classes", name)
		}
		sets = append(sets, set)
	}
	if len(sets) == 0 {
		return fmt.Errorf("-data %s: there is no set of classes but those of -settled", s.dir)
	}
	var names []string
	for _, m := range ours {
		names = append(names, m.name)
	}
	if s.python != "" {
		names = append(names, theirs...)
	}
	fmt.Fprintf(out, "| set | usual rows × columns | %s |\n|---|--:|%s\n", strings.Join(names, " | "), strings.Repeat("--:|", len(names)))
	means, flagged := make([][]float64, len(names)), make([][]float64, len(names))
	for _, set := range sets {
		name := set.Name
		auc, flags := make([]float64, len(names)), make([]float64, len(names))
		rows, columns := 0, 0
		for _, seed := range s.seeds {
			t, ok, err := s.trialOf(set, seed)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			if !ok {
				continue
			}
			rows, columns = t.train.Dims()
			var all []verdict
			for _, m := range ours {
				v, err := t.measure(ctx, m)
				if err != nil {
					return fmt.Errorf("%s, %s: %w", name, m.name, err)
				}
				all = append(all, v)
			}
			if s.python != "" {
				more, err := s.runPeers(ctx, t)
				if err != nil {
					return fmt.Errorf("%s: %w", name, err)
				}
				all = append(all, more...)
			}
			for k, v := range all {
				auc[k] += v.auc / float64(len(s.seeds))
				flags[k] += v.flagged / float64(len(s.seeds))
			}
		}
		if rows == 0 {
			fmt.Fprintf(progress, "%s: too few rows of the usual class\n", name)
			continue
		}
		fmt.Fprintf(out, "| %s | %d × %d |%s\n", name, rows, columns, bold(auc))
		for k := range names {
			means[k], flagged[k] = append(means[k], auc[k]), append(flagged[k], flags[k])
		}
	}
	if len(means[0]) == 0 {
		return errors.New("no set of classes with enough rows")
	}
	return summary(out, means, flagged)
}

// bold formats numbers, with the largest in bold.
func bold(values []float64) string {
	var b strings.Builder
	best := floats.Max(values)
	for _, v := range values {
		if v > best-5e-4 {
			fmt.Fprintf(&b, " **%.3f** |", v)
		} else {
			fmt.Fprintf(&b, " %.3f |", v)
		}
	}
	return b.String()
}

// summary prints the results over all sets.
func summary(out io.Writer, auc, flagged [][]float64) error {
	sets := len(auc[0])
	line := func(what string, of func(k int) string) {
		fmt.Fprintf(out, "| %s | |", what)
		for k := range auc {
			fmt.Fprintf(out, " %s |", of(k))
		}
		fmt.Fprintln(out)
	}
	line("mean area", func(k int) string { return fmt.Sprintf("%.3f", stat.Mean(auc[k], nil)) })
	line("mean rank", func(k int) string {
		sum := 0.0
		for i := range sets {
			for j := range auc {
				switch {
				case j == k:
					sum++
				case auc[j][i] > auc[k][i]:
					sum++
				case auc[j][i] == auc[k][i]:
					sum += 0.5
				}
			}
		}
		return fmt.Sprintf("%.2f", sum/float64(sets))
	})
	line("usual rows taken for novel, mean", func(k int) string { return fmt.Sprintf("%.3f", stat.Mean(flagged[k], nil)) })
	line("least and most of a set", func(k int) string {
		return fmt.Sprintf("%.2f – %.2f", floats.Min(flagged[k]), floats.Max(flagged[k]))
	})
	return nil
}
