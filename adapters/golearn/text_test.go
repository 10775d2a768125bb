package golearn_test

import (
	"path/filepath"
	"testing"

	"github.com/sjwhitworth/golearn/base"
	"github.com/sjwhitworth/golearn/trees"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/adapters/golearn"
	"github.com/kernelearn/kernelearn/adapters/golearn/grids"
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/internal/badtext"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// sheetOfTexts holds the texts of a grid.
type sheetOfTexts struct{ Column, Words, Category, Class, Label string }

// grid returns a grid with these texts, in the form in which golearn's own functions create it. If float is true, the class is a
// float called Class.
func (s sheetOfTexts) grid(t *testing.T, float bool) *base.DenseInstances {
	t.Helper()
	g := base.NewDenseInstances()
	number := g.AddAttribute(base.NewFloatAttribute(s.Column))
	words := base.NewCategoricalAttribute()
	words.SetName(s.Words)
	word := g.AddAttribute(words)
	var class base.AttributeSpec
	label := base.NewCategoricalAttribute()
	label.SetName(s.Class)
	if float {
		class = g.AddAttribute(base.NewFloatAttribute(s.Class))
	} else {
		class = g.AddAttribute(label)
	}
	require.NoError(t, g.AddClassAttribute(class.GetAttribute()))
	require.NoError(t, g.Extend(8))
	for i := range 8 {
		g.Set(number, i, base.PackFloatToBytes(float64(i)))
		g.Set(word, i, words.GetSysValFromString([]string{s.Category, "b"}[i%2]))
		if float {
			g.Set(class, i, base.PackFloatToBytes(float64(i*i)))
		} else {
			g.Set(class, i, label.GetSysValFromString([]string{s.Label, "no"}[i/4]))
		}
	}
	return g
}

// Fit of each type rejects a text that is not UTF-8 in the names of columns, of the class or the target, in levels and in
// labels. Every saved file can therefore be loaded.
func TestTextsOfGridsAreUTF8(t *testing.T) {
	classifier := func() *golearn.Classifier { return &golearn.Classifier{Estimator: &lssvm.Classifier{}} }
	regressor := func() *golearn.Regressor { return &golearn.Regressor{Estimator: &lssvm.Regressor{}} }
	for name, c := range map[string]struct {
		float bool
		make  func() base.Classifier
	}{
		"Classifier": {false, func() base.Classifier { return classifier() }}, "Regressor": {true, func() base.Classifier { return regressor() }},
		"Pipeline": {false, func() base.Classifier {
			return &golearn.Pipeline{Steps: []golearn.Step{golearn.Transform(&scalers.StandardScaler{})}, Final: classifier()}
		}},
		"Bagging": {true, func() base.Classifier {
			return &golearn.Bagging{New: func() base.Classifier { return regressor() }, Models: 2}
		}},
		"Refitted": {false, func() base.Classifier {
			return &golearn.Refitted{New: func() golearn.Model { return trees.NewID3DecisionTree(0.6) }}
		}},
	} {
		s := sheetOfTexts{"size", "colour", "röt", "kind", "jä"}
		if name != "Refitted" { // golearn's ID3 does not support floats
			model := c.make()
			require.NoError(t, model.Fit(s.grid(t, c.float)), name)
			path := filepath.Join(t.TempDir(), "model")
			require.NoError(t, model.Save(path), name)
			require.NoError(t, c.make().Load(path), name)
		}
		n := badtext.ForEachField(&s, func(field string) {
			if c.float && field == ".Label" {
				return
			}
			err := c.make().Fit(s.grid(t, c.float))
			require.ErrorIs(t, err, estimators.ErrParam, "%s, %s", name, field)
			assert.ErrorContains(t, err, `"j\xe4", want UTF-8`, "%s, %s", name, field)
		})
		assert.Equal(t, 5, n)
	}
	for _, names := range [][]string{{badtext.Text, "b"}, {"a", badtext.Text}} {
		_, err := grids.FeatureGrid(mat.NewDense(2, 2, []float64{1, 2, 3, 4}), names)
		require.ErrorIs(t, err, estimators.ErrParam)
	}
	x := mat.NewDense(2, 1, []float64{1, 2})
	_, err := grids.LabelledGrid(x, nil, "kind", []string{"a", badtext.Text})
	require.ErrorIs(t, err, estimators.ErrParam)
	_, err = grids.TargetGrid(x, nil, badtext.Text, []float64{1, 2})
	require.ErrorIs(t, err, estimators.ErrParam)
	_, err = grids.StructGrid([]struct{ A, B string }{{"a", badtext.Text}, {"b", "c"}}, "A")
	require.ErrorIs(t, err, estimators.ErrParam)
}
