package graph

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fast"
)

// Log1p returns ln(1+v), which is also accurate near 0.
func (v Value) Log1p() Value {
	u := v.Plus(1)
	// Adding the rounding error of 1+v, divided by 1+v, is a first-order correction.
	return u.Log().Add(v.Sub(u.Plus(-1)).Div(u))
}

// Expm1 returns e^v - 1, which is also accurate near 0. If e^v overflows, the result is infinite.
func (v Value) Expm1() Value {
	return v.Times(0.5).Tanh().Mul(v.Exp().Plus(1))
}

// Sigmoid returns 1/(1+e^-v). It is accurate for large values of either sign.
func (v Value) Sigmoid() Value {
	e := v.Abs().Neg().Exp() // never overflows
	one := v.Number(1)
	return v.GreaterOrEqual(v.Number(0)).Where(one, e).Div(e.Plus(1))
}

// Softmax returns e^v divided by its sum over the columns.
func (v Value) Softmax() Value {
	e := v.Sub(v.Largest()).Exp()
	return e.Div(e.Sum())
}

// Mean returns the mean of the columns, as one column.
func (v Value) Mean() Value { return v.Sum().Div(v.Number(float64(v.Cols()))) }

// Clamp limits v to the range from low to high. NaN stays NaN.
func (v Value) Clamp(low, high Value) Value {
	v = v.Greater(high).Where(high, v)
	return v.Less(low).Where(low, v)
}

// Power returns v to the power p >= 0, computed by repeated squaring.
func (v Value) Power(p int) Value {
	if p == 0 {
		return v.Number(1)
	}
	var out Value
	for s := v; ; s = s.Square() {
		if p&1 != 0 {
			if out.IsZero() {
				out = s
			} else {
				out = out.Mul(s)
			}
		}
		if p >>= 1; p == 0 {
			return out
		}
	}
}

// Horner returns the polynomial c[0] + c[1] v + c[2] v² + ...
func (v Value) Horner(c ...float64) Value {
	out := v.Number(c[len(c)-1])
	for i := len(c) - 2; i >= 0; i-- {
		out = out.Mul(v).Plus(c[i])
	}
	return out
}

// Asin returns the arc sine, computed with the rational functions of FreeBSD's msun.
func (v Value) Asin() Value {
	a := v.Abs()
	rest := func(t Value) Value {
		p := t.Mul(t.Horner(1.66666666666666657415e-01, -3.25565818622400915405e-01, 2.01212532134862925881e-01,
			-4.00555345006794114027e-02, 7.91534994289814532176e-04, 3.47933107596021167570e-05))
		return p.Div(t.Horner(1, -2.40339491173441421878e+00, 2.02094576023350569471e+00, -6.88283971605453293030e-01,
			7.70381505559019352791e-02))
	}
	near := a.Add(a.Mul(rest(a.Square())))
	t := a.Neg().Plus(1).Times(0.5)
	s := t.Sqrt()
	far := s.Add(s.Mul(rest(t))).Times(-2).Plus(math.Pi / 2)
	out := a.Less(v.Number(0.5)).Where(near, far)
	return v.Less(v.Number(0)).Where(out.Neg(), out)
}

// SquaredDistances returns |v - z|², with a column for each row of z, computed by one matrix product. The rows should lie near 0,
// because the rounding error grows with |v|² + |z|².
func (v Value) SquaredDistances(z *mat.Dense) Value {
	rows, d := z.Dims()
	by := mat.NewDense(d+2, rows, nil) // multiplies (v, |v|², 1)
	for i := range rows {
		norm := 0.0
		for j := range d {
			e := z.At(i, j)
			by.Set(j, i, -2*e)
			norm += e * e
		}
		by.Set(d, i, 1)
		by.Set(d+1, i, norm)
	}
	return Concat(v, v.Square().Sum(), v.Fill(1)).MatMul(v.Constant(by)).Max(v.Number(0))
}

// OverDifferences returns the sum of f(v[j] - z[j]) over the columns j, with a column for each row of z. It avoids the rounding
// error of SquaredDistances, but adds several operators per column. For each pair of a row of v and a row of z, it needs memory for
// a few numbers.
func (v Value) OverDifferences(z *mat.Dense, f func(difference Value) Value) Value {
	var sum Value
	for j := range v.Cols() {
		t := f(v.Select(j).Sub(v.Row(mat.Col(nil, j, z))))
		if sum.IsZero() {
			sum = t
		} else {
			sum = sum.Add(t)
		}
	}
	return sum
}

// worst is the condition number above which a solution computed with an inverse is refined once.
const worst = 1e4

// SolveUpper returns v U⁻¹ for an upper triangular U. It uses the inverse of U, with one step of refinement if U is
// ill-conditioned. The sum of the squares of the result's columns is the quadratic form of v with (U'U)⁻¹.
func (v Value) SolveUpper(u blas64.Triangular) Value {
	n := u.N
	inverse, whole := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	for i := range n {
		inverse.Set(i, i, 1)
		for j := i; j < n; j++ {
			whole.Set(i, j, u.Data[i*u.Stride+j])
		}
	}
	fast.Trsm(blas.Left, blas.NoTrans, 1, u, inverse.RawMatrix())
	by := v.Constant(inverse)
	out := v.MatMul(by)
	if !(mat.Norm(whole, 2)*mat.Norm(inverse, 2) < worst*float64(n)) {
		out = out.Add(v.Sub(out.MatMul(v.Constant(whole))).MatMul(by))
	}
	return out
}

// Scores returns the scores of the classes, given the outputs of machines, one in each column. A single column f is the machine for
// the second of two classes, and yields the scores -f and f.
func (v Value) Scores() Value {
	if v.Cols() > 1 {
		return v
	}
	return Concat(v.Neg(), v)
}

// Shares divides the columns by their sum. In rows whose sum is not positive, all shares are equal.
func (v Value) Shares() Value {
	sum := v.Sum()
	some := sum.Greater(v.Number(0))
	return some.Where(v.Div(some.Where(sum, v.Number(1))), v.Number(1/float64(v.Cols())))
}

// Fill returns a column that contains n in every row of v, regardless of the values in v.
func (v Value) Fill(n float64) Value { return v.Select(0).IsNaN().Indicator().Times(0).Plus(n) }
