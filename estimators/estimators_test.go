package estimators_test

import (
	"errors"
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
	"github.com/kernelearn/kernelearn/estimators/falkon"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/columnwise"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// bare has the contract of a regressor and nothing else.
type bare struct{ estimators.Regressor }

type bareStep struct{ transformers.Transformer }

// copied embeds an estimator that can be cloned, and has no Clone of its own.
type copied struct{ *lssvm.Regressor }

// scaledStep has an InverseTransform that is not that of its Transform.
type scaledStep struct{ *scalers.StandardScaler }

func (s scaledStep) Transform(x mat.Matrix) (*mat.Dense, error) { return nil, nil }

func TestSupports(t *testing.T) {
	regressor := []estimators.Capability{
		estimators.Variance, estimators.Interval, estimators.PredictTo, estimators.Weighted, estimators.Cloning, estimators.Reporting, estimators.Marshalling,
	}
	smoothing := append(slices.Clone(regressor), estimators.Smoothing)
	for _, c := range []struct {
		name string
		e    any
		can  []estimators.Capability
	}{
		{"nil", nil, nil},
		{"bare", bare{}, nil},
		{"lssvm.Regressor", &lssvm.Regressor{}, append(slices.Clone(smoothing), estimators.KernelMatrix, estimators.LeaveOneOut, estimators.Grouping)},
		{"lssvm.Classifier", &lssvm.Classifier{}, []estimators.Capability{
			estimators.Proba, estimators.Decision, estimators.PredictTo, estimators.DecisionTo, estimators.ProbaTo, estimators.Weighted, estimators.KernelMatrix,
			estimators.Cloning, estimators.Reporting, estimators.Marshalling, estimators.Smoothing, estimators.Grouping,
		}},
		{"pipeline around lssvm", &pipeline.Regressor{Final: &lssvm.Regressor{}}, append(slices.Clone(smoothing), estimators.Grouping)},
		{"pipeline around bare", &pipeline.Regressor{Final: bare{}}, []estimators.Capability{estimators.PredictTo}},
		{"pipeline around nothing", &pipeline.Regressor{}, []estimators.Capability{estimators.PredictTo}},
		{"pipeline with a bare step", &pipeline.Regressor{Steps: []transformers.Transformer{bareStep{}}, Final: &lssvm.Regressor{}},
			[]estimators.Capability{estimators.Variance, estimators.Interval, estimators.PredictTo, estimators.Weighted, estimators.Reporting, estimators.Smoothing, estimators.Grouping}},
		{"transformer", &scalers.StandardScaler{}, []estimators.Capability{
			estimators.Cloning, estimators.Marshalling, estimators.Inverting, estimators.Blocks, estimators.Partial, estimators.Mergeable, estimators.Continuing,
		}},
		{"transformer that embeds one", scaledStep{}, []estimators.Capability{estimators.Cloning, estimators.Marshalling}},
		{"transformer without a way back", &scalers.UnitRows{}, []estimators.Capability{estimators.Cloning, estimators.Marshalling, estimators.Blocks, estimators.Partial, estimators.Mergeable, estimators.Continuing}},
		{"transformer that needs all rows", &featuremap.Nystroem{}, []estimators.Capability{estimators.Cloning, estimators.Marshalling, estimators.Partial, estimators.Mergeable, estimators.Continuing}},
		{"pipeline on a stream", &pipeline.Regressor{Steps: []transformers.Transformer{&columnwise.Imputer{}}, Final: &falkon.Regressor{}}, append(slices.Clone(smoothing), estimators.Blocks, estimators.Grouping)},
		{"pipeline with a step that needs all rows", &pipeline.Regressor{Steps: []transformers.Transformer{&featuremap.Nystroem{}}, Final: &falkon.Regressor{}}, append(slices.Clone(smoothing), estimators.Grouping)},
	} {
		for _, capability := range estimators.Capabilities() {
			assert.Equal(t, slices.Contains(c.can, capability), estimators.Supports(c.e, capability), "%s, %v", c.name, capability)
		}
		assert.False(t, estimators.Supports(c.e, 99))
	}
	assert.Equal(t, "PredictProba", estimators.Proba.String())
	assert.Equal(t, "Capability(99)", estimators.Capability(99).String())
}

// adapter has a method of the name, on other data.
type adapter struct{ of any }

func (adapter) PredictProba(string) string { return "" }

func (a adapter) Report() estimators.Report { return estimators.Report{} }

func (a adapter) Supports(c estimators.Capability) bool {
	return estimators.Wrapped{
		Estimators: []any{a.of}, Own: []estimators.Capability{estimators.Reporting, estimators.Cloning}, Methods: []estimators.Capability{estimators.Proba},
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

// What an estimator may have beyond its contract is a capability: each interface of the
// package but the contracts is in the table.
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
			case "Regressor", "Classifier", "MultiRegressor", "Detector", "Wrapper", "Forwarder", "Smoother": // the contracts, and what capabilities make
			default:
				found++
				assert.True(t, inTable[name], "%s is no capability", name)
			}
			return true
		})
	}
	assert.Greater(t, found, 9, "the search for interfaces finds those that are there")
}

func TestClone(t *testing.T) {
	var r estimators.Regressor = &lssvm.Regressor{Seed: 5}
	c, err := estimators.Clone("test", r)
	require.NoError(t, err)
	assert.NotSame(t, r, c)
	assert.EqualValues(t, 5, c.(*lssvm.Regressor).Seed)
	_, err = estimators.Clone[estimators.Regressor]("test", bare{})
	require.ErrorIs(t, err, errors.ErrUnsupported)
	assert.ErrorContains(t, err, "test: estimators_test.bare has no Clone")
	_, err = estimators.Clone[estimators.Regressor]("test", copied{&lssvm.Regressor{}})
	require.ErrorIs(t, err, errors.ErrUnsupported)
	assert.ErrorContains(t, err, "test: the Clone of estimators_test.copied gives a *lssvm.Regressor")
	_, err = estimators.Clone[estimators.Regressor]("test", nil)
	assert.ErrorIs(t, err, estimators.ErrParam)
}
