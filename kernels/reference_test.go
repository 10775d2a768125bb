package kernels

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/internal/fault"
)

func TestReference(t *testing.T) {
	for _, c := range []struct{ configured, used Kernel }{
		{nil, RBF{Gamma: 0.3}}, {RBF{Gamma: 0.3}, RBF{Gamma: 0.3}}, {Sum{Linear{}, Matern{}}, Sum{Linear{}, Matern{}}},
	} {
		got, err := MakeReference(c.configured, c.used).Resolve("m", c.configured)
		require.NoError(t, err)
		assert.Equal(t, c.used, got)
	}
	for want, c := range map[string]struct {
		r          Reference
		configured Kernel
	}{
		"m: bad model data: fitted with Kernel nil (RBF(gamma=0.3) by the median), this value has Kernel Linear": {MakeReference(nil, RBF{Gamma: 0.3}), Linear{}},
		"m: bad model data: fitted with Kernel Linear, this value has Kernel nil":                                {MakeReference(Linear{}, Linear{}), nil},
		"m: bad model data: fitted with Kernel Linear, this value has Kernel RBF(gamma=1)":                       {MakeReference(Linear{}, Linear{}), RBF{}},
		`m: bad model data: kernel "RBF(gamma=1)" with gamma 2`:                                                  {Reference{Name: "RBF(gamma=1)", Median: true, Gamma: 2}, nil},
		`m: bad model data: kernel "RBF(gamma=-1)" with gamma -1`:                                                {Reference{Name: "RBF(gamma=-1)", Median: true, Gamma: -1}, nil},
	} {
		_, err := c.r.Resolve("m", c.configured)
		require.ErrorIs(t, err, fault.ErrBadModel)
		assert.EqualError(t, err, want)
	}
}

func TestOrMedianRBF(t *testing.T) {
	x := random(20, 3, 1)
	m, err := MedianRBF(ctx, x, 0)
	require.NoError(t, err)
	got, err := OrMedianRBF(ctx, nil, x, 0)
	require.NoError(t, err)
	assert.Equal(t, m, got)
	got, err = OrMedianRBF(ctx, Linear{}, nil, 0)
	require.NoError(t, err)
	assert.Equal(t, Linear{}, got)
	_, err = OrMedianRBF(ctx, RBF{Gamma: -1}, x, 0)
	assert.ErrorIs(t, err, fault.ErrParam)
	_, err = OrMedianRBF(ctx, nil, nil, 0)
	assert.ErrorIs(t, err, fault.ErrShape)
}
