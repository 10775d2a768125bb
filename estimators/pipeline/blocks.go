package pipeline

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/pipeline/internal/stream"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/streaming"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// checkBlockSteps returns an error unless all steps can be fitted to a stream.
func (t *Transformer) checkBlockSteps() error {
	for i, s := range t.Steps {
		if !check.IsNil(s) && !estimators.Supports(s, estimators.Blocks) {
			return estimators.Unsupported(t.stepName(i, s), s, estimators.Blocks)
		}
	}
	return nil
}

// FitBlocks implements [streaming.BlockFitter] if all Steps do. Each step is fitted to the output of the steps before it. The
// stream is read once for each pass of a step, a few thousand rows at a time. If a step has no FitBlocks, the error wraps
// errors.ErrUnsupported.
func (t *Transformer) FitBlocks(ctx context.Context, blocks iter.Seq2[streaming.Block[streaming.None], error]) (err error) {
	defer estimators.BeginFit(&ctx, nil)(&err)
	fitted, err := t.fitBlocks(ctx, blocks)
	if err != nil {
		return err
	}
	if len(fitted.Steps) == 0 { // no step has checked the rows
		if err := (&scalers.UnitRows{}).FitBlocks(ctx, stream.Forward(fitted, t.name(), 0, blocks)); err != nil {
			return fmt.Errorf("%s: %w", t.name(), err)
		}
	}
	if err := cmp.Or(t.checkNames(fitted.Width), ctx.Err()); err != nil {
		return err
	}
	t.fitted = fitted
	return nil
}

// fitBlocks fits clones of the steps to a stream. If there are no steps, it does not read the stream.
func (t *Transformer) fitBlocks(ctx context.Context, blocks iter.Seq2[streaming.Block[streaming.None], error]) (*stream.Steps, error) {
	if err := t.checkBlockSteps(); err != nil {
		return nil, err
	}
	if blocks == nil {
		return nil, fault.Param(t.name(), "blocks", nil, "an iterator over blocks")
	}
	steps, err := t.clones()
	if err != nil {
		return nil, err
	}
	out := &stream.Steps{Steps: steps, Names: slices.Clone(t.Names)}
	parts := progress.Open(ctx)
	for i, s := range steps {
		estimators.SetColumnNames(s, out.NamesAt(i))
		if err := s.(streaming.BlockFitter[streaming.None]).FitBlocks(parts.Step(i, len(steps)),
			stream.Forward(out, t.name(), i, blocks)); err != nil {
			return nil, t.ofStep(out, i, err)
		}
	}
	if out.Width == 0 { // no step has read the rows
		return out, nil
	}
	return out, t.checkNames(out.Width)
}

// fitBlocks returns a copy of c that is fitted to a stream.
func fitBlocks[Y float64 | int, E learner[[]Y, []Y]](
	ctx context.Context, c *chain[[]Y, []Y, E], blocks iter.Seq2[streaming.Block[Y], error],
) (*chain[[]Y, []Y, E], error) {
	if check.IsNil(c.final) {
		return nil, fault.Param(c.steps.Name, "Final", nil, "an estimator")
	}
	if _, err := capable[streaming.BlockFitter[Y]](c, estimators.Blocks); err != nil {
		if estimators.Supports(c.final, estimators.Mergeable) {
			return nil, fmt.Errorf("%w; it is fitted to sums: use NewStages and FitStages of the pipeline", err)
		}
		return nil, err
	}
	out, err := c.unfitted()
	if err != nil {
		return nil, err
	}
	var rows iter.Seq2[streaming.Block[streaming.None], error]
	if blocks != nil {
		rows = func(yield func(streaming.Block[streaming.None], error) bool) {
			for b, err := range blocks {
				if !yield(streaming.Rows(b.X), err) {
					return
				}
			}
		}
	}
	first, rest := progress.Two(ctx, float64(len(c.steps.Steps)), finalSteps)
	if out.steps.fitted, err = out.steps.fitBlocks(first, rows); err != nil {
		return nil, err
	}
	fitter, err := capable[streaming.BlockFitter[Y]](out, estimators.Blocks)
	if err != nil {
		return nil, err
	}
	out.nameFinal()
	steps := out.steps.fitted
	return out, out.ofFinal(fitter.FitBlocks(rest, stream.Forward(steps, out.steps.name(), len(steps.Steps), blocks)))
}
