package measures

import (
	"math"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// Divergence is the Cauchy-Schwarz divergence between two classes whose rows are projected on a line and treated as Gaussian there
// (Czarnecki and Tabor, arXiv 1501.05279):
//
//	D_CS  = (m+ - m-)²/(S+ + S-) + ln((S+ + S-)/(2√(S+ S-)))
//	Means = (m+ - m-)²/(S+ + S-)
//
// with means m± and variances S±. Both are nonnegative, larger is better, and neither changes when the line is shifted or scaled.
// Means is the reduced form that extreme entropy machines maximise. The omitted term is nonnegative, and separates classes that
// differ only in their widths.
type Divergence struct {
	CauchySchwarz float64 // D_CS
	Means         float64 // its first term
}

// divergence returns the divergence of two Gaussians with the given means and variances.
func divergence(mean, variance [2]float64) Divergence {
	sd := [2]float64{math.Sqrt(variance[0]), math.Sqrt(variance[1])}
	gap := math.Abs(mean[0] - mean[1])
	var out Divergence
	if gap > 0 {
		// Divide before squaring, because the square of a valid gap may overflow.
		t := gap / math.Hypot(sd[0], sd[1])
		out.Means = t * t
	}
	switch lo, hi := min(sd[0], sd[1]), max(sd[0], sd[1]); {
	case hi == 0:
		out.CauchySchwarz = out.Means
	case lo == 0:
		out.CauchySchwarz = math.Inf(1)
	default:
		// (S+ + S-)/(2√(S+S-)) = 1 + (r-1)²/2r for the ratio r of the standard deviations. This form loses no digits if they are
		// nearly equal.
		r := hi / lo
		out.CauchySchwarz = out.Means + math.Log1p((r-1)/(2*r)*(r-1))
	}
	return out
}

// DivergenceOfProjection returns the divergence between exactly two classes, given the projections z (n) and the labels y (n). The
// denominator of a variance is the number of rows, as in the machine. A class with one row, or whose z are all equal, has variance
// 0, and D_CS is then +Inf. If both classes have variance 0, they are two points, and D_CS and Means are +Inf, or 0 if the points
// are equal. It costs O(n). It returns ErrShape for unequal lengths or a number of classes other than 2, or ErrNotFinite.
func DivergenceOfProjection(z []float64, y []int) (Divergence, error) {
	if err := check.Vector("z", z); err != nil {
		return Divergence{}, err
	}
	if len(y) != len(z) {
		return Divergence{}, fault.Shape("y has", len(y), "entries", "z has %d", len(z))
	}
	g, err := byLabel(y, len(z))
	if err != nil {
		return Divergence{}, err
	}
	if g.classes() != 2 {
		return Divergence{}, fault.Shape("y has", g.classes(), "classes", "want 2")
	}
	scale := powerOfTwo(z)
	scaled := make([]float64, len(z))
	for i, v := range z {
		scaled[i] = scale * v
	}
	mean, sd := g.split(scaled, 0)
	var variance [2]float64
	for c, s := range sd {
		n := float64(g.sizes[c])
		variance[c] = s * s * (n - 1) / n
	}
	return divergence(mean, variance), nil
}
