package featuremap

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/transformers/internal/maptest"
)

// For the same landmarks, the inner products of the features equal those of scikit-learn.
func TestNystroemReference(t *testing.T) {
	var cases []struct {
		Kernel                           string
		Gamma                            float64
		X, Fresh, Landmarks, Gram, Cross [][]float64
	}
	golden.Load(t, "sklearn_nystroem.json", &cases)
	require.Len(t, cases, 3)
	for _, c := range cases {
		k := map[string]kernels.Kernel{
			"rbf": kernels.RBF{Gamma: c.Gamma}, "laplacian": kernels.Laplacian{Gamma: c.Gamma}, "polynomial": kernels.Polynomial{Degree: 3, Gamma: c.Gamma, Coef0: 1},
		}[c.Kernel]
		m := &Nystroem{Kernel: k, Landmarks: golden.Dense(c.Landmarks)}
		z := maptest.FitTransform(t, m, golden.Dense(c.X))
		maptest.EqualRows(t, c.Gram, gram(z), c.Kernel)
		fresh, err := m.Transform(golden.Dense(c.Fresh))
		require.NoError(t, err)
		var cross mat.Dense
		cross.Mul(fresh, z.T())
		maptest.EqualRows(t, c.Cross, &cross, c.Kernel)
	}
}

var rules = []LandmarkRule{PivotedCholesky, KMeansPlusPlus, UniformLandmarks}

// Landmarks are training rows, on which the approximation is exact. Elsewhere K - ZZ' is positive semi-definite, and the residual
// agrees with its trace. If all rows are landmarks, the residual is 0.
func TestNystroemProperties(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(2, 40).Draw(rt, "n")
		x := maptest.NormalRows(n, 3, rapid.Uint64().Draw(rt, "rows"))
		k := rapid.SampledFrom([]kernels.Kernel{kernels.RBF{Gamma: 0.3}, kernels.Matern{}, kernels.Laplacian{}, kernels.Linear{}}).Draw(rt, "kernel")
		m := &Nystroem{Kernel: k, Rule: rapid.SampledFrom(rules).Draw(rt, "rule"), Components: rapid.IntRange(1, 50).Draw(rt, "components"), Seed: rapid.Uint64().Draw(rt, "seed")}
		z := maptest.FitTransform(t, m, x)
		exact := kernelOf(t, k, x)
		var left mat.SymDense
		left.SymOuterK(-1, z)
		left.AddSym(exact, &left)
		scale := mat.Trace(exact)
		for _, i := range m.Indices() {
			for j := range n {
				if math.Abs(left.At(i, j)) > 1e-9*scale {
					rt.Fatalf("landmark %d, row %d: %v is left", i, j, left.At(i, j))
				}
			}
		}
		var e mat.EigenSym
		require.True(t, e.Factorize(&left, false))
		if least := e.Values(nil)[0]; least < -1e-9*scale {
			rt.Fatalf("eigenvalue %v of %v", least, scale)
		}
		residual, err := m.Residual(x)
		require.NoError(t, err)
		assert.InDelta(rt, mat.Trace(&left)/scale, residual, 1e-9)
		if own, ok := m.TrainingResidual(); ok != (m.Rule == PivotedCholesky) || ok && math.Abs(own-residual) > 1e-9 {
			rt.Fatalf("training residual %v, %v; want %v", own, ok, residual)
		}
		if m.Components >= n && residual > 1e-9 {
			rt.Fatalf("%v is left with all rows", residual)
		}
	})
}

// If the rank of the kernel matrix is below Components, there are fewer features.
func TestNystroemShrinks(t *testing.T) {
	x := maptest.NormalRows(30, 2, 1)
	twice := mat.NewDense(60, 2, nil)
	for i := range 60 {
		twice.SetRow(i, x.RawRowView(i/2))
	}
	column := x.Slice(0, 30, 0, 1).(*mat.Dense)
	for _, rule := range rules {
		for name, c := range map[string]struct {
			kernel kernels.Kernel
			x      *mat.Dense
			want   int
		}{
			"more components than rows": {kernels.Laplacian{}, x, 30},
			"repeated rows":             {kernels.Laplacian{}, twice, 30},
			"a kernel of rank one":      {kernels.Linear{}, column, 1},
			"a kernel of rank three":    {kernels.Polynomial{Degree: 2}, x, 3},
			"one row":                   {nil, x.Slice(0, 1, 0, 2).(*mat.Dense), 1},
		} {
			m := &Nystroem{Kernel: c.kernel, Rule: rule}
			z := maptest.FitTransform(t, m, c.x)
			_, width := z.Dims()
			assert.Equal(t, c.want, width, "%v, %s", rule, name)
			assert.Len(t, m.Indices(), c.want)
			r, _ := m.LandmarkRows().Dims()
			assert.Equal(t, c.want, r)
			if c.kernel != nil {
				assert.True(t, mat.EqualApprox(kernelOf(t, c.kernel, c.x), gram(z), 1e-9), "%v, %s", rule, name)
			}
		}
	}
	given := mat.NewDense(3, 2, []float64{1, 2, 1, 2, 0, 1})
	m := &Nystroem{Kernel: kernels.RBF{}, Landmarks: given}
	_, width := maptest.FitTransform(t, m, x).Dims()
	assert.Equal(t, 2, width)
	assert.Nil(t, m.Indices())
	assert.True(t, mat.Equal(mat.NewDense(2, 2, []float64{1, 2, 0, 1}), m.LandmarkRows()))
}

func TestNystroemTolerance(t *testing.T) {
	x := maptest.NormalRows(400, 3, 1)
	last := 401
	for _, tolerance := range []float64{1e-6, 1e-3, 0.1} {
		m := &Nystroem{Kernel: kernels.RBF{Gamma: 0.1}, Tolerance: tolerance, Components: 400}
		_, width := maptest.FitTransform(t, m, x).Dims()
		assert.Less(t, width, last)
		last = width
		residual, ok := m.TrainingResidual()
		assert.True(t, ok)
		assert.LessOrEqual(t, residual, tolerance)
	}
}

// On a sample with a few distant rows the rules differ as expected: pivoted Cholesky has the smallest residual, and uniform
// landmarks the largest.
func TestLandmarkRules(t *testing.T) {
	x := maptest.NormalRows(600, 4, 1)
	for i := range 60 {
		row := x.RawRowView(10 * i)
		for j := range row {
			row[j] *= 6
		}
	}
	left := map[LandmarkRule]float64{}
	for _, rule := range rules {
		for seed := range uint64(10) {
			m := &Nystroem{Kernel: kernels.RBF{Gamma: 0.05}, Rule: rule, Components: 100, Seed: seed}
			maptest.FitTransform(t, m, x)
			residual, err := m.Residual(x)
			require.NoError(t, err)
			left[rule] += residual / 10
		}
	}
	assert.Less(t, left[PivotedCholesky], 0.9*left[UniformLandmarks])
	assert.Less(t, left[KMeansPlusPlus], left[UniformLandmarks])
	assert.Less(t, left[PivotedCholesky], 1.02*left[KMeansPlusPlus])
}

func TestNystroemErrors(t *testing.T) {
	x := maptest.NormalRows(4, 2, 1)
	for want, m := range map[string]*Nystroem{
		"Nystroem: Components = -1":           {Components: -1},
		"Rule = 7, want PivotedCholesky":      {Rule: 7},
		"Tolerance = 1, want in (0, 1), or 0": {Tolerance: 1},
		"0 with KMeansPlusPlus":               {Tolerance: 0.5, Rule: KMeansPlusPlus},
		"MaxKernelBytes = -1":                 {MaxKernelBytes: -1},
		"Gamma = -1":                          {Kernel: kernels.RBF{Gamma: -1}},
		"= 2, PivotedCholesky and 0, want 0":  {Components: 2, Landmarks: x},
	} {
		err := m.Fit(context.Background(), x)
		assert.ErrorIs(t, err, fault.ErrParam, want)
		assert.ErrorContains(t, err, want)
	}
	assert.EqualError(t, (&Nystroem{Landmarks: mat.NewDense(1, 3, nil)}).Fit(context.Background(), x), "featuremap: Nystroem: Landmarks has 3 columns, x has 2")
	err := (&Nystroem{MaxKernelBytes: 127}).Fit(context.Background(), x)
	require.ErrorIs(t, err, fault.ErrTooLarge)
	assert.ErrorContains(t, err, "UniformLandmarks")
	require.NoError(t, (&Nystroem{MaxKernelBytes: 127, Rule: UniformLandmarks}).Fit(context.Background(), x))
	for _, rule := range rules {
		err := (&Nystroem{Kernel: kernels.Linear{}, Rule: rule}).Fit(context.Background(), mat.NewDense(3, 2, nil))
		assert.ErrorContains(t, err, "is not positive definite", "%v", rule)
		err = (&Nystroem{Kernel: kernels.Linear{}, Rule: rule}).Fit(context.Background(), mat.NewDense(3, 2, []float64{1, 1, 1e200, 1, 2, 3}))
		if rule != UniformLandmarks || err != nil {
			assert.ErrorIs(t, err, fault.ErrNotFinite, "%v", rule)
		}
	}
	m := &Nystroem{}
	assert.Nil(t, m.Indices())
	assert.Nil(t, m.LandmarkRows())
	assert.Nil(t, m.ChosenKernel())
	_, ok := m.TrainingResidual()
	assert.False(t, ok)
	_, err = m.Residual(x)
	require.ErrorIs(t, err, fault.ErrNotFitted)
	_, err = m.Residual(nil)
	require.ErrorIs(t, err, fault.ErrShape)
	maptest.FitTransform(t, m, x)
	assert.IsType(t, kernels.RBF{}, m.ChosenKernel())
	data, err := m.MarshalBinary()
	require.NoError(t, err)
	err = (&Nystroem{Kernel: kernels.Matern{}}).UnmarshalBinary(data)
	assert.ErrorIs(t, err, fault.ErrBadModel)
	assert.ErrorContains(t, err, "this value has Kernel Matern")
}

// The residuals of rows agree with their definition.
func TestNystroemRowResiduals(t *testing.T) {
	x := maptest.NormalRows(30, 3, 1)
	m := &Nystroem{Kernel: kernels.RBF{Gamma: 0.3}, Components: 8}
	_, err := m.RowResiduals(x, x)
	require.ErrorIs(t, err, fault.ErrNotFitted)
	z := maptest.FitTransform(t, m, x)
	got, err := m.RowResiduals(x, z)
	require.NoError(t, err)
	total := 0.0
	for i, v := range got {
		row := z.RawRowView(i)
		assert.InDelta(t, 1-floats.Dot(row, row), v, 1e-12)
		assert.GreaterOrEqual(t, v, 0.0)
		total += v
	}
	for _, i := range m.Indices() {
		assert.InDelta(t, 0, got[i], 1e-12)
	}
	share, err := m.Residual(x)
	require.NoError(t, err)
	assert.InDelta(t, share, total/30, 1e-12)
	for want, args := range map[string][2]mat.Matrix{
		"x has 2 columns": {maptest.NormalRows(30, 2, 1), z}, "z has 3 columns": {x, x}, "z has 29 entries": {x, z.Slice(0, 29, 0, 8)},
	} {
		_, err = m.RowResiduals(args[0], args[1])
		require.ErrorIs(t, err, fault.ErrShape)
		assert.ErrorContains(t, err, want)
	}
	_, err = m.RowResiduals(nil, z)
	require.ErrorIs(t, err, fault.ErrShape)
}
