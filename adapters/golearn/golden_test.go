package golearn_test

import (
	"testing"

	"github.com/sjwhitworth/golearn/base"
	"github.com/sjwhitworth/golearn/trees"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/adapters/golearn"
	"github.com/kernelearn/kernelearn/adapters/golearn/grids"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// Model files of version 1 can still be read. The rows are literals, because the files contain the results of a fit to them.
func TestGoldenFilesStayReadable(t *testing.T) {
	train := parse("temperature,sky,play\n21,sunny,yes\n8,grey,no\n24,sunny,yes\n6,grey,no\n19,grey,yes\n")
	type model interface {
		gridModel
		Labels() []string
	}
	for name, build := range map[string]func() model{
		"Classifier-v1.keln": func() model { return &golearn.Classifier{Estimator: &lssvm.Classifier{}} },
		"Pipeline-v1.keln": func() model {
			return &golearn.Pipeline{
				Steps: []golearn.Step{golearn.Transform(&scalers.StandardScaler{})},
				Final: &golearn.Classifier{Estimator: &lssvm.Classifier{}},
			}
		},
		"Bagging-v1.keln": func() model {
			return &golearn.Bagging{New: func() base.Classifier { return &golearn.Classifier{Estimator: &lssvm.Classifier{}} }, Models: 5}
		},
	} {
		m := build()
		require.NoError(t, m.Fit(train), name)
		read := build()
		require.NoError(t, read.UnmarshalBinary(golden.Model(t, name, m.MarshalBinary)), name)
		assert.Equal(t, []string{"no", "yes"}, read.Labels())
		pred, err := read.Predict(train)
		require.NoError(t, err, name)
		assert.Equal(t, 1.0, accuracyOf(t, train, pred), name)
	}

	doses := parse("dose,response\n1,2\n2,4\n3,6\n4,8\n")
	r := &golearn.Regressor{Estimator: &lssvm.Regressor{}}
	require.NoError(t, r.Fit(doses))
	read := &golearn.Regressor{Estimator: &lssvm.Regressor{}}
	require.NoError(t, read.UnmarshalBinary(golden.Model(t, "Regressor-v1.keln", r.MarshalBinary)))
	pred, err := read.Predict(doses)
	require.NoError(t, err)
	y, err := grids.Targets(pred)
	require.NoError(t, err)
	assert.InDeltaSlice(t, []float64{2, 4, 6, 8}, y, 0.1)

	// Refitted stores the training grid.
	tree := func() *golearn.Refitted {
		return &golearn.Refitted{New: func() golearn.Model { return trees.NewID3DecisionTree(0) }}
	}
	m := tree()
	require.NoError(t, m.Fit(train))
	again := tree()
	require.NoError(t, again.UnmarshalBinary(golden.Model(t, "Refitted-v1.keln", m.MarshalBinary)))
	assert.Equal(t, texts(t, m, train), texts(t, again, train))
}
