package features

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/weights"
)

const (
	// maxDegree is the highest power of a trend. Polynomials of higher degrees grow faster beyond the rows than any real trend.
	maxDegree = 3
	// dependent is a limit for the part of a trend column that other columns do not explain, as a ratio of norms. A column below
	// the limit is left out, because the rows cannot determine its coefficient.
	dependent = 1e-6
)

// Trend holds the polynomials of the columns of scaled x. In Φ their columns are between the intercept and the pairs, and their
// coefficients have a flat prior.
type Trend []Polynomial

// Polynomial holds the recurrence of the polynomials in one column that are orthonormal over the weighted rows: P[j+1] = ((u -
// Shift[j]) P[j] - Norm[j] P[j-1]) / Norm[j+1], with P[0] = 1, P[-1] = 0 and u = (column - Centre)·Inverse (G. Forsythe, J. SIAM 5,
// 1957).
type Polynomial struct {
	Column          int
	Centre, Inverse float64
	Shift           codec.Floats
	Norm            codec.Floats // Norm[0] is not used
	Kept            []int        // the degrees that have a column in Φ, ascending
}

// Width returns the number of columns of the trend.
func (t Trend) Width() (q int) {
	for _, p := range t {
		q += len(p.Kept)
	}
	return q
}

// NewTrend computes the polynomials up to the given degree of the columns of x, for weighted rows. It leaves out polynomials that
// equal, over the rows, sums of others of the same or a lower degree. A column with two values, for example, has no parabola. It
// returns ErrShape if the sum of the weights is less than q+2 for q coefficients, or the error of ctx. The cost is O(nq²).
func NewTrend(ctx context.Context, typ string, x *mat.Dense, of weights.Counts, degree int) (Trend, error) {
	if degree == 0 {
		return nil, nil
	}
	n, d := x.Dims()
	var t Trend
	for j := range d {
		if p, ok := newPolynomial(mat.Col(nil, j, x), of, degree); ok {
			p.Column = j
			t = append(t, p)
		}
	}
	most := min(n, degree*d)
	basis := blas64.General{Cols: n, Stride: n, Data: make([]float64, 0, most*n)} // orthonormal rows, one for each kept column
	column, products := make([]float64, n), make([]float64, most)
	values := make([]float64, degree+1)
	for power := 1; power <= degree; power++ {
		for k := range t {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			p := &t[k]
			if power >= len(p.Norm) {
				continue
			}
			for i := range n {
				p.values(values, x.At(i, p.Column))
				column[i] = values[power] * of.Root(i) / math.Sqrt(of.Total)
			}
			for range 2 { // A second pass removes the rounding errors of the first.
				if basis.Rows > 0 {
					fast.Gemv(blas.NoTrans, 1, basis, linalg.Vector(column), 0, linalg.Vector(products[:basis.Rows]))
					fast.Gemv(blas.Trans, -1, basis, linalg.Vector(products[:basis.Rows]), 1, linalg.Vector(column))
				}
			}
			size := math.Sqrt(linalg.Dot(column, column))
			if !(size > dependent) || basis.Rows == most {
				continue
			}
			p.Kept = append(p.Kept, power)
			for _, v := range column {
				basis.Data = append(basis.Data, v/size)
			}
			basis.Rows++
		}
	}
	t = slices.DeleteFunc(t, func(p Polynomial) bool { return len(p.Kept) == 0 })
	if q := t.Width(); !(of.Total >= float64(q)+2) { // with fewer rows the noise has no variance
		return nil, fault.Shape("x has", n, "rows",
			"with a total weight of %.4g, want 2 more than the %d coefficients of the trend (%s, Trend = %d)", of.Total, q, typ, degree)
	}
	return t, nil
}

// newPolynomial fits the recurrence to a column of weighted rows. The degree is lower if the column has too few distinct values. ok
// is false for a constant column.
func newPolynomial(v []float64, of weights.Counts, degree int) (p Polynomial, ok bool) {
	centre, spread, largest := Moments(v, of)
	inverse := 1 / spread
	if len(v) < 2 || !(spread > 1e-13*largest) || !(inverse > 0) || math.IsInf(inverse, 1) {
		return p, false
	}
	p = Polynomial{Centre: centre, Inverse: inverse, Norm: codec.Floats{0}}
	n := len(v)
	before, now, next := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range now {
		now[i] = 1
	}
	for j := range degree {
		shift, square := 0.0, 0.0
		for i, e := range v {
			shift += of.Weight(i) / of.Total * (e - centre) * inverse * now[i] * now[i]
		}
		for i, e := range v {
			next[i] = ((e-centre)*inverse-shift)*now[i] - p.Norm[j]*before[i]
			square += of.Weight(i) / of.Total * next[i] * next[i]
		}
		norm := math.Sqrt(square)
		if !(norm > dependent) || math.IsInf(norm, 1) {
			break
		}
		for i := range next {
			next[i] /= norm
		}
		p.Shift, p.Norm = append(p.Shift, shift), append(p.Norm, norm)
		before, now, next = now, next, before
	}
	return p, len(p.Shift) > 0
}

// values sets out to P[0], P[1], ... for a value of the column, up to the end of the recurrence or of out.
func (p *Polynomial) values(out []float64, v float64) {
	u := (v - p.Centre) * p.Inverse
	out[0] = 1
	for j := range min(len(p.Shift), len(out)-1) {
		out[j+1] = (u - p.Shift[j]) * out[j]
		if j > 0 {
			out[j+1] -= p.Norm[j] * out[j-1]
		}
		out[j+1] /= p.Norm[j+1]
	}
}

// Row sets dst, which has the trend's width, to the trend columns of one scaled row.
func (t Trend) Row(dst, x []float64) {
	var values [maxDegree + 1]float64
	at := 0
	for k := range t {
		p := &t[k]
		p.values(values[:], x[p.Column])
		for _, power := range p.Kept {
			dst[at] = values[power]
			at++
		}
	}
}

// Columns returns the trend columns of scaled rows, or nil without a trend.
func (t Trend) Columns(x *mat.Dense) *mat.Dense {
	q := t.Width()
	if q == 0 {
		return nil
	}
	n, _ := x.Dims()
	out := mat.NewDense(n, q, nil)
	for i := range n {
		t.Row(out.RawRowView(i), x.RawRowView(i))
	}
	return out
}

// FillHeads sets the first columns of phi: the intercept and the columns of trend, which may be nil. If scale is not nil, row i is
// multiplied by scale[i].
func FillHeads(phi blas64.General, trend *mat.Dense, scale []float64) {
	for i := range phi.Rows {
		row, s := phi.Data[i*phi.Stride:], 1.0
		if scale != nil {
			s = scale[i]
		}
		row[0] = s
		if trend == nil {
			continue
		}
		for j, v := range trend.RawRowView(i) {
			row[1+j] = s * v
		}
	}
}

// WidthOf returns the number of columns of trend, 0 if it is nil.
func WidthOf(trend *mat.Dense) int {
	if trend == nil {
		return 0
	}
	_, q := trend.Dims()
	return q
}

// Valid reports whether the trend is valid for rows of the given number of columns.
func (t Trend) Valid(columns int) bool {
	for k, p := range t {
		numbers := codec.Floats{p.Centre, p.Inverse}
		if p.Column < 0 || p.Column >= columns || k > 0 && p.Column <= t[k-1].Column || !numbers.Finite() || !(p.Inverse > 0) ||
			len(p.Shift) < 1 || len(p.Shift) > maxDegree || len(p.Norm) != len(p.Shift)+1 || !p.Shift.Finite() || !p.Norm.Finite() ||
			!(slices.Min(p.Norm[1:]) > 0) ||
			len(p.Kept) == 0 {
			return false
		}
		below := 0
		for _, power := range p.Kept {
			if power <= below || power > len(p.Shift) {
				return false
			}
			below = power
		}
	}
	return true
}
