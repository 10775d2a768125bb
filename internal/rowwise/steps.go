package rowwise

import (
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/embedding"
)

// Step is any transformer.
type Step interface {
	Transform(x mat.Matrix) (*mat.Dense, error)
}

// stepTo is a transformer that can write to the caller's memory.
type stepTo interface {
	TransformTo(dst *mat.Dense, x mat.Matrix) error
}

// Buffers is memory for a small block of rows between steps.
type Buffers [2]mat.Dense

var buffers = sync.Pool{New: func() any { return new(Buffers) }}

// NewBuffers returns memory for Transform. Return it with Release.
func NewBuffers() *Buffers { return buffers.Get().(*Buffers) }

// Release returns the memory, including the result of Transform.
func (b *Buffers) Release() { buffers.Put(b) }

// IsFew reports whether x is a dense matrix with few enough rows to be predicted one by one.
func IsFew(x mat.Matrix) bool {
	d, ok := x.(*mat.Dense)
	if !ok || d == nil {
		return false
	}
	n, _ := d.Dims()
	return n > 0 && n <= fewRows
}

// Transform applies the steps to a few rows, without allocation in the steps that support it. If a step fails, Transform returns
// its index and its error.
func Transform[S Step](b *Buffers, steps []S, x mat.Matrix) (z mat.Matrix, at int, err error) {
	for i, s := range steps {
		if to, ok := embedding.As[stepTo](s); ok {
			dst := &b[i%2] // the other buffer holds x
			dst.Reset()
			if err := to.TransformTo(dst, x); err != nil {
				return nil, i, err
			}
			x = dst
			continue
		}
		out, err := s.Transform(x)
		if err != nil {
			return nil, i, err
		}
		x = out
	}
	return x, 0, nil
}

// predictor is any estimator, and predictorTo one that can predict into dst.
type predictor[Y float64 | int] interface {
	Predict(x mat.Matrix) ([]Y, error)
}

type predictorTo[Y float64 | int] interface {
	PredictTo(dst []Y, x mat.Matrix) error
}

// Predict sets dst to e's predictions for the rows of x.
func Predict[Y float64 | int](e predictor[Y], dst []Y, x mat.Matrix) error {
	if to, ok := embedding.As[predictorTo[Y]](e); ok {
		return to.PredictTo(dst, x)
	}
	return copied(dst, x, e.Predict)
}

type decider interface {
	Decision(x mat.Matrix) (*mat.Dense, error)
}

type deciderTo interface {
	DecisionTo(dst *mat.Dense, x mat.Matrix) error
}

// Decide sets dst to the scores of e for the rows of x.
func Decide(e decider, dst *mat.Dense, x mat.Matrix) error {
	if to, ok := embedding.As[deciderTo](e); ok {
		return to.DecisionTo(dst, x)
	}
	return copiedScores(dst, x, e.Decision)
}

type probabilist interface {
	PredictProba(x mat.Matrix) (*mat.Dense, error)
}

type probabilistTo interface {
	PredictProbaTo(dst *mat.Dense, x mat.Matrix) error
}

// Probabilities sets dst to e's probabilities for the rows of x.
func Probabilities(e probabilist, dst *mat.Dense, x mat.Matrix) error {
	if to, ok := embedding.As[probabilistTo](e); ok {
		return to.PredictProbaTo(dst, x)
	}
	return copiedScores(dst, x, e.PredictProba)
}
