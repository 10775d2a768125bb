package lssvm

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/fullsystem"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/posterior"
	"github.com/kernelearn/kernelearn/internal/vecmath"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/sparse"
)

const (
	regressorKind  = "lssvm.Regressor"
	classifierKind = "lssvm.Classifier"
	version        = 1
)

// stored is the form of a machine in a file. The first three fields are a kernels.Reference.
type stored struct {
	Kernel  string // "" after FitMatrix
	Gamma   float64
	Nu      float64   `cbor:",omitempty"` // for a chosen Matérn kernel, whose length is in Params
	Params  []float64 `cbor:",omitempty"`
	Columns []int     `cbor:",omitempty"` // columns of the chosen kernel, if not all
	Median  bool
	N       int
	Rows    codec.Matrix      // dense rows, or
	Sparse  *codec.SparseRows `cbor:",omitempty"`
	Alpha   codec.Matrix
	Bias    codec.Floats
	Eta     codec.Floats
	Weights codec.Floats
	Ridge   float64
	// The next fields are for a Regressor.
	LeftOut codec.Matrix // leave-one-out residuals; empty if not computed, and for one row
	Scales  codec.Floats // s² of each target, with LeftOut
	Matrix  codec.Floats // after FitMatrix the packed kernel matrix, or
	Factor  codec.Floats // the packed factor of M
	Report  estimators.Report
	// The next fields are for rows that occur more than once.
	Given  int          `cbor:",omitempty"` // number of rows, after FitMatrix
	Index  []int        `cbor:",omitempty"` // the distinct row of each row of a Regressor
	First  []int        `cbor:",omitempty"` // the first occurrence of each distinct row, after FitMatrix
	Rest   codec.Matrix `cbor:",omitzero"`  // targets of a Regressor minus their means over equal rows
	Within codec.Floats `cbor:",omitzero"`  // mean square of Rest for each target
	Groups [][]int      `cbor:",omitempty"` // distinct rows that are left out together
	// The next fields are for conjugate gradients.
	Posterior *storedPosterior `cbor:",omitempty"`
	Inverse   codec.Floats     `cbor:",omitzero"` // of a Regressor, with LeftOut
	Details   *Details         `cbor:",omitempty"`
}

// storedPosterior holds the part of the variance that cannot be computed from the rows.
type storedPosterior struct {
	Pivots             []int
	Unit, Share, Scale float64
	Factor             codec.Floats // packed
}

func storePosterior(q *fullsystem.Posterior) *storedPosterior {
	out := &storedPosterior{Pivots: q.Pivots, Unit: q.Unit, Share: q.Share, Scale: q.Scale}
	if q.Factor != nil {
		out.Factor = q.Factor.Packed()
	}
	return out
}

// restore validates the stored form and returns the posterior for n rows.
func (s *storedPosterior) restore(kind string, n int) (*fullsystem.Posterior, error) {
	out := &fullsystem.Posterior{Pivots: s.Pivots, Unit: s.Unit, Share: s.Share, Scale: s.Scale}
	for _, v := range []float64{s.Unit, s.Share, s.Scale} {
		if !(v > 0) || v-v != 0 {
			return nil, fault.BadModel(kind, "a variance with the number %v", v)
		}
	}
	seen := map[int]bool{}
	for _, i := range s.Pivots {
		if i < 0 || i >= n || seen[i] {
			return nil, fault.BadModel(kind, "row %d in a variance, want each of %d once at most", i, n)
		}
		seen[i] = true
	}
	if len(s.Pivots) == 0 {
		return out, nil
	}
	var ok bool
	if out.Factor, ok = linalg.FromPacked(len(s.Pivots), s.Factor, 0); !ok || !s.Factor.Finite() {
		return nil, fault.BadModel(kind, "the factor of a variance does not match %d rows", len(s.Pivots))
	}
	return out, nil
}

func (m *machine) store(configured kernels.Kernel) stored {
	s := stored{
		N: m.n, Alpha: codec.FromDense(m.alpha), Bias: m.bias, Eta: m.eta, Weights: m.weights,
		Ridge: m.ridge, Matrix: m.matrix, Report: m.report,
		Given: m.given.n, Index: m.given.index, First: m.given.first, Rest: codec.FromDense(m.given.rest), Within: m.given.within,
	}
	switch rows := m.rows.(type) {
	case *mat.Dense:
		s.Rows = codec.FromDense(rows)
	case *sparse.Rows:
		s.Sparse = codec.FromSparse(rows)
	}
	if m.left == nil { // quantities that are computed later need the groups
		s.Groups = m.groups
	} else {
		s.LeftOut, s.Scales = codec.FromDense(m.left.residuals), m.left.scales
	}
	if m.factor != nil {
		s.Factor = m.factor.Packed()
	}
	if m.details.Solver == ConjugateGradients {
		s.Details = &m.details
	}
	if m.posterior != nil {
		s.Posterior, s.Inverse = storePosterior(m.posterior), m.left.inverse
	}
	if m.kernel != nil {
		r := kernels.MakeReference(configured, m.kernel)
		s.Kernel, s.Median, s.Gamma, s.Nu, s.Params, s.Columns = r.Name, r.Median, r.Gamma, r.Nu, r.Params, r.Columns
	}
	return s
}

// machine validates the stored form and returns the machine. k is the number of targets.
func (s stored) machine(kind string, configured kernels.Kernel, k int, opt kernels.Options) (*machine, error) {
	m := &machine{n: s.N, bias: s.Bias, eta: s.Eta, weights: s.Weights, ridge: s.Ridge, options: opt, report: s.Report,
		details: Details{Solver: Cholesky}}
	if s.Details != nil {
		m.details = *s.Details
	}
	var err error
	if m.rows, err = s.rows(); err != nil {
		return nil, fault.BadModel(kind, "rows: %v", err)
	}
	if m.alpha, err = s.Alpha.Dense(); err != nil {
		return nil, fault.BadModel(kind, "coefficients: %v", err)
	}
	if reason := s.wrong(m.alpha, k); reason != "" {
		return nil, fault.BadModel(kind, "%s", reason)
	}
	if len(m.weights) == 0 {
		m.weights = nil
	}
	if m.given, err = s.readGivenRows(k); err != nil {
		return nil, fault.BadModel(kind, "%v", err)
	}
	if m.groups, err = s.groups(); err != nil {
		return nil, fault.BadModel(kind, "%v", err)
	}
	if s.Kernel == "" { // after FitMatrix
		if m.rows != nil {
			return nil, fault.BadModel(kind, "rows without a kernel")
		}
		return m, nil
	}
	if m.rows == nil {
		return nil, fault.BadModel(kind, "a kernel without rows")
	}
	rows, columns := m.rows.Dims()
	if rows != s.N {
		return nil, fault.BadModel(kind, "a kernel without %d rows", s.N)
	}
	r := kernels.Reference{Name: s.Kernel, Median: s.Median, Gamma: s.Gamma, Nu: s.Nu, Params: s.Params, Columns: s.Columns}
	if m.kernel, err = r.Resolve(kind, configured); err != nil {
		return nil, err
	}
	if err := kernels.ValidateColumns(m.kernel, columns); err != nil {
		return nil, fault.BadModel(kind, "%v", err)
	}
	if s.Sparse != nil && !kernels.TakesSparseRows(m.kernel) {
		return nil, fault.BadModel(kind, "sparse rows with the kernel %v, which needs dense ones", m.kernel)
	}
	return m, nil
}

// rows returns the stored rows, or nil if there are none.
func (s stored) rows() (mat.Matrix, error) {
	if s.Sparse != nil {
		rows, err := s.Sparse.Rows()
		if err != nil {
			return nil, err
		}
		return rows, nil
	}
	rows, err := s.Rows.Dense()
	if rows == nil {
		return nil, err
	}
	return rows, err
}

// readGivenRows decodes the fields for rows that occur more than once, for k targets.
func (s stored) readGivenRows(k int) (givenRows, error) {
	out := givenRows{n: s.Given}
	if len(s.Index) > 0 {
		out.index, out.within = s.Index, s.Within
	}
	if len(s.First) > 0 {
		out.first = s.First
	}
	if s.Kernel == "" && s.Given == 0 {
		out.n = s.N
	}
	var err error
	if out.rest, err = s.Rest.Dense(); err != nil {
		return out, fmt.Errorf("targets of equal rows: %w", err)
	}
	outside := func(rows int) func(int) bool {
		return func(i int) bool { return i < 0 || i >= rows }
	}
	switch {
	case len(s.Index) == 0 && (out.rest != nil || len(s.Within) != 0):
		return out, fmt.Errorf("targets of equal rows without the rows")
	case len(s.Index) > 0 && (!isShape(out.rest, len(s.Index), k) || len(s.Within) != k || !s.Within.Finite()):
		return out, fmt.Errorf("targets of %d equal rows are inconsistent", len(s.Index))
	case slices.ContainsFunc(s.Within, func(v float64) bool { return v < 0 }):
		return out, fmt.Errorf("mean squares %v of the targets of equal rows", s.Within)
	case slices.ContainsFunc(s.Index, outside(s.N)):
		return out, fmt.Errorf("a row that is none of %d distinct rows", s.N)
	case len(s.First) != 0 && (len(s.First) != s.N || slices.ContainsFunc(s.First, outside(s.Given))):
		return out, fmt.Errorf("%d distinct rows, want %d among %d", len(s.First), s.N, s.Given)
	case s.Kernel == "" && len(s.First) == 0 && out.n != s.N:
		return out, fmt.Errorf("%d rows for %d of a kernel matrix", s.N, s.Given)
	}
	return out, nil
}

// groups decodes the groups of distinct rows.
func (s stored) groups() ([][]int, error) {
	seen := make(map[int]bool)
	for _, group := range s.Groups {
		if len(group) < 2 {
			return nil, fmt.Errorf("a group of %d rows", len(group))
		}
		for _, i := range group {
			if i < 0 || i >= s.N || seen[i] {
				return nil, fmt.Errorf("row %d in a group, want each of %d in one at most", i, s.N)
			}
			seen[i] = true
		}
	}
	return s.Groups, nil
}

// wrong returns a description of an error in the numbers for k targets, or "" if there is none.
func (s stored) wrong(alpha *mat.Dense, k int) string {
	switch {
	case s.N < 1 || !isShape(alpha, s.N, k) || len(s.Bias) != k || len(s.Eta) != s.N:
		return fmt.Sprintf("%d rows do not match its coefficients", s.N)
	case len(s.Weights) != 0 && len(s.Weights) != s.N:
		return fmt.Sprintf("%d weights for %d rows", len(s.Weights), s.N)
	case !s.Bias.Finite() || !s.Eta.Finite() || !s.Weights.Finite():
		return "a value is not finite"
	case !(s.Ridge > 0) || s.Ridge-s.Ridge != 0:
		return fmt.Sprintf("ridge %v", s.Ridge)
	case slices.ContainsFunc(s.Weights, func(w float64) bool { return !(w > 0) }):
		return "a weight is not positive"
	case !(vecmath.Sum(s.Eta) > 0): // 1'M⁻¹1, which variances divide by
		return "the solution for ones does not have a positive sum"
	}
	return ""
}

// isShape reports whether x is r×c. If c is -1, only the number of rows is checked.
func isShape(x *mat.Dense, r, c int) bool {
	if x == nil {
		return false
	}
	rows, columns := x.Dims()
	return rows == r && (c < 0 || columns == c)
}

// complete decodes the leave-one-out results of a Regressor for k targets, and its kernel matrix or factor.
func (s stored) complete(kind string, m *machine, k int) error {
	residuals, err := s.LeftOut.Dense()
	if err != nil {
		return fault.BadModel(kind, "leave-one-out residuals: %v", err)
	}
	rows := s.N
	if m.given.index != nil {
		rows = len(m.given.index)
	}
	if residuals != nil && !isShape(residuals, rows, k) {
		return fault.BadModel(kind, "leave-one-out residuals do not match %d rows", rows)
	}
	if residuals != nil || s.N == 1 {
		if len(s.Scales) != k || !s.Scales.Finite() || slices.Min(s.Scales) < 0 {
			return fault.BadModel(kind, "scales %v for %d targets", s.Scales, k)
		}
		m.left = &leftOut{residuals: residuals, scales: s.Scales}
	}
	if s.Posterior != nil {
		if m.rows == nil || residuals == nil || len(s.Inverse) != s.N || !s.Inverse.Finite() {
			return fault.BadModel(kind, "a variance without leave-one-out residuals of %d rows", s.N)
		}
		m.left.inverse = s.Inverse
		if m.posterior, err = s.Posterior.restore(kind, s.N); err != nil {
			return err
		}
	}
	triangle := s.N * (s.N + 1) / 2
	switch {
	case m.rows != nil && len(s.Matrix)+len(s.Factor) == 0:
		return nil
	case m.rows == nil && len(s.Factor) == 0 && len(s.Matrix) == triangle && s.Matrix.Finite():
		m.matrix = s.Matrix
		return nil
	case m.rows == nil && len(s.Matrix) == 0 && s.Factor.Finite():
		var ok bool
		if m.factor, ok = linalg.FromPacked(m.n, s.Factor, s.Report.Jitter); ok {
			return nil
		}
	}
	return fault.BadModel(kind, "the kernel matrix or its factor does not match %d rows", s.N)
}

// MarshalBinary encodes the fitted model: the training rows, their coefficients and the kernel's name, or after FitMatrix the n²/2
// numbers that its variance needs. It does not encode the configuration. Quantities that are computed at their first use are
// encoded only if they have been used. Otherwise they are computed at first use in the decoded model.
func (r *Regressor) MarshalBinary() ([]byte, error) {
	return r.m.marshal(regressorType, regressorKind, r.Kernel)
}

// UnmarshalBinary decodes the output of MarshalBinary into a Regressor with the same Kernel. Errors wrap [estimators.ErrBadModel]
// and leave r unchanged.
func (r *Regressor) UnmarshalBinary(data []byte) error {
	m, err := unmarshal(regressorKind, data, r.Kernel, 1, r.settings().options)
	if err != nil {
		return err
	}
	r.m = m
	return nil
}

// marshal encodes the machine of a regressor.
func (m *machine) marshal(typ, kind string, configured kernels.Kernel) ([]byte, error) {
	if m == nil {
		return nil, fault.NotFitted(typ)
	}
	return codec.Marshal(kind, version, m.store(configured))
}

// unmarshal decodes the machine of a regressor for k targets. If k is 0, any number of targets is accepted.
func unmarshal(kind string, data []byte, configured kernels.Kernel, k int, opt kernels.Options) (*machine, error) {
	var s stored
	if _, err := codec.Unmarshal(data, kind, version, &s); err != nil {
		return nil, err
	}
	if k == 0 {
		if k = len(s.Bias); s.Kernel == "" {
			return nil, fault.BadModel(kind, "no kernel")
		}
	}
	m, err := s.machine(kind, configured, k, opt)
	if err != nil {
		return nil, err
	}
	return m, s.complete(kind, m, k)
}

type storedClassifier struct {
	Machine stored
	Classes []int
	Slopes  codec.Floats
	Offset  codec.Floats
	Mixing  codec.Floats
}

// MarshalBinary encodes the fitted model: the training rows, their coefficients, the kernel's name, the classes and the link. It
// does not encode the configuration.
func (c *Classifier) MarshalBinary() ([]byte, error) {
	if c.m == nil {
		return nil, fault.NotFitted(classifierType)
	}
	return codec.Marshal(classifierKind, version, storedClassifier{
		Machine: c.m.store(c.Kernel), Classes: c.classes, Slopes: c.link.Slopes[:], Offset: c.link.Offset, Mixing: c.link.Mixing,
	})
}

// UnmarshalBinary decodes the output of MarshalBinary into a Classifier with the same Kernel. Errors wrap [estimators.ErrBadModel]
// and leave c unchanged.
func (c *Classifier) UnmarshalBinary(data []byte) error {
	var s storedClassifier
	if _, err := codec.Unmarshal(data, classifierKind, version, &s); err != nil {
		return err
	}
	k := len(s.Classes)
	link, ok := posterior.Stored(s.Slopes, s.Offset, s.Mixing, k)
	if !classes.Valid(s.Classes) || !ok {
		return fault.BadModel(classifierKind, "%d classes do not match its link", k)
	}
	m, err := s.Machine.machine(classifierKind, c.Kernel, classes.Machines(k), c.settings().options)
	if err != nil {
		return err
	}
	c.m, c.classes, c.link, c.left = m, s.Classes, link, nil
	return nil
}
