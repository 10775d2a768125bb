package measures

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// features are Ψ = s(Φ - 1μ'), in the order of a grouping, s a power of two.
type features struct {
	psi    *mat.Dense // n×r
	mean   []float64  // sμ
	scale  float64
	square float64 // the mean of |sφ[i]|²
}

func centreFeatures(phi *mat.Dense, order []int) *features {
	n, r := phi.Dims()
	f := &features{psi: mat.NewDense(n, r, nil), mean: make([]float64, r)}
	values := make([][]float64, n)
	for i := range n {
		values[i] = phi.RawRowView(i)
	}
	f.scale = powerOfTwo(values...)
	for i, at := range order {
		floats.ScaleTo(f.psi.RawRowView(i), f.scale, values[at])
		floats.AddScaled(f.mean, 1/float64(n), f.psi.RawRowView(i))
		f.square += floats.Dot(f.psi.RawRowView(i), f.psi.RawRowView(i)) / float64(n)
	}
	for i := range n {
		floats.Sub(f.psi.RawRowView(i), f.mean)
	}
	return f
}

// norms returns those of s²K from the r×r matrix Ψ'Ψ: its norm is that of HKH, and
// Φ'Φ = Ψ'Ψ + nμμ' has that of K.
func (f *features) norms(ctx context.Context) (norms, error) {
	n, r := f.psi.Dims()
	var gram mat.Dense
	gram.Mul(f.psi.T(), f.psi)
	if err := ctx.Err(); err != nil {
		return norms{}, err
	}
	centred, through := 0.0, 0.0
	for i := range r {
		row := gram.RawRowView(i)
		centred += floats.Dot(row, row)
		through += f.mean[i] * floats.Dot(row, f.mean)
	}
	own := float64(n) * floats.Dot(f.mean, f.mean)
	return makeNorms(centred+2*float64(n)*through+own*own, centred), nil
}

// forms returns those of s²K.
func (f *features) forms(z []float64) forms {
	n := float64(len(z))
	var sum mat.VecDense // Ψ'z
	sum.MulVec(f.psi.T(), mat.NewVecDense(len(z), z))
	along := sum.RawVector().Data
	return forms{
		floats.Dot(along, along), n * floats.Dot(along, f.mean),
		n * n * floats.Dot(f.mean, f.mean),
	}
}

// classFeatures are the class means of Ψ and what is left within the classes.
type classFeatures struct {
	*features
	*grouping
	means  [][]float64 // [c]
	within []float64   // [c] = Σ |ψ[i] - mean|² over class c
}

func newClassFeatures(f *features, g *grouping) *classFeatures {
	_, r := f.psi.Dims()
	out := &classFeatures{features: f, grouping: g, within: make([]float64, g.classes())}
	for c := range g.classes() {
		mean := make([]float64, r)
		for i := g.bounds[c]; i < g.bounds[c+1]; i++ {
			floats.AddScaled(mean, 1/float64(g.size(c)), f.psi.RawRowView(i))
		}
		for i := g.bounds[c]; i < g.bounds[c+1]; i++ {
			out.within[c] += math.Pow(floats.Distance(f.psi.RawRowView(i), mean, 2), 2)
		}
		out.means = append(out.means, mean)
	}
	return out
}

// contrast returns that of class c.
func (f *classFeatures) contrast(c int) contrast {
	n, r := f.psi.Dims()
	plus, minus := float64(f.size(c)), float64(n-f.size(c))
	rest := make([]float64, r)
	for other, mean := range f.means {
		if other != c {
			floats.AddScaled(rest, float64(f.size(other))/minus, mean)
		}
	}
	var k contrast
	for other, mean := range f.means {
		if other != c {
			k.trace[1] += f.within[other] + float64(f.size(other))*math.Pow(floats.Distance(mean, rest, 2), 2)
		}
	}
	k.trace[0] = f.within[c] / max(plus-1, 1)
	k.trace[1] /= max(minus-1, 1)
	w := make([]float64, r)
	floats.SubTo(w, f.means[c], rest)
	var along mat.VecDense
	along.MulVec(f.psi, mat.NewVecDense(r, w))
	_, k.sd[0] = meanAndSD(along.RawVector().Data, f.inside(c))
	_, k.sd[1] = meanAndSD(along.RawVector().Data, f.outside(c))
	k.distance2 = floats.Dot(w, w)
	// The features are rounded here, not their products.
	k.floor = noise * noise * f.square
	return k
}
