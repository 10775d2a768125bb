package metrics_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/selection/metrics"
)

// TestByName checks that every name returns a metric with exactly one function and the right direction: exact predictions score
// better than wrong ones.
func TestByName(t *testing.T) {
	numbers, off := []float64{1, 2, 3, 4}, []float64{2, 2, 2, 5}
	variances := []float64{1, 1, 1, 1}
	labels, wrong := []int{0, 0, 1, 1}, []int{0, 1, 0, 1}
	sure := mat.NewDense(4, 2, []float64{.9, .1, .8, .2, .3, .7, .1, .9})
	unsure := mat.NewDense(4, 2, []float64{.4, .6, .9, .1, .8, .2, .5, .5})
	require.NotEmpty(t, metrics.Names())
	for _, name := range metrics.Names() {
		m, err := metrics.ByName(name)
		require.NoError(t, err)
		assert.Equal(t, name, m.Name)
		var good, bad float64
		set := 0
		score := func(f func(right bool) (float64, error)) {
			set++
			good, err = f(true)
			require.NoError(t, err, name)
			bad, err = f(false)
			require.NoError(t, err, name)
		}
		if m.Values != nil {
			score(func(right bool) (float64, error) { return m.Values(numbers, pick(right, numbers, off), nil) })
		}
		if m.Variance != nil {
			score(func(right bool) (float64, error) {
				return m.Variance(numbers, pick(right, numbers, off), variances, nil)
			})
		}
		if m.Labels != nil {
			score(func(right bool) (float64, error) { return m.Labels(labels, pick(right, labels, wrong), nil) })
		}
		if m.Scores != nil {
			score(func(right bool) (float64, error) {
				return m.Scores(labels, []int{0, 1}, pick(right, sure, unsure), nil)
			})
		}
		if m.Proba != nil {
			score(func(right bool) (float64, error) { return m.Proba(labels, []int{0, 1}, pick(right, sure, unsure), nil) })
		}
		assert.Equal(t, 1, set, "%s has one function", name)
		if m.LargerIsBetter {
			assert.Greater(t, good, bad, name)
		} else {
			assert.Less(t, good, bad, name)
		}
	}
	_, err := metrics.ByName("rmse")
	require.ErrorIs(t, err, estimators.ErrParam)
	assert.ErrorContains(t, err, "RMSE")
}

func pick[T any](first bool, a, b T) T {
	if first {
		return a
	}
	return b
}

// TestNamesAreFunctions checks that a name is that of an exported function of the package, or of its variant for scores.
func TestNamesAreFunctions(t *testing.T) {
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	functions := map[string]bool{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		require.NoError(t, err)
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.IsExported() {
				functions[f.Name.Name] = true
			}
		}
	}
	for _, name := range metrics.Names() {
		assert.True(t, functions[name], name)
	}
}
