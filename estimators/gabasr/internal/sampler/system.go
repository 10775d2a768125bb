package sampler

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/weights"
)

// system is the linear model y = Φw + noise for given frequencies: Φ'Φ, the factor of A = P0 + Φ'Φ, and the evidence. Column 0 of Φ
// is the intercept, and the other columns before head are the trend. Pair j has the columns head+2j and head+2j+1. Φ, gram and
// cross use this order. The factor has a separate order, which an exchange changes.
type system struct {
	ctx      context.Context // context of the Fit; if it has ended, everything else is invalid
	evidence Evidence
	n, p     int
	head     int        // number of columns before the pairs
	phi      *mat.Dense // n×p, of weighted rows
	target   []float64  // n weighted targets of the regression on phi
	rows     weights.Counts
	square   float64   // |target|²
	labels   []float64 // 0 or 1, for the surrogate
	gram     []float64 // Φ'Φ, p×p
	cross    []float64 // Φ'target

	ridge, intercept float64   // prior precisions of the pairs and of the intercept
	trend            float64   // prior precision of the trend; 0, a flat prior, in the estimators
	mean             []float64 // prior means w0; nil, for 0, in the estimators
	a0, b0           float64

	fac    factored
	spare  factored // memory for the next factorisation
	work   scratch
	jitter float64 // the largest jitter that was needed, in absolute terms
}

// factored holds [R | z] with R'R = A and z = R⁻ᵀ(Φ'target + P0 w0), for columns in the given order.
type factored struct {
	r      []float64 // p×p, entries left of the diagonal are not used
	z      []float64
	order  []int // column at each position; those before the pairs do not move
	bN     float64
	logDet float64
	logEv  float64
	ridge  float64
}

// scratch is the working memory of an exchange.
type scratch struct {
	x, y   []float64    // the deleted rows
	solved [4][]float64 // R⁻ᵀ times the products with the two new and the two old columns
	f      []float64    // scores of the surrogate
	w      []float64
}

// newSystem returns a system that owns phi, which consists of head columns and pairs. It allocates memory but computes nothing.
func newSystem(ctx context.Context, e Evidence, phi *mat.Dense, head int, ridge float64, p0 Prior) *system {
	n, p := phi.Dims()
	s := &system{
		ctx: ctx, evidence: e, n: n, p: p, head: head, phi: phi, rows: weights.NewCounts(nil, n), ridge: ridge, intercept: p0.Intercept,
		a0: p0.Shape, b0: p0.Rate,
		gram: make([]float64, p*p), cross: make([]float64, p),
	}
	for _, f := range []*factored{&s.fac, &s.spare} {
		f.r, f.z, f.order = make([]float64, p*p), make([]float64, p), make([]int, p)
	}
	s.work = scratch{x: make([]float64, p), y: make([]float64, p), f: make([]float64, n), w: make([]float64, p)}
	for i := range s.work.solved {
		s.work.solved[i] = make([]float64, p)
	}
	return s
}

func general(data []float64, rows, cols int) blas64.General {
	return blas64.General{Rows: rows, Cols: cols, Stride: cols, Data: data}
}

// load recomputes the products after Φ or the targets have changed completely. It returns only the error of the context.
func (s *system) load(target []float64) error {
	s.target, s.square = target, linalg.Dot(target, target)
	raw := s.phi.RawMatrix()
	fast.Gemv(blas.Trans, 1, raw, linalg.Vector(target), 0, linalg.Vector(s.cross))
	return fast.GemmContext(s.ctx, blas.Trans, blas.NoTrans, 1, raw, raw, 0, general(s.gram, s.p, s.p))
}

// precision returns the prior precision of a column.
func (s *system) precision(column int, ridge float64) float64 {
	switch {
	case column == 0:
		return s.intercept
	case column < s.head:
		return s.trend
	}
	return ridge
}

// pairStart returns the first of the two columns of a pair.
func (s *system) pairStart(pair int) int { return s.head + 2*pair }

// flat returns the number of coefficients with a flat prior. Each uses up one row. The likelihood is that of the other n - q
// components of the target, which do not depend on these coefficients.
func (s *system) flat() float64 {
	if s.trend > 0 {
		return 0
	}
	return float64(s.head - 1)
}

// moment returns the entry of Φ'target + P0 w0 for a column.
func (s *system) moment(column int, ridge float64) float64 {
	if s.mean == nil {
		return s.cross[column]
	}
	return s.cross[column] + s.precision(column, ridge)*s.mean[column]
}

// factor computes the factor of A for s.ridge, in the order of the columns. ok is false if A is not positive definite with the
// largest jitter, or if the context has ended (see failure). The cost is p³/3 + 2np.
func (s *system) factor() (ok bool) { return s.factorAt(s.ridge, &s.fac) }

func (s *system) factorAt(ridge float64, f *factored) (ok bool) {
	p := s.p
	trace := 0.0
	for i := range p {
		trace += s.gram[i*p+i] + s.precision(i, ridge)
	}
	for jitter := 0.0; ; jitter = max(10*jitter, linalg.MinJitter) {
		if jitter > 1.01*linalg.MaxJitter {
			return false
		}
		copy(f.r, s.gram)
		for i := range p {
			f.r[i*p+i] += s.precision(i, ridge) + jitter*trace/float64(p)
		}
		_, ok, err := linalg.Potrf(s.ctx, blas64.Symmetric{N: p, Stride: p, Uplo: blas.Upper, Data: f.r})
		if err != nil {
			return false
		}
		if ok {
			s.jitter = max(s.jitter, jitter*trace/float64(p))
			break
		}
	}
	for i := range p {
		f.order[i], f.z[i] = i, s.moment(i, ridge)
	}
	fast.Trsv(blas.Trans, s.triangle(f, p), linalg.Vector(f.z))
	f.ridge = ridge
	f.bN = s.noiseRate(f)
	s.summarise(f)
	return true
}

// failure returns the error of a factorisation that failed.
func (s *system) failure() error {
	if err := s.ctx.Err(); err != nil {
		return err
	}
	return &fault.NotPSDError{What: "gabasr: P0 + Φ'Φ", Jitter: linalg.MaxJitter}
}

func (s *system) triangle(f *factored, n int) blas64.Triangular {
	return blas64.Triangular{N: n, Stride: s.p, Uplo: blas.Upper, Diag: blas.NonUnit, Data: f.r}
}

// coefficientsInto sets w, in the order of the columns, to the posterior mean A⁻¹(Φ'y + P0 w0).
func (s *system) coefficientsInto(w []float64, f *factored) {
	sorted := s.work.x
	copy(sorted, f.z)
	fast.Trsv(blas.NoTrans, s.triangle(f, s.p), linalg.Vector(sorted))
	for i, column := range f.order {
		w[column] = sorted[i]
	}
}

// noiseRate computes bN of the normal-inverse-gamma posterior from the residuals. The difference y'y - r'A⁻¹r would cancel if the
// fit is close.
func (s *system) noiseRate(f *factored) float64 {
	w := s.work.w
	s.coefficientsInto(w, f)
	e := s.work.f
	copy(e, s.target)
	fast.Gemv(blas.NoTrans, -1, s.phi.RawMatrix(), linalg.Vector(w), 1, linalg.Vector(e))
	sum := linalg.Dot(e, e)
	for i, v := range w {
		if s.mean != nil {
			v -= s.mean[i]
		}
		sum += s.precision(i, f.ridge) * v * v
	}
	return s.b0 + sum/2
}

// summarise sets the log determinant and the log evidence of a factor.
func (s *system) summarise(f *factored) {
	f.logDet = 0
	for i := range s.p {
		f.logDet += 2 * math.Log(f.r[i*s.p+i])
	}
	f.logEv = s.logEvidence(f)
}

// shape returns aN.
func (s *system) shape() float64 { return s.a0 + (s.rows.Total-s.flat())/2 }

// logPrior returns Σ log P0, without the columns that have a flat prior.
func (s *system) logPrior(ridge float64) float64 {
	out := math.Log(s.intercept) + float64(s.p-s.head)*math.Log(ridge)
	if s.trend > 0 {
		out += float64(s.head-1) * math.Log(s.trend)
	}
	return out
}

// exchange is a proposal of new columns for a pair. It includes the products that the update needs, which the caller provides.
type exchange struct {
	pair     int
	columns  [2][]float64 // n; the new columns, which are only read by the surrogate and on acceptance
	stride   int          // distance between the rows of columns
	products [2][]float64 // products with the p columns of Φ; entries of the pair itself are unused
	own      [3]float64   // products of the new columns: c1'c1, c1'c2, c2'c2
	cross    [2]float64   // with the target
}

// position returns the position of the pair in the factor, which is an even number of columns after head.
func (s *system) position(pair int) int {
	f := &s.fac
	for i := s.head; i < len(f.order); i += 2 {
		if f.order[i] == s.pairStart(pair) {
			return i
		}
	}
	panic("gabasr: no such pair") // an order always contains all pairs
}

// tryExchange deletes the pair at position at of the factor. It computes the log ratio of the evidence with the new columns to that
// with the old ones. If logU is less than this log ratio, it appends the new columns, and otherwise the old ones. The cost is
// O(p²), or O(np + p²) for the surrogate.
func (s *system) tryExchange(e *exchange, at int, logU float64) (logRatio float64, accepted bool) {
	f, p := &s.fac, s.p
	first := s.pairStart(e.pair)
	s.remove(at)
	rest := p - 2
	// t holds the products of the new and of the old columns with the remaining columns.
	t := &s.work.solved
	for i, column := range f.order[:rest] {
		t[0][i], t[1][i] = e.products[0][column], e.products[1][column]
		row := s.gram[column*p:]
		t[2][i], t[3][i] = row[first], row[first+1]
	}
	s.halfSolve(t, rest)
	var next, prev bottom
	g := s.gram
	next.schur(t[0][:rest], t[1][:rest], f.z[:rest], e.own, e.cross, f.ridge, s.meanOf(first))
	prev.schur(t[2][:rest], t[3][:rest], f.z[:rest], [3]float64{g[first*p+first], g[first*p+first+1], g[(first+1)*p+first+1]},
		[2]float64{s.cross[first], s.cross[first+1]}, f.ridge, s.meanOf(first))
	rate := f.bN // differences for one pair at a time cancel less than the total would
	logRatio = math.Inf(-1)
	if next.ok && prev.ok {
		rate += (prev.gain() - next.gain()) / 2
		switch s.evidence {
		case NormalEvidence:
			if rate > 0 {
				logRatio = (prev.logDet()-next.logDet())/2 - s.shape()*math.Log(rate/f.bN)
			}
		case AugmentedEvidence:
			logRatio = (prev.logDet() - next.logDet() + next.gain() - prev.gain()) / 2
		case SurrogateEvidence:
			logRatio = s.surrogateWith(e, &next) - f.logEv
		}
	}
	accepted = logU < logRatio
	won, columns := &prev, [2][]float64{t[2], t[3]}
	if accepted {
		won, columns = &next, [2][]float64{t[0], t[1]}
		f.bN = rate
		s.install(e)
		f.logEv += logRatio
	}
	if !prev.ok && !accepted {
		// The rounding errors exceed the part of the factor that belongs to the old pair, so the factor is recomputed.
		s.factor()
		return logRatio, false
	}
	for i := range rest {
		f.r[i*p+p-2], f.r[i*p+p-1] = columns[0][i], columns[1][i]
	}
	f.r[(p-2)*p+p-2], f.r[(p-2)*p+p-1], f.r[(p-1)*p+p-1] = won.r[0], won.r[1], won.r[2]
	f.z[p-2], f.z[p-1] = won.z[0], won.z[1]
	f.order[p-2], f.order[p-1] = first, first+1
	return logRatio, accepted
}

// meanOf returns the prior means w0 of the two columns that begin at first.
func (s *system) meanOf(first int) [2]float64 {
	if s.mean == nil {
		return [2]float64{}
	}
	return [2]float64{s.mean[first], s.mean[first+1]}
}

// remove deletes the columns at positions at and at+1. The rest of their rows, in the later columns, is added to the following
// block by two rank-one updates with rotations. z is rotated like another column.
func (s *system) remove(at int) {
	f, p := &s.fac, s.p
	tail := p - at - 2
	x, y := s.work.x[:tail+1], s.work.y[:tail+1]
	copy(x, f.r[at*p+at+2:at*p+p])
	copy(y, f.r[(at+1)*p+at+2:(at+1)*p+p])
	x[tail], y[tail] = f.z[at], f.z[at+1]
	for i := range at {
		copy(f.r[i*p+at:i*p+p-2], f.r[i*p+at+2:i*p+p])
	}
	for i := range tail {
		from := f.r[(at+2+i)*p+at+2+i : (at+2+i)*p+p]
		to := f.r[(at+i)*p+at+i : (at+i)*p+p-2]
		xs, ys := x[i:tail], y[i:tail]
		c, sn := rotation(from[0], xs[0])
		cy, sy := rotation(c*from[0]+sn*xs[0], ys[0])
		to = to[:len(from)]
		xs, ys = xs[:len(from)], ys[:len(from)]
		for j, u := range from {
			a, b := xs[j], ys[j]
			turned := c*u + sn*a
			xs[j] = c*a - sn*u
			to[j] = cy*turned + sy*b
			ys[j] = cy*b - sy*turned
		}
		turned := c*f.z[at+2+i] + sn*x[tail]
		x[tail] = c*x[tail] - sn*f.z[at+2+i]
		f.z[at+i] = cy*turned + sy*y[tail]
		y[tail] = cy*y[tail] - sy*turned
	}
	copy(f.order[at:], f.order[at+2:])
}

// rotation returns c and s with c·a + s·b = √(a²+b²) and c·b - s·a = 0.
func rotation(a, b float64) (c, s float64) {
	r := math.Hypot(a, b)
	if r == 0 {
		return 1, 0
	}
	return a / r, b / r
}

// halfSolve multiplies the first rest elements of the four columns by R⁻ᵀ, in place.
func (s *system) halfSolve(t *[4][]float64, rest int) {
	for i := range rest {
		row := s.fac.r[i*s.p+i : i*s.p+rest]
		d := row[0]
		row = row[1:]
		for k := range t {
			v := t[k][i] / d
			t[k][i] = v
			fast.Axpy(-v, blas64.Vector{N: len(row), Inc: 1, Data: row}, blas64.Vector{N: len(row), Inc: 1, Data: t[k][i+1 : rest]})
		}
	}
}

// bottom holds the last two rows of a factor with a pair appended. They are the factor of the Schur complement S = C'C + P0 - T'T,
// and z = S^(-T/2) u with u = C'y + P0 w0 - T'z1.
type bottom struct {
	r  [3]float64 // r11, r12, r22
	z  [2]float64
	ok bool // S is positive definite up to rounding
}

func (b *bottom) schur(t1, t2, z []float64, own [3]float64, cross [2]float64, ridge float64, mean [2]float64) {
	s11 := own[0] + ridge - linalg.Dot(t1, t1)
	s12 := own[1] - linalg.Dot(t1, t2)
	s22 := own[2] + ridge - linalg.Dot(t2, t2)
	u1 := cross[0] + ridge*mean[0] - linalg.Dot(t1, z)
	u2 := cross[1] + ridge*mean[1] - linalg.Dot(t2, z)
	if !(s11 > 0) {
		return
	}
	b.r[0] = math.Sqrt(s11)
	b.r[1] = s12 / b.r[0]
	if s22 -= b.r[1] * b.r[1]; !(s22 > 0) {
		return
	}
	b.r[2] = math.Sqrt(s22)
	b.z[0] = u1 / b.r[0]
	b.z[1] = (u2 - b.r[1]*b.z[0]) / b.r[2]
	b.ok = true
}

// gain returns u'S⁻¹u, the amount by which the pair reduces the residual sum of squares.
func (b *bottom) gain() float64 { return b.z[0]*b.z[0] + b.z[1]*b.z[1] }

func (b *bottom) logDet() float64 { return 2 * (math.Log(b.r[0]) + math.Log(b.r[2])) }

// install replaces the columns of the pair by the new ones.
func (s *system) install(e *exchange) {
	raw := s.phi.RawMatrix()
	first := s.pairStart(e.pair)
	for i := range s.n {
		raw.Data[i*raw.Stride+first], raw.Data[i*raw.Stride+first+1] = e.columns[0][i*e.stride], e.columns[1][i*e.stride]
	}
	p := s.p
	for i := range p {
		for c := range 2 {
			s.gram[i*p+first+c], s.gram[(first+c)*p+i] = e.products[c][i], e.products[c][i]
		}
	}
	s.gram[first*p+first], s.gram[(first+1)*p+first+1] = e.own[0], e.own[2]
	s.gram[first*p+first+1], s.gram[(first+1)*p+first] = e.own[1], e.own[1]
	s.cross[first], s.cross[first+1] = e.cross[0], e.cross[1]
}

// flip changes the sign of the sine column of a pair, and of its row and column in A. The factor remains a valid factor, and the
// evidence does not change, because w0 is 0 there.
func (s *system) flip(pair int) {
	f, p := &s.fac, s.p
	sine := s.pairStart(pair) + 1
	raw := s.phi.RawMatrix()
	for i := range s.n {
		raw.Data[i*raw.Stride+sine] *= -1
	}
	for i := range p {
		s.gram[i*p+sine] *= -1
		s.gram[sine*p+i] *= -1
	}
	s.cross[sine] *= -1
	at := s.position(pair) + 1
	for i := range at {
		f.r[i*p+at] *= -1
	}
	for j := at + 1; j < p; j++ {
		f.r[at*p+j] *= -1
	}
	f.z[at] *= -1
}
