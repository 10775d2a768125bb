package golearn

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/sjwhitworth/golearn/base"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/adapters/golearn/internal/gridtable"
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/celltext"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/targets"
	"github.com/kernelearn/kernelearn/transformers"
)

// Step is a stage of a Pipeline, created by Transform or Filter. It holds only configuration. Fit does not change it, so several
// Pipelines may share one Step.
type Step struct {
	transform transformers.Transformer
	build     func(train base.FixedDataGrid) (base.Filter, error)
}

// Transform returns a step with a transformer. Fit fits a clone of it. The transformer receives the features in the same form as
// the estimator of a Classifier, with categorical features as columns of 0 and 1. It also receives NaN cells, since a transformer
// may fill them.
//
// The resulting grid has one float attribute for each column that the transformer returns, with the names from its FeatureNames
// (transformers.FeatureNamer). If the transformer has no names, uses a name twice, or uses the name of the class, the attributes
// keep their previous names. If their number has changed, they are called z0, z1 and so on. The class is unchanged.
func Transform(t transformers.Transformer) Step { return Step{transform: t} }

// Filter returns a step with a golearn filter. The function build receives the training grid as transformed by the previous steps,
// and returns a filter that is trained on it:
//
//	golearn.Filter(func(train base.FixedDataGrid) (base.Filter, error) {
//		f := filters.NewChiMergeFilter(train, 0.90)
//		for _, a := range base.NonClassFloatAttributes(train) {
//			f.AddAttribute(a)
//		}
//		return f, f.Train()
//	})
//
// Add the attributes of train to the filter, because golearn's filters identify attributes by pointer. Each cell is filtered once.
// A filter never receives the class cells of the grid that it filters, and its result for the class attribute is ignored. A
// category index past the last level, which BinningFilter returns for a value above the training range, counts as the last
// level.
//
// Save stores the training grid. Load calls build again, with an equal grid, until the filter gives the same result for that grid
// as the saved filter. It calls build at most 32 times if all filters are equal, and at most 2000 times if they differ. They can
// differ because golearn's ChiMergeFilter sums in random order, so that rounding can change its intervals.
func Filter(build func(train base.FixedDataGrid) (base.Filter, error)) Step {
	return Step{build: build}
}

// fittedStep is a fitted step of a Pipeline.
type fittedStep interface {
	reads() *schema
	// apply returns the features that the step computes from t, which has at least one row.
	apply(t *gridtable.Table) (*gridtable.Table, error)
	payload() (stepPayload, error)
}

// stepPayload is the file form of a step with a transformer or a filter.
type stepPayload struct {
	Transform *transformPayload
	Filter    *filterPayload
}

// fit fits the step to a training table, and returns the fitted step and the transformed features.
func (s Step) fit(ctx context.Context, t *gridtable.Table, noOneHot bool) (fittedStep, *gridtable.Table, error) {
	switch {
	case s.transform != nil:
		return fitTransform(ctx, s.transform, t, noOneHot)
	case s.build != nil:
		return fitFilter(s.build, t)
	}
	return nil, nil, fault.Param("Steps", "step", "neither Transform nor Filter", "a step that one of them built from a non-nil value")
}

// restore decodes a fitted step into a copy of the configuration of s.
func (s Step) restore(in stepPayload, noOneHot bool) (fittedStep, error) {
	switch {
	case s.transform != nil && in.Transform != nil:
		return restoreTransform(s.transform, in.Transform, noOneHot)
	case s.build != nil && in.Filter != nil:
		return restoreFilter(s.build, in.Filter)
	}
	return nil, fault.BadModel(pipelineKind, "written as a %s, the receiver has a %s", stepName(in.Transform != nil, in.Filter != nil),
		stepName(s.transform != nil, s.build != nil))
}

func stepName(transform, filter bool) string {
	switch {
	case transform:
		return "Transform"
	case filter:
		return "Filter"
	}
	return "zero Step"
}

type fittedTransform struct {
	schema      *schema
	transformer transformers.Transformer
	output      []gridtable.Column
}

const transformName = "golearn: Transform"

func fitTransform(ctx context.Context, configured transformers.Transformer, t *gridtable.Table,
	noOneHot bool) (fittedStep, *gridtable.Table, error) {
	transformer := estimators.Clone(configured)
	s, x, err := learn(ctx, t, noOneHot, Pass, transformer)
	if err != nil {
		return nil, nil, err
	}
	targets, err := classMatrix(t)
	if err != nil {
		return nil, nil, err
	}
	z, err := transformers.FitTransform(ctx, transformer, x, targets)
	f := &fittedTransform{schema: s, transformer: transformer}
	if err == nil {
		err = f.checkWidth(x, z)
	}
	if err != nil {
		return nil, nil, t.Explain(s.Columns, err)
	}
	_, width := z.Dims()
	f.output = transformed(transformer, s.Columns, width, t.Classes[0].Column.Name)
	return f, gridtable.TableOfMatrix(z, f.output), nil
}

// transformed returns the attributes after a fitted transformer. If the transformer does not name its columns and keeps their
// number, the attributes keep their names.
func transformed(t transformers.Transformer, in []gridtable.Column, width int, class string) []gridtable.Column {
	list := gridtable.MatrixNames(in)
	if own, err := transformers.NamesOf(t, list); err == nil && len(own) == width {
		if _, twice := celltext.Duplicate(append(own, class)); !twice {
			list = own
		}
	}
	if _, twice := celltext.Duplicate(append(list, class)); len(list) != width || twice {
		list = make([]string, width)
		for j := range list {
			list[j] = "z" + strconv.Itoa(j)
			if list[j] == class {
				list[j] = "_" + list[j]
			}
		}
	}
	precision := map[string]int{}
	for _, c := range in {
		precision[c.Name] = c.Precision
	}
	out := make([]gridtable.Column, width)
	for j, n := range list {
		out[j] = gridtable.Column{Name: n, Kind: gridtable.FloatKind, Precision: max(precision[n], gridtable.Decimals)}
	}
	return out
}

// classMatrix returns the class of each row in the form that transformers with targets expect.
func classMatrix(t *gridtable.Table) (mat.Matrix, error) {
	y, err := t.Values(&t.Classes[0])
	if err != nil || t.Classes[0].Column.Kind == gridtable.FloatKind {
		return targets.Matrix(y), err
	}
	labels := make([]int, len(y))
	for i, v := range y {
		labels[i] = int(v)
	}
	return targets.Matrix(labels), nil
}

func (f *fittedTransform) transform(x *mat.Dense) (*mat.Dense, error) {
	z, err := f.transformer.Transform(x)
	if err != nil {
		return nil, err
	}
	return z, f.checkWidth(x, z)
}

// checkWidth returns an error if the output of a transformer for x has the wrong number of rows or columns.
func (f *fittedTransform) checkWidth(x, z *mat.Dense) error {
	rows, _ := x.Dims()
	if r, c := z.Dims(); r != rows || (f.output != nil && c != len(f.output)) {
		return fault.Shape(fmt.Sprintf("%T returned %d rows and", f.transformer, r), c, "columns",
			"want %d rows and as many columns as in training", rows)
	}
	return nil
}

func (f *fittedTransform) reads() *schema { return f.schema }

func (f *fittedTransform) apply(t *gridtable.Table) (*gridtable.Table, error) {
	t, err := t.Align(f.schema.Columns)
	if err != nil {
		return nil, err
	}
	z, err := give(f.schema, t, f.transform)
	if err != nil {
		return nil, err
	}
	return gridtable.TableOfMatrix(z, f.output), nil
}

type transformPayload struct {
	Schema      schema
	Output      []gridtable.Column
	Transformer estimators.NestedModel
}

func (f *fittedTransform) payload() (stepPayload, error) {
	part, err := estimators.NestModel(transformName, f.transformer)
	return stepPayload{Transform: &transformPayload{Schema: *f.schema, Output: f.output, Transformer: part}}, err
}

func restoreTransform(configured transformers.Transformer, in *transformPayload, noOneHot bool) (fittedStep, error) {
	transformer := estimators.Clone(configured)
	if err := errors.Join(in.Schema.validate(), (&schema{Columns: in.Output}).validate()); err != nil {
		return nil, fault.BadModel(pipelineKind, "%v", err)
	}
	if err := in.Schema.fits(pipelineKind, noOneHot, Pass); err != nil {
		return nil, err
	}
	for _, c := range in.Output {
		if c.Kind != gridtable.FloatKind {
			return nil, fault.BadModel(pipelineKind, "attribute %q, after a transformer, is %v", c.Name, c.Kind)
		}
	}
	return &fittedTransform{schema: &in.Schema, transformer: transformer, output: in.Output},
		readPart(pipelineKind, "the transformer", in.Transformer, transformer)
}
