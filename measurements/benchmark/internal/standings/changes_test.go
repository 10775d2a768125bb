package standings

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/methods"
	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/protocol"
)

// runOf returns a record with an error of each method on each set. A negative error stands for a cell over budget.
func runOf(seconds float64, errors map[string][]float64, sets ...string) *Record {
	r := &Record{}
	for _, set := range sets {
		r.Sets = append(r.Sets, protocol.Description{Set: set, Task: methods.RegressionTask, Collection: protocol.SecondCollection})
	}
	for _, method := range []string{"selection", "lssvm", "sklearn-svm", "stack"} {
		for i, e := range errors[method] {
			c := protocol.Cell{Key: protocol.Key{Set: sets[i], Method: method}, Source: methods.SourceOf(method), Task: methods.RegressionTask,
				Status: protocol.StatusOverBudget}
			if e >= 0 {
				c.Status = protocol.StatusOK
				c.Outcome = protocol.Outcome{Measures: map[string]float64{"NMSE": e, "NLPD": math.Log(e)}, FitSeconds: seconds}
			}
			r.Cells = append(r.Cells, c)
		}
	}
	return r
}

// A later run of two methods, on two of three sets. The third is not part of the comparison, and neither is a method of one run.
func TestCompareWith(t *testing.T) {
	earlier := runOf(2, map[string][]float64{"selection": {.4, .4, .1}, "lssvm": {.5, .2, .1}, "sklearn-svm": {.3, .3, .3}}, "a", "b", "c")
	now := runOf(3, map[string][]float64{"selection": {.1, .4}, "lssvm": {-1, .2}, "stack": {.2, .2}}, "a", "b")
	now.Analyse()
	require.True(t, now.CompareWith(earlier))
	require.Len(t, now.Analyses, 2)
	changes := now.Analyses[0].Changes
	require.Len(t, changes, 2, "two methods are in both runs")
	selection := changes[0]
	assert.Equal(t, "selection", selection.Method)
	assert.Equal(t, 2, selection.Sets)
	assert.InDelta(t, .5, *selection.Center, 1e-12, "the root of 1/4 · 1")
	assert.InDelta(t, .25, *selection.Low, 1e-12)
	assert.InDelta(t, 1, *selection.High, 1e-12)
	assert.Equal(t, []string{"a"}, selection.Better)
	assert.Empty(t, selection.Worse)
	assert.Equal(t, []float64{2.5, 2, 3}, []float64{selection.Earlier, selection.Now, float64(selection.Ranked)}, "ranks 2 and 3, then 1 and 3")
	assert.InDelta(t, 1.5, selection.Seconds, 1e-12)
	lssvm := changes[1]
	assert.Equal(t, []string{"a"}, lssvm.OnlyEarlier)
	assert.Equal(t, 1, lssvm.Sets)
	assert.Nil(t, lssvm.Center, "one set has no interval")
	assert.Equal(t, []float64{2, 2}, []float64{lssvm.Earlier, lssvm.Now}, "ranks 3 and 1, then the last of 3 and 1")
	assert.Equal(t, "NLPD", now.Analyses[1].Name)
	density := now.Analyses[1].Changes[0]
	assert.InDelta(t, math.Log(.25)/2, *density.Center, 1e-9, "the median of two differences")
	assert.Equal(t, []string{"a"}, density.Better)

	other := runOf(1, map[string][]float64{"selection": {1}}, "d")
	other.Analyse()
	assert.False(t, other.CompareWith(earlier))
}

// The conditions of cells are those of one run, and sets may have different numbers of splits.
func TestConditionsOfCells(t *testing.T) {
	cell := func(set string, split, trials int) protocol.Cell {
		return protocol.Cell{Key: protocol.Key{Set: set, Split: split, Seed: 3, Budget: "20s", Trials: trials, Workers: 2}}
	}
	got, err := ConditionsOfCells([]protocol.Cell{cell("a", 0, 0), cell("a", 1, 30), cell("b", 0, 30)})
	require.NoError(t, err)
	assert.Equal(t, Conditions{Seed: 3, Splits: 2, Fewest: 1, Budget: "20s", Workers: 2, Trials: 30}, got)
	_, err = ConditionsOfCells([]protocol.Cell{cell("a", 0, 10), cell("a", 1, 30)})
	assert.ErrorContains(t, err, "30 trials, and others 10")
	other := cell("b", 0, 0)
	other.Seed = 4
	_, err = ConditionsOfCells([]protocol.Cell{cell("a", 0, 0), other})
	assert.ErrorContains(t, err, "two runs")
}
