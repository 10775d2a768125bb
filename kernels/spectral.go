package kernels

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mathext"

	"github.com/kernelearn/kernelearn/internal/embedding"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// Spectral is the capability of a stationary kernel to return its spectral density.
type Spectral interface {
	// SpectralDensity returns the density. If a part of the kernel has none, the error is ErrParam and names the part.
	SpectralDensity() (SpectralDensity, error)
}

// SpectralDensity is the spectral density of a stationary kernel for rows x and z,
//
//	k(x, z) = c E cos <w, x-z>,    c = k(x, x)
//
// (S. Bochner, 1932; A. Rahimi and B. Recht, NIPS 2007). It is a distribution of frequencies w. The distribution is represented by
// a map from uniform numbers, so that frequencies can be drawn with independent or quasi-Monte Carlo numbers.
type SpectralDensity struct {
	// Variance is c.
	Variance float64

	// RotationInvariant reports whether the density depends only on |w|.
	RotationInvariant bool

	// Uniforms returns the number of uniform numbers that a frequency for d columns needs.
	Uniforms func(d int) int

	// Frequency sets w, which has d elements, to the frequency for the Uniforms(d) numbers u, each greater than 0 and less than 1.
	// It is safe for concurrent use.
	Frequency func(w, u []float64)
}

// SpectralDensityOf returns the spectral density of k. It returns the error of Validate, or an ErrParam error if k or a part of it
// has no density.
func SpectralDensityOf(k Kernel) (SpectralDensity, error) {
	if err := Validate(k); err != nil {
		return SpectralDensity{}, err
	}
	if s, ok := embedding.As[Spectral](k); ok {
		return s.SpectralDensity()
	}
	return SpectralDensity{}, fault.Param("kernels: SpectralDensityOf", "Kernel", k,
		"a kernel with a spectral density: RBF, Laplacian, Matern, RationalQuadratic, their Product, Scaled, ARD, Columns or Additive")
}

var (
	_ Spectral = Laplacian{}
	_ Spectral = Product{}
	_ Spectral = Scaled{}
)

func oneForEach(d int) int { return d }

// SpectralDensity implements Spectral: w is normal with variance 2γ in each column.
func (k RBF) SpectralDensity() (SpectralDensity, error) {
	deviation := math.Sqrt(2 * k.gamma())
	return SpectralDensity{Variance: 1, RotationInvariant: true, Uniforms: oneForEach, Frequency: func(w, u []float64) {
		setNormal(w, deviation, u)
	}}, nil
}

// setNormal sets w to a normal vector with this standard deviation in each column.
func setNormal(w []float64, deviation float64, u []float64) {
	for j := range w {
		w[j] = deviation * mathext.NormalQuantile(u[j])
	}
}

// scaleMixture returns the density of a normal vector multiplied by a random deviation, which is a function of the last uniform
// number.
func scaleMixture(deviation func(u float64) float64) SpectralDensity {
	return SpectralDensity{Variance: 1, RotationInvariant: true, Uniforms: func(d int) int { return d + 1 },
		Frequency: func(w, u []float64) { setNormal(w, deviation(u[len(w)]), u) }}
}

// SpectralDensity implements Spectral: the columns of w are independent Cauchy numbers with scale γ.
func (k Laplacian) SpectralDensity() (SpectralDensity, error) {
	g := k.gamma()
	return SpectralDensity{Variance: 1, Uniforms: oneForEach, Frequency: func(w, u []float64) {
		for j := range w {
			w[j] = g * math.Tan(math.Pi*(u[j]-0.5))
		}
	}}, nil
}

// SpectralDensity implements Spectral: w has a multivariate t distribution with 2ν degrees of freedom and scale 1/ℓ. It is a normal
// vector divided by the square root of a gamma variable, which uses the last uniform number.
func (k Matern) SpectralDensity() (SpectralDensity, error) {
	k = k.withDefaults()
	return scaleMixture(func(u float64) float64 { return math.Sqrt(k.Nu/mathext.GammaIncRegCompInv(k.Nu, u)) / k.Length }), nil
}

// SpectralDensity implements Spectral: the frequency of a product of kernels is the sum of independent frequencies.
func (p Product) SpectralDensity() (SpectralDensity, error) {
	parts := make([]SpectralDensity, len(p))
	out := SpectralDensity{Variance: 1, RotationInvariant: true}
	for i, k := range p {
		s, err := SpectralDensityOf(k)
		if err != nil {
			return SpectralDensity{}, fmt.Errorf("kernels: Product: kernel %d: %w", i, err)
		}
		parts[i] = s
		out.Variance *= s.Variance
		out.RotationInvariant = out.RotationInvariant && s.RotationInvariant
	}
	out.Uniforms = func(d int) (n int) {
		for _, s := range parts {
			n += s.Uniforms(d)
		}
		return n
	}
	out.Frequency = func(w, u []float64) {
		clear(w)
		part := make([]float64, len(w))
		for _, s := range parts {
			n := s.Uniforms(len(w))
			s.Frequency(part, u[:n])
			u = u[n:]
			for j, v := range part {
				w[j] += v
			}
		}
	}
	return out, nil
}

// SpectralDensity implements Spectral: it is that of the inner kernel, with its Variance multiplied by Factor.
func (s Scaled) SpectralDensity() (SpectralDensity, error) {
	out, err := SpectralDensityOf(s.Kernel)
	out.Variance *= s.factor()
	return out, err
}
