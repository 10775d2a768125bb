package dataset

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

func TestSine(t *testing.T) {
	x, y := Sine(4000, 6, 3)
	assert.InDelta(t, 1, stat.Variance(x.RawMatrix().Data, nil), .03)
	var noise []float64
	for i := range y {
		r := x.RawRowView(i)
		noise = append(noise, y[i]-math.Sin(2*r[0])-r[1]*r[2]-r[3]/2)
	}
	assert.InDelta(t, 0, stat.Mean(noise, nil), .02)
	assert.InDelta(t, .3, stat.StdDev(noise, nil), .015)
	few, targets := Sine(100, 6, 3)
	assert.Equal(t, x.RawMatrix().Data[:600], few.RawMatrix().Data)
	assert.Equal(t, y[:100], targets)
}

// With distant clusters, rows of one cluster are as close as their unit variance implies, and the number of clusters is as
// requested.
func TestClusters(t *testing.T) {
	const classes, each, d = 3, 2, 4
	x, labels := Clusters(3000, d, classes, each, 1000, 5)
	var centres []int // the first row of each cluster
	size := []int{}   // the number of rows in each cluster
	squares := []float64{}
	for i, label := range labels {
		at := -1
		for c, first := range centres {
			var v mat.VecDense
			v.SubVec(x.RowView(i), x.RowView(first))
			if s := mat.Dot(&v, &v); s < 100*d {
				at, squares = c, append(squares, s)
				assert.Equal(t, labels[first], label)
			}
		}
		if at < 0 {
			centres, size, at = append(centres, i), append(size, 0), len(size)
		}
		size[at]++
	}
	assert.Len(t, centres, classes*each)
	for _, n := range size {
		assert.InDelta(t, 500, n, 100)
	}
	assert.InDelta(t, 2*d, stat.Mean(squares, nil), 3, "a difference has the variance of two")
	few, first := Clusters(10, d, classes, each, 1000, 5)
	assert.Equal(t, x.RawMatrix().Data[:10*d], few.RawMatrix().Data)
	assert.Equal(t, labels[:10], first)
}
