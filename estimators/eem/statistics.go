package eem

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
)

const (
	statisticsType    = "eem: Statistics"
	statisticsKind    = "eem.Statistics"
	statisticsVersion = 1
)

// Statistics are the moments of the rows of a class about their mean, and all that is learnt about the class. With y
// = x - m and rows of weight w, which is 1 unless FitWeighted has others,
//
//	n = Σ w,  m,  C2 = Σ w yy',  C3 = Σ w |y|² y,  C4 = Σ w |y|⁴
//
// They give the covariance and its shrinkage. They can be merged and subtracted, so rows may come in blocks and from
// several machines, and may be taken out again. All moments are about the mean, because raw moments would lose every
// digit if the rows had a large common offset. The zero value holds no rows.
type Statistics struct {
	n    float64
	mean []float64
	low  []float64 // what rounding leaves of the mean: far from 0 it is not small beside the spread
	c2   *mat.SymDense
	c3   []float64
	c4   float64
}

// N returns the number of rows, or the sum of their weights.
func (s *Statistics) N() float64 { return s.n }

// Dim returns the number of columns. It returns 0 before the first row.
func (s *Statistics) Dim() int { return len(s.mean) }

// Mean returns m. It returns nil without rows.
func (s *Statistics) Mean() []float64 { return append([]float64(nil), s.mean...) }

// Clone returns an independent copy.
func (s *Statistics) Clone() *Statistics {
	c := &Statistics{n: s.n, mean: s.Mean(), low: append([]float64(nil), s.low...), c3: append([]float64(nil), s.c3...), c4: s.c4}
	if s.c2 != nil {
		c.c2 = mat.NewSymDense(s.c2.SymmetricDim(), nil)
		c.c2.CopySym(s.c2)
	}
	return c
}

// Add adds the rows of x (k×h). The cost is that of a symmetric product of rank k, O(kh²), and O(h²) for the merge.
// Errors: ErrShape for another width than before, ErrNotFinite.
func (s *Statistics) Add(x mat.Matrix) error {
	xd, err := check.Dense("x", x)
	if err != nil {
		return err
	}
	_, h := xd.Dims()
	if s.n > 0 && h != len(s.mean) {
		return fault.Columns("x", h, len(s.mean))
	}
	sums := newAccumulator([]int{h})
	n, _ := xd.Dims()
	y := newPanel(h)
	for first := 0; first < n; first += panel {
		some := y.Slice(0, h, 0, min(panel, n-first)).(*mat.Dense)
		transpose(some, xd.Slice(first, min(first+panel, n), 0, h).(*mat.Dense))
		sums.add(some, nil)
	}
	block, err := sums.statistics()
	if err != nil {
		return err
	}
	return s.absorb(block[0])
}

// meanDifference returns the mean of s less that of o.
func (s *Statistics) meanDifference(o *Statistics) []float64 {
	d := make([]float64, len(s.mean))
	for j := range d {
		d[j] = (s.mean[j] - o.mean[j]) + (s.low[j] - o.low[j])
	}
	return d
}

// move adds d to the mean, but not to the moments.
func (s *Statistics) move(d []float64) {
	for j, v := range d {
		small := s.low[j] + v
		sum := s.mean[j] + small
		back := sum - s.mean[j]
		s.low[j] = (s.mean[j] - (sum - back)) + (small - back)
		s.mean[j] = sum
	}
}

// shift moves the third and fourth moments to a centre e below the mean; they are then
// about it. C2 would become C2 + nee', which the caller adds.
func (s *Statistics) shift(e []float64) {
	h := len(s.mean)
	squares := 0.0
	for _, v := range e {
		squares += v * v
	}
	ev := mat.NewVecDense(h, e)
	c2e := mat.NewVecDense(h, nil)
	fast.MulVec(c2e, s.c2, ev)
	trace := mat.Trace(s.c2)
	ec2e := mat.Dot(ev, c2e)
	s.c4 += 4*ec2e + 4*fast.Dot(linalg.Vector(e), linalg.Vector(s.c3)) + 2*squares*trace + s.n*squares*squares
	for j := range s.c3 {
		s.c3[j] += 2*c2e.AtVec(j) + (trace+s.n*squares)*e[j]
	}
}

// Merge adds the rows that o holds; o does not change. Any order and grouping gives the same result up to rounding.
// The cost is O(h²). The error is ErrShape for another width.
func (s *Statistics) Merge(o *Statistics) error {
	if o == nil {
		return nil
	}
	return s.absorb(o.Clone())
}

// absorb is Merge that leaves nothing of use in o.
func (s *Statistics) absorb(o *Statistics) error {
	if o.n == 0 {
		return nil
	}
	if s.n == 0 {
		*s = *o
		return nil
	}
	if len(o.mean) != len(s.mean) {
		return fault.Shape("the other statistics have", len(o.mean), "columns", "these have %d", len(s.mean))
	}
	n := s.n + o.n
	toCentre, fromOther := o.meanDifference(s), s.meanDifference(o)
	toOwn := make([]float64, len(s.mean))
	for j := range toCentre {
		toCentre[j] *= o.n / n
		toOwn[j] = -toCentre[j]
		fromOther[j] = -fromOther[j] - toCentre[j]
	}
	apart := o.meanDifference(s)
	s.shift(toOwn)
	o.shift(fromOther)
	s.c2.AddSym(s.c2, o.c2)
	s.c2.SymRankOne(s.c2, s.n*(o.n/n), mat.NewVecDense(len(apart), apart)) // both nee' in one
	s.move(toCentre)
	s.n = n
	for j, v := range o.c3 {
		s.c3[j] += v
	}
	s.c4 += o.c4
	return nil
}

// Unmerge removes the rows that o holds. They must have been added before, of which only the number can be checked.
// The cost is O(h²). The error is ErrShape for another width or for more rows than there are.
func (s *Statistics) Unmerge(o *Statistics) error {
	if o == nil || o.n == 0 {
		return nil
	}
	if len(o.mean) != len(s.mean) {
		return fault.Shape("the other statistics have", len(o.mean), "columns", "these have %d", len(s.mean))
	}
	// Sums of weights agree to rounding.
	switch rest := s.n - o.n; {
	case math.Abs(rest) <= 1e-12*s.n:
		*s = Statistics{}
		return nil
	case rest < 0:
		return fault.Shape("the other statistics have", int(math.Ceil(o.n)), "rows", "these have %g", s.n)
	}
	other := o.Clone()
	apart := o.meanDifference(s)
	other.shift(apart)
	other.c2.SymRankOne(other.c2, other.n, mat.NewVecDense(len(apart), apart))
	n := s.n - o.n
	toCentre := make([]float64, len(s.mean))
	for j, e := range apart {
		toCentre[j] = -e * (o.n / n)
	}
	// What is left, about the old mean; then about its own.
	other.c2.ScaleSym(-1, other.c2)
	s.c2.AddSym(s.c2, other.c2)
	for i, v := range other.c3 {
		s.c3[i] -= v
	}
	s.c4 = s.c4 - other.c4
	s.n = n
	s.recentre(toCentre)
	s.c4 = max(0, s.c4)
	return nil
}

// recentre moves moments about the mean, which is not the rows' own, to their own, d above
// it.
func (s *Statistics) recentre(d []float64) {
	// shift supposes that the first moment is 0; about another point it is nd. Rows about
	// their own mean are those about the old point less d.
	h := len(d)
	squares := 0.0
	for _, v := range d {
		squares += v * v
	}
	dv := mat.NewVecDense(h, d)
	c2d := mat.NewVecDense(h, nil)
	fast.MulVec(c2d, s.c2, dv)
	trace := mat.Trace(s.c2)
	dc2d := mat.Dot(dv, c2d)
	dc3 := fast.Dot(linalg.Vector(d), linalg.Vector(s.c3))
	// Σ|y-d|⁴, Σ|y-d|²(y-d) and Σ(y-d)(y-d)' with Σy = nd.
	s.c4 += 4*dc2d - 4*dc3 + 2*squares*trace - 3*s.n*squares*squares
	for j := range s.c3 {
		s.c3[j] += -2*c2d.AtVec(j) - trace*d[j] + 2*s.n*squares*d[j]
	}
	s.c2.SymRankOne(s.c2, -s.n, dv)
	s.move(d)
}

// Covariance returns C2/n. It returns nil without rows.
func (s *Statistics) Covariance() *mat.SymDense {
	if s.n == 0 {
		return nil
	}
	out := mat.NewSymDense(len(s.mean), nil)
	out.ScaleSym(1/s.n, s.c2)
	return out
}

// LedoitWolf returns the covariance shrunk towards a multiple of the identity,
//
//	(1-ρ) C2/n + ρ μ I,    μ the mean of the diagonal of C2/n,
//
// and ρ, the share that minimises the expected squared error (Ledoit and Wolf, Journal of Multivariate Analysis 88,
// 2004), as scikit-learn does. With up to two rows ρ is 0. It returns nil without rows. The cost is O(h²).
func (s *Statistics) LedoitWolf() (cov *mat.SymDense, rho float64) {
	cov = s.Covariance()
	if cov == nil {
		return nil, 0
	}
	h := float64(len(s.mean))
	mu := mat.Trace(cov) / h
	squares := 0.0
	raw := cov.RawSymmetric()
	for i := range len(s.mean) {
		row := raw.Data[i*raw.Stride+i : i*raw.Stride+len(s.mean)] // the upper triangle
		squares += 2*fast.Dot(linalg.Vector(row), linalg.Vector(row)) - row[0]*row[0]
	}
	if delta := (squares - h*mu*mu) / h; s.n > 2 && delta > 0 {
		if b := min(delta, (s.c4/s.n-squares)/(h*s.n)); b > 0 {
			rho = b / delta
		}
	}
	cov.ScaleSym(1-rho, cov)
	for i := range len(s.mean) {
		cov.SetSym(i, i, cov.At(i, i)+rho*mu)
	}
	return cov, rho
}

type storedStatistics struct {
	N    float64
	Mean codec.Floats
	Low  codec.Floats // of the mean
	C2   codec.Floats // the upper triangle, row by row
	C3   codec.Floats
	C4   float64
}

// MarshalBinary implements encoding.BinaryMarshaler: statistics travel between
// machines.
func (s *Statistics) MarshalBinary() ([]byte, error) {
	out := storedStatistics{N: s.n, Mean: s.mean, Low: s.low, C3: s.c3, C4: s.c4, C2: codec.FromSym(s.c2)}
	return codec.Marshal(statisticsKind, statisticsVersion, out)
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler. Its errors are ErrBadModel
// and leave s as it was.
func (s *Statistics) UnmarshalBinary(data []byte) error {
	var in storedStatistics
	if _, err := codec.Unmarshal(data, statisticsKind, statisticsVersion, &in); err != nil {
		return err
	}
	h := len(in.Mean)
	numbers := codec.Floats{in.N, in.C4}
	c2, ok := in.C2.Sym(h)
	switch {
	case !ok || len(in.C3) != h || len(in.Low) != h:
		return fault.BadModel(statisticsKind, "%d and %d moments for %d columns, or not finite", len(in.C2), len(in.C3), h)
	case !(in.N >= 0) || (in.N == 0) != (h == 0) || !(in.C4 >= 0):
		return fault.BadModel(statisticsKind, "%v rows of %d columns, fourth moment %v", in.N, h, in.C4)
	case !in.Mean.Finite() || !in.Low.Finite() || !in.C3.Finite() || !numbers.Finite():
		return fault.BadModel(statisticsKind, "a moment is not finite")
	}
	out := Statistics{n: in.N, c4: in.C4}
	if h > 0 {
		out.mean, out.low, out.c3, out.c2 = in.Mean, in.Low, in.C3, c2
	}
	*s = out
	return nil
}

// MarshalText implements encoding.TextMarshaler: in JSON the bytes are a string, in base64.
func (s *Statistics) MarshalText() ([]byte, error) { return codec.Text(s) }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Statistics) UnmarshalText(text []byte) error { return codec.FromText(statisticsKind, s, text) }
