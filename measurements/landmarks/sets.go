package main

import (
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/dataset"
)

const (
	drawnColumns = 10
	drawnTest    = 20_000
	drawnMost    = 100_000
	// The number of classes of the set clusters, the number of clusters in each class, and the spread of a cluster.
	drawnClasses, eachClass, spread = 3, 8, 1.
)

// source is a source of training and test rows.
type source struct {
	name       string
	most, test int // largest number of training rows, and number of test rows
	classes    bool
	rows       func(n int, seed uint64) (train, test part, err error)
}

// part holds the training rows or the test rows of a draw.
type part struct {
	x      *mat.Dense
	y      []float64 // nil for classes
	labels []int
}

// open returns the source with the given name. A set that is read keeps a quarter of its rows for testing. california-housing has
// 15 000 training rows and keeps all others for testing.
func open(dir, name string) (source, error) {
	switch name {
	case "friedman1":
		return generated(name, dataset.Friedman1), nil
	case "sine":
		return generated(name, dataset.Sine), nil
	case "clusters":
		return source{name: name, most: drawnMost, test: drawnTest, classes: true, rows: func(n int, seed uint64) (part, part, error) {
			x, labels := dataset.Clusters(drawnTest+n, drawnColumns, drawnClasses, eachClass, spread, seed)
			return part{x: window(x, drawnTest, drawnTest+n), labels: labels[drawnTest:]}, part{x: window(x, 0, drawnTest),
				labels: labels[:drawnTest]}, nil
		}}, nil
	}
	set, err := dataset.Open(dir, name)
	if err != nil {
		return source{}, err
	}
	n, _ := set.X.Dims()
	test := n / 4
	if name == "california-housing" {
		test = n - 15_000
	}
	return source{name: name, most: n - test, test: test, classes: set.Y == nil, rows: func(rows int, seed uint64) (part, part, error) {
		order := rand.New(rand.NewPCG(seed, 0)).Perm(n)
		var a, b part
		b.x, b.y, b.labels = set.Rows(order[:test])
		a.x, a.y, a.labels = set.Rows(order[test:][:rows])
		var err error
		a.x, b.x, err = dataset.Impute(a.x, b.x)
		return a, b, err
	}}, nil
}

// generated returns a source that draws the test rows first.
func generated(name string, draw func(n, d int, seed uint64) (*mat.Dense, []float64)) source {
	return source{name: name, most: drawnMost, test: drawnTest, rows: func(n int, seed uint64) (part, part, error) {
		x, y := draw(drawnTest+n, drawnColumns, seed)
		return part{x: window(x, drawnTest, drawnTest+n), y: y[drawnTest:]}, part{x: window(x, 0, drawnTest), y: y[:drawnTest]}, nil
	}}
}

// window returns a copy of the rows [from, to) of x.
func window(x *mat.Dense, from, to int) *mat.Dense {
	_, d := x.Dims()
	return mat.DenseCopyOf(x.Slice(from, to, 0, d))
}

// friedman draws training rows whose target has noise, and test rows whose target has none.
func friedman(n, d int, seed uint64) (train, test part) {
	draw := func(n int, seed uint64, clean bool) part {
		f := dataset.NewFriedman(seed)
		out := part{x: mat.NewDense(n, d, nil), y: make([]float64, n)}
		for i := range out.y {
			noisy, without := f.Next(out.x.RawRowView(i))
			out.y[i] = noisy
			if clean {
				out.y[i] = without
			}
		}
		return out
	}
	return draw(n, seed, false), draw(drawnTest, seed+1<<32, true)
}
