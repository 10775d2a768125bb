package estimatortest

import (
	"context"
	"math/rand/v2"
	"sync/atomic"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/linalg"
)

// data is a problem: rows, and for each a target or a label.
type data struct {
	x *mat.Dense
	y []float64
}

const (
	trainRows = 40
	testRows  = 24
)

// labelsOf are the labels of the classes of the problems, in ascending order.
var labelsOf = []float64{-3, 2, 11}

var slopes = []float64{2, 1, -1}

// problem returns n rows of an easy problem. For regressors y is linear in the
// d columns with a noise of a twentieth of its spread; for classifiers there
// are classes clusters, well apart, whose rows come in turn. The rows depend on
// the stream and are the same in every run.
func problem(k kind, stream uint64, n, d, classes int) data {
	rng := rand.New(rand.NewPCG(20, stream))
	out := data{x: mat.NewDense(n, d, nil), y: make([]float64, n)}
	for i := range n {
		row := out.x.RawRowView(i)
		for j := range row {
			row[j] = 2*rng.Float64() - 1
		}
		if k == classifiers {
			class := i % classes
			out.y[i] = labelsOf[class]
			// Class c is moved along column c modulo d, every second time downwards.
			row[class%d] += 4 - 8*float64(class/d%2)
			continue
		}
		out.y[i] = 3 + 0.05*rng.NormFloat64()
		for j, v := range row {
			out.y[i] += v * slopes[j%len(slopes)]
		}
	}
	return out
}

// train and test are rows of the problem that most checks use.
func (s *subject) train() data { return problem(s.kind, 1, trainRows, 3, 2) }
func (s *subject) test() data  { return problem(s.kind, 2, testRows, 3, 2) }

// otherProblem is another problem of the same width.
func (s *subject) otherProblem() data {
	d := problem(s.kind, 3, trainRows-7, 3, 2)
	d.x.Apply(func(_, j int, v float64) float64 { return 0.5*v + float64(j) }, d.x)
	if s.kind&(regressors|multis) != 0 {
		for i := range d.y {
			d.y[i] = -2 * d.y[i]
		}
	}
	return d
}

func (d data) copy() data {
	return data{mat.DenseCopyOf(d.x), append([]float64(nil), d.y...)}
}

// pick returns the rows of d with the given indices.
func (d data) pick(rows []int) data {
	out := data{linalg.Rows(d.x, rows), make([]float64, len(rows))}
	for i, r := range rows {
		out.y[i] = d.y[r]
	}
	return out
}

// hollow is a matrix of dimensions that no mat.Dense can have.
type hollow struct{ rows, cols int }

func (h hollow) Dims() (int, int)    { return h.rows, h.cols }
func (h hollow) At(int, int) float64 { return 0 }
func (h hollow) T() mat.Matrix       { return mat.Transpose{Matrix: h} }

// foreign is a matrix of a type that gonum does not know.
type foreign struct{ dense *mat.Dense }

func (f foreign) Dims() (int, int)    { return f.dense.Dims() }
func (f foreign) At(i, j int) float64 { return f.dense.At(i, j) }
func (f foreign) T() mat.Matrix       { return mat.Transpose{Matrix: f} }

// telling is a matrix that says which of its values are not 0, as those of sparse rows do.
type telling struct{ foreign }

func (t telling) T() mat.Matrix { return mat.Transpose{Matrix: t} }

// DoRowNonZero implements mat.RowNonZeroDoer.
func (t telling) DoRowNonZero(i int, f func(i, j int, v float64)) {
	for j, v := range t.dense.RawRowView(i) {
		if v != 0 {
			f(i, j, v)
		}
	}
}

// cancelling is a matrix that cancels a context when a value is read.
type cancelling struct {
	foreign
	left   *atomic.Int64 // how many may be read before
	cancel context.CancelFunc
}

func (c cancelling) At(i, j int) float64 {
	if c.left.Add(-1) == 0 {
		c.cancel()
	}
	return c.foreign.At(i, j)
}

func (c cancelling) T() mat.Matrix { return mat.Transpose{Matrix: c} }
