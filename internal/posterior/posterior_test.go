package posterior_test

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/platt"
	"github.com/kernelearn/kernelearn/internal/posterior"
)

// The numbers were computed from the package's definition by scipy.optimize.minimize, with L-BFGS-B and its bounds.
func TestReference(t *testing.T) {
	content, err := os.ReadFile("testdata/reference.json")
	require.NoError(t, err)
	var cases []struct {
		Scores, Weights, Slopes, Offset, Mixing, New, Proba []float64
		Classes                                             int
		At                                                  []int
	}
	require.NoError(t, json.Unmarshal(content, &cases))
	require.Len(t, cases, 5)
	for i, c := range cases {
		l, err := posterior.Fit(t.Context(), mat.NewDense(len(c.At), c.Classes, c.Scores), c.At, c.Weights)
		require.NoError(t, err)
		assert.InDeltaSlice(t, c.Slopes, l.Slopes[:], 1e-4, "case %d", i)
		assert.InDeltaSlice(t, c.Offset, l.Offset, 1e-4, "case %d", i)
		if c.Mixing == nil {
			assert.Nil(t, l.Mixing, "case %d", i)
		} else {
			assert.InDeltaSlice(t, c.Mixing, l.Mixing, 1e-4, "case %d", i)
		}
		p := mat.NewDense(2, c.Classes, slices.Clone(c.New))
		l.Apply(p)
		assert.InDeltaSlice(t, c.Proba, p.RawMatrix().Data, 1e-5, "case %d", i)
	}
}

// logLoss returns the mean log loss of a link.
func logLoss(l interface{ Apply(*mat.Dense) }, f *mat.Dense, at []int) (sum float64) {
	p := mat.DenseCopyOf(f)
	l.Apply(p)
	for i, c := range at {
		sum -= math.Log(p.At(i, c)) / float64(len(at))
	}
	return sum
}

// drawn returns scores 2p-1 and classes drawn with the probabilities p, which come from logits with standard deviation spread.
func drawn(n, k int, spread float64, seed uint64) (*mat.Dense, []int) {
	rng := rand.New(rand.NewPCG(seed, 0x706f7374))
	f, at := mat.NewDense(n, k, nil), make([]int, n)
	for i := range n {
		row, sum := f.RawRowView(i), 0.0
		for c := range row {
			row[c] = math.Exp(spread * rng.NormFloat64())
			sum += row[c]
		}
		u := rng.Float64() * sum
		at[i] = k - 1
		for c := range row {
			if u < row[c] {
				at[i] = c
				break
			}
			u -= row[c]
		}
		for c := range row {
			row[c] = 2*row[c]/sum - 1
		}
	}
	return f, at
}

// If scores are 2p-1, the best link gives p, and its log loss is the entropy. Platt's link cannot express it. With more classes most
// scores are near -1, where the logarithm is bounded.
func TestScoresOfTrueProbabilities(t *testing.T) {
	for _, k := range []int{2, 3} {
		f, at := drawn(4000, k, 3, 1)
		fresh, truth := drawn(20000, k, 3, 2)
		l, err := posterior.Fit(t.Context(), f, at, nil)
		require.NoError(t, err)
		entropy := 0.0
		for i, c := range truth {
			entropy -= math.Log((1+fresh.At(i, c))/2) / float64(len(truth))
		}
		own, theirs := logLoss(l, fresh, truth)-entropy, logLoss(platt.Fit(f, at, nil), fresh, truth)-entropy
		assert.Less(t, own, 0.4*theirs, "%d classes", k)
		assert.Less(t, own, 0.01, "%d classes", k)
	}
}

// Three classes follow each other on a line. The score of the middle class against the others is noise, and only the scores of the
// others tell where it is.
func TestClassBetweenOthers(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	scores := func(n int) (*mat.Dense, []int) {
		f, at := mat.NewDense(n, 3, nil), make([]int, n)
		for i := range n {
			at[i] = rng.IntN(3)
			v := float64(at[i]-1)*.7 + .25*rng.NormFloat64()
			f.SetRow(i, []float64{-1./3 - v, -1./3 + .5*rng.NormFloat64(), -1./3 + v})
		}
		return f, at
	}
	f, at := scores(600)
	fresh, truth := scores(5000)
	l, err := posterior.Fit(t.Context(), f, at, nil)
	require.NoError(t, err)
	assert.Less(t, logLoss(l, fresh, truth), 0.6*logLoss(platt.Fit(f, at, nil), fresh, truth))
}

// With two classes a larger score has at least the same probability, for any scores.
func TestMonotone(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for range 50 {
		n := 10 + rng.IntN(40)
		f, at := mat.NewDense(n, 2, nil), make([]int, n)
		for i := range n {
			at[i] = i % 2
			v := rng.NormFloat64() + rng.Float64()*float64(2*at[i]-1)
			f.SetRow(i, []float64{-v, v})
		}
		l, err := posterior.Fit(t.Context(), f, at, nil)
		require.NoError(t, err)
		before := 0.0
		for v := -4.0; v <= 4; v += .01 {
			p := mat.NewDense(1, 2, []float64{-v, v})
			l.Apply(p)
			require.GreaterOrEqual(t, p.At(0, 1), before-1e-15)
			require.InDelta(t, 1, p.At(0, 0)+p.At(0, 1), 1e-15)
			before = p.At(0, 1)
		}
	}
}

// A weight of 2 is equivalent to repeating the row, and nil weights to weights of 1.
func TestWeights(t *testing.T) {
	f, at := drawn(60, 3, 1, 4)
	var both mat.Dense
	both.Stack(f, f)
	fit := func(f *mat.Dense, at []int, w []float64) []float64 {
		l, err := posterior.Fit(t.Context(), f, at, w)
		require.NoError(t, err)
		return slices.Concat(l.Slopes[:], l.Offset, l.Mixing)
	}
	twice := fit(&both, slices.Concat(at, at), nil)
	require.Len(t, twice, 4+3+9)
	assert.InDeltaSlice(t, twice, fit(f, at, slices.Repeat([]float64{2}, 60)), 1e-6)
	assert.Equal(t, fit(f, at, nil), fit(f, at, slices.Repeat([]float64{1}, 60)))
}

// If scores are worse than none, all 0, or not finite, all slopes are 0, and the probabilities are the smoothed class frequencies.
func TestUselessScores(t *testing.T) {
	at := []int{1, 1, 0, 1}
	for name, v := range map[string][]float64{
		"the wrong way": {1, -1, 1, -1, -1, 1, -1, 1},
		"none":          make([]float64, 8),
		"not finite":    {0, 1, 0, math.Inf(1), 1, 0, 0, 2},
		"not a number":  {0, 1, 0, math.NaN(), 1, 0, 0, 2},
		"that overflow": {0, 1, 0, 1e300, 1, 0, 0, 2},
	} {
		l, err := posterior.Fit(t.Context(), mat.NewDense(4, 2, v), at, nil)
		require.NoError(t, err)
		assert.Zero(t, l.Slopes, name)
		p := mat.NewDense(1, 2, []float64{5, -7})
		l.Apply(p)
		// Three rows with target 4/5 and one with 1/3.
		assert.InDelta(t, (3*4.0/5+1.0/3)/4, p.At(0, 1), 1e-12, name)
	}
}

func TestFitHearsItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f, at := drawn(60, 3, 1, 4)
	_, err := posterior.Fit(ctx, f, at, nil)
	assert.ErrorIs(t, err, context.Canceled)
}

func TestApplyDoesNotAllocate(t *testing.T) {
	f, at := drawn(60, 3, 1, 4)
	l, err := posterior.Fit(t.Context(), f, at, nil)
	require.NoError(t, err)
	assert.Zero(t, testing.AllocsPerRun(100, func() { l.Apply(f) }))
}

func TestStored(t *testing.T) {
	four, three, nine := []float64{0, 1, 2, 0}, []float64{0, -1, 2}, make([]float64, 9)
	l, ok := posterior.Stored(four, three, nine, 3)
	assert.True(t, ok)
	assert.Equal(t, posterior.Link{Slopes: [4]float64{0, 1, 2, 0}, Offset: three, Mixing: nine}, l)
	for name, bad := range map[string][3][]float64{
		"three slopes":         {three, three, nine},
		"a negative slope":     {{0, -1, 2, 0}, three, nine},
		"four offsets":         {four, four, nine},
		"an infinite offset":   {four, {0, math.Inf(1), 0}, nine},
		"a matrix of eight":    {four, three, nine[:8]},
		"no number in a slope": {{0, math.NaN(), 2, 0}, three, nine},
	} {
		_, ok := posterior.Stored(bad[0], bad[1], bad[2], 3)
		assert.False(t, ok, name)
	}
}
