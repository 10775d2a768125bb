package measures

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/kernels"
)

// Options holds the settings of the measures. A nil *Options stands for the zero value.
type Options struct {
	Workers int // goroutines; 0 means GOMAXPROCS
}

func (o *Options) workers() int {
	if o == nil {
		return 0
	}
	return o.Workers
}

// Alignment is the cosine between a kernel matrix K and the ideal matrix yy' of the targets, as vectors of n² elements (Nguyen and
// Ho, eq. 5; Cristianini and others, 2001):
//
//	KTA        = y'Ky / (‖K‖F y'y)
//	CentredKTA = z'Kz / (‖HKH‖F z'z)      H = I - 11'/n,  z = Hy
//
// Larger is better, up to 1. KTA depends on the origin of the feature space (Theorem 1), and CentredKTA does not. Neither depends
// on the scale of K or y. Both are nonnegative for a positive semi-definite K, and may be negative otherwise, as for kernels.Tanh.
//
// KTA is 0 for K = 0 or y = 0. CentredKTA is 0 for constant targets and for HKH = 0, that is, if the norm after centring is at most
// 1e-12 of the norm before, or 1e-24 for features.
type Alignment struct {
	KTA        float64
	CentredKTA float64
}

// AlignmentOfMatrix returns the alignment of k (n×n) with real targets y (n). It costs O(n²), and O(n) memory in addition to k. It
// returns ErrShape for an empty k or a y of another length, ErrNotFinite, or ctx's error.
func AlignmentOfMatrix(ctx context.Context, k mat.Symmetric, y []float64, opt *Options) (_ Alignment, err error) {
	defer check.Begin(&ctx)(&err)
	in, err := matrixInput(k)
	if err != nil {
		return Alignment{}, err
	}
	return in.alignment(ctx, y, opt)
}

// AlignmentOfKernel is like AlignmentOfMatrix, for the matrix of k on the rows of x (n×d), which is never held in memory at once.
// It has the cost and the errors of SeparabilityOfKernel.
func AlignmentOfKernel(ctx context.Context, k kernels.Kernel, x mat.Matrix, y []float64, opt *Options) (_ Alignment, err error) {
	defer check.Begin(&ctx)(&err)
	in, err := kernelInput(k, x)
	if err != nil {
		return Alignment{}, err
	}
	return in.alignment(ctx, y, opt)
}

// AlignmentOfFeatures is like AlignmentOfMatrix, for K = ΦΦ' with the features phi (n×r). It has the cost and the errors of
// SeparabilityOfFeatures.
func AlignmentOfFeatures(ctx context.Context, phi mat.Matrix, y []float64, opt *Options) (_ Alignment, err error) {
	defer check.Begin(&ctx)(&err)
	in, err := featureInput(phi)
	if err != nil {
		return Alignment{}, err
	}
	return in.alignment(ctx, y, opt)
}

func (in input) alignment(ctx context.Context, y []float64, opt *Options) (Alignment, error) {
	g, err := byTarget(y, in.rows)
	if err != nil {
		return Alignment{}, err
	}
	of, err := in.geometry(ctx, opt.workers(), g)
	if err != nil {
		return Alignment{}, err
	}
	return align(g.target, g.mean, of.forms(g.target), of.norms()), nil
}

// forms holds the quadratic forms of K with ones and with z, which has mean 0.
type forms struct{ zKz, zK1, oneK1 float64 }

// norms holds ‖K‖F and ‖HKH‖F. The latter is 0 if it consists only of rounding errors.
type norms struct{ whole, centred float64 }

func makeNorms(square, centredSquare, noise float64) norms {
	if !(centredSquare > noise*noise*square) {
		centredSquare = 0
	}
	return norms{math.Sqrt(square), math.Sqrt(centredSquare)}
}

// align returns the alignment with the targets y = z + mean.
func align(z []float64, mean float64, f forms, size norms) Alignment {
	return alignOf(float64(len(z)), floats.Dot(z, z), mean, f, size)
}

// alignOf is like align, but it needs only the number n of the targets and zz = z'z.
func alignOf(n, zz, mean float64, f forms, size norms) Alignment {
	yy := zz + n*mean*mean
	if zz <= noise*noise*yy {
		zz = 0 // constant targets
	}
	return Alignment{
		KTA:        cosine(f.zKz+mean*(2*f.zK1+mean*f.oneK1), size.whole, yy),
		CentredKTA: cosine(f.zKz, size.centred, zz),
	}
}

func cosine(form, norm, targets float64) float64 {
	if norm == 0 || targets == 0 {
		return 0
	}
	return form / norm / targets
}

// forms returns the quadratic forms z'Kz, z'K1 and 1'K1 for s·K. If there are no targets, z is constant on each class. The forms
// follow from those of k̃, because K1 = k̃1 + nh + 1Σh.
func (s *sums) forms(z []float64) forms {
	n, row := float64(s.rows()), s.row
	zKz := s.form
	if s.target == nil {
		value := make([]float64, s.classes())
		for i, c := range s.of {
			value[c] = z[i]
		}
		for c, class := range s.class {
			zKz += value[c] * floats.Dot(z, class)
		}
	}
	return forms{zKz, floats.Dot(z, row) + n*floats.Dot(z, s.h), floats.Sum(row) + 2*n*floats.Sum(s.h)}
}

// norms returns the norms of s·K. HKH is the same for K and for k̃, whose sums are small.
func (s *sums) norms() norms {
	n, row := float64(s.rows()), s.row
	total := floats.Sum(row) / n
	return makeNorms(s.square, s.centred-2*floats.Dot(row, row)/n+total*total, noise)
}
