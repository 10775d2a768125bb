package estimatortest

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/interval"
	"github.com/kernelearn/kernelearn/internal/testkit/toy"
)

// brokenMulti is a regressor for several targets, with a toy.Ridge for each. Its methods can be replaced.
type brokenMulti struct {
	targets  func(k int) int
	predict  func(y *mat.Dense) *mat.Dense
	variance func(v *mat.Dense)
	level    func(level float64) float64
	clean    bool // replace values that are not finite by 0

	of []*toy.Ridge
}

func (b brokenMulti) build() any { return &b }

func (b *brokenMulti) Fit(ctx context.Context, x, y mat.Matrix) (err error) {
	defer estimators.BeginFit(&ctx, nil)(&err)
	yd, err := estimators.CheckRows(y, 0)
	if b.clean {
		yd, err = cleaned(y), nil
	}
	if err != nil {
		return err
	}
	_, k := yd.Dims()
	of := make([]*toy.Ridge, k)
	for j := range of {
		of[j] = &toy.Ridge{Penalty: .1}
		if err := of[j].Fit(ctx, x, mat.Col(nil, j, yd)); err != nil {
			return err
		}
	}
	b.of = of
	return nil
}

func (b *brokenMulti) Targets() int {
	if b.targets != nil {
		return b.targets(len(b.of))
	}
	return len(b.of)
}

func (b *brokenMulti) Predict(x mat.Matrix) (*mat.Dense, error) {
	mean, _, err := b.both(x)
	if err == nil && b.predict != nil {
		mean = b.predict(mean)
	}
	return mean, err
}

func (b *brokenMulti) both(x mat.Matrix) (mean, variance *mat.Dense, err error) {
	if b.of == nil {
		return nil, nil, &estimators.NotFittedError{Type: "broken"}
	}
	for j, r := range b.of {
		m, v, err := r.PredictVariance(x)
		if err != nil {
			return nil, nil, err
		}
		if mean == nil {
			mean, variance = mat.NewDense(len(m), len(b.of), nil), mat.NewDense(len(m), len(b.of), nil)
		}
		mean.SetCol(j, m)
		variance.SetCol(j, v)
	}
	return mean, variance, nil
}

func (b *brokenMulti) PredictVariance(x mat.Matrix) (mean, variance *mat.Dense, err error) {
	mean, variance, err = b.both(x)
	if err == nil && b.variance != nil {
		b.variance(variance)
	}
	return mean, variance, err
}

func (b *brokenMulti) PredictInterval(x mat.Matrix, level float64) (low, high *mat.Dense, err error) {
	if b.level != nil {
		level = b.level(level)
	}
	if err := interval.Level("broken", level); err != nil {
		return nil, nil, err
	}
	mean, variance, err := b.both(x)
	return interval.Matrices(interval.Normal(level), mean, variance, err)
}
