package ridge

import (
	"cmp"

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

type storedModel struct {
	Means        codec.Floats
	Target       float64
	Coefficients codec.Floats
	Ridge        float64
	Noise        float64
	Spread       float64
	Basis        codec.Matrix // empty unless there are more columns than rows
	Factor       codec.Floats // packed
	LOO          codec.Floats
	FromSums     bool         `cbor:",omitempty"`
	Unit         float64      `cbor:",omitempty"` // 0 for 1
	Within       codec.Floats `cbor:",omitzero"`  // of one target, or empty
	Report       estimators.Report
}

// givenWithin is nil for the empty list of a file.
func givenWithin(stored []float64) []float64 {
	if len(stored) == 0 {
		return nil
	}
	return stored
}

// storedUnit is 0 in the place of 1, the unit without weights, which a file leaves out.
func (m *model) storedUnit() float64 {
	if m.unit == 1 {
		return 0
	}
	return m.unit
}

// MarshalBinary writes the fitted model: its coefficients, and the d²/2 numbers
// that its variance takes.
func (r *Regressor) MarshalBinary() ([]byte, error) {
	m := r.m
	if m == nil {
		return nil, fault.NotFitted(regressorType)
	}
	return codec.Marshal(regressorKind, version, storedModel{
		Means: m.means, Target: m.target[0], Coefficients: m.coefficients.RawRowView(0), Ridge: m.ridges[0], Noise: m.noise[0],
		Spread: m.spread,
		Basis:  codec.FromDense(m.basis), Factor: m.factors[0].Packed(), LOO: column0(m.loo), FromSums: m.fromSums, Unit: m.storedUnit(),
		Within: m.within, Report: m.report,
	})
}

// UnmarshalBinary reads what MarshalBinary wrote. Errors wrap [estimators.ErrBadModel] and leave r unchanged.
func (r *Regressor) UnmarshalBinary(data []byte) error {
	var s storedModel
	if _, err := codec.Unmarshal(data, regressorKind, version, &s); err != nil {
		return err
	}
	m, err := s.model()
	if err != nil {
		return err
	}
	r.m = m
	return nil
}

func (s storedModel) model() (*model, error) {
	bad := func(format string, args ...any) (*model, error) {
		return nil, fault.BadModel(regressorKind, format, args...)
	}
	d := len(s.Coefficients)
	rank := d
	basis, err := s.Basis.Dense()
	if err != nil {
		return bad("basis: %v", err)
	}
	if basis != nil {
		var rows int
		if rows, rank = basis.Dims(); rows != d || rank > d {
			return bad("a basis of %d×%d for %d columns", rows, rank, d)
		}
	}
	numbers := codec.Floats{s.Target, s.Ridge, s.Noise, s.Spread, s.Unit, s.Report.Jitter}
	switch {
	case d == 0 || len(s.Means) != d:
		return bad("%d coefficients for %d columns", d, len(s.Means))
	case !s.Means.Finite() || !s.Coefficients.Finite() || !s.Factor.Finite() || !s.LOO.Finite() || !s.Within.Finite() || !numbers.Finite():
		return bad("a value is not finite")
	case len(s.Within) > 1 || len(s.Within) == 1 && !(s.Within[0] >= 0):
		return bad("variances within rows %v", s.Within)
	case !(s.Ridge > 0) || !(s.Noise >= 0) || !(s.Spread >= 0) || !(s.Unit >= 0):
		return bad("ridge %v, noise %v", s.Ridge, s.Noise)
	}
	factor, ok := linalg.FromPacked(rank, s.Factor, s.Report.Jitter)
	if !ok {
		return bad("the factor does not fit %d columns", d)
	}
	m := &model{
		means: s.Means, target: []float64{s.Target}, coefficients: mat.NewDense(1, d, s.Coefficients), ridges: []float64{s.Ridge},
		noise: []float64{s.Noise}, spread: s.Spread, unit: cmp.Or(s.Unit, 1), within: givenWithin(s.Within),
		basis: basis, factors: []*linalg.Cholesky{factor}, fromSums: s.FromSums, report: s.Report,
	}
	if len(s.LOO) > 0 {
		m.loo = mat.NewDense(len(s.LOO), 1, s.LOO)
	}
	return m, nil
}

// column0 is the column of residuals of one target; nil for none.
func column0(m *mat.Dense) []float64 {
	if m == nil {
		return nil
	}
	return mat.Col(nil, 0, m)
}

type storedDirect struct {
	Coefficients codec.Floats
	Bias         float64
	Ridge        float64
	LOO          codec.Floats
	Report       estimators.Report
}

// MarshalBinary writes the fitted model.
func (d *DirectKernel) MarshalBinary() ([]byte, error) {
	if d.m == nil {
		return nil, fault.NotFitted(directKernelType)
	}
	return codec.Marshal(directKernelKind, version, storedDirect{
		Coefficients: d.m.coefficients, Bias: d.m.bias, Ridge: d.m.ridge, LOO: d.m.loo, Report: d.m.report,
	})
}

// UnmarshalBinary reads what MarshalBinary wrote. Errors wrap [estimators.ErrBadModel] and leave d unchanged.
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
