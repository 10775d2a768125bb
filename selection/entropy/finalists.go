package entropy

import (
	"cmp"
	"context"
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/loo"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection/internal/closedform"
	"github.com/kernelearn/kernelearn/selection/measures"
	"github.com/kernelearn/kernelearn/selection/search"
)

// These constants determine the numbers of rows of the rounds of a Search. More rows support narrower kernels, so the best kernel
// of few rows is only a starting point.
const (
	// firstRows is the number of rows drawn for the entropies and their scores.
	firstRows = 300
	// With more than onceRows rows, a third of them is drawn for the best kernel and its neighbours, but at least leastSecond and
	// at most secondRows. Up to onceRows, all rows are used at once. This was measured on Friedman's function, the sine of
	// measurements/performance and its sign, with seeds 7 to 14. Using all of 1500 and 2000 rows at once gave errors from 1% less
	// to 1% more in twice the time. Using 650 of 1000 rows gave up to 2% more.
	onceRows    = 1200
	leastSecond = 800
	secondRows  = 2000
	secondShare = 3
	// curveRows is the largest number of rows for which each kernel's matrix is reduced. Above it, features are tried first, with
	// one pivot per pivotShare rows, at a fraction of the cost. If the remainder of the features is too large, the first and the
	// best kernel are scored at the few ridges of a search for the best ridge, and their neighbours at that ridge, with one
	// Cholesky factor each.
	curveRows  = 600
	pivotShare = 6
	// factoredRows is the largest number of rows, beyond secondRows, for which all rows are scored exactly at a single ridge.
	factoredRows = 6000
	// finalStep is the distance of neighbours in the log of the parameter.
	finalStep = math.Ln2
	// finalSteps is the largest number of neighbours on either side.
	finalSteps = 6
	// usualFinals is a typical number of kernels per round.
	usualFinals = 5
	// A narrower kernel is not scored on all rows if that requires its kernel matrix, and its error on fewer rows was larger by
	// more than this fraction. More rows support narrower kernels, but only slightly.
	clearlyWorse = 0.25
	// A family is left out if its score on few rows exceeds the best score by more than this fraction.
	farBehind = 0.25
)

// finalists scores kernels on more rows than the entropies used.
type finalists struct {
	search *Search
	run    *search.Run
	form   *closedform.Form // on all rows
	choice search.Choice
	param  float64
	rounds []int      // number of rows in each round
	finder rootFinder // for the bounds of parameters

	round    int
	brief    bool // use a single ridge for all kernels
	searched bool // this round has a ridge
	x        *mat.Dense
	part     *closedform.Form
	shared   *kernels.Shared
	ridge    float64 // ridge of the best kernel so far
	at       float64 // parameter of that kernel
	valley   valley  // best ridge as a function of the parameter
	rows     []int   // trace rows of this round
	// looks holds the evaluations with a Cholesky factor for each ridge, by trace row. The parameter rough belongs to a kernel for
	// which a few pivots do not suffice. They do not suffice for narrower kernels either.
	evaluations map[int][]loo.Evaluation
	latest      []loo.Evaluation
	rough       float64
	narrow      bool // narrower kernels were clearly worse in the last round
	last        bool // this is the search for the ridge of the best kernel
}

// samples reports whether the entropies use only firstRows rows, so that a choice needs finalists.
func (e *Search) samples(n int) bool {
	return n > firstRows && e.Method == Automatic && e.scoresClosed()
}

// finish refines a choice from few rows on all rows.
func (e *Search) finish(ctx context.Context, r *search.Run, choice search.Choice) (search.Choice, error) {
	f, err := e.newFinalists(r, choice)
	if f == nil || err != nil {
		return choice, err
	}
	return f.finish(ctx)
}

// finishBest is like finish, for the best of several families. Families that few rows cannot distinguish from the best are compared
// on more rows, with one kernel each. The best of them is refined.
func (e *Search) finishBest(ctx context.Context, runs []*search.Run, choices []search.Choice, taken int) (int, error) {
	all := make([]*finalists, len(runs))
	opening, rest := progress.Two(ctx, 1, 3)
	each := progress.Open(opening)
	var rivals []int
	var evaluations []search.RidgeScore
	least, knownBest := ridgeScoreOf(runs[taken], choices[taken])
	for i, r := range runs {
		f, err := e.newFinalists(r, choices[i])
		if err != nil {
			return taken, err
		}
		own, known := ridgeScoreOf(r, choices[i])
		all[i] = f
		if f == nil || i != taken && (!known || !knownBest || own.Score > (1+farBehind)*least.Score) {
			continue
		}
		if err := f.open(each.Step(i, len(runs))); err != nil && !errors.Is(err, search.ErrBudget) {
			return taken, err
		}
		if at, ok := f.best(); ok {
			rivals, evaluations = append(rivals, i), append(evaluations, at.RidgeScore)
		}
	}
	if len(rivals) > 1 {
		taken = rivals[closedform.Best(evaluations, e.Score.rule(), runs[taken].Labels != nil,
			closedform.ErrorTolerance(all[rivals[0]].rounds[0]))]
	}
	if all[taken] == nil {
		return taken, nil
	}
	var err error
	choices[taken], err = all[taken].finish(rest)
	return taken, err
}

// newFinalists returns nil if the choice needs no refinement.
func (e *Search) newFinalists(r *search.Run, choice search.Choice) (*finalists, error) {
	n, _ := r.X.Dims()
	own := r.Features != nil && e.Method == Automatic && e.scoresClosed()
	if !e.samples(n) && !own || r.Cut() || !(choice.Ridge > 0) {
		return nil, nil
	}
	cfg, err := e.withDefaults()
	if err != nil {
		return nil, err
	}
	form, err := cfg.form(r)
	if err != nil || form == nil {
		return nil, err
	}
	f := &finalists{search: &cfg, run: r, form: form, choice: choice, ridge: choice.Ridge,
		evaluations: map[int][]loo.Evaluation{}, rounds: []int{n}}
	f.finder.integer = r.Family.Integer()
	f.finder.lo, f.finder.hi = r.Family.Bounds()
	f.param = r.Row(choice.Iteration).Param
	f.at, f.valley = f.param, valleyOf(r.Trace())
	if n > onceRows && !own {
		f.rounds = []int{min(max(n/secondShare, leastSecond), secondRows), n}
	}
	return f, nil
}

// open begins the first round with the choice.
func (f *finalists) open(ctx context.Context) error {
	f.run.Expect(1)
	if err := f.begin(ctx, f.rounds[0]); err != nil {
		return err
	}
	return f.evaluate(ctx, f.param)
}

// finish runs the remaining rounds.
func (f *finalists) finish(ctx context.Context) (search.Choice, error) {
	n, _ := f.run.X.Dims()
	f.run.Expect(usualFinals * len(f.rounds))
	for i, rows := range f.rounds {
		if i > 0 || f.round == 0 {
			if err := f.begin(ctx, rows); err != nil {
				return f.choice, err
			}
		}
		err := f.climb(ctx, f.param)
		if err != nil && !errors.Is(err, search.ErrBudget) {
			return f.choice, err
		}
		best, ok := f.best()
		if !ok {
			break // the budget is spent, or no ridge gave a score
		}
		f.choice.Iteration, f.choice.Ridge = best.Row+1, best.Ridge
		f.param, f.ridge = f.run.Row(best.Row+1).Param, best.Ridge
		f.at = f.param
		f.narrow = f.clearlyNarrow(best)
		if rows == n {
			f.choice.Start.Solved = f.solved(best)
		}
		if err != nil {
			return f.choice, nil // the budget is spent
		}
	}
	return f.choice, f.measure(ctx)
}

// measure computes the entropy of the choice on the sampled rows if it was scored without one.
func (f *finalists) measure(ctx context.Context) error {
	row := f.run.Row(f.choice.Iteration)
	if !math.IsNaN(row.Entropy) {
		return nil
	}
	n, _ := f.run.X.Dims()
	ctx = progress.Detach(ctx) // so few rows need no progress reports
	k, err := kernels.Matrix(ctx, f.run.Family.Kernel(row.Param), linalg.Rows(f.run.X, f.search.draw(n, firstRows, subsamples)),
		&kernels.Options{Workers: f.run.Workers, MaxBytes: f.run.MaxKernelBytes})
	if err != nil {
		return err
	}
	w, err := linalg.Eigenvalues(ctx, k)
	if err != nil {
		return err
	}
	entropy := measures.EntropyOfEigenvalues(w)
	f.choice.Entropy = &entropy
	return nil
}

// clearlyNarrow reports whether a kernel narrower than the best of the round was clearly worse.
func (f *finalists) clearlyNarrow(best closedform.RidgeRow) bool {
	for _, at := range f.rows {
		row := f.run.Row(at + 1)
		if row.Param > f.run.Row(best.Row+1).Param && row.Score > (1+clearlyWorse)*best.Score {
			return true
		}
	}
	return false
}

// solved returns the machine of the best kernel on all rows, or nil if it was not computed.
func (f *finalists) solved(best closedform.RidgeRow) *loo.Solved {
	for _, l := range f.evaluations[best.Row] {
		if l.Ridge == best.Ridge && l.Solved != nil && f.form.Weights == nil {
			out := &loo.Solved{Kernel: f.run.Family.Kernel(f.run.Row(best.Row + 1).Param), Ridge: l.Ridge, Solution: l.Solved}
			if out.Shift = f.form.Means; f.form.Signs != nil {
				out.Shift = make([]float64, len(f.form.Means))
			}
			return out
		}
	}
	return nil
}

// begin begins a round with the given number of rows.
func (f *finalists) begin(ctx context.Context, rows int) (err error) {
	n, _ := f.run.X.Dims()
	f.round++
	f.brief = rows == n && len(f.rounds) > 1 && f.round > 1
	f.rows, f.x, f.part, f.shared, f.searched, f.rough = nil, f.run.X, f.form, nil, false, math.Inf(1)
	if rows < n {
		drawn := f.search.draw(n, rows, subsamples+1)
		f.x, f.part = linalg.Rows(f.run.X, drawn), f.form.Subset(drawn)
	}
	if f.run.Features != nil {
		return nil
	}
	// If the matrix of the rows exceeds the memory limit, pivots are used.
	bytes := 8 * 1.5 * float64(rows) * float64(rows)
	if rows <= secondRows || rows <= factoredRows && bytes <= float64(cmp.Or(f.run.MaxKernelBytes, kernels.MaxKernelBytes)) {
		f.shared, err = kernels.Share(progress.Detach(ctx), f.x,
			&kernels.Options{Workers: f.run.Workers, MaxBytes: f.run.MaxKernelBytes})
	}
	return err
}

// best returns the best kernel of the round.
func (f *finalists) best() (closedform.RidgeRow, bool) {
	var rows []search.TraceRow
	for _, at := range f.rows {
		rows = append(rows, f.run.Row(at+1))
	}
	out, ok := closedform.Prefer(rows, f.search.Score.rule(), f.form.Signs != nil)
	if ok {
		out.Row = f.rows[out.Row]
	}
	return out, ok
}

// climb scores a kernel, then neighbours on both sides as long as they improve the score, and then kernels at half steps around the
// best. A brief climb scores only narrower kernels, which more rows may support, at half steps. It skips them if they were clearly
// worse and need a matrix.
func (f *finalists) climb(ctx context.Context, param float64) error {
	if !f.evaluated(param) {
		if err := f.evaluate(ctx, param); err != nil {
			return err
		}
	}
	u := math.Log(param)
	steps := []float64{finalStep, -finalStep, finalStep / 2, -finalStep / 2}
	switch {
	case f.brief && f.narrow && f.shared != nil:
		steps = nil
	case f.brief:
		steps = []float64{finalStep / 2}
	}
	for i, step := range steps {
		if i == 1 && math.Log(f.bestParam()) > u {
			continue // the climb went up, so the kernels below are known
		}
		if i >= 2 {
			u = math.Log(f.bestParam())
		}
		for count := 1; count <= finalSteps; count++ {
			next := f.finder.snap(u + float64(count)*step)
			if f.evaluated(next) {
				break
			}
			if err := f.evaluate(ctx, next); err != nil {
				return err
			}
			if i >= 2 || f.bestParam() != next {
				break
			}
		}
	}
	return f.searchBest(ctx)
}

// searchBest searches for the best ridge of the best kernel if this kernel was scored only at the ridge of another kernel, and if
// there are at most secondRows rows.
func (f *finalists) searchBest(ctx context.Context) error {
	best, ok := f.best()
	n, _ := f.x.Dims()
	if !ok || f.brief && n > secondRows || len(f.run.Row(best.Row+1).Ridges) > 1 {
		return nil
	}
	f.round++
	f.searched, f.last = false, true
	defer func() { f.last = false }()
	f.evaluations[f.run.Len()] = f.evaluations[best.Row] // results to continue from
	return f.evaluate(ctx, f.run.Row(best.Row+1).Param)
}

func (f *finalists) evaluated(param float64) bool {
	for _, at := range f.rows {
		if f.run.Row(at+1).Param == param {
			return true
		}
	}
	return false
}

// bestParam returns the parameter of the best kernel so far, or of the first row.
func (f *finalists) bestParam() float64 {
	if best, ok := f.best(); ok {
		return f.run.Row(best.Row + 1).Param
	}
	return f.run.Row(f.rows[0] + 1).Param
}

// evaluate scores a parameter on the rows of the round.
func (f *finalists) evaluate(ctx context.Context, param float64) error {
	n, _ := f.x.Dims()
	f.latest = nil
	row, err := f.run.Evaluate(ctx, search.Evaluation{Point: search.ParamPoint(param), Rows: n, Round: f.round}, f.score)
	if err != nil {
		return err
	}
	at := f.run.Len() - 1
	f.rows, f.evaluations[at] = append(f.rows, at), f.latest
	if best, ok := f.best(); ok && len(row.Ridges) > 1 {
		f.searched, f.ridge, f.at = true, best.Ridge, f.run.Row(best.Row+1).Param
	}
	return nil
}

// ridgeOf returns the expected ridge for a parameter.
func (f *finalists) ridgeOf(param float64) float64 {
	return f.ridge * math.Exp(f.valley.logRidge(math.Log(param))-f.valley.logRidge(math.Log(f.at)))
}

// score scores a kernel with pivots if these suffice, and exactly if n³ operations are cheap.
func (f *finalists) score(ctx context.Context, row *search.TraceRow) error {
	kernel := f.run.Family.Kernel(row.Param)
	n, _ := f.x.Dims()
	switch {
	case f.run.Features != nil:
		return f.onFeatures(ctx, kernel, row)
	case f.shared == nil:
		return f.onPivots(ctx, kernel, row)
	case n <= curveRows:
		first, rest := progress.Two(ctx, 1, 10)
		k, err := f.matrix(first, kernel, row)
		if err != nil {
			return err
		}
		entropy, curve, err := f.part.OfMatrix(rest, k, true)
		row.SetEntropy(entropy)
		row.SetCurve(curve, f.search.Score == LogEvidence, search.OnMatrix, 0)
		return err
	}
	parts := progress.Parts(ctx, 2, 1, 10)
	if enough, err := f.likeExact(parts[0], kernel, row); enough || err != nil {
		return err
	}
	k, err := f.matrix(parts[1], kernel, row)
	if err != nil {
		return err
	}
	if (f.brief || f.searched) && !f.last {
		ridge := max(f.ridgeOf(row.Param), f.part.LeastRidge(k))
		var once loo.Evaluation
		once, err = loo.EvaluateOnce(parts[2], k, f.part.Outputs(), f.part.Weights, ridge)
		f.latest = []loo.Evaluation{once}
	} else {
		known := f.evaluations[f.run.Len()]
		f.latest, err = loo.CurveFew(parts[2], k, f.part.Outputs(), f.part.Weights, f.part.LeastRidge(k), f.run.Workers, known...)
	}
	if err != nil {
		return err
	}
	row.SetCurve(f.part.Curve(f.latest), f.search.Score == LogEvidence, search.OnMatrix, 0)
	return nil
}

// matrix computes the kernel matrix of the rows of the round.
func (f *finalists) matrix(ctx context.Context, kernel kernels.Kernel, row *search.TraceRow) (*mat.SymDense, error) {
	row.Matrices++
	return f.shared.Matrix(ctx, kernel)
}

// onFeatures scores a kernel on the learner's own features of all rows.
func (f *finalists) onFeatures(ctx context.Context, kernel kernels.Kernel, row *search.TraceRow) error {
	first, rest := progress.Two(ctx, 1, 2)
	z, err := f.run.Features(first, kernel)
	if err != nil {
		return err
	}
	_, m := z.Dims()
	curve, _, err := f.part.OfFeatures(rest, mat.DenseCopyOf(z.T()))
	row.SetCurve(curve, f.search.Score == LogEvidence, search.OnFeatures, m)
	return err
}

// onPivots scores a kernel on the features of pivots. It uses as many pivots as are needed for a remainder that is small compared
// with the ridge, up to a limit.
func (f *finalists) onPivots(ctx context.Context, kernel kernels.Kernel, row *search.TraceRow) error {
	o := measures.LowRankOptions{MaxRank: f.search.MaxRank, Seed: f.search.Seed, Workers: f.run.Workers}
	o.MaxRank = cmp.Or(o.MaxRank, closedform.Pivots(f.run, closedform.MaxPivots))
	o.Residual = f.part.ResidualFor(closedform.PivotResidual, f.ridgeOf(row.Param), kernel, f.x)
	l, curve, err := f.part.OfPivots(ctx, kernel, f.x, o)
	if err == nil {
		f.setPivots(row, l, curve)
	}
	return err
}

// setPivots stores the results of the features of pivots.
func (f *finalists) setPivots(row *search.TraceRow, l *measures.LowRank, curve []search.RidgeScore) {
	row.SetEntropy(l.Point)
	row.EntropyLow, row.EntropyHigh = l.Low.Entropy, l.High.Entropy
	row.Rank, row.Residual = l.Rank, l.Residual
	row.SetCurve(curve, f.search.Score == LogEvidence, search.OnPivots, l.Rank)
}

// exactResidual is the largest ratio of the remainder of pivots to the ridge at which the scores agree with exact scores within a
// hundredth.
const exactResidual = 0.02

// likeExact scores a kernel on the features of a few pivots if these are as good as the kernel matrix, and reports whether they
// are.
func (f *finalists) likeExact(ctx context.Context, kernel kernels.Kernel, row *search.TraceRow) (bool, error) {
	if row.Param >= f.rough {
		return false, nil
	}
	n, _ := f.x.Dims()
	o := measures.LowRankOptions{MaxRank: n / pivotShare, Seed: f.search.Seed, Workers: f.run.Workers}
	o.Residual = f.part.ResidualFor(exactResidual, f.ridge/2, kernel, f.x) // in case a smaller ridge is best
	o.Decided = func(measures.Bounds) bool { return true }
	first, rest := progress.Two(ctx, 1, 1)
	l, err := measures.LowRankEntropy(first, kernel, f.x, &o)
	if err != nil || l.Residual > o.Residual {
		f.rough = row.Param
		return false, err
	}
	curve, _, err := f.part.OfFeatures(rest, l.Factor)
	if err != nil {
		return false, err
	}
	own := *row
	f.setPivots(&own, l, curve)
	best, ok := closedform.Prefer([]search.TraceRow{own}, f.search.Score.rule(), f.form.Signs != nil)
	if !ok || l.Residual > f.part.ResidualFor(exactResidual, best.Ridge, kernel, f.x) {
		return false, nil
	}
	*row = own
	return true, nil
}
