package columnwise

import (
	"math"

	"github.com/kernelearn/kernelearn/graph"
)

func (m quantileModel) BuildGraph(x graph.Value) (graph.Value, error) {
	parts := make([]graph.Value, m.Quantiles.Rows)
	for j := range parts {
		z := shareGraph(x.Select(j), m.column(j), m.near(m.column(j)))
		if m.Normal {
			// Outside these limits, the result is determined by the following clamp alone.
			z = normalQuantileGraph(z.Clamp(z.Number(nearEnd/8), z.Number(1-nearEnd/8)))
			z = z.Clamp(z.Number(leastNormal), z.Number(mostNormal))
		}
		parts[j] = z
	}
	return graph.Concat(parts...), nil
}

// shareGraph computes the same as shareOf.
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

// normalQuantileGraph computes mathext.NormalQuantile for shares from 1e-11 to 1 - 1e-11, with algorithm AS 241 of M. Wichura
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
