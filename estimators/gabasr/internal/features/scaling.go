package features

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/weights"
)

// Scaling is the scaling of x that Fit computes: constant columns are left out, and the others are centred and divided by their
// standard deviation.
type Scaling struct {
	Width   int
	Columns []int        // kept columns, ascending, at least one
	Mean    codec.Floats // of the kept columns
	Inverse codec.Floats // 1/standard deviation
	// Constant holds the means of the columns that are left out. Without them a file of a few bytes could claim any number of
	// columns, and its reader would allocate the memory.
	Constant codec.Floats
}

// NewScaling returns the scaling of the weighted rows of x. If plain is set, all columns are kept unscaled.
func NewScaling(x *mat.Dense, plain bool, of weights.Counts) Scaling {
	n, d := x.Dims()
	s := Scaling{Width: d}
	for j := range d {
		mean, scale := 0.0, 1.0
		if !plain {
			var spread, largest float64
			mean, spread, largest = Moments(mat.Col(nil, j, x), of)
			// Because the mean is rounded, a constant column may have a spread in its last bits.
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

// Moments returns the mean, the standard deviation and the largest magnitude of weighted values, without overflow. For a single
// value, the standard deviation is 1.
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

// Frequency converts a frequency of scaled columns to a frequency of x. It is 0 for the columns that are left out.
func (s Scaling) Frequency(dst, w []float64) {
	clear(dst)
	for k, j := range s.Columns {
		dst[j] = w[k] * s.Inverse[k]
	}
}

// Origin returns the row whose scaled columns are 0.
func (s Scaling) Origin() []float64 {
	out := make([]float64, s.Width)
	for k, j := range s.Columns {
		out[j] = s.Mean[k]
	}
	return out
}

// Valid checks a scaling that was read from a file.
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
