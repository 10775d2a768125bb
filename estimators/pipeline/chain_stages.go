package pipeline

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/pipeline/internal/stream"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// chainStages is a fit of a pipeline in stages: of its steps, and of its final estimator.
type chainStages[Y float64 | int, E learner[[]Y, []Y]] struct {
	c     *chain[[]Y, []Y, E]
	steps *stepStages
	final E                    // fitted at the end
	now   estimators.Stages[Y] // of the final estimator; nil at the end
	count int
	width int
}

func newChainStages[Y float64 | int, E learner[[]Y, []Y]](c *chain[[]Y, []Y, E]) (*chainStages[Y, E], error) {
	final, err := c.clone()
	if err != nil {
		return nil, err
	}
	if !estimators.Supports(final, estimators.Mergeable) {
		return nil, estimators.Unsupported(c.steps.Name, final, estimators.Mergeable)
	}
	steps, err := newStepStages(c.steps, false)
	if err != nil {
		return nil, err
	}
	now, err := estimators.NewStages[Y](final)
	if err != nil {
		return nil, c.ofFinal(err)
	}
	_, count := now.Stage()
	return &chainStages[Y, E]{c: c, steps: steps, final: final, now: now, count: count}, nil
}

// Stage implements estimators.Stages.
func (s *chainStages[Y, E]) Stage() (at, of int) {
	at, of = s.steps.Stage()
	k := s.count
	if s.now != nil {
		k, _ = s.now.Stage()
	}
	return at + k, of + s.count
}

// NewStatistics implements estimators.Stages.
func (s *chainStages[Y, E]) NewStatistics() (estimators.Statistics[Y], error) {
	if s.steps.now != nil {
		rows, err := s.steps.NewStatistics()
		if err != nil {
			return nil, err
		}
		return &stream.Blocks[Y]{Step: rows.(*stream.Rows)}, nil
	}
	at, of := s.Stage()
	if s.now == nil {
		return nil, fault.Param(s.c.steps.Name, "stage", at, fmt.Sprintf("less than %d: all are learnt", of))
	}
	sums, err := s.now.NewStatistics()
	if err != nil {
		return nil, s.c.ofFinal(err)
	}
	to := s.steps.place(s.c.finalName())
	to.Stage = at
	return &stream.Blocks[Y]{Place: to, Sums: sums}, nil
}

// FitStatistics implements estimators.Stages.
func (s *chainStages[Y, E]) FitStatistics(ctx context.Context, st estimators.Statistics[Y]) (err error) {
	defer check.Begin(&ctx)(&err)
	fresh, err := s.NewStatistics()
	if err != nil {
		return err
	}
	of, err := fresh.(*stream.Blocks[Y]).Like(st)
	if err != nil {
		return err
	}
	if of.Step != nil {
		return s.steps.FitStatistics(ctx, of.Step)
	}
	before, err := s.now.MarshalBinary()
	if err != nil {
		return s.c.ofFinal(err)
	}
	if err := s.now.FitStatistics(ctx, of.Sums); err != nil {
		return s.c.ofFinal(err)
	}
	if at, count := s.now.Stage(); at == count {
		if err := estimators.FitStages(ctx, any(s.final), s.now); err != nil {
			if back := s.now.UnmarshalBinary(before); back != nil {
				err = fmt.Errorf("%w, and %w", err, back)
			}
			return s.c.ofFinal(err)
		}
		s.now = nil
	}
	s.width = max(s.width, of.Width)
	return nil
}

// fitted returns the pipeline, which is all learnt.
func (s *chainStages[Y, E]) fitted() *chain[[]Y, []Y, E] {
	steps := &Transformer{Steps: s.c.steps.Steps, Name: s.c.steps.Name, fitted: s.steps.fitted()}
	steps.fitted.Width = max(steps.fitted.Width, s.width)
	return &chain[[]Y, []Y, E]{steps: steps, final: s.final}
}

type storedChainStages struct {
	Steps storedStages
	Width int
	Now   []byte                  // stages of the final estimator; empty at the end
	Final *estimators.NestedModel // fitted, at the end
}

func (s *chainStages[Y, E]) kind() string { return s.c.steps.Name + " stages" }

// MarshalBinary implements estimators.Stages.
func (s *chainStages[Y, E]) MarshalBinary() ([]byte, error) {
	steps, err := s.steps.store()
	if err != nil {
		return nil, err
	}
	out := storedChainStages{Steps: steps, Width: s.width}
	if s.now != nil {
		out.Now, err = s.now.MarshalBinary()
	} else {
		out.Final = &estimators.NestedModel{}
		*out.Final, err = estimators.NestModel(s.c.finalName(), s.final)
	}
	if err != nil {
		return nil, err
	}
	return codec.Marshal(s.kind(), payloadVersion, out)
}

// UnmarshalBinary implements estimators.Stages.
func (s *chainStages[Y, E]) UnmarshalBinary(data []byte) error {
	var in storedChainStages
	if _, err := codec.Unmarshal(data, s.kind(), payloadVersion, &in); err != nil {
		return err
	}
	out, err := newChainStages(s.c)
	if err != nil {
		return err
	}
	if out.steps, err = out.steps.load(s.kind(), in.Steps); err != nil {
		return err
	}
	out.width = in.Width
	switch {
	case in.Width < 0 || in.Final != nil && (out.steps.now != nil || in.Width == 0):
		return fault.BadModel(s.kind(), "a final estimator for rows of %d columns after %d steps", in.Width, out.steps.done)
	case in.Final != nil:
		if err := in.Final.UnmarshalInto(s.kind(), "final", out.final); err != nil {
			return err
		}
		out.now = nil
	default:
		if err := out.now.UnmarshalBinary(in.Now); err != nil {
			return fault.BadModel(s.kind(), "final: %v", err)
		}
	}
	*s = *out
	return nil
}

// takeStages returns the pipeline that stages have learnt, if they are those of one like c.
func takeStages[Y float64 | int, E learner[[]Y, []Y]](
	ctx context.Context, c *chain[[]Y, []Y, E], s estimators.Stages[Y],
) (*chain[[]Y, []Y, E], error) {
	own, ok := s.(*chainStages[Y, E])
	if !ok || own == nil || own.now != nil || !sameSteps(c.steps.Steps, own.c.steps.Steps) || check.IsNil(c.final) ||
		c.finalName() != own.c.finalName() {
		return nil, fault.Param(c.steps.Name, "stages", stagesName(s), "those of NewStages of such a pipeline, at their end")
	}
	return own.fitted(), ctx.Err()
}

// partialFit returns a pipeline that has learnt from more rows: one whose steps and final estimator learn
// from these alone where old is nil, else old, whose final estimator has learnt besides.
func partialFit[Y float64 | int, E learner[[]Y, []Y]](
	ctx context.Context, c, old *chain[[]Y, []Y, E], x mat.Matrix, y []Y,
) (*chain[[]Y, []Y, E], error) {
	if check.IsNil(c.final) {
		return nil, fault.Param(c.steps.Name, "Final", nil, "an estimator")
	}
	if _, err := capable[estimators.PartialFitter[Y]](c, estimators.Partial); err != nil {
		return nil, err
	}
	out := old
	if old == nil {
		var err error
		if out, err = c.unfitted(); err != nil {
			return nil, err
		}
		if err := out.steps.learn(ctx, x); err != nil {
			return nil, err
		}
		n, _ := x.Dims()
		for i, s := range out.steps.fitted.Steps {
			if w, ok := s.(interface{ RowsWanted() int }); ok && n < w.RowsWanted() {
				out.few = append(out.few,
					fmt.Sprintf("%s: the first chunk has %d rows for the %d that are asked for: later chunks add none, so begin with a "+
						"larger one",
						c.steps.stepName(i, s), n, w.RowsWanted()))
			}
		}
	}
	final, err := capable[estimators.PartialFitter[Y]](out, estimators.Partial)
	if err != nil {
		return nil, err
	}
	z, err := out.rows(x)
	if err != nil {
		return nil, err
	}
	return out, out.ofFinal(final.PartialFit(ctx, z, y))
}

// learn fits by statistics where all steps can, so that rows that come at once are learnt from as rows in parts are.
func (t *Transformer) learn(ctx context.Context, x mat.Matrix) error {
	if !t.Supports(estimators.Mergeable) || len(t.Steps) == 0 {
		return t.Fit(ctx, x)
	}
	s, err := newStepStages(t, true)
	if err != nil {
		return err
	}
	rows, err := check.DenseGaps("x", x, check.Anywhere) // at which the first step looks more closely
	if err != nil {
		return fmt.Errorf("%s: %w", t.name(), err)
	}
	for s.now != nil {
		of, err := s.NewStatistics()
		if err != nil {
			return err
		}
		if err := of.AddBlock(ctx, rows); err != nil {
			return err
		}
		if err := s.FitStatistics(ctx, of); err != nil {
			return err
		}
	}
	t.fitted = s.fitted()
	return nil
}

// MarshalText implements encoding.TextMarshaler: in JSON the bytes are a string, in base64.
func (s *chainStages[Y, E]) MarshalText() ([]byte, error) { return codec.Text(s) }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *chainStages[Y, E]) UnmarshalText(text []byte) error {
	return codec.FromText(s.kind(), s, text)
}
