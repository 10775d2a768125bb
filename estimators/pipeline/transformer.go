package pipeline

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/pipeline/internal/stream"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/embedding"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/rowwise"
	"github.com/kernelearn/kernelearn/sparse"
	"github.com/kernelearn/kernelearn/transformers"
)

const (
	transformerName = "pipeline: Transformer"
	transformerKind = "pipeline.Transformer"
)

// Transformer is Steps one after the other, as one transformer: what a Regressor and a Classifier have before their
// final estimator, for use elsewhere. Without Steps rows stay as they are. Fit fits clones
// and leaves Steps as they are.
//
// It costs what its steps cost. Errors are those of the steps, with the step named in front, and
// [estimators.ErrParam] for a nil step.
//
// See also [ColumnTransformer], [Regressor].
type Transformer struct {
	Steps []transformers.Transformer

	// Name is put before errors, to say what the steps are a part of. If it is "", it is "pipeline: Transformer".
	Name string

	// Names lists the names of the columns of x, as in [Regressor].
	Names []string `settings:"-"`

	precedes bool // a final estimator, which looks for gaps itself where there are no steps
	fitted   *stream.Steps
}

func (t *Transformer) name() string {
	if t.Name == "" {
		return transformerName
	}
	return t.Name
}

// stepName stands before the errors of a step.
func (t *Transformer) stepName(i int, step transformers.Transformer) string {
	return stream.StepName(t.name(), i, step)
}

// ofStep names a step in front of its error, and columns that it knows by number.
func (t *Transformer) ofStep(steps *stream.Steps, i int, err error) error {
	return fault.NameColumns(fault.AddPlace(t.stepName(i, steps.Steps[i]), err), steps.NamesAt(i))
}

// checkNames returns an error of another number of names than columns.
func (t *Transformer) checkNames(width int) error {
	if t.Names == nil || len(t.Names) == width {
		return nil
	}
	return fault.Param(t.name(), "Names", len(t.Names), fmt.Sprintf("a name for each of %d columns, or nil", width))
}

// clones returns an unfitted copy of each step; its error names the one that is nil.
func (t *Transformer) clones() ([]transformers.Transformer, error) {
	out := make([]transformers.Transformer, len(t.Steps))
	for i, s := range t.Steps {
		if check.IsNil(s) {
			return nil, fault.Param(t.name(), fmt.Sprintf("Steps[%d]", i), nil, "a transformer")
		}
		out[i] = estimators.Clone(s)
	}
	return out, nil
}

// Fit fits a clone of each step on what the step before it gives for x (n×d).
func (t *Transformer) Fit(ctx context.Context, x mat.Matrix) (err error) {
	defer estimators.BeginFit(&ctx, nil)(&err)
	_, err = t.fit(ctx, x, nil, false)
	return err
}

// FitTransform is Fit, and returns what Transform gives for x, computed once. Without Steps
// that is x itself, which the caller must not write to then.
func (t *Transformer) FitTransform(ctx context.Context, x mat.Matrix) (_ mat.Matrix, err error) {
	defer estimators.BeginFit(&ctx, nil)(&err)
	return t.fit(ctx, x, nil, true)
}

// FitTransformTargets implements [transformers.TargetFitter]: steps that learn from the targets get them.
func (t *Transformer) FitTransformTargets(ctx context.Context, x, targets mat.Matrix) (_ *mat.Dense, err error) {
	defer estimators.BeginFit(&ctx, nil)(&err)
	z, err := t.fit(ctx, x, targets, true)
	if err != nil {
		return nil, err
	}
	return t.dense(z, len(t.Steps) > 0)
}

// dense returns the result of the steps as a dense matrix. It copies the rows that were given, if there are no steps.
func (t *Transformer) dense(z mat.Matrix, own bool) (*mat.Dense, error) {
	zd, err := check.Dense("the transformed x", z)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.name(), err)
	}
	if own || sparse.Is(z) {
		return zd, nil
	}
	return mat.DenseCopyOf(zd), nil
}

// checkRows checks rows that no step will check.
func checkRows(x mat.Matrix, gaps func(int) bool) error {
	if sparse.Is(x) {
		_, err := sparse.From("x", x)
		return err
	}
	_, err := check.DenseGaps("x", x, gaps)
	return err
}

// transformStep returns what a fitted step makes of rows. Sparse rows stay sparse if the step keeps them so.
func transformStep(ctx context.Context, s transformers.Transformer, x mat.Matrix) (mat.Matrix, error) {
	if keeper, ok := transformers.KeepSparse(s, x); ok {
		return keeper.TransformSparse(x)
	}
	return transformers.TransformContext(ctx, s, x)
}

// fit leaves out the transformation by the last step if nobody wants it. Targets are nil for none.
func (t *Transformer) fit(ctx context.Context, x, targets mat.Matrix, whole bool) (mat.Matrix, error) {
	steps, err := t.clones()
	if err != nil {
		return nil, err
	}
	if len(steps) == 0 { // which would have checked x
		var gaps func(int) bool
		if t.precedes {
			gaps = check.Anywhere
		}
		if err := checkRows(x, gaps); err != nil {
			return nil, fault.NameColumns(fmt.Errorf("%s: %w", t.name(), err), t.Names)
		}
	}
	fitted := &stream.Steps{Steps: steps, Names: slices.Clone(t.Names)}
	if !check.IsNil(x) { // which the first step refuses
		_, fitted.Width = x.Dims()
		if err := t.checkNames(fitted.Width); err != nil {
			return nil, err
		}
	}
	z := x
	group := progress.Open(ctx)
	for i, s := range steps {
		first, rest := progress.Two(group.Step(i, len(steps)), 2, 1)
		estimators.SetColumnNames(s, fitted.NamesAt(i))
		var err error
		if learner, ok := embedding.As[transformers.TargetFitter](s); ok && targets != nil {
			z, err = learner.FitTransformTargets(first, z, targets)
		} else if err = s.Fit(first, z); err == nil && (whole || i < len(steps)-1) {
			z, err = transformStep(rest, s, z)
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, t.ofStep(fitted, i, err)
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	t.fitted = fitted
	return z, nil
}

// Transform sends x (m×d) through the fitted steps.
func (t *Transformer) Transform(x mat.Matrix) (_ *mat.Dense, err error) {
	defer fault.Recover(&err)
	steps, err := t.ready(x)
	if err != nil {
		return nil, err
	}
	z, err := t.transformSteps(steps, x)
	if err != nil {
		return nil, err
	}
	return t.dense(z, len(steps) > 0)
}

// TransformTo implements [transformers.TransformerTo] where the steps do.
func (t *Transformer) TransformTo(dst *mat.Dense, x mat.Matrix) (err error) {
	defer fault.Recover(&err)
	steps, err := t.ready(x)
	if err != nil {
		return err
	}
	last := len(steps) - 1
	if last < 0 {
		return stream.CopyTo(dst, x)
	}
	return t.pass(steps[:last], x, func(z mat.Matrix) error {
		if err := stream.TransformTo(steps[last], dst, z); err != nil {
			return t.ofStep(t.fitted, last, err)
		}
		return nil
	})
}

// ready returns the fitted steps. Where there are none, nothing else will look at x.
func (t *Transformer) ready(x mat.Matrix) ([]transformers.Transformer, error) {
	if t.fitted == nil {
		return nil, fault.NotFitted(t.name())
	}
	if len(t.fitted.Steps) > 0 {
		return t.fitted.Steps, nil
	}
	err := checkRows(x, nil)
	if err == nil {
		if _, d := x.Dims(); d != t.fitted.Width {
			err = fault.Columns("x", d, t.fitted.Width)
		}
	}
	if err != nil {
		return nil, fault.NameColumns(fmt.Errorf("%s: %w", t.name(), err), t.fitted.Names)
	}
	return nil, nil
}

// Pass calls f with what Transform gives for x: with x itself where there are no Steps,
// unchecked; and of up to sixteen rows of a *mat.Dense without allocating, where the steps
// have TransformTo. They are f's for the call alone, to read. An error of f is returned as
// it is.
func (t *Transformer) Pass(x mat.Matrix, f func(z mat.Matrix) error) error {
	if t.fitted == nil {
		return fault.NotFitted(t.name())
	}
	return t.pass(t.fitted.Steps, x, f)
}

func (t *Transformer) pass(steps []transformers.Transformer, x mat.Matrix, f func(z mat.Matrix) error) error {
	if !rowwise.IsFew(x) {
		z, err := t.transformSteps(steps, x)
		if err != nil {
			return err
		}
		return f(z)
	}
	b := rowwise.NewBuffers()
	defer b.Release()
	z, at, err := rowwise.Transform(b, steps, x)
	if err != nil {
		return t.ofStep(t.fitted, at, err)
	}
	return f(z)
}

// transformSteps sends x through some of the fitted steps.
func (t *Transformer) transformSteps(steps []transformers.Transformer, x mat.Matrix) (mat.Matrix, error) {
	for i, s := range steps {
		var z mat.Matrix
		var err error
		if keeper, ok := transformers.KeepSparse(s, x); ok {
			z, err = keeper.TransformSparse(x)
		} else {
			z, err = s.Transform(x)
		}
		if err != nil {
			return nil, t.ofStep(t.fitted, i, err)
		}
		x = z
	}
	return x, nil
}

// InverseTransform implements [transformers.Inverter]: it sends z (m×r) back through the fitted steps, the last one
// first. It wraps errors.ErrUnsupported where a step cannot go back.
func (t *Transformer) InverseTransform(z mat.Matrix) (_ *mat.Dense, err error) {
	defer fault.Recover(&err)
	steps, err := t.ready(z)
	if err != nil {
		return nil, err
	}
	if len(steps) == 0 {
		return mat.DenseCopyOf(z), nil
	}
	for i, s := range steps {
		if !estimators.Supports(s, estimators.Inverting) {
			return nil, estimators.Unsupported(t.stepName(i, s), s, estimators.Inverting)
		}
	}
	var x *mat.Dense
	for i, s := range slices.Backward(steps) {
		if x, err = s.(transformers.Inverter).InverseTransform(z); err != nil {
			return nil, fault.AddPlace(t.stepName(i, s), err)
		}
		z = x
	}
	return x, nil
}

// RowResiduals implements [transformers.RowResidualer] with that of the last step, for the rows that come to it
// from x (m×d). They are 0 where it has none: then its features are those of a kernel of which they leave nothing
// out.
func (t *Transformer) RowResiduals(x, z mat.Matrix) ([]float64, error) {
	if _, err := t.ready(x); err != nil {
		return nil, err
	}
	out, err := t.leftOut(x, z)
	if out == nil && err == nil {
		n, _ := x.Dims()
		out = make([]float64, n)
	}
	return out, err
}

// leftOut is nil where the last step leaves nothing out.
func (t *Transformer) leftOut(x, z mat.Matrix) ([]float64, error) {
	last := len(t.fitted.Steps) - 1
	if last < 0 {
		return nil, nil
	}
	step := t.fitted.Steps[last]
	inner, nested := step.(*Transformer)
	residuals, ok := embedding.As[transformers.RowResidualer](step)
	if !ok {
		return nil, nil
	}
	x, err := t.transformSteps(t.fitted.Steps[:last], x)
	if err != nil {
		return nil, err
	}
	var out []float64
	if nested {
		out, err = inner.leftOut(x, z)
	} else {
		out, err = residuals.RowResiduals(x, z)
	}
	if err != nil {
		return nil, fault.AddPlace(t.stepName(last, step), err)
	}
	return out, nil
}

// FittedSteps returns the fitted steps, or nil before Fit. The slice is a copy; its
// elements are the ones that Transform uses and must not be fitted again.
func (t *Transformer) FittedSteps() []transformers.Transformer {
	if t.fitted == nil {
		return nil
	}
	return slices.Clone(t.fitted.Steps)
}

// Supports reports whether all Steps can do c.
func (t *Transformer) Supports(c estimators.Capability) bool {
	switch c {
	case estimators.Naming:
		return true
	case estimators.Categorizing: // of the columns of x, which come to the first
		return len(t.Steps) > 0 && estimators.Supports(t.Steps[0], c)
	}
	return estimators.Wrapped{Steps: t.Steps}.Supports(t, c)
}

type storedSteps struct {
	Width int
	Steps []estimators.NestedModel
	Names []string `cbor:",omitempty"`
}

// MarshalBinary implements encoding.BinaryMarshaler. It stores what is fitted and the types
// of the steps, not their configuration.
func (t *Transformer) MarshalBinary() ([]byte, error) {
	s, err := t.store()
	if err != nil {
		return nil, err
	}
	return codec.Marshal(transformerKind, payloadVersion, s)
}

func (t *Transformer) store() (storedSteps, error) {
	if t.fitted == nil {
		return storedSteps{}, fault.NotFitted(t.name())
	}
	out := storedSteps{Width: t.fitted.Width, Steps: make([]estimators.NestedModel, len(t.fitted.Steps)), Names: t.fitted.Names}
	for i, s := range t.fitted.Steps {
		var err error
		if out.Steps[i], err = estimators.NestModel(t.stepName(i, s), s); err != nil {
			return out, err
		}
	}
	return out, nil
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler. The data goes into clones of the configured Steps, so t
// must be configured as the one that was stored: another number of steps, or another type of one, is
// [estimators.ErrBadModel]. After an error t is unchanged.
func (t *Transformer) UnmarshalBinary(data []byte) error {
	var s storedSteps
	if _, err := codec.Unmarshal(data, transformerKind, payloadVersion, &s); err != nil {
		return err
	}
	return t.load(transformerKind, s)
}

// load reads what store gave; kind is that of the file.
func (t *Transformer) load(kind string, s storedSteps) error {
	if len(s.Steps) != len(t.Steps) {
		return fault.BadModel(kind, "the data holds %d steps, configured are %d", len(s.Steps), len(t.Steps))
	}
	if s.Width < 1 || s.Names != nil && len(s.Names) != s.Width {
		return fault.BadModel(kind, "%d columns, with %d names", s.Width, len(s.Names))
	}
	steps, err := t.clones()
	if err != nil {
		return err
	}
	for i, stored := range s.Steps {
		if err := stored.UnmarshalInto(kind, fmt.Sprintf("step %d", i), steps[i]); err != nil {
			return err
		}
	}
	t.fitted = &stream.Steps{Width: s.Width, Steps: steps, Names: s.Names}
	return nil
}
