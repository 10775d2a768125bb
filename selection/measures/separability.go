package measures

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/kernels"
)

// Separability is how far a kernel matrix K holds classes apart. For classes + and -
// with means φ+ and φ- in the feature space (Nguyen and Ho, eqs. 11-17, where sums over
// the second class end at n and not, as printed, at n-; and 22 with c = 1):
//
//	D2      = |φ+ - φ-|²
//	std±    the standard deviation of class ± along φ+ - φ-, divided by n± - 1
//	FSM     = (std+ + std-) / √D2                     0 is best, ∞ worst
//	FSMErr  = FSM² / (1 + FSM²)
//	CSM     = (trace Cov+ + trace Cov-) / D2          0 is best, ∞ worst
//	CSMNorm = CSM / (1 + CSM)
//
// FSMErr bounds the training error of one hyperplane, that across φ+ - φ- which
// divides the way between the means as std+ : std- (Theorem 3, by the one-sided
// inequality of Chebyshev): the share of each class that it puts on the wrong side is
// at most FSMErr. CSM has no such bound; FSMErr and CSMNorm lie in [0, 1].
//
// No translation, rotation or scaling of the feature space changes any of them
// (Theorem 2) or CentredKTA; a translation changes KTA.
//
// Of more than two classes each field is the mean over the classes against the rest.
//
// Where D2 is at most 1e-12 of the root mean square of the elements of K (the error that
// they may have), 1e-24 of the mean square of a feature map's rows, or negative, which
// an indefinite K can make it, FSM and CSM are +Inf and FSMErr and CSMNorm 1. A class
// of one row has a std and a trace of 0; a negative trace, of an indefinite K, counts
// as 0.
type Separability struct {
	Alignment // with y = 1 in the class and -1 outside
	FSM       float64
	FSMErr    float64
	CSM       float64
	CSMNorm   float64
	Distance2 float64 // D2
}

// SeparabilityOfMatrix returns the separability of k (n×n) for the labels y (n) of two
// classes or more, C of them. Cost O(n²) in one pass, memory O(nC) beside k. Errors: ErrShape for
// an empty k, a y of another length or of a single class, ErrNotFinite, and ctx's.
func SeparabilityOfMatrix(ctx context.Context, k mat.Symmetric, y []int, opt *Options) (_ Separability, err error) {
	defer check.Begin(&ctx)(&err)
	in, err := matrixInput(k)
	if err != nil {
		return Separability{}, err
	}
	return in.separability(ctx, y, opt)
}

// SeparabilityOfKernel is SeparabilityOfMatrix for the matrix of k on the rows of x
// (n×d), made in blocks that are forgotten at once: time that of kernels.Matrix, memory
// O(n(C+d)). An element is computed once, but for those of sixteen rows, around which the
// sums are centred, and the two halves of the blocks on the diagonal. The result does not
// depend on the number of workers. Errors: those of SeparabilityOfMatrix, and ErrParam for
// the kernel's parameters.
func SeparabilityOfKernel(ctx context.Context, k kernels.Kernel, x mat.Matrix, y []int, opt *Options) (_ Separability, err error) {
	defer check.Begin(&ctx)(&err)
	in, err := kernelInput(k, x)
	if err != nil {
		return Separability{}, err
	}
	return in.separability(ctx, y, opt)
}

// SeparabilityOfFeatures is SeparabilityOfMatrix for K = ΦΦ' of the rows phi (n×r) of a
// feature map, such as those of featuremap.Nystroem and RandomHidden. K is not formed:
// all but the alignments take O(nrC), and those, for ‖K‖F, O(nr²) or O(n²r), whichever is
// less. Memory O(n(r+C) + r²). Only r ≥ n, where the features are taken for rows of the
// linear kernel, looks at opt. Errors: those of SeparabilityOfMatrix.
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

// contrast is what separates a class from the rest. sd is of f[i] = <φ[i], φ+ - φ->,
// which is std·√D2.
type contrast struct {
	distance2, floor float64 // D2, and the value that it must exceed to count
	sd, trace        [2]float64
	original         float64 // D2 in the unit of K, which the others are scaled from
}

// measures returns the fields of c but for the alignments.
func (c contrast) measures() Separability {
	out := Separability{Distance2: c.original, FSM: math.Inf(1), FSMErr: 1, CSM: math.Inf(1), CSMNorm: 1}
	if c.distance2 > c.floor {
		out.FSM = (c.sd[0] + c.sd[1]) / c.distance2
		out.CSM = (max(c.trace[0], 0) + max(c.trace[1], 0)) / c.distance2
		// 1/(1/v²+1) is v²/(1+v²) where v² overflows, and at v = 0.
		out.FSMErr = 1 / (1/out.FSM/out.FSM + 1)
		out.CSMNorm = 1 / (1/out.CSM + 1)
	}
	return out
}

// againstTheRest averages over the classes; two make one contrast.
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

// add adds one of count measures that are averaged.
func (s *Separability) add(m Separability, count float64) {
	s.KTA += m.KTA / count
	s.CentredKTA += m.CentredKTA / count
	s.FSM += m.FSM / count
	s.FSMErr += m.FSMErr / count
	s.CSM += m.CSM / count
	s.CSMNorm += m.CSMNorm / count
	s.Distance2 += m.Distance2 / count
}

// indicator returns 1 in class c and -1 outside, less the mean, and that mean.
func (g *grouping) indicator(c int) (z []float64, mean float64) {
	plus, n := float64(g.sizes[c]), float64(g.rows())
	values := [2]float64{2 * (n - plus) / n, -2 * plus / n}
	z = make([]float64, g.rows())
	for i := range z {
		z[i] = values[g.side(i, c)]
	}
	return z, (2*plus - n) / n
}

// contrast returns that of class c.
func (s *sums) contrast(c int) contrast {
	n := s.rows()
	size := [2]float64{float64(s.sizes[c]), float64(n - s.sizes[c])}
	f, own := make([]float64, n), make([]float64, n)
	for i, v := range s.class[c] {
		// a and b of the paper for a row of the class, c and d for another.
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
	// The mean square distance from a class's mean is that of k̃[i,i] - <φ[i], φ±>.
	mean, _ = s.split(own, c)
	for side, m := range mean {
		if size[side] > 1 {
			k.trace[side] = m * size[side] / (size[side] - 1)
		}
	}
	return k
}
