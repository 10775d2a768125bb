package sampler

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/gabasr/internal/features"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/linalg"
)

// The constants of the random walk in λ and of its prior, which is normal in log λ.
const (
	ridgeSteps     = 2
	ridgeWalk      = 0.7
	ridgePriorMean = -2.0
	ridgePriorSD   = 3.0
)

// chain is a Markov chain over frequencies, their mixtures and λ.
type chain struct {
	x       *mat.Dense // n×D, scaled
	trend   *mat.Dense // columns of the trend for these rows; nil without a trend
	kind    features.Map
	sys     *system
	w, v    *mixture // v is nil for a stationary map
	rng     *rand.Rand
	workers int

	labels []float64 // 0 or 1; nil for a regression
	omega  []float64 // the Pólya-Gamma variables
	roots  []float64 // roots of omega or of the weights, which multiply the rows of Φ; nil without omega and weights
	trace  float64   // log likelihood of the coefficients that were drawn last, with Pólya-Gamma variables

	step            float64 // the largest width of a move of a frequency; 0 for no moves
	fixedRidge      bool
	proposed, taken int
}

func (c *chain) pairs() int { return (c.sys.p - c.sys.head) / 2 }

func (c *chain) local() *mat.Dense {
	if c.v == nil {
		return nil
	}
	return c.v.omega
}

// fill computes Φ for the current frequencies. It returns only the error of ctx.
func (c *chain) fill() error {
	n, p := c.sys.n, c.sys.p
	features.FillHeads(c.sys.phi.RawMatrix(), c.trend, c.roots)
	return features.MapRows(c.sys.ctx, c.sys.phi.Slice(0, n, c.sys.head, p).(*mat.Dense), c.x, c.w.omega, c.local(), c.kind, c.pairs(),
		c.roots, c.workers)
}

// sweep draws everything once: the mixtures, the signs, each frequency, the Pólya-Gamma variables, and λ. At the end, the factor is
// in the order of the columns.
func (c *chain) sweep(ctx context.Context) error {
	c.proposed, c.taken = 0, 0
	for _, x := range []*mixture{c.w, c.v} {
		if x == nil {
			continue
		}
		if err := x.sample(ctx, c.rng); err != nil {
			return err
		}
		if err := c.flipSigns(ctx, x); err != nil {
			return err
		}
		m, _ := x.omega.Dims()
		proposals, err := x.propose(ctx, c.rng)
		if err != nil {
			return err
		}
		logU := make([]float64, m)
		for i := range logU {
			logU[i] = -c.rng.ExpFloat64()
		}
		if _, _, err := c.metropolis(ctx, x, proposals, logU); err != nil {
			return err
		}
		if c.step > 0 {
			if err := c.move(ctx, x); err != nil {
				return err
			}
		}
	}
	if c.sys.evidence == AugmentedEvidence {
		if err := c.augment(); err != nil {
			return err
		}
	}
	if !c.sys.factor() {
		return c.sys.failure()
	}
	if !c.fixedRidge {
		c.walk()
	}
	return ctx.Err()
}

// move proposes a nearby value for each frequency. It returns the error of the context or of a factorisation.
func (c *chain) move(ctx context.Context, x *mixture) error {
	if !c.sys.factor() {
		return c.sys.failure()
	}
	proposals, higher, err := x.nearby(ctx, c.rng, c.step)
	if err != nil {
		return err
	}
	logU := make([]float64, len(higher))
	for i, h := range higher {
		logU[i] = -c.rng.ExpFloat64() - h // threshold for the log ratio of the evidences, without the prior's
	}
	_, _, err = c.metropolis(ctx, x, proposals, logU)
	return err
}

// flipSigns draws the sign of each frequency given its component, exactly. If the sign of a w changes, so do the signs of its
// sines. The sign of a v changes no feature. It returns only the error of ctx.
func (c *chain) flipSigns(ctx context.Context, x *mixture) error {
	m, _ := x.omega.Dims()
	for i := range m {
		if err := ctx.Err(); err != nil {
			return err
		}
		if c.rng.Float64() < x.keepSign(i) {
			continue
		}
		row := x.omega.RawRowView(i)
		for j := range row {
			row[j] = -row[j]
		}
		if x == c.v {
			continue
		}
		for pair := i; pair < c.pairs(); pair += m {
			c.sys.flip(pair)
		}
	}
	return nil
}

// metropolis proposes a new value for each frequency of x, from the last to the first in the order of the factor. logU[i] decides
// on frequency i. The proposal comes from the frequency's component, so its probability and the prior cancel, and the ratio of the
// evidence remains. It returns the log ratios, and whether the proposals were accepted, by frequency.
func (c *chain) metropolis(ctx context.Context, x *mixture, proposals *mat.Dense,
	logU []float64) (logRatio []float64, accepted []bool, err error) {
	m, _ := x.omega.Dims()
	logRatio, accepted = make([]float64, m), make([]bool, m)
	if c.kind == features.AllPairs {
		err = c.blocks(ctx, x, proposals, logU, logRatio, accepted)
	} else {
		err = c.batch(ctx, x, proposals, logU, logRatio, accepted)
	}
	for _, a := range accepted {
		c.proposed++
		if a {
			c.taken++
		}
	}
	return logRatio, accepted, err
}

// replaced returns the frequencies w and v, where by replaces those of x.
func (c *chain) replaced(x *mixture, by *mat.Dense) (w, v *mat.Dense) {
	if x == c.w {
		return by, c.local()
	}
	return c.w.omega, by
}

// batch scans frequencies that have one pair of columns each. The proposals depend only on the mixture. Their columns, the products
// with the current columns, and the products with each other are therefore computed before the scan. The cost is O(np²), and O(p²)
// for each frequency.
func (c *chain) batch(ctx context.Context, x *mixture, proposals *mat.Dense, logU, logRatio []float64, accepted []bool) error {
	s := c.sys
	n, p := s.n, s.p
	width := p - s.head
	w, v := c.replaced(x, proposals)
	star := mat.NewDense(n, width, nil)
	if err := features.MapRows(ctx, star, c.x, w, v, c.kind, c.pairs(), c.roots, c.workers); err != nil {
		return err
	}
	raw := star.RawMatrix()
	old, among := general(make([]float64, width*p), width, p), general(make([]float64, width*width), width, width)
	if err := fast.GemmContext(ctx, blas.Trans, blas.NoTrans, 1, raw, s.phi.RawMatrix(), 0, old); err != nil {
		return err
	}
	if err := fast.GemmContext(ctx, blas.Trans, blas.NoTrans, 1, raw, raw, 0, among); err != nil {
		return err
	}
	cross := make([]float64, width)
	fast.Gemv(blas.Trans, 1, raw, linalg.Vector(s.target), 0, linalg.Vector(cross))
	e := exchange{stride: raw.Stride}
	for at := p - 2; at >= s.head; at -= 2 {
		if err := ctx.Err(); err != nil {
			return err
		}
		j := (s.fac.order[at] - s.head) / 2
		e.pair = j
		for k := range 2 {
			row := 2*j + k
			e.columns[k] = raw.Data[row:]
			e.products[k] = old.Data[row*p : (row+1)*p]
			e.cross[k] = cross[row]
		}
		e.own = [3]float64{among.Data[2*j*width+2*j], among.Data[2*j*width+2*j+1], among.Data[(2*j+1)*width+2*j+1]}
		logRatio[j], accepted[j] = s.tryExchange(&e, at, logU[j])
		if !accepted[j] {
			continue
		}
		copy(x.omega.RawRowView(j), proposals.RawRowView(j))
		// Later proposals are compared with the new pair.
		for row := range width {
			old.Data[row*p+s.pairStart(j)], old.Data[row*p+s.pairStart(j)+1] = among.Data[row*width+2*j], among.Data[row*width+2*j+1]
		}
	}
	return nil
}

// blocks scans frequencies that have many pairs of columns each, with AllPairs. It computes a new factor for each proposal. The
// cost is O(np·columns + p³) for each frequency, and there are about 2√pairs frequencies.
func (c *chain) blocks(ctx context.Context, x *mixture, proposals *mat.Dense, logU, logRatio []float64, accepted []bool) error {
	s := c.sys
	m, d := x.omega.Dims()
	saved := make([]float64, len(s.gram))
	savedCross := make([]float64, s.p)
	for i := m - 1; i >= 0; i-- {
		if err := ctx.Err(); err != nil {
			return err
		}
		row := x.omega.RawRowView(i)
		before := append(make([]float64, 0, d), row...)
		copy(saved, s.gram)
		copy(savedCross, s.cross)
		phi := mat.DenseCopyOf(s.phi)
		copy(row, proposals.RawRowView(i))
		if err := c.replace(x, i); err != nil {
			return err
		}
		s.fac, s.spare = s.spare, s.fac
		logRatio[i] = math.Inf(-1)
		if s.factor() {
			logRatio[i] = s.fac.logEv - s.spare.logEv
		}
		if accepted[i] = logU[i] < logRatio[i]; accepted[i] {
			continue
		}
		s.fac, s.spare = s.spare, s.fac
		copy(row, before)
		copy(s.gram, saved)
		copy(s.cross, savedCross)
		s.phi.Copy(phi)
	}
	return nil
}

// replace recomputes the columns that use frequency i of x, and their products. It returns only the error of ctx.
func (c *chain) replace(x *mixture, i int) error {
	s := c.sys
	m, d := c.w.omega.Dims()
	k, _ := c.v.omega.Dims()
	w, v := c.w.omega, c.v.omega
	columns := make([]int, 0, 2*max(m, k)) // the positions of the columns in Φ
	if x == c.w {
		w = w.Slice(i, i+1, 0, d).(*mat.Dense)
		for a := range k {
			columns = append(columns, s.pairStart(a*m+i), s.pairStart(a*m+i)+1)
		}
	} else {
		v = v.Slice(i, i+1, 0, d).(*mat.Dense)
		for b := range m {
			columns = append(columns, s.pairStart(i*m+b), s.pairStart(i*m+b)+1)
		}
	}
	fresh := mat.NewDense(s.n, len(columns), nil)
	if err := features.MapRows(s.ctx, fresh, c.x, w, v, features.AllPairs, c.pairs(), c.roots, c.workers); err != nil {
		return err
	}
	for r := range s.n {
		to, from := s.phi.RawRowView(r), fresh.RawRowView(r)
		for q, column := range columns {
			to[column] = from[q]
		}
	}
	products := general(make([]float64, len(columns)*s.p), len(columns), s.p)
	if err := fast.GemmContext(s.ctx, blas.Trans, blas.NoTrans, 1, fresh.RawMatrix(), s.phi.RawMatrix(), 0, products); err != nil {
		return err
	}
	for q, column := range columns {
		for o := range s.p {
			s.gram[column*s.p+o], s.gram[o*s.p+column] = products.Data[q*s.p+o], products.Data[q*s.p+o]
		}
	}
	cross := make([]float64, len(columns))
	fast.Gemv(blas.Trans, 1, fresh.RawMatrix(), linalg.Vector(s.target), 0, linalg.Vector(cross))
	for q, column := range columns {
		s.cross[column] = cross[q]
	}
	return nil
}

// walk makes a random walk in log λ, with a factorisation for each step.
func (c *chain) walk() {
	s := c.sys
	logPrior := func(l float64) float64 {
		z := (math.Log(l) - ridgePriorMean) / ridgePriorSD
		return -z * z / 2
	}
	for range ridgeSteps {
		next := s.ridge * math.Exp(ridgeWalk*c.rng.NormFloat64())
		logU := -c.rng.ExpFloat64()
		if !s.factorAt(next, &s.spare) {
			continue
		}
		if logU < s.spare.logEv-s.fac.logEv+logPrior(next)-logPrior(s.ridge) {
			s.fac, s.spare, s.ridge = s.spare, s.fac, next
		}
	}
}

// augment draws the coefficients w ~ N(A⁻¹r, A⁻¹), and then the Pólya-Gamma variables, which become the weights of the rows of Φ.
// The factor is then out of date. The cost is O(np²). It returns only the error of the context.
func (c *chain) augment() error {
	scores := c.scores(c.drawCoefficients())
	c.trace = logLikelihood(scores, c.labels, c.sys.rows)
	return c.reweigh(scores)
}

// drawCoefficients draws from N(A⁻¹r, A⁻¹), in the order of the columns.
func (c *chain) drawCoefficients() []float64 {
	s := c.sys
	sorted := append([]float64(nil), s.fac.z...)
	for i := range sorted {
		sorted[i] += c.rng.NormFloat64()
	}
	fast.Trsv(blas.NoTrans, s.triangle(&s.fac, s.p), linalg.Vector(sorted))
	out := make([]float64, s.p)
	for i, column := range s.fac.order {
		out[column] = sorted[i]
	}
	return out
}

// scores returns Φw without the factors of the rows.
func (c *chain) scores(w []float64) []float64 {
	out := make([]float64, c.sys.n)
	fast.Gemv(blas.NoTrans, 1, c.sys.phi.RawMatrix(), linalg.Vector(w), 0, linalg.Vector(out))
	for i := range out {
		if c.roots != nil {
			out[i] /= c.roots[i]
		}
	}
	return out
}

// reweigh draws the Pólya-Gamma variables given the scores. It returns only the error of the context.
func (c *chain) reweigh(scores []float64) error {
	n := c.sys.n
	if c.roots == nil {
		c.omega, c.roots = make([]float64, n), make([]float64, n)
	}
	for i, f := range scores {
		c.omega[i] = polyaGamma(f, c.rng)
	}
	return c.weigh()
}

// weigh computes the roots of the Pólya-Gamma variables, and with them Φ and the targets. It returns only the error of ctx.
func (c *chain) weigh() error {
	target := make([]float64, c.sys.n)
	for i, o := range c.omega {
		c.roots[i] = math.Sqrt(o)
		target[i] = (c.labels[i] - 0.5) / c.roots[i]
	}
	if err := c.fill(); err != nil {
		return err
	}
	return c.sys.load(target)
}

// keep returns a copy of the state at the end of a sweep.
func (c *chain) keep() *features.Draw {
	s := c.sys
	d := &features.Draw{
		W: codec.FromDense(c.w.omega), Coefficients: make(codec.Floats, s.p), Shape: s.shape(), Rate: s.fac.bN, Ridge: s.ridge,
		LogEv: s.fac.logEv, Mixture: c.w.stored(), Factor: make(codec.Floats, 0, s.p*(s.p+1)/2),
	}
	if c.v != nil {
		d.V, d.Local = codec.FromDense(c.v.omega), c.v.stored()
	}
	s.coefficientsInto(d.Coefficients, &s.fac)
	for i := range s.p {
		d.Factor = append(d.Factor, s.fac.r[i*s.p+i:(i+1)*s.p]...)
	}
	return d
}

func (x *mixture) stored() []features.Part {
	var out []features.Part
	for _, c := range x.parts {
		s := features.Part{N: c.n, Mu: append(codec.Floats(nil), c.mu...)}
		for i := range c.mu {
			for j := range i + 1 {
				s.Root = append(s.Root, c.root.At(i, j))
			}
		}
		out = append(out, s)
	}
	return out
}
