package rvm

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/distinct"
	"github.com/kernelearn/kernelearn/internal/learning"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/kernels"
)

var twoWidths = []kernels.Kernel{kernels.RBF{Gamma: 0.05}, kernels.RBF{Gamma: 3}}

// bumps returns a slow wave with a narrow peak, which no single width fits.
func bumps(n int) (*mat.Dense, []float64) {
	x, y := random(n, 1, 9), make([]float64, n)
	for i := range y {
		v := 3 * x.At(i, 0)
		x.Set(i, 0, v)
		y[i] = math.Sin(v/2) + 3*math.Exp(-8*(v-1)*(v-1)) + 0.05*math.Sin(57*float64(i*i))
	}
	return x, y
}

// stacked returns the design matrix with the columns of each kernel, one kernel after the other.
func stacked(t *testing.T, x, centres *mat.Dense, of []kernels.Kernel) *mat.Dense {
	t.Helper()
	n, _ := x.Dims()
	m, _ := centres.Dims()
	out := mat.NewDense(n, m*len(of), nil)
	for k, kernel := range of {
		block, err := kernels.Cross(context.Background(), kernel, x, centres, nil)
		require.NoError(t, err)
		out.Slice(0, n, k*m, (k+1)*m).(*mat.Dense).Copy(block)
	}
	return out
}

// A fit with several kernels equals a fit to the design matrix of all their columns.
func TestKernelsAreADesign(t *testing.T) {
	x, y := bumps(90)
	for name, landmarks := range map[string]*mat.Dense{"rows": nil, "landmarks": mat.NewDense(7, 1, []float64{-3, -2, -1, 0, 1, 2, 3})} {
		centres := x
		if landmarks != nil {
			centres = landmarks
		}
		r := &Regressor{Kernels: twoWidths, Landmarks: landmarks, NoCalibration: true}
		require.NoError(t, r.Fit(ctx, x, y), name)
		by := &Regressor{NoCalibration: true}
		phi := stacked(t, x, centres, twoWidths)
		require.NoError(t, by.FitDesign(ctx, phi, y), name)
		assert.InDelta(t, by.LogEvidence(), r.LogEvidence(), 1e-9, name)
		m, _ := centres.Dims()
		rows, of, both := []int{}, []int{}, [2]int{}
		for _, j := range by.RelevanceIndices() {
			rows, of = append(rows, j%m), append(of, j/m)
			both[j/m]++
		}
		assert.Equal(t, rows, r.RelevanceIndices(), name)
		assert.Equal(t, of, r.RelevanceKernels(), name)
		assert.Positive(t, both[0]*both[1], "%s: vectors of both widths", name)
		at := random(40, 1, 5)
		want, wantVariance, err := by.PredictVarianceDesign(stacked(t, at, centres, twoWidths))
		require.NoError(t, err)
		mean, variance, err := r.PredictVariance(at)
		require.NoError(t, err)
		assert.InDeltaSlice(t, want, mean, 1e-9, name)
		assert.InDeltaSlice(t, wantVariance, variance, 1e-9, name)
		one := make([]float64, 1) // the path without allocations
		require.NoError(t, r.PredictTo(one, at.Slice(3, 4, 0, 1)))
		assert.InDelta(t, mean[3], one[0], 1e-9, name)
		assert.Equal(t, kernels.Sum(twoWidths), r.ChosenKernel())

		labels := make([]int, len(y))
		for i, v := range y {
			if v > 0.3 {
				labels[i] = 1
			}
		}
		c, cby := &Classifier{Kernels: twoWidths, Landmarks: landmarks}, &Classifier{}
		require.NoError(t, c.Fit(ctx, x, labels), name)
		require.NoError(t, cby.FitDesign(ctx, phi, labels), name)
		for i, j := range cby.Machines()[0].RelevanceIndices {
			assert.Equal(t, j%m, c.Machines()[0].RelevanceIndices[i], name)
			assert.Equal(t, j/m, c.Machines()[0].RelevanceKernels[i], name)
		}
		p, err := c.PredictProba(at)
		require.NoError(t, err)
		wantP, err := cby.PredictProbaDesign(stacked(t, at, centres, twoWidths))
		require.NoError(t, err)
		assert.True(t, mat.EqualApprox(wantP, p, 1e-8), name)
		decided := mat.NewDense(1, 2, nil)
		require.NoError(t, c.DecisionTo(decided, at.Slice(3, 4, 0, 1)))
		score, err := c.Decision(at)
		require.NoError(t, err)
		assert.InDelta(t, score.At(3, 1), decided.At(0, 1), 1e-9, name)
	}
}

// With several kernels, Unseen returns the part of k(x, x) that the relevance vectors do not explain, where k is the sum of the
// kernels.
func TestUnseenOfKernels(t *testing.T) {
	x, y := bumps(90)
	r := &Regressor{Kernels: twoWidths}
	require.NoError(t, r.Fit(ctx, x, y))
	require.True(t, r.m.Sees())
	at := mat.NewDense(4, 1, []float64{-2, 0.3, 1, 40})
	phi, err := r.m.Features(at, 0, 1)
	require.NoError(t, err)
	unseen, own := r.m.Unseen(at, phi)
	sum := kernels.Sum(twoWidths)
	vectors := distinct.Merge(r.RelevanceVectors(), nil).X
	gram, err := kernels.Matrix(ctx, sum, vectors, nil)
	require.NoError(t, err)
	factor, err := linalg.NewCholesky(ctx, "", gram)
	require.NoError(t, err)
	k, err := kernels.Cross(ctx, sum, vectors, at, nil)
	require.NoError(t, err)
	squares, err := factor.QuadInverse(ctx, k)
	require.NoError(t, err)
	for i := range unseen {
		assert.InDelta(t, 2, own[i], 1e-12)
		assert.InDelta(t, max(0, 2-squares[i]), unseen[i], 1e-9)
	}
	assert.InDelta(t, 2, unseen[3], 1e-9, "far from all vectors nothing is seen")
	// RVM* adds a basis function of the summed kernel.
	mean, variance, err := r.PredictAugmented(at, x, y)
	require.NoError(t, err)
	own0, ownVariance, err := (&Regressor{Kernels: twoWidths, supportMethods: supportMethods[*model]{r.m.withOwnVariance()}}).PredictVariance(at)
	require.NoError(t, err)
	assert.InDelta(t, own0[3], mean[3], 1e-6)
	assert.Greater(t, variance[3], 5*ownVariance[3], "far away the new function has the targets' variance")
}

func TestKernelsAreChecked(t *testing.T) {
	x, y := wave(30)
	for want, r := range map[string]*Regressor{
		"rvm: Regressor: Kernels = 2, want nil with Kernel: list that kernel in Kernels too": {Kernel: kernels.RBF{}, Kernels: twoWidths},
		"rvm: Regressor: Kernels[1] = <nil>, want a kernel":                                  {Kernels: []kernels.Kernel{kernels.RBF{}, nil}},
	} {
		err := r.Fit(ctx, x, y)
		require.ErrorIs(t, err, estimators.ErrParam)
		assert.EqualError(t, err, want)
	}
	assert.Error(t, (&Regressor{Kernels: []kernels.Kernel{kernels.RBF{}, kernels.ARD{Kernel: kernels.RBF{}, Lengths: []float64{1, 2, 3}}}}).Fit(ctx, x, y), "a kernel of three columns")

	r := &Regressor{Kernels: twoWidths}
	require.NoError(t, r.Fit(ctx, x, y))
	data, err := r.MarshalBinary()
	require.NoError(t, err)
	err = (&Regressor{Kernel: kernels.RBF{}}).UnmarshalBinary(data)
	require.ErrorIs(t, err, estimators.ErrBadModel)
	assert.ErrorContains(t, err, "fitted with 2 kernels, this value has 1")
	c := estimators.Clone(r)
	c.Kernels[0] = kernels.Linear{}
	assert.Equal(t, kernels.RBF{Gamma: 0.05}, r.Kernels[0], "a clone has a list of its own")
}

// If no kernel is set, uninformative columns get long lengths in any units.
func TestLearntKernel(t *testing.T) {
	x, y := random(150, 3, 4), make([]float64, 150)
	labels := make([]int, 150)
	for i := range y {
		y[i] = kernels.RBF{Gamma: 1}.Eval(x.RawRowView(i)[:1], []float64{0.3}) + x.At(i, 1)/2
		if y[i] > 0.4 {
			labels[i] = 1
		}
	}
	lengths := func(k kernels.Kernel) []float64 { return k.(kernels.ARD).Lengths }
	r, c := &Regressor{}, &Classifier{}
	require.NoError(t, r.Fit(ctx, x, y))
	require.NoError(t, c.Fit(ctx, x, labels))
	for _, l := range [][]float64{lengths(r.ChosenKernel()), lengths(c.ChosenKernel())} {
		assert.Greater(t, l[2], 3*max(l[0], l[1]), "%v: the third column is irrelevant", l)
	}
	scaled := mat.DenseCopyOf(x)
	for i := range y {
		scaled.Set(i, 0, 1000*x.At(i, 0))
	}
	in := &Regressor{}
	require.NoError(t, in.Fit(ctx, scaled, y))
	assert.InEpsilon(t, 1000*lengths(r.ChosenKernel())[0], lengths(in.ChosenKernel())[0], 1e-3)
	want, err := r.Predict(x)
	require.NoError(t, err)
	got, err := in.Predict(scaled)
	require.NoError(t, err)
	assert.InDeltaSlice(t, want, got, 1e-2)
}

// With more columns or several classes, lengths are chosen on fewer rows.
func TestRowsOfLearntKernel(t *testing.T) {
	signs := learning.Targets{Y: mat.NewDense(1, 8, nil)}
	one := learning.Targets{Y: mat.NewDense(1, 1, nil)}
	assert.Equal(t, []int{fewRows, moreRows}, climbRows(10, one, learning.Restricted))
	assert.Equal(t, []int{fewRows, modeRows}, climbRows(100, one, learning.Laplace))
	assert.Equal(t, []int{150, 250}, climbRows(100, signs, learning.Laplace))
	wide := climbRows(5000, one, learning.Restricted)
	for i, rows := range []int{fewRows, moreRows} {
		n, of := float64(wide[i]), float64(rows)
		assert.LessOrEqual(t, n*n*(n+4*5000), of*of*(of+400)*1.01)
		assert.Greater(t, wide[i], 50)
	}
}

// The fit finds a wave in one column among others, which a single length for all columns misses.
func TestLearntKernelFindsAWave(t *testing.T) {
	for seed := range uint64(3) {
		rng := rand.New(rand.NewPCG(seed, 6))
		draw := func(n int) (*mat.Dense, []float64) {
			x, y := mat.NewDense(n, 16, nil), make([]float64, n)
			for i := range n {
				for j := range 16 {
					x.Set(i, j, rng.NormFloat64())
				}
				y[i] = math.Cos(4*x.At(i, 0)) + .2*rng.NormFloat64()
			}
			return x, y
		}
		x, y := draw(200)
		r := &Regressor{}
		require.NoError(t, r.Fit(context.Background(), x, y))
		x, y = draw(300)
		got, err := r.Predict(x)
		require.NoError(t, err)
		floats.Sub(got, y)
		assert.Less(t, floats.Dot(got, got)/300, .2, "of targets with a variance of about .54")
	}
}
