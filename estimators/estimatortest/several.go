package estimatortest

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
)

// multiMethods are those of the capabilities that a type of several targets has, of pairs of matrices side by side.
func (m model) multiMethods() (out []method) {
	side := func(a, b *mat.Dense, err error) (*mat.Dense, error) {
		if err != nil {
			return nil, err
		}
		both := &mat.Dense{}
		both.Augment(a, b)
		return both, nil
	}
	if v, ok := m.value.(estimators.MultiVariancePredictor); ok && m.can(estimators.Variance) {
		out = append(out, method{"PredictVariance", func(x mat.Matrix) (*mat.Dense, error) { return side(v.PredictVariance(x)) }})
	}
	if v, ok := m.value.(estimators.MultiIntervalPredictor); ok && m.can(estimators.Interval) {
		out = append(out, method{"PredictInterval", func(x mat.Matrix) (*mat.Dense, error) { return side(v.PredictInterval(x, .9)) }})
	}
	return out
}

// overwriteMatrices overwrites what came in pairs, of which methods gives copies.
func (m model) overwriteMatrices(x mat.Matrix) error {
	if v, ok := m.value.(estimators.MultiVariancePredictor); ok && m.can(estimators.Variance) {
		mean, variance, err := v.PredictVariance(x)
		if err != nil {
			return err
		}
		mean.Zero()
		variance.Zero()
	}
	if v, ok := m.value.(estimators.MultiIntervalPredictor); ok && m.can(estimators.Interval) {
		low, high, err := v.PredictInterval(x, .9)
		if err != nil {
			return err
		}
		low.Zero()
		high.Zero()
	}
	if v, ok := m.value.(estimators.MultiLeaveOneOutPredictor); ok && m.can(estimators.LeaveOneOut) {
		left, err := v.LeaveOneOutResiduals(context.Background())
		if err != nil {
			return err
		}
		left.Zero()
	}
	return nil
}

// multiMethods adds the calls of capabilities that a type of several targets may have.
func (s *subject) multiMethods(out map[estimators.Capability]func() error, m model, x mat.Matrix) {
	ctx, d := context.Background(), s.train()
	if v, ok := m.value.(estimators.MultiVariancePredictor); ok {
		out[estimators.Variance] = func() error { _, _, err := v.PredictVariance(x); return err }
	}
	if v, ok := m.value.(estimators.MultiIntervalPredictor); ok {
		out[estimators.Interval] = func() error { _, _, err := v.PredictInterval(x, .9); return err }
	}
	if v, ok := m.value.(estimators.MultiLeaveOneOutPredictor); ok {
		out[estimators.LeaveOneOut] = func() error { _, err := v.LeaveOneOutResiduals(ctx); return err }
	}
	if v, ok := m.value.(estimators.MultiPredictorTo); ok {
		out[estimators.PredictTo] = func() error { return v.PredictTo(m.targets(rowsOf(x)), x) }
	}
	if _, ok := m.value.(estimators.MultiWeightedFitter); ok {
		out[estimators.Weighted] = func() error { return s.new().fitWeighted(ctx, d.x, d.y, weights()) }
	}
}

// units are those in which checkSeveralTargets gives three targets.
var units = []float64{1, 1e6, 1e-6}

// three are a target, one of another shape, and one that hangs on a column alone.
func (d data) three(units []float64) *mat.Dense {
	y := mat.NewDense(len(d.y), 3, nil)
	for i, v := range d.y {
		y.SetRow(i, []float64{units[0] * v, units[1] * v * (v + 1), units[2] * (4 + d.x.At(i, 0) + .1*d.x.At(i, 1)*v)})
	}
	return y
}

// exponents are of the powers of two that checkTargetUnits multiplies targets with. Some of them are odd: the root of such
// a power is no power of two.
var exponents = []int{-41, -1, 10, 30}

// checkTargetUnits looks at the bits: a product with a power of two is not rounded, so that any difference shows a number
// that is compared with the targets, or a logarithm of one.
func checkTargetUnits(p *probe, s *subject) {
	x := s.test().x
	fit := func(unit float64) outputs {
		ctx, d, m := context.Background(), s.train(), s.new()
		if s.kind == multis {
			p.Must("Fit", m.multi().Fit(ctx, d.x, d.three([]float64{unit, unit, unit})))
		} else {
			for i := range d.y {
				d.y[i] *= unit
			}
			p.Must("Fit", m.fit(ctx, d.x, d.y))
		}
		return m.outputs(p, x)
	}
	want := fit(1)
	for _, e := range exponents {
		got, unit := fit(math.Ldexp(1, e)), math.Ldexp(1, -e)
		for _, o := range got {
			_, c := o.values.Dims()
			o.values.Apply(func(_, j int, v float64) float64 {
				if o.method == "PredictVariance" && j >= c/2 {
					v *= unit
				}
				return v * unit
			}, o.values)
		}
		p.same(fmt.Sprintf("targets times 2^%d", e), want, got, 0)
	}
}

func checkSeveralTargets(p *probe, s *subject) {
	ctx, d, x := context.Background(), s.train(), s.test().x
	fit := func(d data, y mat.Matrix) model {
		m := s.new()
		p.Must("Fit", m.multi().Fit(ctx, d.x, y))
		return m
	}
	m, scaled := fit(d, d.three([]float64{1, 1, 1})), fit(d, d.three(units))
	if n := s.new().multi().Targets(); n != 0 {
		p.Errorf("Targets before Fit is %d, want 0", n)
	}
	if n := m.multi().Targets(); n != 3 {
		p.Fatalf("Targets is %d, want 3", n)
	}
	whole, inUnits := m.outputs(p, x), scaled.outputs(p, x)
	for k, o := range whole {
		_, c := o.values.Dims()
		if c%3 != 0 {
			p.Fatalf("%s gave %d columns for 3 targets", o.method, c)
		}
		back := inUnits[k].values
		back.Apply(func(_, j int, v float64) float64 {
			u := units[j%3]
			if o.method == "PredictVariance" && j >= 3 {
				u *= u
			}
			return v / u
		}, back)
		p.sameMatrix("targets in other units: "+o.method, o.values, back, s.options.Tolerance)
	}
	mean := whole[0].values
	if v, ok := m.value.(estimators.MultiVariancePredictor); ok && m.can(estimators.Variance) {
		means, variances, err := v.PredictVariance(x)
		p.Must("PredictVariance", err)
		p.sameMatrix("the mean of PredictVariance", mean, means, s.options.Tolerance)
		if least := mat.Min(variances); !(least >= 0) {
			p.Errorf("a variance is %v", least)
		}
	}
	s.multiIntervals(p, m, x, mean)

	bad := d.three(units)
	bad.Set(5, 2, math.NaN())
	p.place("Fit with y[5,2] = NaN", s.new().multi().Fit(ctx, d.x, bad), 5, 2)
	p.wants("Fit with rows of y too few", s.new().multi().Fit(ctx, d.x, d.three(units).Slice(1, trainRows, 0, 3)), estimators.ErrShape)
	p.wants("Fit with y without columns", s.new().multi().Fit(ctx, d.x, hollow{trainRows, 0}), estimators.ErrShape)
	one := fit(d, mat.NewDense(len(d.y), 1, d.y)).outputs(p, x)[0].values
	if _, c := one.Dims(); c != 1 {
		p.Errorf("Predict gave %d columns for 1 target", c)
	}
}

func (s *subject) multiIntervals(p *probe, m model, x, mean *mat.Dense) {
	v, ok := m.value.(estimators.MultiIntervalPredictor)
	if !ok || !m.can(estimators.Interval) {
		return
	}
	for _, level := range []float64{0, 1, -.5, 1.5, math.NaN()} {
		_, _, err := v.PredictInterval(x, level)
		p.wants(fmt.Sprintf("PredictInterval of level %v", level), err, estimators.ErrParam)
	}
	var before [2]*mat.Dense
	for _, level := range []float64{.01, .5, .9, .999} {
		low, high, err := v.PredictInterval(x, level)
		p.Must("PredictInterval", err)
		for i := range testRows {
			for j, f := range mean.RawRowView(i) {
				slack := s.options.Tolerance * max(1, math.Abs(f))
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

func checkLeaveOneOutOfSeveral(p *probe, s *subject) {
	ctx := context.Background()
	_, err := s.new().value.(estimators.MultiLeaveOneOutPredictor).LeaveOneOutResiduals(ctx)
	p.wants("LeaveOneOutResiduals before Fit", err, estimators.ErrNotFitted)
	fit := func(d data) model {
		m := s.new()
		p.Must("Fit", m.multi().Fit(ctx, d.x, d.three(units)))
		return m
	}
	d := s.train()
	m := fit(d)
	v := m.value.(estimators.MultiLeaveOneOutPredictor)
	left, err := v.LeaveOneOutResiduals(ctx)
	p.Must("LeaveOneOutResiduals", err)
	if r, c := left.Dims(); r != trainRows || c != 3 {
		p.Fatalf("LeaveOneOutResiduals gave %d×%d for %d rows and 3 targets", r, c, trainRows)
	}
	y := d.three(units)
	for _, out := range []int{0, 7, trainRows - 1} {
		var others []int
		for i := range trainRows {
			if i != out {
				others = append(others, i)
			}
		}
		f := fit(d.pick(others)).outputs(p, d.x.Slice(out, out+1, 0, 3))[0].values
		for j, one := range f.RawRowView(0) {
			if want := y.At(out, j) - one; !(math.Abs(left.At(out, j)-want) <= s.options.Tolerance*max(units[j], math.Abs(want))) {
				p.Errorf("the residual of row %d, target %d is %v; fitted without it, it is %v", out, j, left.At(out, j), want)
			}
		}
	}
	left.Zero()
	again, err := v.LeaveOneOutResiduals(ctx)
	p.Must("LeaveOneOutResiduals", err)
	if again.At(0, 0) == 0 {
		p.Errorf("what LeaveOneOutResiduals returned is the model's own")
	}
}
