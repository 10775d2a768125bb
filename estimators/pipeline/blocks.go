package pipeline

import (
	"context"
	"fmt"
	"iter"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// pieceRows are how many rows of a block go through the steps at once: what bounds the memory of
// a stream, and the time until it is cancelled.
const pieceRows = 4096

// streaming returns an error unless all steps fit from a stream.
func (t *Transformer) streaming() error {
	for i, s := range t.Steps {
		if !check.IsNil(s) && !estimators.Supports(s, estimators.Blocks) {
			return estimators.Unsupported(t.stepName(i, s), s, estimators.Blocks)
		}
	}
	return nil
}

// FitBlocks implements [transformers.BlockFitter] where all Steps do: one after the other is fitted on what those
// before it give for the stream, which is read as often as they read it, some thousand rows at a time. It wraps
// errors.ErrUnsupported if a step cannot do that.
func (t *Transformer) FitBlocks(ctx context.Context, blocks iter.Seq2[*mat.Dense, error]) (err error) {
	defer estimators.BeginFit(&ctx, nil)(&err)
	fitted, err := t.fitBlocks(ctx, blocks)
	if err != nil {
		return err
	}
	if len(fitted.steps) == 0 { // which would have checked the rows
		if err := (&scalers.UnitRows{}).FitBlocks(ctx, fitted.forward(t, 0, blocks)); err != nil {
			return fmt.Errorf("%s: %w", t.name(), err)
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	t.fitted = fitted
	return nil
}

// fitBlocks fits clones of the steps on a stream. Without steps it does not read it.
func (t *Transformer) fitBlocks(ctx context.Context, blocks iter.Seq2[*mat.Dense, error]) (*fittedSteps, error) {
	if err := t.streaming(); err != nil {
		return nil, err
	}
	if blocks == nil {
		return nil, fault.Param(t.name(), "blocks", nil, "an iterator over blocks")
	}
	steps, err := t.clones()
	if err != nil {
		return nil, err
	}
	out := &fittedSteps{steps: steps}
	parts := progress.Open(ctx)
	for i, s := range steps {
		if err := s.(transformers.BlockFitter).FitBlocks(parts.Step(i, len(steps)), out.forward(t, i, blocks)); err != nil {
			return nil, fault.AddPlace(t.stepName(i, s), err)
		}
	}
	return out, nil
}

// forward is what the first steps, fitted, give for a stream.
func (f *fittedSteps) forward(t *Transformer, steps int, blocks iter.Seq2[*mat.Dense, error]) iter.Seq2[*mat.Dense, error] {
	return func(yield func(*mat.Dense, error) bool) {
		way := f.way(t, steps)
		for x, err := range blocks {
			if err != nil {
				yield(nil, err)
				return
			}
			if !way.send(x, func(z *mat.Dense, _, _ int, err error) bool { return yield(z, err) && err == nil }) {
				return
			}
		}
	}
}

// way is one reading of a stream through the first of the fitted steps.
type way struct {
	t       *Transformer
	fitted  *fittedSteps
	buffers []mat.Dense // what each step gave
	rows    int         // how many came
}

func (f *fittedSteps) way(t *Transformer, steps int) *way {
	return &way{t: t, fitted: f, buffers: make([]mat.Dense, steps)}
}

// send calls f with what the steps give for rows of x, piece by piece, and from where to where in x
// they are, until it says that it wants no more. What is no matrix goes on as it is: the reader of the
// stream says what is wrong with it.
func (w *way) send(x *mat.Dense, f func(z *mat.Dense, from, to int, err error) bool) bool {
	if x == nil || x.IsEmpty() {
		return f(x, 0, 0, nil)
	}
	n, d := x.Dims()
	if w.fitted.width == 0 {
		w.fitted.width = d
	}
	if len(w.buffers) == 0 {
		return f(x, 0, n, nil)
	}
	for from := 0; from < n; from += pieceRows {
		to := min(from+pieceRows, n)
		z, err := w.transform(x.Slice(from, to, 0, d).(*mat.Dense))
		if !f(z, from, to, err) {
			return false
		}
		w.rows += to - from
	}
	return true
}

func (w *way) transform(x *mat.Dense) (*mat.Dense, error) {
	for i := range w.buffers {
		z := &w.buffers[i]
		z.Reset()
		if err := transformTo(w.fitted.steps[i], z, x); err != nil {
			return nil, fault.AddPlace(w.t.stepName(i, w.fitted.steps[i]), fault.FromRow(err, w.rows))
		}
		x = z
	}
	return x, nil
}

// fitBlocks returns a copy fitted to a stream.
func (c *chain[Y, E]) fitBlocks(ctx context.Context, blocks iter.Seq2[estimators.Block[Y], error]) (*chain[Y, E], error) {
	if check.IsNil(c.final) {
		return nil, fault.Param(c.steps.Name, "Final", nil, "an estimator")
	}
	if _, err := capable[estimators.BlockFitter[Y]](c, estimators.Blocks); err != nil {
		if estimators.Supports(c.final, estimators.Mergeable) {
			return nil, fmt.Errorf("%w; it learns from sums: use NewStages and FitStages of the pipeline", err)
		}
		return nil, err
	}
	final, err := c.clone()
	if err != nil {
		return nil, err
	}
	out := &chain[Y, E]{steps: &Transformer{Steps: c.steps.Steps, Name: c.steps.Name}, final: final}
	var rows iter.Seq2[*mat.Dense, error]
	if blocks != nil {
		rows = func(yield func(*mat.Dense, error) bool) {
			for b, err := range blocks {
				if !yield(b.X, err) {
					return
				}
			}
		}
	}
	first, rest := progress.Two(ctx, float64(len(c.steps.Steps)), finalSteps)
	if out.steps.fitted, err = out.steps.fitBlocks(first, rows); err != nil {
		return nil, err
	}
	fitter, err := capable[estimators.BlockFitter[Y]](out, estimators.Blocks)
	if err != nil {
		return nil, err
	}
	return out, out.ofFinal(fitter.FitBlocks(rest, out.forward(blocks)))
}

// forward is what the fitted steps give for a stream, with targets and weights.
func (c *chain[Y, E]) forward(blocks iter.Seq2[estimators.Block[Y], error]) iter.Seq2[estimators.Block[Y], error] {
	return func(yield func(estimators.Block[Y], error) bool) {
		way := c.steps.fitted.way(c.steps, len(c.steps.fitted.steps))
		for b, err := range blocks {
			if err == nil && b.X != nil {
				err = fitting(b)
			}
			if err != nil {
				yield(estimators.Block[Y]{}, err)
				return
			}
			more := way.send(b.X, func(z *mat.Dense, from, to int, err error) bool {
				if err != nil {
					yield(estimators.Block[Y]{}, err)
					return false
				}
				piece := estimators.Block[Y]{X: z, Y: b.Y[from:to]}
				if b.Weights != nil {
					piece.Weights = b.Weights[from:to]
				}
				return yield(piece, nil)
			})
			if !more {
				return
			}
		}
	}
}

// fitting returns an error unless a block has a target, and a weight if it has any, for each row.
func fitting[Y float64 | int](b estimators.Block[Y]) error {
	n, _ := b.X.Dims()
	if err := check.Rows("y", len(b.Y), n); err != nil || b.Weights == nil {
		return err
	}
	return check.Rows("weights", len(b.Weights), n)
}
