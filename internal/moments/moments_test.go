package moments

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
)

// rows returns n rows of three correlated columns with an offset, and weights.
func rows(n int, offset float64) (*mat.Dense, []float64) {
	rng := rand.New(rand.NewPCG(4, 4))
	x, w := mat.NewDense(n, 3, nil), make([]float64, n)
	for i := range n {
		a, b := rng.NormFloat64(), rng.NormFloat64()
		x.SetRow(i, []float64{offset + a, offset + a + b/4, offset*1e3 + b + float64(i)/float64(n)}) // the last drifts
		w[i] = .5 + rng.Float64()
	}
	return x, w
}

// naive computes the sums from their definition, in numbers of 200 bits.
func naive(x *mat.Dense, w []float64) (mean []float64, s *mat.SymDense) {
	n, d := x.Dims()
	f := func(v float64) *big.Float { return new(big.Float).SetPrec(200).SetFloat64(v) }
	total, means := f(0), make([]*big.Float, d)
	for j := range means {
		means[j] = f(0)
	}
	for i := range n {
		total.Add(total, f(w[i]))
		for j := range means {
			means[j].Add(means[j], f(0).Mul(f(w[i]), f(x.At(i, j))))
		}
	}
	s = mat.NewSymDense(d, nil)
	for j := range means {
		means[j].Quo(means[j], total)
		v, _ := means[j].Float64()
		mean = append(mean, v)
	}
	for a := range d {
		for b := a; b < d; b++ {
			sum := f(0)
			for i := range n {
				t := f(0).Sub(f(x.At(i, a)), means[a])
				t.Mul(t, f(0).Sub(f(x.At(i, b)), means[b]))
				sum.Add(sum, t.Mul(t, f(w[i])))
			}
			v, _ := sum.Float64()
			s.SetSym(a, b, v)
		}
	}
	return mean, s
}

// Blocks of any size, merged in any order, agree with the definition, at any offset.
func TestPartsAreTheWhole(t *testing.T) {
	for _, offset := range []float64{0, 1e6, -1e9} {
		x, w := rows(3000, offset)
		mean, s := naive(x, w)
		for _, parts := range []int{1, 4, 64, 3000} {
			grams := make([]*Gram, parts)
			for k := range grams {
				from, to := k*3000/parts, (k+1)*3000/parts
				var err error
				grams[k], err = NewGram(context.Background(), x.Slice(from, to, 0, 3).(*mat.Dense), w[from:to])
				require.NoError(t, err)
			}
			rand.New(rand.NewPCG(uint64(parts), 1)).Shuffle(parts, func(i, j int) { grams[i], grams[j] = grams[j], grams[i] })
			got := &Gram{}
			for _, g := range grams {
				got.Merge(g)
			}
			assert.Equal(t, 3000, got.N)
			assert.InDeltaSlice(t, mean, got.Mean, 1e-9*math.Max(1, math.Abs(offset)*1e-3), "%v, %d parts", offset, parts)
			for a := range 3 {
				for b := range 3 {
					size := math.Sqrt(s.At(a, a) * s.At(b, b))
					assert.InDelta(t, s.At(a, b), got.S.At(a, b), 1e-12*size, "offset %v, %d parts", offset, parts)
				}
			}
			assert.True(t, got.Finite())
			stored, err := got.Store().Gram()
			require.NoError(t, err)
			assert.Equal(t, got, stored)
			assert.InEpsilon(t, got.About0().At(0, 0), got.S.At(0, 0)+got.Weight*got.Mean[0]*got.Mean[0], 1e-12)
		}
	}
}

// A Gram merged with itself is the Gram of the rows repeated. Merging an empty Gram changes nothing. A constant column has sums of
// exactly 0.
func TestMerge(t *testing.T) {
	x := mat.NewDense(3, 2, []float64{1e6, .1, 1e6 + 1, .1, 1e6 + 5, .1})
	g, err := NewGram(context.Background(), x, nil)
	require.NoError(t, err)
	twice := g.Clone()
	twice.Merge(g)
	assert.Equal(t, 6, twice.N)
	assert.InDelta(t, 2*g.S.At(0, 0), twice.S.At(0, 0), 1e-12)
	before := g.Clone()
	g.Merge(&Gram{})
	assert.Equal(t, before, g)
	assert.Zero(t, twice.S.At(1, 1))
	assert.InDelta(t, 14, g.S.At(0, 0), 1e-12) // squares of -2, -1 and 3

	overflown, err := NewGram(context.Background(), mat.NewDense(2, 1, []float64{1e200, -1e200}), nil)
	require.NoError(t, err)
	assert.False(t, overflown.Finite())
}

// Impossible moments are an error.
func TestBadStored(t *testing.T) {
	good := func() Stored { return Stored{N: 2, Weight: 2, Mean: []float64{1}, Low: []float64{0}, S: []float64{1}} }
	_, err := good().Gram()
	require.NoError(t, err)
	for _, bad := range []func(*Stored){
		func(s *Stored) { s.N = -1 }, func(s *Stored) { s.N = 0 }, func(s *Stored) { s.Weight = 0 }, func(s *Stored) { s.Weight = math.NaN() },
		func(s *Stored) { s.Mean[0] = math.Inf(1) }, func(s *Stored) { s.Low = nil }, func(s *Stored) { s.S = nil }, func(s *Stored) { s.S[0] = -1 },
	} {
		s := good()
		bad(&s)
		_, err := s.Gram()
		assert.Error(t, err, "%+v", s)
	}
}
