package features

import (
	"math"
	"slices"

	"github.com/kernelearn/kernelearn/graph"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Graph returns the columns of the trend as a graph.
func (t Trend) Graph(x graph.Value) (none graph.Value) {
	var parts []graph.Value
	for _, p := range t {
		u := x.Select(p.Column).Plus(-p.Centre).Times(p.Inverse)
		values := []graph.Value{u.Fill(1)}
		for j, shift := range p.Shift {
			next := u.Plus(-shift).Mul(values[j])
			if j > 0 {
				next = next.Sub(values[j-1].Times(p.Norm[j]))
			}
			values = append(values, next.Div(x.Number(p.Norm[j+1])))
		}
		for _, power := range p.Kept {
			parts = append(parts, values[power])
		}
	}
	if len(parts) == 0 {
		return none
	}
	return graph.Concat(parts...)
}

// graph returns φ'w as a column, and φ'A⁻¹φ as another column if withSpread is set.
func (d *Draw) graph(x, trend graph.Value, kind Map, withSpread bool) (mean, spread graph.Value) {
	products := func(w *mat.Dense) graph.Value { return x.MatMul(x.Constant(w.T())) }
	w, v := Matrix(d.W), Matrix(d.V)
	unit := 1 / math.Sqrt(float64(Pairs(w, v, kind)))
	at := products(w)
	cos, sin := at.Cos().Times(unit), at.Sin().Times(unit)
	if kind != Stationary {
		local := products(v).Times(0.5).Cos()
		if kind == AllPairs {
			var each, all []int
			for k := range d.V.Rows {
				for j := range d.W.Rows {
					each, all = append(each, k), append(all, j)
				}
			}
			local, cos, sin = local.Select(each...), cos.Select(all...), sin.Select(all...)
		}
		cos, sin = local.Mul(cos), local.Mul(sin)
	}
	head, p := 1+trend.Cols(), len(d.Coefficients)
	if !withSpread {
		ofCos, ofSin := make([]float64, cos.Cols()), make([]float64, cos.Cols())
		for j := range ofCos {
			ofCos[j], ofSin[j] = d.Coefficients[head+2*j], d.Coefficients[head+2*j+1]
		}
		mean = times(cos, ofCos).Add(times(sin, ofSin)).Plus(d.Coefficients[0])
		if !trend.IsZero() {
			mean = mean.Add(times(trend, d.Coefficients[1:head]))
		}
		return mean, spread
	}
	parts := []graph.Value{x.Fill(1)}
	if !trend.IsZero() {
		parts = append(parts, trend)
	}
	order := make([]int, 0, p) // Cosines and sines alternate.
	for j := range head {
		order = append(order, j)
	}
	for j := range cos.Cols() {
		order = append(order, head+j, head+cos.Cols()+j)
	}
	phi := graph.Concat(append(parts, cos, sin)...).Select(order...)
	r := make([]float64, p*p)
	for i, from := 0, 0; i < p; i++ {
		from += copy(r[i*p+i:(i+1)*p], d.Factor[from:])
	}
	spread = phi.SolveUpper(blas64.Triangular{N: p, Stride: p, Uplo: blas.Upper, Diag: blas.NonUnit, Data: r}).Square().Sum()
	return times(phi, d.Coefficients), spread
}

// times returns the product of v with a column of numbers.
func times(v graph.Value, by []float64) graph.Value {
	return v.MatMul(v.Constant(mat.NewDense(len(by), 1, slices.Clone(by))))
}

// Graphs computes [Predict] as a graph.
func Graphs(draws []*Draw, x, trend graph.Value, kind Map, withSpread bool) (means, spreads []graph.Value) {
	for _, d := range draws {
		mean, spread := d.graph(x, trend, kind, withSpread && d.Holder == 0)
		means, spreads = append(means, mean), append(spreads, spread)
	}
	return means, spreads
}
