// Package subject provides a common interface, with float64 matrices, for types under test of all kinds. It also contains the
// problems to which they are fitted, and a probe that checks the results of their methods.
package subject

import (
	"context"
	"encoding"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/transformers"
)

// Kind is a set of kinds of types.
type Kind int

const (
	Regressors Kind = 1 << iota
	Classifiers
	Transforms
	Multis
	Detectors

	Supervised = Regressors | Classifiers | Multis
	Every      = Supervised | Transforms | Detectors
)

// String returns the names of the kinds.
func (k Kind) String() string {
	var names []string
	for _, one := range []struct {
		kind Kind
		name string
	}{{Regressors, "regressors"}, {Classifiers, "classifiers"}, {Transforms, "transformers"}, {Multis, "several targets"}, {Detectors,
		"detectors"}} {
		if k&one.kind != 0 {
			names = append(names, one.name)
		}
	}
	return strings.Join(names, ", ")
}

// Settings adapts the checks to a type, as documented at Options of package estimatortest.
type Settings struct {
	Skip      map[string]string
	Workers   func(workers int) any
	Tolerance float64
	Steps     int
	Gaps      bool
}

// Subject is a type under test.
type Subject struct {
	Kind    Kind
	Build   func() any
	Options Settings
}

// Model is a value of a subject. It is a common interface for all kinds of types: targets and labels are []float64, and the result
// of every method is a matrix with a row for each row of x.
type Model struct {
	Kind  Kind
	Value any
}

func (s *Subject) New() Model { return Model{s.Kind, s.Build()} }

// Fitted returns a new model that is fitted to the problem.
func (s *Subject) Fitted(p *Probe, d Data) Model {
	m := s.New()
	p.Must("Fit", m.Fit(context.Background(), d.X, d.Y))
	return m
}

func (m Model) Fit(ctx context.Context, x mat.Matrix, y []float64) error {
	switch m.Kind {
	case Regressors:
		return m.Value.(estimators.Regressor).Fit(ctx, x, y)
	case Classifiers:
		return m.Classifier().Fit(ctx, x, ToLabels(y))
	case Multis:
		return withTargets(y, func(y mat.Matrix) error { return m.Multi().Fit(ctx, x, y) })
	case Detectors:
		return m.Detector().Fit(ctx, x)
	}
	err := m.Value.(transformers.Transformer).Fit(ctx, x)
	if t, ok := m.Value.(transformers.TargetFitter); ok && errors.Is(err, errors.ErrUnsupported) { // it needs targets
		var targets mat.Matrix
		if len(y) > 0 {
			targets = mat.NewDense(len(y), 1, slices.Clone(y))
		}
		_, err = t.FitTransformTargets(ctx, x, targets)
	}
	return err
}

func (m Model) FitWeighted(ctx context.Context, x mat.Matrix, y, weights []float64) error {
	switch m.Kind {
	case Regressors:
		return m.Value.(estimators.WeightedFitter[float64]).FitWeighted(ctx, x, y, weights)
	case Multis:
		return withTargets(y, func(y mat.Matrix) error {
			return m.Value.(estimators.MultiWeightedFitter).FitWeighted(ctx, x, y, weights)
		})
	}
	return m.Value.(estimators.WeightedFitter[int]).FitWeighted(ctx, x, ToLabels(y), weights)
}

func (m Model) Multi() estimators.MultiRegressor { return m.Value.(estimators.MultiRegressor) }

// withTargets calls fit with a matrix of y and of further targets, which are computed from y on another scale. The matrix is
// overwritten after the fit. If the fit itself has modified it, withTargets returns an error.
func withTargets(y []float64, fit func(y mat.Matrix) error) error {
	if y == nil {
		return fit(nil)
	}
	if len(y) == 0 {
		return fit(&mat.Dense{})
	}
	targets := mat.NewDense(len(y), 2, nil)
	for i, v := range y {
		targets.SetRow(i, []float64{v, 1e3 * v * (v + 1)})
	}
	kept := slices.Clone(targets.RawMatrix().Data)
	err := fit(targets)
	for i, v := range targets.RawMatrix().Data {
		if math.Float64bits(v) != math.Float64bits(kept[i]) {
			return fmt.Errorf("the matrix of targets was written to")
		}
	}
	targets.Apply(func(int, int, float64) float64 { return -8 }, targets)
	return err
}

func (m Model) Classifier() estimators.Classifier { return m.Value.(estimators.Classifier) }

func (m Model) Detector() estimators.Detector { return m.Value.(estimators.Detector) }

func ToLabels(y []float64) []int {
	if y == nil {
		return nil
	}
	out := make([]int, len(y))
	for i, v := range y {
		out[i] = int(v)
	}
	return out
}

// Needs skips the check if the type lacks a capability.
func (m Model) Needs(p *Probe, c estimators.Capability) {
	if !m.Can(c) {
		p.Skip("has no " + c.String())
	}
}

// Can reports whether the type has a capability.
func (m Model) Can(c estimators.Capability) bool { return estimators.Supports(m.Value, c) }

// Clone returns an unfitted copy.
func (m Model) Clone() Model { return Model{m.Kind, estimators.Clone(m.Value)} }

func (m Model) Marshal() ([]byte, error) {
	return m.Value.(encoding.BinaryMarshaler).MarshalBinary()
}

func (m Model) Unmarshal(data []byte) error {
	return m.Value.(encoding.BinaryUnmarshaler).UnmarshalBinary(data)
}

// Method is a method that maps rows to results.
type Method struct {
	Name string
	Call func(x mat.Matrix) (*mat.Dense, error)
}

// Predict returns the method that every type of the model's kind has: Predict, Score or Transform.
func (m Model) Predict() Method {
	switch m.Kind {
	case Regressors:
		return Method{"Predict", func(x mat.Matrix) (*mat.Dense, error) {
			y, err := m.Value.(estimators.Regressor).Predict(x)
			return Columns(err, y)
		}}
	case Classifiers:
		return Method{"Predict", func(x mat.Matrix) (*mat.Dense, error) {
			labels, err := m.Classifier().Predict(x)
			y := make([]float64, len(labels))
			for i, l := range labels {
				y[i] = float64(l)
			}
			return Columns(err, y)
		}}
	case Multis:
		return Method{"Predict", m.Multi().Predict}
	}
	if m.Kind == Detectors {
		return Method{"Score", func(x mat.Matrix) (*mat.Dense, error) {
			scores, err := m.Detector().Score(x)
			return Columns(err, scores)
		}}
	}
	return Method{"Transform", m.Value.(transformers.Transformer).Transform}
}

// novel returns the predictions of a detector as a column, in which 1 is a novel row and 0 a usual one.
func (m Model) novel(x mat.Matrix) (*mat.Dense, error) {
	novel, err := m.Detector().Predict(x)
	out := make([]float64, len(novel))
	for i, yes := range novel {
		if yes {
			out[i] = 1
		}
	}
	return Columns(err, out)
}

// Methods returns Predict and the methods of the capabilities that the type has.
func (m Model) Methods() []Method {
	out := []Method{m.Predict()}
	if m.Kind == Detectors {
		out = append(out, Method{"Predict", m.novel})
		if m.Can(estimators.PValues) {
			v := m.Value.(estimators.PPredictor)
			out = append(out, Method{"PredictP", func(x mat.Matrix) (*mat.Dense, error) {
				p, err := v.PredictP(x)
				return Columns(err, p)
			}})
		}
	}
	if m.Can(estimators.Proba) {
		out = append(out, Method{"PredictProba", m.Value.(estimators.ProbaPredictor).PredictProba})
	}
	if m.Can(estimators.Decision) {
		out = append(out, Method{"Decision", m.Value.(estimators.DecisionPredictor).Decision})
	}
	if m.Kind == Multis {
		return append(append(out, m.multiMethods()...), m.ToForms()...)
	}
	if m.Can(estimators.Variance) {
		out = append(out, Method{"PredictVariance", func(x mat.Matrix) (*mat.Dense, error) {
			mean, variance, err := m.Value.(estimators.VariancePredictor).PredictVariance(x)
			return Columns(err, mean, variance)
		}})
	}
	if m.Can(estimators.Interval) {
		out = append(out, Method{"PredictInterval", func(x mat.Matrix) (*mat.Dense, error) {
			low, high, err := m.Value.(estimators.IntervalPredictor).PredictInterval(x, 0.9)
			return Columns(err, low, high)
		}})
	}
	return append(out, m.ToForms()...)
}

// OverwriteResults calls every method and overwrites its results.
func (m Model) OverwriteResults(x mat.Matrix) error {
	switch v := m.Value.(type) {
	case estimators.Regressor:
		y, err := v.Predict(x)
		if err != nil {
			return err
		}
		clear(y)
	case estimators.Classifier:
		y, err := v.Predict(x)
		if err != nil {
			return err
		}
		clear(y)
	case estimators.Detector:
		scores, err := v.Score(x)
		if err != nil {
			return err
		}
		clear(scores)
	}
	if m.Kind != Multis && m.Can(estimators.Variance) {
		mean, variance, err := m.Value.(estimators.VariancePredictor).PredictVariance(x)
		if err != nil {
			return err
		}
		clear(mean)
		clear(variance)
	}
	if m.Kind != Multis && m.Can(estimators.Interval) {
		low, high, err := m.Value.(estimators.IntervalPredictor).PredictInterval(x, 0.9)
		if err != nil {
			return err
		}
		clear(low)
		clear(high)
	}
	if m.Kind == Multis {
		if err := m.overwriteMatrices(x); err != nil {
			return err
		}
	}
	for _, f := range m.Methods() {
		// For methods that return slices, the functions return copies. The slices themselves were overwritten above.
		values, err := f.Call(x)
		if err != nil {
			return err
		}
		values.Zero()
	}
	return nil
}

// Columns returns a matrix whose columns are slices of the same length.
func Columns(err error, cols ...[]float64) (*mat.Dense, error) {
	if err != nil {
		return nil, err
	}
	n := len(cols[0])
	for _, c := range cols {
		if len(c) != n {
			return nil, fmt.Errorf("results of %d and of %d entries", n, len(c))
		}
	}
	if n == 0 {
		return &mat.Dense{}, nil
	}
	out := mat.NewDense(n, len(cols), nil)
	for j, c := range cols {
		out.SetCol(j, c)
	}
	return out, nil
}

// Outputs holds the results of all methods of a model for the same rows.
type Outputs []Output

type Output struct {
	Method string
	Values *mat.Dense
}

// Outputs calls every method for the rows of x. It fails if a method returns an error, or does not return a finite row for each row
// of x.
func (m Model) Outputs(p *Probe, x mat.Matrix) Outputs {
	out, err := m.tryOutputs(x)
	p.Must("on good rows", err)
	return out
}

func (m Model) tryOutputs(x mat.Matrix) (Outputs, error) {
	var out Outputs
	for _, f := range m.Methods() {
		v, err := f.Call(x)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		n, _ := x.Dims()
		rows := 0
		if v != nil {
			rows, _ = v.Dims()
		}
		if rows != n {
			return nil, fmt.Errorf("%s returned %d rows for %d", f.Name, rows, n)
		}
		for i := range n {
			for j, a := range v.RawRowView(i) {
				if math.IsNaN(a) || math.IsInf(a, 0) {
					return nil, fmt.Errorf("%s returned %v in row %d, column %d", f.Name, a, i, j)
				}
			}
		}
		out = append(out, Output{f.Name, mat.DenseCopyOf(v)})
	}
	return out, nil
}
