package report

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/methods"
	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/protocol"
	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/standings"
)

func TestReport(t *testing.T) {
	size := int64(2500)
	ok := func(method string, split int, nmse float64) protocol.Cell {
		return protocol.Cell{Key: protocol.Key{Set: "own", Method: method, Split: split}, Status: protocol.StatusOK, Outcome: protocol.Outcome{
			Measures: map[string]float64{"NMSE": nmse, "RMSE": 100 * nmse}, FitSeconds: 2, PredictSeconds: .5, ModelBytes: &size,
		}}
	}
	r := Report{&standings.Record{
		Settings: standings.Conditions{Seed: 1, Splits: 2, Budget: "20s", MaxRows: 4000, Workers: 1, System: "x/y", Processors: 2, Go: "go"},
		Sets:     []protocol.Description{{Set: "own", Task: methods.RegressionTask, Rows: 8, Features: 4, Available: 6, TrainRows: 5, TestRows: 2}},
		Cells: []protocol.Cell{
			ok("mean", 0, 1), ok("mean", 1, 2),
			ok("ridge", 0, .5), {Key: protocol.Key{Set: "own", Method: "ridge", Split: 1}, Status: protocol.StatusOverBudget},
			{Key: protocol.Key{Set: "own", Method: "lssvm"}, Status: protocol.StatusFailed, Outcome: protocol.Outcome{Error: "no memory"}},
			{Key: protocol.Key{Set: "own", Method: "lssvm", Split: 1}, Status: protocol.StatusFailed, Outcome: protocol.Outcome{Error: "no memory"}},
		},
	}}
	r.Summarise()
	var b strings.Builder
	require.NoError(t, r.Markdown(&b))
	assert.Contains(t, b.String(), "\n## own, regression\n\n8 rows × 4 features; trained on 5 rows of 6, drawn at random, tested on 2.\n\n| method | ")
	assert.Contains(t, b.String(), "2 splits 75/25 a set, seed 1, 20s of the processor for a cell, at most 4000 training rows")
	assert.Regexp(t, `\| mean +\| +1\.5000 ± 0\.7071 \| +150\.0 ± 70\.7 \| 2\.000 \| +250\.000 \| +- \| +- \| +2\.5 \| +2 ok \|`, b.String())
	assert.Regexp(t, `\| ridge +\| +0\.5 \| +50 \|.*\| 1 ok, 1 over budget \|`, b.String())
	assert.Regexp(t, `\| lssvm +\| +- \| +- \| +- \|.*\| +2 failed \|`, b.String())
	assert.Equal(t, 1, strings.Count(b.String(), "- lssvm failed: no memory\n"), "one line for one reason")
}

// A coarse clock reports 0 seconds for a short fit, and 0 has no position on a logarithmic axis.
func TestNoSecondsAreDrawn(t *testing.T) {
	f := standings.Front{Points: []standings.Point{{Method: "ridge", Source: methods.OursSource, Error: 1, OnFront: true}, {Method: "lssvm", Source: methods.OursSource, Seconds: 0.1, Error: 0.5, OnFront: true}}}
	_, err := panel(f)
	assert.NoError(t, err)
	assert.Less(t, ofSeconds(0), ofSeconds(0.0004))
	assert.InDelta(t, -1, ofSeconds(0.1), 1e-12)
}

func TestThousandsAreSetApart(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 9999: "9999", 10000: "10 000", 123456: "123 456", 1234567: "1 234 567"} {
		assert.Equal(t, want, thousands(n))
	}
}
