package estimatortest

import (
	"context"
	"encoding"
	"errors"
	"fmt"
	"math"
	"reflect"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
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
	for capability, call := range m.everyMethod(x) {
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

// everyMethod returns a call of each capability's method that the type has, be
// it supported or not; where it has none, one that is unsupported.
func (m model) everyMethod(x mat.Matrix) map[estimators.Capability]func() error {
	out := map[estimators.Capability]func() error{}
	none := func() error { return fmt.Errorf("no such method: %w", errors.ErrUnsupported) }
	for c := estimators.Proba; c <= estimators.Marshalling; c++ {
		out[c] = none
	}
	if v, ok := m.value.(estimators.ProbaPredictor); ok {
		out[estimators.Proba] = func() error { _, err := v.PredictProba(x); return err }
	}
	if v, ok := m.value.(estimators.DecisionPredictor); ok {
		out[estimators.Decision] = func() error { _, err := v.Decision(x); return err }
	}
	if v, ok := m.value.(estimators.VariancePredictor); ok {
		out[estimators.Variance] = func() error { _, _, err := v.PredictVariance(x); return err }
	}
	if v, ok := m.value.(encoding.BinaryMarshaler); ok {
		out[estimators.Marshalling] = func() error { _, err := v.MarshalBinary(); return err }
	}
	if v, ok := m.value.(estimators.Reporter); ok {
		out[estimators.Reporting] = func() error {
			if m.can(estimators.Reporting) || !reflect.ValueOf(v.Report()).IsZero() {
				return nil
			}
			return none()
		}
	}
	// Clone cannot return an error; a wrapper's fails when the clone is fitted.
	delete(out, estimators.Cloning)
	d := problem(m.kind, 1, trainRows, 3, 2)
	switch v := m.value.(type) {
	case estimators.WeightedFitter[float64]:
		out[estimators.Weighted] = func() error { return v.FitWeighted(context.Background(), d.x, d.y, weights()) }
	case estimators.WeightedFitter[int]:
		out[estimators.Weighted] = func() error { return v.FitWeighted(context.Background(), d.x, toLabels(d.y), weights()) }
	}
	return out
}
