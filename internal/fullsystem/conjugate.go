package fullsystem

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/progress"
)

const (
	// delay is the number of iterations after which the error before them is estimated from their gains.
	delay = 5
	// The iterations end after stagnant iterations without a new minimum of the estimate or of the residual.
	stagnant = 30
	// mostIterations is the limit on iterations.
	mostIterations = 1000
	// worstRatio is the largest factor by which the squared error is assumed to fall in delay iterations, and mostFall is its
	// square root.
	worstRatio, mostFall = 0.9, 0.95
)

// rightSide is one system (S + ΛI)u = b with the state of its iterations.
type rightSide struct {
	ridge      float64 // Λ
	b          []float64
	u, r, p, q []float64
	rho        float64   // r'P⁻¹r
	gains      []float64 // reductions of the squared energy norm of the error in the last iterations
	// excess returns the ratio of the error to the tolerance. The system is solved once it is at most 1.
	excess func() float64
	probe  bool
	// The minima so far, and the number of iterations since the last new minimum. The estimate of the energy can rise while the
	// iterations explore directions that the preconditioner lacks.
	leastEnergy, leastResidual float64
	since                      int
	iterations                 int
	energy                     float64 // estimated energy norm of the error, √(e'(S + ΛI)e)
	state                      state
	// diagonal holds the diagonal of the approximation's inverse. A change of u divided by diagonal is the change of the
	// leave-one-out predictions. For probes it is nil.
	diagonal []float64
	before   []float64 // u at iteration looked
	looked   int       // the iteration of before
	change   float64   // norm of the change of u/diagonal over one delay
	left     float64   // estimate of the remaining change
	goal     float64   // norm of the residual at which the iterations end; 0 for none
}

type state int

const (
	running state = iota
	converged
	stagnated
	indefinite
)

func newRightSide(ridge float64, b, diagonal []float64) *rightSide {
	n := len(b)
	s := &rightSide{ridge: ridge, b: b, u: make([]float64, n), r: make([]float64, n), p: make([]float64, n), q: make([]float64, n),
		diagonal: diagonal}
	if diagonal != nil {
		s.before = make([]float64, n)
	}
	s.restart(b)
	return s
}

// beginFrom begins with the solution of the same system with another ridge Λ'. The residual is b - (S + ΛI)u = b - (S + Λ'I)u + (Λ'
// - Λ)u.
func (s *rightSide) beginFrom(other *rightSide) {
	copy(s.u, other.u)
	copy(s.r, other.r)
	linalg.Axpy(other.ridge-s.ridge, other.u, s.r)
	copy(s.before, s.u)
}

// restart begins again with the given residual. The iterations then compute a correction, which is added to u.
func (s *rightSide) restart(residual []float64) {
	copy(s.r, residual)
	clear(s.p)
	s.rho, s.gains, s.since, s.energy, s.state = 0, nil, 0, math.Inf(1), running
	s.leastEnergy, s.leastResidual = math.Inf(1), math.Inf(1)
	copy(s.before, s.u)
	s.looked, s.change, s.left, s.goal = s.iterations, math.Inf(1), math.Inf(1), 0
}

// estimateChange estimates the remaining change of the leave-one-out predictions, once every delay iterations. It assumes that the changes
// fall by a similar factor from one delay to the next.
func (s *rightSide) estimateChange() {
	if s.diagonal == nil || s.iterations < s.looked+delay {
		return
	}
	sum := 0.
	for i, d := range s.diagonal {
		if d > 0 {
			change := (s.u[i] - s.before[i]) / d
			sum += change * change
		}
	}
	change := math.Sqrt(sum)
	if !math.IsInf(s.change, 1) {
		ratio := min(change/max(s.change, math.SmallestNonzeroFloat64), mostFall)
		s.left = change * ratio / (1 - ratio)
	}
	s.change, s.looked = change, s.iterations
	copy(s.before, s.u)
}

// beyond returns the ratio of the residual to its goal if there is a goal, and otherwise excess.
func (s *rightSide) beyond() float64 {
	if s.goal > 0 {
		return ratio(floats.Norm(s.r, 2), s.goal)
	}
	return s.excess()
}

// estimate returns an estimate of the energy norm of the error. The sum of the gains of delay iterations is the squared error
// before them minus the squared error after them. The gains are assumed to fall by a similar factor from one delay to the next.
func (s *rightSide) estimate() float64 {
	count := len(s.gains)
	if count < 2 {
		return math.Inf(1)
	}
	window := min(delay, count/2)
	last, before := floats.Sum(s.gains[count-window:]), floats.Sum(s.gains[count-2*window:count-window])
	if !(before > 0) {
		return 0
	}
	ratio := min(last/before, worstRatio)
	return math.Sqrt(last * ratio / (1 - ratio))
}

// step completes an iteration, given q = (S + ΛI)p.
func (s *rightSide) step() {
	curvature := linalg.Dot(s.p, s.q)
	s.iterations++
	if !(curvature > 0) {
		if s.rho > 0 {
			s.state = indefinite
		} else {
			s.energy, s.state = 0, converged
		}
		return
	}
	gamma := s.rho / curvature
	linalg.Axpy(gamma, s.p, s.u)
	linalg.Axpy(-gamma, s.q, s.r)
	if s.gains = append(s.gains, gamma*s.rho); len(s.gains) > 2*delay {
		s.gains = s.gains[1:]
	}
	s.energy = s.estimate()
	s.estimateChange()
	residual := floats.Norm(s.r, 2)
	if s.since++; s.energy < s.leastEnergy || residual < s.leastResidual {
		s.since = 0
	}
	s.leastEnergy, s.leastResidual = min(s.leastEnergy, s.energy), min(s.leastResidual, residual)
	if s.since >= stagnant {
		s.state = stagnated
	}
}

// turn sets the next search direction, given q = P⁻¹r.
func (s *rightSide) turn() {
	rho := linalg.Dot(s.r, s.q)
	switch {
	case rho == 0:
		s.energy, s.state = 0, converged
		return
	case !(rho > 0): // rounding, or an overflow
		s.state = stagnated
		return
	case s.rho == 0:
		copy(s.p, s.q)
	default:
		floats.Scale(rho/s.rho, s.p)
		linalg.Axpy(1, s.q, s.p)
	}
	s.rho = rho
}

// iterate continues all right-hand sides that have not ended until they end. If checkpoint is not nil, it is called after each
// iteration.
func (p *Problem) iterate(ctx context.Context, sides []*rightSide, checkpoint func()) error {
	loop := progress.NewLoop(ctx)
	defer loop.End()
	quiet := progress.Silent(ctx)
	var begin float64
	for iteration := 0; iteration < mostIterations; iteration++ {
		active := stillRunning(sides)
		if len(active) == 0 {
			break
		}
		if err := p.precondition(quiet, active); err != nil {
			return err
		}
		if active = stillRunning(active); len(active) == 0 {
			break
		}
		if err := p.multiply(quiet, active); err != nil {
			return err
		}
		if err := each(quiet, p.Workers, active, func(s *rightSide) { s.step() }); err != nil {
			return err
		}
		worst := 0.
		for _, s := range active {
			if s.state == indefinite {
				return &fault.NotPSDError{What: p.Type + ": K + ridge"}
			}
			excess := s.beyond()
			if s.state == running && excess <= 1 {
				s.state = converged
			}
			worst = max(worst, excess)
		}
		if math.IsInf(worst, 1) {
			worst = math.MaxFloat64
		} else if begin == 0 {
			begin = worst
		}
		p.Steps.Next(worst, "%d of %d systems are not solved", len(stillRunning(active)), len(sides))
		loop.Report(progress.Towards(begin, worst, 1))
		if checkpoint != nil {
			checkpoint()
		}
	}
	return ctx.Err()
}

// stillRunning returns the right-hand sides that have not ended.
func stillRunning(sides []*rightSide) (out []*rightSide) {
	for _, s := range sides {
		if s.state == running {
			out = append(out, s)
		}
	}
	return out
}

func each(ctx context.Context, workers int, sides []*rightSide, f func(s *rightSide)) error {
	return parallel.ForEach(ctx, workers, len(sides), func(i int) error {
		f(sides[i])
		return nil
	})
}

// precondition sets the next search direction of each right-hand side.
func (p *Problem) precondition(ctx context.Context, sides []*rightSide) error {
	dst, v, ridges := make([][]float64, len(sides)), make([][]float64, len(sides)), make([]float64, len(sides))
	for i, s := range sides {
		dst[i], v[i], ridges[i] = s.q, s.r, s.ridge
	}
	if err := p.conditioner.solve(ctx, dst, v, ridges); err != nil {
		return err
	}
	return each(ctx, p.Workers, sides, func(s *rightSide) { s.turn() })
}

// multiply sets q to (S + ΛI)p for each right-hand side.
func (p *Problem) multiply(ctx context.Context, sides []*rightSide) error {
	dst, x := make([][]float64, len(sides)), make([][]float64, len(sides))
	for i, s := range sides {
		dst[i], x[i] = s.q, s.p
	}
	if err := p.product(ctx, dst, x, false); err != nil {
		return err
	}
	return each(ctx, p.Workers, sides, func(s *rightSide) { linalg.Axpy(s.ridge, s.p, s.q) })
}

// product sets dst[c] to S x[c] for each c. If exactly is set, it uses tiles in float64.
func (p *Problem) product(ctx context.Context, dst, x [][]float64, exactly bool) error {
	if p.roots == nil {
		return p.matrix.multiply(ctx, dst, x, exactly)
	}
	for len(p.weighed) < len(x) {
		p.weighed = append(p.weighed, make([]float64, p.n))
	}
	for c := range x {
		floats.MulTo(p.weighed[c], p.roots, x[c])
	}
	if err := p.matrix.multiply(ctx, dst, p.weighed[:len(x)], exactly); err != nil {
		return err
	}
	for c := range x {
		floats.Mul(dst[c], p.roots)
	}
	return nil
}
