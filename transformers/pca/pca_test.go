package pca

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/streaming"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
	"github.com/kernelearn/kernelearn/transformers/internal/maptest"
)

type pcaReference struct {
	Linear []struct {
		Components, Share    float64
		Whiten               bool
		X, Fresh, Directions [][]float64
		Variances, Ratios    []float64
		Z, ZFresh            [][]float64
	}
	Kernel []struct {
		Kernel     string
		Gamma      float64
		Components int
		X, Fresh   [][]float64
		Values     []float64
		Z, ZFresh  [][]float64
	}
}

// The results agree with those of scikit-learn, which were written by
//
//	python3 measurements/benchmark/peers/sklearn_pca.py transformers/pca/testdata/sklearn_pca.json
//
// up to the signs of the components of PCA. If there are few rows, scikit-learn determines the signs from other entries.
func TestPCAReference(t *testing.T) {
	var cases pcaReference
	golden.Load(t, "sklearn_pca.json", &cases)
	require.Len(t, cases.Linear, 5)
	for i, c := range cases.Linear {
		m := &PCA{Components: int(c.Components), Share: c.Share, Whiten: c.Whiten}
		z := maptest.FitTransform(t, m, golden.Dense(c.X))
		fresh, err := m.Transform(golden.Dense(c.Fresh))
		require.NoError(t, err)
		v := m.Directions()
		require.Len(t, m.Ratios(), len(c.Ratios), "case %d", i)
		for k, ratio := range c.Ratios {
			assert.InDelta(t, ratio, m.Ratios()[k], 1e-10)
			assert.InEpsilon(t, c.Variances[k], m.Deviations()[k]*m.Deviations()[k], 1e-9)
			sign := 1.0
			if c.Directions[k][largestAt(c.Directions[k])] < 0 {
				sign = -1
			}
			for j, w := range c.Directions[k] {
				assert.InDelta(t, sign*w, v.At(k, j), 1e-9, "case %d, direction %d", i, k)
			}
			for row, w := range c.Z {
				assert.InDelta(t, sign*w[k], z.At(row, k), 1e-8, "case %d, component %d", i, k)
			}
			for row, w := range c.ZFresh {
				assert.InDelta(t, sign*w[k], fresh.At(row, k), 1e-8, "case %d, component %d", i, k)
			}
		}
	}
}

func largestAt(v []float64) (at int) {
	for j, x := range v {
		if math.Abs(x) > math.Abs(v[at]) {
			at = j
		}
	}
	return at
}

// The results agree with those of scikit-learn, which were written by the same script.
func TestKernelPCAReference(t *testing.T) {
	var cases pcaReference
	golden.Load(t, "sklearn_pca.json", &cases)
	require.Len(t, cases.Kernel, 3)
	for _, c := range cases.Kernel {
		k := map[string]kernels.Kernel{
			"rbf": kernels.RBF{Gamma: c.Gamma}, "laplacian": kernels.Laplacian{Gamma: c.Gamma}, "polynomial": kernels.Polynomial{Degree: 3, Gamma: c.Gamma, Coef0: 1},
		}[c.Kernel]
		m := &KernelPCA{Kernel: k, Components: c.Components}
		z := maptest.FitTransform(t, m, golden.Dense(c.X))
		for i, v := range c.Values {
			assert.InEpsilon(t, v, m.Eigenvalues()[i], 1e-9, c.Kernel)
		}
		maptest.EqualRows(t, c.Z, z, c.Kernel)
		fresh, err := m.Transform(golden.Dense(c.Fresh))
		require.NoError(t, err)
		maptest.EqualRows(t, c.ZFresh, fresh, c.Kernel)
	}
}

// The components satisfy their definition: the directions are orthonormal, and the components are uncorrelated, with the reported
// deviations in descending order. Whitened components have deviation 1. If all components are kept, the inverse is exact. This
// holds for fits from covariances and from inner products of rows.
func TestPCADefinition(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n, d := rapid.IntRange(2, 30).Draw(rt, "n"), rapid.SampledFrom([]int{1, 3, 8, 64, 90}).Draw(rt, "d")
		x := maptest.NormalRows(n, d, rapid.Uint64().Draw(rt, "rows"))
		offset, scale := rapid.SampledFrom([]float64{0, 1, 1e3}).Draw(rt, "offset"), rapid.SampledFrom([]float64{1, 1e-200, 1e200}).Draw(rt, "scale")
		x.Apply(func(_, j int, v float64) float64 { return scale * (v*float64(1+j) + offset) }, x)
		m := &PCA{Whiten: rapid.Bool().Draw(rt, "whiten")}
		z := maptest.FitTransform(t, m, x)
		_, r := z.Dims()
		assert.Equal(t, min(n-1, d), r)
		v := m.Directions()
		var products mat.Dense
		products.Mul(v, v.T())
		total := 0.0
		for a := range r {
			total += m.Ratios()[a]
			assert.True(t, a == 0 || m.Deviations()[a] <= m.Deviations()[a-1])
			for b := range r {
				want := 0.0
				if a == b {
					want = 1
				}
				assert.InDelta(t, want, products.At(a, b), 1e-11)
			}
		}
		assert.InDelta(t, 1, total, 1e-9)
		for a := range r {
			of := m.Deviations()[a]
			if !(of > 1e-3*m.Deviations()[0]) {
				continue // rounding decides here
			}
			deviation := stat.StdDev(unit(mat.Col(nil, a, z), scale, m.Whiten), nil)
			if m.Whiten {
				assert.InDelta(t, 1, deviation, 1e-6)
			} else {
				assert.InEpsilon(t, of/scale, deviation, 1e-6)
			}
		}
		back, err := m.InverseTransform(z)
		require.NoError(t, err)
		for i := range n {
			for j := range d {
				assert.InDelta(t, x.At(i, j)/scale, back.At(i, j)/scale, 1e-8*(offset+float64(d)))
			}
		}
	})
}

// unit scales values so that their squares are finite. If already is set, it returns the values unchanged.
func unit(v []float64, scale float64, already bool) []float64 {
	for i := range v {
		if !already {
			v[i] /= scale
		}
	}
	return v
}

// The smallest number of components that have the share is kept, up to Components. Equal rows have one component that is 0. A
// linearly dependent column adds no component.
func TestPCACounts(t *testing.T) {
	x := mat.NewDense(4, 3, []float64{3, 1, 6, -3, 1, -6, 0, 3, 0, 0, -1, 0}) // the third column is twice the first
	m := &PCA{}
	_, r := maptest.FitTransform(t, m, x).Dims()
	assert.Equal(t, 2, r)
	assert.InDeltaSlice(t, []float64{90. / 98, 8. / 98}, m.Ratios(), 1e-12)
	assert.InDeltaSlice(t, []float64{math.Sqrt(30), math.Sqrt(8. / 3)}, m.Deviations(), 1e-12)
	assert.InDeltaSlice(t, []float64{0, 1, 0}, m.Means(), 1e-12)
	for share, want := range map[float64]int{.5: 1, 90. / 98: 1, .93: 2, 1: 2} {
		_, r := maptest.FitTransform(t, &PCA{Share: share}, x).Dims()
		assert.Equal(t, want, r, "a share of %v", share)
		_, r = maptest.FitTransform(t, &KernelPCA{Kernel: kernels.Linear{}, Share: share}, x).Dims()
		assert.Equal(t, want, r, "a share of %v", share)
	}
	_, r = maptest.FitTransform(t, &PCA{Share: 1, Components: 1}, x).Dims()
	assert.Equal(t, 1, r)
	same := mat.NewDense(3, 2, []float64{1e9, -.1, 1e9, -.1, 1e9, -.1})
	for _, tr := range []transformers.Transformer{&PCA{Whiten: true}, &KernelPCA{}, &KernelPCA{Kernel: kernels.Linear{}}} {
		z := maptest.FitTransform(t, tr, same)
		assert.True(t, mat.Equal(mat.NewDense(3, 1, nil), z), "%T", tr)
	}
	for _, tr := range []transformers.Transformer{&PCA{Components: -1}, &PCA{Share: 1.1}, &PCA{Share: math.NaN()}, &PCA{Workers: -1}, &KernelPCA{Components: -1}, &KernelPCA{Share: -1}, &KernelPCA{MaxKernelBytes: -1}} {
		assert.ErrorIs(t, tr.Fit(context.Background(), x), fault.ErrParam)
	}
	assert.ErrorIs(t, (&KernelPCA{MaxKernelBytes: 8}).Fit(context.Background(), x), fault.ErrTooLarge)
}

// A number of components above that of the columns is an error, whichever method fits the rows. A deviation that overflows is also
// an error.
func TestPCARefuses(t *testing.T) {
	x, ctx := maptest.NormalRows(20, 5, 1), context.Background()
	nine := &PCA{Components: 9}
	fromSums := func() error {
		s, err := nine.NewStatistics()
		require.NoError(t, err)
		require.NoError(t, s.AddBlock(ctx, streaming.Rows(x)))
		return nine.FitStatistics(ctx, s)
	}
	for _, err := range []error{
		nine.Fit(ctx, x), fromSums(), nine.PartialFit(ctx, x),
		nine.FitBlocks(ctx, func(yield func(streaming.Block[streaming.None], error) bool) { yield(streaming.Rows(x), nil) }),
		(&PCA{Components: 90}).Fit(ctx, maptest.NormalRows(3, 80, 1)),
	} {
		require.ErrorIs(t, err, fault.ErrParam)
		assert.ErrorContains(t, err, "the number of columns")
	}
	assert.ErrorContains(t, nine.Fit(ctx, x), "pca: PCA: Components = 9, want at most 5")
	require.NoError(t, (&PCA{Components: 5}).Fit(ctx, x))

	largest := mat.NewDense(2, 2, []float64{math.MaxFloat64, 1, -math.MaxFloat64, 2})
	assert.ErrorIs(t, (&PCA{}).Fit(ctx, largest), fault.ErrNotFinite)
}

// New rows are centred as in KernelCenterer, and their components are the products with the eigenvectors. With the linear kernel
// the components equal those of PCA.
func TestKernelPCADefinition(t *testing.T) {
	x, fresh := maptest.NormalRows(20, 3, 1), maptest.NormalRows(7, 3, 2)
	for _, k := range []kernels.Kernel{kernels.RBF{Gamma: .4}, kernels.Laplacian{}, kernels.Linear{}} {
		m, to, centre := &KernelPCA{Kernel: k, Components: 3}, &featuremap.KernelMap{Kernel: k}, &featuremap.KernelCenterer{}
		z := maptest.FitTransform(t, m, x)
		centred := maptest.FitTransform(t, centre, maptest.FitTransform(t, to, x))
		mapped, err := to.Transform(fresh)
		require.NoError(t, err)
		mapped, err = centre.Transform(mapped)
		require.NoError(t, err)
		// Since z = U √λ, the components of new rows are kc z / λ.
		var again, new mat.Dense
		again.Mul(centred, z)
		new.Mul(mapped, z)
		got, err := m.Transform(fresh)
		require.NoError(t, err)
		for c, v := range m.Eigenvalues() {
			for i := range 20 {
				assert.InDelta(t, again.At(i, c)/v, z.At(i, c), 1e-10)
			}
			for i := range 7 {
				assert.InDelta(t, new.At(i, c)/v, got.At(i, c), 1e-10)
			}
			assert.InEpsilon(t, v/mat.Trace(centred), m.Ratios()[c], 1e-10)
		}
	}
	linear, pca := maptest.FitTransform(t, &KernelPCA{Kernel: kernels.Linear{}}, x), maptest.FitTransform(t, &PCA{}, x)
	for i := range 20 {
		for c := range 3 {
			assert.InDelta(t, math.Abs(pca.At(i, c)), math.Abs(linear.At(i, c)), 1e-10)
		}
	}
}

// The result from merged statistics of parts agrees with that of Fit, also for rows far from 0 and for huge and tiny columns
// together.
func TestPCAOfParts(t *testing.T) {
	x := maptest.FarRows(5000)
	want, got := &PCA{}, &PCA{}
	a := maptest.FitTransform(t, want, x)
	s := maptest.SumParts(t, got, x, 9, 4)
	require.NoError(t, got.FitStatistics(context.Background(), s))
	b, err := got.Transform(x)
	require.NoError(t, err)
	assert.True(t, mat.EqualApprox(a, b, 1e-7))
	data, err := s.MarshalBinary()
	require.NoError(t, err)
	read, err := (&PCA{}).NewStatistics()
	require.NoError(t, err)
	require.NoError(t, read.UnmarshalBinary(data))
	require.NoError(t, (&PCA{}).FitStatistics(context.Background(), read))

	huge := maptest.NormalRows(40, 2, 3)
	huge.Apply(func(i, _ int, v float64) float64 { return v * []float64{1e-250, 1, 1e250, 1e300}[i%4] }, huge)
	c, d := &PCA{}, &PCA{}
	require.NoError(t, c.Fit(context.Background(), huge))
	require.NoError(t, d.FitStatistics(context.Background(), maptest.SumParts(t, d, huge, 6, 2)))
	assert.InEpsilonSlice(t, c.Deviations(), d.Deviations(), 1e-9)

	// Statistics that earlier versions have written can be decoded.
	old, err := (&PCA{}).NewStatistics()
	require.NoError(t, err)
	whole := maptest.SumParts(t, want, maptest.FarRows(40), 1, 1)
	require.NoError(t, old.UnmarshalBinary(golden.Model(t, "statistics-covariance-v1.keln", whole.MarshalBinary)))
	require.NoError(t, want.FitStatistics(context.Background(), whole))
	require.NoError(t, got.FitStatistics(context.Background(), old))
	assert.InEpsilonSlice(t, want.Deviations(), got.Deviations(), 1e-9)
	for name, in := range map[string]storedCovariance{
		"units": {Exponent: 3}, "weight": func() storedCovariance {
			g := whole.(*covarianceStatistics).gram.Store()
			g.Weight = 7
			return storedCovariance{Gram: g}
		}(),
	} {
		assert.ErrorIs(t, read.UnmarshalBinary(maptest.Envelope(t, "transformers.PCA statistics", in)), fault.ErrBadModel, name)
	}
	assert.Equal(t, 5000, read.Rows())
}
