package main

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/internal/dataset"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/selection/entropy"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// search is a line of the table of searches. It compares our search by entropy with the peer's searches over a grid and by
// successive halving of the same grid.
type search struct {
	name, target string
	rows         int
	model        string  // the model's name in the peer
	wanted       float64 // upper limit of our seconds divided by the grid's
	draw         func(n int, seed uint64) (x *mat.Dense, y []float64)
	ours         func(seed uint64, train, test drawn) work
}

// drawn holds rows and their targets. Classes are numbers from 0.
type drawn struct {
	x *mat.Dense
	y []float64
}

const (
	searchColumns = 10
	searchTest    = 2000 // test rows
	// searchLandmarks is the number of landmarks in our map and in the peer's.
	searchLandmarks = 500
	// clustersEach is the number of clusters of each class, and clusterSpread is the standard deviation of their centres.
	clustersEach  = 3
	clusterSpread = 1.6
)

// wantedOf returns the upper limit of our seconds divided by the grid's.
func wantedOf(rows int) float64 {
	switch {
	case rows < 1000:
		return 1. / 5
	case rows < 5000:
		return 1. / 10
	}
	return 1. / 20
}

func searches() (out []search) {
	sine := func(n int, seed uint64) (*mat.Dense, []float64) { return dataset.Sine(n, searchColumns, seed) }
	friedman := func(n int, seed uint64) (*mat.Dense, []float64) {
		return dataset.Friedman1(n, searchColumns, seed)
	}
	for _, target := range []struct {
		name, says string
		draw       func(int, uint64) (*mat.Dense, []float64)
	}{{"sine", "dataset.Sine", sine}, {"friedman", "dataset.Friedman1", friedman}} {
		for _, c := range []struct {
			rows          int
			digits, model string
			ours          func(uint64, drawn, drawn) work
		}{
			{300, "300", "kernel_ridge", oursForNumbers}, {1000, "1000", "kernel_ridge", oursForNumbers},
			{5000, "5000", "kernel_ridge", oursForNumbers}, {20_000, "20000", "nystroem_ridge", oursOnLandmarks},
		} {
			out = append(out, search{target.name + c.digits, target.says, c.rows, c.model, wantedOf(c.rows), target.draw, c.ours})
		}
	}
	signed := func(n int, seed uint64) (*mat.Dense, []float64) {
		x, y := signedSine(n, searchColumns, seed)
		return x, floats(y)
	}
	clusters := func(n int, seed uint64) (*mat.Dense, []float64) {
		x, y := dataset.Clusters(n, searchColumns, 26, clustersEach, clusterSpread, seed)
		return x, floats(y)
	}
	const signs = "the sign of dataset.Sine"
	return append(out,
		search{"classes1000x2", signs, 1000, "svc", wantedOf(1000), signed, oursForClasses},
		search{"classes5000x2", signs, 5000, "svc", wantedOf(5000), signed, oursForClasses},
		search{"classes5000x26", "dataset.Clusters, three for each class", 5000, "svc", wantedOf(5000), clusters, oursForClasses},
	)
}

// prepare draws the rows of a seed. It standardises the columns, and targets that are numbers, with statistics of the training
// rows. It writes the rows and the grid for the peer. None of this is timed.
func (s search) prepare(ctx context.Context, f folder, scale float64, seed uint64) (ours, zero work, err error) {
	n, tested := rows(s.rows, scale), rows(searchTest, scale)
	x, y := s.draw(n+tested, seed)
	train := drawn{mat.DenseCopyOf(x.Slice(0, n, 0, searchColumns)), y[:n]}
	test := drawn{mat.DenseCopyOf(x.Slice(n, n+tested, 0, searchColumns)), y[n:]}
	err = standardise(ctx, &train.x, &test.x)
	if err == nil && s.model != "svc" {
		a, b := mat.NewDense(n, 1, slices.Clone(train.y)), mat.NewDense(tested, 1, slices.Clone(test.y))
		err = standardise(ctx, &a, &b)
		train.y, test.y = a.RawMatrix().Data, b.RawMatrix().Data
	}
	if err := first(err, f.write("x", train.x), f.row("y", train.y...), f.write("xt", test.x), f.row("yt", test.y...),
		s.writeGrid(ctx, f, train.x)); err != nil {
		return nil, nil, err
	}
	return s.ours(seed, train, test), s.withNothingSet(train, test), nil
}

func (s search) withNothingSet(train, test drawn) work {
	if s.model == "svc" {
		return classified(func() *selection.Classifier { return &selection.Classifier{} }, train, test)
	}
	return fitPredict(&selection.Regressor{}, train.x, test.x, train.y, test.y)
}

func standardise(ctx context.Context, train, test **mat.Dense) error {
	scaler := &scalers.StandardScaler{}
	err := scaler.Fit(ctx, *train)
	for _, x := range []**mat.Dense{train, test} {
		if err == nil {
			*x, err = scaler.Transform(*x)
		}
	}
	return err
}

// writeGrid writes the grid for the peer. For numbers it contains the 24 γ of grid.Search, which cover six decades, from 1e-4 to
// 1e2 divided by the median squared distance. They are combined with six ridges from 1e-5 to 1. For classes the grid contains eight
// γ around 1/d for d columns, combined with four C.
func (s search) writeGrid(ctx context.Context, f folder, x *mat.Dense) error {
	if s.model == "svc" {
		gammas := []float64{0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30}
		for i := range gammas {
			gammas[i] /= searchColumns
		}
		return first(f.row("gammas", gammas...), f.row("costs", 0.1, 1, 10, 100))
	}
	median, err := kernels.MedianSquaredDistance(ctx, x, 0)
	gammas := make([]float64, 24)
	for i := range gammas {
		gammas[i] = math.Pow(10, -4+6*float64(i)/float64(len(gammas)-1)) / median
	}
	return first(err, f.row("gammas", gammas...), f.row("alphas", 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1), f.row("components", searchLandmarks))
}

func oursForNumbers(seed uint64, train, test drawn) work {
	return fitPredict(&selection.Regressor{Search: &entropy.Search{Seed: seed}}, train.x, test.x, train.y, test.y)
}

// oursOnLandmarks returns the search that measurements/benchmark calls nystroem-entropy.
func oursOnLandmarks(seed uint64, train, test drawn) work {
	return fitPredict(&selection.Regressor{
		Space: selection.Kernels(func(k kernels.Kernel) estimators.Regressor {
			return &pipeline.Regressor{
				Steps: []transformers.Transformer{&featuremap.Nystroem{Kernel: k, Components: searchLandmarks, Seed: seed}},
				Final: &ridge.Regressor{},
			}
		}),
		Search: &entropy.Search{Seed: seed},
	}, train.x, test.x, train.y, test.y)
}

func oursForClasses(seed uint64, train, test drawn) work {
	return classified(func() *selection.Classifier {
		return &selection.Classifier{Search: &entropy.Search{Seed: seed}}
	}, train, test)
}

// classified returns work that fits a classifier. The work returns the error rate.
func classified(build func() *selection.Classifier, train, test drawn) work {
	y, yt := labelsOf(train.y), labelsOf(test.y)
	return func(ctx context.Context) (float64, error) {
		c := build()
		if err := c.Fit(ctx, train.x, y); err != nil {
			return 0, err
		}
		p, err := c.Predict(test.x)
		if err != nil {
			return 0, err
		}
		return 1 - accuracy(yt, p), nil
	}
}

func labelsOf(y []float64) []int {
	out := make([]int, len(y))
	for i, v := range y {
		out[i] = int(v)
	}
	return out
}
