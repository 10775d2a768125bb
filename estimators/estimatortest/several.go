package estimatortest

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/estimatortest/internal/subject"
)

// multiMethods adds the calls of the methods for capabilities that a type with several targets may have.
func multiMethods(s *subject.Subject, out map[estimators.Capability]func() error, m subject.Model, x mat.Matrix) {
	ctx, d := context.Background(), s.Train()
	if v, ok := m.Value.(estimators.MultiVariancePredictor); ok {
		out[estimators.Variance] = func() error { _, _, err := v.PredictVariance(x); return err }
	}
	if v, ok := m.Value.(estimators.MultiIntervalPredictor); ok {
		out[estimators.Interval] = func() error { _, _, err := v.PredictInterval(x, .9); return err }
	}
	if v, ok := m.Value.(estimators.MultiLeaveOneOutPredictor); ok {
		out[estimators.LeaveOneOut] = func() error { _, err := v.LeaveOneOutResiduals(ctx); return err }
	}
	if v, ok := m.Value.(estimators.MultiPredictorTo); ok {
		out[estimators.PredictTo] = func() error { return v.PredictTo(m.Targets(subject.RowsOf(x)), x) }
	}
	if _, ok := m.Value.(estimators.MultiWeightedFitter); ok {
		out[estimators.Weighted] = func() error { return s.New().FitWeighted(ctx, d.X, d.Y, subject.Weights()) }
	}
}

// exponents lists the powers of two by which checkTargetUnits multiplies targets. Some of the exponents are odd, because the root
// of such a power is not a power of two.
var exponents = []int{-41, -1, 10, 30}

// checkTargetUnits checks that results are bit-identical if the targets are multiplied by a power of two, which causes no rounding.
// A difference shows that the type compares targets with a constant, or computes their logarithms.
func checkTargetUnits(p *subject.Probe, s *subject.Subject) {
	x := s.Test().X
	fit := func(unit float64) subject.Outputs {
		ctx, d, m := context.Background(), s.Train(), s.New()
		if s.Kind == subject.Multis {
			p.Must("Fit", m.Multi().Fit(ctx, d.X, d.Three([]float64{unit, unit, unit})))
		} else {
			for i := range d.Y {
				d.Y[i] *= unit
			}
			p.Must("Fit", m.Fit(ctx, d.X, d.Y))
		}
		return m.Outputs(p, x)
	}
	want := fit(1)
	for _, e := range exponents {
		got, unit := fit(math.Ldexp(1, e)), math.Ldexp(1, -e)
		for _, o := range got {
			_, c := o.Values.Dims()
			o.Values.Apply(func(_, j int, v float64) float64 {
				if o.Method == "PredictVariance" && j >= c/2 {
					v *= unit
				}
				return v * unit
			}, o.Values)
		}
		p.Same(fmt.Sprintf("targets times 2^%d", e), want, got, 0)
	}
}

func checkSeveralTargets(p *subject.Probe, s *subject.Subject) {
	ctx, d, x := context.Background(), s.Train(), s.Test().X
	fit := func(d subject.Data, y mat.Matrix) subject.Model {
		m := s.New()
		p.Must("Fit", m.Multi().Fit(ctx, d.X, y))
		return m
	}
	m, scaled := fit(d, d.Three([]float64{1, 1, 1})), fit(d, d.Three(subject.Units))
	if n := s.New().Multi().Targets(); n != 0 {
		p.Errorf("Targets before Fit is %d, want 0", n)
	}
	if n := m.Multi().Targets(); n != 3 {
		p.Fatalf("Targets is %d, want 3", n)
	}
	whole, inUnits := m.Outputs(p, x), scaled.Outputs(p, x)
	for k, o := range whole {
		_, c := o.Values.Dims()
		if c%3 != 0 {
			p.Fatalf("%s returned %d columns for 3 targets", o.Method, c)
		}
		back := inUnits[k].Values
		back.Apply(func(_, j int, v float64) float64 {
			u := subject.Units[j%3]
			if o.Method == "PredictVariance" && j >= 3 {
				u *= u
			}
			return v / u
		}, back)
		p.SameMatrix("targets in other units: "+o.Method, o.Values, back, s.Options.Tolerance)
	}
	mean := whole[0].Values
	if v, ok := m.Value.(estimators.MultiVariancePredictor); ok && m.Can(estimators.Variance) {
		means, variances, err := v.PredictVariance(x)
		p.Must("PredictVariance", err)
		p.SameMatrix("the mean of PredictVariance", mean, means, s.Options.Tolerance)
		if least := mat.Min(variances); !(least >= 0) {
			p.Errorf("a variance is %v", least)
		}
	}
	multiIntervals(s, p, m, x, mean)

	bad := d.Three(subject.Units)
	bad.Set(5, 2, math.NaN())
	p.Place("Fit with y[5,2] = NaN", s.New().Multi().Fit(ctx, d.X, bad), 5, 2)
	p.Wants("Fit with too few rows of y", s.New().Multi().Fit(ctx, d.X, d.Three(subject.Units).Slice(1, subject.TrainRows, 0, 3)),
		estimators.ErrShape)
	p.Wants("Fit with y without columns", s.New().Multi().Fit(ctx, d.X, subject.Hollow{Rows: subject.TrainRows, Cols: 0}),
		estimators.ErrShape)
	one := fit(d, mat.NewDense(len(d.Y), 1, d.Y)).Outputs(p, x)[0].Values
	if _, c := one.Dims(); c != 1 {
		p.Errorf("Predict returned %d columns for 1 target", c)
	}
}

func multiIntervals(s *subject.Subject, p *subject.Probe, m subject.Model, x, mean *mat.Dense) {
	v, ok := m.Value.(estimators.MultiIntervalPredictor)
	if !ok || !m.Can(estimators.Interval) {
		return
	}
	for _, level := range []float64{0, 1, -.5, 1.5, math.NaN()} {
		_, _, err := v.PredictInterval(x, level)
		p.Wants(fmt.Sprintf("PredictInterval of level %v", level), err, estimators.ErrParam)
	}
	var before [2]*mat.Dense
	for _, level := range []float64{.01, .5, .9, .999} {
		low, high, err := v.PredictInterval(x, level)
		p.Must("PredictInterval", err)
		for i := range subject.TestRows {
			for j, f := range mean.RawRowView(i) {
				slack := s.Options.Tolerance * max(1, math.Abs(f))
				if !(low.At(i, j) <= f+slack && high.At(i, j) >= f-slack) {
					p.Fatalf("row %d, target %d: the interval of level %v leaves out the prediction", i, j, level)
				}
				if before[0] != nil && !(low.At(i, j) < before[0].At(i, j) && high.At(i, j) > before[1].At(i, j)) {
					p.Fatalf("row %d, target %d: the interval of level %v is no wider than that of a lower level", i, j, level)
				}
			}
		}
		before = [2]*mat.Dense{low, high}
	}
}

func checkLeaveOneOutOfSeveral(p *subject.Probe, s *subject.Subject) {
	ctx := context.Background()
	_, err := s.New().Value.(estimators.MultiLeaveOneOutPredictor).LeaveOneOutResiduals(ctx)
	p.Wants("LeaveOneOutResiduals before Fit", err, estimators.ErrNotFitted)
	fit := func(d subject.Data) subject.Model {
		m := s.New()
		p.Must("Fit", m.Multi().Fit(ctx, d.X, d.Three(subject.Units)))
		return m
	}
	d := s.Train()
	m := fit(d)
	v := m.Value.(estimators.MultiLeaveOneOutPredictor)
	left, err := v.LeaveOneOutResiduals(ctx)
	p.Must("LeaveOneOutResiduals", err)
	if r, c := left.Dims(); r != subject.TrainRows || c != 3 {
		p.Fatalf("LeaveOneOutResiduals returned %d×%d for %d rows and 3 targets", r, c, subject.TrainRows)
	}
	y := d.Three(subject.Units)
	for _, out := range []int{0, 7, subject.TrainRows - 1} {
		var others []int
		for i := range subject.TrainRows {
			if i != out {
				others = append(others, i)
			}
		}
		f := fit(d.Pick(others)).Outputs(p, d.X.Slice(out, out+1, 0, 3))[0].Values
		for j, one := range f.RawRowView(0) {
			if want := y.At(out, j) - one; !(math.Abs(left.At(out, j)-want) <= s.Options.Tolerance*max(subject.Units[j], math.Abs(want))) {
				p.Errorf("the residual of row %d, target %d is %v; fitted without it, it is %v", out, j, left.At(out, j), want)
			}
		}
	}
	left.Zero()
	again, err := v.LeaveOneOutResiduals(ctx)
	p.Must("LeaveOneOutResiduals", err)
	if again.At(0, 0) == 0 {
		p.Errorf("LeaveOneOutResiduals returned the model's own matrix")
	}
}
