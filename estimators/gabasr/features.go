package gabasr

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/vecmath"
)

// featureRows rows at a time are mapped: their products stay in the cache, and below the
// size that BLAS would spread over processors of its own accord.
const featureRows = 64

// pairsOf returns the number of pairs of columns that frequencies w and v make.
func pairsOf(w, v *mat.Dense, kind Map) int {
	m, _ := w.Dims()
	if kind == AllPairs {
		k, _ := v.Dims()
		return m * k
	}
	return m
}

// mapRows sets dst (n×2·pairs) to the features of the rows of x (n×D), the cosine and the
// sine of each pair side by side, without the constant. Of all pairs those of the first v
// come first. scale[i], if scale is not nil, multiplies row i.
func mapRows(dst, x, w, v *mat.Dense, kind Map, pairs int, scale []float64, workers int) {
	n, _ := x.Dims()
	_, width := dst.Dims()
	m, _ := w.Dims()
	k := 0
	if kind != Stationary {
		k, _ = v.Dims()
	}
	unit := 1 / math.Sqrt(float64(pairs))
	// The tasks cannot fail and are not cancelled: a chunk is a small part of a sweep.
	_ = parallel.For(context.Background(), workers, (n+featureRows-1)/featureRows, func(c int) error {
		first, last := c*featureRows, min((c+1)*featureRows, n)
		part := rawRows(x, first, last)
		cos := product(part, w, m)
		sin, unused := make([]float64, m), make([]float64, k)
		var local *mat.Dense
		if kind != Stationary {
			local = product(part, v, k)
		}
		for i := first; i < last; i++ {
			out, of := dst.RawRowView(i)[:width], cos.RawRowView(i-first)
			vecmath.Sincos(sin, of, of)
			s := unit
			if scale != nil {
				s *= scale[i]
			}
			switch kind {
			case Stationary:
				for j, v := range of {
					out[2*j], out[2*j+1] = s*v, s*sin[j]
				}
			case Paired:
				l := local.RawRowView(i - first)
				halve(l)
				vecmath.Sincos(unused, l, l)
				for j, v := range of {
					out[2*j], out[2*j+1] = s*l[j]*v, s*l[j]*sin[j]
				}
			case AllPairs:
				l := local.RawRowView(i - first)
				halve(l)
				vecmath.Sincos(unused, l, l)
				for a, lv := range l {
					to := out[2*a*m : 2*(a+1)*m]
					for j, v := range of {
						to[2*j], to[2*j+1] = s*lv*v, s*lv*sin[j]
					}
				}
			}
		}
		return nil
	})
}

func halve(v []float64) {
	for i := range v {
		v[i] /= 2
	}
}

// rawRows is a window of the rows first to last-1.
func rawRows(x *mat.Dense, first, last int) blas64.General {
	raw := x.RawMatrix()
	return blas64.General{Rows: last - first, Cols: raw.Cols, Stride: raw.Stride, Data: raw.Data[first*raw.Stride:]}
}

func product(rows blas64.General, w *mat.Dense, m int) *mat.Dense {
	out := mat.NewDense(rows.Rows, m, nil)
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, rows, w.RawMatrix(), 0, out.RawMatrix())
	return out
}
