package transformers

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/kernels"
)

// The graphs compute what the methods named row do. What is done there for numbers near the largest, whose differences
// overflow, is not done here.

func (m standardScalerModel) graph(x graph.Value) (graph.Value, error) {
	z := x.Sub(x.Row(m.Means)).Div(x.Row(m.Scales))
	if m.Clip {
		z = z.Clamp(z.Number(-farthest), z.Number(farthest))
	}
	return z, nil
}

func (m rmsScalerModel) graph(x graph.Value) (graph.Value, error) {
	return x.Div(x.Row(m.Scales)), nil
}

func (m minMaxModel) graph(x graph.Value) (graph.Value, error) {
	if m.Clip {
		x = x.Clamp(x.Row(m.Min), x.Row(m.Max))
	}
	widths, inside := make([]float64, len(m.Min)), make([]float64, len(m.Min))
	for j := range widths {
		widths[j] = m.Max[j] - m.Min[j]
		inside[j] = 1
		if widths[j] == 0 {
			widths[j], inside[j] = 1, 0 // a column of one value is the lower end
		}
		if math.IsInf(widths[j], 1) {
			return x, graph.Unsupported(&MinMaxScaler{}, "a column is wider than any number")
		}
	}
	t := x.Sub(x.Row(m.Min)).Div(x.Row(widths)).Mul(x.Row(inside))
	return t.Neg().Plus(1).Mul(x.Number(m.Low)).Add(t.Times(m.High)), nil
}

func (m unitRowsModel) graph(x graph.Value) (graph.Value, error) {
	size := x.Abs().Largest()
	some := size.Greater(x.Number(0))
	z := x.Div(some.Where(size, x.Number(1)))
	return z.Div(some.Where(z.Square().Sum().Sqrt(), x.Number(1))), nil
}

func (m imputerModel) graph(x graph.Value) (graph.Value, error) {
	z := x.IsNaN().Where(x.Row(m.Values), x)
	if len(m.Gaps) > 0 {
		z = graph.Concat(z, x.Select(m.Gaps...).IsNaN().Indicator())
	}
	return z, nil
}

func (m oneHotModel) graph(x graph.Value) (graph.Value, error) {
	var parts []graph.Value
	var copied []int
	flush := func() {
		if len(copied) > 0 {
			parts, copied = append(parts, x.Select(copied...)), nil
		}
	}
	next := 0
	for j := range m.Width {
		if next == len(m.Columns) || m.Columns[next] != j {
			copied = append(copied, j)
			continue
		}
		values := m.Values[next]
		next++
		if len(values) == 0 {
			continue
		}
		flush()
		column := x.Select(j)
		gap := math.IsNaN(values[len(values)-1])
		if gap {
			values = values[:len(values)-1]
		}
		if len(values) > 0 {
			parts = append(parts, column.Equal(x.Row(values)).Indicator())
		}
		if gap {
			parts = append(parts, column.IsNaN().Indicator())
		}
	}
	flush()
	return graph.Concat(parts...), nil
}

func (m winsorModel) graph(x graph.Value) (graph.Value, error) {
	return x.Clamp(x.Row(m.Low), x.Row(m.High)), nil
}

func (m kernelCentererModel) graph(k graph.Value) (graph.Value, error) {
	z := k.Sub(k.Row(m.Means))
	return z.Sub(z.Mean()), nil
}

func (m powerModel) graph(x graph.Value) (graph.Value, error) {
	if m.Clip {
		low, high := slices.Clone(m.Least), slices.Clone(m.Largest)
		for j, lambda := range m.Lambdas {
			if lambda == 1 {
				low[j], high[j] = -math.MaxFloat64, math.MaxFloat64
			}
		}
		x = x.Clamp(x.Row(low), x.Row(high))
	}
	d := len(m.Lambdas)
	warps := make([]warp, d)
	for j, lambda := range m.Lambdas {
		if warps[j] = m.warp(j); m.Raw {
			warps[j] = warp{sign: 1, p: lambda} // ψ itself
		}
	}
	row := func(of func(w warp) float64) graph.Value {
		out := make([]float64, d)
		for j, w := range warps {
			out[j] = of(w)
		}
		return x.Row(out)
	}
	sign := row(func(w warp) float64 { return w.sign })
	u := x.Mul(sign)
	ref, beyond := row(func(w warp) float64 { return w.ref }), row(func(w warp) float64 { return 1 + w.ref })
	ratio := u.Sub(ref).Div(beyond) // (1+u)/(1+ref) less 1
	log := ratio.Abs().Less(x.Number(0.5)).Where(ratio.Log1p(), u.Plus(1).Div(beyond).Log())
	above := growthGraph(row(func(w warp) float64 { return w.p }), log, row(func(w warp) float64 { return -w.shift }))
	below := row(warp.atZero).Sub(growthGraph(row(func(w warp) float64 { return 2 - w.p }), u.Neg().Log1p(), row(warp.logSlopeBelow)))
	z := u.GreaterOrEqual(x.Number(0)).Where(above, below)
	straight := row(func(w warp) float64 { return w.p }).Equal(x.Number(1))
	z = straight.Where(ratio, z).Mul(sign)
	if m.Raw {
		return z, nil
	}
	z = z.Sub(x.Row(m.Means)).Div(x.Row(m.Scales))
	if m.Clip {
		z = z.Clamp(x.Number(-farthest), x.Number(farthest))
	}
	return z, nil
}

// growthGraph is growth.
func growthGraph(p, t, s graph.Value) graph.Value {
	a := p.Mul(t)
	flat := p.Equal(p.Number(0))
	p = flat.Where(p.Number(1), p)
	steep := a.Neg().Expm1().Neg().Mul(a.Add(s).Exp()).Div(p)
	even := a.Expm1().Div(p).Mul(s.Exp())
	out := a.Greater(a.Number(1)).Where(steep, even)
	return a.Abs().Less(a.Number(negligible)).Where(t.Mul(s.Exp()), out)
}

func (m quantileModel) graph(x graph.Value) (graph.Value, error) {
	parts := make([]graph.Value, m.Quantiles.Rows)
	for j := range parts {
		z := shareGraph(x.Select(j), m.column(j), m.near(m.column(j)))
		if m.Normal {
			// Beyond these the clamp that follows is all that is left of the quantile.
			z = normalQuantileGraph(z.Clamp(z.Number(nearEnd/8), z.Number(1-nearEnd/8)))
			z = z.Clamp(z.Number(leastNormal), z.Number(mostNormal))
		}
		parts[j] = z
	}
	return graph.Concat(parts...), nil
}

// shareGraph is shareOf.
func shareGraph(v graph.Value, q []float64, near float64) graph.Value {
	count, last := len(q), len(q)-1
	step := 1 / float64(max(count-1, 1))
	quantiles, first, end := v.Row(q), v.Number(q[0]), v.Number(q[last])
	low, high := v.LessOrEqual(first), v.GreaterOrEqual(end)
	if near > 0 {
		low, high = low.Or(v.Sub(first).Less(v.Number(near))), high.Or(end.Sub(v).Less(v.Number(near)))
	}
	below := quantiles.LessOrEqual(v)
	aboveCount, belowCount := below.Indicator().Sum(), quantiles.Less(v).Indicator().Sum()
	a := below.Where(quantiles, v.Number(-math.MaxFloat64)).Largest()
	b := below.Where(v.Number(math.MaxFloat64), quantiles).Least()
	share := aboveCount.Plus(-1).Add(v.Sub(a).Div(b.Sub(a))).Times(step)
	equal := aboveCount.Add(belowCount).Plus(-1).Times(step / 2)
	out := belowCount.Less(aboveCount).Where(equal, share)
	out = low.Where(v.Number(0), out)
	return high.Where(low.Where(v.Number(0.5), v.Number(1)), out)
}

// normalQuantileGraph is mathext.NormalQuantile for shares from 1e-11 to 1 less that: algorithm AS 241 of M. Wichura
// (Applied Statistics 37, 1988).
func normalQuantileGraph(p graph.Value) graph.Value {
	d := p.Plus(-0.5)
	z := d.Square().Neg().Plus(0.180625)
	central := d.Mul(z.Horner(3.387132872796366608, 133.14166789178437745, 1971.5909503065514427, 13731.693765509461125,
		45921.953931549871457, 67265.770927008700853, 33430.575583588128105, 2509.0809287301226727)).
		Div(z.Horner(1, 42.313330701600911252, 687.1870074920579083, 5394.1960214247511077, 21213.794301586595867,
			39307.89580009271061, 28729.085735721942674, 5226.495278852854561))
	negative := d.Less(p.Number(0))
	r := negative.Where(p, p.Neg().Plus(1)).Log().Neg().Sqrt().Plus(-1.6)
	tail := r.Horner(1.42343711074968357734, 4.6303378461565452959, 5.7694972214606914055, 3.64784832476320460504,
		1.27045825245236838258, 0.24178072517745061177, 0.0227238449892691845833, 7.7454501427834140764e-4).
		Div(r.Horner(1, 2.05319162663775882187, 1.6763848301838038494, 0.68976733498510000455, 0.14810397642748007459,
			0.0151986665636164571966, 5.475938084995344946e-4, 1.05075007164441684324e-9))
	tail = negative.Where(tail.Neg(), tail)
	return d.Abs().LessOrEqual(p.Number(0.425)).Where(central, tail)
}

// denseOf is a matrix of a model, which has rows.
func denseOf(m codec.Matrix) *mat.Dense { return mat.NewDense(m.Rows, m.Cols, m.Data) }

// projected returns <w, x - shift> for each row of w.
func projected(x graph.Value, shift []float64, w codec.Matrix) graph.Value {
	return x.Sub(x.Row(shift)).MatMul(x.Constant(denseOf(w).T()))
}

// pairsGraph puts the columns of cosines and sines in turns.
func pairsGraph(cos, sin graph.Value) graph.Value {
	n := cos.Cols()
	order := make([]int, 0, 2*n)
	for j := range n {
		order = append(order, j, n+j)
	}
	return graph.Concat(cos, sin).Select(order...)
}

func (m fourierModel) graph(x graph.Value) (graph.Value, error) {
	products := projected(x, m.Shift, m.W)
	if len(m.Phases) > 0 {
		return products.Add(x.Row(m.Phases)).Cos().Times(m.Scale), nil
	}
	return pairsGraph(products.Cos().Times(m.Scale), products.Sin().Times(m.Scale)), nil
}

func (m localModel) graph(x graph.Value) (graph.Value, error) {
	local := projected(x, m.Origin, m.V).Times(0.5).Cos().Times(m.Scale)
	products := projected(x, m.Origin, m.W)
	cos, sin := products.Cos(), products.Sin()
	if m.AllPairs {
		var each, all []int
		for k := range m.V.Rows {
			for j := range m.W.Rows {
				each, all = append(each, k), append(all, j)
			}
		}
		local, cos, sin = local.Select(each...), cos.Select(all...), sin.Select(all...)
	}
	return pairsGraph(local.Mul(cos), local.Mul(sin)), nil
}

func (m hiddenModel) graph(x graph.Value) (graph.Value, error) {
	if m.distances() {
		shift, w := columnMeans(denseOf(m.W)), mat.DenseCopyOf(denseOf(m.W))
		for i := range m.W.Rows {
			for j, s := range shift {
				w.RawRowView(i)[j] -= s
			}
		}
		return x.Sub(x.Row(shift)).SquaredDistances(w).Mul(x.Row(m.B)).Neg().Exp(), nil
	}
	products := x.MatMul(x.Constant(denseOf(m.W).T()))
	if m.Activation == Tanh {
		return products.Add(x.Row(m.B)).Tanh(), nil
	}
	return products.Div(x.Number(m.divisor())).Sub(x.Row(m.B)).Sigmoid(), nil
}

// Graph implements [graph.Grapher].
func (k *KernelMap) Graph(x graph.Value) (graph.Outputs, error) {
	if k.fitted == nil {
		return graph.Outputs{}, fault.NotFitted(kernelMapName)
	}
	return graphOf(k.fitted, x, func(x graph.Value) (graph.Value, error) { return kernels.Graph(k.fitted.kernel, x, k.fitted.rows) })
}

// Graph implements [graph.Grapher].
func (t *Nystroem) Graph(x graph.Value) (graph.Outputs, error) {
	m := t.fitted
	if m == nil {
		return graph.Outputs{}, fault.NotFitted(nystroemName)
	}
	return graphOf(m, x, func(x graph.Value) (graph.Value, error) {
		values, err := kernels.Graph(m.kernel, x, m.landmarks)
		if err != nil {
			return values, err
		}
		return values.SolveUpper(m.factor), nil
	})
}

// RowResidualsGraph is the graph of RowResiduals, as one column, for rows x that were transformed to z. A pipeline
// adds their variance.
func (t *Nystroem) RowResidualsGraph(x, z graph.Value) (graph.Value, error) {
	if t.fitted == nil {
		return z, fault.NotFitted(nystroemName)
	}
	own, err := kernels.GraphDiag(t.fitted.kernel, x)
	if err != nil {
		return z, err
	}
	return own.Sub(z.Square().Sum()).Max(z.Number(0)), nil
}

func (m pcaModel) graph(x graph.Value) (graph.Value, error) {
	c, err := m.Components.Dense()
	if err != nil {
		return x, err
	}
	z := x.Sub(x.Row(m.Means)).MatMul(x.Constant(c.T()))
	if m.Whiten {
		by := slices.Clone(m.Deviations)
		for k, s := range by {
			if !(s > 0) {
				by[k] = 1
			}
		}
		z = z.Div(z.Row(by))
	}
	return z, nil
}

// Graph implements [graph.Grapher].
func (t *KernelPCA) Graph(x graph.Value) (_ graph.Outputs, err error) {
	m := t.fitted
	if m == nil {
		return graph.Outputs{}, fault.NotFitted(kernelPCAName)
	}
	return graphOf(m, x, func(x graph.Value) (graph.Value, error) {
		values, err := kernels.Graph(m.kernel, x, m.rows)
		if err != nil {
			return values, err
		}
		return values.MatMul(values.Constant(m.weights)).Sub(values.Row(m.shift)), nil
	})
}
