package ridge

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
)

const (
	regressorKind    = "ridge.Regressor"
	directKernelKind = "ridge.DirectKernel"
	version          = 1
)

// storedModel is the form of a model for k targets in a file.
type storedModel struct {
	Means        codec.Floats
	Target       codec.Floats
	Coefficients codec.Matrix // k×d
	Ridges       codec.Floats // one, or one for each target
	Noise        codec.Floats
	Spread       float64
	Basis        codec.Matrix // empty unless there are more columns than rows
	Factors      []storedFactor
	LOO          codec.Matrix
	Report       estimators.Report
	FromSums     bool
	Unit         float64
	Within       codec.Floats // of k targets, or empty
	Sparse       int          `cbor:",omitempty"` // the sparseSolver
}

type storedFactor struct {
	Packed codec.Floats
	Jitter float64
}

// marshal encodes the model of a regressor.
func (m *model) marshal(typ, kind string) ([]byte, error) {
	if m == nil {
		return nil, fault.NotFitted(typ)
	}
	s := storedModel{
		Means: m.means, Target: m.target, Coefficients: codec.FromDense(m.coefficients), Ridges: m.ridges, Noise: m.noise, Spread: m.spread,
		Basis: codec.FromDense(m.basis), LOO: codec.FromDense(m.loo), FromSums: m.fromSums, Unit: m.unit, Within: m.within,
		Report: m.report, Sparse: int(m.sparse),
	}
	for _, f := range m.factors {
		s.Factors = append(s.Factors, storedFactor{f.Packed(), f.Jitter()})
	}
	return codec.Marshal(kind, version, s)
}

// unmarshal decodes the model of a regressor for k targets. If k is 0, any number of targets is accepted.
func unmarshal(kind string, data []byte, k int) (*model, error) {
	var s storedModel
	if _, err := codec.Unmarshal(data, kind, version, &s); err != nil {
		return nil, err
	}
	return s.model(kind, k)
}

// model checks the stored form and returns the model. k is the number of targets, or 0 for any number.
func (s *storedModel) model(kind string, k int) (*model, error) {
	bad := func(format string, args ...any) (*model, error) {
		return nil, fault.BadModel(kind, format, args...)
	}
	m := &model{means: s.Means, target: s.Target, ridges: s.Ridges, noise: s.Noise, spread: s.Spread, unit: s.Unit,
		fromSums: s.FromSums, report: s.Report}
	if len(s.Within) > 0 {
		m.within = s.Within
	}
	factors := len(s.Ridges)
	if m.sparse = sparseSolver(s.Sparse); m.sparse != denseSolver {
		factors = 0
	}
	var err error
	for _, part := range []struct {
		name string
		from codec.Matrix
		to   **mat.Dense
	}{{"coefficients", s.Coefficients, &m.coefficients}, {"basis", s.Basis, &m.basis}, {"leave-one-out residuals", s.LOO, &m.loo}} {
		if *part.to, err = part.from.Dense(); err != nil {
			return bad("%s: %v", part.name, err)
		}
	}
	if m.coefficients == nil {
		return bad("no coefficients")
	}
	rows, d := m.coefficients.Dims()
	if k == 0 {
		k = rows
	}
	if rows != k {
		return bad("coefficients of %d targets, want %d", rows, k)
	}
	rank := d
	if m.basis != nil {
		var columns int
		if columns, rank = m.basis.Dims(); columns != d || rank > d {
			return bad("a basis of %d×%d for %d columns", columns, rank, d)
		}
	}
	if m.loo != nil {
		if _, c := m.loo.Dims(); c != k {
			return bad("leave-one-out residuals of %d targets, there are %d", c, k)
		}
	}
	numbers := codec.Floats{s.Spread, s.Unit, s.Report.Jitter}
	switch {
	case len(s.Means) != d || len(s.Target) != k || len(s.Noise) != k || len(s.Within) != 0 && len(s.Within) != k:
		return bad("%d means, %d targets and %d variances for %d columns and %d targets", len(s.Means), len(s.Target), len(s.Noise), d, k)
	case len(s.Ridges) != 1 && len(s.Ridges) != k || len(s.Factors) != factors || s.Sparse < 0 || s.Sparse > int(gradientSolver):
		return bad("%d ridges and %d factors for %d targets", len(s.Ridges), len(s.Factors), k)
	case !s.Means.Finite() || !s.Target.Finite() || !s.Noise.Finite() || !s.Ridges.Finite() || !s.Within.Finite() || !numbers.Finite() ||
		!(s.Spread >= 0) || !(s.Unit >= 0):
		return bad("a value is not finite, or a spread is %v", s.Spread)
	case slices.ContainsFunc(s.Ridges, func(v float64) bool { return !(v > 0) }) || slices.ContainsFunc(slices.Concat(s.Noise, s.Within),
		func(v float64) bool { return !(v >= 0) }):
		return bad("ridges %v, noise %v", s.Ridges, s.Noise)
	}
	for _, f := range s.Factors {
		factor, ok := linalg.FromPacked(rank, f.Packed, f.Jitter)
		if !ok || !f.Packed.Finite() || f.Jitter-f.Jitter != 0 {
			return bad("a factor does not match %d columns", d)
		}
		m.factors = append(m.factors, factor)
	}
	return m, nil
}

// MarshalBinary encodes the fitted model: its coefficients, and d²/2 numbers for the variance.
func (r *Regressor) MarshalBinary() ([]byte, error) { return r.m.marshal(regressorType, regressorKind) }

// UnmarshalBinary decodes the output of MarshalBinary. Errors wrap [estimators.ErrBadModel] and leave r unchanged.
func (r *Regressor) UnmarshalBinary(data []byte) error {
	m, err := unmarshal(regressorKind, data, 1)
	if err != nil {
		return err
	}
	r.m = m
	return nil
}

type storedDirect struct {
	Coefficients codec.Floats
	Bias         float64
	Ridge        float64
	LOO          codec.Floats
	Report       estimators.Report
}

// MarshalBinary encodes the fitted model.
func (d *DirectKernel) MarshalBinary() ([]byte, error) {
	if d.m == nil {
		return nil, fault.NotFitted(directKernelType)
	}
	return codec.Marshal(directKernelKind, version, storedDirect{
		Coefficients: d.m.coefficients, Bias: d.m.bias, Ridge: d.m.ridge, LOO: d.m.loo, Report: d.m.report,
	})
}

// UnmarshalBinary decodes the output of MarshalBinary. Errors wrap [estimators.ErrBadModel] and leave d unchanged.
func (d *DirectKernel) UnmarshalBinary(data []byte) error {
	var s storedDirect
	if _, err := codec.Unmarshal(data, directKernelKind, version, &s); err != nil {
		return err
	}
	n := len(s.Coefficients)
	switch {
	case n == 0 || len(s.LOO) != 0 && len(s.LOO) != n:
		return fault.BadModel(directKernelKind, "%d coefficients and %d residuals", n, len(s.LOO))
	case !s.Coefficients.Finite() || !s.LOO.Finite() || !(codec.Floats{s.Bias, s.Ridge}).Finite() || !(s.Ridge > 0):
		return fault.BadModel(directKernelKind, "a value is not finite, or ridge %v is not > 0", s.Ridge)
	}
	m := &directModel{coefficients: s.Coefficients, bias: s.Bias, ridge: s.Ridge, report: s.Report}
	if len(s.LOO) > 0 {
		m.loo = s.LOO
	}
	d.m = m
	return nil
}
