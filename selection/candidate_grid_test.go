package selection

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection/grid"
	"github.com/kernelearn/kernelearn/selection/search"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
)

// The names of candidates appear in the trace, the table, the JSON, a model file and the choice.
func TestNamedCandidates(t *testing.T) {
	x, y := problemOf(60, 2, 0.1, 1)
	points, err := grid.Points(
		grid.Axis{Name: "machine", Choices: []string{"ridge", "lssvm"}},
		grid.Axis{Name: "gamma", Values: []float64{1e-6, 1, 1e6}, When: func(v grid.Values) bool { return v.Choice("machine") == "lssvm" }},
	)
	require.NoError(t, err)
	build := func(v grid.Values) estimators.Regressor {
		if v.Choice("machine") == "ridge" {
			return &ridge.Regressor{}
		}
		return &lssvm.Regressor{Kernel: kernels.RBF{Gamma: v.Number("gamma")}}
	}
	for _, strategy := range []search.Strategy{&grid.Search{}, &grid.Halving{}} {
		r := &Regressor{Space: CandidateGrid(build, points), Search: strategy}
		require.NoError(t, r.Fit(ctx, x, y))
		result := r.Result()
		assert.Equal(t, "machine=lssvm, gamma=1", result.Name, strategy.Name())
		assert.Contains(t, result.Choice(), "machine=lssvm, gamma=1 (*lssvm.Regressor)")
		names := map[string]bool{}
		for _, row := range result.Trace {
			assert.Equal(t, points[row.Candidate].String(), row.Name)
			assert.Contains(t, result.String(), row.Name, "in the table")
			names[row.Name] = true
		}
		assert.Len(t, names, 4)
		data, err := json.Marshal(result)
		require.NoError(t, err)
		assert.Contains(t, string(data), `"name":"machine=ridge"`)
		var back search.Result
		require.NoError(t, json.Unmarshal(data, &back))
		assert.Equal(t, result.Name, back.Name)
		stored, err := r.MarshalBinary()
		require.NoError(t, err)
		loaded := &Regressor{Space: CandidateGrid(build, points), Search: strategy}
		require.NoError(t, loaded.UnmarshalBinary(stored))
		assert.Equal(t, result.Name, loaded.Result().Name, "in a file, too")
	}
}

// A build function that ignores its kernel makes the search useless, and is an error.
func TestBuildThatIgnoresItsKernel(t *testing.T) {
	x, y := problemOf(40, 2, 0.1, 1)
	for name, c := range map[string]struct {
		build func(k kernels.Kernel) estimators.Regressor
		says  bool
	}{
		"ignores": {func(kernels.Kernel) estimators.Regressor { return &lssvm.Regressor{} }, true},
		"takes":   {func(k kernels.Kernel) estimators.Regressor { return &lssvm.Regressor{Kernel: k} }, false},
		"within": {func(k kernels.Kernel) estimators.Regressor {
			return &pipeline.Regressor{Steps: []transformers.Transformer{&featuremap.Nystroem{Kernel: k, Components: 10}}, Final: &ridge.Regressor{}}
		}, false},
	} {
		r := &Regressor{Space: Kernels(c.build), Search: &grid.Search{Points: 3}}
		require.NoError(t, r.Fit(ctx, x, y), name)
		says := slices.ContainsFunc(r.Result().Warnings, func(w string) bool {
			return strings.Contains(w, "(*lssvm.Regressor) does not depend on the kernel")
		})
		assert.Equal(t, c.says, says, "%s: %v", name, r.Result().Warnings)
		assert.Equal(t, r.Result().Warnings, r.Report().Warnings)
	}
}

func TestCandidateErrors(t *testing.T) {
	x, y := problemOf(20, 2, 0.1, 1)
	one := &ridge.Regressor{}
	for name, space := range map[string]Space[estimators.Regressor]{
		"twice": NamedCandidates(Candidate[estimators.Regressor]{"a", one}, Candidate[estimators.Regressor]{"a", one}), "no name": NamedCandidates(Candidate[estimators.Regressor]{"", one}),
		"no model": NamedCandidates(Candidate[estimators.Regressor]{"a", nil}), "nothing": NamedCandidates[estimators.Regressor](), "nil build": CandidateGrid[estimators.Regressor](nil, []grid.Values{{}}),
	} {
		err := (&Regressor{Space: space, Search: &grid.Search{}}).Fit(ctx, x, y)
		assert.ErrorIs(t, err, estimators.ErrParam, name)
	}
	assert.True(t, strings.HasPrefix(NamedCandidates(Candidate[estimators.Regressor]{"a", one}).String(), "1 candidates"))
}
