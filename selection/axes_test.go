package selection

import (
	"encoding/json"
	"math"
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

func texts(points []Values) (out []string) {
	for _, v := range points {
		out = append(out, v.String())
	}
	return out
}

func TestGridOf(t *testing.T) {
	points, err := GridOf(
		Axis{Name: "kernel", Choices: []string{"linear", "rbf"}},
		Axis{Name: "gamma", Low: 0.01, High: 1, Points: 3, Log: true, When: func(v Values) bool { return v.Choice("kernel") == "rbf" }},
		Axis{Name: "ridge", Values: []float64{1, 2}},
	)
	require.NoError(t, err)
	assert.Equal(t, []string{
		"kernel=linear, ridge=1", "kernel=linear, ridge=2",
		"kernel=rbf, gamma=0.01, ridge=1", "kernel=rbf, gamma=0.01, ridge=2", "kernel=rbf, gamma=0.1, ridge=1",
		"kernel=rbf, gamma=0.1, ridge=2", "kernel=rbf, gamma=1, ridge=1", "kernel=rbf, gamma=1, ridge=2",
	}, texts(points))
	assert.False(t, points[0].Has("gamma"))
	assert.True(t, math.IsNaN(points[0].Number("gamma")))
	assert.Equal(t, 1.0, points[7].Number("gamma"), "the end exactly")
	assert.Equal(t, 1.0, points[7].Number("kernel"), "the position of a choice")
	assert.Empty(t, points[7].Choice("ridge"))
	points, err = GridOf(Axis{Name: "k", Low: 1, High: 3, Integer: true})
	require.NoError(t, err)
	assert.Equal(t, []string{"k=1", "k=2", "k=3"}, texts(points), "five points rounded are three")
}

// Halton's points fill each axis evenly: of 64 in base 2 each eighth has eight, but for the shift's one.
func TestQuasiRandom(t *testing.T) {
	axes := []Axis{{Name: "a", Low: 0, High: 1}, {Name: "b", Low: 1, High: 1e4, Log: true}, {Name: "c", Choices: []string{"x", "y", "z"}}}
	points, err := QuasiRandom(64, 3, axes...)
	require.NoError(t, err)
	require.Len(t, points, 64)
	var a, b [8]int
	c := map[string]int{}
	for _, v := range points {
		a[int(v.Number("a")*8)]++
		b[int(math.Log10(v.Number("b"))*2)]++
		c[v.Choice("c")]++
	}
	for i := range 8 {
		assert.InDelta(t, 8, a[i], 1)
		assert.InDelta(t, 8, b[i], 3, "base 3")
	}
	for _, word := range axes[2].Choices {
		assert.InDelta(t, 64.0/3, c[word], 3)
	}
	more, err := QuasiRandom(100, 3, axes...)
	require.NoError(t, err)
	assert.Equal(t, points, more[:64])
	other, err := QuasiRandom(64, 4, axes...)
	require.NoError(t, err)
	assert.NotEqual(t, points, other)
	few, err := QuasiRandom(50, 1, Axis{Name: "k", Low: 1, High: 4, Integer: true}, Axis{Name: "v", Values: []float64{7}})
	require.NoError(t, err)
	got := texts(few)
	slices.Sort(got)
	assert.Equal(t, []string{"k=1, v=7", "k=2, v=7", "k=3, v=7", "k=4, v=7"}, got)
}

// The names are in the trace, the table, the JSON and the choice.
func TestNamedCandidates(t *testing.T) {
	x, y := problemOf(60, 2, 0.1, 1)
	points, err := GridOf(
		Axis{Name: "machine", Choices: []string{"ridge", "lssvm"}},
		Axis{Name: "gamma", Values: []float64{1e-6, 1, 1e6}, When: func(v Values) bool { return v.Choice("machine") == "lssvm" }},
	)
	require.NoError(t, err)
	build := func(v Values) estimators.Regressor {
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

func TestAxisErrors(t *testing.T) {
	for name, axes := range map[string][]Axis{
		"none": {}, "no name": {{Values: []float64{1}}}, "twice": {{Name: "a", Values: []float64{1}}, {Name: "a", Values: []float64{1}}},
		"nothing": {{Name: "a"}}, "two kinds": {{Name: "a", Values: []float64{1}, High: 2}}, "descending": {{Name: "a", Low: 2, High: 1}},
		"infinite": {{Name: "a", High: math.Inf(1)}}, "NaN": {{Name: "a", Low: math.NaN()}}, "log of 0": {{Name: "a", High: 1, Log: true}}, "half": {{Name: "a", High: 1.5, Integer: true}},
		"empty": {{Name: "a", Values: []float64{}}}, "no word": {{Name: "a", Choices: []string{""}}}, "points": {{Name: "a", High: 1, Points: -1}},
	} {
		_, err := GridOf(axes...)
		assert.ErrorIs(t, err, estimators.ErrParam, name)
		_, err = QuasiRandom(3, 0, axes...)
		assert.ErrorIs(t, err, estimators.ErrParam, name)
	}
	_, err := GridOf(Axis{Name: "a", Values: []float64{math.NaN()}})
	assert.ErrorIs(t, err, estimators.ErrNotFinite)
	_, err = GridOf(Axis{Name: "a", High: 1, Points: 2000}, Axis{Name: "b", High: 1, Points: 2000})
	assert.ErrorIs(t, err, estimators.ErrParam)
	_, err = QuasiRandom(0, 0, Axis{Name: "a", High: 1})
	assert.ErrorIs(t, err, estimators.ErrParam)
	_, err = GridOf(Axis{Name: "a", High: 1, When: func(Values) bool { panic("no") }})
	var p *estimators.PanicError
	assert.ErrorAs(t, err, &p)

	x, y := problemOf(20, 2, 0.1, 1)
	one := &ridge.Regressor{}
	for name, space := range map[string]Space[estimators.Regressor]{
		"twice": NamedCandidates(Candidate[estimators.Regressor]{"a", one}, Candidate[estimators.Regressor]{"a", one}), "no name": NamedCandidates(Candidate[estimators.Regressor]{"", one}),
		"no model": NamedCandidates(Candidate[estimators.Regressor]{"a", nil}), "nothing": NamedCandidates[estimators.Regressor](), "nil build": CandidateGrid[estimators.Regressor](nil, []Values{{}}),
	} {
		err := (&Regressor{Space: space, Search: &grid.Search{}}).Fit(ctx, x, y)
		assert.ErrorIs(t, err, estimators.ErrParam, name)
	}
	assert.True(t, strings.HasPrefix(NamedCandidates(Candidate[estimators.Regressor]{"a", one}).String(), "1 candidates"))
}

// A build that ignores its kernel searches for nothing, and says so.
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
