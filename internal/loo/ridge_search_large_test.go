package loo

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
)

// fewProblem returns n rows of d columns under an RBF kernel, with k targets and noise.
func fewProblem(n, d, k int, gamma float64, weighted bool, noise func(rng *rand.Rand, f float64) float64, seed uint64) (*mat.SymDense, *mat.Dense, []float64) {
	rng := rand.New(rand.NewPCG(seed, 7))
	x, t := mat.NewDense(n, d, nil), mat.NewDense(n, k, nil)
	x.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, x)
	var weights []float64
	for i := range n {
		r := x.RawRowView(i)
		for j := range k {
			t.Set(i, j, noise(rng, math.Sin(2*r[0]+float64(j))+r[1%d]*r[d-1]))
		}
		if weighted {
			weights = append(weights, math.Exp(rng.NormFloat64()))
		}
	}
	gram := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			d := mat.Norm(vec(x, i, j), 2)
			gram.SetSym(i, j, math.Exp(-gamma*d*d))
		}
	}
	return gram, t, weights
}

func copied(gram *mat.SymDense) *mat.SymDense {
	own := mat.NewSymDense(gram.SymmetricDim(), nil)
	own.CopySym(gram)
	return own
}

var noises = map[string]func(rng *rand.Rand, f float64) float64{
	"none":   func(_ *rand.Rand, f float64) float64 { return f },
	"normal": func(rng *rand.Rand, f float64) float64 { return f + .3*rng.NormFloat64() },
	"pure":   func(rng *rand.Rand, _ float64) float64 { return rng.NormFloat64() },
	"heavy": func(rng *rand.Rand, f float64) float64 {
		return f + .3*rng.NormFloat64()/math.Pow(rng.Float64(), .7)
	},
	"class": func(rng *rand.Rand, f float64) float64 { return math.Copysign(1, f+.3*rng.NormFloat64()) },
}

// The error is within 1% of that of the full search. The solution agrees with the solution of the reduction at the same ridge. The
// results are bit-identical for any number of goroutines.
func TestSearchFew(t *testing.T) {
	evaluations, problems := 0, 0
	for name, noise := range noises {
		for _, c := range []struct {
			d, k     int
			gamma    float64
			weighted bool
		}{{5, 1, .2, false}, {10, 1, .05, true}, {2, 3, 1, false}, {5, 3, .2, true}} {
			gram, targets, weights := fewProblem(360, c.d, c.k, c.gamma, c.weighted, noise, 1)
			p := must(New(ctx, copied(gram), targets, weights, 0))
			want, err := p.Search(ctx, nil)
			require.NoError(t, err)
			calls := 0
			got, solved, err := SearchFew(ctx, copied(gram), targets, weights, 0, 1, func(i int, ridge, e float64) {
				calls++
				assert.Equal(t, calls, i)
				at, err := p.Error(ctx, ridge)
				require.NoError(t, err)
				assert.InEpsilon(t, at, e, 1e-5, "%s %v: ridge %v", name, c, ridge)
			})
			require.NoError(t, err)
			assert.Equal(t, calls, got.Evaluations)
			assert.LessOrEqual(t, calls, MaxFewEvaluations)
			assert.LessOrEqual(t, got.Error, 1.01*want.Error, "%s %v", name, c)
			evaluations, problems = evaluations+calls, problems+1

			same, err := p.Solve(ctx, got.Ridge)
			require.NoError(t, err)
			scale := mat.Norm(same.Alpha, math.Inf(1))
			for i := range 360 {
				assert.InDelta(t, same.Alpha.At(i, 0), solved.Alpha.At(i, 0), 1e-5*scale)
				assert.InEpsilon(t, same.Inverse[i], solved.Inverse[i], 1e-5)
			}
			assert.InDeltaSlice(t, same.Bias, solved.Bias, 1e-5)

			again, _, err := SearchFew(ctx, copied(gram), targets, weights, 0, 4, nil)
			require.NoError(t, err)
			assert.Equal(t, got, again)
		}
	}
	assert.Less(t, float64(evaluations), 3.5*float64(problems))
}

// CurveFew returns the ridges of SearchFew that are not below least, each with the results of EvaluateOnce.
func TestCurveFew(t *testing.T) {
	for _, least := range []float64{0, 1} {
		gram, targets, weights := fewProblem(330, 5, 3, .2, true, noises["normal"], 1)
		evaluations, err := CurveFew(ctx, copied(gram), targets, weights, least, 0)
		require.NoError(t, err)
		require.NotEmpty(t, evaluations)
		for i, l := range evaluations {
			assert.Equal(t, must(EvaluateOnce(ctx, copied(gram), targets, weights, l.Ridge)), l)
			assert.GreaterOrEqual(t, l.Ridge, .999999*least)
			assert.True(t, i == 0 || l.Ridge > evaluations[i-1].Ridge)
		}
		got, _, err := SearchFew(ctx, copied(gram), targets, weights, 0, 0, nil)
		require.NoError(t, err)
		best, ok := Least(evaluations)
		require.True(t, ok)
		if least == 0 {
			assert.Equal(t, got.Ridge, best.Ridge)
			assert.Len(t, evaluations, got.Evaluations)
		} else {
			assert.Greater(t, least, got.Ridge)
			assert.InEpsilon(t, least, best.Ridge, 1e-9)
		}
	}
	gram, targets, _ := fewProblem(330, 5, 1, .2, false, noises["normal"], 1)
	whole, err := CurveFew(ctx, copied(gram), targets, nil, 0, 0)
	require.NoError(t, err)
	want, _ := Least(whole)
	for _, factor := range []float64{.2, 5} { // known results are kept, and the search continues from them
		known := must(EvaluateOnce(ctx, copied(gram), targets, nil, factor*want.Ridge))
		evaluations, err := CurveFew(ctx, copied(gram), targets, nil, 0, 0, known)
		require.NoError(t, err)
		got, _ := Least(evaluations)
		assert.InEpsilon(t, want.Error, got.Error, 2e-3)
		assert.Contains(t, evaluations, known)
		assert.LessOrEqual(t, len(evaluations), 4)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	_, err = CurveFew(cancelled, gram, targets, nil, 0, 0)
	assert.ErrorIs(t, err, context.Canceled)
}

// For targets without noise, and for targets that are only noise, the search ends at an edge and returns the warning for it.
func TestSearchFewEdges(t *testing.T) {
	for edge, noise := range map[int]string{-1: "none", 1: "pure"} {
		gram, targets, _ := fewProblem(300, 1, 1, .5, false, noises[noise], 2)
		got, _, err := SearchFew(ctx, copied(gram), targets, nil, 0, 0, nil)
		require.NoError(t, err)
		want, err := must(New(ctx, gram, targets, nil, 0)).Search(ctx, nil)
		require.NoError(t, err)
		assert.Equal(t, edge, want.Edge)
		assert.Equal(t, edge, got.Edge)
		assert.InEpsilon(t, want.Ridge, got.Ridge, 1e-9)
		assert.Equal(t, want.Warning(), got.Warning())
	}
}

// An indefinite matrix has no solution below some ridge. A matrix that no ridge makes definite has no solution. The error of
// constant targets is 0.
func TestSearchFewWithoutMachines(t *testing.T) {
	gram, targets, _ := fewProblem(200, 5, 1, .2, false, noises["normal"], 3)
	shifted := copied(gram)
	for i := range 200 {
		shifted.SetSym(i, i, gram.At(i, i)-.5)
	}
	got, solved, err := SearchFew(ctx, copied(shifted), targets, nil, 0, 0, nil)
	require.NoError(t, err)
	require.NotNil(t, solved)
	assert.Greater(t, got.Ridge, .5)
	want, err := must(New(ctx, shifted, targets, nil, 0)).Search(ctx, nil)
	require.NoError(t, err)
	assert.LessOrEqual(t, got.Error, 1.05*want.Error, "halvings lead to the wall, near which the least is")

	for i := range 200 {
		gram.SetSym(i, i, -1e6)
	}
	got, solved, err = SearchFew(ctx, gram, targets, nil, 0, 0, nil)
	require.NoError(t, err)
	assert.Nil(t, solved)
	assert.Zero(t, got.Ridge)
	assert.LessOrEqual(t, got.Evaluations, MaxFewEvaluations)
	assert.Contains(t, got.Warning(), "no ridge")

	gram, targets, _ = fewProblem(200, 5, 1, .2, false, func(*rand.Rand, float64) float64 { return 3 }, 3)
	got, solved, err = SearchFew(ctx, gram, targets, nil, 0, 0, nil)
	require.NoError(t, err)
	assert.InDelta(t, 3, solved.Bias[0], 1e-6)
	assert.Less(t, got.Error, 1e-12)
}

func TestSearchFewIsCancelled(t *testing.T) {
	gram, targets, _ := fewProblem(200, 5, 1, .2, false, noises["normal"], 3)
	c, cancel := context.WithCancel(ctx)
	evaluations := 0
	_, solved, err := SearchFew(c, copied(gram), targets, nil, 0, 0, func(int, float64, float64) { evaluations++; cancel() })
	require.ErrorIs(t, err, context.Canceled)
	assert.Nil(t, solved)
	assert.Equal(t, 1, evaluations)
	_, _, err = SearchFew(c, gram, targets, nil, 0, 0, func(int, float64, float64) { evaluations++ })
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, 1, evaluations)
}

// The estimated slope is close to finite differences of the error, for one target and several, with and without weights.
func TestSlope(t *testing.T) {
	for _, k := range []int{1, 3} {
		for _, weighted := range []bool{false, true} {
			gram, targets, weights := fewProblem(400, 5, k, .2, weighted, noises["normal"], 4)
			p := must(New(ctx, copied(gram), targets, weights, 0))
			for _, u := range []float64{-7, -5, -1, 1} {
				const h = 1e-3
				up, err := p.Error(ctx, math.Exp(u+h))
				require.NoError(t, err)
				down, err := p.Error(ctx, math.Exp(u-h))
				require.NoError(t, err)
				s, factor, err := solveOnce(ctx, copied(gram), targets, weights, math.Exp(u))
				require.NoError(t, err)
				e, slope, err := s.slope(ctx, factor, weights, math.Exp(u))
				require.NoError(t, err)
				assert.InEpsilon(t, math.Sqrt(up*down), e, 1e-5)
				assert.InDelta(t, math.Log(up/down)/(2*h), slope, .02)
			}
		}
	}
}

// cubicStep finds the minimum of a cubic polynomial from either side. If there is no minimum, it returns at most half of the
// distance.
func TestBetween(t *testing.T) {
	cubic := func(u float64) point {
		return point{u: u, f: u*u*u - 3*u, slope: 3*u*u - 3} // minimum at 1
	}
	assert.InDelta(t, .8, cubic(.2).cubicStep(cubic(1.5), 1), 1e-12)
	assert.InDelta(t, .5, cubic(1.5).cubicStep(cubic(.2), 1), 1e-12)
	wall := point{u: -4, f: math.Inf(1)}
	assert.InDelta(t, 1.5, (point{u: -1, slope: 9}).cubicStep(wall, .1), 1e-12)
	assert.InDelta(t, .5, (point{u: -1, slope: .05}).cubicStep(wall, .1), 1e-12)
	falling := point{u: 4, f: 1, slope: -2} // a hill lies between, and no minimum
	assert.LessOrEqual(t, (point{u: 0, f: .9, slope: -.01}).cubicStep(falling, .1), 2.0)
}

func TestRival(t *testing.T) {
	of := func(fs ...float64) []point {
		v := make([]point, len(fs))
		for i, f := range fs {
			v[i] = point{u: float64(i), f: f}
		}
		return v
	}
	assert.Equal(t, 1, rivalOf(of(1, .1, .5, 0, .5), 3), "a second valley")
	assert.Equal(t, 5, rivalOf(of(1, 0, .5, .15, .5, .1, 1), 1), "the lower of two others")
	assert.Equal(t, -1, rivalOf(of(1, .3, .5, 0, .5), 3), "too high")
	assert.Equal(t, -1, rivalOf(of(1, .010, .015, 0, .5), 3), "no barrier")
	assert.Equal(t, 0, rivalOf(of(.15, .1, .08, .05, 0, .5), 4), "a shelf, its far end")
	assert.Equal(t, 4, rivalOf(of(0, .01, .05, .1, .15, .3), 0), "a shelf upward")
	assert.Equal(t, -1, rivalOf(of(.9, .5, .15, .1, 0, .5), 4), "short of a shelf")
}

// A search that starts near the best ridge needs fewer evaluations. Its error exceeds the smallest one by at most the promised
// fraction.
func TestSearchFewFromNear(t *testing.T) {
	for _, factor := range []float64{.5, 1, 2} {
		gram, targets, _ := fewProblem(600, 5, 3, .2, false, noises["normal"], 1)
		want, _, err := SearchFew(ctx, copied(gram), targets, nil, 0, 0, nil)
		require.NoError(t, err)
		seen := 0
		got, solved, err := SearchFew(ctx, copied(gram), targets, nil, factor*want.Ridge, 0, func(int, float64, float64) { seen++ })
		require.NoError(t, err)
		require.NotNil(t, solved)
		assert.InEpsilon(t, want.Error, got.Error, 2*worthNear)
		assert.LessOrEqual(t, seen, 3)
		assert.Equal(t, seen, got.Evaluations)
	}
}
