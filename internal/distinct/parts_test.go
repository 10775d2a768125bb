package distinct

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"gonum.org/v1/gonum/mat"
)

// repeated returns each row several times, with labels that are 1 where the first column is positive.
func repeated(x *mat.Dense, times int) (*mat.Dense, []int) {
	n, d := x.Dims()
	out, labels := mat.NewDense(n*times, d, nil), make([]int, n*times)
	for i := range labels {
		out.SetRow(i, x.RawRowView(i%n))
		if x.At(i%n, 0) > 0 {
			labels[i] = 1
		}
	}
	return out, labels
}

func TestParts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	grid := mat.NewDense(20, 2, nil)
	for i := range 20 {
		grid.SetRow(i, []float64{float64(i%4) - 1, float64(i / 4)})
	}
	x, labels := repeated(grid, 7)
	parts := Parts(Merge(x, nil), x, labels, false, 5000)
	want := make([]int, 140) // the copies of a row alternate between the five parts
	for i := range want {
		want[i] = i / 20 % 5
	}
	assert.Equal(t, want, parts)
	merged := MergeParts(x, parts, nil)
	assert.Equal(t, 100, merged.Len())
	assert.Equal(t, 40., mat.Sum(mat.NewVecDense(100, slices.Clone(merged.Weights)))-100, "of two parts two copies each")
	assert.Equal(t, 20, MergeParts(x, nil, nil).Len())

	// A gap is a value like any other.
	x.Apply(func(_, _ int, v float64) float64 {
		if v == 2 {
			return math.NaN()
		}
		return v
	}, x)
	assert.NotNil(t, Parts(Merge(x, nil), x, labels, false, 5000))

	// The dummies of a category are treated as one variable.
	dummies := mat.NewDense(24, 9, nil)
	for i := range 24 {
		for j, level := range []int{i % 2, 2 + i/2%2, 4 + i/4%2, 6 + i/8} {
			dummies.Set(i, level, float64(j+1))
		}
	}
	of, ofLabels := repeated(dummies, 4)
	assert.Len(t, variables(of), 4)
	assert.NotNil(t, Parts(Merge(of, nil), of, ofLabels, false, 5000))

	// With more distinct rows there are fewer parts, and none if two parts would exceed the limit.
	large := mat.NewDense(400, 2, nil)
	for i := range 400 {
		large.SetRow(i, []float64{float64(i % 20), float64(i / 20)})
	}
	many, manyLabels := repeated(large, 6)
	assert.Equal(t, 1, slices.Max(Parts(Merge(many, nil), many, manyLabels, false, 5000)))
	assert.Nil(t, Parts(Merge(many, nil), many, manyLabels, false, 799))

	// Rows that occur twice, or whose numbers take many values, are copies.
	twice, twiceLabels := repeated(grid, 2)
	assert.Nil(t, Parts(Merge(twice, nil), twice, twiceLabels, false, 5000))
	normal := mat.NewDense(40, 3, nil)
	normal.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, normal)
	copies, copiedLabels := repeated(normal, 5)
	assert.Nil(t, Parts(Merge(copies, nil), copies, copiedLabels, false, 5000))
	assert.Nil(t, Parts(Merge(normal, nil), normal, copiedLabels[:40], false, 5000))

	// Equal rows of a single column are copies, unless the column is a category or their targets differ.
	one, oneLabels := repeated(mat.DenseCopyOf(normal.Slice(0, 40, 0, 1)), 5)
	assert.Nil(t, Parts(Merge(one, nil), one, oneLabels, false, 5000))
	assert.NotNil(t, Parts(Merge(one, nil), one, oneLabels, true, 5000))
	noisy := make([]float64, 200)
	for i := range noisy {
		noisy[i] = rng.NormFloat64()
	}
	assert.NotNil(t, Parts(Merge(one, nil), one, noisy, false, 5000))
}
