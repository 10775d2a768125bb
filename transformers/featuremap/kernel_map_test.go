package featuremap

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/transformers/internal/maptest"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// direct holds a reference file for Figure 2 of the direct-kernel paper: scaled rows, their RBF matrix, and the centred form of
// each. Basis is set for a rectangular kernel matrix.
type direct struct {
	X          [][]float64 `json:"X"`
	Xt         [][]float64 `json:"Xt"`
	Sigma      float64     `json:"sigma"`
	K          [][]float64 `json:"K"`
	KTest      [][]float64 `json:"K_test"`
	ColMeans   []float64   `json:"col_means"`
	KCentred   [][]float64 `json:"K_centered"`
	TestCentre [][]float64 `json:"K_test_centered"`
}

func TestDirectKernelReference(t *testing.T) {
	var c, rect direct
	golden.Load(t, "direct_kernel.json", &c)
	golden.Load(t, "direct_kernel_rect.json", &rect)
	scaler := &scalers.StandardScaler{}
	z := maptest.FitTransform(t, scaler, golden.Dense(c.X))
	zt, err := scaler.Transform(golden.Dense(c.Xt))
	require.NoError(t, err)

	for name, tc := range map[string]struct {
		want  direct
		basis *mat.Dense
	}{"square": {c, z}, "rectangular": {rect, z.Slice(0, len(rect.ColMeans), 0, 3).(*mat.Dense)}} {
		km := &KernelMap{Kernel: kernels.RBFOfLength(c.Sigma)}
		require.NoError(t, km.Fit(context.Background(), tc.basis))
		k, err := km.Transform(z)
		require.NoError(t, err)
		maptest.EqualRows(t, tc.want.K, k, name)
		kt, err := km.Transform(zt)
		require.NoError(t, err)
		maptest.EqualRows(t, tc.want.KTest, kt, name)

		centre := &KernelCenterer{}
		maptest.EqualRows(t, tc.want.KCentred, maptest.FitTransform(t, centre, k), name)
		assert.LessOrEqual(t, golden.MaxError(centre.Means(), tc.want.ColMeans), 1e-9)
		ct, err := centre.Transform(kt)
		require.NoError(t, err)
		maptest.EqualRows(t, tc.want.TestCentre, ct, name)
	}
}

// The centred kernel equals the kernel of centred features. For a linear kernel these can be computed directly.
func TestKernelCentererCentresFeatures(t *testing.T) {
	x := golden.Dense([][]float64{{1, 2}, {3, -1}, {0, 5}, {2, 2}})
	fresh := golden.Dense([][]float64{{7, 1}, {0, 0}})
	km, centre := &KernelMap{Kernel: kernels.Linear{}}, &KernelCenterer{}
	k := maptest.FitTransform(t, km, x)
	square := maptest.FitTransform(t, centre, k)
	kt, err := km.Transform(fresh)
	require.NoError(t, err)
	rectangular, err := centre.Transform(kt)
	require.NoError(t, err)

	centred := func(m *mat.Dense) *mat.Dense {
		var out mat.Dense
		out.Apply(func(_, j int, v float64) float64 { return v - mat.Sum(x.ColView(j))/4 }, m)
		return &out
	}
	var want mat.Dense
	want.Mul(centred(x), centred(x).T())
	assert.True(t, mat.EqualApprox(&want, square, 1e-13))
	want.Reset()
	want.Mul(centred(fresh), centred(x).T())
	assert.True(t, mat.EqualApprox(&want, rectangular, 1e-13))
}

func TestKernelMapDefaults(t *testing.T) {
	x := golden.Dense([][]float64{{0}, {1}, {3}})
	km := &KernelMap{}
	assert.Nil(t, km.ChosenKernel())
	z := maptest.FitTransform(t, km, x)
	assert.Equal(t, kernels.RBF{Gamma: 0.25}, km.ChosenKernel())
	x.Set(0, 0, 99)
	again, err := km.Transform(golden.Dense([][]float64{{0}, {1}, {3}}))
	require.NoError(t, err)
	assert.Equal(t, z, again, "the rows are a copy")

	assert.ErrorIs(t, (&KernelMap{Kernel: kernels.RBF{Gamma: -1}}).Fit(context.Background(), x), fault.ErrParam)
	assert.ErrorContains(t, (&KernelMap{MaxKernelBytes: -1}).Fit(context.Background(), x), "KernelMap: MaxKernelBytes = -1")
	small := &KernelMap{MaxKernelBytes: 71}
	require.NoError(t, small.Fit(context.Background(), x))
	_, err = small.Transform(x)
	assert.ErrorIs(t, err, fault.ErrTooLarge)
}

func TestKernelMapIsReadIntoTheSameKernel(t *testing.T) {
	x := golden.Dense([][]float64{{0}, {1}, {3}})
	km := &KernelMap{Kernel: kernels.Matern{}}
	want := maptest.FitTransform(t, km, x)
	data, err := km.MarshalBinary()
	require.NoError(t, err)
	read := estimators.Clone(km)
	require.NoError(t, read.UnmarshalBinary(data))
	got, err := read.Transform(x)
	require.NoError(t, err)
	assert.Equal(t, want, got)
	err = (&KernelMap{}).UnmarshalBinary(data)
	assert.EqualError(t, err, "transformers.KernelMap: bad model data: fitted with Kernel Matern(nu=1.5, length=1), this value has Kernel nil")
}

func TestKernelCentererOverflow(t *testing.T) {
	c := &KernelCenterer{}
	require.NoError(t, c.Fit(context.Background(), mat.NewDense(1, 2, []float64{-1e308, 1e308})))
	_, err := c.Transform(mat.NewDense(1, 2, []float64{1.5e308, 0}))
	assert.ErrorContains(t, err, "KernelCenterer: result[0,")
	assert.ErrorIs(t, err, fault.ErrNotFinite)
}
