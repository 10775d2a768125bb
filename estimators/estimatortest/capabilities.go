package estimatortest

import (
	"context"
	"encoding"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/embedding"
	"github.com/kernelearn/kernelearn/streaming"
	"github.com/kernelearn/kernelearn/transformers"
)

func checkVariance(p *probe, s *subject) {
	m, x := s.fitted(p, s.train()), s.test().x
	m.needs(p, estimators.Variance)
	mean, variance, err := m.value.(estimators.VariancePredictor).PredictVariance(x)
	p.Must("PredictVariance", err)
	if len(mean) != testRows || len(variance) != testRows {
		p.Fatalf("PredictVariance gave %d means and %d variances for %d rows", len(mean), len(variance), testRows)
	}
	for i, v := range variance {
		if !(v >= 0) || math.IsInf(v, 1) {
			p.Fatalf("the variance of row %d is %v", i, v)
		}
	}
	got, err := columns(nil, mean)
	p.Must("PredictVariance", err)
	p.sameMatrix("the mean of PredictVariance", m.outputs(p, x)[0].values, got, s.options.Tolerance)
}

func checkInterval(p *probe, s *subject) {
	m, x := s.fitted(p, s.train()), s.test().x
	m.needs(p, estimators.Interval)
	v := m.value.(estimators.IntervalPredictor)
	for _, level := range []float64{0, 1, -0.5, 1.5, math.NaN(), math.Inf(1)} {
		_, _, err := v.PredictInterval(x, level)
		p.wants(fmt.Sprintf("PredictInterval of level %v", level), err, estimators.ErrParam)
	}
	mean := m.outputs(p, x)[0].values
	var before [2][]float64
	for k, level := range []float64{0.01, 0.5, 0.9, 0.999} {
		low, high, err := v.PredictInterval(x, level)
		p.Must("PredictInterval", err)
		if len(low) != testRows || len(high) != testRows {
			p.Fatalf("PredictInterval gave %d and %d ends for %d rows", len(low), len(high), testRows)
		}
		for i := range testRows {
			slack := s.options.Tolerance * max(1, math.Abs(mean.At(i, 0)))
			if !(low[i] <= mean.At(i, 0)+slack && high[i] >= mean.At(i, 0)-slack) {
				p.Fatalf("row %d: the interval of level %v, %v to %v, leaves out the prediction %v", i, level, low[i], high[i],
					mean.At(i, 0))
			}
			if k > 0 && !(low[i] < before[0][i] && high[i] > before[1][i]) {
				p.Fatalf("row %d: the interval of level %v is no wider than that of a lower level", i, level)
			}
		}
		before = [2][]float64{low, high}
	}
	checkIntervalAndVariance(p, m, x)
}

// checkIntervalAndVariance holds intervals to Chebyshev's bound, which is true of any
// distribution of the variance, and to cover the middle half of one with some density
// there.
func checkIntervalAndVariance(p *probe, m model, x *mat.Dense) {
	if !m.can(estimators.Variance) {
		return
	}
	_, variance, err := m.value.(estimators.VariancePredictor).PredictVariance(x)
	p.Must("PredictVariance", err)
	const level = 0.9
	low, high, err := m.value.(estimators.IntervalPredictor).PredictInterval(x, level)
	p.Must("PredictInterval", err)
	for i, v := range variance {
		half, sd := (high[i]-low[i])/2, math.Sqrt(v)
		if !(half <= sd/math.Sqrt(1-level) && half >= sd/2) {
			p.Fatalf("row %d: half the width of the interval of level %v is %v, the standard deviation %v", i, level, half, sd)
		}
	}
}

// weights returns the weights 1 and 2 in a pattern that favours no class.
func weights() []float64 {
	w := make([]float64, trainRows)
	for i := range w {
		w[i] = 1 + float64(i/3%2)
	}
	return w
}

func checkWeightedFit(p *probe, s *subject) {
	s.new().needs(p, estimators.Weighted)
	d, x := s.train(), s.test().x
	var rows []int
	for i, w := range weights() {
		for range int(w) {
			rows = append(rows, i)
		}
	}
	ones := make([]float64, trainRows)
	for i := range ones {
		ones[i] = 1
	}
	for _, c := range []struct {
		name    string
		weights []float64
		plain   data
	}{{"a weight of 2 and the row twice", weights(), d.pick(rows)}, {"weights of 1 and none", ones, d}} {
		m := s.new()
		p.Must("FitWeighted", m.fitWeighted(context.Background(), d.x, d.y, c.weights))
		p.same(c.name, s.fitted(p, c.plain).outputs(p, x), m.outputs(p, x), s.options.Tolerance)
	}
}

func checkRepeatedRows(p *probe, s *subject) {
	d, x := s.train(), s.test().x
	twice := make([]int, 2*trainRows)
	for i := range twice {
		twice[i] = i % trainRows
	}
	p.same("each row once and twice", s.fitted(p, d).outputs(p, x), s.fitted(p, d.pick(twice)).outputs(p, x), s.options.Tolerance)
}

func checkBadWeights(p *probe, s *subject) {
	m, x := s.fitted(p, s.train()), s.test().x
	m.needs(p, estimators.Weighted)
	want := m.outputs(p, x)
	with := func(v float64) []float64 {
		w := weights()
		w[4] = v
		return w
	}
	for name, w := range map[string][]float64{
		"no": nil, "too few": weights()[1:], "too many": append(weights(), 1),
		"zero": with(0), "negative": with(-1), "NaN": with(math.NaN()), "infinite": with(math.Inf(1)),
	} {
		d := s.train()
		if err := m.fitWeighted(context.Background(), d.x, d.y, w); err == nil {
			p.Errorf("FitWeighted with %s weights: no error", name)
		} else {
			p.contract("FitWeighted with "+name+" weights", err)
		}
		p.keeps("a FitWeighted with "+name+" weights", m, x, want)
	}
}

func checkReport(p *probe, s *subject) {
	s.new().needs(p, estimators.Reporting)
	before := s.new().value.(estimators.Reporter).Report()
	if before.Converged || before.Iterations != 0 {
		p.Errorf("Report before Fit: %+v", before)
	}
	r := s.fitted(p, s.train()).value.(estimators.Reporter)
	got := r.Report()
	if got.Iterations < 0 || math.IsNaN(got.Objective) || !(got.Jitter >= 0) || math.IsInf(got.Jitter, 1) {
		p.Errorf("Report after Fit: %+v", got)
	}
	again := r.Report()
	for i := range got.Warnings {
		got.Warnings[i] = "overwritten"
	}
	if third := r.Report(); len(got.Warnings) > 0 && third.Warnings[0] == "overwritten" {
		p.Errorf("the Warnings of a Report are those of the model itself, no copy")
	} else if len(third.Warnings) != len(again.Warnings) {
		p.Errorf("Report: %d warnings, then %d", len(again.Warnings), len(third.Warnings))
	}
}

func checkCapabilities(p *probe, s *subject) {
	m, x := s.fitted(p, s.train()), s.test().x
	_, writes := m.value.(encoding.BinaryMarshaler)
	_, reads := m.value.(encoding.BinaryUnmarshaler)
	if writes != reads {
		p.Errorf("has one of MarshalBinary and UnmarshalBinary")
	}
	calls := s.everyMethod(m, x)
	for _, capability := range estimators.Capabilities() {
		call, ok := calls[capability]
		if !ok {
			if capability == estimators.Cloning || capability == estimators.Grouping { // have no error; a Fit after them may fail
				continue
			}
			call = func() error { return fmt.Errorf("no such method: %w", errors.ErrUnsupported) }
		}
		err := call()
		switch supports := m.can(capability); {
		case supports && err != nil:
			p.Errorf("%v is said to be supported: %v", capability, err)
		case !supports && err == nil:
			p.Errorf("%v is said not to be supported, yet works", capability)
		case !supports && !errors.Is(err, errors.ErrUnsupported):
			p.Errorf("%v is said not to be supported; the error %q is no errors.ErrUnsupported", capability, err)
		}
	}
}

// everyMethod returns a call of each capability's method that the type has, be it supported
// or not: on m, fitted, or on a new value of the subject where the method fits one.
func (s *subject) everyMethod(m model, x mat.Matrix) map[estimators.Capability]func() error {
	out := map[estimators.Capability]func() error{}
	if v, ok := m.value.(estimators.ProbaPredictor); ok {
		out[estimators.Proba] = func() error { _, err := v.PredictProba(x); return err }
	}
	if v, ok := m.value.(estimators.DecisionPredictor); ok {
		out[estimators.Decision] = func() error { _, err := v.Decision(x); return err }
	}
	if v, ok := m.value.(estimators.VariancePredictor); ok {
		out[estimators.Variance] = func() error { _, _, err := v.PredictVariance(x); return err }
	}
	if v, ok := m.value.(estimators.IntervalPredictor); ok {
		out[estimators.Interval] = func() error { _, _, err := v.PredictInterval(x, 0.9); return err }
	}
	if v, ok := m.value.(estimators.LeaveOneOutPredictor); ok {
		out[estimators.LeaveOneOut] = func() error { _, err := v.LeaveOneOutResiduals(context.Background()); return err }
	}
	if v, ok := m.value.(estimators.SetPredictor); ok {
		out[estimators.Sets] = func() error { _, err := v.PredictSet(x, 0.9); return err }
	}
	if v, ok := m.value.(estimators.PPredictor); ok {
		out[estimators.PValues] = func() error { _, err := v.PredictP(x); return err }
	}
	if v, ok := m.value.(estimators.LinearSmoother); ok {
		out[estimators.Smoothing] = func() error {
			d := s.train()
			_, err := v.Smoother(context.Background(), d.x, mat.NewDense(len(d.y), 1, slices.Clone(d.y)), nil)
			return err
		}
	}
	if v, ok := m.value.(estimators.DecisionPredictorTo); ok {
		out[estimators.DecisionTo] = func() error {
			return v.DecisionTo(m.scores(rowsOf(x)), x)
		}
	}
	if v, ok := m.value.(estimators.ProbaPredictorTo); ok {
		out[estimators.ProbaTo] = func() error { return v.PredictProbaTo(m.scores(rowsOf(x)), x) }
	}
	if v, ok := embedding.As[transformers.Inverter](m.value); ok {
		out[estimators.Inverting] = func() error { _, err := v.InverseTransform(x); return err }
	}
	if v, ok := m.value.(encoding.BinaryMarshaler); ok {
		out[estimators.Marshalling] = func() error { _, err := v.MarshalBinary(); return err }
	}
	if v, ok := embedding.As[estimators.Continuer](m.value); ok {
		out[estimators.Continuing] = func() error {
			_, err := v.MarshalStatistics()
			if m.can(estimators.Continuing) && errors.Is(err, estimators.ErrNotFitted) {
				return nil // a Fit may leave none
			}
			return err
		}
	}
	if v, ok := m.value.(estimators.Reporter); ok {
		out[estimators.Reporting] = func() error {
			if m.can(estimators.Reporting) || !reflect.ValueOf(v.Report()).IsZero() {
				return nil
			}
			return fmt.Errorf("the zero Report: %w", errors.ErrUnsupported)
		}
	}
	d, ctx := s.train(), context.Background()
	if v, ok := embedding.As[streaming.BlockFitter[streaming.None]](s.new().value); ok {
		out[estimators.Blocks] = func() error {
			return v.FitBlocks(ctx, func(yield func(streaming.Block[streaming.None], error) bool) { yield(streaming.Rows(d.x), nil) })
		}
	}
	if v, ok := embedding.As[transformers.PartialFitter](s.new().value); ok {
		out[estimators.Partial] = func() error { return v.PartialFit(ctx, d.x) }
	}
	if fresh := s.new(); fresh.hasStages() {
		out[estimators.Mergeable] = func() error { return fresh.inStages(ctx, d) }
	}
	k := mat.NewSymDense(2, []float64{2, 1, 1, 2})
	switch v := m.value.(type) {
	case estimators.Regressor:
		fits[float64](ctx, out, v, func() any { return s.new().value }, d.x, d.y, []float64{1, 2}, k)
	case estimators.Classifier:
		fits[int](ctx, out, v, func() any { return s.new().value }, d.x, toLabels(d.y), []int{1, 2}, k)
	case estimators.MultiRegressor:
		s.multiMethods(out, m, x)
	}
	return out
}

// fits adds what depends on the kind of targets.
func fits[Y float64 | int](
	ctx context.Context, out map[estimators.Capability]func() error, fitted any, fresh func() any, x *mat.Dense, y, ofMatrix []Y,
	k mat.Symmetric,
) {
	if v, ok := fitted.(estimators.PredictorTo[Y]); ok {
		out[estimators.PredictTo] = func() error { return v.PredictTo(make([]Y, trainRows), x) }
	}
	if v, ok := fresh().(estimators.WeightedFitter[Y]); ok {
		out[estimators.Weighted] = func() error { return v.FitWeighted(ctx, x, y, weights()) }
	}
	if v, ok := embedding.As[estimators.PartialFitter[Y]](fresh()); ok {
		out[estimators.Partial] = func() error { return v.PartialFit(ctx, x, y) }
	}
	if v, ok := embedding.As[streaming.BlockFitter[Y]](fresh()); ok {
		out[estimators.Blocks] = func() error {
			return v.FitBlocks(ctx, func(yield func(streaming.Block[Y], error) bool) { yield(streaming.Block[Y]{X: x, Y: y}, nil) })
		}
	}
	if v, ok := fresh().(estimators.MatrixFitter[Y]); ok {
		out[estimators.KernelMatrix] = func() error { return v.FitMatrix(ctx, k, ofMatrix) }
	}
}
