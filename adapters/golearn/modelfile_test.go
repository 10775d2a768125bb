package golearn

import (
	"testing"

	"github.com/sjwhitworth/golearn/base"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/modelfile"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// Model files of grids can be read without a configured value. They contain the names of the columns and the classes.
func TestModelFilesOfGrids(t *testing.T) {
	g := flowerGrid(t, 45, 1)
	machine := &lssvm.Classifier{Kernel: kernels.RBF{Gamma: .1}, Ridge: .1}
	for name, m := range map[string]gridEstimator{
		"classifier": &Classifier{Estimator: machine, Missing: Impute},
		"pipeline": &Pipeline{
			Steps: []Step{Transform(&scalers.StandardScaler{Clip: true})}, Final: &Classifier{Estimator: machine, Balanced: true},
		},
	} {
		require.NoError(t, m.Fit(g), name)
		data, err := modelfile.Marshal(m, modelfile.Notes{})
		require.NoError(t, err, name)
		read, err := modelfile.Unmarshal[base.Classifier](data)
		require.NoError(t, err, name)
		assert.Equal(t, predictions(t, m, g), predictions(t, read, g), name)
		again, err := modelfile.Marshal(read, modelfile.Notes{})
		require.NoError(t, err, name)
		assert.Equal(t, data, again, name)
		info, err := modelfile.Describe(data)
		require.NoError(t, err, name)
		assert.Equal(t, info.Columns, len(info.ColumnNames), name)
		assert.NotEmpty(t, info.ColumnNames, name)
		assert.Len(t, info.ClassNames, 3, name)
		assert.Equal(t, m.(interface{ Labels() []string }).Labels(), info.ClassNames, name)
		assert.Len(t, info.Parts, 1, name)
		assert.Empty(t, info.LeftOut, name)
	}
}

// Files contain no functions. A decoded model has the functions of the value into which it was decoded.
func TestModelFilesOfFunctions(t *testing.T) {
	g := flowerGrid(t, 45, 1)
	build := func() base.Classifier {
		return &Classifier{Estimator: &lssvm.Classifier{Kernel: kernels.RBF{Gamma: .1}, Ridge: .1}}
	}
	bag := &Bagging{New: build, Models: 2, Features: 3, Seed: 4}
	require.NoError(t, bag.Fit(g))
	data, err := modelfile.Marshal(bag, modelfile.Notes{})
	require.NoError(t, err)
	_, err = modelfile.Unmarshal[any](data)
	require.ErrorIs(t, err, estimators.ErrBadModel)
	assert.ErrorContains(t, err, "New")
	read := &Bagging{New: build}
	require.NoError(t, modelfile.ReadInto(data, read))
	assert.Equal(t, predictions(t, bag, g), predictions(t, read, g))
	assert.Equal(t, []any{2, 3, uint64(4)}, []any{read.Models, read.Features, read.Seed})
}
