// Package single computes kernel values in float32 with vector instructions: distances between rows ([Rows]), and the functions of
// distances that kernels use ([Exp], [Matern]).
//
// Distances are sums over differences rather than products. Nothing cancels, so close rows need no special case. Results with
// AVX-512, AVX2 and NEON agree with the loops in Go up to rounding. They are not bit-identical, since the vector loops use fused
// multiply-adds. On one processor they depend on the rows alone.
package single

import "math"

// Rows holds rows of float32 numbers, stored by columns, so that a vector register holds the same column of several rows.
type Rows struct {
	n, d, stride int
	values       []float32
}

const (
	// A column begins at a multiple of vectorLength numbers, and the stride between columns is an odd multiple. With a power of two
	// as stride, columns would compete for a few cache lines.
	vectorLength = 16
	// largest is the largest accepted absolute value. It is small enough for the squares of differences to be finite.
	largest = 1e18
)

// NewRows returns n rows of d zeros.
func NewRows(n, d int) *Rows {
	r := &Rows{n: n, d: d, stride: ((n+vectorLength-1)/vectorLength | 1) * vectorLength}
	r.values = make([]float32, d*r.stride)
	return r
}

// Set rounds a row from float64, and reports whether float32 can hold its numbers.
func (r *Rows) Set(i int, row []float64) bool {
	held := true
	for j, v := range row {
		held = held && math.Abs(v) <= largest
		r.values[j*r.stride+i] = float32(v)
	}
	return held
}

// Window is a rectangle in the matrix of all pairs of rows.
type Window struct{ Row, Rows, Column, Columns int }

// way selects the contribution of a column to the distance of two rows.
type way int

const (
	squares way = iota
	absolutes
	distinct
)

// SquaredDistances sets dst, row by row, to |x-z|² for the pairs of a window.
func (r *Rows) SquaredDistances(dst []float32, w Window) { r.distances(dst, squares, w, nil) }

// ManhattanDistances sets dst, row by row, to Σ|x[j]-z[j]| for the pairs of a window.
func (r *Rows) ManhattanDistances(dst []float32, w Window) { r.distances(dst, absolutes, w, nil) }

// AddDistinct adds apart[j] to dst, row by row, for each column j in which the two rows of a pair in a window differ. Different
// values of a column must differ by at least 1.
func (r *Rows) AddDistinct(dst []float32, w Window, apart []float32) {
	r.distances(dst, distinct, w, apart)
}

func (r *Rows) distances(dst []float32, of way, w Window, apart []float32) {
	if w.Rows == 0 || w.Columns == 0 || r.d == 0 {
		return
	}
	dst = dst[:w.Rows*w.Columns]
	rows, columns := r.vectorDistances(dst, of, w, apart)
	r.plainDistances(dst, of, w, 0, rows, columns, apart)
	r.plainDistances(dst, of, w, rows, w.Rows, 0, apart)
}

// plainDistances computes rows of a window, starting at a column, without vectors.
func (r *Rows) plainDistances(dst []float32, of way, w Window, from, to, column int, apart []float32) {
	if column == w.Columns {
		return
	}
	for i := from; i < to; i++ {
		row := dst[i*w.Columns+column : (i+1)*w.Columns]
		if of != distinct {
			clear(row)
		}
		for c := range r.d {
			values := r.values[c*r.stride:]
			x, z := values[w.Row+i], values[w.Column+column:w.Column+w.Columns]
			switch of {
			case squares:
				for j, v := range z {
					row[j] += (x - v) * (x - v)
				}
			case absolutes:
				for j, v := range z {
					row[j] += math.Float32frombits(math.Float32bits(x-v) &^ (1 << 31))
				}
			default:
				for j, v := range z {
					if x != v {
						row[j] += apart[c]
					}
				}
			}
		}
	}
}

// Available reports whether the processor supports the vector loops. Without them float64 is as fast.
func Available() bool { return hasVectors }
