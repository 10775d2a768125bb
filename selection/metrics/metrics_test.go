package metrics

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

func must(t *testing.T) func(v float64, err error) float64 {
	return func(v float64, err error) float64 {
		t.Helper()
		require.NoError(t, err)
		return v
	}
}

func TestRegressionMetrics(t *testing.T) {
	get := must(t)
	y := []float64{1, 2, 4, 9}
	assert.Equal(t, 0.0, get(NMSE(y, y, nil)))
	assert.Equal(t, 1.0, get(R2(y, y, nil)))
	assert.InDelta(t, 1, get(NMSE(y, []float64{4, 4, 4, 4}, nil)), 1e-15)
	p := []float64{1, 3, 4, 7}
	assert.InDelta(t, 5.0/4/stat.PopVariance(y, nil), get(NMSE(y, p, nil)), 1e-15)
	assert.InDelta(t, stat.RSquaredFrom(p, y, nil), get(R2(y, p, nil)), 1e-15)
	assert.Equal(t, 0.0, get(NMSE([]float64{3, 3}, []float64{3, 3}, nil)))
	assert.True(t, math.IsInf(get(NMSE([]float64{3, 3}, []float64{3, 4}, nil)), 1))
}

func TestClassificationMetrics(t *testing.T) {
	get := must(t)
	y := []int{0, 0, 0, 0, 1, 1, 5, 5}
	p := []int{0, 0, 0, 1, 1, 0, 5, 5}
	assert.Equal(t, 0.75, get(Accuracy(y, p, nil)))
	assert.InDelta(t, math.Cbrt(0.75*0.5*1), get(GMean(y, p, nil)), 1e-15)
	assert.Equal(t, 0.0, get(GMean([]int{0, 1}, []int{0, 0}, nil)))
}

// AUC agrees with its definition over all pairs, also if there are ties.
func TestAUC(t *testing.T) {
	get := must(t)
	rng := rand.New(rand.NewPCG(1, 1))
	y, s := make([]int, 60), make([]float64, 60)
	for i := range y {
		y[i], s[i] = rng.IntN(3), float64(rng.IntN(9))
	}
	for positive := range 3 {
		wins, pairs := 0.0, 0.0
		for i := range y {
			for j := range y {
				if y[i] != positive || y[j] == positive {
					continue
				}
				pairs++
				switch {
				case s[i] > s[j]:
					wins++
				case s[i] == s[j]:
					wins += 0.5
				}
			}
		}
		assert.InDelta(t, wins/pairs, get(AUC(y, positive, s, nil)), 1e-14)
	}
	assert.Equal(t, 1.0, get(AUC([]int{0, 1}, 1, []float64{math.Inf(-1), math.Inf(1)}, nil)))
	two := mat.NewDense(3, 2, []float64{0, 1, 0, 3, 0, 2})
	assert.Equal(t, get(AUC([]int{4, 7, 4}, 7, []float64{1, 3, 2}, nil)), get(AUCOfScores([]int{4, 7, 4}, []int{4, 7}, two, nil)))
	three := mat.NewDense(3, 3, []float64{2, 1, 0, 1, 2, 0, 0, 0, 1})
	assert.Equal(t, 1.0, get(AUCOfScores([]int{0, 1, 2}, []int{0, 1, 2}, three, nil)))
}
