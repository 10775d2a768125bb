package ridge

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/loo"
	"github.com/kernelearn/kernelearn/internal/moments"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/settings"
	"github.com/kernelearn/kernelearn/streaming"
)

const (
	statisticsType    = "ridge: statistics of a Regressor"
	statisticsKind    = "ridge.Regressor statistics"
	statisticsVersion = 1
)

// statistics holds the moments of the rows, with the targets as the last column. The regression needs nothing else from the rows.
type statistics struct{ sums moments.Gram }

// String returns the name of the type.
func (s *statistics) String() string { return statisticsType }

// Rows implements streaming.Statistics.
func (s *statistics) Rows() int { return s.sums.N }

// Clone implements streaming.Statistics.
func (s *statistics) Clone() streaming.Statistics[float64] {
	return &statistics{*s.sums.Clone()}
}

// columns returns the number of features, or 0 before the first row.
func (s *statistics) columns() int { return max(0, len(s.sums.Mean)-1) }

// AddBlock implements streaming.Statistics. The cost is O(nd²).
func (s *statistics) AddBlock(ctx context.Context, b streaming.Block[float64]) (err error) {
	defer fault.RecoverAs(regressorType, &err)
	ctx = check.Context(ctx)
	x, err := check.Targeted(b.X, b.Y)
	if err != nil {
		return err
	}
	n, d := x.Dims()
	if s.Rows() > 0 && d != s.columns() {
		return fault.Shape("x has", d, "columns", "the statistics have %d", s.columns())
	}
	if b.Weights != nil {
		if err := check.Weights(regressorType, b.Weights, n); err != nil {
			return err
		}
	}
	if err := check.Numbers(fmt.Sprintf("the sums of products of %d columns", d), float64(d+1)*float64(d+1),
		"take fewer columns, such as the features of a featuremap.Nystroem"); err != nil {
		return err
	}
	joint := mat.NewDense(n, d+1, nil)
	joint.Slice(0, n, 0, d).(*mat.Dense).Copy(x)
	joint.SetCol(d, b.Y)
	block, err := moments.NewGram(ctx, joint, b.Weights)
	if err != nil {
		return err
	}
	return s.take(block)
}

// take adds sums, or returns an error if they overflowed.
func (s *statistics) take(sums *moments.Gram) error {
	if !sums.Finite() {
		return errOverflow
	}
	s.sums.Merge(sums)
	return nil
}

// Merge implements streaming.Statistics. The cost is O(d²).
func (s *statistics) Merge(other streaming.Statistics[float64]) error {
	o, err := asStatistics(other)
	if err != nil {
		return err
	}
	if s.Rows() > 0 && o.Rows() > 0 && o.columns() != s.columns() {
		return fault.Shape("the other statistics have", o.columns(), "columns", "these have %d", s.columns())
	}
	if o == s {
		o = s.Clone().(*statistics)
	}
	return s.take(&o.sums)
}

// asStatistics returns s as a *statistics, or an error if it has another type.
func asStatistics(s streaming.Statistics[float64]) (*statistics, error) {
	if o, ok := s.(*statistics); ok && o != nil {
		return o, nil
	}
	name := "nil"
	if !check.IsNil(s) {
		name = fmt.Sprintf("those of a %T", s)
		if s, ok := s.(fmt.Stringer); ok {
			name = s.String()
		}
	}
	return nil, fault.Param(regressorType, "statistics", name, statisticsType)
}

// MarshalBinary implements streaming.Statistics.
func (s *statistics) MarshalBinary() ([]byte, error) {
	return codec.Marshal(statisticsKind, statisticsVersion, s.sums.Store())
}

// UnmarshalBinary implements streaming.Statistics.
func (s *statistics) UnmarshalBinary(data []byte) error {
	var in moments.Stored
	if _, err := codec.Unmarshal(data, statisticsKind, statisticsVersion, &in); err != nil {
		return err
	}
	sums, err := in.Gram()
	if err != nil {
		return fault.BadModel(statisticsKind, "%v", err)
	}
	if len(sums.Mean) == 1 {
		return fault.BadModel(statisticsKind, "no columns beside the targets")
	}
	s.sums = *sums
	return nil
}

// NewStatistics implements [streaming.StatisticsFitter]. The statistics are the means of rows and targets, and the products of
// their deviations from the means, d²/2 numbers.
func (r *Regressor) NewStatistics() (streaming.Statistics[float64], error) {
	return &statistics{}, nil
}

// FitStatistics implements [streaming.StatisticsFitter]. If Ridge is set, or with the Heuristic, the coefficients are those of Fit,
// or of FitWeighted, up to rounding. Quantities that Fit computes from single rows are computed from sums:
//
//   - Instead of LeaveOneOut, the largest evidence determines the ridge (see the package documentation).
//   - s² is the sum of the squared residuals over the remaining degrees of freedom. This is the s² of Fit with each leverage
//     replaced by their mean.
//   - LeaveOneOutResiduals returns an error, and Objective in Report is minus the log evidence.
//
// The cost is O(d³), for any number of rows.
func (r *Regressor) FitStatistics(ctx context.Context, s streaming.Statistics[float64]) (err error) {
	defer estimators.BeginFit(&ctx, r.Observe)(&err)
	if err := settings.Check(regressorType, r); err != nil {
		return err
	}
	if r.Groups != nil {
		return fault.Param(regressorType, "Groups", fmt.Sprintf("%d groups of rows", len(r.Groups)),
			"nil: sums of rows do not record groups")
	}
	o, err := asStatistics(s)
	if err != nil {
		return err
	}
	if o.Rows() == 0 {
		return fmt.Errorf("%s: %w", regressorType, fault.Shape("the statistics have", 0, "rows", "want at least 1"))
	}
	m, err := r.fromSums(ctx, &o.sums)
	if err != nil {
		return err
	}
	m.sums = o.Clone().(*statistics)
	r.m = m
	return nil
}

// PartialFit implements [estimators.PartialFitter]. It fits the model to the rows of all calls, like FitStatistics. After
// FitStatistics it adds to the statistics that FitStatistics received. The Regressor keeps the statistics. Clone and MarshalBinary
// leave them out, and MarshalStatistics encodes them. After Fit or UnmarshalBinary there are no statistics to which PartialFit
// could add, and it returns [estimators.ErrNotFitted].
func (r *Regressor) PartialFit(ctx context.Context, x mat.Matrix, y []float64) (err error) {
	defer check.Begin(&ctx)(&err)
	s := &statistics{}
	if r.m != nil {
		if r.m.sums == nil {
			return errNoStatistics
		}
		s = r.m.sums.Clone().(*statistics)
	}
	xd, err := check.Targeted(x, y)
	if err != nil {
		return err
	}
	if err := s.AddBlock(ctx, streaming.Block[float64]{X: xd, Y: y}); err != nil {
		return err
	}
	return r.FitStatistics(ctx, s)
}

// MarshalStatistics implements [estimators.Continuer]. It encodes d²/2 numbers.
func (r *Regressor) MarshalStatistics() ([]byte, error) {
	switch {
	case r.m == nil:
		return nil, fault.NotFitted(regressorType)
	case r.m.sums == nil:
		return nil, errNoStatistics
	}
	return r.m.sums.MarshalBinary()
}

// UnmarshalStatistics implements [estimators.Continuer].
func (r *Regressor) UnmarshalStatistics(data []byte) error {
	if r.m == nil {
		return fault.NotFitted(regressorType)
	}
	s := &statistics{}
	if err := s.UnmarshalBinary(data); err != nil {
		return err
	}
	if d := len(r.m.means); s.Rows() == 0 || s.columns() != d {
		return fault.BadModel(statisticsKind, "%d rows of %d columns, the model has %d", s.Rows(), s.columns(), d)
	}
	m := *r.m
	m.sums = s
	r.m = &m
	return nil
}

var errNoStatistics = fmt.Errorf("%s: a model of Fit, or from a file, has no statistics to continue from: begin with PartialFit or "+
	"FitStatistics: %w", regressorType, fault.ErrNotFitted)

// fromSums fits the model to the moments of rows and targets.
func (r *Regressor) fromSums(ctx context.Context, g *moments.Gram) (*model, error) {
	d := len(g.Mean) - 1
	if err := check.SpreadOf(regressorType, "the spread of y", math.Sqrt(g.S.At(d, d)/g.Weight)); err != nil {
		return nil, err
	}
	m := &model{unit: float64(g.N) / g.Weight, report: estimators.Report{Converged: true, Iterations: 1}, fromSums: true}
	products, weight := g.S, g.Weight
	if r.NoIntercept {
		products, weight = g.About0(), 0
		m.means, m.target = make([]float64, d), make([]float64, 1)
	} else {
		m.means, m.target, m.spread = append([]float64(nil), g.Mean[:d]...), []float64{g.Mean[d]}, 1/g.Weight
	}
	gram, moment, square := mat.NewSymDense(d, nil), make([]float64, d), products.At(d, d)
	gram.CopySym(products.SliceSym(0, d).(*mat.SymDense))
	for j := range moment {
		moment[j] = products.At(j, d)
	}
	if v := mat.Trace(gram) + square; v-v != 0 {
		return nil, errOverflow
	}
	reduced := mat.NewSymDense(d, nil)
	reduced.CopySym(gram)
	parts := progress.Parts(ctx, 8, 1, 1)
	problem, err := loo.NewSums(parts[0], reduced, moment, square, g.N, weight)
	if err != nil {
		return nil, err
	}
	ridge, err := r.chooseOfSums(parts[1], problem, g.N, &m.report)
	if err != nil {
		return nil, err
	}
	for j := range d {
		gram.SetSym(j, j, gram.At(j, j)+ridge)
	}
	factor, err := linalg.NewCholesky(parts[2], "X'X + ridge", gram)
	if err != nil {
		return nil, err
	}
	m.ridges, m.factors = []float64{ridge}, []*linalg.Cholesky{factor}
	m.jittered()
	m.coefficients, m.noise = mat.NewDense(1, d, moment), make([]float64, 1)
	if err := factor.Solve(progress.Detach(ctx), mat.NewDense(d, 1, moment)); err != nil {
		return nil, err
	}
	if squares, free, ok := problem.Residual(ridge); ok && g.N > 1 {
		m.noise[0] = squares / free
		if m.report.Objective, err = problem.Error(ctx, ridge); err != nil {
			return nil, err
		}
	}
	if err := m.finite(); err != nil {
		return nil, err
	}
	return m, ctx.Err()
}

// chooseOfSums returns the ridge.
func (r *Regressor) chooseOfSums(ctx context.Context, p *loo.Sums, n int, report *estimators.Report) (float64, error) {
	switch {
	case r.Ridge > 0:
		return r.Ridge, nil
	case r.RidgeRule == Heuristic || n == 1:
		return lssvm.HeuristicRidge(n), nil
	}
	best, err := p.Search(ctx, observed(ctx))
	if err != nil {
		return 0, err
	}
	report.Iterations = best.Evaluations
	if w := best.Warning(); w != "" {
		report.Warnings = append(report.Warnings, w)
	}
	if best.Ridge == 0 {
		return lssvm.HeuristicRidge(n), nil
	}
	return best.Ridge, nil
}

// MarshalText implements encoding.TextMarshaler. In JSON the bytes are a base64 string.
func (s *statistics) MarshalText() ([]byte, error) { return codec.Text(s) }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *statistics) UnmarshalText(text []byte) error { return codec.FromText(statisticsKind, s, text) }
