package estimatortest

import (
	"context"
	"encoding"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/transformers"
)

// kind is a set of the kinds of type that there are.
type kind int

const (
	regressors kind = 1 << iota
	classifiers
	transforms
	multis
	detectors

	supervised = regressors | classifiers | multis
	every      = supervised | transforms | detectors
)

// subject is a type under test.
type subject struct {
	kind    kind
	build   func() any
	options Options
}

// model is a value of a subject. It gives all kinds one face: targets and
// labels are []float64, and every method's result is a matrix with a row for
// each row of x.
type model struct {
	kind  kind
	value any
}

func (s *subject) new() model { return model{s.kind, s.build()} }

// fitted returns a new model, fitted on the problem.
func (s *subject) fitted(p *probe, d data) model {
	m := s.new()
	p.Must("Fit", m.fit(context.Background(), d.x, d.y))
	return m
}

func (m model) fit(ctx context.Context, x mat.Matrix, y []float64) error {
	switch m.kind {
	case regressors:
		return m.value.(estimators.Regressor).Fit(ctx, x, y)
	case classifiers:
		return m.classifier().Fit(ctx, x, toLabels(y))
	case multis:
		return withTargets(y, func(y mat.Matrix) error { return m.multi().Fit(ctx, x, y) })
	case detectors:
		return m.detector().Fit(ctx, x)
	}
	return m.value.(transformers.Transformer).Fit(ctx, x)
}

func (m model) fitWeighted(ctx context.Context, x mat.Matrix, y, weights []float64) error {
	switch m.kind {
	case regressors:
		return m.value.(estimators.WeightedFitter[float64]).FitWeighted(ctx, x, y, weights)
	case multis:
		return withTargets(y, func(y mat.Matrix) error {
			return m.value.(estimators.MultiWeightedFitter).FitWeighted(ctx, x, y, weights)
		})
	}
	return m.value.(estimators.WeightedFitter[int]).FitWeighted(ctx, x, toLabels(y), weights)
}

func (m model) multi() estimators.MultiRegressor { return m.value.(estimators.MultiRegressor) }

// withTargets has a type of several targets learn from those of one, and from others that are made of them and of another
// scale. The matrix is overwritten after it; an error says so where it was before.
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

func (m model) classifier() estimators.Classifier { return m.value.(estimators.Classifier) }

func (m model) detector() estimators.Detector { return m.value.(estimators.Detector) }

func toLabels(y []float64) []int {
	if y == nil {
		return nil
	}
	out := make([]int, len(y))
	for i, v := range y {
		out[i] = int(v)
	}
	return out
}

// needs skips the check if the type lacks a capability.
func (m model) needs(p *probe, c estimators.Capability) {
	if !m.can(c) {
		p.Skip("has no " + c.String())
	}
}

// can reports whether the type has a capability.
func (m model) can(c estimators.Capability) bool { return estimators.Supports(m.value, c) }

// clone returns what Clone gives.
func (m model) clone() model {
	switch v := m.value.(type) {
	case estimators.Cloner[estimators.Regressor]:
		return model{m.kind, v.Clone()}
	case estimators.Cloner[estimators.Classifier]:
		return model{m.kind, v.Clone()}
	case estimators.Cloner[estimators.MultiRegressor]:
		return model{m.kind, v.Clone()}
	case estimators.Cloner[estimators.Detector]:
		return model{m.kind, v.Clone()}
	}
	return model{m.kind, m.value.(transformers.Cloner).Clone()}
}

func (m model) marshal() ([]byte, error) {
	return m.value.(encoding.BinaryMarshaler).MarshalBinary()
}

func (m model) unmarshal(data []byte) error {
	return m.value.(encoding.BinaryUnmarshaler).UnmarshalBinary(data)
}

// method is one that maps rows to results.
type method struct {
	name string
	call func(x mat.Matrix) (*mat.Dense, error)
}

// predict is the method that every type of the kind has.
func (m model) predict() method {
	switch m.kind {
	case regressors:
		return method{"Predict", func(x mat.Matrix) (*mat.Dense, error) {
			y, err := m.value.(estimators.Regressor).Predict(x)
			return columns(err, y)
		}}
	case classifiers:
		return method{"Predict", func(x mat.Matrix) (*mat.Dense, error) {
			labels, err := m.classifier().Predict(x)
			y := make([]float64, len(labels))
			for i, l := range labels {
				y[i] = float64(l)
			}
			return columns(err, y)
		}}
	case multis:
		return method{"Predict", m.multi().Predict}
	}
	if m.kind == detectors {
		return method{"Score", func(x mat.Matrix) (*mat.Dense, error) {
			scores, err := m.detector().Score(x)
			return columns(err, scores)
		}}
	}
	return method{"Transform", m.value.(transformers.Transformer).Transform}
}

// novel is Predict of a detector, 1 for a row that is novel.
func (m model) novel(x mat.Matrix) (*mat.Dense, error) {
	novel, err := m.detector().Predict(x)
	out := make([]float64, len(novel))
	for i, yes := range novel {
		if yes {
			out[i] = 1
		}
	}
	return columns(err, out)
}

// methods are predict and those of the capabilities that the type has.
func (m model) methods() []method {
	out := []method{m.predict()}
	if m.kind == detectors {
		out = append(out, method{"Predict", m.novel})
		if m.can(estimators.PValues) {
			v := m.value.(estimators.PPredictor)
			out = append(out, method{"PredictP", func(x mat.Matrix) (*mat.Dense, error) {
				p, err := v.PredictP(x)
				return columns(err, p)
			}})
		}
	}
	if m.can(estimators.Proba) {
		out = append(out, method{"PredictProba", m.value.(estimators.ProbaPredictor).PredictProba})
	}
	if m.can(estimators.Decision) {
		out = append(out, method{"Decision", m.value.(estimators.DecisionPredictor).Decision})
	}
	if m.kind == multis {
		return append(append(out, m.multiMethods()...), m.toForms()...)
	}
	if m.can(estimators.Variance) {
		out = append(out, method{"PredictVariance", func(x mat.Matrix) (*mat.Dense, error) {
			mean, variance, err := m.value.(estimators.VariancePredictor).PredictVariance(x)
			return columns(err, mean, variance)
		}})
	}
	if m.can(estimators.Interval) {
		out = append(out, method{"PredictInterval", func(x mat.Matrix) (*mat.Dense, error) {
			low, high, err := m.value.(estimators.IntervalPredictor).PredictInterval(x, 0.9)
			return columns(err, low, high)
		}})
	}
	return append(out, m.toForms()...)
}

// overwriteResults calls every method and overwrites what it returned.
func (m model) overwriteResults(x mat.Matrix) error {
	switch v := m.value.(type) {
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
	if m.kind != multis && m.can(estimators.Variance) {
		mean, variance, err := m.value.(estimators.VariancePredictor).PredictVariance(x)
		if err != nil {
			return err
		}
		clear(mean)
		clear(variance)
	}
	if m.kind != multis && m.can(estimators.Interval) {
		low, high, err := m.value.(estimators.IntervalPredictor).PredictInterval(x, 0.9)
		if err != nil {
			return err
		}
		clear(low)
		clear(high)
	}
	if m.kind == multis {
		if err := m.overwriteMatrices(x); err != nil {
			return err
		}
	}
	for _, f := range m.methods() {
		// Those that give slices give copies here and were dealt with above.
		values, err := f.call(x)
		if err != nil {
			return err
		}
		values.Zero()
	}
	return nil
}

// columns makes a matrix of slices of one length.
func columns(err error, cols ...[]float64) (*mat.Dense, error) {
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

// outputs is what all methods of a model give for the same rows.
type outputs []output

type output struct {
	method string
	values *mat.Dense
}

// outputs calls every method, which must not fail and must give a finite row
// for each row of x.
func (m model) outputs(p *probe, x mat.Matrix) outputs {
	out, err := m.tryOutputs(x)
	p.Must("on good rows", err)
	return out
}

func (m model) tryOutputs(x mat.Matrix) (outputs, error) {
	var out outputs
	for _, f := range m.methods() {
		v, err := f.call(x)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
		n, _ := x.Dims()
		rows := 0
		if v != nil {
			rows, _ = v.Dims()
		}
		if rows != n {
			return nil, fmt.Errorf("%s gave %d rows for %d", f.name, rows, n)
		}
		for i := range n {
			for j, a := range v.RawRowView(i) {
				if math.IsNaN(a) || math.IsInf(a, 0) {
					return nil, fmt.Errorf("%s gave %v in row %d, column %d", f.name, a, i, j)
				}
			}
		}
		out = append(out, output{f.name, mat.DenseCopyOf(v)})
	}
	return out, nil
}

// same fails unless got is want, to within tol·max(1, |want|) in each value; a
// tol of 0 asks for the same bits.
func (p *probe) same(what string, want, got outputs, tol float64) {
	if len(want) != len(got) {
		p.Errorf("%s: %d methods, want %d", what, len(got), len(want))
		return
	}
	for k, w := range want {
		p.sameMatrix(what+": "+w.method, w.values, got[k].values, tol)
	}
}

func (p *probe) sameMatrix(what string, want, got *mat.Dense, tol float64) {
	r, c := want.Dims()
	if r2, c2 := got.Dims(); r2 != r || c2 != c {
		p.Errorf("%s: %d×%d, want %d×%d", what, r2, c2, r, c)
		return
	}
	for i := range r {
		for j := range c {
			w, g := want.At(i, j), got.At(i, j)
			if math.Float64bits(w) == math.Float64bits(g) {
				continue
			}
			if !(math.Abs(w-g) <= tol*math.Max(1, math.Abs(w))) || tol == 0 {
				p.Errorf("%s: row %d, column %d is %v, want %v (tolerance %g)", what, i, j, g, w, tol)
				return
			}
		}
	}
}
