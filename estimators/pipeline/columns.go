package pipeline

import (
	"context"
	"iter"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/pipeline/internal/columns"
	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/rowwise"
	"github.com/kernelearn/kernelearn/streaming"
	"github.com/kernelearn/kernelearn/transformers"
)

const columnsName = "pipeline: ColumnTransformer"

// ColumnTransformer applies a transformer, or a chain of transformers ([Transformer]), to each of several selections of columns.
// For example, it scales numbers and encodes categories. The results are joined side by side in the order of Parts, followed by the
// columns that belong to no part. These are unchanged, transformed by Rest, or left out with DropRest. A column may be in several
// parts.
//
// Fit fits clones and leaves Parts unchanged. A model file contains the fitted transformers and the columns, and is decoded into a
// ColumnTransformer with the same Parts. The cost is the sum of the costs of the parts, plus a copy of their columns. The errors
// are those of the parts, preceded by the name of the part. If a value is not finite, the error contains its position in x.
//
// See also [Transformer].
type ColumnTransformer struct {
	Parts []ColumnPart

	// Names holds the names of the columns of x, by which parts can choose columns. It is nil if the names are not known. A table,
	// or a pipeline with names, sets it.
	Names []string `settings:"-"`

	// Categories holds the indices of the categorical columns. Parts in which Categories is set receive them. A table or a pipeline
	// sets this field.
	Categories []int `settings:"-"`

	// Rest is the transformer for the columns that belong to no part. If it is nil, these columns are unchanged.
	Rest transformers.Transformer

	// DropRest leaves out the columns that belong to no part.
	DropRest bool

	// If Gaps is set, NaN is not an error in unchanged columns, so that an imputer can follow. In other columns, the transformer
	// accepts or rejects NaN.
	Gaps bool

	fitted *columns.Fitted
}

// ColumnPart is a selection of columns of a [ColumnTransformer] and their transformer. The columns are chosen by Columns, Names or
// Categories.
type ColumnPart struct {
	// Columns lists the positions of the columns, each once, in the order in which the transformer receives them.
	Columns []int

	// Names lists the names of the columns, each once, in the order in which the transformer receives them. The name of a category
	// selects the columns of its levels, name=level, if no column has that name. For an unknown name, Fit returns
	// [estimators.ErrParam] and suggests similar names. In fitted parts, Names is set if the names are known.
	Names []string

	// Categories chooses all categorical columns. If there are none, the part is left out.
	Categories bool

	// Of is the transformer of these columns. If it is nil, they are unchanged.
	Of transformers.Transformer
}

// choice returns the configuration.
func (t *ColumnTransformer) choice() columns.Choice {
	c := columns.Choice{Rest: t.Rest, DropRest: t.DropRest, Gaps: t.Gaps, Names: t.Names, Categories: t.Categories}
	for _, p := range t.Parts {
		c.Parts = append(c.Parts, columns.Part(p))
	}
	return c
}

// keep stores the result of a fit unless there was an error.
func (t *ColumnTransformer) keep(fitted *columns.Fitted, err error) error {
	if err == nil {
		t.fitted = fitted
	}
	return err
}

// learnt returns the fitted parts, or ErrNotFitted before Fit.
func (t *ColumnTransformer) learnt() (*columns.Fitted, error) {
	if t.fitted == nil {
		return nil, fault.NotFitted(columnsName)
	}
	return t.fitted, nil
}

// Fit fits a clone of each part's transformer to its columns of x (n×d).
func (t *ColumnTransformer) Fit(ctx context.Context, x mat.Matrix) (err error) {
	defer estimators.BeginFit(&ctx, nil)(&err)
	f, err := t.choice().Fit(ctx, x)
	return t.keep(f, fault.NameColumns(err, t.Names))
}

// FitTransformTargets implements [transformers.TargetFitter]. Parts that are fitted to targets receive them.
func (t *ColumnTransformer) FitTransformTargets(ctx context.Context, x, targets mat.Matrix) (_ *mat.Dense, err error) {
	defer estimators.BeginFit(&ctx, nil)(&err)
	f, z, err := t.choice().FitTransform(ctx, x, targets)
	return z, t.keep(f, fault.NameColumns(err, t.Names))
}

// FitBlocks implements [streaming.BlockFitter] if all parts do. The stream is read once for each pass of a part, and once more to
// check it. If a part has no FitBlocks, the error wraps errors.ErrUnsupported.
func (t *ColumnTransformer) FitBlocks(ctx context.Context, blocks iter.Seq2[streaming.Block[streaming.None], error]) (err error) {
	defer estimators.BeginFit(&ctx, nil)(&err)
	f, err := t.choice().FitBlocks(ctx, blocks)
	return t.keep(f, fault.NameColumns(err, t.Names))
}

// Transform returns the results of the parts for the rows of x (m×d), joined side by side.
func (t *ColumnTransformer) Transform(x mat.Matrix) (_ *mat.Dense, err error) {
	defer fault.Recover(&err)
	f, err := t.learnt()
	if err != nil {
		return nil, err
	}
	out := &mat.Dense{}
	if err := f.TransformTo(out, x, false); err != nil {
		return nil, fault.NameColumns(err, f.Names())
	}
	return out, nil
}

// TransformTo implements [transformers.TransformerTo].
func (t *ColumnTransformer) TransformTo(dst *mat.Dense, x mat.Matrix) (err error) {
	defer fault.Recover(&err)
	f, err := t.learnt()
	if err != nil {
		return err
	}
	return fault.NameColumns(f.TransformTo(dst, x, rowwise.IsFew(x)), f.Names())
}

// FeatureNames implements [transformers.FeatureNamer] if the parts do. It returns the names of the results of the parts, one part
// after the other, and then the names of the unchanged columns.
func (t *ColumnTransformer) FeatureNames(in []string) ([]string, error) {
	f, err := t.learnt()
	if err != nil {
		return nil, err
	}
	return f.FeatureNames(in)
}

// SetColumnNames sets Names. It implements [estimators.ColumnNamer].
func (t *ColumnTransformer) SetColumnNames(names []string) { t.Names = names }

// ColumnNames implements [estimators.ColumnNamer].
func (t *ColumnTransformer) ColumnNames() []string {
	if t.fitted == nil {
		return nil
	}
	return t.fitted.Names()
}

// SetCategories sets Categories. It implements [estimators.Categorizer], which it supports if a part has Categories.
func (t *ColumnTransformer) SetCategories(columns []int) { t.Categories = columns }

// Graph implements [graph.Grapher].
func (t *ColumnTransformer) Graph(x graph.Value) (graph.Outputs, error) {
	f, err := t.learnt()
	if err != nil {
		return graph.Outputs{}, err
	}
	return f.Graph(x)
}

// FittedParts returns the parts with their fitted transformers. Rest is the last part. It returns nil before Fit. The slice is a
// copy, but Transform uses its transformers, which must not be fitted again.
func (t *ColumnTransformer) FittedParts() []ColumnPart {
	if t.fitted == nil {
		return nil
	}
	var out []ColumnPart
	for _, p := range t.fitted.FittedParts() {
		out = append(out, ColumnPart(p))
	}
	return out
}

// Supports reports whether all parts support c.
func (t *ColumnTransformer) Supports(c estimators.Capability) bool {
	switch c {
	case estimators.Naming:
		return true
	case estimators.Categorizing: // of columns as codes
		return slices.ContainsFunc(t.Parts, func(p ColumnPart) bool { return p.Categories }) || estimators.Supports(t.Rest, c)
	}
	var steps []transformers.Transformer
	for _, p := range t.Parts {
		if p.Of != nil {
			steps = append(steps, p.Of)
		}
	}
	if t.Rest != nil {
		steps = append(steps, t.Rest)
	}
	return estimators.Wrapped{Steps: steps}.Supports(t, c)
}

// MarshalBinary implements encoding.BinaryMarshaler. It encodes the fitted transformers, their columns and their types, not their
// configuration.
func (t *ColumnTransformer) MarshalBinary() ([]byte, error) {
	f, err := t.learnt()
	if err != nil {
		return nil, err
	}
	return f.Marshal()
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler. The data is decoded into clones of the configured Parts, so t must have
// the configuration of the encoded ColumnTransformer. It returns [estimators.ErrBadModel] if the columns or the type of a
// transformer differ. After an error t is unchanged.
func (t *ColumnTransformer) UnmarshalBinary(data []byte) error {
	return t.keep(t.choice().Unmarshal(data))
}
