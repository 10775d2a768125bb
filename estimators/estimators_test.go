package estimators_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/transformers"
)

// bare has the contract of a regressor and nothing else.
type bare struct{ estimators.Regressor }

func TestSupports(t *testing.T) {
	all := []estimators.Capability{
		estimators.Proba, estimators.Variance, estimators.Decision, estimators.Weighted, estimators.Cloning, estimators.Reporting, estimators.Marshalling,
	}
	for _, c := range []struct {
		name string
		e    any
		can  map[estimators.Capability]bool
	}{
		{"nil", nil, nil},
		{"bare", bare{}, nil},
		{"lssvm.Regressor", &lssvm.Regressor{}, map[estimators.Capability]bool{estimators.Variance: true, estimators.Weighted: true, estimators.Cloning: true, estimators.Reporting: true, estimators.Marshalling: true}},
		{"lssvm.Classifier", &lssvm.Classifier{}, map[estimators.Capability]bool{estimators.Proba: true, estimators.Decision: true, estimators.Weighted: true, estimators.Cloning: true, estimators.Reporting: true, estimators.Marshalling: true}},
		{"pipeline around lssvm", &pipeline.Regressor{Final: &lssvm.Regressor{}}, map[estimators.Capability]bool{estimators.Variance: true, estimators.Weighted: true, estimators.Cloning: true, estimators.Reporting: true, estimators.Marshalling: true}},
		{"pipeline around bare", &pipeline.Regressor{Final: bare{}}, nil},
		{"transformer", &transformers.StandardScaler{}, map[estimators.Capability]bool{estimators.Cloning: true, estimators.Marshalling: true}},
	} {
		for _, capability := range all {
			assert.Equal(t, c.can[capability], estimators.Supports(c.e, capability), "%s, %v", c.name, capability)
		}
		assert.False(t, estimators.Supports(c.e, 99))
	}
	assert.Equal(t, "PredictProba", estimators.Proba.String())
	assert.Equal(t, "Capability(99)", estimators.Capability(99).String())
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
	_, err = estimators.Clone[estimators.Regressor]("test", nil)
	assert.ErrorIs(t, err, estimators.ErrParam)
}
