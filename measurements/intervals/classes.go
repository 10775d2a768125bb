package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"text/tabwriter"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/conformal"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/internal/dataset"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// setMethod is a method that predicts sets of classes with the same learner.
type setMethod struct {
	name  string
	build func(seed uint64) estimators.Classifier
	sets  func(c estimators.Classifier, x mat.Matrix, level float64) ([][]int, error)
}

func classLearner() estimators.Classifier {
	return &pipeline.Classifier{Steps: []transformers.Transformer{&scalers.StandardScaler{}}, Final: &lssvm.Classifier{}}
}

func wrappedSets(m conformal.Method, score conformal.Score) setMethod {
	return setMethod{build: func(seed uint64) estimators.Classifier {
		return &conformal.Classifier{Estimator: classLearner(), Method: m, Score: score, Seed: seed}
	}, sets: func(c estimators.Classifier, x mat.Matrix, level float64) ([][]int, error) {
		return c.(estimators.SetPredictor).PredictSet(x, level)
	}}
}

func (m setMethod) named(name string) setMethod {
	m.name = name
	return m
}

var setMethods = []setMethod{
	{"probabilities", func(uint64) estimators.Classifier { return classLearner() }, believed},
	wrappedSets(conformal.Automatic, conformal.LeastAmbiguous).named("conformal"),
	wrappedSets(conformal.CrossValidation, conformal.LeastAmbiguous).named("CV"),
	wrappedSets(conformal.CrossValidation, conformal.Adaptive).named("CV, adaptive"),
	wrappedSets(conformal.Split, conformal.LeastAmbiguous).named("split"),
	wrappedSets(conformal.Split, conformal.RegularisedAdaptive).named("split, regularised"),
}

// believed returns the smallest sets of classes whose predicted probabilities sum to at least the level.
func believed(c estimators.Classifier, x mat.Matrix, level float64) ([][]int, error) {
	p, err := c.(estimators.ProbaPredictor).PredictProba(x)
	if err != nil {
		return nil, err
	}
	n, k := p.Dims()
	out, names := make([][]int, n), c.Classes()
	order := make([]int, k)
	for i := range n {
		row := p.RawRowView(i)
		for j := range order {
			order[j] = j
		}
		slices.SortStableFunc(order, func(a, b int) int {
			if row[a] > row[b] {
				return -1
			} else if row[a] < row[b] {
				return 1
			}
			return 0
		})
		for sum, j := 0.0, 0; j < k && sum < level; j++ {
			sum += row[order[j]]
			out[i] = append(out[i], names[order[j]])
		}
	}
	return out, nil
}

// inSets counts the rows and classes in the sets of a method and a level, over all splits.
type inSets struct{ within, of, classes int }

func (h *inSets) add(sets [][]int, labels []int) {
	for i, set := range sets {
		h.of++
		h.classes += len(set)
		if slices.Contains(set, labels[i]) {
			h.within++
		}
	}
}

func (h inSets) coverage() float64 { return float64(h.within) / float64(h.of) }

// measuredSets holds the counts of a data set, by method and level.
type measuredSets struct {
	name          string
	rows, classes int
	in            [][]inSets
}

// leastOfClass is the smallest number of training rows of a class. Smaller classes are left out, because their coverage is not
// informative.
const leastOfClass = 10

// measureSets measures the coverage on the splits of a set, which are by class.
func (s settings) measureSets(ctx context.Context, set *dataset.Set, done func()) (measuredSets, error) {
	out := measuredSets{name: set.Name, in: make([][]inSets, len(setMethods))}
	for i := range out.in {
		out.in[i] = make([]inSets, len(levels))
	}
	for split := range s.splits {
		train, test := s.byClass(set.Labels, s.seed+uint64(split))
		x, z, err := dataset.Impute(rowsOf(set.X, train), rowsOf(set.X, test))
		if err != nil {
			return out, err
		}
		labels, truth := pick(set.Labels, train), pick(set.Labels, test)
		out.rows, out.classes = len(train), len(slices.Compact(slices.Sorted(slices.Values(labels))))
		for i, w := range setMethods {
			c := w.build(s.seed + uint64(split))
			if err := c.Fit(ctx, x, labels); err != nil {
				return out, fmt.Errorf("%s: %w", w.name, err)
			}
			for j, level := range levels {
				sets, err := w.sets(c, z, level)
				if err != nil {
					return out, fmt.Errorf("%s: %w", w.name, err)
				}
				out.in[i][j].add(sets, truth)
			}
		}
		done()
	}
	return out, nil
}

// byClass assigns three quarters of each class to training, but not more than -rows in total. Classes with too few rows are in
// neither part.
func (s settings) byClass(labels []int, seed uint64) (train, test []int) {
	of := map[int][]int{}
	for _, i := range rand.New(rand.NewPCG(seed, 0x736574)).Perm(len(labels)) {
		of[labels[i]] = append(of[labels[i]], i)
	}
	share := min(.75, float64(s.rows)/float64(len(labels)))
	for _, label := range slices.Sorted(func(yield func(int) bool) {
		for l := range of {
			if !yield(l) {
				return
			}
		}
	}) {
		rows := of[label]
		if len(rows)*3/4 < leastOfClass {
			continue
		}
		at := max(leastOfClass, int(math.Round(share*float64(len(rows)))))
		train = append(train, rows[:at]...)
		test = append(test, rows[max(at, len(rows)*3/4):]...)
	}
	return train, test
}

// printSets writes the coverage and the mean number of classes for each method and level. The stars have the same meaning as in
// print.
func printSets(out io.Writer, all []measuredSets) error {
	for j, level := range levels {
		table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
		fmt.Fprintf(table, "%.0f%%: set\trows\tclasses\t", 100*level)
		for _, w := range setMethods {
			fmt.Fprintf(table, "%s\tsize\t", w.name)
		}
		fmt.Fprintln(table)
		total, short := make([]inSets, len(setMethods)), make([]int, len(setMethods))
		for _, m := range all {
			fmt.Fprintf(table, "%s\t%d\t%d\t", m.name, m.rows, m.classes)
			for i := range setMethods {
				h, mark := m.in[i][j], ""
				if h.coverage() < least(level, h.of) {
					mark = "*"
					short[i]++
				}
				fmt.Fprintf(table, "%.3f%s\t%.2f\t", h.coverage(), mark, float64(h.classes)/float64(h.of))
				total[i].within, total[i].of = total[i].within+h.within, total[i].of+h.of
			}
			fmt.Fprintln(table)
		}
		fmt.Fprint(table, "all\t\t\t")
		for i := range setMethods {
			fmt.Fprintf(table, "%.3f\t%d short\t", total[i].coverage(), short[i])
		}
		fmt.Fprintln(table)
		if err := table.Flush(); err != nil {
			return err
		}
		fmt.Fprintln(out)
	}
	_, err := fmt.Fprintln(out,
		"Share of test rows whose class is in the set, and mean number of classes in it. *: more than two binomial standard errors short.")
	return err
}
