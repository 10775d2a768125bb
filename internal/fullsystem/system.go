package fullsystem

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/anyrows"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/loo"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/vecmath"
	"github.com/kernelearn/kernelearn/internal/weights"
	"github.com/kernelearn/kernelearn/kernels"
)

// Defaults of Settings.
const (
	DefaultTolerance = 0.01
	// All probes together have about probeNumbers numbers, so that the noise of their sum is a few per cent. There are between
	// leastProbes and mostProbes of them.
	probeNumbers            = 20_000
	leastProbes, mostProbes = 2, 8
)

// Settings describes how a problem is solved.
type Settings struct {
	Type      string  // name of the type that is fitted, for errors
	Tolerance float64 // tolerance for leave-one-out residuals, relative to their norm; 0: DefaultTolerance
	Probes    int     // number of random vectors for the sum of the inverse's diagonal; 0: depends on the number of rows, < 0: none
	Rank      int     // rank of the preconditioner; 0: chosen by cost
	Seed      uint64
	Workers   int
	MaxBytes  int64 // 0: kernels.MaxKernelBytes
	Steps     *progress.Steps
	Storage   *Storage // nil: chosen by the ridge
	// If Checkpoint is not nil, it is called after each iteration of Solve for one ridge, until stagnation or a correction. If
	// Resume is not nil, Solve continues from this state.
	Checkpoint func(*State)
	Resume     *State
}

func (s Settings) tolerance() float64 { return cmp.Or(s.Tolerance, DefaultTolerance) }

func (s Settings) limit() float64 { return float64(cmp.Or(s.MaxBytes, kernels.MaxKernelBytes)) }

// Problem is the kernel machine on all rows, which must be distinct. It can be solved for several ridges.
type Problem struct {
	Settings
	n       int
	kernel  kernels.Kernel
	rows    mat.Matrix // n×d, dense or sparse as in package anyrows
	weights []float64  // nil: all 1
	roots   []float64  // square roots of the weights
	means   []float64  // means of the targets
	targets *mat.Dense // targets minus their means

	unit         float64 // U
	norm         float64 // estimated Frobenius norm of S
	perturbation float64 // estimated bound of the Frobenius norm of the rounding errors of float32 tiles
	spread       float64 // estimated variation of K/U, 1 minus the mean of its entries
	matrix       *matrix
	storage      Storage
	kept         float64 // share of the tiles that is stored
	conditioner  *preconditioner
	doubled      bool // the rank was doubled
	weighed      [][]float64

	// The variances of all ridges share these fields.
	base    *Posterior
	isPivot []bool // whether each row is a pivot of base
	forest  *forest
}

const (
	// factorShare is the largest share of the memory limit that F may use.
	factorShare = 0.25
	// vectorsOf is the number of vectors for each right-hand side, without those of the partial sums.
	vectorsOf = 6
	// normRows is the number of rows drawn to estimate the norm of K.
	normRows = 256
	// normStream is the random stream "norm".
	normStream = 0x6e6f726d
	// mostRank is the largest rank that is chosen by cost.
	mostRank = 4000
)

// NewProblem returns a problem for these distinct rows and targets (n×k). It keeps the rows and changes none of its arguments. It
// computes nothing of order n². It returns ErrTooLarge if a preconditioner of a small rank does not fit into memory, ErrNotFinite
// if a kernel value overflows, or ctx's error.
func NewProblem(ctx context.Context, s Settings, kernel kernels.Kernel, rows mat.Matrix, targets *mat.Dense, weights []float64) (*Problem,
	error) {
	p := &Problem{Settings: s, kernel: kernel, rows: rows, weights: weights}
	p.n, _ = rows.Dims()
	if err := s.Holds(p.n); err != nil {
		return nil, err
	}
	p.centre(targets)
	if weights != nil {
		p.roots = make([]float64, p.n)
		for i, w := range weights {
			p.roots[i] = math.Sqrt(w)
		}
	}
	diagonal := make([]float64, p.n)
	kernels.Diag(diagonal, kernel, rows)
	if p.unit = floats.Sum(diagonal) / float64(p.n); !(p.unit > 0) || p.unit-p.unit != 0 {
		p.unit = 1
	}
	if err := p.estimateNorm(ctx); err != nil {
		return nil, err
	}
	prepared, err := kernels.Prepare(ctx, kernel, rows, &kernels.Options{Workers: s.Workers, MaxBytes: s.MaxBytes})
	if err != nil {
		return nil, err
	}
	if p.matrix, err = newMatrix(prepared, p.n, p.unit, s.Workers); err != nil {
		return nil, err
	}
	return p, p.estimatePerturbation(ctx)
}

// leastRank is the rank of the smallest preconditioner that must fit into memory.
const leastRank = 100

// Holds returns an ErrTooLarge error if a system of this many rows does not fit into memory without storing any entry of K.
func (s Settings) Holds(rows int) error {
	n := float64(rows)
	return check.BytesWithin(fmt.Sprintf("%s: the preconditioner of %d rows", s.Type, rows),
		8*n*(min(leastRank, n)/factorShare+8*vectorsOf),
		int64(s.limit()), "use package falkon, which fits any number of rows on landmarks, or raise MaxKernelBytes")
}

// Keeps reports whether all entries of K, in float32, fit into the memory in addition to the largest factor.
func (s Settings) Keeps(rows int) bool { return tileBytes(rows, 4) <= (1-factorShare)*s.limit() }

// SetTargets replaces the targets (n×k) for later solutions.
func (p *Problem) SetTargets(targets *mat.Dense) { p.centre(targets) }

func (p *Problem) centre(targets *mat.Dense) {
	n, k := targets.Dims()
	p.means, p.targets = make([]float64, k), mat.DenseCopyOf(targets)
	total := 0.
	for i := range n {
		w := weights.Weight(p.weights, i)
		total += w
		floats.AddScaled(p.means, w, targets.RawRowView(i))
	}
	floats.Scale(1/total, p.means)
	for i := range n {
		floats.Sub(p.targets.RawRowView(i), p.means)
	}
}

func (p *Problem) probes() int {
	if p.Probes != 0 {
		return max(p.Probes, 0)
	}
	return min(max(probeNumbers/p.n, leastProbes), mostProbes)
}

// root returns √w[i].
func (p *Problem) root(i int) float64 {
	if p.roots == nil {
		return 1
	}
	return p.roots[i]
}

// leastSpread is the variation assumed for a nearly constant kernel.
const leastSpread = 1e-9

// estimateNorm estimates the norm and the variation from a square submatrix.
func (p *Problem) estimateNorm(ctx context.Context) error {
	drawn := p.square()
	x := anyrows.Pick(p.rows, drawn)
	k := mat.NewDense(len(drawn), len(drawn), nil)
	kernels.Block(k, p.kernel, x, x)
	if err := check.Finite(p.kernel.String(), k); err != nil {
		return err
	}
	sum := 0.
	for a, i := range drawn {
		for b, j := range drawn {
			v := k.At(a, b) / p.unit * p.root(i) * p.root(j)
			sum += v * v
		}
	}
	p.spread = max(1-mat.Sum(k)/(p.unit*float64(len(drawn)*len(drawn))), leastSpread)
	p.norm = float64(p.n) / float64(len(drawn)) * math.Sqrt(sum)
	return ctx.Err()
}

// square draws the rows of a square submatrix.
func (p *Problem) square() []int {
	drawn := rand.New(rand.NewPCG(p.Seed, normStream)).Perm(p.n)[:min(p.n, normRows)]
	slices.Sort(drawn)
	return drawn
}

const (
	// rounding is the largest relative error of rounding to float32 once.
	rounding = 0x1p-24
	// measuredFactor multiplies the measured errors of values computed in float32, as a margin.
	measuredFactor = 2
	// A ridge of at least safe times the bound of the perturbation allows tiles in float32. A ridge of at least refines times the
	// probable norm of the perturbation allows them with corrections, each of which leaves less than a third of the error.
	safe, refines = 10, 3
	// The ratio of the probable norm of the perturbation to the ridge is about the relative change of leave-one-out residuals. The
	// perturbation is ignored if this ratio is at most perturbedShare times the tolerance.
	perturbedShare = 1. / 3
)

// estimatePerturbation bounds the errors of float32 tiles. The bound follows from the rounding of each entry or, if the kernel
// computes in float32, from the errors in the square submatrix of estimateNorm.
func (p *Problem) estimatePerturbation(ctx context.Context) error {
	p.perturbation = rounding * p.norm
	if !p.matrix.hasSingle {
		return nil
	}
	drawn := p.square()
	n := len(drawn)
	prepared, err := kernels.Prepare(ctx, p.kernel, anyrows.Pick(p.rows, drawn), nil)
	if err != nil {
		return err
	}
	exact, got := mat.NewDense(n, n, nil), make([]float32, n*n)
	if err := prepared.BlockTo(exact, 0, 0); err != nil {
		return err
	}
	if ok, err := prepared.SingleTo(got, n, n, 0, 0); !ok {
		return err
	}
	sum := 0.
	for a, i := range drawn {
		for b, j := range drawn {
			v := (exact.At(a, b) - float64(got[a*n+b])) / p.unit * p.root(i) * p.root(j)
			sum += v * v
		}
	}
	p.perturbation = max(p.perturbation, measuredFactor*float64(p.n)/float64(n)*math.Sqrt(sum))
	return nil
}

// chooseStorage returns the storage of K for a ridge Λ and a perturbation of K. If the errors are independent, the spectral norm is
// about twice their Frobenius norm divided by √n. Refinement converges if the spectral norm is small compared with the ridge, even
// if the bound of the Frobenius norm is not.
func (p *Problem) chooseStorage(ridge, perturbation float64) Storage {
	likely := 2 * perturbation / math.Sqrt(float64(p.n))
	switch {
	case p.Storage != nil:
		return *p.Storage
	case ridge >= safe*perturbation, ridge*perturbedShare*p.tolerance() >= likely:
		return Single
	case ridge >= refines*likely:
		return Refined
	}
	return Double
}

// share returns the fraction of the tiles that fits into memory. The parameter beside is the memory for other purposes, in bytes.
func (p *Problem) share(s Storage, beside float64) float64 {
	return max(0, min(1, (p.limit()-beside)/tileBytes(p.n, s.size())))
}

// Solution holds the coefficients for one ridge, and their leave-one-out results.
type Solution struct {
	Ridge float64
	loo.Solution
	// Error estimates the remaining change of the leave-one-out residuals, relative to their norm.
	Error     float64
	Converged bool
	// Score is the weighted mean squared leave-one-out residual. Scales holds the mean of α²/d for each target, where d is the
	// diagonal of Inverse.
	Score  float64
	Scales []float64

	model     *conditional
	system    *system
	variances []float64 // of each row given all others
	scale     float64   // c, included in the variances
}

// Report describes the course of a solution.
type Report struct {
	Iterations int // the largest number of iterations of any right-hand side
	Rank       int
	Storage    Storage
	Kept       float64 // the fraction of stored tiles; the others were computed in each pass
	Corrected  int     // the number of corrections with residuals in float64
	Warnings   []string
}

// Entries describes the precision and storage of K for progress messages.
func (r Report) Entries() string {
	if r.Kept == 1 {
		return r.Storage.String()
	}
	return fmt.Sprintf("%v, %.0f%% of it stored", r.Storage, 100*r.Kept)
}

// Solve solves the problem for each of the ridges λ. Each iteration passes over K once for all ridges. The report contains a
// warning if a system did not converge.
func (p *Problem) Solve(ctx context.Context, ridges []float64) ([]*Solution, Report, error) {
	return p.solveFrom(ctx, nil, ridges)
}

// solveFrom is Solve, except that it starts from the solution for another ridge if from is not nil.
func (p *Problem) solveFrom(ctx context.Context, from *Solution, ridges []float64) ([]*Solution, Report, error) {
	var report Report
	if len(ridges) == 0 {
		return nil, report, nil
	}
	least, probes := slices.Min(ridges)/p.unit, p.probes()
	parts := progress.Parts(ctx, 3, 2, 4, 1)
	if err := p.prepare(parts[0], parts[1], least, len(ridges), 1+len(p.means)+probes); err != nil {
		return nil, report, err
	}
	out := make([]*Solution, len(ridges))
	var sides []*rightSide
	for i, ridge := range ridges {
		if err := p.conditioner.shift(ctx, ridge/p.unit); err != nil {
			return nil, report, err
		}
		s, err := p.newSystem(ctx, ridge)
		if err != nil {
			return nil, report, err
		}
		p.addProbes(s, probes)
		if from != nil {
			for j, side := range s.all() {
				side.beginFrom(from.system.all()[j])
			}
		}
		out[i] = &Solution{Ridge: ridge, system: s, model: s.model}
		sides = append(sides, s.all()...)
	}
	var checkpoint func()
	if len(ridges) == 1 && from == nil {
		if p.Resume != nil {
			if err := p.resumeFrom(parts[2], out[0].system, p.Resume); err != nil {
				return nil, report, err
			}
		}
		if p.Checkpoint != nil {
			checkpoint = func() { p.Checkpoint(p.state(out[0].system)) }
		}
	}
	if err := p.run(parts[2], sides, checkpoint, &report); err != nil {
		return nil, report, err
	}
	for _, s := range out {
		p.solution(s)
	}
	return out, report, p.leaveOut(parts[3], out)
}

// prepare computes the tiles and the preconditioner unless they exist.
func (p *Problem) prepare(build, factor context.Context, ridge float64, ridges, each int) error {
	columns := ridges * each
	n := float64(p.n)
	vectors := 8 * n * float64(vectorsOf*columns+p.matrix.sums(columns)*columns)
	most := p.Rank
	if most == 0 {
		most = min(mostRank, int(p.limit()*factorShare/(8*n)))
	}
	most = max(1, min(most, p.n))
	if p.conditioner != nil {
		most = p.conditioner.rank()
	}
	// Memory for the features of the pivots and the variances of each ridge is needed in addition to the factor.
	beside := func(most int) float64 {
		return vectors + 8*n*float64(most+min(most, conditionalRank)+2*ridges) + 16*float64(most*most)
	}
	// A smaller factor needs more iterations, but computing tiles in float64 in each pass costs as much as many iterations.
	if p.conditioner == nil && p.Rank == 0 && !p.matrix.hasSingle && tileBytes(p.n, 4)+beside(min(most, leastRank)) <= p.limit() {
		for tileBytes(p.n, 4)+beside(most) > p.limit() {
			most = max(most*3/4, leastRank)
		}
	}
	storage := p.chooseStorage(ridge, p.perturbation)
	if once := rounding * p.norm; storage == Double && p.matrix.hasSingle && p.chooseStorage(ridge, once) != Double {
		// Float64 values that are rounded once are closer to K than values computed in float32.
		storage, p.perturbation, p.matrix.hasSingle = p.chooseStorage(ridge, once), once, false
		p.matrix.drop()
	}
	if p.conditioner != nil && storage == p.storage && p.matrix.hasTiles(storage != Double) {
		return nil
	}
	if p.storage = storage; !p.matrix.hasTiles(storage != Double) {
		p.matrix.drop()
		p.kept = p.share(storage, beside(most))
		if err := p.matrix.build(build, storage != Double, p.kept); err != nil {
			return err
		}
	}
	if p.conditioner != nil {
		return nil
	}
	var err error
	p.conditioner, err = p.newPreconditioner(factor, most, p.rankChoice(ridge, ridges, columns).enoughUnless(p.Rank > 0))
	return err
}

func (p *Problem) rankChoice(ridge float64, ridges, columns int) *rankChoice {
	_, d := p.rows.Dims()
	entry := kernelCost + float64(d)
	pairs := float64(p.n) * float64(p.n) / 2
	c := &rankChoice{n: p.n, columns: columns, ridges: ridges, kernel: entry, ridge: ridge, tolerance: min(p.tolerance(), 1),
		pass: pairs * (entryCost + 2*float64(columns))}
	if p.matrix.hasSingle && p.storage != Double {
		entry = singleCost + singleColumnCost*float64(d)
	}
	c.pass += (1 - p.kept) * pairs * entry
	return c
}

// enoughUnless returns the method enough, or nil if the caller has set the rank.
func (c *rankChoice) enoughUnless(given bool) func(int, float64) bool {
	if given {
		return nil
	}
	return c.enough
}

// system holds the right-hand sides of one ridge.
type system struct {
	ridge   float64 // λ
	ones    *rightSide
	targets []*rightSide
	probes  []*rightSide
	model   *conditional
}

// all returns the right-hand sides in the order in which they are solved.
func (s *system) all() []*rightSide {
	return append(append([]*rightSide{s.ones}, s.targets...), s.probes...)
}

const (
	// energyTolerance is the largest accepted energy norm of the error, relative to that of the solution. It applies to the probes,
	// which have larger noise than this, and to the right-hand side of ones. The sum of the solution for the ones then has an error
	// of 1%.
	energyTolerance = 0.06
	// probeResidual is the largest residual of a probe, relative to the norm of the probe.
	probeResidual = 0.3
	// probeStream is the random stream "probes".
	probeStream = 0x70726f626573
)

func (p *Problem) newSystem(ctx context.Context, ridge float64) (*system, error) {
	scaled := ridge / p.unit
	s := &system{ridge: ridge}
	var err error
	if s.model, err = p.newConditional(ctx, scaled, usualShare); err != nil {
		return nil, err
	}
	ones := make([]float64, p.n)
	for i := range ones {
		ones[i] = p.root(i)
	}
	s.ones = newRightSide(scaled, ones, s.model.diagonal)
	for j := range p.means {
		b := mat.Col(nil, j, p.targets)
		if p.roots != nil {
			floats.Mul(b, p.roots)
		}
		t := newRightSide(scaled, b, s.model.diagonal)
		t.excess = func() float64 { return ratio(t.left, p.tolerance()*s.model.leftOut(t.u)) }
		s.targets = append(s.targets, t)
	}
	s.ones.excess = func() float64 { return p.excessOfOnes(s) }
	return s, nil
}

// addProbes adds random probes, the same for all ridges.
func (p *Problem) addProbes(s *system, count int) {
	random := rand.New(rand.NewPCG(p.Seed, probeStream))
	for range count {
		z := make([]float64, p.n)
		for i := range z {
			z[i] = 1
			if random.Uint64()&1 == 0 {
				z[i] = -1
			}
		}
		t := newRightSide(s.ones.ridge, z, nil)
		t.probe, t.excess = true, func() float64 { return p.excessOfProbe(t) }
		s.probes = append(s.probes, t)
	}
}

// ratio returns a/b, or 0 if both are 0.
func ratio(a, b float64) float64 {
	if a == 0 {
		return 0
	}
	return a / b
}

// excessOfEnergy returns the energy norm of the error divided by the largest accepted one, which is relative to the energy norm of
// the solution.
func (p *Problem) excessOfEnergy(s *rightSide) float64 {
	return ratio(s.energy, min(energyTolerance, 10*p.tolerance())*math.Sqrt(max(floats.Dot(s.u, s.b), 0)))
}

// excessOfProbe also requires a small residual. If the ridge is small, the first iterations may change nothing, and the estimate of
// the energy is then too small.
func (p *Problem) excessOfProbe(s *rightSide) float64 {
	return max(p.excessOfEnergy(s), ratio(floats.Norm(s.r, 2), probeResidual*math.Sqrt(float64(p.n))))
}

// excessOfOnes requires that the energy norm of the error is small. It also requires that the error, multiplied by the bias of each
// target, is within the tolerance for that target.
func (p *Problem) excessOfOnes(s *system) float64 {
	sum := floats.Dot(s.ones.u, s.ones.b)
	out := p.excessOfEnergy(s.ones)
	for _, t := range s.targets {
		out = max(out, ratio(math.Abs(floats.Dot(t.u, s.ones.b)/sum)*s.ones.left, p.tolerance()*s.model.leftOut(t.u)))
	}
	return out
}

// run iterates until all sides have converged, raises the rank after a stagnation, and corrects the rounding of the tiles.
func (p *Problem) run(ctx context.Context, sides []*rightSide, checkpoint func(), report *Report) error {
	first, rest := progress.Two(ctx, 3, 2)
	if err := p.iterate(first, sides, checkpoint); err != nil {
		return err
	}
	if waiting := notConverged(sides); len(waiting) > 0 && !p.doubled {
		before := p.conditioner.rank()
		if err := p.double(rest, sides); err != nil {
			return err
		}
		if p.doubled {
			report.Warnings = append(report.Warnings, fmt.Sprintf(
				"conjugate gradients stagnated with a preconditioner of rank %d: it was doubled", before))
			if err := p.resume(rest, waiting, false); err != nil {
				return err
			}
		}
	}
	for p.storage == Refined && report.Corrected < mostCorrections {
		again, err := p.correct(rest, precise(sides))
		if err != nil {
			return err
		}
		if !again {
			break
		}
		report.Corrected++
	}
	if waiting := notConverged(sides); len(waiting) > 0 {
		report.Warnings = append(report.Warnings, fmt.Sprintf(
			"conjugate gradients did not reach the tolerance for %d of %d systems, with a preconditioner of rank %d",
			len(waiting), len(sides),
			p.conditioner.rank()))
	}
	report.Rank, report.Storage, report.Kept = p.conditioner.rank(), p.storage, p.kept
	for _, s := range sides {
		report.Iterations = max(report.Iterations, s.iterations)
	}
	return nil
}

// mostCorrections is the largest number of corrections with tiles in float64.
const mostCorrections = 2

// precise returns all sides except the probes: their noise exceeds the rounding of the tiles, so they need no correction.
func precise(sides []*rightSide) (out []*rightSide) {
	for _, s := range sides {
		if !s.probe {
			out = append(out, s)
		}
	}
	return out
}

func notConverged(sides []*rightSide) (out []*rightSide) {
	for _, s := range sides {
		if s.state != converged {
			out = append(out, s)
		}
	}
	return out
}

// double replaces the preconditioner with one of twice the rank if memory holds both.
func (p *Problem) double(ctx context.Context, sides []*rightSide) error {
	rank := min(2*max(p.conditioner.rank(), leastRank), p.n)
	if rank <= p.conditioner.rank() || p.tileBytes()+8*float64(p.n)*float64(rank+p.conditioner.rank()) > p.limit() {
		return ctx.Err()
	}
	c, err := p.newPreconditioner(ctx, rank, nil)
	if err != nil {
		return err
	}
	p.conditioner, p.doubled = c, true
	for _, s := range sides {
		if err := c.shift(ctx, s.ridge); err != nil {
			return err
		}
	}
	return nil
}

// tileBytes returns the memory of the stored tiles.
func (p *Problem) tileBytes() float64 { return p.kept * tileBytes(p.n, p.storage.size()) }

// resume recomputes the residuals from the solutions, and iterates again.
func (p *Problem) resume(ctx context.Context, sides []*rightSide, exactly bool) error {
	if err := p.residuals(ctx, sides, exactly); err != nil {
		return err
	}
	return p.iterate(ctx, sides, nil)
}

// residuals computes r = b - (S + ΛI)u for each side, and restarts its iteration from this residual.
func (p *Problem) residuals(ctx context.Context, sides []*rightSide, exactly bool) error {
	dst, x := make([][]float64, len(sides)), make([][]float64, len(sides))
	for i, s := range sides {
		dst[i], x[i] = s.q, s.u
	}
	if err := p.product(ctx, dst, x, exactly); err != nil {
		return err
	}
	return each(ctx, p.Workers, sides, func(s *rightSide) {
		for i, b := range s.b {
			s.q[i] = b - s.q[i] - s.ridge*s.u[i]
		}
		s.restart(s.q)
	})
}

// correct computes the residuals in float64. If a residual exceeds mostRounding times the one at which its iteration ended, correct
// iterates until it does not. It reports whether there were such residuals.
func (p *Problem) correct(ctx context.Context, sides []*rightSide) (bool, error) {
	goals, lefts := make([]float64, len(sides)), make([]float64, len(sides))
	for i, s := range sides {
		goals[i], lefts[i] = floats.Norm(s.r, 2), s.left
	}
	if err := p.residuals(ctx, sides, true); err != nil {
		return false, err
	}
	again := false
	for i, s := range sides {
		if s.goal = mostRounding * goals[i]; floats.Norm(s.r, 2) <= s.goal {
			s.left, s.state = lefts[i], converged
		} else {
			again = true
		}
	}
	if !again {
		return false, ctx.Err()
	}
	err := p.iterate(ctx, sides, nil)
	for i, s := range sides {
		s.left = lefts[i]
	}
	return true, err
}

// mostRounding is the largest accepted ratio of the true residual to the residual of the iterations.
const mostRounding = 1.5

// solution fills in the coefficients of a solved system.
func (p *Problem) solution(out *Solution) {
	k, s := len(p.means), out.system
	out.Converged = len(notConverged(s.all())) == 0
	out.Solution = loo.Solution{Alpha: mat.NewDense(p.n, k, nil), Bias: make([]float64, k), Eta: p.unscaled(s.ones.u)}
	sum := vecmath.Sum(out.Eta)
	for j, t := range s.targets {
		nu := p.unscaled(t.u)
		out.Bias[j] = vecmath.Sum(nu) / sum
		floats.AddScaled(nu, -out.Bias[j], out.Eta)
		out.Alpha.SetCol(j, nu)
		out.Bias[j] += p.means[j]
		out.Error = max(out.Error, p.tolerance()*t.excess())
	}
}

// unscaled returns √w u / U.
func (p *Problem) unscaled(u []float64) []float64 {
	out := slices.Clone(u)
	floats.Scale(1/p.unit, out)
	if p.roots != nil {
		floats.Mul(out, p.roots)
	}
	return out
}
