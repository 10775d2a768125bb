package exact

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// odd returns numbers of both signs, with magnitudes over the full range.
func odd(n int) []float64 {
	rng := rand.New(rand.NewPCG(3, 1))
	out := []float64{0, math.Copysign(0, -1), math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64, 1, -1, 1e6, 1e6 + 1e-9}
	for len(out) < n {
		if v := math.Float64frombits(rng.Uint64()); v-v == 0 {
			out = append(out, v, rng.NormFloat64(), 1e6+rng.NormFloat64())
		}
	}
	return out
}

func rational(f *big.Float) *big.Rat {
	r, _ := f.Rat(nil)
	return r
}

// Sums equal those of rational numbers, for any order and grouping of the terms.
func TestSumsAreExact(t *testing.T) {
	values := odd(500)
	want, squares := new(big.Rat), new(big.Rat)
	for _, v := range values {
		r := new(big.Rat).SetFloat64(v)
		want.Add(want, r)
		squares.Add(squares, r.Mul(r, r))
	}
	var first []byte
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 2))
		rng.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
		parts := make([]Moments, 1+rng.IntN(64))
		for _, v := range values {
			parts[rng.IntN(len(parts))].Add([]float64{v})
		}
		all := Moments{}
		for _, p := range parts {
			data, err := p.Sum.MarshalBinary()
			require.NoError(t, err)
			require.NoError(t, p.Sum.UnmarshalBinary(data))
			all.Merge(p)
		}
		assert.Zero(t, want.Cmp(rational(all.Sum.Float())))
		assert.Zero(t, squares.Cmp(rational(all.Squares.Float())))
		data, err := all.Squares.MarshalBinary()
		require.NoError(t, err)
		if first == nil {
			first = data
		}
		assert.Equal(t, first, data, "one form of one sum")
		assert.NoError(t, all.Valid())
	}
}

// Terms that cancel leave 0, and a clone does not change with the original.
func TestCancellation(t *testing.T) {
	var s Sum
	for _, v := range odd(300) {
		s.Add(v)
	}
	c := s.Clone()
	for _, v := range odd(300) {
		s.Add(-v)
	}
	assert.Zero(t, s.Float().Sign())
	data, err := s.MarshalBinary()
	require.NoError(t, err)
	var zero Sum
	none, err := zero.MarshalBinary()
	require.NoError(t, err)
	assert.Equal(t, none, data)
	assert.NotZero(t, c.Float().Sign())
}

// Means and deviations agree with their definitions to one unit in the last place, at any offset.
func TestMoments(t *testing.T) {
	for _, offset := range []float64{0, 1e6, -1e15, 0x1p-1000} {
		values := []float64{1, 2, 4, 8, 9}
		if offset == 0x1p-1000 {
			offset = 0
			for i := range values {
				values[i] *= 0x1p-1000
			}
		}
		scale := values[0]
		for i := range values {
			values[i] += offset
		}
		var m Moments
		m.Add(values)
		assert.InEpsilon(t, 4.8*scale+offset, m.Mean(), 1e-15)
		assert.InEpsilon(t, math.Sqrt(12.7), m.Deviation()/scale, 1e-12, "%v", offset)
	}
	var m Moments
	m.Add([]float64{.1, .1, .1})
	assert.Equal(t, .1, m.Mean())
	assert.Zero(t, m.Deviation())
	assert.InEpsilon(t, .1*math.Sqrt(1.5), m.RootMeanSquare(), 1e-15)
	var far Moments
	far.Add([]float64{math.MaxFloat64, -math.MaxFloat64})
	assert.Equal(t, math.MaxFloat64, far.Deviation())
	assert.Zero(t, Moments{}.Mean())
	assert.Zero(t, Moments{N: 1}.Deviation())
}

// Bytes that do not encode a sum cause an error.
func TestBadBytes(t *testing.T) {
	for _, data := range [][]byte{{1}, {1, 2}, make([]byte, 9), append([]byte{255, 255}, make([]byte, 8)...)} {
		var s Sum
		assert.Error(t, s.UnmarshalBinary(data), "%v", data)
	}
	for _, m := range []Moments{{N: -1}, {N: 0, Sum: sumOf(1)}, {N: 1, Squares: sumOf(-1)}} {
		assert.Error(t, m.Valid())
	}
}

func sumOf(v float64) (s Sum) {
	s.Add(v)
	return s
}

func BenchmarkMoments(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	values := make([]float64, 4096)
	for i := range values {
		values[i] = 1e6 + rng.NormFloat64()
	}
	b.SetBytes(int64(8 * len(values)))
	for range b.N {
		var m Moments
		m.Add(values)
	}
}
