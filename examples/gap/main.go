// Gap fits each estimator that has intervals, with default settings, to 120 points of y = sin t + .3 sin 3.1 t, with noise of
// standard deviation .15. The points have t in [0, 12], but none lies between 6 and 8. The program prints how often the 95%
// intervals contain new observations among the points, in the region without points, and beyond the last point, up to 13. It also
// prints the widths of the intervals there, and the median error of the mean at t = 12.9.
package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/conformal"
	"github.com/kernelearn/kernelearn/estimators/falkon"
	"github.com/kernelearn/kernelearn/estimators/gabasr"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/estimators/rvm"
	"github.com/kernelearn/kernelearn/internal/cli"
	"github.com/kernelearn/kernelearn/internal/progressbar"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
)

type learner struct {
	name string
	make func(seed uint64) estimators.Regressor
}

var learners = []learner{
	{"lssvm", func(uint64) estimators.Regressor { return &lssvm.Regressor{} }},
	{"rvm", func(uint64) estimators.Regressor { return &rvm.Regressor{} }},
	{"gabasr", func(seed uint64) estimators.Regressor { return &gabasr.Regressor{Seed: seed} }},
	{"falkon", func(seed uint64) estimators.Regressor { return &falkon.Regressor{Seed: seed} }},
	{"Nystroem, ridge", func(seed uint64) estimators.Regressor {
		return &pipeline.Regressor{Steps: []transformers.Transformer{&featuremap.Nystroem{Components: 60, Seed: seed}},
			Final: &ridge.Regressor{}}
	}},
	{"RandomFourier, ridge", func(seed uint64) estimators.Regressor {
		return &pipeline.Regressor{Steps: []transformers.Transformer{&featuremap.RandomFourier{Components: 200, Seed: seed}},
			Final: &ridge.Regressor{}}
	}},
	{"conformal, lssvm", func(seed uint64) estimators.Regressor {
		return &conformal.Regressor{Estimator: &lssvm.Regressor{}, Seed: seed}
	}},
	{"selection", func(uint64) estimators.Regressor { return &selection.Regressor{} }},
}

func truth(t float64) float64 { return math.Sin(t) + .3*math.Sin(3.1*t) }

const deviation = .15

// points returns n noisy points in [0, 6] and [8, 12].
func points(rng *rand.Rand, n int) (*mat.Dense, []float64) {
	x, y := mat.NewDense(n, 1, nil), make([]float64, n)
	for i := range y {
		t := 10 * rng.Float64()
		if t > 6 {
			t += 2
		}
		x.Set(i, 0, t)
		y[i] = truth(t) + deviation*rng.NormFloat64()
	}
	return x, y
}

// rowsWithin returns n points between from and to, with noise.
func rowsWithin(rng *rand.Rand, n int, from, to float64) (*mat.Dense, []float64) {
	x, y := mat.NewDense(n, 1, nil), make([]float64, n)
	for i := range y {
		x.Set(i, 0, from+(to-from)*rng.Float64())
		y[i] = truth(x.At(i, 0)) + deviation*rng.NormFloat64()
	}
	return x, y
}

// held returns the share of y that lies within the intervals, and the intervals' mean width.
func held(e estimators.Regressor, x *mat.Dense, y []float64) (share, width float64, err error) {
	low, high, err := e.(estimators.IntervalPredictor).PredictInterval(x, .95)
	if err != nil {
		return 0, 0, err
	}
	for i, v := range y {
		if v >= low[i] && v <= high[i] {
			share += 1 / float64(len(y))
		}
		width += (high[i] - low[i]) / float64(len(y))
	}
	return share, width, nil
}

func main() { cli.Main("gap", run) }

func run(ctx context.Context, args []string, out, progress io.Writer) error {
	flags := cli.NewFlags("gap",
		"gap measures how often 95% intervals contain new observations: among the points of a fit, between them, and beyond them.", out)
	first := flags.Uint64("first", 1, "the first seed")
	seeds := flags.Uint64("seeds", 20, "sets of points, each of a seed")
	only := flags.String("only", "", "the `name` of a single estimator; empty: all of them")
	flags.AtLeast(1, "seeds")
	if err := flags.Parse(args); err != nil {
		return err
	}
	chosen := learners
	if *only != "" {
		at := slices.IndexFunc(learners, func(l learner) bool { return l.name == *only })
		if at < 0 {
			return fmt.Errorf("-only %s: no such estimator", *only)
		}
		chosen = learners[at : at+1]
	}
	bar := progressbar.New(progress, "fits", len(chosen)*int(*seeds))
	var table strings.Builder // the table is printed after the progress bar
	fmt.Fprintf(&table, "%-21s %6s %6s %6s   %6s %6s %6s   %10s %10s\n", "estimator", "points", "gap", "beyond", "width", "in gap",
		"beyond",
		"at 12.9", "worst")
	for _, l := range chosen {
		var shares, widths [3]float64
		var errors []float64
		for seed := *first; seed < *first+*seeds; seed++ {
			rng := rand.New(rand.NewPCG(seed, 28))
			x, y := points(rng, 120)
			e := l.make(seed)
			if err := e.Fit(ctx, x, y); err != nil {
				return fmt.Errorf("%s, seed %d: %w", l.name, seed, err)
			}
			for k, make := range []func() (*mat.Dense, []float64){
				func() (*mat.Dense, []float64) { return points(rng, 200) },
				func() (*mat.Dense, []float64) { return rowsWithin(rng, 200, 6, 8) },
				func() (*mat.Dense, []float64) { return rowsWithin(rng, 200, 12, 13) },
			} {
				tx, ty := make()
				share, width, err := held(e, tx, ty)
				if err != nil {
					return fmt.Errorf("%s, seed %d: %w", l.name, seed, err)
				}
				shares[k] += share / float64(*seeds)
				widths[k] += width / float64(*seeds)
			}
			mean, err := e.Predict(mat.NewDense(1, 1, []float64{12.9}))
			if err != nil {
				return err
			}
			errors = append(errors, math.Abs(mean[0]-truth(12.9)))
			bar.Add(1)
		}
		slices.Sort(errors)
		median := (errors[(len(errors)-1)/2] + errors[len(errors)/2]) / 2
		fmt.Fprintf(&table, "%-21s %6.3f %6.3f %6.3f   %6.2f %6.2f %6.2f   %10.2f %10.2f\n", l.name, shares[0], shares[1], shares[2],
			widths[0],
			widths[1], widths[2], median, errors[len(errors)-1])
	}
	bar.Finish()
	_, err := fmt.Fprint(out, table.String())
	return err
}
