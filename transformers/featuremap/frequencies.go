package featuremap

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/enum"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/orthogonal"
	"github.com/kernelearn/kernelearn/kernels"
)

// defaultComponents is the number of features in a RandomFourier, a LocallyStationaryFourier or a Nystroem whose Components is 0.
const defaultComponents = 500

// Sampling selects how random frequencies are drawn from a kernel's spectral density.
type Sampling int

const (
	// AutomaticSampling uses [Orthogonal] for more than ten columns and a density that depends only on |w| (RBF, Matern, and their
	// products), and otherwise [QuasiMonteCarlo]. For more than 2048 columns it uses [Independent]: there, random directions are
	// nearly orthogonal, and a rotation costs O(d³).
	AutomaticSampling Sampling = iota
	// Independent draws each frequency independently (Rahimi and Recht, NIPS 2007).
	Independent
	// Orthogonal draws frequencies in groups of d, with the directions of a random rotation and independent lengths (F. X. Yu and
	// others, Orthogonal Random Features, NIPS 2016). If the density depends only on |w|, the error is smaller and has no bias.
	Orthogonal
	// QuasiMonteCarlo uses a Halton sequence with randomly permuted digits (A. B. Owen, arXiv 1706.02808) instead of random numbers
	// (H. Avron and others, JMLR 17, 2016). The frequencies then cover the density evenly.
	QuasiMonteCarlo
)

// quasiColumns is the largest number of columns for which AutomaticSampling uses QuasiMonteCarlo. With about 500 features of an
// RBF, the error of QuasiMonteCarlo is a tenth of that of Orthogonal with 3 columns, the same with 10, and twice as large with 20.
const quasiColumns = 10

// orthogonalColumns is the largest number of columns for which AutomaticSampling computes a rotation. At 2048 columns the rotation
// takes a few seconds.
const orthogonalColumns = 2048

// String returns the sampling's name.
func (s Sampling) String() string {
	return enum.Name("Sampling", int(s), "AutomaticSampling", "Independent", "Orthogonal", "QuasiMonteCarlo")
}

// maxFeatures limits the number of features of a map. Otherwise a short file could request memory for many more features than it
// has frequencies.
const maxFeatures = 1 << 22

// The streams of random numbers.
const (
	frequencyStream  = 0x66726571 << 32 // "freq", plus the number of the frequency or block
	directionStream  = 0x64697265 << 32 // "dire", plus the number of the block
	digitStream      = 0x64696769 << 32 // "digi", plus the number of the coordinate
	phaseStream      = 0x7068617365     // "phase"
	localFrequencies = 0x6c6f63         // "loc", combined with the seed of v
)

// open returns a uniform number greater than 0 and less than 1.
func open(u float64) float64 { return min(max(u, 0x1p-54), 1-0x1p-53) }

// checked returns the spectrum of a kernel, and the sampling for d columns.
func (s Sampling) checked(typ string, k kernels.Kernel, d int) (kernels.SpectralDensity, Sampling, error) {
	spectrum, err := kernels.SpectralDensityOf(k)
	if err != nil {
		return spectrum, s, fmt.Errorf("%s: %w", typ, err)
	}
	switch {
	case s == Orthogonal && !spectrum.RotationInvariant:
		return spectrum, s, fault.Param(typ, "Sampling", s, fmt.Sprintf("another: the spectral density of %v does not depend on |w| alone",
			k))
	case s == Orthogonal:
		return spectrum, s, check.Numbers(fmt.Sprintf("%s: a rotation of %d columns", typ, d), float64(d)*float64(d),
			"take Independent for Sampling")
	case s == AutomaticSampling && d > orthogonalColumns:
		s = Independent
	case s == AutomaticSampling && spectrum.RotationInvariant && d > quasiColumns:
		s = Orthogonal
	case s == AutomaticSampling:
		s = QuasiMonteCarlo
	}
	return spectrum, s, nil
}

// draw returns count frequencies for d columns. A smaller count returns the first of them. A quasi-Monte Carlo sequence omits its
// first skip coordinates, which other frequencies use.
func (s Sampling) draw(ctx context.Context, spectrum kernels.SpectralDensity, count, d, skip int, seed uint64) (*mat.Dense, error) {
	if err := check.Numbers(fmt.Sprintf("%d frequencies of %d columns", count, d), float64(count)*float64(d),
		"take fewer Components"); err != nil {
		return nil, err
	}
	w := mat.NewDense(count, d, nil)
	u := make([]float64, spectrum.Uniforms(d))
	var halton []*digits
	if s == QuasiMonteCarlo {
		halton = newHalton(skip+len(u), seed)[skip:]
	}
	for i := range count {
		if i%512 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		rng := rand.New(rand.NewPCG(seed, frequencyStream+uint64(i)))
		for j := range u {
			if s == QuasiMonteCarlo {
				u[j] = open(halton[j].coefficient(i))
			} else {
				u[j] = open(rng.Float64())
			}
		}
		spectrum.Frequency(w.RawRowView(i), u)
	}
	if s == Orthogonal {
		if err := orthogonalize(ctx, w, seed); err != nil {
			return nil, err
		}
	}
	return w, ctx.Err()
}

// orthogonalize replaces the directions of the rows of w, d rows at a time, with those of a random rotation. The lengths of the
// rows do not change. It returns the error of ctx.
func orthogonalize(ctx context.Context, w *mat.Dense, seed uint64) error {
	count, d := w.Dims()
	for first := 0; first < count; first += d {
		rng := rand.New(rand.NewPCG(seed, directionStream+uint64(first/d)))
		g := mat.NewDense(d, d, nil)
		for i := range d {
			row := g.RawRowView(i)
			for j := range row {
				row[j] = rng.NormFloat64()
			}
		}
		r, err := orthogonal.ThinQR(ctx, g)
		if err != nil {
			return err
		}
		for i := first; i < min(first+d, count); i++ {
			row := w.RawRowView(i)
			length := floats.Norm(row, 2)
			// The rotation is uniform if its signs are those of a factor R with a positive diagonal.
			if r.At(i-first, i-first) < 0 {
				length = -length
			}
			for j := range row {
				row[j] = length * g.At(j, i-first)
			}
		}
	}
	return nil
}

// digits is a coordinate of a Halton sequence: the digits of i in a base, in reverse order after the point. Each digit has a
// separate random permutation.
type digits struct {
	base         int
	permutations [][]int
}

// newHalton returns the coordinates for the first d primes. The permutations cover digits down to 2⁻⁵³. After the digits of the
// sequence, a point therefore has the random digits of a uniform number.
func newHalton(d int, seed uint64) []*digits {
	out := make([]*digits, d)
	candidate := 1
	for j := range out {
		for candidate++; !prime(candidate); candidate++ {
		}
		out[j] = &digits{base: candidate}
		rng := rand.New(rand.NewPCG(seed, digitStream+uint64(j)))
		for unit := 1.0; unit > 0x1p-53; unit /= float64(candidate) {
			out[j].permutations = append(out[j].permutations, rng.Perm(candidate))
		}
	}
	return out
}

func prime(n int) bool {
	for f := 2; f*f <= n; f++ {
		if n%f == 0 {
			return false
		}
	}
	return true
}

func (c *digits) coefficient(i int) float64 {
	u, unit := 0.0, 1.0
	for _, p := range c.permutations {
		unit /= float64(c.base)
		u += unit * float64(p[i%c.base])
		i /= c.base
	}
	return u
}

// checkFrequencies checks given frequencies for rows of d columns.
func checkFrequencies(typ, field string, w *mat.Dense, d int) (*mat.Dense, error) {
	in, err := check.Dense(typ+": "+field, w)
	if err != nil {
		return nil, err
	}
	if _, c := in.Dims(); c != d {
		return nil, fault.Shape(typ+": "+field+" has", c, "columns", "x has %d", d)
	}
	return mat.DenseCopyOf(in), nil
}

// blocks yields the features of x block by block, in a matrix that each step overwrites. It ends at the first error.
func blocks(into func(dst *mat.Dense, x mat.Matrix) error, x mat.Matrix, rows int) iter.Seq2[*mat.Dense, error] {
	return func(yield func(*mat.Dense, error) bool) {
		in, err := check.Dense("x", x)
		if err == nil && rows < 1 {
			err = fault.Param("featuremap: Blocks", "rows", rows, ">= 1")
		}
		if err != nil {
			yield(nil, err)
			return
		}
		n, d := in.Dims()
		buffer := &mat.Dense{}
		for first := 0; first < n; first += rows {
			last := min(first+rows, n)
			if r, _ := buffer.Dims(); r != last-first {
				buffer.Reset()
			}
			if err := into(buffer, in.Slice(first, last, 0, d)); err != nil {
				yield(nil, fault.FromRow(err, first))
				return
			}
			if !yield(buffer, nil) {
				return
			}
		}
	}
}
