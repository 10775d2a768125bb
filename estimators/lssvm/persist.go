package lssvm

import (
	"encoding"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/kernels"
)

const (
	regressorKind  = "lssvm.Regressor"
	classifierKind = "lssvm.Classifier"
	version        = 1
)

var (
	_ encoding.BinaryMarshaler   = (*Regressor)(nil)
	_ encoding.BinaryUnmarshaler = (*Regressor)(nil)
	_ encoding.BinaryMarshaler   = (*Classifier)(nil)
	_ encoding.BinaryUnmarshaler = (*Classifier)(nil)
)

// stored is a machine in a file. The first three are a kernels.Reference.
type stored struct {
	Kernel  string // "" after FitMatrix
	Gamma   float64
	Median  bool
	N       int
	Rows    codec.Matrix
	Alpha   codec.Matrix
	Bias    codec.Floats
	Eta     codec.Floats
	Weights codec.Floats
	Ridge   float64
	Scale   float64
	LOO     codec.Matrix
	Factor  codec.Floats // packed; only after Regressor.FitMatrix, which has no rows
	Report  estimators.Report
}

func (m *machine) store(configured kernels.Kernel, withFactor bool) (stored, error) {
	if err := m.leaveOneOut(nil); err != nil {
		return stored{}, err
	}
	s := stored{
		N: m.n, Rows: codec.FromDense(m.rows), Alpha: codec.FromDense(m.alpha), Bias: m.bias, Eta: m.eta, Weights: m.weights,
		Ridge: m.ridge, Scale: m.scale, LOO: codec.FromDense(m.loo), Report: m.report,
	}
	if m.kernel != nil {
		r := kernels.MakeReference(configured, m.kernel)
		s.Kernel, s.Median, s.Gamma = r.Name, r.Median, r.Gamma
	}
	if withFactor {
		chol, err := m.factor()
		if err != nil {
			return s, err
		}
		s.Factor = chol.Packed()
	}
	return s, nil
}

// machine rebuilds and validates; k is the number of targets.
func (s stored) machine(kind string, configured kernels.Kernel, k int, opt kernels.Options) (*machine, error) {
	bad := func(format string, args ...any) (*machine, error) { return nil, fault.BadModel(kind, format, args...) }
	m := &machine{n: s.N, bias: s.Bias, eta: s.Eta, weights: s.Weights, ridge: s.Ridge, scale: s.Scale, report: s.Report}
	var err error
	if m.rows, err = s.Rows.Dense(); err != nil {
		return bad("rows: %v", err)
	}
	if m.alpha, err = s.Alpha.Dense(); err != nil {
		return bad("coefficients: %v", err)
	}
	if m.loo, err = s.LOO.Dense(); err != nil {
		return bad("leave-one-out residuals: %v", err)
	}
	isShape := func(x *mat.Dense, r, c int) bool {
		if x == nil {
			return false
		}
		xr, xc := x.Dims()
		return xr == r && xc == c
	}
	switch {
	case s.N < 1 || !isShape(m.alpha, s.N, k) || len(s.Bias) != k || len(s.Eta) != s.N:
		return bad("%d rows do not fit its coefficients", s.N)
	case len(s.Weights) != 0 && len(s.Weights) != s.N:
		return bad("%d weights for %d rows", len(s.Weights), s.N)
	case m.loo != nil && !isShape(m.loo, s.N, k), m.loo == nil && s.N > 1:
		return bad("leave-one-out residuals do not fit %d rows", s.N)
	case !s.Bias.Finite() || !s.Eta.Finite() || !s.Weights.Finite():
		return bad("a value is not finite")
	case !(s.Ridge > 0) || s.Ridge-s.Ridge != 0 || !(s.Scale >= 0) || s.Scale-s.Scale != 0:
		return bad("ridge %v, scale %v", s.Ridge, s.Scale)
	case slices.ContainsFunc(s.Weights, func(w float64) bool { return !(w > 0) }):
		return bad("a weight is not positive")
	}
	if len(m.weights) == 0 {
		m.weights = nil
	}
	if s.Kernel == "" { // FitMatrix
		if m.rows != nil {
			return bad("rows without a kernel")
		}
		return m, nil
	}
	if m.rows == nil {
		return bad("a kernel without rows")
	}
	if r, _ := m.rows.Dims(); r != s.N {
		return bad("%d rows, %d announced", r, s.N)
	}
	m.kernel, err = kernels.Reference{Name: s.Kernel, Median: s.Median, Gamma: s.Gamma}.Resolve(kind, configured)
	if err != nil {
		return nil, err
	}
	m.later(opt)
	return m, nil
}

// MarshalBinary writes the fitted model: the training rows, their coefficients
// and the kernel's name. The configuration is not written.
func (r *Regressor) MarshalBinary() ([]byte, error) {
	if r.m == nil {
		return nil, fault.NotFitted(regressorType)
	}
	s, err := r.m.store(r.Kernel, r.m.rows == nil)
	if err != nil {
		return nil, err
	}
	return codec.Marshal(regressorKind, version, s)
}

// UnmarshalBinary reads what MarshalBinary wrote into a Regressor of the same
// Kernel. Errors are ErrBadModel and leave r as it was.
func (r *Regressor) UnmarshalBinary(data []byte) error {
	var s stored
	if _, err := codec.Unmarshal(data, regressorKind, version, &s); err != nil {
		return err
	}
	m, err := s.machine(regressorKind, r.Kernel, 1, r.settings().options)
	if err != nil {
		return err
	}
	if m.rows == nil {
		chol, ok := linalg.FromPacked(m.n, s.Factor, s.Report.Jitter)
		if !ok || !s.Factor.Finite() {
			return fault.BadModel(regressorKind, "the factor does not fit %d rows", m.n)
		}
		m.factor = func() (*linalg.Cholesky, error) { return chol, nil }
	}
	r.m = m
	return nil
}

type storedClassifier struct {
	Machine stored
	Classes []int
	Slope   float64
	Offset  codec.Floats
}

// MarshalBinary writes the fitted model: the training rows, their coefficients,
// the kernel's name, the classes and the link. The configuration is not written.
func (c *Classifier) MarshalBinary() ([]byte, error) {
	if c.m == nil {
		return nil, fault.NotFitted(classifierType)
	}
	s, err := c.m.store(c.Kernel, false)
	if err != nil {
		return nil, err
	}
	return codec.Marshal(classifierKind, version, storedClassifier{Machine: s, Classes: c.classes, Slope: c.link.slope, Offset: c.link.offset})
}

// UnmarshalBinary reads what MarshalBinary wrote into a Classifier of the same
// Kernel. Errors are ErrBadModel and leave c as it was.
func (c *Classifier) UnmarshalBinary(data []byte) error {
	var s storedClassifier
	if _, err := codec.Unmarshal(data, classifierKind, version, &s); err != nil {
		return err
	}
	k := len(s.Classes)
	if !classes.Valid(s.Classes) || len(s.Offset) != k || !s.Offset.Finite() || !(s.Slope >= 0) || s.Slope-s.Slope != 0 {
		return fault.BadModel(classifierKind, "%d classes do not fit its link", k)
	}
	m, err := s.Machine.machine(classifierKind, c.Kernel, classes.Machines(k), c.settings().options)
	if err != nil {
		return err
	}
	m.factor = nil
	c.m, c.classes, c.link = m, s.Classes, link{slope: s.Slope, offset: s.Offset}
	return nil
}
