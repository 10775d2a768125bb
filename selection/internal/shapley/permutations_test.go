package shapley

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/kernels"
)

// problem returns a function of eight columns that is not a sum of products.
func problem() (f func(row []float64) float64, predict Function, x []float64, background *mat.Dense) {
	rng := rand.New(rand.NewPCG(5, 6))
	rows, background, x := random(30, 8, rng), random(30, 8, rng), random(1, 8, rng).RawRowView(0)
	alpha := mat.Col(nil, 1, rows)
	f = func(row []float64) float64 {
		return sum(kernels.Polynomial{Degree: 3}, rows, alpha, row) + math.Max(row[0], row[1])
	}
	predict = func(rows *mat.Dense) ([]float64, error) {
		out := make([]float64, rows.RawMatrix().Rows)
		for i := range out {
			out[i] = f(rows.RawRowView(i))
		}
		return out, nil
	}
	return f, predict, x, background
}

func columnsOf(owners []int, players int) [][]int {
	out := make([][]int, players)
	for j, o := range owners {
		if o < players {
			out[o] = append(out[o], j)
		}
	}
	return out
}

func TestSampleIsWithinItsErrors(t *testing.T) {
	f, predict, x, background := problem()
	want := byDefinition(f, each(8), 8, x, background)
	total := f(x)
	for z := range 30 {
		total -= f(background.RawRowView(z)) / 30
	}
	off, count := 0.0, 0.0
	for seed := range uint64(20) {
		s := Sampling{Groups: columnsOf(each(8), 8), Orders: 4, Seed: seed}
		require.False(t, s.AllCostLess())
		phi, se, err := Sample(ctx, s, x, background, predict)
		require.NoError(t, err)
		assert.InDelta(t, total, floats.Sum(phi), 1e-9*math.Abs(total))
		for p := range phi {
			assert.LessOrEqual(t, math.Abs(phi[p]-want[p]), 5*se[p], "seed %d, player %d", seed, p)
			off += (phi[p] - want[p]) * (phi[p] - want[p]) / (se[p] * se[p])
			count++
		}
	}
	assert.InDelta(t, 1, off/count, 0.35, "standard errors are neither too large nor too small")
}

func TestSampleDoesNotDependOnWorkers(t *testing.T) {
	_, predict, x, background := problem()
	s := Sampling{Groups: columnsOf(each(8), 8), Orders: 3, Seed: 7, Workers: 1}
	phi, se, err := Sample(ctx, s, x, background, predict)
	require.NoError(t, err)
	s.Workers = 5
	other, otherSE, err := Sample(ctx, s, x, background, predict)
	require.NoError(t, err)
	assert.Equal(t, phi, other)
	assert.Equal(t, se, otherSE)
	s.Seed = 8
	other, _, err = Sample(ctx, s, x, background, predict)
	require.NoError(t, err)
	assert.NotEqual(t, phi, other)
}

func TestCoalitions(t *testing.T) {
	f, predict, x, background := problem()
	for _, owners := range [][]int{{0, 0, 0, 0, 0, 0, 0, 0}, {0, 1, 1, 2, 2, 0, 0, 1}, {0, 1, 2, 4, 4, 4, 3, 2}} {
		players := 1 + int(floats.Max([]float64{float64(owners[0]), float64(owners[1]), float64(owners[2]), float64(owners[6])}))
		s := Sampling{Groups: columnsOf(owners, players), Orders: 4, All: true}
		phi, se, err := Sample(ctx, s, x, background, predict)
		require.NoError(t, err)
		assert.InDeltaSlice(t, byDefinition(f, owners, players, x, background), phi, 1e-9, "%v", owners)
		assert.Zero(t, floats.Sum(se))
	}
	phi, _, err := Sample(ctx, Sampling{Orders: 2}, x, background, predict)
	require.NoError(t, err)
	assert.Empty(t, phi)
}

// With few players, evaluating all coalitions costs less than many random orders.
func TestAllCostLess(t *testing.T) {
	for players, orders := range map[int]int{3: 2, 5: 4, 10: 57} {
		s := Sampling{Groups: make([][]int, players), Orders: orders}
		assert.True(t, s.AllCostLess(), players)
		s.Orders = (1<<players-3)/(2*(players-1)) - 1
		assert.False(t, s.AllCostLess(), players)
	}
}

func TestSampleErrors(t *testing.T) {
	_, predict, x, background := problem()
	_, _, err := Sample(ctx, Sampling{Groups: make([][]int, 21), All: true}, x, background, predict)
	assert.ErrorIs(t, err, fault.ErrTooLarge)
	s := Sampling{Groups: columnsOf(each(8), 8), Orders: 2}
	bad := errors.New("no prediction")
	_, _, err = Sample(ctx, s, x, background, func(*mat.Dense) ([]float64, error) { return nil, bad })
	assert.ErrorIs(t, err, bad)
	gone, cancel := context.WithCancel(ctx)
	calls := 0
	s.Workers = 1
	_, _, err = Sample(gone, s, x, background, func(rows *mat.Dense) ([]float64, error) {
		calls++
		cancel()
		return predict(rows)
	})
	assert.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, 1, calls)
}
