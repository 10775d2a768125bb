// Calibration measures whether the class probabilities of classifiers agree with observed frequencies, with and without package
// calibration. It also draws reliability diagrams.
//
//	go run -C measurements ./calibration -out ../docs/measured
//	go run -C measurements ./calibration -data DIR -splits 5
//	go run -C measurements ./calibration -data DIR -second DIR2 -classifiers lssvm
//
// Without -data the rows are drawn from two classes that overlap. With -data, all classification sets in DIR are split 75/25 by
// rows. Columns are standardised, missing values are replaced with the training median, and there are at most -rows training rows.
// The output contains the means of the log loss, the Brier score, and the expected calibration error of the most probable class in
// ten bins. For each method, it also contains the number of sets on which the method has the smallest log loss for its classifier, and
// the geometric mean of its log loss divided by that of the raw probabilities.
package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	_ "github.com/kernelearn/kernelearn/adapters/simdblas" // a faster BLAS for the program
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/calibration"
	"github.com/kernelearn/kernelearn/estimators/eem"
	"github.com/kernelearn/kernelearn/estimators/elm"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/rvm"
	"github.com/kernelearn/kernelearn/estimators/svm"
	"github.com/kernelearn/kernelearn/internal/cli"
	"github.com/kernelearn/kernelearn/internal/dataset"
	"github.com/kernelearn/kernelearn/internal/progressbar"
	"github.com/kernelearn/kernelearn/measurements/internal/collection"
	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

const (
	pictured   = "calibration.png"
	leastRows  = 20
	drawnRows  = 1000
	drawnTest  = 20_000
	drawnWidth = 4
)

// learner is a classifier without calibration.
type learner struct {
	name string
	make func() estimators.Classifier
}

var learners = []learner{
	{"lssvm", func() estimators.Classifier { return &lssvm.Classifier{} }},
	{"svm", func() estimators.Classifier { return &svm.Classifier{Probabilities: true} }},
	{"rvm", func() estimators.Classifier { return &rvm.Classifier{} }},
	{"eem", func() estimators.Classifier { return &eem.KernelClassifier{} }},
	{"elm", func() estimators.Classifier { return &elm.Classifier{Ridge: 1} }},
}

// ways holds the names of the columns of results: the raw probabilities, and the probabilities of each calibration method.
var ways = []string{"raw", "temperature", "Platt", "isotonic", "automatic"}

func wrap(way int, c estimators.Classifier, seed uint64) estimators.Classifier {
	if way == 0 {
		return c
	}
	methods := []calibration.Method{calibration.Temperature, calibration.Platt, calibration.Isotonic, calibration.Automatic}
	return &calibration.Classifier{Estimator: c, Method: methods[way-1], Seed: seed}
}

// has reports whether a classifier returns probabilities. elm returns none without calibration.
func has(way int, c estimators.Classifier) bool {
	return way > 0 || estimators.Supports(c, estimators.Proba)
}

func main() { cli.Main("calibration", run) }

func run(ctx context.Context, args []string, out, progress io.Writer) error {
	flags := cli.NewFlags("calibration",
		"calibration measures whether the probabilities of classifiers come true, and draws reliability diagrams.", out)
	dir := flags.String("data", "", "`folder` of CSV files; empty: rows are drawn")
	pictures := flags.String("out", "", "`folder` for the picture of drawn rows, "+pictured+"; empty: none is drawn")
	second := flags.String("second", "", "`folder` of the sets of the second collection, which join those of -data")
	names := flags.String("classifiers", "", "a comma-separated `list` of classifiers; empty: all")
	splits := flags.Int("splits", 5, "splits 75/25 of a set")
	rows := flags.Int("rows", drawnRows, "training rows at most")
	seed := flags.Uint64("seed", 1, "of splits and draws")
	flags.AtLeast(1, "splits")
	flags.AtLeast(leastRows, "rows")
	flags.Reads("data", "second")
	flags.Writes("out")
	if err := flags.Parse(args); err != nil {
		return err
	}
	of, err := chosen(*names)
	if err != nil {
		return err
	}
	all, err := sets(*dir, *second, *rows)
	if err != nil {
		return err
	}
	bar := progressbar.New(progress, "splits", len(all)**splits)
	var results []result
	for _, s := range all {
		r, err := measure(ctx, s, of, *splits, *seed, func() { bar.Add(1) })
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		results = append(results, r)
	}
	bar.Finish()
	if err := print(out, of, results); err != nil || *pictures == "" {
		return err
	}
	path := filepath.Join(*pictures, pictured)
	if err := diagram(ctx, path, drawn(*rows), of, *seed); err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, "picture:", path)
	return err
}

// chosen returns the learners with the given names, or all.
func chosen(names string) (of []learner, err error) {
	if names == "" {
		return learners, nil
	}
	for _, name := range strings.Split(names, ",") {
		i := slices.IndexFunc(learners, func(l learner) bool { return l.name == name })
		if i < 0 {
			return nil, fmt.Errorf("-classifiers: there is no %q", name)
		}
		of = append(of, learners[i])
	}
	return of, nil
}

// sets reads the classification sets of the two folders. Without folders it returns a set that is drawn.
func sets(first, second string, rows int) (all []set, err error) {
	if first == "" && second == "" {
		return []set{drawn(rows)}, nil
	}
	add := func(dir, name string, open func(dir, name string) (*dataset.Set, error)) error {
		if dir == "" || !dataset.Exists(dir, name) {
			return nil
		}
		s, err := open(dir, name)
		if err == nil && s.Classes != nil {
			all = append(all, read(s, rows))
		}
		return err
	}
	for _, p := range dataset.Protocols() {
		if err := add(first, p.Name, dataset.Open); err != nil {
			return nil, err
		}
	}
	for _, s := range collection.Second() {
		if err := add(second, s.Name, dataset.OpenByRule); err != nil {
			return nil, err
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("-data %q, -second %q: there is no classification set", first, second)
	}
	return all, nil
}

// part holds rows and labels.
type part struct {
	x      *mat.Dense
	labels []int
}

// set is a source of training and test rows.
type set struct {
	name    string
	classes int
	draw    func(seed uint64) (train, test part, err error)
}

// drawn returns a set of two overlapping classes that consist of three clusters each.
func drawn(rows int) set {
	return set{"two overlapping classes", 2, func(seed uint64) (part, part, error) {
		x, labels := dataset.Clusters(rows+drawnTest, drawnWidth, 2, 3, 1, seed)
		return part{x.Slice(0, rows, 0, drawnWidth).(*mat.Dense), labels[:rows]},
			part{x.Slice(rows, rows+drawnTest, 0, drawnWidth).(*mat.Dense),
				labels[rows:]}, nil
	}}
}

// leastOfClass is the smallest number of training rows of a class. Smaller classes are left out.
const leastOfClass = 10

func read(s *dataset.Set, rows int) set {
	return set{s.Name, len(s.Classes), func(seed uint64) (train, test part, err error) {
		n, _ := s.X.Dims()
		order := rand.New(rand.NewPCG(seed, 0x63616c)).Perm(n)
		at, from := order[:n/4], order[n/4:]
		from = from[:min(len(from), rows)]
		count := map[int]int{}
		for _, i := range from {
			count[s.Labels[i]]++
		}
		often := func(rows []int) (out []int) {
			for _, i := range rows {
				if count[s.Labels[i]] >= leastOfClass {
					out = append(out, i)
				}
			}
			return out
		}
		train.x, _, train.labels = s.Rows(often(from))
		test.x, _, test.labels = s.Rows(often(at))
		train.x, test.x, err = dataset.Impute(train.x, test.x)
		return train, test, err
	}}
}

// scores holds the scores of predicted probabilities. Smaller is better.
type scores struct{ loss, brier, off float64 }

// result holds the mean scores on a set by learner and method.
type result struct {
	classes int
	at      [][]scores
}

func measure(ctx context.Context, s set, of []learner, splits int, seed uint64, done func()) (result, error) {
	out := result{classes: s.classes, at: make([][]scores, len(of))}
	for l := range of {
		out.at[l] = make([]scores, len(ways))
	}
	for split := range splits {
		for l, learner := range of {
			for w := range ways {
				if !has(w, learner.make()) {
					out.at[l][w].loss = math.Inf(1)
					continue
				}
				p, classes, truth, err := predicted(ctx, s, wrap(w, learner.make(), seed), seed+uint64(split))
				if err != nil {
					return out, fmt.Errorf("%s, %s: %w", learner.name, ways[w], err)
				}
				got, err := scored(truth, classes, p)
				if err != nil {
					return out, err
				}
				to := &out.at[l][w]
				to.loss += got.loss / float64(splits)
				to.brier += got.brier / float64(splits)
				to.off += got.off / float64(splits)
			}
		}
		done()
	}
	return out, nil
}

// predicted fits a classifier to the scaled training rows of a draw, and returns its probabilities for the test rows.
func predicted(ctx context.Context, s set, c estimators.Classifier, seed uint64) (p *mat.Dense, classes, truth []int, err error) {
	train, test, err := s.draw(seed)
	if err != nil {
		return nil, nil, nil, err
	}
	scaler := &scalers.StandardScaler{}
	if err := scaler.Fit(ctx, train.x); err != nil {
		return nil, nil, nil, err
	}
	x, err := scaler.Transform(train.x)
	if err != nil {
		return nil, nil, nil, err
	}
	z, err := scaler.Transform(test.x)
	if err != nil {
		return nil, nil, nil, err
	}
	if err := c.Fit(ctx, x, train.labels); err != nil {
		return nil, nil, nil, err
	}
	p, err = c.(estimators.ProbaPredictor).PredictProba(z)
	return p, c.Classes(), test.labels, err
}

func scored(truth, classes []int, p *mat.Dense) (out scores, err error) {
	if out.loss, err = metrics.LogLoss(truth, classes, p, nil); err != nil {
		return out, err
	}
	if out.brier, err = metrics.Brier(truth, classes, p, nil); err != nil {
		return out, err
	}
	bins, err := ofTop(truth, classes, p)
	if err != nil {
		return out, err
	}
	out.off = metrics.CalibrationError(bins)
	return out, nil
}

// ofTop compares the probability of the most probable class with the frequency at which that class is right.
func ofTop(truth, classes []int, p *mat.Dense) ([]metrics.Bin, error) {
	top, right := make([]float64, len(truth)), make([]int, len(truth))
	for i := range truth {
		best := 0
		for k, v := range p.RawRowView(i) {
			if v > p.At(i, best) {
				best = k
			}
		}
		top[i] = p.At(i, best)
		if classes[best] == truth[i] {
			right[i] = 1
		}
	}
	return metrics.Calibration(right, 1, top, 0, metrics.EqualCount)
}

// print writes means over the sets, on how many sets a method has the least log loss, and the geometric mean of its log loss divided by
// that of the raw probabilities, for sets of two classes and of more.
func print(out io.Writer, of []learner, all []result) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "classifier\tprobabilities\tlog loss\tBrier\tcalibration error\tleast log loss on\tratio, two classes\tmore\t")
	for l, learner := range of {
		for w, way := range ways {
			if !has(w, learner.make()) {
				continue
			}
			var mean scores
			least := 0
			var two, more []float64 // logarithms of ratios
			for _, r := range all {
				got := r.at[l][w]
				ratio := math.Log(got.loss / r.at[l][0].loss)
				if r.classes == 2 {
					two = append(two, ratio)
				} else {
					more = append(more, ratio)
				}
				mean.loss += got.loss / float64(len(all))
				mean.brier += got.brier / float64(len(all))
				mean.off += got.off / float64(len(all))
				lowest := math.Inf(1)
				for v := range ways {
					lowest = min(lowest, r.at[l][v].loss)
				}
				if got.loss <= lowest*(1+1e-9) {
					least++
				}
			}
			fmt.Fprintf(table, "%s\t%s\t%.4f\t%.4f\t%.4f\t%d of %d\t%s\t%s\t\n", learner.name, way, mean.loss, mean.brier, mean.off, least,
				len(all), geometric(two), geometric(more))
		}
	}
	return table.Flush()
}

// geometric returns the geometric mean of ratios, or "-" if there are none, as for a classifier without raw probabilities.
func geometric(logs []float64) string {
	mean := stat.Mean(logs, nil)
	if len(logs) == 0 || math.IsInf(mean, 0) {
		return "-"
	}
	return fmt.Sprintf("%.3f", math.Exp(mean))
}
