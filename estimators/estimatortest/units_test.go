package estimatortest_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/conformal"
	"github.com/kernelearn/kernelearn/estimators/falkon"
	"github.com/kernelearn/kernelearn/estimators/gabasr"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/estimators/rvm"
	"github.com/kernelearn/kernelearn/estimators/svm"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/selection/entropy"
	"github.com/kernelearn/kernelearn/selection/shape"
)

// TestTargetUnitsOfAll runs the check target-units on noisier problems with more rows, where searches make more decisions. If a
// comparison uses a constant in the unit of the targets, a few of thirty problems reveal it.
func TestTargetUnitsOfAll(t *testing.T) {
	learnt := func(o shape.Objective) func() estimators.Regressor {
		return func() estimators.Regressor { return &selection.Regressor{Search: &shape.Search{Objective: o}} }
	}
	types := map[string]func() estimators.Regressor{
		"selection":                        func() estimators.Regressor { return &selection.Regressor{} },
		"selection, FullEvidence":          learnt(shape.FullEvidence),
		"selection, LeaveOneOutError":      learnt(shape.LeaveOneOutError),
		"selection, LeaveOneOutDensity":    learnt(shape.LeaveOneOutDensity),
		"selection, ComplexityRegularised": learnt(shape.ComplexityRegularised),
		"selection, entropy":               func() estimators.Regressor { return &selection.Regressor{Search: &entropy.Search{}} },
		"selection, GoldenSection":         func() estimators.Regressor { return &selection.Regressor{Search: &entropy.GoldenSection{}} },
		"rvm":                              func() estimators.Regressor { return &rvm.Regressor{} },
		"svm":                              func() estimators.Regressor { return &svm.Regressor{} },
		"gabasr":                           func() estimators.Regressor { return &gabasr.Regressor{} },
		"lssvm":                            func() estimators.Regressor { return &lssvm.Regressor{} },
		"falkon":                           func() estimators.Regressor { return &falkon.Regressor{} },
		"falkon, ConjugateGradients":       func() estimators.Regressor { return &falkon.Regressor{Solver: falkon.ConjugateGradients} },
		"ridge":                            func() estimators.Regressor { return &ridge.Regressor{} },
		"conformal":                        func() estimators.Regressor { return &conformal.Regressor{} },
	}
	sizes := []int{30, 80, 80, 80, 120, 300}
	if testing.Short() {
		sizes = sizes[:3]
	}
	for name, build := range types {
		t.Run(name, func(t *testing.T) {
			for seed, n := range sizes {
				if name == "gabasr" && seed > 2 {
					break // on one problem, the chains of gabasr make as many decisions as other searches on ten
				}
				rng := rand.New(rand.NewPCG(uint64(seed), 71))
				x, y := mat.NewDense(n, 3, nil), make([]float64, n)
				x.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, x)
				for i := range y {
					y[i] = math.Sin(2*x.At(i, 0)) + 0.3*x.At(i, 1) + 0.3*rng.NormFloat64()
				}
				fit := func(unit float64) []float64 {
					scaled := make([]float64, n)
					for i, v := range y {
						scaled[i] = unit * v
					}
					r := build()
					require.NoError(t, r.Fit(context.Background(), x, scaled))
					p, err := r.Predict(x)
					require.NoError(t, err)
					for i := range p {
						p[i] /= unit
					}
					return p
				}
				want := fit(1)
				e := []int{-61, 33, 10}[seed%3]
				require.Equal(t, want, fit(math.Ldexp(1, e)), fmt.Sprintf("%d rows, seed %d, times 2^%d", n, seed, e))
			}
		})
	}
}
