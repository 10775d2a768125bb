package estimators_test

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/conformal"
	"github.com/kernelearn/kernelearn/estimators/falkon"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/selection/stacking"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/columnwise"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// bare has the methods of a regressor and no others.
type bare struct{ estimators.Regressor }

type bareStep struct{ transformers.Transformer }

// scaledStep is a transformer whose InverseTransform does not match its Transform.
type scaledStep struct{ *scalers.StandardScaler }

func (s scaledStep) Transform(x mat.Matrix) (*mat.Dense, error) { return nil, nil }

func TestSupports(t *testing.T) {
	regressor := []estimators.Capability{
		estimators.Variance, estimators.Interval, estimators.PredictTo, estimators.Weighted, estimators.Reporting, estimators.Marshalling,
	}
	smoothing := append(slices.Clone(regressor), estimators.Smoothing)
	for _, c := range []struct {
		name string
		e    any
		can  []estimators.Capability
	}{
		{"nil", nil, nil},
		{"bare", bare{}, nil},
		{"lssvm.Regressor", &lssvm.Regressor{}, append(slices.Clone(smoothing), estimators.KernelMatrix, estimators.LeaveOneOut, estimators.Grouping, estimators.Expanding)},
		{"lssvm.Classifier", &lssvm.Classifier{}, []estimators.Capability{
			estimators.Proba, estimators.Decision, estimators.PredictTo, estimators.DecisionTo, estimators.ProbaTo, estimators.Weighted, estimators.KernelMatrix,
			estimators.Reporting, estimators.Marshalling, estimators.Smoothing, estimators.Grouping, estimators.Expanding,
		}},
		{"pipeline around lssvm", &pipeline.Regressor{Final: &lssvm.Regressor{}}, append(slices.Clone(smoothing), estimators.Grouping, estimators.Naming)},
		{"pipeline around bare", &pipeline.Regressor{Final: bare{}}, []estimators.Capability{estimators.PredictTo, estimators.Naming}},
		{"pipeline around nothing", &pipeline.Regressor{}, []estimators.Capability{estimators.PredictTo, estimators.Naming}},
		{"pipeline with a bare step", &pipeline.Regressor{Steps: []transformers.Transformer{bareStep{}}, Final: &lssvm.Regressor{}},
			[]estimators.Capability{estimators.Variance, estimators.Interval, estimators.PredictTo, estimators.Weighted, estimators.Reporting, estimators.Smoothing, estimators.Grouping, estimators.Naming}},
		{"transformer", &scalers.StandardScaler{}, []estimators.Capability{
			estimators.Marshalling, estimators.Inverting, estimators.Blocks, estimators.Partial, estimators.Mergeable, estimators.Continuing,
		}},
		{"transformer that embeds one", scaledStep{}, []estimators.Capability{estimators.Marshalling}},
		{"transformer without a way back", &scalers.UnitRows{}, []estimators.Capability{estimators.Marshalling, estimators.Blocks, estimators.Partial, estimators.Mergeable, estimators.Continuing}},
		{"transformer that needs all rows", &featuremap.Nystroem{}, []estimators.Capability{estimators.Marshalling, estimators.Partial, estimators.Mergeable, estimators.Continuing}},
		{"pipeline on a stream", &pipeline.Regressor{Steps: []transformers.Transformer{&columnwise.Imputer{}}, Final: &falkon.Regressor{}}, append(slices.Clone(smoothing), estimators.Blocks, estimators.Grouping, estimators.Naming)},
		{"pipeline around a search", &pipeline.Regressor{Final: &selection.Regressor{}},
			append(slices.Clone(regressor), estimators.Grouping, estimators.Categorizing, estimators.Naming)},
		{"pipeline with a step before a search",
			&pipeline.Regressor{Steps: []transformers.Transformer{&columnwise.Imputer{}}, Final: &selection.Regressor{}},
			append(slices.Clone(regressor), estimators.Grouping, estimators.Naming)},
		{"conformal.Regressor around a search", &conformal.Regressor{Estimator: &selection.Regressor{}}, []estimators.Capability{
			estimators.Interval, estimators.Weighted, estimators.Reporting, estimators.Marshalling, estimators.Grouping, estimators.Categorizing,
			estimators.Naming,
		}},
		{"stacking.Regressor of searches",
			&stacking.Regressor{Models: []estimators.Regressor{&selection.Regressor{}, &pipeline.Regressor{Final: &selection.Regressor{}}}},
			append(slices.Clone(regressor), estimators.Grouping, estimators.Categorizing, estimators.Naming)},
		{"stacking.Regressor with a model of numbers",
			&stacking.Regressor{Models: []estimators.Regressor{&selection.Regressor{}, &lssvm.Regressor{}}},
			append(slices.Clone(regressor), estimators.Grouping)},
		{"pipeline with a step that needs all rows", &pipeline.Regressor{Steps: []transformers.Transformer{&featuremap.Nystroem{}}, Final: &falkon.Regressor{}}, append(slices.Clone(smoothing), estimators.Grouping, estimators.Naming)},
	} {
		for _, capability := range estimators.Capabilities() {
			assert.Equal(t, slices.Contains(c.can, capability), estimators.Supports(c.e, capability), "%s, %v", c.name, capability)
		}
		assert.False(t, estimators.Supports(c.e, 99))
	}
	assert.Equal(t, "PredictProba", estimators.Proba.String())
	assert.Equal(t, "Capability(99)", estimators.Capability(99).String())
}

// adapter has a method with the name of an estimator's method, which accepts other data.
type adapter struct{ of any }

func (adapter) PredictProba(string) string { return "" }

func (a adapter) Report() estimators.Report { return estimators.Report{} }

func (a adapter) Supports(c estimators.Capability) bool {
	return estimators.Wrapped{
		Estimators: []any{a.of}, Own: []estimators.Capability{estimators.Reporting}, Methods: []estimators.Capability{estimators.Proba},
	}.Supports(a, c)
}

func TestWrapped(t *testing.T) {
	for _, c := range []struct {
		of   any
		want []estimators.Capability
	}{
		{&lssvm.Classifier{}, []estimators.Capability{estimators.Proba, estimators.Reporting}},
		{&lssvm.Regressor{}, []estimators.Capability{estimators.Reporting}},
		{(*lssvm.Classifier)(nil), []estimators.Capability{estimators.Reporting}},
	} {
		for _, capability := range estimators.Capabilities() {
			assert.Equal(t, slices.Contains(c.want, capability), estimators.Supports(adapter{c.of}, capability), "%T, %v", c.of, capability)
		}
	}
}

// Every ability of an estimator beyond its contract is a capability: the table contains all interfaces of the package except the
// contracts.
func TestEveryInterfaceIsACapability(t *testing.T) {
	inTable := map[string]bool{}
	for _, names := range estimators.InterfacesOfCapabilities() {
		for _, name := range names {
			inTable[name] = true
		}
	}
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	found := 0
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok || !spec.Name.IsExported() {
				return true
			}
			if _, ok := spec.Type.(*ast.InterfaceType); !ok {
				return true
			}
			switch name := spec.Name.Name; name {
			case "Regressor", "Classifier", "MultiRegressor", "Detector", "Wrapper", "Forwarder", "Smoother": // contracts and results of capabilities
			default:
				found++
				assert.True(t, inTable[name], "%s is no capability", name)
			}
			return true
		})
	}
	assert.Greater(t, found, 9, "the search for interfaces finds those that are there")
}

// part is a struct that is used as a setting.
type part struct {
	Of    transformers.Transformer
	Sizes []int
	note  string
}

// nest has settings of every kind, and fitted values.
type nest struct {
	Inner   estimators.Regressor
	Parts   []part
	ByName  map[string]estimators.Regressor
	Matrix  *mat.Dense
	Search  *struct{ Points int }
	Build   func() int
	Nothing estimators.Regressor
	learnt  []float64
}

func (n *nest) Fit(context.Context, mat.Matrix, []float64) error { n.learnt = []float64{1}; return nil }
func (n *nest) Predict(mat.Matrix) ([]float64, error)            { return n.learnt, nil }

// secret has settings in unexported fields, and a Clone method that copies them.
type secret struct {
	bare
	share float64
}

func (s *secret) Clone() estimators.Regressor { return &secret{share: s.share} }

func TestClone(t *testing.T) {
	var r estimators.Regressor = &lssvm.Regressor{Seed: 5, Groups: []int{1, 2}}
	c := estimators.Clone(r)
	assert.Equal(t, r, c)
	assert.NotSame(t, r, c)
	c.(*lssvm.Regressor).Groups[0] = 9
	assert.Equal(t, 1, r.(*lssvm.Regressor).Groups[0])
	assert.Nil(t, estimators.Clone[estimators.Regressor](nil))
	assert.Nil(t, estimators.Clone((*lssvm.Regressor)(nil)))

	n := &nest{
		Inner: r, Parts: []part{{&scalers.MinMaxScaler{High: 4}, []int{3}, "kept"}}, ByName: map[string]estimators.Regressor{"a": r},
		Matrix: mat.NewDense(1, 1, []float64{7}), Search: &struct{ Points int }{2}, Build: func() int { return 8 },
	}
	require.NoError(t, n.Fit(t.Context(), nil, nil))
	d := estimators.Clone(n)
	assert.Nil(t, d.learnt)
	assert.Equal(t, n.Inner, d.Inner)
	assert.NotSame(t, n.Inner, d.Inner)
	assert.Equal(t, n.Parts, d.Parts)
	assert.NotSame(t, n.Parts[0].Of, d.Parts[0].Of)
	assert.NotSame(t, n.ByName["a"], d.ByName["a"])
	d.Parts[0].Sizes[0] = 0
	d.Matrix.Set(0, 0, 0)
	assert.Equal(t, []int{3}, n.Parts[0].Sizes)
	assert.EqualValues(t, 7, n.Matrix.At(0, 0))
	assert.Same(t, n.Search, d.Search)
	assert.Equal(t, 8, d.Build())

	assert.Equal(t, &secret{share: 3}, estimators.Clone(&secret{share: 3}))
	embedding := embeds{&secret{share: 2}}
	copied := estimators.Clone(embedding)
	assert.Equal(t, embedding, copied)
	assert.NotSame(t, embedding.Of, copied.Of)
}

// embeds has only the Clone method of its embedded type, which returns another type.
type embeds struct{ Of }

// Of is the exported name of an embedded model.
type Of = *secret
