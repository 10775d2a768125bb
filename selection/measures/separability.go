package measures

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/kernels"
)

// Separability measures how well a kernel matrix K separates classes. For classes + and - with means φ+ and φ- in the feature space
// (Nguyen and Ho, eqs. 11-17, where sums over the second class end at n, not at n- as printed; and 22 with c = 1):
//
//	D2      = |φ+ - φ-|²
//	std±    the standard deviation of class ± along φ+ - φ-, divided by n± - 1
//	FSM     = (std+ + std-) / √D2                     0 is best, ∞ worst
//	FSMErr  = FSM² / (1 + FSM²)
//	CSM     = (trace Cov+ + trace Cov-) / D2          0 is best, ∞ worst
//	CSMNorm = CSM / (1 + CSM)
//
// FSMErr bounds the training error of the hyperplane that is orthogonal to φ+ - φ- and divides the distance between the means in
// the ratio std+ : std-. By the one-sided Chebyshev inequality, it misclassifies at most a fraction FSMErr of each class (Theorem
// 3). CSM gives no such bound. FSMErr and CSMNorm are in [0, 1].
//
// Translations, rotations and scalings of the feature space change none of them (Theorem 2), nor CentredKTA. A translation changes
// KTA.
//
// For more than two classes each field is the mean over the classes against the rest.
//
// D2 counts as 0 if it is at most 1e-12 of the root mean square of the elements of K (their possible error), or 1e-24 of the mean
// square of the rows of a feature map. It also counts as 0 if it is negative, which is possible for an indefinite K. In these cases
// FSM and CSM are +Inf, and FSMErr and CSMNorm are 1. The std and the trace of a class with one row are 0. A negative trace, for an
// indefinite K, counts as 0.
type Separability struct {
	Alignment // the alignment with y = 1 in the class and -1 outside
	FSM       float64
	FSMErr    float64
	CSM       float64
	CSMNorm   float64
	Distance2 float64 // D2
}

// SeparabilityOfMatrix returns the separability of k (n×n) for the labels y (n) of C ≥ 2 classes. It costs O(n²) in one pass, and
// O(nC) memory in addition to k. It returns ErrShape for an empty k, a y of another length, or a single class, ErrNotFinite, or
// ctx's error.
func SeparabilityOfMatrix(ctx context.Context, k mat.Symmetric, y []int, opt *Options) (_ Separability, err error) {
	defer check.Begin(&ctx)(&err)
	in, err := matrixInput(k)
	if err != nil {
		return Separability{}, err
	}
	return in.separability(ctx, y, opt)
}

// SeparabilityOfKernel is like SeparabilityOfMatrix, for the matrix of k on the rows of x (n×d), which is computed in blocks and
// never stored. It takes the time of kernels.Matrix and O(n(C+d)) memory. Each element is computed once, with two exceptions: the
// elements of sixteen rows around which the sums are centred, and the duplicate halves of blocks on the diagonal. The result does
// not depend on the number of workers. It returns the errors of SeparabilityOfMatrix, and ErrParam for the kernel's parameters.
func SeparabilityOfKernel(ctx context.Context, k kernels.Kernel, x mat.Matrix, y []int, opt *Options) (_ Separability, err error) {
	defer check.Begin(&ctx)(&err)
	in, err := kernelInput(k, x)
	if err != nil {
		return Separability{}, err
	}
	return in.separability(ctx, y, opt)
}

// SeparabilityOfFeatures is like SeparabilityOfMatrix, for K = ΦΦ' with the rows phi (n×r) of a feature map, such as
// featuremap.Nystroem or RandomHidden. K is not formed. The alignments, which need ‖K‖F, take the smaller of O(nr²) and O(n²r), and
// all other fields take O(nrC). Memory is O(n(r+C) + r²). Opt matters only for r ≥ n, where the features are treated as rows of the
// linear kernel. It returns the errors of SeparabilityOfMatrix.
func SeparabilityOfFeatures(ctx context.Context, phi mat.Matrix, y []int, opt *Options) (_ Separability, err error) {
	defer check.Begin(&ctx)(&err)
	in, err := featureInput(phi)
	if err != nil {
		return Separability{}, err
	}
	return in.separability(ctx, y, opt)
}

func (in input) separability(ctx context.Context, y []int, opt *Options) (Separability, error) {
	g, err := byLabel(y, in.rows)
	if err != nil {
		return Separability{}, err
	}
	of, err := in.geometry(ctx, opt.workers(), g)
	if err != nil {
		return Separability{}, err
	}
	return g.againstTheRest(of), nil
}

// contrast holds the separation of a class from all other rows. The field sd holds the standard deviations of f[i] = <φ[i], φ+ -
// φ->, which are std·√D2.
type contrast struct {
	distance2, floor float64 // D2, and the smallest value that counts as positive
	sd, trace        [2]float64
	original         float64 // D2 in the units of K, before scaling
}

// measures returns the separability, with all fields except the alignments.
func (c contrast) measures() Separability {
	out := Separability{Distance2: c.original, FSM: math.Inf(1), FSMErr: 1, CSM: math.Inf(1), CSMNorm: 1}
	if c.distance2 > c.floor {
		out.FSM = (c.sd[0] + c.sd[1]) / c.distance2
		out.CSM = (max(c.trace[0], 0) + max(c.trace[1], 0)) / c.distance2
		// 1/(1/v²+1) equals v²/(1+v²), and is also valid at v = 0 and if v² overflows.
		out.FSMErr = 1 / (1/out.FSM/out.FSM + 1)
		out.CSMNorm = 1 / (1/out.CSM + 1)
	}
	return out
}

// againstTheRest returns the mean, over the classes, of the measures of the class against all other rows. Two classes have only one
// contrast.
func (g *grouping) againstTheRest(of geometry) Separability {
	count := g.classes()
	if count == 2 {
		count = 1
	}
	var out Separability
	size := of.norms()
	for c := range count {
		z, mean := g.indicator(c)
		m := of.contrast(c).measures()
		m.Alignment = align(z, mean, of.forms(z), size)
		out.add(m, float64(count))
	}
	return out
}

// add adds m divided by count. The sum of count such terms is the mean.
func (s *Separability) add(m Separability, count float64) {
	s.KTA += m.KTA / count
	s.CentredKTA += m.CentredKTA / count
	s.FSM += m.FSM / count
	s.FSMErr += m.FSMErr / count
	s.CSM += m.CSM / count
	s.CSMNorm += m.CSMNorm / count
	s.Distance2 += m.Distance2 / count
}

// indicator returns targets that are 1 in class c and -1 outside, minus their mean. It also returns the mean.
func (g *grouping) indicator(c int) (z []float64, mean float64) {
	plus, n := float64(g.sizes[c]), float64(g.rows())
	values := [2]float64{2 * (n - plus) / n, -2 * plus / n}
	z = make([]float64, g.rows())
	for i := range z {
		z[i] = values[g.side(i, c)]
	}
	return z, (2*plus - n) / n
}

func (s *sums) contrast(c int) contrast {
	n := s.rows()
	size := [2]float64{float64(s.sizes[c]), float64(n - s.sizes[c])}
	f, own := make([]float64, n), make([]float64, n)
	for i, v := range s.class[c] {
		// These are the paper's a and b for a row in the class, and its c and d for any other row.
		plus, minus := v/size[0], (s.row[i]-v)/size[1]
		f[i] = plus - minus
		own[i] = s.diagonal[i] - [2]float64{plus, minus}[s.side(i, c)]
	}
	var k contrast
	var mean [2]float64
	mean, k.sd = s.split(f, c)
	k.distance2 = mean[0] - mean[1]
	k.original = k.distance2 / s.scale
	k.floor = noise * math.Sqrt(s.square) / float64(n)
	// The mean squared distance from a class mean is the mean of k̃[i,i] - <φ[i], φ±>.
	mean, _ = s.split(own, c)
	for side, m := range mean {
		if size[side] > 1 {
			k.trace[side] = m * size[side] / (size[side] - 1)
		}
	}
	return k
}
