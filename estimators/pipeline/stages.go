package pipeline

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/pipeline/internal/stream"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/streaming"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// stages holds the progress of a fit in stages. The steps are fitted one after the other, and then the final estimator, if there is
// one.
type stages[Y streaming.Target] struct {
	t      *Transformer
	bare   bool                       // no steps and no final estimator: a placeholder step records the width
	steps  []transformers.Transformer // clones of the steps, of which the first done are fitted
	counts []int                      // number of stages of each step, and of the final estimator
	done   int                        // number of fitted steps
	now    streaming.Stages[streaming.None]
	width  int    // number of columns of the rows; 0 before the first stage is done
	digest string // of the fitted steps

	final     any // fitted at the end; nil if there is none
	finalName string
	last      streaming.Stages[Y] // stages of final; nil if there is no final, and at the end
}

// newStages starts a fit of t, and of final if it is not nil.
func newStages[Y streaming.Target](t *Transformer, final any, finalName string) (*stages[Y], error) {
	steps, err := t.clones()
	if err != nil {
		return nil, err
	}
	s := &stages[Y]{t: t, steps: steps, final: final, finalName: finalName}
	if s.bare = final == nil && len(steps) == 0; s.bare {
		s.steps = []transformers.Transformer{&scalers.UnitRows{}}
	}
	for i, step := range s.steps {
		if !estimators.Supports(step, estimators.Mergeable) {
			return nil, estimators.Unsupported(t.stepName(i, step), step, estimators.Mergeable)
		}
		if i == 0 {
			s.name(0)
		}
		first, err := streaming.NewStages[streaming.None](step)
		if err != nil {
			return nil, fault.AddPlace(t.stepName(i, step), err)
		}
		_, count := first.Stage()
		s.counts = append(s.counts, count)
		if i == 0 {
			s.now = first
		}
	}
	if final != nil {
		if s.last, err = streaming.NewStages[Y](final); err != nil {
			return nil, fault.AddPlace(finalName, err)
		}
		_, count := s.last.Stage()
		s.counts = append(s.counts, count)
	}
	return s, nil
}

// newChainStages starts a fit in stages of a pipeline.
func newChainStages[Y float64 | int, E learner[[]Y, []Y]](c *chain[[]Y, []Y, E]) (streaming.Stages[Y], error) {
	final, err := c.clone()
	if err != nil {
		return nil, err
	}
	if !estimators.Supports(final, estimators.Mergeable) {
		return nil, estimators.Unsupported(c.steps.Name, final, estimators.Mergeable)
	}
	s, err := newStages[Y](c.steps, final, c.finalName())
	if err != nil { // returning s would return an interface that is not nil
		return nil, err
	}
	return s, nil
}

func sum(values []int) (total int) {
	for _, v := range values {
		total += v
	}
	return total
}

// isLearnt reports whether all stages are done.
func (s *stages[Y]) isLearnt() bool { return s.now == nil && s.last == nil }

// Stage implements streaming.Stages.
func (s *stages[Y]) Stage() (at, of int) {
	of = sum(s.counts)
	if s.isLearnt() {
		return of, of
	}
	at = sum(s.counts[:s.done])
	if s.now != nil {
		k, _ := s.now.Stage()
		return at + k, of
	}
	k, _ := s.last.Stage()
	return at + k, of
}

// name passes the column names to a step, of which all steps before it are fitted.
func (s *stages[Y]) name(step int) {
	estimators.SetColumnNames(s.steps[step], (&stream.Steps{Steps: s.steps, Names: s.t.Names}).NamesAt(step))
}

// part returns the name of the step, or the final estimator, that is being fitted.
func (s *stages[Y]) part() string {
	if s.now != nil {
		return s.t.stepName(s.done, s.steps[s.done])
	}
	return s.finalName
}

// NewStatistics implements streaming.Stages.
func (s *stages[Y]) NewStatistics() (streaming.Statistics[Y], error) {
	sent, err := s.newStatistics()
	if err != nil {
		return nil, err
	}
	return sent, nil
}

func (s *stages[Y]) newStatistics() (*stream.Sent[Y], error) {
	at, of := s.Stage()
	if s.isLearnt() {
		return nil, fault.Param(s.t.name(), "stage", at, fmt.Sprintf("less than %d: every column would be a target", of))
	}
	out := &stream.Sent[Y]{Place: stream.Place{
		Name: s.t.name(), Steps: s.steps[:s.done], Part: s.part(), Stage: at, Digest: s.digest, Width: s.width,
	}}
	var err error
	if s.now != nil {
		var rows streaming.Statistics[streaming.None]
		rows, err = s.now.NewStatistics()
		out.Sums = stream.Untargeted[Y]{Statistics: rows}
	} else {
		out.Sums, err = s.last.NewStatistics()
	}
	if err != nil {
		return nil, fault.AddPlace(s.part(), err)
	}
	return out, nil
}

// FitStatistics implements streaming.Stages.
func (s *stages[Y]) FitStatistics(ctx context.Context, st streaming.Statistics[Y]) (err error) {
	defer estimators.BeginFit(&ctx, nil)(&err)
	fresh, err := s.newStatistics()
	if err != nil {
		return err
	}
	sent, err := fresh.Like(st)
	if err != nil {
		return err
	}
	if s.now == nil {
		var learnt bool
		if learnt, err = fitStage(ctx, s.last, sent.Sums, s.final, func() error { return nil }); learnt {
			s.last = nil
		}
	} else {
		err = s.fitStep(ctx, sent.Sums.(stream.Untargeted[Y]).Statistics)
	}
	if err != nil {
		return fault.AddPlace(fresh.Part, err)
	}
	s.width = max(s.width, sent.Width)
	return nil
}

// fitStep fits a stage of a step. After the last stage of the step, it continues with the next step.
func (s *stages[Y]) fitStep(ctx context.Context, sums streaming.Statistics[streaming.None]) error {
	step := s.steps[s.done]
	var next streaming.Stages[streaming.None]
	learnt, err := fitStage(ctx, s.now, sums, step, func() (err error) {
		if s.done+1 < len(s.steps) {
			s.name(s.done + 1)
			next, err = streaming.NewStages[streaming.None](s.steps[s.done+1])
		}
		return err
	})
	if learnt {
		s.done, s.now = s.done+1, next
		s.digest = digestOf(s.digest, step)
	}
	return err
}

// fitStage fits a stage. After the last stage it fits the model from the stages, calls goOn, and returns true. If it returns an
// error, the stage is unchanged.
func fitStage[Y streaming.Target](
	ctx context.Context, now streaming.Stages[Y], sums streaming.Statistics[Y], model any, goOn func() error,
) (learnt bool, err error) {
	before, err := now.MarshalBinary()
	if err != nil {
		return false, err
	}
	if err := now.FitStatistics(ctx, sums); err != nil {
		return false, err
	}
	if at, count := now.Stage(); at < count {
		return false, nil
	}
	if err = streaming.FitStages(ctx, model, now); err == nil {
		err = goOn()
	}
	if err != nil {
		if back := now.UnmarshalBinary(before); back != nil {
			err = fmt.Errorf("%w, and %w", err, back)
		}
		return false, err
	}
	return true, nil
}

// digestOf returns the digest extended by another fitted step, or "" if the step cannot be stored.
func digestOf(before string, step transformers.Transformer) string {
	part, err := estimators.NestModel("", step)
	if err != nil {
		return ""
	}
	hash := sha256.New()
	hash.Write([]byte(before + part.Type))
	hash.Write(part.Data)
	return hex.EncodeToString(hash.Sum(nil)[:8])
}

// fitted returns the steps after all of them have been fitted.
func (s *stages[Y]) fitted() *stream.Steps {
	if s.bare {
		return &stream.Steps{Width: s.width, Names: slices.Clone(s.t.Names)}
	}
	return &stream.Steps{Width: s.width, Steps: slices.Clone(s.steps), Names: slices.Clone(s.t.Names)}
}

type storedStages struct {
	Width int
	Steps []estimators.NestedModel // fitted steps
	Now   []byte                   // stages of the part that is being fitted; empty at the end
	Final *estimators.NestedModel  // fitted, at the end
}

func (s *stages[Y]) kind() string { return s.t.name() + " stages" }

// MarshalBinary implements streaming.Stages.
func (s *stages[Y]) MarshalBinary() (data []byte, err error) {
	out := storedStages{Width: s.width}
	for i, step := range s.steps[:s.done] {
		part, err := estimators.NestModel(s.t.stepName(i, step), step)
		if err != nil {
			return nil, err
		}
		out.Steps = append(out.Steps, part)
	}
	switch {
	case s.now != nil:
		out.Now, err = s.now.MarshalBinary()
	case s.last != nil:
		out.Now, err = s.last.MarshalBinary()
	case s.final != nil:
		out.Final = &estimators.NestedModel{}
		*out.Final, err = estimators.NestModel(s.finalName, s.final)
	}
	if err != nil {
		return nil, err
	}
	return codec.Marshal(s.kind(), payloadVersion, out)
}

// UnmarshalBinary implements streaming.Stages.
func (s *stages[Y]) UnmarshalBinary(data []byte) error {
	var in storedStages
	if _, err := codec.Unmarshal(data, s.kind(), payloadVersion, &in); err != nil {
		return err
	}
	out, err := newStages[Y](s.t, estimators.Clone(s.final), s.finalName)
	if err != nil {
		return err
	}
	if err := out.load(in); err != nil {
		return err
	}
	*s = *out
	return nil
}

// load restores the progress of stored stages.
func (s *stages[Y]) load(in storedStages) error {
	if len(in.Steps) > len(s.steps) || in.Width < 0 || in.Width == 0 && (len(in.Steps) > 0 || in.Final != nil) ||
		in.Final != nil && (s.final == nil || len(in.Steps) < len(s.steps)) {
		return fault.BadModel(s.kind(), "%d fitted steps of %d, for rows of %d columns", len(in.Steps), len(s.steps), in.Width)
	}
	for i, part := range in.Steps {
		if err := part.UnmarshalInto(s.kind(), fmt.Sprintf("step %d", i), s.steps[i]); err != nil {
			return err
		}
		s.digest = digestOf(s.digest, s.steps[i])
	}
	s.done, s.width, s.now = len(in.Steps), in.Width, nil
	var err error
	switch {
	case s.done < len(s.steps):
		s.name(s.done)
		if s.now, err = streaming.NewStages[streaming.None](s.steps[s.done]); err != nil {
			return err
		}
		err = s.now.UnmarshalBinary(in.Now)
	case in.Final != nil:
		s.last = nil
		return in.Final.UnmarshalInto(s.kind(), "final", s.final)
	case s.last != nil:
		err = s.last.UnmarshalBinary(in.Now)
	}
	if err != nil {
		return fault.BadModel(s.kind(), "%s: %v", s.part(), err)
	}
	return nil
}

// MarshalText implements encoding.TextMarshaler. In JSON the bytes are a base64 string.
func (s *stages[Y]) MarshalText() ([]byte, error) { return codec.Text(s) }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *stages[Y]) UnmarshalText(text []byte) error { return codec.FromText(s.kind(), s, text) }

// NewStages implements [streaming.StagedFitter]. It returns the stages of each step, one after the other. Their statistics receive
// the rows of the first step.
func (t *Transformer) NewStages() (streaming.Stages[streaming.None], error) {
	s, err := newStages[streaming.None](t, nil, "")
	if err != nil {
		return nil, err
	}
	return s, nil
}

// FitStages implements [streaming.StagedFitter]. The Transformer then uses the steps of the stages.
func (t *Transformer) FitStages(ctx context.Context, s streaming.Stages[streaming.None]) (err error) {
	defer estimators.BeginFit(&ctx, nil)(&err)
	own, ok := s.(*stages[streaming.None])
	if !ok || own == nil || !own.isLearnt() || !sameSteps(t.Steps, own.t.Steps) {
		return fault.Param(t.name(), "stages", stagesName(s), "those of NewStages of such steps, at their end")
	}
	if err := cmp.Or(own.t.checkNames(own.width), ctx.Err()); err != nil {
		return err
	}
	t.fitted = own.fitted()
	return nil
}

// takeStages returns the pipeline that was fitted in stages. It returns an error unless all stages are done and belong to a
// pipeline like c.
func takeStages[Y float64 | int, E learner[[]Y, []Y]](
	ctx context.Context, c *chain[[]Y, []Y, E], s streaming.Stages[Y],
) (*chain[[]Y, []Y, E], error) {
	own, ok := s.(*stages[Y])
	if !ok || own == nil || !own.isLearnt() || !sameSteps(c.steps.Steps, own.t.Steps) || check.IsNil(c.final) ||
		c.finalName() != own.finalName {
		return nil, fault.Param(c.steps.Name, "stages", stagesName(s), "those of NewStages of such a pipeline, at their end")
	}
	steps := &Transformer{Steps: c.steps.Steps, Name: c.steps.Name, fitted: own.fitted()}
	return &chain[[]Y, []Y, E]{steps: steps, final: own.final.(E)}, cmp.Or(own.t.checkNames(own.width), ctx.Err())
}

// stagesName describes stages that do not match, for errors.
func stagesName(s interface{ Stage() (at, of int) }) string {
	if check.IsNil(s) {
		return "nil"
	}
	at, of := s.Stage()
	return fmt.Sprintf("%T, %d of %d learnt", s, at, of)
}

// sameSteps reports whether two chains have steps of the same types.
func sameSteps(a, b []transformers.Transformer) bool {
	return slices.EqualFunc(a, b, func(a, b transformers.Transformer) bool { return fmt.Sprintf("%T", a) == fmt.Sprintf("%T", b) })
}
