package measures

import (
	"context"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fast"
)

// features are Ψ = s(Φ - 1μ'), where s is a power of two. They are accurate to the rounding of Φ, and their products to the square
// of that rounding.
type features struct {
	psi    *mat.Dense // n×r
	mean   []float64  // sμ
	scale  float64
	square float64 // mean of |sφ[i]|²
	size   norms   // of s²K
}

func centreFeatures(ctx context.Context, phi *mat.Dense) (*features, error) {
	n, r := phi.Dims()
	f := &features{psi: mat.NewDense(n, r, nil), mean: make([]float64, r)}
	values := make([][]float64, n)
	for i := range n {
		values[i] = phi.RawRowView(i)
	}
	f.scale = powerOfTwo(values...)
	for i, row := range values {
		floats.ScaleTo(f.psi.RawRowView(i), f.scale, row)
		floats.AddScaled(f.mean, 1/float64(n), f.psi.RawRowView(i))
		f.square += floats.Dot(f.psi.RawRowView(i), f.psi.RawRowView(i)) / float64(n)
	}
	for i := range n {
		floats.Sub(f.psi.RawRowView(i), f.mean)
	}
	return f, f.measure(ctx)
}

// measure computes the norms of s²K from the r×r matrix Ψ'Ψ, whose norm is that of HKH. The norm of K is that of Φ'Φ = Ψ'Ψ + nμμ'.
// It returns ctx's error.
func (f *features) measure(ctx context.Context) error {
	n, r := f.psi.Dims()
	var gram mat.Dense
	if err := fast.MulContext(ctx, &gram, f.psi.T(), f.psi); err != nil {
		return err
	}
	centred, through := 0.0, 0.0
	for i := range r {
		row := gram.RawRowView(i)
		centred += floats.Dot(row, row)
		through += f.mean[i] * floats.Dot(row, f.mean)
	}
	own := float64(n) * floats.Dot(f.mean, f.mean)
	f.size = makeNorms(centred+2*float64(n)*through+own*own, centred, noise*noise)
	return ctx.Err()
}

func (f *features) norms() norms { return f.size }

// forms returns the quadratic forms of s²K.
func (f *features) forms(z []float64) forms {
	n := float64(len(z))
	var sum mat.VecDense // Ψ'z
	fast.MulVec(&sum, f.psi.T(), mat.NewVecDense(len(z), z))
	along := sum.RawVector().Data
	return forms{
		floats.Dot(along, along), n * floats.Dot(along, f.mean),
		n * n * floats.Dot(f.mean, f.mean),
	}
}

// classFeatures holds the class means of Ψ and the sums of squares within the classes.
type classFeatures struct {
	*features
	grouping
	means  [][]float64 // [c]
	within []float64   // [c] = Σ |ψ[i] - mean|² over class c
}

func newClassFeatures(f *features, g grouping) *classFeatures {
	n, r := f.psi.Dims()
	out := &classFeatures{features: f, grouping: g, means: make([][]float64, g.classes()), within: make([]float64, g.classes())}
	for c := range out.means {
		out.means[c] = make([]float64, r)
	}
	for i := range n {
		c := g.of[i]
		floats.AddScaled(out.means[c], 1/float64(g.sizes[c]), f.psi.RawRowView(i))
	}
	for i := range n {
		c := g.of[i]
		out.within[c] += squaredDistance(f.psi.RawRowView(i), out.means[c])
	}
	return out
}

func squaredDistance(a, b []float64) float64 {
	d := floats.Distance(a, b, 2)
	return d * d
}

func (f *classFeatures) contrast(c int) contrast {
	n, r := f.psi.Dims()
	plus, minus := float64(f.sizes[c]), float64(n-f.sizes[c])
	rest := make([]float64, r)
	for other, mean := range f.means {
		if other != c {
			floats.AddScaled(rest, float64(f.sizes[other])/minus, mean)
		}
	}
	var k contrast
	for other, mean := range f.means {
		if other != c {
			k.trace[1] += f.within[other] + float64(f.sizes[other])*squaredDistance(mean, rest)
		}
	}
	k.trace[0] = f.within[c] / max(plus-1, 1) // 0 for a single row
	k.trace[1] /= max(minus-1, 1)
	w := make([]float64, r)
	floats.SubTo(w, f.means[c], rest)
	var along mat.VecDense
	fast.MulVec(&along, f.psi, mat.NewVecDense(r, w))
	_, k.sd = f.split(along.RawVector().Data, c)
	k.distance2 = floats.Dot(w, w)
	k.original = k.distance2 / f.scale / f.scale
	k.floor = noise * noise * f.square
	return k
}
