package features

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
	"github.com/kernelearn/kernelearn/internal/vecmath"
)

// Draw holds the parts of a sweep that predictions need: frequencies, the posterior of the coefficients, and the mixtures. It is
// also the form of a draw in a file.
type Draw struct {
	W, V         codec.Matrix // frequencies of scaled x; V is empty for a stationary map
	Coefficients codec.Floats // posterior mean, the intercept first
	// the upper factor of A, row by row from the diagonal on; empty if Holder is not 0 or no variance is needed
	Factor  codec.Floats
	Holder  int     // offset, possibly negative, to the draw of the same chain whose factor this draw uses
	Shape   float64 // aN
	Rate    float64 // bN
	Ridge   float64
	LogEv   float64
	Mixture []Part
	Local   []Part // the mixture of V
}

// Part is a component of a mixture, to which n of the frequencies belong. Root is the lower factor of its precision, row by row up
// to the diagonal.
type Part struct {
	N    int
	Mu   codec.Floats
	Root codec.Floats
}

// Matrix returns m as a matrix that shares its memory, or nil if m has no rows.
func Matrix(m codec.Matrix) *mat.Dense {
	if m.Rows == 0 {
		return nil
	}
	return mat.NewDense(m.Rows, m.Cols, m.Data)
}

// features returns Φ for the rows of x: the intercept, the columns of the trend, and then the pairs.
func (d *Draw) features(x, trend *mat.Dense, kind Map, workers int) *mat.Dense {
	n, _ := x.Dims()
	w, v := Matrix(d.W), Matrix(d.V)
	pairs, head := Pairs(w, v, kind), 1+WidthOf(trend)
	phi := mat.NewDense(n, head+2*pairs, nil)
	FillHeads(phi.RawMatrix(), trend, nil)
	// MapRows returns only the error of the context, which cannot end.
	_ = MapRows(context.Background(), phi.Slice(0, n, head, head+2*pairs).(*mat.Dense), x, w, v, kind, pairs, nil, workers)
	return phi
}

// Predict returns φ'w for the rows of x, and φ'A⁻¹φ if withSpread is set. The cost is O(np), or O(np²) if withSpread is set.
func (d *Draw) Predict(x, trend *mat.Dense, kind Map, withSpread bool, workers int) (mean, spread []float64) {
	phi := d.features(x, trend, kind, workers)
	n, _ := x.Dims()
	mean = make([]float64, n)
	fast.Gemv(blas.NoTrans, 1, phi.RawMatrix(), linalg.Vector(d.Coefficients), 0, linalg.Vector(mean))
	if withSpread {
		spread, _ = d.Quadratic(context.Background(), phi) // This context cannot end either.
	}
	return mean, spread
}

// Predict returns the predictions of each draw. Spreads are computed only for draws with a factor.
func Predict(draws []*Draw, x, trend *mat.Dense, kind Map, withSpread bool, workers int) (means, spreads [][]float64) {
	means, spreads = make([][]float64, len(draws)), make([][]float64, len(draws))
	for k, d := range draws {
		means[k], spreads[k] = d.Predict(x, trend, kind, withSpread && d.Holder == 0, workers)
	}
	return means, spreads
}

// Row is like Predict for one row of scaled columns and of the trend, without allocating memory.
func (d *Draw) Row(x, trend []float64, kind Map, withSpread bool) (mean, spread float64) {
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
	for i := range phi { // The loop solves the triangular system with the transpose of the factor.
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

// products sets dst to the products of the rows of w with x.
func products(dst []float64, w codec.Matrix, x []float64) {
	for i := range dst {
		dst[i] = linalg.Dot(w.Data[i*w.Cols:(i+1)*w.Cols], x)
	}
}

// Quadratic returns φ'A⁻¹φ for the rows of phi, which it overwrites. It returns only the error of ctx.
func (d *Draw) Quadratic(ctx context.Context, phi *mat.Dense) ([]float64, error) {
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

// SquaredScale returns the squared scale of the t distribution of a new observation, for q = φ'A⁻¹φ.
func (d *Draw) SquaredScale(q float64) float64 { return d.Rate / d.Shape * (1 + q) }

// Variance returns the variance of a new observation. A t distribution with at most 2 degrees of freedom has no variance, which
// happens only for a fit to one row. The result is then the squared scale.
func (d *Draw) Variance(q float64) float64 {
	v := d.SquaredScale(q)
	if df := 2 * d.Shape; df > 2 {
		return v * df / (df - 2)
	}
	return v
}

// MeanSigmoid returns the mean of the sigmoid under a normal distribution (MacKay 1992).
func MeanSigmoid(mean, variance float64) float64 {
	return vecmath.Sigmoid(mean / math.Sqrt(1+math.Pi*variance/8))
}

// Lower returns the lower triangle L.
func (p Part) Lower() *mat.TriDense {
	d := len(p.Mu)
	out := mat.NewTriDense(d, mat.Lower, nil)
	at := 0
	for i := range d {
		for j := range i + 1 {
			out.SetTri(i, j, p.Root[at])
			at++
		}
	}
	return out
}
