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

// Transformer applies Steps, in their order, as one transformer. It is like a Regressor or a Classifier without a final estimator.
// Without Steps, rows stay unchanged. Fit fits clones and leaves Steps unchanged.
//
// The cost is the sum of the costs of the steps. The errors are those of the steps, preceded by the name of the step. If a step is
// nil, the error is [estimators.ErrParam].
//
// See also [ColumnTransformer], [Regressor].
type Transformer struct {
	Steps []transformers.Transformer

	// Name is the prefix of errors, such as the name of the composite that contains the steps. If it is "", "pipeline: Transformer"
	// is used.
	Name string

	// Names holds the names of the columns of x, as in [Regressor].
	Names []string `settings:"-"`

	precedes bool // a final estimator follows, which checks gaps itself if there are no steps
	fitted   *stream.Steps
}

func (t *Transformer) name() string {
	if t.Name == "" {
		return transformerName
	}
	return t.Name
}

// stepName returns the prefix for the errors of a step.
func (t *Transformer) stepName(i int, step transformers.Transformer) string {
	return stream.StepName(t.name(), i, step)
}

// ofStep adds the name of a step to an error, and the names of columns to their numbers in the error.
func (t *Transformer) ofStep(steps *stream.Steps, i int, err error) error {
	return fault.NameColumns(fault.AddPlace(t.stepName(i, steps.Steps[i]), err), steps.NamesAt(i))
}

// checkNames returns an error if the number of names differs from the number of columns.
func (t *Transformer) checkNames(width int) error {
	if t.Names == nil || len(t.Names) == width {
		return nil
	}
	return fault.Param(t.name(), "Names", len(t.Names), fmt.Sprintf("a name for each of %d columns, or nil", width))
}

// clones returns an unfitted copy of each step. If a step is nil, the error names it.
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

// Fit fits a clone of the first step to x (n×d), and a clone of each later step to the output of the step before it.
func (t *Transformer) Fit(ctx context.Context, x mat.Matrix) (err error) {
	defer estimators.BeginFit(&ctx, nil)(&err)
	_, err = t.fit(ctx, x, nil, false)
	return err
}

// FitTransform is like Fit, and returns the result of Transform for x, which is computed only once. Without Steps the result is x
// itself, and the caller must not modify it.
func (t *Transformer) FitTransform(ctx context.Context, x mat.Matrix) (_ mat.Matrix, err error) {
	defer estimators.BeginFit(&ctx, nil)(&err)
	return t.fit(ctx, x, nil, true)
}

// FitTransformTargets implements [transformers.TargetFitter]. Steps that are fitted to targets receive them.
func (t *Transformer) FitTransformTargets(ctx context.Context, x, targets mat.Matrix) (_ *mat.Dense, err error) {
	defer estimators.BeginFit(&ctx, nil)(&err)
	z, err := t.fit(ctx, x, targets, true)
	if err != nil {
		return nil, err
	}
	return t.dense(z, len(t.Steps) > 0)
}

// dense returns the result of the steps as a dense matrix. Unless own is set, the result is a copy of z.
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

// checkRows returns an error if the values of x are invalid. It is called if there are no steps that check them.
func checkRows(x mat.Matrix, gaps func(int) bool) error {
	if sparse.Is(x) {
		_, err := sparse.From("x", x)
		return err
	}
	_, err := check.DenseGaps("x", x, gaps)
	return err
}

// transformStep returns rows transformed by a fitted step. Sparse rows stay sparse if the step keeps them sparse.
func transformStep(ctx context.Context, s transformers.Transformer, x mat.Matrix) (mat.Matrix, error) {
	if keeper, ok := transformers.KeepSparse(s, x); ok {
		return keeper.TransformSparse(x)
	}
	return transformers.TransformContext(ctx, s, x)
}

// fit fits the steps and returns the transformed x. It applies the last step only if transform is set. If there are no targets,
// targets is nil.
func (t *Transformer) fit(ctx context.Context, x, targets mat.Matrix, transform bool) (mat.Matrix, error) {
	steps, err := t.clones()
	if err != nil {
		return nil, err
	}
	if len(steps) == 0 { // otherwise the first step checks x
		var gaps func(int) bool
		if t.precedes {
			gaps = check.Anywhere
		}
		if err := checkRows(x, gaps); err != nil {
			return nil, fault.NameColumns(fmt.Errorf("%s: %w", t.name(), err), t.Names)
		}
	}
	fitted := &stream.Steps{Steps: steps, Names: slices.Clone(t.Names)}
	if !check.IsNil(x) { // the first step rejects nil
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
		} else if err = s.Fit(first, z); err == nil && (transform || i < len(steps)-1) {
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

// Transform returns x (m×d) transformed by the fitted steps.
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

// TransformTo implements [transformers.TransformerTo] if the steps do.
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

// ready returns the fitted steps. If there are no steps, it checks x.
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

// Pass calls f with the result of Transform for x. Without Steps this is x itself, unchecked. Up to sixteen rows of a *mat.Dense
// are transformed without allocating memory if the steps have TransformTo. The function f may only read the rows, and only during
// the call. An error of f is returned unchanged.
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

// transformSteps returns x transformed by some of the fitted steps.
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

// InverseTransform implements [transformers.Inverter]. It applies the inverse of each fitted step to z (m×r), starting with the
// last step. If a step has no inverse, the error wraps errors.ErrUnsupported.
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

// RowResiduals implements [transformers.RowResidualer] with the method of the last step. The input of that step is computed from x
// (m×d). If the last step has no such method, the residuals are 0, because its features then describe a complete kernel.
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

// leftOut returns the RowResiduals of the last step, or nil if the step leaves nothing out.
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

// FittedSteps returns the fitted steps, or nil before Fit. The slice is a copy, but Transform uses its elements. They must not be
// fitted again.
func (t *Transformer) FittedSteps() []transformers.Transformer {
	if t.fitted == nil {
		return nil
	}
	return slices.Clone(t.fitted.Steps)
}

// Supports reports whether all Steps support c.
func (t *Transformer) Supports(c estimators.Capability) bool {
	switch c {
	case estimators.Naming:
		return true
	case estimators.Categorizing: // decided by the first step, which receives the columns of x
		return len(t.Steps) > 0 && estimators.Supports(t.Steps[0], c)
	}
	return estimators.Wrapped{Steps: t.Steps}.Supports(t, c)
}

type storedSteps struct {
	Width int
	Steps []estimators.NestedModel
	Names []string `cbor:",omitempty"`
}

// MarshalBinary implements encoding.BinaryMarshaler. It encodes the fitted steps and their types, not their configuration.
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

// UnmarshalBinary implements encoding.BinaryUnmarshaler. The data is decoded into clones of the configured Steps, so t must have
// the configuration of the encoded Transformer. It returns [estimators.ErrBadModel] if the number of steps or the type of a step
// differs. After an error t is unchanged.
func (t *Transformer) UnmarshalBinary(data []byte) error {
	var s storedSteps
	if _, err := codec.Unmarshal(data, transformerKind, payloadVersion, &s); err != nil {
		return err
	}
	return t.load(transformerKind, s)
}

// load decodes the result of store. kind is the kind of the file.
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
