package estimatortest

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/estimatortest/internal/subject"
	"github.com/kernelearn/kernelearn/estimators/modelfile"
	"github.com/kernelearn/kernelearn/internal/testkit/toy"
)

// filed is a regressor that is registered with package modelfile. It is correct if Broken is 0.
type filed struct {
	Broken brokenFile
	Offset float64 // of the predictions

	ridge toy.Ridge
	extra float64
	read  bool
}

type brokenFile int

const (
	losesSetting brokenFile = iota + 1
	losesState
	refusesOwn
	hidesColumns
	changesBytes
)

func init() { modelfile.Register[*filed]("estimatortest.filed") }

func (f *filed) Fit(ctx context.Context, x mat.Matrix, y []float64) error {
	if err := f.ridge.Fit(ctx, x, y); err != nil {
		return err
	}
	f.extra = 1
	return nil
}

func (f *filed) Predict(x mat.Matrix) ([]float64, error) {
	if _, d := x.Dims(); f.Broken == hidesColumns && d == 1 {
		return nil, estimators.ErrShape
	}
	y, err := f.ridge.Predict(x)
	for i := range y {
		y[i] += f.Offset
		if f.Broken == losesState {
			y[i] += f.extra
		}
	}
	return y, err
}

func (f *filed) MarshalBinary() ([]byte, error) {
	data, err := f.ridge.MarshalBinary()
	if f.Broken == changesBytes && f.read {
		data = append(data, 0)
	}
	return data, err
}

func (f *filed) UnmarshalBinary(data []byte) error {
	f.read = true
	switch f.Broken {
	case losesSetting:
		f.Offset = 0
	case refusesOwn:
		return estimators.ErrBadModel
	}
	return f.ridge.UnmarshalBinary(data)
}

func TestModelFileOfASoundType(t *testing.T) {
	for _, c := range checks {
		if c.name == "model-file" {
			v := judge(c, &subject.Subject{Kind: subject.Regressors, Build: func() any { return &filed{Offset: 2} }, Options: subject.Settings{Tolerance: defaultTolerance}})
			assert.Empty(t, v.Failures)
			assert.Empty(t, v.Skipped)
		}
	}
}
