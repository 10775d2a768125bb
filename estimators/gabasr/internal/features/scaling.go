package features

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/weights"
)

// Scaling is what Fit does to x: constant columns are left out, the others centred and
// divided by their standard deviation.
type Scaling struct {
	Width   int
	Columns []int        // that are kept, ascending; at least one
	Mean    codec.Floats // of these
	Inverse codec.Floats // 1/standard deviation
	// Constant has the means of the columns that are left out. Without them a file of a few bytes could claim any width,
	// and its reader would allocate it.
	Constant codec.Floats
}

// NewScaling looks at the columns of x, of counted rows. With plain all are kept as they are.
func NewScaling(x *mat.Dense, plain bool, of weights.Counts) Scaling {
	n, d := x.Dims()
	s := Scaling{Width: d}
	for j := range d {
		mean, scale := 0.0, 1.0
		if !plain {
			var spread, largest float64
			mean, spread, largest = Moments(mat.Col(nil, j, x), of)
			// Rounding of the mean leaves a constant column a spread of its last bits.
			if n > 1 && !(spread > 1e-13*largest) {
				s.Constant = append(s.Constant, mean)
				continue
			}
			scale = spread
		}
		if inverse := 1 / scale; !math.IsInf(inverse, 1) && inverse > 0 {
			s.Columns, s.Mean, s.Inverse = append(s.Columns, j), append(s.Mean, mean), append(s.Inverse, inverse)
		} else {
			s.Constant = append(s.Constant, mean)
		}
	}
	if len(s.Columns) == 0 {
		s.Columns, s.Mean, s.Inverse, s.Constant = []int{0}, s.Constant[:1:1], codec.Floats{1}, s.Constant[1:]
	}
	return s
}

// Moments returns mean, standard deviation and largest magnitude, without overflow; the
// deviation of a single value is 1. The values are counted.
func Moments(v []float64, of weights.Counts) (mean, deviation, largest float64) {
	for _, e := range v {
		largest = max(largest, math.Abs(e))
	}
	if largest == 0 || len(v) == 1 {
		if len(v) == 1 {
			return v[0], 1, largest
		}
		return 0, 0, 0
	}
	for i, e := range v {
		mean += of.Weight(i) * e / of.Total
	}
	sum := 0.0
	for i, e := range v {
		r := (e - mean) / largest
		if r-r != 0 { // the difference overflows
			r = e/largest - mean/largest
		}
		sum += of.Weight(i) * r * r
	}
	return mean, largest * math.Sqrt(sum/of.Total), largest
}

// Apply returns the scaled columns of x.
func (s Scaling) Apply(x *mat.Dense) *mat.Dense {
	n, _ := x.Dims()
	out := mat.NewDense(n, len(s.Columns), nil)
	for i := range n {
		s.Row(out.RawRowView(i), x.RawRowView(i))
	}
	return out
}

// Row sets dst to the scaled columns of one row.
func (s Scaling) Row(dst, x []float64) {
	for k, j := range s.Columns {
		d := x[j] - s.Mean[k]
		if d-d != 0 { // the difference overflows
			dst[k] = 2 * ((x[j]/2 - s.Mean[k]/2) * s.Inverse[k])
			continue
		}
		dst[k] = d * s.Inverse[k]
	}
}

// Frequency writes a frequency of scaled columns as one of x itself, 0 for the columns
// that are left out.
func (s Scaling) Frequency(dst, w []float64) {
	clear(dst)
	for k, j := range s.Columns {
		dst[j] = w[k] * s.Inverse[k]
	}
}

// Origin is where scaled x is 0.
func (s Scaling) Origin() []float64 {
	out := make([]float64, s.Width)
	for k, j := range s.Columns {
		out[j] = s.Mean[k]
	}
	return out
}

// Valid checks what a file has.
func (s Scaling) Valid() bool {
	if s.Width-len(s.Columns) != len(s.Constant) || !s.Constant.Finite() {
		return false
	}
	if len(s.Columns) < 1 || len(s.Mean) != len(s.Columns) || len(s.Inverse) != len(s.Columns) || !s.Mean.Finite() || !s.Inverse.Finite() ||
		s.Columns[0] < 0 || s.Columns[len(s.Columns)-1] >= s.Width || slices.Min(s.Inverse) <= 0 {
		return false
	}
	for i := 1; i < len(s.Columns); i++ {
		if s.Columns[i] <= s.Columns[i-1] {
			return false
		}
	}
	return true
}
