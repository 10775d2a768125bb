package moments

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
)

const (
	name = "eem: Statistics"
	// Kind identifies moments in stored data.
	Kind    = "eem.Statistics"
	version = 1
)

// Moments holds the weighted moments of rows about their mean m. A row without a weight has weight 1. The zero value holds no
// rows.
type Moments struct {
	Weight float64   // n
	Means  []float64 // m
	Low    []float64 // the rounding error of the mean, which matters if the mean is much larger than the spread
	C2     *mat.SymDense
	C3     []float64
	C4     float64
}

// Clone returns an independent copy.
func (s *Moments) Clone() *Moments {
	c := &Moments{Weight: s.Weight, Means: slices.Clone(s.Means), Low: slices.Clone(s.Low), C3: slices.Clone(s.C3), C4: s.C4}
	if s.C2 != nil {
		c.C2 = mat.NewSymDense(s.C2.SymmetricDim(), nil)
		c.C2.CopySym(s.C2)
	}
	return c
}

// Add adds the rows of x (k×h). It costs a symmetric product of rank k, O(kh²), and O(h²) for the merge. It returns ErrShape if the
// width differs from that of earlier rows, and ErrNotFinite.
func (s *Moments) Add(x mat.Matrix) error {
	xd, err := check.Dense("x", x)
	if err != nil {
		return err
	}
	_, h := xd.Dims()
	if s.Weight > 0 && h != len(s.Means) {
		return fault.Columns("x", h, len(s.Means))
	}
	sums := NewAccumulator([]int{h})
	n, _ := xd.Dims()
	y := NewPanel(h)
	for first := 0; first < n; first += PanelRows {
		some := y.Slice(0, h, 0, min(PanelRows, n-first)).(*mat.Dense)
		transpose(some, xd.Slice(first, min(first+PanelRows, n), 0, h).(*mat.Dense))
		sums.Add(some, nil)
	}
	block, err := sums.Moments()
	if err != nil {
		return err
	}
	return s.Absorb(block[0])
}

// meanDifference returns the mean of s minus that of o.
func (s *Moments) meanDifference(o *Moments) []float64 {
	d := make([]float64, len(s.Means))
	for j := range d {
		d[j] = (s.Means[j] - o.Means[j]) + (s.Low[j] - o.Low[j])
	}
	return d
}

// move adds d to the mean, and leaves the central moments unchanged.
func (s *Moments) move(d []float64) {
	for j, v := range d {
		small := s.Low[j] + v
		sum := s.Means[j] + small
		back := sum - s.Means[j]
		s.Low[j] = (s.Means[j] - (sum - back)) + (small - back)
		s.Means[j] = sum
	}
}

// shift converts the third and fourth moments to moments about a centre at distance e below the mean. It leaves C2 to the caller,
// who adds nee'.
func (s *Moments) shift(e []float64) {
	h := len(s.Means)
	squares := 0.0
	for _, v := range e {
		squares += v * v
	}
	ev := mat.NewVecDense(h, e)
	c2e := mat.NewVecDense(h, nil)
	fast.MulVec(c2e, s.C2, ev)
	trace := mat.Trace(s.C2)
	ec2e := mat.Dot(ev, c2e)
	s.C4 += 4*ec2e + 4*fast.Dot(linalg.Vector(e), linalg.Vector(s.C3)) + 2*squares*trace + s.Weight*squares*squares
	for j := range s.C3 {
		s.C3[j] += 2*c2e.AtVec(j) + (trace+s.Weight*squares)*e[j]
	}
}

// Merge adds the moments of o, which it does not change. Any order and grouping of merges gives the same result up to rounding.
// Merge costs O(h²). It returns ErrShape if the widths differ.
func (s *Moments) Merge(o *Moments) error {
	if o == nil {
		return nil
	}
	return s.Absorb(o.Clone())
}

// Absorb is like Merge but may overwrite o.
func (s *Moments) Absorb(o *Moments) error {
	if o.Weight == 0 {
		return nil
	}
	if s.Weight == 0 {
		*s = *o
		return nil
	}
	if len(o.Means) != len(s.Means) {
		return fault.Shape("the other statistics have", len(o.Means), "columns", "these have %d", len(s.Means))
	}
	n := s.Weight + o.Weight
	toCentre, fromOther := o.meanDifference(s), s.meanDifference(o)
	toOwn := make([]float64, len(s.Means))
	for j := range toCentre {
		toCentre[j] *= o.Weight / n
		toOwn[j] = -toCentre[j]
		fromOther[j] = -fromOther[j] - toCentre[j]
	}
	apart := o.meanDifference(s)
	s.shift(toOwn)
	o.shift(fromOther)
	s.C2.AddSym(s.C2, o.C2)
	s.C2.SymRankOne(s.C2, s.Weight*(o.Weight/n), mat.NewVecDense(len(apart), apart)) // adds the terms nee' of s and of o
	s.move(toCentre)
	s.Weight = n
	for j, v := range o.C3 {
		s.C3[j] += v
	}
	s.C4 += o.C4
	return nil
}

// Unmerge removes the rows of o, which must have been added before. It can only check their number. It costs O(h²). It returns
// ErrShape if the widths differ, or if o has more rows than s.
func (s *Moments) Unmerge(o *Moments) error {
	if o == nil || o.Weight == 0 {
		return nil
	}
	if len(o.Means) != len(s.Means) {
		return fault.Shape("the other statistics have", len(o.Means), "columns", "these have %d", len(s.Means))
	}
	// Sums of weights agree only up to rounding.
	switch rest := s.Weight - o.Weight; {
	case math.Abs(rest) <= 1e-12*s.Weight:
		*s = Moments{}
		return nil
	case rest < 0:
		return fault.Shape("the other statistics have", int(math.Ceil(o.Weight)), "rows", "these have %g", s.Weight)
	}
	other := o.Clone()
	apart := o.meanDifference(s)
	other.shift(apart)
	other.C2.SymRankOne(other.C2, other.Weight, mat.NewVecDense(len(apart), apart))
	n := s.Weight - o.Weight
	toCentre := make([]float64, len(s.Means))
	for j, e := range apart {
		toCentre[j] = -e * (o.Weight / n)
	}
	// The moments of the remaining rows are first about the old mean, and then about their own.
	other.C2.ScaleSym(-1, other.C2)
	s.C2.AddSym(s.C2, other.C2)
	for i, v := range other.C3 {
		s.C3[i] -= v
	}
	s.C4 = s.C4 - other.C4
	s.Weight = n
	s.recentre(toCentre)
	s.C4 = max(0, s.C4)
	return nil
}

// recentre converts moments about the stored mean to moments about the mean of the rows, which is higher by d.
func (s *Moments) recentre(d []float64) {
	// shift cannot be used, since it assumes that the first moment is 0, but here it is nd. The deviations from the mean of the
	// rows are the deviations from the stored mean minus d.
	h := len(d)
	squares := 0.0
	for _, v := range d {
		squares += v * v
	}
	dv := mat.NewVecDense(h, d)
	c2d := mat.NewVecDense(h, nil)
	fast.MulVec(c2d, s.C2, dv)
	trace := mat.Trace(s.C2)
	dc2d := mat.Dot(dv, c2d)
	dc3 := fast.Dot(linalg.Vector(d), linalg.Vector(s.C3))
	// The new moments are Σ|y-d|⁴, Σ|y-d|²(y-d) and Σ(y-d)(y-d)' with Σy = nd.
	s.C4 += 4*dc2d - 4*dc3 + 2*squares*trace - 3*s.Weight*squares*squares
	for j := range s.C3 {
		s.C3[j] += -2*c2d.AtVec(j) - trace*d[j] + 2*s.Weight*squares*d[j]
	}
	s.C2.SymRankOne(s.C2, -s.Weight, dv)
	s.move(d)
}

// Covariance returns C2/n, or nil if there are no rows.
func (s *Moments) Covariance() *mat.SymDense {
	if s.Weight == 0 {
		return nil
	}
	out := mat.NewSymDense(len(s.Means), nil)
	out.ScaleSym(1/s.Weight, s.C2)
	return out
}

// LedoitWolf returns the covariance shrunk towards a multiple of the identity,
//
//	(1-ρ) C2/n + ρ μ I,    μ the mean of the diagonal of C2/n,
//
// and the ρ that minimises the expected squared error (Ledoit and Wolf, Journal of Multivariate Analysis 88, 2004), as in
// scikit-learn. With up to two rows ρ is 0. If there are no rows, the covariance is nil. The cost is O(h²).
func (s *Moments) LedoitWolf() (cov *mat.SymDense, rho float64) {
	cov = s.Covariance()
	if cov == nil {
		return nil, 0
	}
	h := float64(len(s.Means))
	mu := mat.Trace(cov) / h
	squares := 0.0
	raw := cov.RawSymmetric()
	for i := range len(s.Means) {
		row := raw.Data[i*raw.Stride+i : i*raw.Stride+len(s.Means)] // the upper triangle
		squares += 2*fast.Dot(linalg.Vector(row), linalg.Vector(row)) - row[0]*row[0]
	}
	if delta := (squares - h*mu*mu) / h; s.Weight > 2 && delta > 0 {
		if b := min(delta, (s.C4/s.Weight-squares)/(h*s.Weight)); b > 0 {
			rho = b / delta
		}
	}
	cov.ScaleSym(1-rho, cov)
	for i := range len(s.Means) {
		cov.SetSym(i, i, cov.At(i, i)+rho*mu)
	}
	return cov, rho
}

type stored struct {
	N    float64
	Mean codec.Floats
	Low  codec.Floats // rounding errors of the mean
	C2   codec.Floats // the upper triangle, row by row
	C3   codec.Floats
	C4   float64
}

// MarshalBinary implements encoding.BinaryMarshaler, so that statistics can be sent to other computers.
func (s *Moments) MarshalBinary() ([]byte, error) {
	out := stored{N: s.Weight, Mean: s.Means, Low: s.Low, C3: s.C3, C4: s.C4, C2: codec.FromSym(s.C2)}
	return codec.Marshal(Kind, version, out)
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler. If it returns an error, which is ErrBadModel, s is unchanged.
func (s *Moments) UnmarshalBinary(data []byte) error {
	var in stored
	if _, err := codec.Unmarshal(data, Kind, version, &in); err != nil {
		return err
	}
	h := len(in.Mean)
	numbers := codec.Floats{in.N, in.C4}
	c2, ok := in.C2.Sym(h)
	switch {
	case !ok || len(in.C3) != h || len(in.Low) != h:
		return fault.BadModel(Kind, "%d and %d moments for %d columns, or not finite", len(in.C2), len(in.C3), h)
	case !(in.N >= 0) || (in.N == 0) != (h == 0) || !(in.C4 >= 0):
		return fault.BadModel(Kind, "%v rows of %d columns, fourth moment %v", in.N, h, in.C4)
	case !in.Mean.Finite() || !in.Low.Finite() || !in.C3.Finite() || !numbers.Finite():
		return fault.BadModel(Kind, "a moment is not finite")
	}
	out := Moments{Weight: in.N, C4: in.C4}
	if h > 0 {
		out.Means, out.Low, out.C3, out.C2 = in.Mean, in.Low, in.C3, c2
	}
	*s = out
	return nil
}
