package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/internal/dataset"
	"github.com/kernelearn/kernelearn/streaming"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/columnwise"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// mostRows is the largest number of rows that are drawn from a set.
const mostRows = 3000

// compare prints the rows of the table for a set: one for its columns, and two for different numbers of features.
func compare(ctx context.Context, out io.Writer, set *dataset.Set, draws int) error {
	n, _ := set.X.Dims()
	for _, features := range []int{0, 100, 300} {
		var total [3]float64
		for draw := range draws {
			rows := rand.New(rand.NewPCG(uint64(draw), 1)).Perm(n)
			rows = rows[:min(len(rows), mostRows)]
			train := len(rows) * 2 / 3
			nmse, err := choices(ctx, set, rows[:train], rows[train:], features)
			if err != nil {
				return err
			}
			for k, v := range nmse {
				total[k] += v / float64(draws)
			}
		}
		fmt.Fprintf(out, "%-22s %5d %8d %13.4f %8.4f %10.4f\n", set.Name, min(n, mostRows), features, total[0], total[1], total[2])
	}
	return nil
}

// choices returns the errors of the three methods on one draw.
func choices(ctx context.Context, set *dataset.Set, train, test []int, features int) (nmse [3]float64, err error) {
	x, y, _ := set.Rows(train)
	xTest, yTest, _ := set.Rows(test)
	steps := &pipeline.Transformer{Steps: []transformers.Transformer{&columnwise.Imputer{}, &scalers.StandardScaler{}}}
	if features > 0 {
		steps.Steps = append(steps.Steps, &featuremap.Nystroem{Components: features})
	}
	z, err := steps.FitTransform(ctx, x)
	if err != nil {
		return nmse, err
	}
	zTest, err := steps.Transform(xTest)
	if err != nil {
		return nmse, err
	}
	rows := z.(*mat.Dense)
	ofRows, ofSums := &ridge.Regressor{}, &ridge.Regressor{}
	if err := ofRows.Fit(ctx, rows, y); err != nil {
		return nmse, err
	}
	sums, err := sumsOf(ctx, rows, y, func(int) bool { return true })
	if err == nil {
		err = ofSums.FitStatistics(ctx, sums)
	}
	if err != nil {
		return nmse, err
	}
	ofFolds, err := byFolds(ctx, rows, y, ofRows.ChosenRidge())
	if err != nil {
		return nmse, err
	}
	for k, m := range []*ridge.Regressor{ofRows, ofSums, ofFolds} {
		if nmse[k], err = errorOf(m, zTest, yTest); err != nil {
			return nmse, err
		}
	}
	return nmse, nil
}

// sumsOf returns the statistics of the rows i for which of(i) is true.
func sumsOf(ctx context.Context, x *mat.Dense, y []float64, of func(i int) bool) (streaming.Statistics[float64], error) {
	s, err := (&ridge.Regressor{}).NewStatistics()
	if err != nil {
		return nil, err
	}
	some, targets := pick(x, y, of)
	return s, s.AddBlock(ctx, streaming.Block[float64]{X: some, Y: targets})
}

func pick(x *mat.Dense, y []float64, of func(i int) bool) (*mat.Dense, []float64) {
	var data, targets []float64
	for i, v := range y {
		if of(i) {
			data, targets = append(data, x.RawRowView(i)...), append(targets, v)
		}
	}
	_, d := x.Dims()
	return mat.NewDense(len(targets), d, data), targets
}

// byFolds returns the fit with the ridge that has the smallest error in five held-out folds. The ridges extend from three decades
// below the parameter around to three decades above it.
func byFolds(ctx context.Context, x *mat.Dense, y []float64, around float64) (*ridge.Regressor, error) {
	const folds = 5
	best, least := 0.0, math.Inf(1)
	for step := -12; step <= 12; step++ {
		m, total := &ridge.Regressor{Ridge: around * math.Pow(10, float64(step)/4)}, 0.0
		for f := range folds {
			sums, err := sumsOf(ctx, x, y, func(i int) bool { return i%folds != f })
			if err == nil {
				err = m.FitStatistics(ctx, sums)
			}
			if err != nil {
				return nil, err
			}
			held, targets := pick(x, y, func(i int) bool { return i%folds == f })
			p, err := m.Predict(held)
			if err != nil {
				return nil, err
			}
			for i, v := range p {
				total += (v - targets[i]) * (v - targets[i])
			}
		}
		if total < least {
			best, least = m.Ridge, total
		}
	}
	m := &ridge.Regressor{Ridge: best}
	return m, m.Fit(ctx, x, y)
}

// errorOf returns the mean squared error divided by the variance of the targets.
func errorOf(m *ridge.Regressor, x mat.Matrix, y []float64) (float64, error) {
	p, err := m.Predict(x)
	if err != nil {
		return 0, err
	}
	mean, squares, spread := 0.0, 0.0, 0.0
	for _, v := range y {
		mean += v / float64(len(y))
	}
	for i, v := range y {
		squares += (p[i] - v) * (p[i] - v)
		spread += (v - mean) * (v - mean)
	}
	return squares / spread, nil
}
