package graph

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fast"
)

// Log1p returns ln(1+v), to the last digits near 0 too.
func (v Value) Log1p() Value {
	u := v.Plus(1)
	// What 1+v has lost of v, over 1+v, is the rest to first order.
	return u.Log().Add(v.Sub(u.Plus(-1)).Div(u))
}

// Expm1 returns e^v - 1, to the last digits near 0 too. It is infinite where e^v is.
func (v Value) Expm1() Value {
	return v.Times(0.5).Tanh().Mul(v.Exp().Plus(1))
}

// Sigmoid returns 1/(1+e^-v), to the last digits on both sides.
func (v Value) Sigmoid() Value {
	e := v.Abs().Neg().Exp() // never overflows
	one := v.Number(1)
	return v.GreaterOrEqual(v.Number(0)).Where(one, e).Div(e.Plus(1))
}

// Softmax returns e^v over its sum over the columns.
func (v Value) Softmax() Value {
	e := v.Sub(v.Largest()).Exp()
	return e.Div(e.Sum())
}

// Mean returns the mean of the columns, one column.
func (v Value) Mean() Value { return v.Sum().Div(v.Number(float64(v.Cols()))) }

// Clamp returns what v is between low and high, where NaN stays NaN.
func (v Value) Clamp(low, high Value) Value {
	v = v.Greater(high).Where(high, v)
	return v.Less(low).Where(low, v)
}

// Power returns v to a whole power of at least 0, by repeated squaring.
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

// Asin returns the arc sine, by the rational functions of FreeBSD's msun.
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

// SquaredDistances returns |v - z|² for each row of z, a column for each, of rows that lie about 0, by one product: what is lost
// is rounding of |v|² + |z|².
func (v Value) SquaredDistances(z *mat.Dense) Value {
	rows, d := z.Dims()
	by := mat.NewDense(d+2, rows, nil) // for v, |v|² and 1
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

// OverDifferences returns the sum over the columns of f of the differences v[j] - z[j], a column for each row of z: without
// the loss of SquaredDistances, and some operators for each column. It takes memory for a few numbers for each row of v and z.
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

// worst is the condition from which a solution by an inverse is refined once.
const worst = 1e4

// SolveUpper returns v U⁻¹ for an upper triangular U, by its inverse, and by one refinement where U is badly conditioned.
// Σ over the columns of its square is then the quadratic form of v with (U'U)⁻¹.
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

// Scores returns the scores of classes from the outputs of machines, a column each: for one column, the machine of the second of two
// classes, those are -f and f.
func (v Value) Scores() Value {
	if v.Cols() > 1 {
		return v
	}
	return Concat(v.Neg(), v)
}

// Shares returns the columns over their sum, and equal shares where that is not above 0.
func (v Value) Shares() Value {
	sum := v.Sum()
	some := sum.Greater(v.Number(0))
	return some.Where(v.Div(some.Where(sum, v.Number(1))), v.Number(1/float64(v.Cols())))
}

// Fill returns a column of a number for each row, whatever v is.
func (v Value) Fill(n float64) Value { return v.Select(0).IsNaN().Indicator().Times(0).Plus(n) }
