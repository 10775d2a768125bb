package columnwise

import (
	"math"
	"slices"

	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/transformers/internal/columnstats"
)

func (m powerModel) BuildGraph(x graph.Value) (graph.Value, error) {
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
	ratio := u.Sub(ref).Div(beyond) // (1+u)/(1+ref) minus 1
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
		z = z.Clamp(x.Number(-columnstats.ClipLimit), x.Number(columnstats.ClipLimit))
	}
	return z, nil
}

// growthGraph computes the same as growth.
func growthGraph(p, t, s graph.Value) graph.Value {
	a := p.Mul(t)
	flat := p.Equal(p.Number(0))
	p = flat.Where(p.Number(1), p)
	steep := a.Neg().Expm1().Neg().Mul(a.Add(s).Exp()).Div(p)
	even := a.Expm1().Div(p).Mul(s.Exp())
	out := a.Greater(a.Number(1)).Where(steep, even)
	return a.Abs().Less(a.Number(negligible)).Where(t.Mul(s.Exp()), out)
}
