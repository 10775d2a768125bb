package kernels

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/internal/fault"
)

func TestReference(t *testing.T) {
	for _, c := range []struct{ configured, used Kernel }{
		{nil, RBF{Gamma: 0.3}}, {nil, Matern{Nu: 2.5, Length: 1.0 / 3}}, {nil, ARD{Kernel: Matern{Nu: 2.5, Length: 1}, Lengths: []float64{0.5, 7}}}, {RBF{Gamma: 0.3}, RBF{Gamma: 0.3}}, {Sum{Linear{}, Matern{}}, Sum{Linear{}, Matern{}}},
	} {
		got, err := MakeReference(c.configured, c.used).Resolve("m", c.configured)
		require.NoError(t, err)
		assert.Equal(t, c.used, got)
	}
	for want, c := range map[string]struct {
		r          Reference
		configured Kernel
	}{
		"m: bad model data: fitted with Kernel nil (RBF(gamma=0.3) was chosen), this value has Kernel Linear":           {MakeReference(nil, RBF{Gamma: 0.3}), Linear{}},
		"m: bad model data: fitted with Kernel Linear, this value has Kernel nil":                                       {MakeReference(Linear{}, Linear{}), nil},
		"m: bad model data: fitted with Kernel Linear, this value has Kernel RBF(gamma=1)":                              {MakeReference(Linear{}, Linear{}), RBF{}},
		`m: bad model data: kernel "RBF(gamma=1)" with gamma 2`:                                                         {Reference{Name: "RBF(gamma=1)", Median: true, Gamma: 2}, nil},
		"m: bad model data: fitted with Kernel nil (Matern(nu=2.5, length=3) was chosen), this value has Kernel Linear": {MakeReference(nil, Matern{Nu: 2.5, Length: 3}), Linear{}},
		`m: bad model data: kernel "Matern(nu=2.5, length=3)" with nu and length [1.5 3]`:                               {Reference{Name: "Matern(nu=2.5, length=3)", Median: true, Nu: 1.5, Params: []float64{3}}, nil},
		`m: bad model data: kernel "Matern(nu=2.5, length=3)" with nu and length [2.5]`:                                 {Reference{Name: "Matern(nu=2.5, length=3)", Median: true, Nu: 2.5}, nil},
		`m: bad model data: kernel "Matern(nu=2.5, length=3)" with lengths [1 2]`:                                       {Reference{Name: "Matern(nu=2.5, length=3)", Median: true, Nu: 2.5, Params: []float64{3}, Lengths: []float64{1, 2}}, nil},
		`m: bad model data: kernel "RBF(gamma=-1)" with gamma -1`:                                                       {Reference{Name: "RBF(gamma=-1)", Median: true, Gamma: -1}, nil},
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

// Learnt parameters are stored exactly, and the kernel in the field receives them.
func TestReferenceOfLearnt(t *testing.T) {
	configured := Sum{Scaled{Kernel: ARD{Kernel: RationalQuadratic{Length: 3}, Lengths: []float64{1, 1}}}, Linear{}}
	used := configured.WithParams([]float64{1.0 / 3, 0.1, 0.7, 2.0 / 7})
	r := MakeReference(configured, used)
	assert.Len(t, r.Params, 4)
	got, err := r.Resolve("m", configured)
	require.NoError(t, err)
	assert.Equal(t, used, got)
	assert.Empty(t, MakeReference(configured, configured).Params)
	assert.Empty(t, MakeReference(configured, Linear{}).Params, "another kernel")
	for _, c := range []struct {
		r          Reference
		configured Kernel
	}{
		{r, RBF{}}, {r, Normalized{Kernel: RBF{}}}, {r, Sum{}}, {r, nil}, {Reference{Name: r.Name, Params: []float64{1, 2, 3, -4}}, configured},
		{Reference{Name: r.Name, Params: []float64{1, 2, 3, 4}}, configured}, {Reference{Name: r.Name, Params: []float64{1}}, configured},
	} {
		_, err := c.r.Resolve("m", c.configured)
		assert.ErrorIs(t, err, fault.ErrBadModel)
	}
}
