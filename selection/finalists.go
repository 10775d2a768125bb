package selection

import (
	"cmp"
	"context"
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/loo"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection/measures"
)

// Rows on which an Entropy looks for a kernel, in turn. More rows bear narrower kernels, so the
// best of few rows is only where the search goes on.
const (
	// firstRows are drawn for the entropies and the scores that come with them.
	firstRows = 300
	// secondRows are drawn for the best kernel and its neighbours.
	secondRows = 2000
	// curveRows is up to where each kernel's matrix is reduced. Beyond, the features of one pivot for
	// pivotShare rows are tried first, a fraction of the work. Where they leave too much the first and
	// the best kernel are scored at the few ridges of a search for the best, their neighbours at that
	// ridge, a Cholesky factor each.
	curveRows  = 600
	pivotShare = 6
	// factoredRows is up to where all rows are scored exactly, at one ridge, beyond secondRows.
	factoredRows = 6000
	// finalPivots are the features that stand for the kernel beyond factoredRows.
	finalPivots = 1000
	// finalStep is between neighbours, in the logarithm of the parameter.
	finalStep = math.Ln2
	// finalSteps is how many neighbours are looked at to one side.
	finalSteps = 6
)

// finalists looks at kernels on more rows than the entropies were taken of.
type finalists struct {
	search *Entropy
	run    *Run
	form   *closedForm // on all rows
	finder rootFinder  // for what a parameter may be

	round    int
	brief    bool // one ridge for all
	searched bool // a ridge in this round
	x        *mat.Dense
	part     *closedForm
	shared   *kernels.Shared
	ridge    float64 // of the rounds before
	rows     []int   // of the trace, of this round
}

// samples reports whether the entropies are of firstRows rows, and a choice among them is to
// be followed by finalists.
func (e *Entropy) samples(n int) bool {
	return n > firstRows && e.Method == Automatic && e.scoresClosed()
}

// finish takes a choice on few rows to all of them.
func (e *Entropy) finish(ctx context.Context, r *Run, choice Choice) (Choice, error) {
	n, _ := r.x.Dims()
	own := r.features != nil && e.Method == Automatic && e.scoresClosed()
	if !e.samples(n) && !own || r.cut || !(choice.Ridge > 0) {
		return choice, nil
	}
	cfg, err := e.withDefaults()
	if err != nil {
		return choice, err
	}
	form, err := newClosedForm(&cfg, r)
	if err != nil || form == nil {
		return choice, err
	}
	f := &finalists{search: &cfg, run: r, form: form, ridge: choice.Ridge}
	f.finder.integer = r.family.Integer()
	f.finder.lo, f.finder.hi = r.family.Bounds()
	param := r.Row(choice.Iteration).Param
	rounds := []int{n}
	if n > secondRows && !own {
		rounds = []int{secondRows, n}
	}
	for _, rows := range rounds {
		if err := f.begin(ctx, rows); err != nil {
			return choice, err
		}
		f.brief = rows == n && n > secondRows && !own
		err := f.climb(ctx, param)
		if err != nil && !errors.Is(err, ErrBudget) {
			return choice, err
		}
		best, ok := f.best()
		if !ok {
			break // the budget was spent before, or no ridge gave a score
		}
		choice.Iteration, choice.Ridge = best.row+1, best.Ridge
		param, f.ridge = r.trace[best.row].Param, best.Ridge
		if err != nil {
			break
		}
	}
	return choice, nil
}

// begin takes as many rows for a round.
func (f *finalists) begin(ctx context.Context, rows int) (err error) {
	n, _ := f.run.x.Dims()
	f.round++
	f.rows, f.x, f.part, f.shared, f.searched = nil, f.run.x, f.form, nil, false
	if rows < n {
		drawn := f.search.draw(n, rows, subsamples+1)
		f.x, f.part = linalg.Rows(f.run.x, drawn), f.form.on(drawn)
	}
	if f.run.features != nil {
		return nil
	}
	// Of more rows than a limit on memory lets have a matrix pivots tell.
	bytes := 8 * 1.5 * float64(rows) * float64(rows)
	if rows <= secondRows || rows <= factoredRows && bytes <= float64(cmp.Or(f.run.maxKernelBytes, kernels.MaxKernelBytes)) {
		f.shared, err = kernels.Share(ctx, f.x, &kernels.Options{Workers: f.run.workers, MaxBytes: f.run.maxKernelBytes})
	}
	return err
}

// best is the best of the round.
func (f *finalists) best() (look, bool) {
	var rows []TraceRow
	for _, at := range f.rows {
		rows = append(rows, f.run.trace[at])
	}
	out, ok := prefer(rows, f.search.Score, f.form.signs != nil)
	if ok {
		out.row = f.rows[out.row]
	}
	return out, ok
}

// climb looks at a kernel and at its neighbours on both sides, as far as they do better, and at
// halves of the step around the best. A brief one leaves out all but narrower ones, which more rows
// may bear.
func (f *finalists) climb(ctx context.Context, param float64) error {
	if err := f.look(ctx, param); err != nil {
		return err
	}
	u := math.Log(param)
	steps := []float64{finalStep, -finalStep, finalStep / 2, -finalStep / 2}
	if f.brief {
		steps = steps[:1]
	}
	for i, step := range steps {
		if i == 1 && math.Log(f.bestParam()) > u {
			continue // it went up: what lies below is known
		}
		if i >= 2 {
			u = math.Log(f.bestParam())
		}
		for count := 1; count <= finalSteps; count++ {
			next := f.finder.snap(u + float64(count)*step)
			if f.known(next) {
				break
			}
			if err := f.look(ctx, next); err != nil {
				return err
			}
			if i >= 2 || f.bestParam() != next {
				break
			}
		}
	}
	return f.searchBest(ctx)
}

// searchBest looks for the ridge of the best kernel, where it was scored at that of another alone.
func (f *finalists) searchBest(ctx context.Context) error {
	best, ok := f.best()
	if !ok || f.brief || len(f.run.trace[best.row].Ridges) > 1 {
		return nil
	}
	f.round++
	f.searched = false
	return f.look(ctx, f.run.trace[best.row].Param)
}

func (f *finalists) known(param float64) bool {
	for _, at := range f.rows {
		if f.run.trace[at].Param == param {
			return true
		}
	}
	return false
}

// bestParam is that of the best so far, or of the first row.
func (f *finalists) bestParam() float64 {
	if best, ok := f.best(); ok {
		return f.run.trace[best.row].Param
	}
	return f.run.trace[f.rows[0]].Param
}

// look scores a parameter on the rows of the round.
func (f *finalists) look(ctx context.Context, param float64) error {
	n, _ := f.x.Dims()
	row := unscored(At(param))
	row.Rows, row.Round = n, f.round
	row, err := f.run.evaluate(ctx, row, func(row *TraceRow) error { return f.score(ctx, row) })
	if err != nil {
		return err
	}
	f.rows = append(f.rows, len(f.run.trace)-1)
	if best, ok := f.best(); ok && len(row.Ridges) > 1 {
		f.searched, f.ridge = true, best.Ridge
	}
	return nil
}

// score is of pivots where those are enough, and exact where n³ is cheap.
func (f *finalists) score(ctx context.Context, row *TraceRow) error {
	kernel := f.run.family.At(row.Param)
	n, _ := f.x.Dims()
	switch {
	case f.run.features != nil:
		return f.onFeatures(ctx, kernel, row)
	case f.shared == nil:
		return f.onPivots(ctx, kernel, row)
	case n <= curveRows:
		k, err := f.matrix(ctx, kernel, row)
		if err != nil {
			return err
		}
		entropy, curve, err := f.part.ofMatrix(ctx, k, true)
		row.setEntropy(entropy)
		row.setCurve(curve, f.search.Score, OnMatrix, 0)
		return err
	}
	if enough, err := f.likeExact(ctx, kernel, row); enough || err != nil {
		return err
	}
	k, err := f.matrix(ctx, kernel, row)
	if err != nil {
		return err
	}
	var looks []loo.Look
	if f.brief || f.searched {
		looks = []loo.Look{loo.LookOnce(k, f.part.given(), f.part.weights, f.ridge)}
	} else {
		looks, err = loo.CurveFew(ctx, k, f.part.given(), f.part.weights, f.part.leastRidge(k), f.run.workers)
	}
	row.setCurve(f.part.curve(looks), f.search.Score, OnMatrix, 0)
	return err
}

// matrix makes that of a kernel.
func (f *finalists) matrix(ctx context.Context, kernel kernels.Kernel, row *TraceRow) (*mat.SymDense, error) {
	row.Matrices++
	return f.shared.Matrix(ctx, kernel)
}

// onFeatures scores on what the learner itself makes of all rows.
func (f *finalists) onFeatures(ctx context.Context, kernel kernels.Kernel, row *TraceRow) error {
	z, err := f.run.features(ctx, kernel)
	if err != nil {
		return err
	}
	_, m := z.Dims()
	curve, _, err := f.part.ofFeatures(ctx, mat.DenseCopyOf(z.T()))
	row.setCurve(curve, f.search.Score, OnFeatures, m)
	return err
}

// pivots is as many of those wanted as the limit on memory allows, some four numbers for each
// and row.
func (r *Run) pivots(wanted int) int {
	n, _ := r.x.Dims()
	limit := cmp.Or(r.maxKernelBytes, kernels.MaxKernelBytes)
	return int(max(1, min(int64(wanted), limit/(8*4*int64(n)))))
}

// onPivots scores on the features of pivots, as many as leave little beside the ridge or are
// allowed.
func (f *finalists) onPivots(ctx context.Context, kernel kernels.Kernel, row *TraceRow) error {
	o := measures.LowRankOptions{MaxRank: f.search.MaxRank, Seed: f.search.Seed, Workers: f.run.workers}
	o.MaxRank = cmp.Or(o.MaxRank, f.run.pivots(finalPivots))
	o.Residual = f.part.residualFor(scoreResidual, f.ridge, kernel, f.x)
	l, curve, err := f.part.ofPivots(ctx, kernel, f.x, o)
	if err == nil {
		f.setPivots(row, l, curve)
	}
	return err
}

// setPivots writes what the features of pivots say.
func (f *finalists) setPivots(row *TraceRow, l *measures.LowRank, curve []RidgeScore) {
	row.setEntropy(l.Point)
	row.EntropyLow, row.EntropyHigh = l.Low.Entropy, l.High.Entropy
	row.Rank, row.Residual = l.Rank, l.Residual
	row.setCurve(curve, f.search.Score, OnPivots, l.Rank)
}

// exactResidual is the share of the ridge that pivots may leave where their score stands beside
// exact ones: it is then within a hundredth.
const exactResidual = 0.02

// likeExact scores on the features of a few pivots if that is as good as on the kernel matrix, and
// reports whether it is.
func (f *finalists) likeExact(ctx context.Context, kernel kernels.Kernel, row *TraceRow) (bool, error) {
	n, _ := f.x.Dims()
	o := measures.LowRankOptions{MaxRank: n / pivotShare, Seed: f.search.Seed, Workers: f.run.workers}
	o.Residual = f.part.residualFor(exactResidual, f.ridge/2, kernel, f.x) // should the best be a smaller one
	o.Decided = func(measures.Bounds) bool { return true }
	l, err := measures.LowRankEntropy(ctx, kernel, f.x, &o)
	if err != nil || l.Residual > o.Residual {
		return false, err
	}
	curve, _, err := f.part.ofFeatures(ctx, l.Factor)
	if err != nil {
		return false, err
	}
	own := *row
	f.setPivots(&own, l, curve)
	best, ok := prefer([]TraceRow{own}, f.search.Score, f.form.signs != nil)
	if !ok || l.Residual > f.part.residualFor(exactResidual, best.Ridge, kernel, f.x) {
		return false, nil
	}
	*row = own
	return true, nil
}
