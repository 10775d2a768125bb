package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReport(t *testing.T) {
	size := int64(2500)
	ok := func(method string, split int, nmse float64) cell {
		return cell{key: key{Set: "own", Method: method, Split: split}, Status: statusOK, outcome: outcome{
			Measures: map[string]float64{"NMSE": nmse, "RMSE": 100 * nmse}, FitSeconds: 2, PredictSeconds: .5, ModelBytes: &size,
		}}
	}
	r := report{
		Settings: conditions{Seed: 1, Splits: 2, Budget: "20s", MaxRows: 4000, Workers: 1, System: "x/y", Processors: 2, Go: "go"},
		Sets:     []description{{Set: "own", Task: regressionTask, Rows: 8, Features: 4, Available: 6, TrainRows: 5, TestRows: 2}},
		Cells: []cell{
			ok("mean", 0, 1), ok("mean", 1, 2),
			ok("ridge", 0, .5), {key: key{Set: "own", Method: "ridge", Split: 1}, Status: statusOverBudget},
			{key: key{Set: "own", Method: "lssvm"}, Status: statusFailed, outcome: outcome{Error: "no memory"}},
			{key: key{Set: "own", Method: "lssvm", Split: 1}, Status: statusFailed, outcome: outcome{Error: "no memory"}},
		},
	}
	r.summarise()
	var b strings.Builder
	require.NoError(t, r.markdown(&b))
	assert.Contains(t, b.String(), "\n## own, regression\n\n8 rows × 4 features; trained on 5 rows of 6, drawn at random, tested on 2.\n\n| method | ")
	assert.Contains(t, b.String(), "2 splits 75/25 a set, seed 1, 20s of the processor for a cell, at most 4000 training rows")
	assert.Regexp(t, `\| mean +\| +1\.5000 ± 0\.7071 \| +150\.0 ± 70\.7 \| 2\.000 \| +250\.000 \| +- \| +- \| +2\.5 \| +2 ok \|`, b.String())
	assert.Regexp(t, `\| ridge +\| +0\.5 \| +50 \|.*\| 1 ok, 1 over budget \|`, b.String())
	assert.Regexp(t, `\| lssvm +\| +- \| +- \| +- \|.*\| +2 failed \|`, b.String())
	assert.Equal(t, 1, strings.Count(b.String(), "- lssvm failed: no memory\n"), "one line for one reason")
}

func TestLastWords(t *testing.T) {
	failed := errors.New("exit status 2")
	assert.Equal(t, "panic: boom; exit status 2", lastWords([]byte("x\npanic: boom\n\ngoroutine 1 [running]:\nmain.main()\n"), failed))
	assert.Equal(t, "b; c; d; exit status 2", lastWords([]byte("a\nb\n\nc\nd\n"), failed))
	assert.Equal(t, "exit status 2", lastWords(nil, failed))
	assert.LessOrEqual(t, len(lastWords([]byte(strings.Repeat("ü", 1000)), failed)), messageBytes)
}

func TestTailIsBounded(t *testing.T) {
	var w tail
	for range 100 {
		n, err := w.Write(make([]byte, 10_000))
		require.NoError(t, err)
		assert.Equal(t, 10_000, n)
	}
	_, err := w.Write([]byte("end"))
	require.NoError(t, err)
	assert.Len(t, w.kept, keptOutput)
	assert.Equal(t, "end", string(w.kept[keptOutput-3:]))
}

func TestDifferNames(t *testing.T) {
	assert.NoError(t, differ("p", key{Seed: 1}, key{Seed: 1}))
	assert.ErrorContains(t, differ("p", key{Seed: 1}, key{Seed: 2}), "p was made with seed 1, this run has 2")
	assert.ErrorContains(t, differ("p", description{}, description{Positive: "yes"}), `positive none, this run has "yes"`)
}

// A coarse clock says 0 of a short fit, which has no place on an axis of decades.
func TestNoSecondsAreDrawn(t *testing.T) {
	f := front{Points: []point{{Method: "ridge", Source: oursSource, Error: 1, OnFront: true}, {Method: "lssvm", Source: oursSource, Seconds: 0.1, Error: 0.5, OnFront: true}}}
	_, err := f.panel()
	assert.NoError(t, err)
	assert.Less(t, ofSeconds(0), ofSeconds(0.0004))
	assert.InDelta(t, -1, ofSeconds(0.1), 1e-12)
}

func TestThousandsAreSetApart(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 9999: "9999", 10000: "10 000", 123456: "123 456", 1234567: "1 234 567"} {
		assert.Equal(t, want, thousands(n))
	}
}
