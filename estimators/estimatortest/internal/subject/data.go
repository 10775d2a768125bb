package subject

import (
	"context"
	"math"
	"math/rand/v2"
	"sync/atomic"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/linalg"
)

// Data holds a problem: rows, each with a target or a label.
type Data struct {
	X *mat.Dense
	Y []float64
}

const (
	TrainRows = 40
	TestRows  = 24
)

// LabelsOf lists the labels of the classes of the problems, in ascending order.
var LabelsOf = []float64{-3, 2, 11}

var slopes = []float64{2, 1, -1}

// Problem returns n rows of an easy problem. For regressors y is linear in the d columns, with noise whose deviation is a twentieth
// of that of y. For classifiers the classes are clusters far from each other, and the classes alternate from row to row. The rows
// depend on the stream and are the same in every run.
func Problem(k Kind, stream uint64, n, d, classes int) Data {
	rng := rand.New(rand.NewPCG(20, stream))
	out := Data{X: mat.NewDense(n, d, nil), Y: make([]float64, n)}
	for i := range n {
		row := out.X.RawRowView(i)
		for j := range row {
			row[j] = 2*rng.Float64() - 1
		}
		if k == Classifiers {
			class := i % classes
			out.Y[i] = LabelsOf[class]
			// Class c is moved along column c modulo d, up or down in turn.
			row[class%d] += 4 - 8*float64(class/d%2)
			continue
		}
		out.Y[i] = 3 + 0.05*rng.NormFloat64()
		for j, v := range row {
			out.Y[i] += v * slopes[j%len(slopes)]
		}
	}
	return out
}

// Train and Test return the rows of the problem that most checks use.
func (s *Subject) Train() Data { return Problem(s.Kind, 1, TrainRows, 3, 2) }
func (s *Subject) Test() Data  { return Problem(s.Kind, 2, TestRows, 3, 2) }

// OtherProblem returns another problem with the same number of columns.
func (s *Subject) OtherProblem() Data {
	d := Problem(s.Kind, 3, TrainRows-7, 3, 2)
	d.X.Apply(func(_, j int, v float64) float64 { return 0.5*v + float64(j) }, d.X)
	if s.Kind&(Regressors|Multis) != 0 {
		for i := range d.Y {
			d.Y[i] = -2 * d.Y[i]
		}
	}
	return d
}

func (d Data) Copy() Data {
	return Data{mat.DenseCopyOf(d.X), append([]float64(nil), d.Y...)}
}

// Pick returns the rows of d with the given indices.
func (d Data) Pick(rows []int) Data {
	out := Data{linalg.Rows(d.X, rows), make([]float64, len(rows))}
	for i, r := range rows {
		out.Y[i] = d.Y[r]
	}
	return out
}

// Hollow is a matrix with dimensions that no mat.Dense can have.
type Hollow struct{ Rows, Cols int }

func (h Hollow) Dims() (int, int)    { return h.Rows, h.Cols }
func (h Hollow) At(int, int) float64 { return 0 }
func (h Hollow) T() mat.Matrix       { return mat.Transpose{Matrix: h} }

// Foreign is a matrix of a type that is not a gonum type.
type Foreign struct{ Dense *mat.Dense }

func (f Foreign) Dims() (int, int)    { return f.Dense.Dims() }
func (f Foreign) At(i, j int) float64 { return f.Dense.At(i, j) }
func (f Foreign) T() mat.Matrix       { return mat.Transpose{Matrix: f} }

// Telling is a matrix that lists its nonzero values, as sparse rows do.
type Telling struct{ Foreign }

func (t Telling) T() mat.Matrix { return mat.Transpose{Matrix: t} }

// DoRowNonZero implements mat.RowNonZeroDoer.
func (t Telling) DoRowNonZero(i int, f func(i, j int, v float64)) {
	for j, v := range t.Dense.RawRowView(i) {
		if v != 0 {
			f(i, j, v)
		}
	}
}

// Cancelling is a matrix that cancels a context when a given number of values has been read.
type Cancelling struct {
	Foreign
	Left   *atomic.Int64 // number of values that can be read before the cancellation
	Cancel context.CancelFunc
}

func (c Cancelling) At(i, j int) float64 {
	if c.Left.Add(-1) == 0 {
		c.Cancel()
	}
	return c.Foreign.At(i, j)
}

func (c Cancelling) T() mat.Matrix { return mat.Transpose{Matrix: c} }

// Weights returns weights of 1 and 2 that have the same distribution in every class.
func Weights() []float64 {
	w := make([]float64, TrainRows)
	for i := range w {
		w[i] = 1 + float64(i/3%2)
	}
	return w
}

// Units lists the scales of the three targets of checkSeveralTargets.
var Units = []float64{1, 1e6, 1e-6}

// Three returns three targets: y, a target with another relation to the columns, and a target that depends mainly on the first
// column.
func (d Data) Three(units []float64) *mat.Dense {
	y := mat.NewDense(len(d.Y), 3, nil)
	for i, v := range d.Y {
		y.SetRow(i, []float64{units[0] * v, units[1] * v * (v + 1), units[2] * (4 + d.X.At(i, 0) + .1*d.X.At(i, 1)*v)})
	}
	return y
}

// Gappy returns x with a gap in each column if the type fills gaps, and x otherwise.
func (s *Subject) Gappy(x *mat.Dense) *mat.Dense {
	if s.Options.Gaps {
		_, d := x.Dims()
		for j := range d {
			x.Set(j, j, math.NaN())
		}
	}
	return x
}
