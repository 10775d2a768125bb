package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"text/tabwriter"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/conformal"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/internal/dataset"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// levels are the levels of the tables.
var levels = []float64{0.8, 0.9, 0.95}

// way is a method that predicts intervals with the same learner.
type way struct {
	name  string
	build func(seed uint64) estimators.Regressor
}

func learner() estimators.Regressor {
	return &pipeline.Regressor{Steps: []transformers.Transformer{&scalers.StandardScaler{}}, Final: &lssvm.Regressor{}}
}

func wrapped(m conformal.Method, same bool) func(seed uint64) estimators.Regressor {
	return func(seed uint64) estimators.Regressor {
		return &conformal.Regressor{Estimator: learner(), Method: m, SameRows: same, Seed: seed}
	}
}

var methods = []way{
	{"normal", func(uint64) estimators.Regressor { return learner() }},
	{"conformal", wrapped(conformal.Automatic, false)},
	{"full, same rows", wrapped(conformal.Full, true)},
	{"jackknife+", wrapped(conformal.JackknifePlus, false)},
	{"CV+", wrapped(conformal.CrossValidation, false)},
	{"split", wrapped(conformal.Split, false)},
}

// held counts the rows inside the intervals of a method and a level, over all splits.
type held struct {
	within, of, infinite int
	width                []float64 // finite widths, divided by the deviation of the targets
}

func (h *held) add(low, high, y []float64, scale float64) {
	for i, v := range y {
		h.of++
		if low[i] <= v && v <= high[i] {
			h.within++
		}
		if w := (high[i] - low[i]) / scale; math.IsInf(w, 0) {
			h.infinite++
		} else {
			h.width = append(h.width, w)
		}
	}
}

func (h *held) coverage() float64 { return float64(h.within) / float64(h.of) }

// measured holds the counts of a set, by method and level.
type measured struct {
	name string
	rows int // training rows
	test int // test rows of a split
	held [][]held
}

// least returns the coverage that is two binomial standard errors below a level, for the given number of rows.
func least(level float64, rows int) float64 {
	return level - 2*math.Sqrt(level*(1-level)/float64(rows))
}

// names returns the names of the methods in the table.
func (s settings) names() []string {
	var out []string
	for _, w := range methods {
		out = append(out, w.name)
	}
	if s.python != "" {
		out = append(out, peerMethods...)
	}
	return out
}

// measure measures the coverage on the splits of a set.
func (s settings) measure(ctx context.Context, set *dataset.Set, done func()) (measured, error) {
	n, _ := set.X.Dims()
	test := n / 4
	out := measured{name: set.Name, rows: min(n-test, s.rows), test: test, held: make([][]held, len(s.names()))}
	for i := range out.held {
		out.held[i] = make([]held, len(levels))
	}
	for split := range s.splits {
		order := rand.New(rand.NewPCG(s.seed+uint64(split), 0x696e74)).Perm(n)
		train, at := order[test:test+out.rows], order[:test]
		x, z, err := dataset.Impute(rowsOf(set.X, train), rowsOf(set.X, at))
		if err != nil {
			return out, err
		}
		y, targets := pick(set.Y, train), pick(set.Y, at)
		scale := stat.StdDev(y, nil)
		for i, w := range methods {
			r := w.build(s.seed + uint64(split))
			if err := r.Fit(ctx, x, y); err != nil {
				return out, fmt.Errorf("%s: %w", w.name, err)
			}
			for j, level := range levels {
				low, high, err := r.(estimators.IntervalPredictor).PredictInterval(z, level)
				if err != nil {
					return out, fmt.Errorf("%s: %w", w.name, err)
				}
				out.held[i][j].add(low, high, targets, scale)
			}
		}
		for i := len(methods); i < len(out.held); i++ {
			got, err := s.runPeer(ctx, peerMethods[i-len(methods)], x, y, z, s.seed+uint64(split))
			if err != nil {
				return out, err
			}
			for j := range levels {
				out.held[i][j].add(got.low[j], got.high[j], targets, scale)
			}
		}
		done()
	}
	return out, nil
}

func rowsOf(x *mat.Dense, rows []int) *mat.Dense {
	_, d := x.Dims()
	out := mat.NewDense(len(rows), d, nil)
	for i, row := range rows {
		out.SetRow(i, x.RawRowView(row))
	}
	return out
}

func pick[T any](v []T, rows []int) []T {
	out := make([]T, len(rows))
	for i, row := range rows {
		out[i] = v[row]
	}
	return out
}

// print writes the coverage and the mean width for each method and level. A star marks a coverage that is more than two binomial
// standard errors below the level. The standard errors treat the test rows of all splits as different rows. The splits of a set
// share rows, so the true standard errors are larger.
func print(out io.Writer, names []string, all []measured) error {
	for j, level := range levels {
		table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
		fmt.Fprintf(table, "%.0f%%: set\trows\t", 100*level)
		for _, name := range names {
			fmt.Fprintf(table, "%s\twidth\t", name)
		}
		fmt.Fprintln(table)
		total, short := make([]held, len(names)), make([]int, len(names))
		for _, m := range all {
			fmt.Fprintf(table, "%s\t%d\t", m.name, m.rows)
			for i := range names {
				h := m.held[i][j]
				mark := ""
				if h.coverage() < least(level, h.of) {
					mark = "*"
					short[i]++
				}
				width := fmt.Sprintf("%.3f", stat.Mean(h.width, nil))
				if h.infinite > 0 {
					width = "infinite"
				}
				fmt.Fprintf(table, "%.3f%s\t%s\t", h.coverage(), mark, width)
				total[i].within, total[i].of = total[i].within+h.within, total[i].of+h.of
			}
			fmt.Fprintln(table)
		}
		fmt.Fprint(table, "all\t\t")
		for i := range names {
			fmt.Fprintf(table, "%.3f\t%d short\t", total[i].coverage(), short[i])
		}
		fmt.Fprintln(table)
		if err := table.Flush(); err != nil {
			return err
		}
		fmt.Fprintln(out)
	}
	_, err := fmt.Fprintln(out,
		"Share of test rows within, and mean width over the deviation of the training targets. *: more than two binomial standard "+
			"errors short.")
	return err
}
