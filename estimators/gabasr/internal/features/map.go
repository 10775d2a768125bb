package features

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/vecmath"
)

// Map determines the features of the frequencies. Its values are those of Map in package gabasr.
type Map int

// The kinds of maps.
const (
	Stationary Map = iota
	Paired
	AllPairs
)

// featureRows is the number of rows that are mapped at a time. Their products stay in the cache, and are below the size that BLAS
// would distribute over processors.
const featureRows = 64

// Pairs returns the number of pairs of columns for the frequencies w and v.
func Pairs(w, v *mat.Dense, kind Map) int {
	m, _ := w.Dims()
	if kind == AllPairs {
		k, _ := v.Dims()
		return m * k
	}
	return m
}

// MapRows sets dst (n×2·pairs) to the features of the rows of x (n×D). The cosine and the sine of each pair are side by side, and
// there is no intercept. With all pairs, those of the first v come first. If scale is not nil, row i is multiplied by scale[i].
// MapRows returns only the error of ctx.
func MapRows(ctx context.Context, dst, x, w, v *mat.Dense, kind Map, pairs int, scale []float64, workers int) error {
	n, _ := x.Dims()
	_, width := dst.Dims()
	m, _ := w.Dims()
	k := 0
	if kind != Stationary {
		k, _ = v.Dims()
	}
	unit := 1 / math.Sqrt(float64(pairs))
	return parallel.ForEach(ctx, workers, (n+featureRows-1)/featureRows, func(c int) error {
		first, last := c*featureRows, min((c+1)*featureRows, n)
		part := rawRows(x, first, last)
		cos := product(part, w, m)
		sin, unused := make([]float64, m), make([]float64, k)
		var local *mat.Dense
		if kind != Stationary {
			local = product(part, v, k)
		}
		for i := first; i < last; i++ {
			s := unit
			if scale != nil {
				s *= scale[i]
			}
			var of []float64
			if local != nil {
				of = local.RawRowView(i - first)
			}
			waves(dst.RawRowView(i)[:width], cos.RawRowView(i-first), of, sin, unused, s, kind)
		}
		return nil
	})
}

// waves sets out to the features of a row, times s, from its products with w and v. It overwrites the products, and also sin and
// unused, which have the same length.
func waves(out, w, v, sin, unused []float64, s float64, kind Map) {
	vecmath.Sincos(sin, w, w)
	if kind != Stationary {
		halve(v)
		vecmath.Sincos(unused, v, v)
	}
	switch kind {
	case Stationary:
		for j, c := range w {
			out[2*j], out[2*j+1] = s*c, s*sin[j]
		}
	case Paired:
		for j, c := range w {
			out[2*j], out[2*j+1] = s*v[j]*c, s*v[j]*sin[j]
		}
	case AllPairs:
		for a, of := range v {
			to := out[2*a*len(w) : 2*(a+1)*len(w)]
			for j, c := range w {
				to[2*j], to[2*j+1] = s*of*c, s*of*sin[j]
			}
		}
	}
}

func halve(v []float64) {
	for i := range v {
		v[i] /= 2
	}
}

// rawRows returns a window of the rows first to last-1.
func rawRows(x *mat.Dense, first, last int) blas64.General {
	raw := x.RawMatrix()
	return blas64.General{Rows: last - first, Cols: raw.Cols, Stride: raw.Stride, Data: raw.Data[first*raw.Stride:]}
}

func product(rows blas64.General, w *mat.Dense, m int) *mat.Dense {
	out := mat.NewDense(rows.Rows, m, nil)
	fast.Gemm(blas.NoTrans, blas.Trans, 1, rows, w.RawMatrix(), 0, out.RawMatrix())
	return out
}
