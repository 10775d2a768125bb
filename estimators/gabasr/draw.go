package gabasr

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/rowwise"
)

// draw is what a sweep leaves behind for predictions: frequencies, the posterior of the
// coefficients, and the mixtures. It is stored as it is.
type draw struct {
	W, V         codec.Matrix // frequencies of scaled x; V is empty for a stationary map
	Coefficients codec.Floats // posterior mean, the intercept first
	Factor       codec.Floats // the upper factor of A, row by row from the diagonal on; empty where Holder is not 0 or no variance is needed
	Holder       int          // how many draws further on, or before, is the one of the chain whose factor stands for this one's
	Shape        float64      // aN
	Rate         float64      // bN
	Ridge        float64
	LogEv        float64
	Mixture      []storedPart
	Local        []storedPart // the mixture of V
}

// storedPart is a component with n of the frequencies; Root is the lower factor of its
// precision, row by row up to the diagonal.
type storedPart struct {
	N    int
	Mu   codec.Floats
	Root codec.Floats
}

// keep copies the state at the end of a sweep.
func (c *chain) keep() *draw {
	s := c.sys
	d := &draw{
		W: codec.FromDense(c.w.omega), Coefficients: make(codec.Floats, s.p), Shape: s.shape(), Rate: s.fac.bN, Ridge: s.ridge,
		LogEv: s.fac.logEv, Mixture: c.w.stored(), Factor: make(codec.Floats, 0, s.p*(s.p+1)/2),
	}
	if c.v != nil {
		d.V, d.Local = codec.FromDense(c.v.omega), c.v.stored()
	}
	s.coefficientsInto(d.Coefficients, &s.fac)
	for i := range s.p {
		d.Factor = append(d.Factor, s.fac.r[i*s.p+i:(i+1)*s.p]...)
	}
	return d
}

func (x *mixture) stored() []storedPart {
	var out []storedPart
	for _, c := range x.parts {
		s := storedPart{N: c.n, Mu: append(codec.Floats(nil), c.mu...)}
		for i := range c.mu {
			for j := range i + 1 {
				s.Root = append(s.Root, c.root.At(i, j))
			}
		}
		out = append(out, s)
	}
	return out
}

func dense(m codec.Matrix) *mat.Dense {
	if m.Rows == 0 {
		return nil
	}
	return mat.NewDense(m.Rows, m.Cols, m.Data)
}

// features returns Φ of the rows of x, the intercept first, then those of the trend.
func (d *draw) features(x, trend *mat.Dense, kind Map, workers int) *mat.Dense {
	n, _ := x.Dims()
	w, v := dense(d.W), dense(d.V)
	pairs, head := pairsOf(w, v, kind), 1+widthOf(trend)
	phi := mat.NewDense(n, head+2*pairs, nil)
	heads(phi.RawMatrix(), trend, nil)
	// Predictions have no context that could end, which is the only error.
	_ = mapRows(context.Background(), phi.Slice(0, n, head, head+2*pairs).(*mat.Dense), x, w, v, kind, pairs, nil, workers)
	return phi
}

// predict returns φ'w for the rows of x, and φ'A⁻¹φ if asked for. Cost O(np), and O(np²)
// with the latter.
func (d *draw) predict(x, trend *mat.Dense, kind Map, withSpread bool, workers int) (mean, spread []float64) {
	phi := d.features(x, trend, kind, workers)
	n, _ := x.Dims()
	mean = make([]float64, n)
	fast.Gemv(blas.NoTrans, 1, phi.RawMatrix(), linalg.Vector(d.Coefficients), 0, linalg.Vector(mean))
	if withSpread {
		spread, _ = d.quadratic(context.Background(), phi) // as above
	}
	return mean, spread
}

// predict returns those of all draws, the spreads of the draws alone that have a factor.
func (m *machine) predict(x, trend *mat.Dense, kind Map, withSpread bool, workers int) (means, spreads [][]float64) {
	means, spreads = make([][]float64, len(m.Draws)), make([][]float64, len(m.Draws))
	for k, d := range m.Draws {
		means[k], spreads[k] = d.predict(x, trend, kind, withSpread && d.Holder == 0, workers)
	}
	return means, spreads
}

// row is predict for one row of scaled columns, and those of the trend, without allocating.
func (d *draw) row(x, trend []float64, kind Map, withSpread bool) (mean, spread float64) {
	w, v := d.W.Rows, 0
	pairs := w
	if kind != Stationary {
		v = d.V.Rows
	}
	if kind == AllPairs {
		pairs = w * v
	}
	head := 1 + len(trend)
	p := rowwise.Scratch(head + 2*pairs + 2*w + 2*v)
	defer rowwise.Release(p)
	phi, rest := (*p)[:head+2*pairs], (*p)[head+2*pairs:]
	cos, sin, local, unused := rest[:w], rest[w:2*w], rest[2*w:2*w+v], rest[2*w+v:]
	products(cos, d.W, x)
	products(local, d.V, x)
	phi[0] = 1
	copy(phi[1:], trend)
	waves(phi[head:], cos, local, sin, unused, 1/math.Sqrt(float64(pairs)), kind)
	mean = linalg.Dot(phi, d.Coefficients)
	if !withSpread {
		return mean, 0
	}
	at := 0
	for i := range phi { // solves with the factor's transpose
		row := d.Factor[at : at+len(phi)-i]
		at += len(row)
		u := phi[i] / row[0]
		spread += u * u
		if rest := row[1:]; len(rest) > 0 {
			fast.Axpy(-u, linalg.Vector(rest), linalg.Vector(phi[i+1:]))
		}
	}
	return mean, spread
}

// products sets dst to those of the rows of w with x.
func products(dst []float64, w codec.Matrix, x []float64) {
	for i := range dst {
		dst[i] = linalg.Dot(w.Data[i*w.Cols:(i+1)*w.Cols], x)
	}
}

// quadratic returns φ'A⁻¹φ for the rows of phi, which it overwrites. The error is ctx's.
func (d *draw) quadratic(ctx context.Context, phi *mat.Dense) ([]float64, error) {
	n, p := phi.Dims()
	r := make([]float64, p*p)
	at := 0
	for i := range p {
		at += copy(r[i*p+i:(i+1)*p], d.Factor[at:])
	}
	triangle := blas64.Triangular{N: p, Stride: p, Uplo: blas.Upper, Diag: blas.NonUnit, Data: r}
	if err := fast.TrsmContext(ctx, blas.Right, blas.NoTrans, 1, triangle, phi.RawMatrix()); err != nil {
		return nil, err
	}
	out := make([]float64, n)
	for i := range out {
		row := phi.RawRowView(i)
		out[i] = linalg.Dot(row, row)
	}
	return out, nil
}

// scale2 is the squared scale of the t distribution of a new observation where φ'A⁻¹φ is q.
func (d *draw) scale2(q float64) float64 { return d.Rate / d.Shape * (1 + q) }

// variance is that of a new observation. A t distribution of 2 degrees of freedom or less
// has none, which takes one row to fit: there it is the squared scale.
func (d *draw) variance(q float64) float64 {
	v := d.scale2(q)
	if df := 2 * d.Shape; df > 2 {
		return v * df / (df - 2)
	}
	return v
}
