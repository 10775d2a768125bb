package table

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/modelfile"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/registry"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/columnwise"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// Model is an estimator with the schema of its training rows, so that it can predict rows in their original form. The zero value is
// ready to use. Fit fits a clone of Regressor or Classifier, depending on the task. If only the estimator for the other task is
// set, Fit returns an error.
//
// An estimator with Categories, as in package selection, receives the numbers of the category columns ([Schema.Categories]). A
// pipeline receives the unchanged matrix, and the names and kinds of the columns, with which a [pipeline.ColumnPart] chooses
// columns. For any other estimator, a [columnwise.OneHot] makes a column of each level, a [columnwise.Imputer] fills gaps with
// means, and a [scalers.StandardScaler] gives the numbers a common scale, since times are seconds.
type Model struct {
	Regressor  estimators.Regressor  // predicts numbers; nil: the zero [selection.Regressor]
	Classifier estimators.Classifier // predicts classes; nil: the zero [selection.Classifier]

	fitted *fitted
}

// fitted holds the schema and the estimator of a fitted model.
type fitted struct {
	schema    *Schema
	estimator any // an estimators.Regressor or Classifier
}

const (
	modelKind    = "table.Model"
	modelVersion = 1
)

// Fit fits the model to the rows of a table with a target, and uses the table's groups and weights. The model keeps the table's
// schema. Fit returns ErrParam for a table without a target or for a target that is a gap, the estimator's own errors, or ctx's
// error. If the estimator does not support weights, the error wraps errors.ErrUnsupported. If Fit returns an error, the model is
// unchanged.
func (m *Model) Fit(ctx context.Context, t *Table) (err error) {
	defer check.Begin(&ctx)(&err)
	if err := checkTable(t); err != nil {
		return err
	}
	s := t.Schema
	estimator, err := m.learner(s)
	if err != nil {
		return err
	}
	estimators.SetGroups(estimator, t.Groups)
	if c, ok := estimator.(estimators.Classifier); ok {
		if i := slices.Index(t.Labels, -1); i >= 0 {
			return fault.Param("table: Model", fmt.Sprintf("class of row %d", i), "none of the schema", "a class in each row")
		}
		err = fitRows(ctx, c, t, t.Labels)
	} else {
		err = fitRows(ctx, estimator.(estimators.Regressor), t, t.Targets)
	}
	if err != nil {
		return explained(s, estimator, err)
	}
	m.fitted = &fitted{s, estimator}
	return nil
}

// FitCSV reads a CSV file and fits the zero Model to its rows. It returns the errors of [ReadCSV] and of [Model.Fit].
func FitCSV(ctx context.Context, path string, o *Options) (*Model, error) {
	rows, err := ReadCSV(path, o)
	if err != nil {
		return nil, err
	}
	m := &Model{}
	return m, m.Fit(ctx, rows)
}

// Bind returns a model with a fitted estimator, which is an estimators.Regressor or an estimators.Classifier, and a schema. The
// schema describes the matrix to which the estimator was fitted, for example through [Blocks]. The model predicts rows in their
// original form, but it does not fill gaps. Save and Load need a model whose Regressor or Classifier has the estimator's type. Bind
// returns ErrParam for an estimator that does not match the Task or the classes of the schema. It also returns the estimator's
// errors: ErrNotFitted, and ErrShape if its columns are not those of the schema.
func Bind(s *Schema, estimator any) (_ *Model, err error) {
	defer fault.Recover(&err)
	if s == nil {
		return nil, fault.Param("table: Bind", "schema", "nil", "one that was learnt")
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	_, classifier := estimator.(estimators.Classifier)
	_, regressor := estimator.(estimators.Regressor)
	if classifier != (s.Task == Classification) || regressor != (s.Task == Regression) {
		return nil, fault.Param("table: Bind", "estimator", fmt.Sprintf("%T", estimator),
			"one for the Task of the schema, "+s.Task.String())
	}
	if err := checkFitted(s, estimator); err != nil {
		return nil, fmt.Errorf("table: Bind: %w", err)
	}
	return &Model{fitted: &fitted{s, estimator}}, nil
}

// checkTable returns ErrParam for a table that is not valid for a fit.
func checkTable(t *Table) error {
	switch {
	case t == nil || t.Schema == nil || t.X == nil:
		return fault.Param("table: Model", "table", "nil", "one that was read")
	case t.Targets == nil && t.Labels == nil:
		return fault.Param("table: Model", "target", "none", "a target column: set Options.Target")
	}
	return t.Schema.check()
}

// fitRows fits an estimator with the weights of the rows, if there are any.
func fitRows[Y float64 | int](ctx context.Context, e interface {
	Fit(ctx context.Context, x mat.Matrix, y []Y) error
}, t *Table, y []Y) error {
	if t.Weights == nil {
		return e.Fit(ctx, t.X, y)
	}
	w, err := estimators.Capable[estimators.WeightedFitter[Y]]("table: Model", e, estimators.Weighted)
	if err != nil {
		return err
	}
	return w.FitWeighted(ctx, t.X, y, t.Weights)
}

// learner returns an estimator for the task and the columns of a schema.
func (m *Model) learner(s *Schema) (any, error) {
	var out any
	switch regressor, classifier := !check.IsNil(m.Regressor), !check.IsNil(m.Classifier); {
	case s.Task == Classification && regressor && !classifier:
		return nil, fault.Param("table: Model", "Classifier", "nil beside a Regressor",
			"one for a target of classes, or Options.Task set to Regression")
	case s.Task == Regression && classifier && !regressor:
		return nil, fault.Param("table: Model", "Regressor", "nil beside a Classifier",
			"one for a target of numbers, or Options.Task set to Classification")
	}
	if s.Task == Classification {
		if out = any(&selection.Classifier{}); !check.IsNil(m.Classifier) {
			out = any(estimators.Clone(m.Classifier))
		}
	} else if out = any(&selection.Regressor{}); !check.IsNil(m.Regressor) {
		out = any(estimators.Clone(m.Regressor))
	}
	estimators.SetColumnNames(out, s.Names())
	if estimators.SetCategories(out, s.Categories()) {
		return out, nil
	}
	steps := []transformers.Transformer{&columnwise.Imputer{}, &scalers.StandardScaler{}}
	if categories := s.Categories(); categories != nil {
		steps = []transformers.Transformer{&pipeline.ColumnTransformer{Rest: &pipeline.Transformer{Steps: steps},
			Parts: []pipeline.ColumnPart{{Of: &columnwise.OneHot{Gaps: true}, Columns: categories}}}}
	}
	switch e := out.(type) {
	case *pipeline.Regressor, *pipeline.Classifier:
		return e, nil
	case estimators.Classifier:
		return &pipeline.Classifier{Steps: steps, Final: e, Names: s.Names()}, nil
	case estimators.Regressor:
		return &pipeline.Regressor{Steps: steps, Final: e, Names: s.Names()}, nil
	}
	return nil, fault.Param("table: Model", "estimator", fmt.Sprintf("%T", out), "one that can be cloned")
}

// explained adds the name of a column to an error of an estimator that contains only its number.
func explained(s *Schema, estimator any, err error) error {
	if estimators.Supports(estimator, estimators.Naming) {
		return err
	}
	return fault.NameColumns(err, s.Names())
}

// Schema returns the schema of the training rows, or nil before Fit. Other rows are read with it ([Options.Schema]). It must not be
// changed.
func (m *Model) Schema() *Schema {
	if m.fitted == nil {
		return nil
	}
	return m.fitted.schema
}

// Fitted returns the fitted estimator, an estimators.Regressor or an estimators.Classifier. It returns nil before Fit. The
// estimator must not be fitted again.
func (m *Model) Fitted() any {
	if m.fitted == nil {
		return nil
	}
	return m.fitted.estimator
}

// String describes the estimator and the data to which it was fitted.
func (m *Model) String() string {
	if m.fitted == nil {
		return "table.Model(not fitted)"
	}
	s := m.fitted.schema
	c, _ := s.Target()
	return fmt.Sprintf("table.Model(%v of %q by %T, fitted on %d features)", s.Task, c.Name, m.fitted.estimator, len(s.Names()))
}

// Save writes the model with its schema to a file. [Load], modelfile.Load and the command kernelearn describe read it. It returns
// the errors of [modelfile.Save].
func (m *Model) Save(path string) error { return modelfile.Save(path, m) }

// Load reads a file that Save wrote. The program must import the package of the estimator, unless it is package selection. Load
// returns the errors of [modelfile.Load].
func Load(path string) (*Model, error) { return modelfile.Load[*Model](path) }

// payload is the file form of a fitted model.
type payload struct {
	Schema    Schema
	Estimator estimators.NestedModel
}

// MarshalBinary implements [encoding.BinaryMarshaler]. It returns ErrNotFitted before Fit, or the error of the estimator.
func (m *Model) MarshalBinary() ([]byte, error) {
	if m.fitted == nil {
		return nil, fault.NotFitted(modelKind)
	}
	e, err := estimators.NestModel(modelKind, m.fitted.estimator)
	if err != nil {
		return nil, err
	}
	return codec.Marshal(modelKind, modelVersion, payload{*m.fitted.schema, e})
}

// UnmarshalBinary implements [encoding.BinaryUnmarshaler], for a Model with the same Regressor or Classifier. If it returns an
// error, which is ErrBadModel, the model is unchanged.
func (m *Model) UnmarshalBinary(data []byte) error {
	var p payload
	if _, err := codec.Unmarshal(data, modelKind, modelVersion, &p); err != nil {
		return err
	}
	s := &p.Schema
	if err := s.check(); err != nil {
		return fault.BadModel(modelKind, "%v", err)
	}
	if s.Task == Auto {
		return fault.BadModel(modelKind, "the schema has no target")
	}
	if _, err := s.Format.parser(); err != nil {
		return fault.BadModel(modelKind, "%v", err)
	}
	estimator, err := m.learner(s)
	if err != nil {
		return fault.BadModel(modelKind, "%v", err)
	}
	if registry.NameOf(estimator) != p.Estimator.Type {
		if bound := m.bound(p.Estimator.Type); bound != nil {
			estimator = bound
		}
	}
	if err := p.Estimator.UnmarshalInto(modelKind, "the estimator", estimator); err != nil {
		return err
	}
	if err := checkFitted(s, estimator); err != nil {
		return fault.BadModel(modelKind, "%v", err)
	}
	m.fitted = &fitted{s, estimator}
	return nil
}

// bound returns a clone of Regressor or Classifier if its type is typ, as is the case after Bind. Otherwise it returns nil.
func (m *Model) bound(typ string) any {
	for _, e := range []any{m.Regressor, m.Classifier} {
		if !check.IsNil(e) && registry.NameOf(e) == typ {
			return estimators.Clone(e)
		}
	}
	return nil
}

// checkFitted returns an error if the columns or classes of an estimator differ from those of the schema.
func checkFitted(s *Schema, estimator any) error {
	x := mat.NewDense(1, len(s.Names()), nil)
	var err error
	switch e := estimator.(type) {
	case estimators.Classifier:
		if _, err = e.Predict(x); err != nil {
			break
		}
		labels := e.Classes()
		if n := len(labels); n == 0 || labels[0] < 0 || labels[n-1] >= len(s.Classes()) {
			return fault.Param("the estimator", "Classes", fmt.Sprint(labels),
				fmt.Sprintf("labels of the schema's %d classes, from 0", len(s.Classes())))
		}
	case estimators.Regressor:
		_, err = e.Predict(x)
	}
	if err != nil {
		return fmt.Errorf("a row of the schema's %d features: %w", len(s.Names()), err)
	}
	return nil
}
