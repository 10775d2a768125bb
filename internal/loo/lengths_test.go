package loo

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A smooth minimum is found to a few hundredths, anywhere in the range, with few evaluations. If it is outside, the end of the
// range is returned.
func TestLengths(t *testing.T) {
	for _, want := range []float64{1. / 30, .4, 1, 3, 40} {
		evaluations := 0
		l := &Lengths{Error: func(_ context.Context, length float64) (float64, error) {
			evaluations++
			u := math.Log(length / want)
			return 1 + u*u, nil
		}}
		got, err := l.Search(context.Background())
		require.NoError(t, err)
		assert.InEpsilon(t, want, got, .1)
		assert.LessOrEqual(t, evaluations, 10)
	}
	l := &Lengths{Error: func(_ context.Context, length float64) (float64, error) { return length, nil }}
	got, err := l.Search(context.Background())
	require.NoError(t, err)
	assert.Equal(t, 1/Widest, got)
	wrong := errors.New("no")
	_, err = (&Lengths{Error: func(context.Context, float64) (float64, error) { return 0, wrong }}).Search(context.Background())
	assert.Equal(t, wrong, err)
}

// A length far from the typical one must be clearly better. If all errors are equal, the typical length is returned.
func TestLengthsWithoutAReason(t *testing.T) {
	for _, even := range []float64{1, 0} {
		l := &Lengths{Error: func(_ context.Context, length float64) (float64, error) {
			if length > 1 {
				return even * (1 - far/2), nil
			}
			return even, nil
		}}
		got, err := l.Search(context.Background())
		require.NoError(t, err)
		assert.InDelta(t, 1, got, .2)
	}
}
