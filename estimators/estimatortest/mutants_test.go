package estimatortest

import (
	"context"
	"errors"
	"iter"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/estimatortest/internal/subject"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/internal/conformance"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/testkit/toy"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/streaming"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// mutant is a broken type that a check must reject, and a part of the expected message.
type mutant struct {
	name  string
	kind  subject.Kind
	build func() any
	says  string
}

func regressor(name, says string, with regressorMethods) mutant {
	return mutant{name, subject.Regressors, with.build, says}
}

func classifier(name, says string, with classifierMethods) mutant {
	return mutant{name, subject.Classifiers, with.build, says}
}

func transformer(name, says string, with transformerMethods) mutant {
	return mutant{name, subject.Transforms, with.build, says}
}

// stepsOf maps the names of broken types to their Options.Steps.
var stepsOf = map[string]int{"reports everything at the end": 1, "makes one step": 10, "reports its first step after half of the work": 10}

// deaf is a context that hides its values, and thus its observer.
type deaf struct{ context.Context }

// Value implements context.Context.
func (deaf) Value(any) any { return nil }

// These are short names for the types in the signatures of replacements.
type (
	R   = *brokenRegressor
	C   = *brokenClassifier
	T   = *brokenTransformer
	S   = *brokenSums
	ctx = context.Context
)

// refuse returns a Fit that fails with err if the function so returns true for its data.
func refuse(err error, so func(x mat.Matrix, y []float64) bool) regressorMethods {
	return regressorMethods{fit: func(b R, c ctx, x mat.Matrix, y []float64) error {
		if so(x, y) {
			return err
		}
		return b.Ridge.Fit(c, x, y)
	}}
}

// shifted returns a Predict that adds by(b, x) to the predictions, also in PredictVariance.
func shifted(by func(b R, x mat.Matrix) float64) func(R, mat.Matrix) ([]float64, error) {
	return func(b R, x mat.Matrix) ([]float64, error) {
		y, err := b.Ridge.Predict(x)
		if err != nil {
			return nil, err
		}
		v := by(b, x)
		for i := range y {
			y[i] += v
		}
		return y, nil
	}
}

// cleaned returns a copy of x in which values that are not finite are 0.
func cleaned(x mat.Matrix) *mat.Dense {
	out := mat.DenseCopyOf(x)
	out.Apply(func(_, _ int, v float64) float64 {
		if v-v != 0 {
			return 0
		}
		return v
	}, out)
	return out
}

func isDense(x mat.Matrix) bool {
	d, ok := x.(*mat.Dense)
	return ok && d != nil && !d.IsEmpty()
}

var errOther = errors.New("something went wrong")

// mutants returns, for each check, broken types that the check must reject. Closing the channel ends the goroutine that one of them
// leaks.
func mutants(release chan struct{}) map[string][]mutant {
	var total atomic.Int64
	var inFlight atomic.Int32
	return map[string][]mutant{
		"shapes": {
			regressor("drops the last row", "rows for", regressorMethods{predict: func(b R, x mat.Matrix) ([]float64, error) {
				y, err := b.Ridge.Predict(x)
				return y[:max(0, len(y)-1)], err
			}}),
			classifier("probabilities of the first row only", "PredictProba returned 1 rows", classifierMethods{proba: func(b C, x mat.Matrix) (*mat.Dense, error) {
				p, err := b.Centroid.PredictProba(x)
				if err != nil {
					return nil, err
				}
				return p.Slice(0, 1, 0, 2).(*mat.Dense), nil
			}}),
			transformer("returns nothing", "Transform returned 0 rows", transformerMethods{transform: func(T, mat.Matrix) (*mat.Dense, error) { return nil, nil }}),
			regressor("means and variances of two lengths", "entries", regressorMethods{variance: func(b R, x mat.Matrix) ([]float64, []float64, error) {
				m, v, err := b.Ridge.PredictVariance(x)
				return m, append(v, 1), err
			}}),
		},
		"one-row": {
			regressor("needs a second row", "panic", regressorMethods{fit: func(b R, c ctx, x mat.Matrix, y []float64) error {
				_ = y[1]
				return b.Ridge.Fit(c, x, y)
			}}),
			regressor("refuses with an error of its own", "unwraps to none", refuse(errOther, func(_ mat.Matrix, y []float64) bool { return len(y) == 1 })),
			transformer("divides by n-1", "NaN", transformerMethods{transform: naiveTransform}),
		},
		"one-column": {
			regressor("refuses it", "something went wrong", refuse(errOther, func(x mat.Matrix, _ []float64) bool { return width(x) == 1 })),
		},
		"more-columns-than-rows": {
			regressor("finds them singular", "singular", refuse(&fault.NotPSDError{What: "singular matrix"}, func(x mat.Matrix, y []float64) bool { return width(x) > len(y) })),
		},
		"constant-column": {
			transformer("divides by their deviation", "NaN", transformerMethods{transform: naiveTransform}),
		},
		"duplicated-rows": {
			regressor("finds them singular", "singular", refuse(&fault.NotPSDError{What: "singular matrix"}, func(x mat.Matrix, _ []float64) bool {
				d := mat.DenseCopyOf(x)
				return mat.Equal(d.RowView(0), d.RowView(1))
			})),
		},
		"large-offset-and-scale": {
			regressor("takes an exponential", "Inf", regressorMethods{predict: shifted(func(_ R, x mat.Matrix) float64 { return math.Exp(mat.Max(x)) })}),
		},
		"constant-target": {
			regressor("divides by the deviation of y", "NaN", regressorMethods{predict: shifted(func(b R, _ mat.Matrix) float64 { return 0 / b.Report().Objective })}),
		},
		"single-class": {
			classifier("wants two", "panic", classifierMethods{fit: func(b C, c ctx, x mat.Matrix, y []int) error {
				if err := b.Centroid.Fit(c, x, y); err != nil {
					return err
				}
				_ = b.Centroid.Classes()[1]
				return nil
			}}),
			classifier("refuses with an error of its own", "unwraps to none", classifierMethods{fit: func(b C, c ctx, x mat.Matrix, y []int) error {
				if len(slices.Compact(slices.Clone(y))) == 1 {
					return errOther
				}
				return b.Centroid.Fit(c, x, y)
			}}),
			classifier("predicts another", "the only class", classifierMethods{predict: func(b C, x mat.Matrix) ([]int, error) {
				y, err := b.Centroid.Predict(x)
				if len(b.Centroid.Classes()) == 1 {
					clear(y)
				}
				return y, err
			}}),
		},
		"not-finite-x": {
			regressor("fits on", "no error", regressorMethods{fit: func(b R, c ctx, x mat.Matrix, y []float64) error { return b.Ridge.Fit(c, cleaned(x), y) }}),
			regressor("predicts on", "no error", regressorMethods{predict: func(b R, x mat.Matrix) ([]float64, error) { return b.Ridge.Predict(cleaned(x)) }}),
			regressor("names no place", "names no row and column", regressorMethods{fit: func(b R, c ctx, x mat.Matrix, y []float64) error {
				if err := b.Ridge.Fit(c, x, y); errors.Is(err, estimators.ErrNotFinite) {
					return estimators.ErrNotFinite
				}
				return nil
			}}),
			transformer("names the place of the transpose", "names [2,5], want [5,2]", transformerMethods{fit: func(b T, c ctx, x mat.Matrix) error {
				err := b.StandardScaler.Fit(c, x)
				var at *estimators.NotFiniteError
				if errors.As(err, &at) {
					at.Row, at.Col = at.Col, at.Row
				}
				return err
			}}),
		},
		"not-finite-y": {
			regressor("fits on", "no error", regressorMethods{fit: func(b R, c ctx, x mat.Matrix, y []float64) error {
				return b.Ridge.Fit(c, x, mat.Col(nil, 0, cleaned(mat.NewVecDense(len(y), slices.Clone(y)))))
			}}),
		},
		"empty-x": {
			regressor("asks nil for its dimensions", "panic", regressorMethods{fit: func(b R, c ctx, x mat.Matrix, y []float64) error {
				x.Dims()
				return b.Ridge.Fit(c, x, y)
			}}),
			transformer("accepts it", "no error", transformerMethods{fit: func(b T, c ctx, x mat.Matrix) error {
				if !isDense(x) {
					return nil
				}
				return b.StandardScaler.Fit(c, x)
			}}),
		},
		"empty-x-at-predict": {
			regressor("predicts nothing", "no error", regressorMethods{predict: func(b R, x mat.Matrix) ([]float64, error) {
				if !isDense(x) {
					return nil, nil
				}
				return b.Ridge.Predict(x)
			}}),
			classifier("asks nil for its dimensions", "panic", classifierMethods{decision: func(b C, x mat.Matrix) (*mat.Dense, error) {
				x.Dims()
				return b.Centroid.Decision(x)
			}}),
		},
		"length-of-y": {
			regressor("uses any leftover result", "no error", regressorMethods{fit: func(b R, c ctx, x mat.Matrix, y []float64) error {
				n, _ := x.Dims()
				all := make([]float64, n)
				copy(all, y)
				return b.Ridge.Fit(c, x, all)
			}}),
			classifier("reads over the end", "panic", classifierMethods{fit: func(b C, c ctx, x mat.Matrix, y []int) error {
				n, _ := x.Dims()
				return b.Centroid.Fit(c, x, y[:n:n])
			}}),
		},
		"width-at-predict": {
			regressor("uses any leftover result", "no error", regressorMethods{predict: func(b R, x mat.Matrix) ([]float64, error) {
				n, d := x.Dims()
				three := mat.NewDense(n, 3, nil)
				three.Slice(0, n, 0, min(d, 3)).(*mat.Dense).Copy(x)
				return b.Ridge.Predict(three)
			}}),
			transformer("reads over the end", "panic", transformerMethods{transform: func(b T, x mat.Matrix) (*mat.Dense, error) {
				_ = x.At(0, 2)
				return b.StandardScaler.Transform(x)
			}}),
		},
		"not-fitted": {
			regressor("predicts zeros", "no error", regressorMethods{predict: func(b R, x mat.Matrix) ([]float64, error) {
				y, err := b.Ridge.Predict(x)
				if errors.Is(err, estimators.ErrNotFitted) {
					return make([]float64, subject.TestRows), nil
				}
				return y, err
			}}),
			classifier("has classes", "Classes before Fit", classifierMethods{classes: func(b C) []int { return append([]int{}, b.Centroid.Classes()...) }}),
			regressor("stores nothing", "MarshalBinary before Fit", regressorMethods{marshal: func(b R) ([]byte, error) {
				data, err := b.Ridge.MarshalBinary()
				if err != nil {
					return nil, nil
				}
				return data, nil
			}}),
		},
		"refit-forgets": {
			regressor("adds up its fits", "after a Fit on other rows", regressorMethods{
				fit: func(b R, c ctx, x mat.Matrix, y []float64) error {
					b.calls.Add(1)
					return b.Ridge.Fit(c, x, y)
				},
				predict: shifted(func(b R, _ mat.Matrix) float64 { return float64(b.calls.Load()) }),
			}),
			transformer("keeps its first width", "second Fit", transformerMethods{fit: func(b T, c ctx, x mat.Matrix) error {
				if m := b.StandardScaler.Means(); m != nil && len(m) != width(x) {
					return fault.Columns("x", width(x), len(m))
				}
				return b.StandardScaler.Fit(c, x)
			}}),
		},
		"failed-fit-keeps": {
			regressor("forgets before it looks", "not fitted", regressorMethods{fit: func(b R, c ctx, x mat.Matrix, y []float64) error {
				b.Ridge = &toy.Ridge{}
				return b.Ridge.Fit(c, x, y)
			}}),
			regressor("fits before it looks at y", "is", regressorMethods{fit: func(b R, c ctx, x mat.Matrix, y []float64) error {
				if err := b.Ridge.Fit(c, x, make([]float64, len(y))); err != nil {
					return err
				}
				return b.Ridge.Fit(c, x, y)
			}}),
		},
		"cancelled-fit": {
			regressor("does not look", "no error", regressorMethods{fit: func(b R, _ ctx, x mat.Matrix, y []float64) error { return b.Ridge.Fit(context.Background(), x, y) }}),
			transformer("forgets before it looks", "not fitted", transformerMethods{fit: func(b T, c ctx, x mat.Matrix) error {
				b.StandardScaler = &scalers.StandardScaler{}
				return b.StandardScaler.Fit(c, x)
			}}),
			classifier("has an error of its own", "is not", classifierMethods{fit: func(b C, c ctx, x mat.Matrix, y []int) error {
				if c.Err() != nil {
					return errOther
				}
				return b.Centroid.Fit(c, x, y)
			}}),
		},
		"progress": {
			regressor("reports nothing", "reports no progress", regressorMethods{fit: func(b R, c ctx, x mat.Matrix, y []float64) error {
				return b.Ridge.Fit(deaf{c}, x, y)
			}}),
			regressor("never reports the end", "want 1", regressorMethods{fit: func(b R, c ctx, x mat.Matrix, y []float64) error {
				own := c
				estimators.BeginFit(&own, nil)
				estimators.Tell(own, estimators.Step{Iteration: 1, Done: .9})
				return b.Ridge.Fit(deaf{c}, x, y)
			}}),
			transformer("fits other things with an observer", "with an observer", transformerMethods{fit: func(b T, c ctx, x mat.Matrix) (err error) {
				own := c
				defer estimators.BeginFit(&own, nil)(&err)
				if own != c {
					x = mat.DenseCopyOf(x)
					x.(*mat.Dense).Set(0, 0, 99)
				}
				return b.StandardScaler.Fit(deaf{c}, x)
			}}),
			regressor("does not mind a panic", "want a PanicError", regressorMethods{fit: func(b R, c ctx, x mat.Matrix, y []float64) error {
				_ = b.Ridge.Fit(c, x, y)
				return b.Ridge.Fit(deaf{c}, x, y)
			}}),
			regressor("reports everything at the end", "of the checks", regressorMethods{fit: func(b R, c ctx, x mat.Matrix, y []float64) (err error) {
				for range 100 {
					if err := c.Err(); err != nil {
						return err
					}
				}
				return b.Ridge.Fit(c, x, y)
			}}),
			regressor("makes one step", "steps, want at least", regressorMethods{fit: func(b R, c ctx, x mat.Matrix, y []float64) (err error) {
				own := c
				defer estimators.BeginFit(&own, nil)(&err)
				return b.Ridge.Fit(deaf{c}, x, y)
			}}),
			regressor("reports its first step after half of the work", "done, want at most", regressorMethods{fit: func(b R, c ctx, x mat.Matrix, y []float64) (err error) {
				own := c
				defer estimators.BeginFit(&own, nil)(&err)
				for i := range 20 {
					estimators.Tell(own, estimators.Step{Iteration: i + 1, Done: .6 + float64(i)/100})
				}
				return b.Ridge.Fit(deaf{c}, x, y)
			}}),
		},
		"cancelled-midway": {
			regressor("looks once, at the start", "no error", regressorMethods{fit: func(b R, c ctx, x mat.Matrix, y []float64) error {
				if err := c.Err(); err != nil {
					return err
				}
				return b.Ridge.Fit(context.Background(), x, y)
			}}),
			regressor("assigns first, then looks", "after Fit", regressorMethods{fit: func(b R, c ctx, x mat.Matrix, y []float64) error {
				if err := b.Ridge.Fit(context.Background(), x, y); err != nil {
					return err
				}
				return c.Err()
			}}),
		},
		"cancelled-at-any-check": {
			regressor("ignores the second check of the context", "at check 2: no error", regressorMethods{fit: func(b R, c ctx, x mat.Matrix, y []float64) error {
				if err := c.Err(); err != nil {
					return err
				}
				if c.Err() != nil {
					y = slices.Clone(y)
				}
				return b.Ridge.Fit(context.Background(), x, y)
			}}),
			regressor("assigns before its last look", "after Fit", regressorMethods{fit: func(b R, c ctx, x mat.Matrix, y []float64) error {
				if err := c.Err(); err != nil {
					return err
				}
				if err := b.Ridge.Fit(context.Background(), x, y); err != nil {
					return err
				}
				return c.Err()
			}}),
			transformer("has an error of its own where it is late", "is not", transformerMethods{fit: func(b T, c ctx, x mat.Matrix) error {
				for range 100 {
					if c.Err() != nil {
						return errOther
					}
				}
				return b.StandardScaler.Fit(c, x)
			}}),
		},
		"inputs-unmodified": {
			transformer("scales in place", "a method changed its x", transformerMethods{transform: func(b T, x mat.Matrix) (*mat.Dense, error) {
				z, err := b.StandardScaler.Transform(x)
				if d, ok := x.(*mat.Dense); ok && err == nil {
					d.Copy(z)
				}
				return z, err
			}}),
			regressor("centres x in place", "Fit changed its x", regressorMethods{fit: func(b R, c ctx, x mat.Matrix, y []float64) error {
				err := b.Ridge.Fit(c, x, y)
				x.(*mat.Dense).Apply(func(_, _ int, v float64) float64 { return v - 1 }, x)
				return err
			}}),
			regressor("centres y in place", "Fit changed its y", regressorMethods{fit: func(b R, c ctx, x mat.Matrix, y []float64) error {
				err := b.Ridge.Fit(c, x, y)
				y[0]--
				return err
			}}),
			regressor("normalises weights", "changed its weights", regressorMethods{weighted: func(b R, c ctx, x mat.Matrix, y, w []float64) error {
				err := b.Ridge.FitWeighted(c, x, y, w)
				w[0] = 0
				return err
			}}),
		},
		"any-matrix": {
			regressor("ignores the stride", "a part of a larger one", regressorMethods{predict: func(b R, x mat.Matrix) ([]float64, error) {
				if d, ok := x.(*mat.Dense); ok {
					r, c := d.Dims()
					return b.Ridge.Predict(cleaned(mat.NewDense(r, c, d.RawMatrix().Data[:r*c])))
				}
				return b.Ridge.Predict(x)
			}}),
			transformer("knows *mat.Dense alone", "panic", transformerMethods{fit: func(b T, c ctx, x mat.Matrix) error { return b.StandardScaler.Fit(c, x.(*mat.Dense)) }}),
		},
		"keeps-no-reference": {
			func() mutant {
				kept := map[R]mat.Matrix{}
				return regressor("keeps x", "overwriting Fit's x and y", regressorMethods{
					fit: func(b R, c ctx, x mat.Matrix, y []float64) error {
						kept[b] = x
						return b.Ridge.Fit(c, x, y)
					},
					predict: shifted(func(b R, _ mat.Matrix) float64 { return kept[b].At(0, 0) }),
				})
			}(),
			transformer("returns its argument", "returned its x itself", transformerMethods{transform: func(_ T, x mat.Matrix) (*mat.Dense, error) { return x.(*mat.Dense), nil }}),
			func() mutant {
				kept := map[R][]float64{}
				return regressor("returns predictions that it keeps", "overwriting what the methods returned", regressorMethods{predict: func(b R, x mat.Matrix) ([]float64, error) {
					if kept[b] == nil {
						y, err := b.Ridge.Predict(x)
						if err != nil {
							return nil, err
						}
						kept[b] = y
					}
					return kept[b], nil
				}})
			}(),
			func() mutant {
				kept := map[C]*mat.Dense{}
				return classifier("returns probabilities that it keeps", "overwriting what the methods returned", classifierMethods{proba: func(b C, x mat.Matrix) (*mat.Dense, error) {
					if kept[b] == nil {
						p, err := b.Centroid.PredictProba(x)
						if err != nil {
							return nil, err
						}
						kept[b] = p
					}
					return kept[b], nil
				}})
			}(),
		},
		"same-seed": {
			regressor("draws from a common source", "a second value", regressorMethods{
				fit: func(b R, c ctx, x mat.Matrix, y []float64) error {
					b.calls.Store(total.Add(1))
					return b.Ridge.Fit(c, x, y)
				},
				predict: shifted(func(b R, _ mat.Matrix) float64 { return float64(b.calls.Load()) }),
			}),
		},
		"workers": {
			regressor("sums by worker", "5 workers and 1", regressorMethods{}),
		},
		"goroutine-leaks": {
			regressor("waits for ever", "goroutines that still run", regressorMethods{fit: func(b R, c ctx, x mat.Matrix, y []float64) error {
				go func() { <-release }()
				return b.Ridge.Fit(c, x, y)
			}}),
		},
		"clone": {
			regressor("is itself", "no error", regressorMethods{clone: func(b R) estimators.Regressor { return b }}),
			regressor("shares what is fitted", "no error", regressorMethods{clone: func(b R) estimators.Regressor {
				return &brokenRegressor{b.Ridge, b.with, b.calls}
			}}),
			regressor("loses its configuration", "the clone and a new value", regressorMethods{clone: func(b R) estimators.Regressor {
				return &brokenRegressor{&toy.Ridge{Penalty: 50}, b.with, b.calls}
			}}),
			{"loses a field", subject.Regressors, func() any { return newConfigured(false, true) }, "the clone's Tolerance is 0, want 0.375"},
			{"shares a slice", subject.Regressors, func() any { return newConfigured(true, false) }, "the clone's Widths is the same slice"},
		},
		"repeatable": {
			regressor("counts its calls", "a second call", regressorMethods{predict: shifted(func(b R, _ mat.Matrix) float64 { return float64(b.calls.Add(1)) })}),
		},
		"concurrent-predict": {
			// This simulates shared scratch memory, without a race that -race would report.
			regressor("is disturbed by another call", "concurrent calls", regressorMethods{predict: shifted(func(R, mat.Matrix) float64 {
				inFlight.Add(1)
				defer inFlight.Add(-1)
				for start := time.Now(); time.Since(start) < 10*time.Millisecond; runtime.Gosched() {
					if inFlight.Load() > 1 {
						return 1
					}
				}
				return 0
			})}),
			func() mutant {
				var calls atomic.Int64
				return classifier("panics in the end", "panic", classifierMethods{predict: func(b C, x mat.Matrix) ([]int, error) {
					if calls.Add(1) > 10 {
						panic("the eleventh call")
					}
					return b.Centroid.Predict(x)
				}})
			}(),
		},
		"row-permutation": {
			regressor("favours its first row", "in another order", regressorMethods{fit: func(b R, c ctx, x mat.Matrix, y []float64) error {
				y = slices.Clone(y)
				y[0] *= 2
				return b.Ridge.Fit(c, x, y)
			}}),
		},
		"batch-equals-rows": {
			regressor("centres the rows to predict", "by itself", regressorMethods{predict: shifted(func(_ R, x mat.Matrix) float64 { return mat.Sum(x) })}),
		},
		"learns": {
			regressor("predicts the mean", "squared error", regressorMethods{predict: func(b R, x mat.Matrix) ([]float64, error) {
				y, err := b.Ridge.Predict(x)
				for i := range y {
					y[i] = 3
				}
				return y, err
			}}),
			classifier("predicts the majority", "labels are right", classifierMethods{predict: func(b C, x mat.Matrix) ([]int, error) {
				y, err := b.Centroid.Predict(x)
				for i := range y {
					y[i] = 2
				}
				return y, err
			}}),
		},
		"marshal-round-trip": {
			regressor("forgets settings that it does not store", "the value that was read", regressorMethods{
				fit: func(b R, c ctx, x mat.Matrix, y []float64) error {
					b.calls.Store(7)
					return b.Ridge.Fit(c, x, y)
				},
				predict: shifted(func(b R, _ mat.Matrix) float64 { return float64(b.calls.Load()) }),
			}),
			regressor("stores the variance alone rounded", "PredictVariance", regressorMethods{variance: func(b R, x mat.Matrix) ([]float64, []float64, error) {
				m, v, err := b.Ridge.PredictVariance(x)
				if len(v) > 0 && b.calls.Load() == 1 {
					v[0] += 1e-12
				}
				return m, v, err
			}, unmarshal: func(b R, data []byte) error {
				b.calls.Store(1)
				return b.Ridge.UnmarshalBinary(data)
			}}),
			regressor("stores the time", "different bytes", regressorMethods{
				marshal: func(b R) ([]byte, error) {
					data, err := b.Ridge.MarshalBinary()
					return append(data, byte(total.Add(1))), err
				},
				unmarshal: func(b R, data []byte) error { return b.Ridge.UnmarshalBinary(data[:len(data)-1]) },
			}),
		},
		"model-file": {
			{"loses a setting", subject.Regressors, func() any { return &filed{Broken: losesSetting, Offset: 2} }, "the setting Offset is 0"},
			{"predicts by a field that is not stored", subject.Regressors, func() any { return &filed{Broken: losesState, Offset: 2} }, "the value that was read from a model file: Predict"},
			{"is not what it reads", subject.Regressors, func() any { return &filed{Broken: refusesOwn} }, "modelfile.Unmarshal"},
			{"does not tell its columns", subject.Regressors, func() any { return &filed{Broken: hidesColumns} }, "Describe reports 0 columns"},
			{"writes another file", subject.Regressors, func() any { return &filed{Broken: changesBytes} }, "writes a different file"},
		},
		"stop-and-go": {
			{"loses rows", subject.Regressors, newContinued(forgetsRows), "the value that was read and continued"},
			{"accepts any bytes", subject.Regressors, newContinued(takesAnything), "UnmarshalStatistics of other bytes: no error"},
			{"has statistics of a Fit that left none", subject.Regressors, newContinued(storesOfFit), "after Fit"},
			{"has statistics of nothing", subject.Regressors, newContinued(hasThemBefore), "MarshalStatistics before Fit: no error"},
			{"continues from missing statistics", subject.Regressors, newContinued(movesTheModel), "UnmarshalStatistics"},
		},
		"marshal-into-fitted": {
			regressor("keeps its earlier state", "reading into a fitted value", regressorMethods{unmarshal: func(b R, data []byte) error {
				if b.Report().Converged {
					return nil
				}
				return b.Ridge.UnmarshalBinary(data)
			}}),
			func() mutant {
				kept := map[R][]byte{}
				return regressor("keeps the bytes", "overwriting the bytes", regressorMethods{
					unmarshal: func(b R, data []byte) error {
						kept[b] = data
						return b.Ridge.UnmarshalBinary(data)
					},
					predict: shifted(func(b R, _ mat.Matrix) float64 {
						if data := kept[b]; data != nil && data[0] == 0 {
							return 1
						}
						return 0
					}),
				})
			}(),
		},
		"marshal-truncated": {
			regressor("takes the length for granted", "panic", regressorMethods{unmarshal: func(b R, data []byte) error {
				_ = data[100]
				return b.Ridge.UnmarshalBinary(data)
			}}),
			regressor("has an error of its own", "is not", regressorMethods{unmarshal: func(b R, data []byte) error {
				if b.Ridge.UnmarshalBinary(data) != nil {
					return errOther
				}
				return nil
			}}),
		},
		"marshal-flipped": {
			regressor("forgets before it looks", "not fitted", regressorMethods{unmarshal: func(b R, data []byte) error {
				b.Ridge = &toy.Ridge{}
				return b.Ridge.UnmarshalBinary(data)
			}}),
			func() mutant {
				var good []byte
				return regressor("has no checksum", "no error", regressorMethods{
					marshal: func(b R) (data []byte, err error) {
						good, err = b.Ridge.MarshalBinary()
						return good, err
					},
					unmarshal: func(b R, data []byte) error {
						if len(data) > 60 && data[60] != good[60] {
							return nil
						}
						return b.Ridge.UnmarshalBinary(data)
					},
				})
			}(),
		},
		"marshal-garbage": {
			regressor("accepts empty data as a model", "no error", regressorMethods{unmarshal: func(b R, data []byte) error {
				if len(data) == 0 {
					return nil
				}
				return b.Ridge.UnmarshalBinary(data)
			}}),
			regressor("ignores trailing bytes", "no error", regressorMethods{
				marshal: func(b R) ([]byte, error) {
					data, err := b.Ridge.MarshalBinary()
					total.Store(int64(len(data)))
					return data, err
				},
				unmarshal: func(b R, data []byte) error {
					return b.Ridge.UnmarshalBinary(data[:min(len(data), int(total.Load()))])
				},
			}),
		},
		"labels": {
			classifier("uses labels as indices", "panic", classifierMethods{fit: func(b C, c ctx, x mat.Matrix, y []int) error {
				if err := b.Centroid.Fit(c, x, y); err != nil {
					return err
				}
				_ = make([]int, 100)[slices.Max(y)]
				return nil
			}}),
			classifier("keeps 16 bits of them", "want", classifierMethods{predict: func(b C, x mat.Matrix) ([]int, error) {
				y, err := b.Centroid.Predict(x)
				for i := range y {
					y[i] = int(int16(y[i]))
				}
				return y, err
			}}),
		},
		"classes": {
			classifier("descending", "Classes =", classifierMethods{classes: func(b C) []int {
				c := b.Centroid.Classes()
				slices.Reverse(c)
				return c
			}}),
			func() mutant {
				kept := map[C][]int{}
				return classifier("the model's own slice", "after writing", classifierMethods{classes: func(b C) []int {
					if kept[b] == nil {
						kept[b] = b.Centroid.Classes()
					}
					return kept[b]
				}})
			}(),
		},
		"three-classes": {
			classifier("knows two", "labels are right", classifierMethods{predict: func(b C, x mat.Matrix) ([]int, error) {
				y, err := b.Centroid.Predict(x)
				for i := range y {
					y[i] = min(y[i], 2)
				}
				return y, err
			}}),
		},
		"probabilities": {
			classifier("returns scores", "numbers in [0,1]", classifierMethods{proba: func(b C, x mat.Matrix) (*mat.Dense, error) { return b.Centroid.Decision(x) }}),
			classifier("of the second class alone", "want 24×2", classifierMethods{proba: func(b C, x mat.Matrix) (*mat.Dense, error) {
				p, err := b.Centroid.PredictProba(x)
				if err != nil {
					return nil, err
				}
				return mat.DenseCopyOf(p.ColView(1)), nil
			}}),
		},
		"probability-order": {
			classifier("reversed", "the largest of PredictProba", classifierMethods{proba: func(b C, x mat.Matrix) (*mat.Dense, error) {
				p, err := b.Centroid.PredictProba(x)
				if err != nil {
					return nil, err
				}
				n, _ := p.Dims()
				for i := range n {
					slices.Reverse(p.RawRowView(i))
				}
				return p, nil
			}}),
		},
		"decision": {
			classifier("is a distance", "the largest of Decision", classifierMethods{decision: func(b C, x mat.Matrix) (*mat.Dense, error) {
				d, err := b.Centroid.Decision(x)
				if err != nil {
					return nil, err
				}
				d.Scale(-1, d)
				return d, nil
			}}),
			classifier("has one column for two classes", "want 24×2", classifierMethods{decision: func(b C, x mat.Matrix) (*mat.Dense, error) {
				d, err := b.Centroid.Decision(x)
				if err != nil {
					return nil, err
				}
				return mat.DenseCopyOf(d.ColView(0)), nil
			}}),
		},
		"variance": {
			regressor("cancels", "the variance of row 0", regressorMethods{variance: func(b R, x mat.Matrix) ([]float64, []float64, error) {
				m, v, err := b.Ridge.PredictVariance(x)
				for i := range v {
					v[i]--
				}
				return m, v, err
			}}),
			regressor("has another mean", "the mean of PredictVariance", regressorMethods{predict: shifted(func(R, mat.Matrix) float64 { return 0.01 })}),
		},
		"interval": {
			regressor("accepts any level", "level 0: no error", regressorMethods{interval: func(b R, x mat.Matrix, level float64) ([]float64, []float64, error) {
				if !(level > 0 && level < 1) {
					level = 0.5
				}
				return b.Ridge.PredictInterval(x, level)
			}}),
			regressor("lies above the mean", "leaves out the prediction", regressorMethods{interval: func(b R, x mat.Matrix, level float64) ([]float64, []float64, error) {
				low, high, err := b.Ridge.PredictInterval(x, level)
				for i := range low {
					low[i] += 1 + level
					high[i] += 1 + level
				}
				return low, high, err
			}}),
			regressor("has one width", "no wider", regressorMethods{interval: func(b R, x mat.Matrix, level float64) ([]float64, []float64, error) {
				if level > 0.1 && level < 1 {
					level = 0.9
				}
				return b.Ridge.PredictInterval(x, level)
			}}),
			regressor("uses the variance as the deviation", "the standard deviation", regressorMethods{interval: func(b R, x mat.Matrix, level float64) ([]float64, []float64, error) {
				low, high, err := b.Ridge.PredictInterval(x, level)
				for i := range low {
					mean, half := (low[i]+high[i])/2, 9*(high[i]-low[i])
					low[i], high[i] = mean-half, mean+half
				}
				return low, high, err
			}}),
		},
		"to-forms": {
			regressor("is off for few rows", "PredictTo of 16 rows", regressorMethods{to: func(b R, dst []float64, x mat.Matrix) error {
				y, err := b.Ridge.Predict(x)
				if err != nil {
					return err
				}
				if len(y) == 16 {
					y[15] += 1e-3
				}
				return copyInto(dst, y)
			}}),
			regressor("fills the rows that it can", "one more", regressorMethods{to: func(b R, dst []float64, x mat.Matrix) error {
				y, err := b.Ridge.Predict(x)
				copy(dst, y)
				return err
			}}),
			classifier("has the probabilities of its scores", "PredictProbaTo of 1 rows", classifierMethods{probaTo: func(b C, dst *mat.Dense, x mat.Matrix) error {
				scores, err := b.Centroid.Decision(x)
				if err != nil {
					return err
				}
				return copyTo(dst, scores)
			}}),
			classifier("swaps the columns of one row", "DecisionTo of 1 rows", classifierMethods{to: func(b C, dst *mat.Dense, x mat.Matrix) error {
				scores, err := b.Centroid.Decision(x)
				if err != nil {
					return err
				}
				if n, _ := scores.Dims(); n == 1 {
					scores.SetRow(0, []float64{scores.At(0, 1), scores.At(0, 0)})
				}
				return copyTo(dst, scores)
			}}),
			transformer("scales with other scales", "TransformTo of 1 rows", transformerMethods{to: func(b T, dst *mat.Dense, x mat.Matrix) error {
				z, err := b.StandardScaler.Transform(x)
				if err != nil {
					return err
				}
				z.Scale(1.01, z)
				if dst.IsEmpty() {
					dst.ReuseAs(z.Dims())
				}
				return copyTo(dst, z)
			}}),
		},
		"inverse": {
			transformer("goes back by other scales", "InverseTransform of rows of Fit", transformerMethods{inverse: func(b T, z mat.Matrix) (*mat.Dense, error) {
				x, err := b.StandardScaler.InverseTransform(z)
				if err == nil {
					x.Scale(1.01, x)
				}
				return x, err
			}}),
			transformer("forgets columns of one value", "a column of one value", transformerMethods{inverse: func(b T, z mat.Matrix) (*mat.Dense, error) {
				x, err := b.StandardScaler.InverseTransform(z)
				if err == nil && b.StandardScaler.Scales()[1] == 1 {
					x.Set(0, 1, 0)
				}
				return x, err
			}}),
			transformer("goes back in place", "changed its z", transformerMethods{inverse: func(b T, z mat.Matrix) (*mat.Dense, error) {
				x, err := b.StandardScaler.InverseTransform(z)
				if err != nil {
					return nil, err
				}
				return z.(*mat.Dense), copyTo(z.(*mat.Dense), x)
			}}),
			transformer("accepts any width", "a column too many: no error", transformerMethods{inverse: func(b T, z mat.Matrix) (*mat.Dense, error) {
				if d, ok := z.(*mat.Dense); ok && width(z) == 4 {
					n, _ := d.Dims()
					z = d.Slice(0, n, 0, 3)
				}
				return b.StandardScaler.InverseTransform(z)
			}}),
			transformer("lets NaN through", "not finite: no error", transformerMethods{inverse: func(b T, z mat.Matrix) (*mat.Dense, error) {
				x, err := b.StandardScaler.InverseTransform(z)
				if errors.Is(err, fault.ErrNotFinite) {
					return mat.DenseCopyOf(z), nil
				}
				return x, err
			}}),
		},
		"partial-fit": {
			{"differs from Fit at first", subject.Regressors, newChunked(func(c *chunked, x mat.Matrix, y []float64) error {
				if c.chunks.X == nil && y[0] != 0 {
					y = slices.Clone(y)
					y[0]++
				}
				return c.takeIn(x, y)
			}), "PartialFit before Fit, and Fit"},
			{"adds rows of a failed chunk", subject.Regressors, newChunked(func(c *chunked, x mat.Matrix, y []float64) error {
				err := c.takeIn(x, y)
				if err != nil && c.chunks.X != nil {
					_ = c.Fit(context.Background(), c.chunks.X, shiftedBy(c.chunks.Y, 1))
				}
				return err
			}), "a PartialFit that failed"},
			{"fits only once", subject.Regressors, newChunked(func(c *chunked, x mat.Matrix, y []float64) error {
				kept := c.chunks
				if err := c.takeIn(x, y); err != nil || kept.X == nil {
					return err
				}
				c.chunks = kept
				return c.Fit(context.Background(), kept.X, kept.Y)
			}), "changes no result"},
		},
		"statistics": {
			transformer("forgets merged statistics", "parts have", transformerMethods{sums: sumsMethods{merge: func(b S, other streaming.Statistics[streaming.None]) error {
				if o, ok := other.(S); ok && o.Rows() < 15 {
					return nil
				}
				return b.sound(other)
			}}}),
			transformer("rounds small blocks", "in 64 parts, and in one", transformerMethods{sums: sumsMethods{add: func(b S, c ctx, x *mat.Dense) error {
				if x != nil && !x.IsEmpty() && x.RawMatrix().Rows < 3 {
					x.Set(0, 0, x.At(0, 0)*(1+1e-9))
				}
				return b.Statistics.AddBlock(c, streaming.Rows(x))
			}}}),
			transformer("does not travel", "have 0 rows", transformerMethods{sums: sumsMethods{unmarshal: func(b S, data []byte) error {
				return b.Statistics.Clone().UnmarshalBinary(data)
			}}}),
			transformer("adds before it looks", "the statistics have changed", transformerMethods{sums: sumsMethods{add: func(b S, c ctx, x *mat.Dense) error {
				if n, d := x.Dims(); n > 20 {
					if err := b.Statistics.AddBlock(c, streaming.Rows(x.Slice(0, 20, 0, d).(*mat.Dense))); err != nil {
						return err
					}
					return fault.FromRow(b.Statistics.AddBlock(c, streaming.Rows(x.Slice(20, n, 0, d).(*mat.Dense))), 20)
				}
				return b.Statistics.AddBlock(c, streaming.Rows(x))
			}}}),
			transformer("merges whatever comes", "of another type: no error", transformerMethods{sums: sumsMethods{merge: func(b S, other streaming.Statistics[streaming.None]) error {
				if _, ok := other.(S); !ok {
					return nil
				}
				return b.sound(other)
			}}}),
			transformer("ignores the context", "cancelled context: no error", transformerMethods{sums: sumsMethods{add: func(b S, _ ctx, x *mat.Dense) error {
				return b.Statistics.AddBlock(context.Background(), streaming.Rows(x))
			}}}),
			transformer("ignores the checksum", "a changed byte: no error", transformerMethods{sums: sumsMethods{unmarshal: func(b S, data []byte) error {
				if err := b.Statistics.UnmarshalBinary(data); err != nil && len(data) < 200 {
					return err
				}
				return nil
			}}}),
		},
		"statistics-and-fit": {
			transformer("fits something else", "FitStatistics, and Fit", transformerMethods{fitSums: func(b T, c ctx, _ streaming.Statistics[streaming.None]) error {
				x := mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6})
				return b.StandardScaler.Fit(c, x)
			}}),
		},
		"fit-blocks": {
			transformer("keeps blocks that are overwritten", "of 7 rows a block", transformerMethods{blocks: func(b T, c ctx, rows stream) error {
				all := &mat.Dense{}
				var blocks []*mat.Dense
				for x, err := range rows {
					if err != nil {
						return err
					}
					blocks = append(blocks, x.X)
				}
				for i, x := range blocks {
					if i == 0 {
						all = mat.DenseCopyOf(x)
						continue
					}
					stacked := &mat.Dense{}
					stacked.Stack(all, x)
					all = stacked
				}
				return b.StandardScaler.Fit(c, all)
			}}),
			transformer("fits the first block only", "and Fit", transformerMethods{blocks: func(b T, c ctx, rows stream) error {
				if err := (&scalers.UnitRows{}).FitBlocks(c, rows); err != nil {
					return err
				}
				for x := range rows {
					return b.StandardScaler.Fit(c, x.X)
				}
				return nil
			}}),
			transformer("uses the blocks before an error", "a stream that fails: no error", transformerMethods{blocks: func(b T, c ctx, rows stream) error {
				return b.StandardScaler.FitBlocks(c, func(yield func(streaming.Block[streaming.None], error) bool) {
					for x, err := range rows {
						if err != nil || !yield(x, nil) {
							return
						}
					}
				})
			}}),
			transformer("counts rows in their block", "23", transformerMethods{blocks: func(b T, c ctx, rows stream) error {
				for x, err := range rows {
					if err != nil {
						return err
					}
					if err := (&scalers.UnitRows{}).Fit(c, x.X); err != nil {
						return err
					}
				}
				return b.StandardScaler.FitBlocks(c, rows)
			}}),
			transformer("ignores the context", "cancelled before block 0: no error", transformerMethods{blocks: func(b T, _ ctx, rows stream) error {
				return b.StandardScaler.FitBlocks(context.Background(), rows)
			}}),
			transformer("forgets before it reads", "not fitted", transformerMethods{blocks: func(b T, c ctx, rows stream) error {
				b.StandardScaler = &scalers.StandardScaler{}
				return b.StandardScaler.FitBlocks(c, rows)
			}}),
			{"ignores weights", subject.Regressors, func() any { return &unweighing{} }, "FitBlocks with weights"},
		},
		"leave-one-out": {
			{"leaves out nothing", subject.Regressors, newLeaving(func(l *leaving, row int) float64 {
				one := l.rows.Pick([]int{row})
				y, err := l.Predict(one.X)
				if err != nil {
					return 0
				}
				return one.Y[0] - y[0]
			}), "fitted without it"},
			{"has the last row wrong", subject.Regressors, newLeaving(func(l *leaving, row int) float64 {
				if row == len(l.rows.Y)-1 {
					return -l.refit(row)
				}
				return l.refit(row)
			}), "the residual of row 39"},
		},
		"smoother": {
			{"has b the wrong way round", subject.Regressors, smoothing{spoil: func(_ []float64, _, b *mat.Dense, _ []float64) { b.Scale(-1, b) }}.build, "f - b·a/c of row 0"},
			{"leaves the noise out of s", subject.Regressors, smoothing{spoil: func(c []float64, _, _ *mat.Dense, s []float64) {
				for i := range s {
					s[i] -= 0.5 / c[0]
				}
			}}.build, "1/c of row 0"},
			{"has other outputs", subject.Regressors, smoothing{spoil: func(_ []float64, f, _ *mat.Dense, _ []float64) { f.Set(2, 1, f.At(2, 1)+0.1) }}.build, "Outputs and f"},
			{"ignores weights", subject.Regressors, smoothing{rows: func(w []float64) []float64 {
				for i := range w {
					w[i] = max(w[i], 1)
				}
				return w
			}}.build, "a weight of 0: no error"},
		},
		"expansion": {
			{"forgets the intercept", subject.Regressors, expanding{spoil: func(e *estimators.Expansion) { e.Intercepts[0] = 0 }}.build, "the sum of the kernel values"},
			{"has an output too many", subject.Regressors, expanding{spoil: func(e *estimators.Expansion) { e.Intercepts = append(e.Intercepts, 0) }}.build, "2 Intercepts for 1"},
			{"lacks a coefficient", subject.Regressors, expanding{spoil: func(e *estimators.Expansion) { e.Parts[0].Rows = mat.NewDense(2, 3, nil) }}.build, "Coefficients of Expansion"},
			{"expands before Fit", subject.Regressors, expanding{early: true}.build, "Expansion before Fit: no error"},
		},
		"graph": {
			{"forgets the intercept", subject.Regressors, func() any { return &drawn{of: -1} }, "what Graph writes of Predict"},
			{"writes before Fit", subject.Regressors, func() any { return &drawn{early: true} }, "Graph before Fit: no error"},
			{"writes no mean", subject.Regressors, func() any { return &drawn{none: true} }, "Graph has no Mean"},
			{"accepts any width", subject.Transforms, func() any { return &wideScaler{} }, "Graph with one column too many: no error"},
		},
		"target-units": {
			regressor("ignores small differences", "targets times 2^-41: Predict", regressorMethods{predict: func(b R, x mat.Matrix) ([]float64, error) {
				y, err := b.Ridge.Predict(x)
				for i, v := range y {
					if math.Abs(v) < 1e-6 {
						y[i] = 0
					}
				}
				return y, err
			}}),
			regressor("adds to the variance", "targets times 2^-41: PredictVariance", regressorMethods{variance: func(b R, x mat.Matrix) ([]float64, []float64, error) {
				mean, variance, err := b.Ridge.PredictVariance(x)
				for i, v := range variance {
					variance[i] = v + 1e-9
				}
				return mean, variance, err
			}}),
			{"adds a number", subject.Multis, brokenMulti{predict: func(y *mat.Dense) *mat.Dense {
				y.Set(0, 2, y.At(0, 2)+1e-3)
				return y
			}}.build, "targets times 2^-41: Predict"},
		},
		"several-targets": {
			{"counts one target", subject.Multis, brokenMulti{targets: func(int) int { return 1 }}.build, "Targets is 1, want 3"},
			{"predicts the first alone", subject.Multis, brokenMulti{predict: func(y *mat.Dense) *mat.Dense {
				n, _ := y.Dims()
				return y.Slice(0, n, 0, 1).(*mat.Dense)
			}}.build, "returned 1 columns for 3 targets"},
			{"sees units", subject.Multis, brokenMulti{predict: func(y *mat.Dense) *mat.Dense {
				n, k := y.Dims()
				y.Set(n-1, k-1, y.At(n-1, k-1)+1e-3)
				return y
			}}.build, "targets in other units: Predict"},
			{"has negative variances", subject.Multis, brokenMulti{variance: func(v *mat.Dense) { v.Scale(-1, v) }}.build, "a variance is -"},
			{"ignores the level", subject.Multis, brokenMulti{level: func(float64) float64 { return .5 }}.build, "PredictInterval of level 0: no error"},
			{"narrows", subject.Multis, brokenMulti{level: func(l float64) float64 {
				if l > .99 {
					return .4
				}
				return l
			}}.build, "is no wider"},
			{"accepts NaN", subject.Multis, brokenMulti{clean: true}.build, "Fit with y[5,2] = NaN: no error"},
		},
		"novelty": {
			{"finds all novel", subject.Detectors, brokenDetector{novel: func(out []bool) {
				for i := range out {
					out[i] = true
				}
			}}.build, "rows like those of Fit are novel"},
			{"finds none novel", subject.Detectors, brokenDetector{novel: func(out []bool) { clear(out) }}.build, "where others are from -1 to 1 is not novel"},
			{"scores the other way round", subject.Detectors, brokenDetector{score: func(out []float64) {
				for i := range out {
					out[i] = -out[i]
				}
			}}.build, "a row far from all has the score"},
			{"decides by something else", subject.Detectors, brokenDetector{novel: func(out []bool) {
				for i := range len(out) / 3 {
					out[i] = !out[i]
				}
			}}.build, "one that is not"},
			{"has p-values of 0", subject.Detectors, brokenDetector{p: func(out []float64) { out[3] = 0 }}.build, "the p-value of row 3 is 0"},
			{"has p-values the other way round", subject.Detectors, brokenDetector{p: func(out []float64) {
				for i := range out {
					out[i] = 1 - out[i]/2
				}
			}}.build, "the p-value of a row far from all"},
			{"has p-values that are too small", subject.Detectors, brokenDetector{p: func(out []float64) {
				for i := range out {
					out[i] /= 4
				}
			}}.build, "the mean p-value"},
		},
		"sets": {
			{"ignores the level", subject.Classifiers, setting{}.build, "PredictSet of level 0: no error"},
			{"returns unknown labels", subject.Classifiers, setting{how: func(_ []int, _ float64, sets [][]int) [][]int {
				sets[1] = []int{77}
				return sets
			}}.build, "row 1: the set [77]"},
			{"descends", subject.Classifiers, setting{how: func(classes []int, _ float64, sets [][]int) [][]int {
				sets[3] = []int{classes[1], classes[0]}
				return sets
			}}.build, "row 3: the set"},
			{"shrinks", subject.Classifiers, setting{how: func(classes []int, level float64, sets [][]int) [][]int {
				if sets[5] = classes; level > 0.95 {
					sets[5] = classes[:1]
				}
				return sets
			}}.build, "row 5: the set of level 0.999"},
			{"loses a row", subject.Classifiers, setting{how: func(_ []int, _ float64, sets [][]int) [][]int { return sets[1:] }}.build, "23 sets for 24 rows"},
		},
		"kernel-matrix": {
			{"adds to the diagonal", subject.Regressors, onMatrices{fit: func(m *lssvm.Regressor, k mat.Symmetric, y []float64) error {
				own := mat.NewSymDense(k.SymmetricDim(), nil)
				own.CopySym(k)
				for i := range y {
					own.SetSym(i, i, own.At(i, i)+0.1)
				}
				return m.FitMatrix(context.Background(), own, y)
			}}.build, "on the matrices of"},
			{"ignores the columns", subject.Regressors, onMatrices{predict: func(m *lssvm.Regressor, k mat.Matrix) ([]float64, error) {
				n, columns := k.Dims()
				if columns == subject.TrainRows {
					return m.PredictMatrix(k)
				}
				return make([]float64, n), nil
			}}.build, "a column too few: no error"},
			{"ignores values that are not finite", subject.Regressors, onMatrices{fit: func(m *lssvm.Regressor, k mat.Symmetric, y []float64) error {
				own := mat.NewSymDense(k.SymmetricDim(), nil)
				own.CopySym(k)
				for i := range own.SymmetricDim() {
					for j := range i {
						if v := own.At(i, j); v-v != 0 {
							own.SetSym(i, j, 0)
						}
					}
				}
				return m.FitMatrix(context.Background(), own, y)
			}}.build, "K[3,5] = NaN: no error"},
		},
		"weighted-fit": {
			regressor("ignores weights", "the row twice", regressorMethods{weighted: func(b R, c ctx, x mat.Matrix, y, _ []float64) error { return b.Ridge.Fit(c, x, y) }}),
			regressor("changes the meaning of weights of 1", "weights of 1", regressorMethods{weighted: func(b R, c ctx, x mat.Matrix, y, w []float64) error {
				if slices.Max(w) == 1 {
					w = slices.Clone(w)
					w[0] = 5
				}
				return b.Ridge.FitWeighted(c, x, y, w)
			}}),
		},
		"repeated-rows": {
			regressor("counts copies as rows", "each row once and twice", regressorMethods{fit: func(b R, c ctx, x mat.Matrix, y []float64) error {
				n, _ := x.Dims()
				b.Ridge.Penalty = 100 / float64(n)
				return b.Ridge.Fit(c, x, y)
			}}),
		},
		"bad-weights": {
			regressor("uses the size of labels", "negative weights: no error", regressorMethods{weighted: func(b R, c ctx, x mat.Matrix, y, w []float64) error {
				w = slices.Clone(w)
				for i, v := range w {
					w[i] = math.Abs(v)
				}
				return b.Ridge.FitWeighted(c, x, y, w)
			}}),
			regressor("forgets before it looks", "not fitted", regressorMethods{weighted: func(b R, c ctx, x mat.Matrix, y, w []float64) error {
				b.Ridge = &toy.Ridge{}
				return b.Ridge.FitWeighted(c, x, y, w)
			}}),
		},
		"report": {
			regressor("has no objective", "NaN", regressorMethods{report: func(b R) estimators.Report {
				r := b.Ridge.Report()
				r.Objective = math.NaN()
				return r
			}}),
			regressor("converged before Fit", "Report before Fit", regressorMethods{report: func(R) estimators.Report { return estimators.Report{Converged: true} }}),
			func() mutant {
				warnings := []string{"of the model"}
				return regressor("returns its own warnings", "not a copy", regressorMethods{report: func(b R) estimators.Report {
					r := b.Ridge.Report()
					r.Warnings = warnings
					return r
				}})
			}(),
		},
		"column-names": {
			{"forgets them", subject.Regressors, func() any { return &named{Ridge: &toy.Ridge{}, Forgets: true} }, "ColumnNames after Fit"},
			{"counts none", subject.Regressors, func() any { return &named{Ridge: &toy.Ridge{}} }, "Fit with one name too many"},
		},
		"capabilities": {
			{"denies a supported method", subject.Regressors, func() any { return liar{regressorMethods{}.build().(R)} }, "but it works"},
			{"reports an unsupported method", subject.Regressors, func() any {
				return regressorMethods{variance: func(R, mat.Matrix) ([]float64, []float64, error) { return nil, nil, errOther }}.build()
			}, "but it fails"},
			{"writes and does not read", subject.Regressors, func() any { return writer{&toy.Ridge{}} }, "has one of"},
		},
	}
}

// named is a regressor that accepts any number of column names. If Forgets is set, Fit does not keep the names.
type named struct {
	*toy.Ridge
	names, fitted []string
	Forgets       bool
}

func (n *named) SetColumnNames(names []string) { n.names = names }

func (n *named) ColumnNames() []string { return n.fitted }

func (n *named) Fit(c ctx, x mat.Matrix, y []float64) error {
	if !n.Forgets {
		n.fitted = slices.Clone(n.names)
	}
	return n.Ridge.Fit(c, x, y)
}

// stream is the type of streams to which transformers are fitted.
type stream = iter.Seq2[streaming.Block[streaming.None], error]

// unweighing is a regressor whose FitBlocks ignores the weights.
type unweighing struct{ model toy.Ridge }

func (u *unweighing) Fit(c ctx, x mat.Matrix, y []float64) error { return u.model.Fit(c, x, y) }

func (u *unweighing) FitWeighted(c ctx, x mat.Matrix, y, w []float64) error {
	return u.model.FitWeighted(c, x, y, w)
}

func (u *unweighing) Predict(x mat.Matrix) ([]float64, error) { return u.model.Predict(x) }

func (u *unweighing) FitBlocks(c ctx, blocks iter.Seq2[streaming.Block[float64], error]) error {
	var x, y []float64
	d := 0
	for b, err := range blocks {
		if err != nil {
			return err
		}
		_, d = b.X.Dims()
		x, y = append(x, b.X.RawMatrix().Data...), append(y, b.Y...)
	}
	return u.model.Fit(c, mat.NewDense(len(y), d, x), y)
}

func shiftedBy(y []float64, by float64) []float64 {
	out := slices.Clone(y)
	for i := range out {
		out[i] += by * float64(i)
	}
	return out
}

func width(x mat.Matrix) int {
	_, d := x.Dims()
	return d
}

// drawn is a linear function of three columns. The graph that it builds adds a term.
type drawn struct {
	own         toy.Ridge
	of          float64
	early, none bool
}

func (d *drawn) Fit(c ctx, x mat.Matrix, y []float64) error { return d.own.Fit(c, x, y) }
func (d *drawn) Predict(x mat.Matrix) ([]float64, error)    { return d.own.Predict(x) }
func (d *drawn) at(row ...float64) (float64, error) {
	y, err := d.own.Predict(mat.NewDense(1, len(row), row))
	if err != nil {
		return 0, err
	}
	return y[0], nil
}

func (d *drawn) Graph(x graph.Value) (graph.Outputs, error) {
	if d.early {
		return graph.Outputs{Mean: x.Fill(1)}, nil
	}
	intercept, err := d.at(0, 0, 0)
	if err != nil || d.none {
		return graph.Outputs{}, err
	}
	if err := graph.Columns(x, 3); err != nil {
		return graph.Outputs{}, err
	}
	out := x.Fill(intercept + d.of)
	for j := range 3 {
		unit := make([]float64, 3)
		unit[j] = 1
		v, err := d.at(unit...)
		if err != nil {
			return graph.Outputs{}, err
		}
		out = out.Add(x.Select(j).Times(v - intercept))
	}
	return graph.Outputs{Mean: out}, nil
}

// expanding is a regressor whose Expansion consists of a linear kernel with a single row.
type expanding struct {
	drawn
	spoil func(e *estimators.Expansion)
	early bool
}

func (e expanding) build() any { return &e }

func (e *expanding) Expansion() (estimators.Expansion, error) {
	intercept, err := e.at(0, 0, 0)
	if err != nil && !e.early {
		return estimators.Expansion{}, err
	}
	row := mat.NewDense(1, 3, nil)
	for j := range 3 {
		unit := make([]float64, 3)
		unit[j] = 1
		v, _ := e.at(unit...)
		row.Set(0, j, v-intercept)
	}
	part := estimators.ExpansionPart{Kernel: kernels.Linear{}, Rows: row, Coefficients: mat.NewDense(1, 1, []float64{1})}
	out := estimators.Expansion{Parts: []estimators.ExpansionPart{part}, Intercepts: []float64{intercept}}
	if e.spoil != nil {
		e.spoil(&out)
	}
	return out, nil
}

// wideScaler is a scaler that builds a graph for any number of columns, also if it was not fitted to them.
type wideScaler struct{ own scalers.StandardScaler }

func (w *wideScaler) Fit(c ctx, x mat.Matrix) error              { return w.own.Fit(c, x) }
func (w *wideScaler) Transform(x mat.Matrix) (*mat.Dense, error) { return w.own.Transform(x) }
func (w *wideScaler) Graph(x graph.Value) (graph.Outputs, error) {
	if w.own.Means() == nil {
		return graph.Outputs{}, fault.NotFitted("wideScaler")
	}
	if x.Cols() == 3 {
		return w.own.Graph(x)
	}
	return graph.Outputs{Rows: x}, nil
}

// naiveTransform standardises the columns, but does not handle a deviation of 0.
func naiveTransform(b T, x mat.Matrix) (*mat.Dense, error) {
	z, err := b.StandardScaler.Transform(x)
	if err != nil {
		return nil, err
	}
	scales := b.StandardScaler.Scales()
	z.Apply(func(_, j int, v float64) float64 {
		if scales[j] == 1 && v == 0 {
			return math.NaN()
		}
		return v
	}, z)
	return z, nil
}

// judged runs a check on a mutant in the same way as the suite.
func (m mutant) judged(c check) conformance.Verdict {
	s := &subject.Subject{Kind: m.kind, Build: m.build, Options: subject.Settings{Tolerance: defaultTolerance, Steps: stepsOf[m.name]}}
	if c.name == "workers" {
		s.Options.Workers = func(n int) any {
			return regressorMethods{predict: shifted(func(R, mat.Matrix) float64 { return float64(n/4) * 1e-15 })}.build()
		}
	}
	return judge(c, s)
}

// TestEveryCheckCanFail tests the suite: each check rejects the types that violate it.
func TestEveryCheckCanFail(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	all := mutants(release)
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) {
			assert.NotEmpty(t, all[c.name], "no mutant shows that this check can fail")
			for _, m := range all[c.name] {
				assert.NotZero(t, c.kinds&m.kind, "the check is not for the kind of %q", m.name)
				v := m.judged(c)
				assert.Empty(t, v.Skipped, m.name)
				assert.True(t, v.Failed(), "the check passes a type that %s", m.name)
				assert.Contains(t, strings.Join(v.Failures, "\n"), m.says, "the check fails %q for another reason", m.name)
			}
		})
		delete(all, c.name)
	}
	assert.Empty(t, all, "mutants of checks that do not exist")
}

// TestBrokenTypesWithNothingBroken checks that mutants fail only because of their mutations: without one, the types pass every
// check.
func TestBrokenTypesWithNothingBroken(t *testing.T) {
	for _, m := range []mutant{
		regressor("regressor", "", regressorMethods{}),
		classifier("classifier", "", classifierMethods{}),
		transformer("transformer", "", transformerMethods{}),
		{"detector", subject.Detectors, brokenDetector{}.build, ""},
		{"configured", subject.Regressors, func() any { return newConfigured(true, true) }, ""},
		{"chunked", subject.Regressors, newChunked((*chunked).takeIn), ""},
		{"on matrices", subject.Regressors, onMatrices{}.build, ""},
		{"leaving out", subject.Regressors, newLeaving((*leaving).refit), ""},
		{"several targets", subject.Multis, brokenMulti{}.build, ""},
	} {
		// Some types lack the methods that these checks need.
		beyond := map[string]bool{
			"model-file": true, "stop-and-go": true, "statistics": m.name != "transformer", "statistics-and-fit": m.name != "transformer",
			"fit-blocks": m.name != "transformer", "partial-fit": m.name != "chunked", "kernel-matrix": m.name != "on matrices", "leave-one-out": m.name != "leaving out" && m.name != "on matrices",
			"smoother": m.name != "on matrices", "expansion": true, "column-names": true, "sets": true, "graph": true, "to-forms": m.kind == subject.Detectors,
		}
		if m.kind == subject.Multis {
			for _, name := range []string{"marshal-round-trip", "marshal-into-fitted", "marshal-truncated", "marshal-flipped", "marshal-garbage", "to-forms", "weighted-fit", "bad-weights", "report"} {
				beyond[name] = true
			}
		}
		for _, c := range checks {
			if c.kinds&m.kind == 0 || c.name == "workers" {
				continue
			}
			v := m.judged(c)
			if m.name == "on matrices" && (c.name == "weighted-fit" || c.name == "leave-one-out") { // it has a leave-one-out ridge
				continue
			}
			assert.Empty(t, v.Failures, "%s: %s", m.name, c.name)
			assert.Equal(t, beyond[c.name], v.Skipped != "", "%s: %s", m.name, c.name)
		}
	}
}
