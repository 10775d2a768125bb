package eem

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/eem/internal/moments/momentstest"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
)

func TestStatisticsInAFile(t *testing.T) {
	for _, s := range []*Statistics{{}, {*momentstest.Sum(t, momentstest.Random(7, 3, 2))}} {
		data, err := s.MarshalBinary()
		require.NoError(t, err)
		got := &Statistics{}
		require.NoError(t, got.UnmarshalBinary(data))
		assert.Equal(t, s, got)
		assert.ErrorIs(t, got.UnmarshalBinary(data[:len(data)-1]), estimators.ErrBadModel)
	}
}

func TestGoldenStatistics(t *testing.T) {
	want, got := &Statistics{}, &Statistics{}
	require.NoError(t, want.Add(mat.NewDense(3, 2, []float64{1, 2, 3, 5, 8, 13})))
	require.NoError(t, got.UnmarshalBinary(golden.Model(t, "Statistics-v1.keln", want.MarshalBinary)))
	assert.Equal(t, want.N(), got.N())
	assert.InDeltaSlice(t, want.Mean(), got.Mean(), 1e-12)
	assert.True(t, mat.EqualApprox(want.Covariance(), got.Covariance(), 1e-12))
}
