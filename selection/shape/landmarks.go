package shape

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/kernelearn/kernelearn/internal/learning"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection/internal/landmarks"
	"github.com/kernelearn/kernelearn/selection/search"
)

// MaxExactRows is the number of distinct rows above which a [Search] without Lengths learns on landmarks. An exact machine with
// this many rows takes n³/3 multiplications per ridge, and memory for n² numbers.
const MaxExactRows = 5000

// If there are more than MaxExactRows rows, lengths are learnt from the leave-one-out error on landmarks. The climb starts from
// several points on few rows, and from the best result on more rows. These rows are enough to contain neighbours that a few blocks
// miss, such as neighbours in time in the electricity data.
const (
	fewRows, fewLandmarks          = 2000, 300
	fewSteps, moreSteps            = 50, 20
	moreRows, moreLandmarks        = 6000, 600
	leastRowsPerLandmark           = 4
	landmarkJitter                 = 1e-12 // relative to the mean diagonal
	landmarkRound                  = 2     // round in the trace
	landmarkStream          uint64 = 0x6c6d6b73
	// closer is the amount by which the lower bound of a log length is smaller on landmarks than on blocks.
	closer = 1.5
)

// startFactors multiply the best common length of the evidence.
var startFactors = []float64{.3, 1, 3}

// learnsOnLandmarks reports whether the lengths are learnt on landmarks. This is the case for ComplexityRegularised. It is also the
// case with many rows if the leave-one-out error on landmarks can replace the objective.
func (l *learner) learnsOnLandmarks() bool {
	n, _ := l.run.X.Dims()
	if l.Objective == ComplexityRegularised {
		return n >= 2*leastRowsPerLandmark
	}
	return l.onBlocks > 0 && n > MaxExactRows && (l.Objective == AutomaticObjective || l.Objective == LeaveOneOutError)
}

// onLandmarks is a climb of the objective on landmarks, over rows that are not landmarks.
type onLandmarks struct {
	*learner
	problem *landmarks.Problem
	climb   *learning.Problem
	rows    int
}

// landmarks returns a climb whose landmarks are the first rows of order, and whose rows are the next ones. It returns nil if the
// targets of these rows are constant.
func (l *learner) landmarks(order []int, rows, m, steps int, centre []float64) *onLandmarks {
	m = min(m, len(order)/leastRowsPerLandmark)
	own := slices.Sorted(slices.Values(order[m:min(len(order), m+rows)]))
	out := &onLandmarks{learner: l, rows: len(own), problem: &landmarks.Problem{
		X: linalg.Rows(l.run.X, own), Y: linalg.Rows(l.targets.Y, own), Landmarks: linalg.Rows(l.run.X, order[:m]),
		Jitter: landmarkJitter, Workers: l.run.Workers, MaxBytes: l.run.MaxKernelBytes,
	}}
	if constant(out.problem.Y) {
		return nil
	}
	if l.objective == ComplexityRegularised {
		out.problem.Kind = landmarks.Complexity
	}
	if l.targets.Weights != nil {
		out.problem.Weights = linalg.Pick(l.targets.Weights, own)
	}
	k := l.kernel(l.Groups)
	out.climb = &learning.Problem{
		Kernel: k, Rows: len(own), Bounds: l.bounds(k), MaxIterations: cmp.Or(l.MaxIterations, steps),
		Tolerance: learning.Tolerance, Evaluate: out.evaluate,
	}
	for j := range k.Lengths {
		out.climb.Bounds.Low[j] -= closer
	}
	if !l.NoPrior {
		out.climb.Prior = l.prior(k, centre)
	}
	return out
}

// evaluate returns the objective at a point of the climb, and adds a row to the trace.
func (o *onLandmarks) evaluate(ctx context.Context, theta []float64) (float64, []float64, error) {
	m, _ := o.problem.Landmarks.Dims()
	got, err := o.run.Evaluate(ctx, search.Evaluation{Point: search.ParamPoint(1), Rows: o.rows, Round: landmarkRound, Theta: theta},
		func(ctx context.Context, row *search.TraceRow) error {
			last := len(theta) - 1
			gradient, ridge := make([]float64, len(theta)), math.Exp(theta[last])
			v, err := o.problem.Value(ctx, kernels.WithLogParams(o.climb.Kernel, theta[:last]), ridge, gradient)
			if err != nil {
				return err
			}
			f := math.Inf(-1)
			if !math.IsInf(v.F, 1) {
				f = landmarks.Logarithmic(o.rows, v.F, gradient)
				o.climb.Prior.Add(&f, gradient, theta)
			}
			row.SetScore(f, ridge, search.OnLandmarks, m)
			row.Gradient = gradient
			return nil
		})
	return got.Score, got.Gradient, err
}

// atRidges returns theta with the best of several ridges, and the leave-one-out error there. For ComplexityRegularised, the noise
// is estimated from the smallest generalised cross-validation.
func (o *onLandmarks) atRidges(ctx context.Context, theta []float64) ([]float64, float64, error) {
	last := len(theta) - 1
	ridges := append([]float64{1e-3, 3e-1}, learning.StartRidges[2:]...)
	of := *o.problem
	of.Kind = landmarks.LeaveOneOut
	values, err := of.AtRidges(ctx, kernels.WithLogParams(o.climb.Kernel, theta[:last]), ridges)
	if err != nil {
		return nil, 0, err
	}
	best := slices.MinFunc(ridges, func(a, b float64) int {
		return cmp.Compare(values[slices.Index(ridges, a)].F, values[slices.Index(ridges, b)].F)
	})
	for _, v := range values {
		if !math.IsInf(v.F, 1) && (o.problem.Noise == 0 || v.GCV < o.problem.Noise) {
			o.problem.Noise = v.GCV
		}
	}
	out := slices.Clone(theta)
	out[last] = math.Log(best)
	return out, values[slices.Index(ridges, best)].F, nil
}

// spreadOut converts a point with one common length to a point with one length per group of columns.
func (l *learner) spreadOut(at climbPoint) []float64 {
	k := l.kernel(l.Groups)
	if count := len(k.Params()) + 1; len(at.theta) == count {
		return slices.Clone(at.theta)
	}
	return l.apart(k, at.theta[0], at.theta[1:])
}

// prior returns the prior of lengths around a centre.
func (l *learner) prior(k kernels.ARD, centre []float64) *learning.Prior {
	out := &learning.Prior{Centre: slices.Clone(centre), Nu: learning.PriorDegrees, Tau: cmp.Or(l.PriorScale, learning.PriorScale)}
	for j := len(k.Lengths); j < len(centre); j++ {
		out.Centre[j] = math.NaN()
	}
	return out
}

// climbLandmarks improves the lengths learnt on blocks on landmarks. It also climbs from one common length.
func (l *learner) climbLandmarks(ctx context.Context, learnt *climbPoint, one climbPoint) error {
	n, _ := l.run.X.Dims()
	order := rand.New(rand.NewPCG(l.Seed, landmarkStream)).Perm(n)
	centre := l.spreadOut(one)
	few, more := l.landmarks(order, fewRows, fewLandmarks, fewSteps, centre), l.landmarks(order, moreRows, moreLandmarks, moreSteps, centre)
	switch {
	case few != nil && more != nil:
	case l.onBlocks > 0:
		return l.compare(ctx, learnt, one)
	default:
		return nil
	}
	first, second := progress.Two(ctx, 1, 1)
	best, err := l.climbFew(first, few, learnt, centre)
	if err != nil || best.Theta == nil {
		return err
	}
	more.climb.Inverse = best.Inverse
	if l.objective == ComplexityRegularised {
		if _, _, err := more.atRidges(progress.Detach(ctx), best.Theta); err != nil {
			return err
		}
	}
	out, err := more.climb.Improve(second, best.Theta)
	if !math.IsInf(out.F, -1) {
		l.take(learnt, out)
	}
	return err
}

// climbFew climbs on few rows from the learnt lengths and from one common length.
func (l *learner) climbFew(ctx context.Context, few *onLandmarks, learnt *climbPoint, centre []float64) (learning.Outcome, error) {
	best := learning.Outcome{F: math.Inf(-1)}
	first, second := progress.Two(ctx, 1, 4)
	starts, err := l.landmarkStarts(first, few, *learnt, centre)
	if err != nil {
		return best, err
	}
	group := progress.Open(second)
	for i, theta := range starts {
		out, err := few.climb.Improve(group.Step(i, len(starts)), theta)
		if out.F > best.F {
			best = out
			l.take(learnt, out)
		}
		if err != nil {
			return best, err
		}
	}
	return best, nil
}

// landmarkStarts returns the learnt lengths, and the best of a few common lengths.
func (l *learner) landmarkStarts(ctx context.Context, few *onLandmarks, learnt climbPoint, centre []float64) ([][]float64, error) {
	var best []float64
	least := math.Inf(1)
	group := progress.Open(ctx)
	for i, factor := range startFactors {
		theta := slices.Clone(centre)
		for j := range few.climb.Kernel.(kernels.ARD).Lengths {
			theta[j] += math.Log(factor)
		}
		theta, f, err := few.atRidges(group.Step(i, len(startFactors)+1), theta)
		if err != nil {
			return nil, err
		}
		if f < least {
			best, least = theta, f
		}
	}
	own, f, err := few.atRidges(group.Step(len(startFactors), len(startFactors)+1), l.spreadOut(learnt))
	if err != nil {
		return nil, err
	}
	var out [][]float64
	if best != nil {
		out = append(out, best)
	}
	if len(out) == 0 || !math.IsInf(f, 1) && !slices.Equal(own, best) {
		out = append(out, own)
	}
	return out, nil
}

// take makes the outcome of a climb on landmarks the choice.
func (l *learner) take(at *climbPoint, from learning.Outcome) {
	at.theta, at.groups, at.score, at.round = slices.Clone(from.Theta), l.Groups, from.F, landmarkRound
	of := LeaveOneOutError
	if l.objective == ComplexityRegularised {
		of = l.objective
	}
	l.measure = search.Measure{Name: objectives[of].measure + ", on landmarks", LargerIsBetter: true}
}
