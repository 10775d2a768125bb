package learning

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/kernels"
)

// hidden returns Starts for rows whose targets depend on the first columns only, and a point from which a climb learns nothing.
func hidden(t *testing.T, n, d int, at func(x []float64) float64) (*Starts, *Problem, []float64) {
	rng := rand.New(rand.NewPCG(3, 3))
	x, y := mat.NewDense(n, d, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		for j := range d {
			x.Set(i, j, rng.NormFloat64())
		}
		y.Set(i, 0, at(x.RawRowView(i))+.3*rng.NormFloat64())
	}
	b, err := NewBlock(x, Targets{Y: y, Outputs: 1}, nil)
	require.NoError(t, err)
	k := kernels.ARD{Kernel: kernels.Matern{Nu: 2.5}, Lengths: slices.Repeat([]float64{1}, d)}
	s := &Starts{Kernel: k, Blocks: []*Block{b}, Bounds: DefaultBounds(k), Median: math.Log(2*float64(d)) / 2}
	p := &Problem{Kind: Restricted, Kernel: k, Blocks: s.Blocks, Bounds: s.Bounds, MaxIterations: MaxSteps, Tolerance: Tolerance, Likelihood: true}
	return s, p, append(slices.Repeat([]float64{5}, d), 0) // long lengths
}

func wave(x []float64) float64 { return math.Sin(3*x[0]) + math.Cos(3*x[1]) }

func TestStartsFindWaves(t *testing.T) {
	s, p, long := hidden(t, 150, 8, wave)
	found, err := p.Improve(context.Background(), long)
	require.NoError(t, err)
	top, err := s.Climb(context.Background(), found.Theta, false)
	require.NoError(t, err)
	require.NotNil(t, top.Theta)
	for j, v := range top.Theta[:8] {
		assert.Equal(t, j < 2, v < 1, "column %d: %v", j, top.Theta)
	}
	assert.Greater(t, top.Gain, .3)
	assert.Positive(t, s.Matrices)
	there, err := p.ImproveElsewhere(context.Background(), top.Theta, found.Theta)
	require.NoError(t, err)
	assert.Greater(t, there.F, found.F+s.clearMargin())

	again, err := s.Climb(context.Background(), there.Theta, false)
	require.NoError(t, err)
	assert.Nil(t, again.Theta, "from there none is clearly higher")
	assert.InDelta(t, top.Gain, again.Gain, .05)
	other, err := s.Climb(context.Background(), found.Theta, true)
	require.NoError(t, err)
	assert.InDeltaSlice(t, top.Theta, other.Theta, .5, "the same from the end of another objective's climb")
}

func TestStartsOnNoiseAndLines(t *testing.T) {
	for name, at := range map[string]func(x []float64) float64{
		"noise": func([]float64) float64 { return 0 },
		"line":  func(x []float64) float64 { return x[0] - x[1] },
	} {
		s, p, long := hidden(t, 150, 8, at)
		found, err := p.Improve(context.Background(), long)
		require.NoError(t, err)
		top, err := s.Climb(context.Background(), found.Theta, false)
		require.NoError(t, err)
		assert.Nil(t, top.Theta, name)
		assert.Equal(t, name == "line", top.Gain > Something, "%s: %v", name, top.Gain)
	}
}

// A length so short that the kernel relates no rows is not useful, whatever the targets.
func TestUseful(t *testing.T) {
	s, _, _ := hidden(t, 150, 3, wave)
	s.Kernel.Lengths, s.Kernel.Groups = s.Kernel.Lengths[:1], make([]int, 3)
	s.Bounds = DefaultBounds(s.Kernel)
	for length, want := range map[float64]bool{-3: false, 0: true} {
		got, err := s.Useful(context.Background(), []float64{length, 0})
		require.NoError(t, err)
		assert.Equal(t, want, got, length)
	}
}

// An error of Spent ends a search at any kernel matrix, and so does the end of the context.
func TestStartsEnd(t *testing.T) {
	s, _, long := hidden(t, 40, 3, wave)
	_, err := s.Climb(context.Background(), long, true)
	require.NoError(t, err)
	all, spent := s.Matrices, errors.New("spent")
	for at := range all {
		s.Matrices = 0
		s.Spent = func() error {
			if s.Matrices == at {
				return spent
			}
			return nil
		}
		top, err := s.Climb(context.Background(), long, true)
		assert.ErrorIs(t, err, spent, "matrix %d of %d", at, all)
		assert.Zero(t, top)
	}
	s.Spent = func() error { return spent }
	_, err = s.Useful(context.Background(), long)
	assert.ErrorIs(t, err, spent)
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	s.Spent = nil
	_, err = s.Climb(ended, long, true)
	assert.ErrorIs(t, err, context.Canceled)
}

// With very many columns, no single length is shortened.
func TestStartsOfManyColumns(t *testing.T) {
	for _, c := range []struct {
		columns int
		most    bool
	}{{mostShortened, false}, {mostShortened + 1, true}} {
		s, _, long := hidden(t, 20, c.columns, func([]float64) float64 { return 0 })
		_, err := s.Climb(context.Background(), long, false)
		require.NoError(t, err)
		assert.Equal(t, c.most, s.Matrices < mostShortened, "%d columns: %d matrices", c.columns, s.Matrices)
	}
}
