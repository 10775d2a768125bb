package measures

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/kernels/families"
)

func TestBoundsReference(t *testing.T) {
	var c struct {
		Synthetic []struct {
			N      int
			U      []float64
			Resid  float64
			LoBits float64 `json:"lo_bits"`
			UpBits float64 `json:"up_bits"`
			Lo, Up float64
		}
		Real struct {
			X             [][]float64
			Sigma         float64
			Pivots        []int
			Resid, Lo, Up float64
			Exact         float64
		}
	}
	golden.Load(t, "bounds_cases.json", &c)
	require.Len(t, c.Synthetic, 5)
	for i, s := range c.Synthetic {
		b := boundsOf(s.U, s.Resid, s.N)
		assert.LessOrEqual(t, golden.MaxError([]float64{b.Low.Bits, b.High.Bits, b.Low.Entropy, b.High.Entropy}, []float64{s.LoBits, s.UpBits, s.Lo, s.Up}), 1e-9, i)
	}
	k, err := kernels.Matrix(ctx, kernels.RBF{Gamma: c.Real.Sigma}, golden.Dense(c.Real.X), nil)
	require.NoError(t, err)
	u, rest := partial(t, k, c.Real.Pivots)
	assert.InDelta(t, c.Real.Resid, rest/float64(len(c.Real.X)), 1e-9)
	b := boundsOf(u, rest, len(c.Real.X))
	assert.LessOrEqual(t, golden.MaxError([]float64{b.Low.Entropy, b.High.Entropy}, []float64{c.Real.Lo, c.Real.Up}), 1e-9)
	assert.True(t, covers(b, c.Real.Exact))
}

// partial returns the eigenvalues of K[:,p] K[p,p]⁺ K[p,:], and the trace of the remainder.
func partial(t require.TestingT, k *mat.SymDense, pivots []int) (u []float64, rest float64) {
	n := k.SymmetricDim()
	inner, cross := mat.NewSymDense(len(pivots), nil), mat.NewDense(n, len(pivots), nil)
	for a, i := range pivots {
		for b := a; b < len(pivots); b++ {
			inner.SetSym(a, b, k.At(i, pivots[b]))
		}
		for r := range n {
			cross.Set(r, a, k.At(r, i))
		}
	}
	var e mat.EigenSym
	require.True(t, e.Factorize(inner, true))
	var v mat.Dense
	e.VectorsTo(&v)
	values := e.Values(nil)
	for j, w := range values {
		s := 0.0
		if w > 1e-10*values[len(values)-1] {
			s = 1 / math.Sqrt(w)
		}
		for i := range pivots {
			v.Set(i, j, s*v.At(i, j))
		}
	}
	var f mat.Dense
	f.Mul(cross, &v)
	gram := mat.NewSymDense(len(pivots), nil)
	gram.SymOuterK(1, f.T())
	require.True(t, e.Factorize(gram, false))
	u = e.Values(nil)
	rest = mat.Trace(k)
	for _, w := range u {
		rest -= w
	}
	return u, rest
}

// The bounds hold for kernels of every family, with equal rows, and for matrices of rank one. They converge as the rank grows.
func TestBoundsHold(t *testing.T) {
	families := []families.Family{families.RBF{}, families.Laplacian{}, families.Matern{}, families.Polynomial{}, families.ELM{}}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 40).Draw(t, "n")
		x := normal(n, 3, rapid.Uint64().Draw(t, "seed"))
		for i := range n { // some equal rows
			if rapid.Bool().Draw(t, "equal") {
				x.SetRow(i, x.RawRowView(i/2))
			}
		}
		family := rapid.SampledFrom(families).Draw(t, "family")
		lo, hi := family.Bounds()
		param := math.Exp(rapid.Float64Range(math.Log(max(lo, 1e-6)), math.Log(min(hi, 1e3))).Draw(t, "ln param"))
		if family.Integer() {
			param = math.Round(param)
		}
		k, err := kernels.Matrix(ctx, family.Kernel(param), x, nil)
		require.NoError(t, err)
		exact, err := Entropy(ctx, k)
		require.NoError(t, err)
		m := rapid.IntRange(1, n).Draw(t, "m")
		pivots := make([]int, m)
		for i := range pivots {
			pivots[i] = i * n / m
		}
		u, rest := partial(t, k, pivots)
		b := boundsOf(u, rest, n)
		if !covers(b, exact.Entropy) {
			t.Fatalf("%v with %v: %v of %d rows, not in %v to %v", family, param, exact.Entropy, n, b.Low.Entropy, b.High.Entropy)
		}
		if b.Point.Bits < b.Low.Bits-1e-12 || b.Point.Bits > b.High.Bits+1e-12 {
			t.Fatalf("the point %v lies outside", b.Point)
		}
	})
}

// covers reports whether an entropy is between the bounds, up to rounding.
func covers(b Bounds, entropy float64) bool {
	const rounding = 1e-9
	return entropy >= b.Low.Entropy-rounding && entropy <= b.High.Entropy+rounding
}

func TestBoundsEdges(t *testing.T) {
	whole := boundsOf([]float64{1, 1, 1, 1}, 0, 4)
	assert.Equal(t, 1.0, whole.Low.Entropy)
	assert.Equal(t, whole.Low, whole.High)
	nothing := boundsOf(nil, 5, 8)
	assert.Equal(t, 0.0, nothing.Low.Entropy)
	assert.InDelta(t, 1, nothing.High.Entropy, 1e-15)
	assert.InDelta(t, 3*boundsPoint, nothing.Point.Bits, 1e-14)
	assert.Equal(t, Bounds{Low: VonNeumann{EffectiveRank: 1}, High: VonNeumann{EffectiveRank: 1}, Point: VonNeumann{EffectiveRank: 1}}, boundsOf([]float64{3}, 0, 1))
	negative := boundsOf([]float64{1, -1e-17}, -1e-17, 3)
	assert.Equal(t, 0.0, negative.High.Entropy)
}

// The entropy of features agrees with that of their kernel matrix, with fewer and with more features than rows.
func TestEntropyOfFeatures(t *testing.T) {
	for _, shape := range [][2]int{{40, 5}, {5, 40}, {12, 12}, {1, 3}} {
		phi := normal(shape[0], shape[1], 3)
		k := mat.NewSymDense(shape[0], nil)
		k.SymOuterK(1, phi)
		want, err := Entropy(ctx, k)
		require.NoError(t, err)
		got, err := EntropyOfFeatures(ctx, phi)
		require.NoError(t, err)
		assert.InDelta(t, want.Entropy, got.Entropy, 1e-9)
		assert.InDelta(t, want.Bits, got.Bits, 1e-9)
	}
	_, err := EntropyOfFeatures(ctx, nil)
	require.ErrorIs(t, err, fault.ErrShape)
	_, err = EntropyOfFeatures(ctx, mat.NewDense(2, 1, []float64{1e200, 1}))
	require.ErrorIs(t, err, fault.ErrNotFinite)
}
