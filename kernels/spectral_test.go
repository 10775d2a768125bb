package kernels_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/kernels"
)

// RotationInvariant is correct for the density of each kernel. Package kerneltest compares the densities with their kernels.
func TestSpectralDensityKnowsItsRotations(t *testing.T) {
	for _, c := range []struct {
		kernel    kernels.Kernel
		invariant bool
	}{
		{kernels.RBF{Gamma: 0.3}, true},
		{kernels.Laplacian{Gamma: 0.4}, false},
		{kernels.Matern{Length: 2}, true},
		{kernels.Product{kernels.RBF{Gamma: 0.1}, kernels.Matern{}}, true},
		{kernels.Product{kernels.RBF{Gamma: 0.1}, kernels.Scaled{Kernel: kernels.Laplacian{Gamma: 0.2}, Factor: 3}}, false},
	} {
		s, err := kernels.SpectralDensityOf(c.kernel)
		require.NoError(t, err)
		assert.Equal(t, c.invariant, s.RotationInvariant, "%v", c.kernel)
	}
}

// Frequencies are finite for uniform numbers from 2⁻⁵⁴ to 1 - 2⁻⁵³. They increase with the uniform number.
func TestSpectralDensityAtTheEnds(t *testing.T) {
	for _, k := range []kernels.Kernel{kernels.RBF{}, kernels.Laplacian{}, kernels.Matern{}, kernels.Matern{Nu: 2.5}} {
		s, err := kernels.SpectralDensityOf(k)
		require.NoError(t, err)
		w, u := make([]float64, 1), []float64{0.75, 0.5}
		last := math.Inf(-1)
		for _, v := range []float64{0x1p-54, 1e-9, 0.01, 0.3, 0.5, 0.7, 0.99, 1 - 1e-9, 1 - 0x1p-53} {
			u[0] = v
			s.Frequency(w, u[:s.Uniforms(1)])
			assert.False(t, math.IsInf(w[0], 0) || math.IsNaN(w[0]), "%v of %v", v, k)
			assert.Greater(t, w[0], last, "%v of %v", v, k)
			last = w[0]
			if s.Uniforms(1) == 2 {
				s.Frequency(w, []float64{0.75, v})
				assert.False(t, math.IsInf(w[0], 0) || math.IsNaN(w[0]) || w[0] <= 0, "%v of %v", v, k)
			}
		}
	}
}

func TestNoSpectralDensity(t *testing.T) {
	for _, k := range []kernels.Kernel{nil, kernels.Linear{}, kernels.Sum{kernels.RBF{}}, kernels.RBF{Gamma: -1}, kernels.Product{kernels.RBF{}, kernels.Linear{}}, kernels.Scaled{Kernel: kernels.Tanh{}}} {
		_, err := kernels.SpectralDensityOf(k)
		assert.ErrorIs(t, err, estimators.ErrParam, "%v", k)
	}
	_, err := kernels.SpectralDensityOf(kernels.Product{kernels.RBF{}, kernels.Linear{}})
	assert.EqualError(t, err, "kernels: Product: kernel 1: kernels: SpectralDensityOf: Kernel = Linear, want a kernel with a spectral density: RBF, Laplacian, Matern, RationalQuadratic, their Product, Scaled, ARD, Columns or Additive")
}
