package main

import (
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/dataset"
)

const (
	drawnColumns = 10
	mostTest     = 2000 // limit of the test rows; generated sets have this many
	leastTest    = 500
	leastRows    = 20 // smallest size
)

// defaultSizes also determines the number of test rows of a set.
var defaultSizes = []int{500, 1000, 2000, 5000, 10_000, 20_000}

// source is a source of training and test rows.
type source struct {
	name string
	// most is the number of available training rows, without the test rows, or 0 for no limit.
	most, test int
	classes    bool
	rows       func(n, test int, seed uint64) (train, tested part, err error)
}

// part holds the training rows or the test rows of a draw.
type part struct {
	x      *mat.Dense
	y      []float64 // nil for classes
	labels []int
}

// open returns the source with the given name.
func open(dir, name string) (source, error) {
	switch name {
	case "friedman1":
		return generated(name, dataset.Friedman1), nil
	case "sine":
		return generated(name, dataset.Sine), nil
	}
	set, err := dataset.Open(dir, name)
	if err != nil {
		return source{}, err
	}
	n, _ := set.X.Dims()
	test := testRows(n)
	return source{name: name, most: n - test, test: test, classes: set.Y == nil,
		rows: func(rows, test int, seed uint64) (part, part, error) {
			order := rand.New(rand.NewPCG(seed, 0)).Perm(n)
			var a, b part
			b.x, b.y, b.labels = set.Rows(order[:test])
			a.x, a.y, a.labels = set.Rows(order[test:][:rows])
			var err error
			a.x, b.x, err = dataset.Impute(a.x, b.x)
			return a, b, err
		}}, nil
}

// testRows returns the number of rows that remain after the largest possible default size, but at most mostTest. If no default size
// leaves enough rows, it returns a quarter of the rows. The number does not depend on the requested sizes, so that partial runs can
// be combined.
func testRows(n int) int {
	test := n / 4
	for _, size := range defaultSizes {
		if n-size >= leastTest {
			test = min(mostTest, n-size)
		}
	}
	return test
}

// generated returns a source that draws the test rows first.
func generated(name string, draw func(n, d int, seed uint64) (*mat.Dense, []float64)) source {
	return source{name: name, test: mostTest, rows: func(rows, test int, seed uint64) (part, part, error) {
		x, y := draw(test+rows, drawnColumns, seed)
		at := func(from, to int) part {
			return part{x: mat.DenseCopyOf(x.Slice(from, to, 0, drawnColumns)), y: y[from:to]}
		}
		return at(test, test+rows), at(0, test), nil
	}}
}
