package pipeline

import (
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
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// stepStages is a fit of steps in stages, one step after the other.
type stepStages struct {
	t      *Transformer
	bare   bool                       // without steps: one stands there that learns the width alone
	steps  []transformers.Transformer // the first done of them are fitted
	counts []int                      // stages of each
	done   int
	now    transformers.Stages // of the step after those; nil where there is none
	width  int                 // of the rows; 0 before the first stage is done
	digest string              // of what is fitted
}

var (
	_ transformers.StagedFitter        = (*Transformer)(nil)
	_ estimators.StagedFitter[float64] = (*Regressor)(nil)
	_ estimators.StagedFitter[int]     = (*Classifier)(nil)
)

// newStepStages begins; alone says that nothing comes after the steps.
func newStepStages(t *Transformer, alone bool) (*stepStages, error) {
	steps, err := t.clones()
	if err != nil {
		return nil, err
	}
	s := &stepStages{t: t, steps: steps}
	if s.bare = alone && len(steps) == 0; s.bare {
		s.steps = []transformers.Transformer{&scalers.UnitRows{}}
	}
	for i, step := range s.steps {
		if !estimators.Supports(step, estimators.Mergeable) {
			return nil, estimators.Unsupported(t.stepName(i, step), step, estimators.Mergeable)
		}
		stages, err := transformers.NewStages(step)
		if err != nil {
			return nil, fault.AddPlace(t.stepName(i, step), err)
		}
		_, of := stages.Stage()
		s.counts = append(s.counts, of)
		if i == 0 {
			s.now = stages
		}
	}
	return s, nil
}

func sum(values []int) (total int) {
	for _, v := range values {
		total += v
	}
	return total
}

// Stage implements transformers.Stages.
func (s *stepStages) Stage() (at, of int) {
	at = sum(s.counts[:s.done])
	if s.now != nil {
		k, _ := s.now.Stage()
		at += k
	}
	return at, sum(s.counts)
}

// place is where the rows of this stage go.
func (s *stepStages) place(name string) stream.Place {
	at, _ := s.Stage()
	return stream.Place{Name: s.t.name(), Steps: s.steps[:s.done], Part: name, Stage: at, Digest: s.digest, Width: s.width}
}

// NewStatistics implements transformers.Stages.
func (s *stepStages) NewStatistics() (transformers.Statistics, error) {
	if s.now == nil {
		at, of := s.Stage()
		return nil, fault.Param(s.t.name(), "stage", at, fmt.Sprintf("less than %d: all are learnt", of))
	}
	name := s.t.stepName(s.done, s.steps[s.done])
	sums, err := s.now.NewStatistics()
	if err != nil {
		return nil, fault.AddPlace(name, err)
	}
	return &stream.Rows{Place: s.place(name), Sums: sums}, nil
}

// FitStatistics implements transformers.Stages.
func (s *stepStages) FitStatistics(ctx context.Context, st transformers.Statistics) (err error) {
	defer estimators.BeginFit(&ctx, nil)(&err)
	fresh, err := s.NewStatistics()
	if err != nil {
		return err
	}
	of, err := fresh.(*stream.Rows).Like(st)
	if err != nil {
		return err
	}
	step := s.steps[s.done]
	name := s.t.stepName(s.done, step)
	before, err := s.now.MarshalBinary()
	if err != nil {
		return fault.AddPlace(name, err)
	}
	if err := s.now.FitStatistics(ctx, of.Sums); err != nil {
		return fault.AddPlace(name, err)
	}
	if at, count := s.now.Stage(); at == count {
		err = transformers.FitStages(ctx, step, s.now)
		var next transformers.Stages
		if err == nil && s.done+1 < len(s.steps) {
			next, err = transformers.NewStages(s.steps[s.done+1])
		}
		if err != nil {
			if back := s.now.UnmarshalBinary(before); back != nil {
				err = fmt.Errorf("%w, and %w", err, back)
			}
			return fault.AddPlace(name, err)
		}
		s.done, s.now = s.done+1, next
		s.digest = digestOf(s.digest, step)
	}
	s.width = max(s.width, of.Width)
	return nil
}

// digestOf is that of one more fitted step; "" where it cannot be stored.
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

// fitted returns the steps, which are all learnt.
func (s *stepStages) fitted() *stream.Steps {
	if s.bare {
		return &stream.Steps{Width: s.width}
	}
	return &stream.Steps{Width: s.width, Steps: slices.Clone(s.steps)}
}

type storedStages struct {
	Width int
	Steps []estimators.NestedModel // that are fitted
	Now   []byte                   // stages of the step after those
}

const stagesKind = "pipeline.Transformer stages"

func (s *stepStages) store() (storedStages, error) {
	out := storedStages{Width: s.width}
	for i, step := range s.steps[:s.done] {
		part, err := estimators.NestModel(s.t.stepName(i, step), step)
		if err != nil {
			return out, err
		}
		out.Steps = append(out.Steps, part)
	}
	if s.now == nil {
		return out, nil
	}
	var err error
	out.Now, err = s.now.MarshalBinary()
	return out, err
}

// load returns stages of the same configuration that stand where those stood that were stored.
func (s *stepStages) load(kind string, in storedStages) (*stepStages, error) {
	out, err := newStepStages(s.t, s.bare)
	if err != nil {
		return nil, err
	}
	if len(in.Steps) > len(out.steps) || in.Width < 0 || in.Width == 0 && len(in.Steps) > 0 {
		return nil, fault.BadModel(kind, "%d fitted steps of %d, for rows of %d columns", len(in.Steps), len(out.steps), in.Width)
	}
	for i, part := range in.Steps {
		if err := part.UnmarshalInto(kind, fmt.Sprintf("step %d", i), out.steps[i]); err != nil {
			return nil, err
		}
		out.digest = digestOf(out.digest, out.steps[i])
	}
	out.done, out.width, out.now = len(in.Steps), in.Width, nil
	if out.done < len(out.steps) {
		if out.now, err = transformers.NewStages(out.steps[out.done]); err != nil {
			return nil, err
		}
		if err := out.now.UnmarshalBinary(in.Now); err != nil {
			return nil, fault.BadModel(kind, "step %d: %v", out.done, err)
		}
	}
	return out, nil
}

// MarshalBinary implements transformers.Stages.
func (s *stepStages) MarshalBinary() ([]byte, error) {
	out, err := s.store()
	if err != nil {
		return nil, err
	}
	return codec.Marshal(stagesKind, payloadVersion, out)
}

// UnmarshalBinary implements transformers.Stages.
func (s *stepStages) UnmarshalBinary(data []byte) error {
	var in storedStages
	if _, err := codec.Unmarshal(data, stagesKind, payloadVersion, &in); err != nil {
		return err
	}
	out, err := s.load(stagesKind, in)
	if err != nil {
		return err
	}
	*s = *out
	return nil
}

// NewStages implements [transformers.StagedFitter]: the stages of each step, one after the other, with statistics
// that take rows as they come to the first.
func (t *Transformer) NewStages() (transformers.Stages, error) {
	s, err := newStepStages(t, true)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// FitStages implements [transformers.StagedFitter]. The Transformer has the steps of the stages then.
func (t *Transformer) FitStages(ctx context.Context, s transformers.Stages) (err error) {
	defer estimators.BeginFit(&ctx, nil)(&err)
	own, ok := s.(*stepStages)
	if !ok || own == nil || own.now != nil || !sameSteps(t.Steps, own.t.Steps) {
		return fault.Param(t.name(), "stages", stagesName(s), "those of NewStages of such steps, at their end")
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	t.fitted = own.fitted()
	return nil
}

// stagesName says which stages are not those that are wanted.
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

// MarshalText implements encoding.TextMarshaler: in JSON the bytes are a string, in base64.
func (s *stepStages) MarshalText() ([]byte, error) { return codec.Text(s) }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *stepStages) UnmarshalText(text []byte) error { return codec.FromText(stagesKind, s, text) }
