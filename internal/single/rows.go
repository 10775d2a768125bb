// Package single computes kernel values in float32, in vector instructions: distances between rows ([Rows]), and the functions
// of them that kernels are ([Exp], [Matern]).
//
// Distances are sums of differences, not of products: nothing cancels, so rows that are near need no other way. With AVX-512,
// with AVX2 and with NEON results agree with the loops in Go to rounding, not to the bit, since the vector loops fuse products
// into sums. On one processor they depend on the rows alone.
package single

import "math"

// Rows are rows of numbers in float32, stored column by column, so that a vector holds a number of many rows.
type Rows struct {
	n, d, stride int
	values       []float32
}

const (
	// A column begins at a multiple of vectorLength numbers, and the distance of two columns is an odd one of these: columns
	// that are a power of two apart would share a few places of the cache.
	vectorLength = 16
	// largest is the largest absolute value that rows take: the square of a difference is finite.
	largest = 1e18
)

// NewRows returns n rows of d columns, which are 0.
func NewRows(n, d int) *Rows {
	r := &Rows{n: n, d: d, stride: ((n+vectorLength-1)/vectorLength | 1) * vectorLength}
	r.values = make([]float32, d*r.stride)
	return r
}

// Set rounds a row from float64, and reports whether float32 holds its numbers.
func (r *Rows) Set(i int, row []float64) bool {
	held := true
	for j, v := range row {
		held = held && math.Abs(v) <= largest
		r.values[j*r.stride+i] = float32(v)
	}
	return held
}

// Window is a part of the matrix of all pairs of rows.
type Window struct{ Row, Rows, Column, Columns int }

// way is how a column adds to the distance of two rows.
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

// AddDistinct adds, row by row, apart[j] to dst for each column j in which two rows of a window differ. Different numbers of a column
// differ by at least 1.
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

// plainDistances does these rows of a window, from a column on.
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

// Available reports whether the processor has what the vector loops need. Without them float64 is as fast.
func Available() bool { return hasVectors }
