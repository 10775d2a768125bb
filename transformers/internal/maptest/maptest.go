// Package maptest contains rows and checks for the tests of the transformers.
package maptest

import (
	"context"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
	"github.com/kernelearn/kernelearn/streaming"
	"github.com/kernelearn/kernelearn/transformers"
)

// Payload holds the contents of a file, and the transformer into which they are decoded.
type Payload struct {
	Into    Marshaller
	Kind    string
	Content any
}

// RejectPayloads checks that all payloads are rejected and that the transformers remain unchanged.
func RejectPayloads(t *testing.T, payloads map[string]Payload) {
	for name, c := range payloads {
		t.Run(name, func(t *testing.T) {
			data := Envelope(t, c.Kind, c.Content)
			require.ErrorIs(t, c.Into.UnmarshalBinary(data), fault.ErrBadModel)
			_, err := c.Into.Transform(Table)
			require.ErrorIs(t, err, fault.ErrNotFitted)
		})
	}
}

// InBlocks yields blocks of size rows, in memory that it reuses. It counts in times how often an iteration starts.
func InBlocks(x *mat.Dense, size int, times *int) iter.Seq2[streaming.Block[streaming.None], error] {
	return func(yield func(streaming.Block[streaming.None], error) bool) {
		*times++
		n, d := x.Dims()
		var buffer mat.Dense
		for i := 0; i < n; i += size {
			buffer.Reset()
			buffer.CloneFrom(x.Slice(i, min(i+size, n), 0, d))
			if !yield(streaming.Rows(&buffer), nil) {
				return
			}
		}
	}
}

// MixedRows returns n rows with columns of these kinds: normal, heavy-tailed, a large constant with a little noise, a rare
// category, a common one, a constant, huge numbers, and tiny numbers. If gaps is set, some values are NaN.
func MixedRows(n int, gaps bool) *mat.Dense {
	rng := rand.New(rand.NewPCG(7, 1))
	x := mat.NewDense(n, 8, nil)
	for i := range n {
		x.SetRow(i, []float64{rng.NormFloat64(), math.Exp(2 * rng.NormFloat64()), 1e9 + rng.Float64(), float64(rng.IntN(40)),
			float64(rng.IntN(10) / 9), 7, 1e300 * rng.NormFloat64(), 1e-310 * rng.Float64()})
		if gaps && rng.IntN(3) == 0 {
			x.Set(i, 3+rng.IntN(2), math.NaN())
		}
	}
	if gaps {
		for i := range n {
			x.Set(i, 5, math.NaN()) // a column without a value
		}
	}
	return x
}

var Table = mat.NewDense(4, 3, []float64{
	1, 5, 0,
	2, 5, 0,
	3, 5, 0,
	6, 5, 0,
})

// FitTransform calls Fit and Transform with the same rows. If a transformer uses targets, the first column is the target.
func FitTransform(tb require.TestingT, t transformers.Transformer, x mat.Matrix) *mat.Dense {
	_, err := transformers.FitTransform(context.Background(), t, x, mat.DenseCopyOf(x).ColView(0))
	require.NoError(tb, err)
	z, err := t.Transform(x)
	require.NoError(tb, err)
	return z
}

func AsColumn(v []float64) *mat.Dense { return mat.NewDense(len(v), 1, slices.Clone(v)) }

func NormalRows(n, d int, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 1))
	x := mat.NewDense(n, d, nil)
	x.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, x)
	return x
}

// SumParts adds the rows to the statistics of several parts, and merges the parts in an order drawn with seed.
func SumParts(t *testing.T, of streaming.StatisticsFitter[streaming.None], x *mat.Dense, parts int,
	seed uint64) streaming.Statistics[streaming.None] {
	n, _ := x.Dims()
	rng := rand.New(rand.NewPCG(seed, uint64(parts)))
	rows := rng.Perm(n)
	var all []streaming.Statistics[streaming.None]
	for k := range parts {
		s, err := of.NewStatistics()
		require.NoError(t, err)
		if some := rows[k*n/parts : (k+1)*n/parts]; len(some) > 0 {
			require.NoError(t, s.AddBlock(context.Background(), streaming.Rows(PickRows(x, some))))
		}
		all = append(all, s)
	}
	for len(all) > 1 {
		i := rng.IntN(len(all) - 1)
		require.NoError(t, all[i].Merge(all[len(all)-1]))
		all = all[:len(all)-1]
	}
	require.Equal(t, n, all[0].Rows())
	return all[0]
}

func PickRows(x *mat.Dense, rows []int) *mat.Dense {
	_, d := x.Dims()
	out := mat.NewDense(len(rows), d, nil)
	for i, r := range rows {
		out.SetRow(i, x.RawRowView(r))
	}
	return out
}

// FarRows returns rows with values near a million, and with few distinct values in the last column.
func FarRows(n int) *mat.Dense {
	rng := rand.New(rand.NewPCG(3, 9))
	x := mat.NewDense(n, 3, nil)
	for i := range n {
		x.SetRow(i, []float64{1e6 + rng.NormFloat64(), -1e6 + rng.ExpFloat64(), float64(rng.IntN(5))})
	}
	return x
}

type Marshaller interface {
	transformers.Transformer
	MarshalBinary() ([]byte, error)
	UnmarshalBinary([]byte) error
}

func Envelope(tb testing.TB, kind string, payload any) []byte {
	data, err := codec.Marshal(kind, 1, payload)
	require.NoError(tb, err)
	return data
}

func SingleOne() codec.Matrix { return Ones(1) }

// Ones returns a column of ones.
func Ones(rows int) codec.Matrix {
	return codec.Matrix{Rows: rows, Cols: 1, Data: slices.Repeat([]float64{1}, rows)}
}

func EqualRows(t *testing.T, want [][]float64, got *mat.Dense, what string) {
	t.Helper()
	assert.True(t, mat.EqualApprox(golden.Dense(want), got, 1e-9), what)
}
