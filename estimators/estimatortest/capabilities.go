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
	"github.com/kernelearn/kernelearn/estimators/estimatortest/internal/streams"
	"github.com/kernelearn/kernelearn/estimators/estimatortest/internal/subject"
	"github.com/kernelearn/kernelearn/internal/embedding"
	"github.com/kernelearn/kernelearn/streaming"
	"github.com/kernelearn/kernelearn/transformers"
)

func checkVariance(p *subject.Probe, s *subject.Subject) {
	m, x := s.Fitted(p, s.Train()), s.Test().X
	m.Needs(p, estimators.Variance)
	mean, variance, err := m.Value.(estimators.VariancePredictor).PredictVariance(x)
	p.Must("PredictVariance", err)
	if len(mean) != subject.TestRows || len(variance) != subject.TestRows {
		p.Fatalf("PredictVariance returned %d means and %d variances for %d rows", len(mean), len(variance), subject.TestRows)
	}
	for i, v := range variance {
		if !(v >= 0) || math.IsInf(v, 1) {
			p.Fatalf("the variance of row %d is %v", i, v)
		}
	}
	got, err := subject.Columns(nil, mean)
	p.Must("PredictVariance", err)
	p.SameMatrix("the mean of PredictVariance", m.Outputs(p, x)[0].Values, got, s.Options.Tolerance)
}

func checkInterval(p *subject.Probe, s *subject.Subject) {
	m, x := s.Fitted(p, s.Train()), s.Test().X
	m.Needs(p, estimators.Interval)
	v := m.Value.(estimators.IntervalPredictor)
	for _, level := range []float64{0, 1, -0.5, 1.5, math.NaN(), math.Inf(1)} {
		_, _, err := v.PredictInterval(x, level)
		p.Wants(fmt.Sprintf("PredictInterval of level %v", level), err, estimators.ErrParam)
	}
	mean := m.Outputs(p, x)[0].Values
	var before [2][]float64
	for k, level := range []float64{0.01, 0.5, 0.9, 0.999} {
		low, high, err := v.PredictInterval(x, level)
		p.Must("PredictInterval", err)
		if len(low) != subject.TestRows || len(high) != subject.TestRows {
			p.Fatalf("PredictInterval returned %d and %d ends for %d rows", len(low), len(high), subject.TestRows)
		}
		for i := range subject.TestRows {
			slack := s.Options.Tolerance * max(1, math.Abs(mean.At(i, 0)))
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

// checkIntervalAndVariance checks that intervals are within Chebyshev's bound, which holds for any distribution with the given
// variance. Intervals must also cover the middle half of a distribution that has some density there.
func checkIntervalAndVariance(p *subject.Probe, m subject.Model, x *mat.Dense) {
	if !m.Can(estimators.Variance) {
		return
	}
	_, variance, err := m.Value.(estimators.VariancePredictor).PredictVariance(x)
	p.Must("PredictVariance", err)
	const level = 0.9
	low, high, err := m.Value.(estimators.IntervalPredictor).PredictInterval(x, level)
	p.Must("PredictInterval", err)
	for i, v := range variance {
		half, sd := (high[i]-low[i])/2, math.Sqrt(v)
		if !(half <= sd/math.Sqrt(1-level) && half >= sd/2) {
			p.Fatalf("row %d: half the width of the interval of level %v is %v, the standard deviation %v", i, level, half, sd)
		}
	}
}

func checkWeightedFit(p *subject.Probe, s *subject.Subject) {
	s.New().Needs(p, estimators.Weighted)
	d, x := s.Train(), s.Test().X
	var rows []int
	for i, w := range subject.Weights() {
		for range int(w) {
			rows = append(rows, i)
		}
	}
	ones := make([]float64, subject.TrainRows)
	for i := range ones {
		ones[i] = 1
	}
	for _, c := range []struct {
		name    string
		weights []float64
		plain   subject.Data
	}{{"a weight of 2 and the row twice", subject.Weights(), d.Pick(rows)}, {"weights of 1 and none", ones, d}} {
		m := s.New()
		p.Must("FitWeighted", m.FitWeighted(context.Background(), d.X, d.Y, c.weights))
		p.Same(c.name, s.Fitted(p, c.plain).Outputs(p, x), m.Outputs(p, x), s.Options.Tolerance)
	}
}

func checkRepeatedRows(p *subject.Probe, s *subject.Subject) {
	d, x := s.Train(), s.Test().X
	twice := make([]int, 2*subject.TrainRows)
	for i := range twice {
		twice[i] = i % subject.TrainRows
	}
	p.Same("each row once and twice", s.Fitted(p, d).Outputs(p, x), s.Fitted(p, d.Pick(twice)).Outputs(p, x), s.Options.Tolerance)
}

func checkBadWeights(p *subject.Probe, s *subject.Subject) {
	m, x := s.Fitted(p, s.Train()), s.Test().X
	m.Needs(p, estimators.Weighted)
	want := m.Outputs(p, x)
	with := func(v float64) []float64 {
		w := subject.Weights()
		w[4] = v
		return w
	}
	for name, w := range map[string][]float64{
		"no": nil, "too few": subject.Weights()[1:], "too many": append(subject.Weights(), 1),
		"zero": with(0), "negative": with(-1), "NaN": with(math.NaN()), "infinite": with(math.Inf(1)),
	} {
		d := s.Train()
		if err := m.FitWeighted(context.Background(), d.X, d.Y, w); err == nil {
			p.Errorf("FitWeighted with %s weights: no error", name)
		} else {
			p.Contract("FitWeighted with "+name+" weights", err)
		}
		p.Keeps("a FitWeighted with "+name+" weights", m, x, want)
	}
}

func checkReport(p *subject.Probe, s *subject.Subject) {
	s.New().Needs(p, estimators.Reporting)
	before := s.New().Value.(estimators.Reporter).Report()
	if before.Converged || before.Iterations != 0 {
		p.Errorf("Report before Fit: %+v", before)
	}
	r := s.Fitted(p, s.Train()).Value.(estimators.Reporter)
	got := r.Report()
	if got.Iterations < 0 || math.IsNaN(got.Objective) || !(got.Jitter >= 0) || math.IsInf(got.Jitter, 1) {
		p.Errorf("Report after Fit: %+v", got)
	}
	again := r.Report()
	for i := range got.Warnings {
		got.Warnings[i] = "overwritten"
	}
	if third := r.Report(); len(got.Warnings) > 0 && third.Warnings[0] == "overwritten" {
		p.Errorf("the Warnings of a Report are not a copy")
	} else if len(third.Warnings) != len(again.Warnings) {
		p.Errorf("Report: %d warnings, then %d", len(again.Warnings), len(third.Warnings))
	}
}

func checkCapabilities(p *subject.Probe, s *subject.Subject) {
	m, x := s.Fitted(p, s.Train()), s.Test().X
	_, writes := m.Value.(encoding.BinaryMarshaler)
	_, reads := m.Value.(encoding.BinaryUnmarshaler)
	if writes != reads {
		p.Errorf("has one of MarshalBinary and UnmarshalBinary")
	}
	calls := everyMethod(s, m, x)
	for _, capability := range estimators.Capabilities() {
		call, ok := calls[capability]
		if !ok {
			switch capability {
			case estimators.Grouping, estimators.Categorizing, estimators.Naming: // these can only fail in a later Fit
				continue
			}
			call = func() error { return fmt.Errorf("no such method: %w", errors.ErrUnsupported) }
		}
		err := call()
		switch supports := m.Can(capability); {
		case supports && err != nil:
			p.Errorf("Supports reports %v, but it fails: %v", capability, err)
		case !supports && err == nil:
			p.Errorf("Supports denies %v, but it works", capability)
		case !supports && !errors.Is(err, errors.ErrUnsupported):
			p.Errorf("Supports denies %v, but the error %q is not errors.ErrUnsupported", capability, err)
		}
	}
}

// everyMethod returns a call of each method of the type that belongs to a capability, whether it is supported or not. The call is
// on m, which is fitted, or on a new value of the subject if the method itself fits.
func everyMethod(s *subject.Subject, m subject.Model, x mat.Matrix) map[estimators.Capability]func() error {
	out := map[estimators.Capability]func() error{}
	if v, ok := m.Value.(estimators.ProbaPredictor); ok {
		out[estimators.Proba] = func() error { _, err := v.PredictProba(x); return err }
	}
	if v, ok := m.Value.(estimators.DecisionPredictor); ok {
		out[estimators.Decision] = func() error { _, err := v.Decision(x); return err }
	}
	if v, ok := m.Value.(estimators.VariancePredictor); ok {
		out[estimators.Variance] = func() error { _, _, err := v.PredictVariance(x); return err }
	}
	if v, ok := m.Value.(estimators.IntervalPredictor); ok {
		out[estimators.Interval] = func() error { _, _, err := v.PredictInterval(x, 0.9); return err }
	}
	if v, ok := m.Value.(estimators.LeaveOneOutPredictor); ok {
		out[estimators.LeaveOneOut] = func() error { _, err := v.LeaveOneOutResiduals(context.Background()); return err }
	}
	if v, ok := m.Value.(estimators.SetPredictor); ok {
		out[estimators.Sets] = func() error { _, err := v.PredictSet(x, 0.9); return err }
	}
	if v, ok := m.Value.(estimators.PPredictor); ok {
		out[estimators.PValues] = func() error { _, err := v.PredictP(x); return err }
	}
	if v, ok := m.Value.(estimators.LinearSmoother); ok {
		out[estimators.Smoothing] = func() error {
			d := s.Train()
			_, err := v.Smoother(context.Background(), d.X, mat.NewDense(len(d.Y), 1, slices.Clone(d.Y)), nil)
			return err
		}
	}
	if v, ok := embedding.As[estimators.Expander](m.Value); ok {
		out[estimators.Expanding] = func() error { _, err := v.Expansion(); return err }
	}
	if v, ok := m.Value.(estimators.DecisionPredictorTo); ok {
		out[estimators.DecisionTo] = func() error {
			return v.DecisionTo(m.Scores(subject.RowsOf(x)), x)
		}
	}
	if v, ok := m.Value.(estimators.ProbaPredictorTo); ok {
		out[estimators.ProbaTo] = func() error { return v.PredictProbaTo(m.Scores(subject.RowsOf(x)), x) }
	}
	if v, ok := embedding.As[transformers.Inverter](m.Value); ok {
		out[estimators.Inverting] = func() error { _, err := v.InverseTransform(x); return err }
	}
	if v, ok := m.Value.(encoding.BinaryMarshaler); ok {
		out[estimators.Marshalling] = func() error { _, err := v.MarshalBinary(); return err }
	}
	if v, ok := embedding.As[estimators.Continuer](m.Value); ok {
		out[estimators.Continuing] = func() error {
			_, err := v.MarshalStatistics()
			if m.Can(estimators.Continuing) && errors.Is(err, estimators.ErrNotFitted) {
				return nil // the Fit may not keep statistics
			}
			return err
		}
	}
	if v, ok := m.Value.(estimators.Reporter); ok {
		out[estimators.Reporting] = func() error {
			if m.Can(estimators.Reporting) || !reflect.ValueOf(v.Report()).IsZero() {
				return nil
			}
			return fmt.Errorf("the zero Report: %w", errors.ErrUnsupported)
		}
	}
	d, ctx := s.Train(), context.Background()
	if v, ok := embedding.As[streaming.BlockFitter[streaming.None]](s.New().Value); ok {
		out[estimators.Blocks] = func() error {
			return v.FitBlocks(ctx, func(yield func(streaming.Block[streaming.None], error) bool) { yield(streaming.Rows(d.X), nil) })
		}
	}
	if v, ok := embedding.As[transformers.PartialFitter](s.New().Value); ok {
		out[estimators.Partial] = func() error { return v.PartialFit(ctx, d.X) }
	}
	if fresh := s.New(); streams.HasStages(fresh) {
		out[estimators.Mergeable] = func() error { return streams.FitInStages(ctx, fresh, d) }
	}
	k := mat.NewSymDense(2, []float64{2, 1, 1, 2})
	switch v := m.Value.(type) {
	case estimators.Regressor:
		fits[float64](ctx, out, v, func() any { return s.New().Value }, d.X, d.Y, []float64{1, 2}, k)
	case estimators.Classifier:
		fits[int](ctx, out, v, func() any { return s.New().Value }, d.X, subject.ToLabels(d.Y), []int{1, 2}, k)
	case estimators.MultiRegressor:
		multiMethods(s, out, m, x)
	}
	return out
}

// fits adds calls of the methods that depend on the type of the targets.
func fits[Y float64 | int](
	ctx context.Context, out map[estimators.Capability]func() error, fitted any, fresh func() any, x *mat.Dense, y, ofMatrix []Y,
	k mat.Symmetric,
) {
	if v, ok := fitted.(estimators.PredictorTo[Y]); ok {
		out[estimators.PredictTo] = func() error { return v.PredictTo(make([]Y, subject.TrainRows), x) }
	}
	if v, ok := fresh().(estimators.WeightedFitter[Y]); ok {
		out[estimators.Weighted] = func() error { return v.FitWeighted(ctx, x, y, subject.Weights()) }
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
