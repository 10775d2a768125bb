package subject

import (
	"errors"
	"math"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/conformance"
	"gonum.org/v1/gonum/mat"
)

// Probe collects the findings of a check.
type Probe struct{ *conformance.Probe }

// Place fails unless err is ErrNotFinite at this position.
func (p *Probe) Place(doing string, err error, row, col int) {
	p.Wants(doing, err, estimators.ErrNotFinite)
	var at *estimators.NotFiniteError
	switch {
	case err == nil:
	case !errors.As(err, &at):
		p.Errorf("%s: the error %q is not a *estimators.NotFiniteError, so it names no row and column", doing, err)
	case at.Row != row || at.Col != col:
		p.Errorf("%s: the error names [%d,%d], want [%d,%d]", doing, at.Row, at.Col, row, col)
	}
}

// Contract fails unless err is one of the errors of the contract.
func (p *Probe) Contract(doing string, err error) {
	for _, want := range []error{
		estimators.ErrParam, estimators.ErrShape, estimators.ErrNotFinite, estimators.ErrNotPSD,
		estimators.ErrNotFitted, estimators.ErrTooLarge, estimators.ErrBadModel, errors.ErrUnsupported,
	} {
		if errors.Is(err, want) {
			return
		}
	}
	p.Errorf("%s: the error %q unwraps to none of package estimators", doing, err)
}

// Wants fails unless err is of the expected kind.
func (p *Probe) Wants(doing string, err, want error) {
	switch {
	case err == nil:
		p.Errorf("%s: no error, want %q", doing, want)
	case !errors.Is(err, want):
		p.Errorf("%s: the error %q is not %q", doing, err, want)
	}
}

// Keeps fails unless the model still has the same outputs as before.
func (p *Probe) Keeps(after string, m Model, x mat.Matrix, want Outputs) {
	got, err := m.tryOutputs(x)
	if err != nil {
		p.Errorf("after %s: %v", after, err)
		return
	}
	p.Same("after "+after, want, got, 0)
}

// Same fails unless got is equal to want, up to tol·max(1, |want|) for each value. A tol of 0 requires the same bits.
func (p *Probe) Same(what string, want, got Outputs, tol float64) {
	if len(want) != len(got) {
		p.Errorf("%s: %d methods, want %d", what, len(got), len(want))
		return
	}
	for k, w := range want {
		p.SameMatrix(what+": "+w.Method, w.Values, got[k].Values, tol)
	}
}

func (p *Probe) SameMatrix(what string, want, got *mat.Dense, tol float64) {
	r, c := want.Dims()
	if r2, c2 := got.Dims(); r2 != r || c2 != c {
		p.Errorf("%s: %d×%d, want %d×%d", what, r2, c2, r, c)
		return
	}
	for i := range r {
		for j := range c {
			w, g := want.At(i, j), got.At(i, j)
			if math.Float64bits(w) == math.Float64bits(g) {
				continue
			}
			if !(math.Abs(w-g) <= tol*math.Max(1, math.Abs(w))) || tol == 0 {
				p.Errorf("%s: row %d, column %d is %v, want %v (tolerance %g)", what, i, j, g, w, tol)
				return
			}
		}
	}
}
