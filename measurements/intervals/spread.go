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
	"gonum.org/v1/gonum/stat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/conformal"
	"github.com/kernelearn/kernelearn/internal/dataset"
)

const (
	spreadLevel = 0.9
	spreadSets  = "abalone,california-housing,airquality"
)

// spreadWays lists methods with and without a fitted spread. The interval widths of the first method determine the third of each
// row.
var spreadWays = []way{
	{"CV+, spread", spreading(conformal.CrossValidation)},
	{"CV+", wrapped(conformal.CrossValidation, false)},
	{"split, spread", spreading(conformal.Split)},
	{"split", wrapped(conformal.Split, false)},
	{"full", wrapped(conformal.Full, false)},
}

func spreading(m conformal.Method) func(seed uint64) estimators.Regressor {
	return func(seed uint64) estimators.Regressor {
		return &conformal.Regressor{Estimator: learner(), Spread: learner(), Method: m, Seed: seed}
	}
}

// funnel draws a wave whose noise grows tenfold from left to right. Two further columns do not affect the noise.
func funnel(n int, seed uint64) *dataset.Set {
	rng := rand.New(rand.NewPCG(seed, 0x66756e))
	x, y := mat.NewDense(n, 3, nil), make([]float64, n)
	for i := range y {
		row := x.RawRowView(i)
		for j := range row {
			row[j] = rng.Float64()
		}
		y[i] = math.Sin(6*row[0]) + row[1] + 0.1*math.Pow(10, row[0])*rng.NormFloat64()
	}
	return &dataset.Set{Name: "generated", X: x, Y: y}
}

// thirds holds the coverage and width for thirds of the test rows, which are grouped by their predicted spread.
type thirds [3]held

// measureSpread measures the coverage and width on the splits of a set.
func (s settings) measureSpread(ctx context.Context, set *dataset.Set, done func()) (rows int, out []thirds, err error) {
	out = make([]thirds, len(spreadWays))
	n, _ := set.X.Dims()
	test := n / 4
	rows = min(n-test, s.rows)
	for split := range s.splits {
		order := rand.New(rand.NewPCG(s.seed+uint64(split), 0x696e74)).Perm(n)
		train, at := order[test:test+rows], order[:test]
		x, z, err := dataset.Impute(rowsOf(set.X, train), rowsOf(set.X, at))
		if err != nil {
			return 0, nil, err
		}
		y, targets := pick(set.Y, train), pick(set.Y, at)
		scale := stat.StdDev(y, nil)
		var third []int // of each test row
		for i, w := range spreadWays {
			r := w.build(s.seed + uint64(split))
			if err := r.Fit(ctx, x, y); err != nil {
				return 0, nil, fmt.Errorf("%s: %w", w.name, err)
			}
			low, high, err := r.(estimators.IntervalPredictor).PredictInterval(z, spreadLevel)
			if err != nil {
				return 0, nil, fmt.Errorf("%s: %w", w.name, err)
			}
			if third == nil {
				third = thirdsOf(low, high)
			}
			for j := range low {
				out[i][third[j]].add(low[j:j+1], high[j:j+1], targets[j:j+1], scale)
			}
		}
		done()
	}
	return rows, out, nil
}

// thirdsOf returns the third of each row, from 0. The rows are sorted by the width of their intervals.
func thirdsOf(low, high []float64) []int {
	order := make([]int, len(low))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if d := (high[a] - low[a]) - (high[b] - low[b]); d < 0 {
			return -1
		} else if d > 0 {
			return 1
		}
		return 0
	})
	out := make([]int, len(low))
	for k, i := range order {
		out[i] = 3 * k / len(order)
	}
	return out
}

// printSpread writes the coverage and the mean width in each third, and over all rows.
func printSpread(out io.Writer, name string, rows int, all []thirds) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(table, "%s, %d rows\tquiet\twidth\tmiddle\twidth\tnoisy\twidth\tall\twidth\t\n", name, rows)
	for i, w := range spreadWays {
		fmt.Fprintf(table, "%s\t", w.name)
		var total held
		for _, h := range all[i] {
			fmt.Fprintf(table, "%.3f\t%.2f\t", h.coverage(), stat.Mean(h.width, nil))
			total.within, total.of, total.width = total.within+h.within, total.of+h.of, append(total.width, h.width...)
		}
		fmt.Fprintf(table, "%.3f\t%.2f\t\n", total.coverage(), stat.Mean(total.width, nil))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(out)
	return err
}

// compareSpread prints the measurements of the generated set and of the sets in -data.
func (s settings) compareSpread(ctx context.Context, out io.Writer, sets []*dataset.Set, done func()) error {
	for _, set := range append([]*dataset.Set{funnel(2000, s.seed)}, sets...) {
		rows, all, err := s.measureSpread(ctx, set, done)
		if err != nil {
			return fmt.Errorf("%s: %w", set.Name, err)
		}
		if err := printSpread(out, set.Name, rows, all); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(out, "Share of test rows within intervals of %.0f%%, and mean width over the deviation of the training targets, in thirds of the test rows by the width of "+
		"%s.\n", 100*spreadLevel, spreadWays[0].name)
	return err
}
