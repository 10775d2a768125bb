package report

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/methods"
	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/protocol"
	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/standings"
)

func TestIntervalsAndCosts(t *testing.T) {
	r := &Report{&standings.Record{}}
	for _, set := range []string{"a", "b", "c"} {
		r.Sets = append(r.Sets, protocol.Description{Set: set, Task: methods.RegressionTask, TrainRows: 75, TestRows: 50})
	}
	add := func(set, method string, status string, coverage, width, fit, predict, peak float64) {
		before, most, size := int64(1e6), int64(peak*1e6), int64(4000)
		c := protocol.Cell{Key: protocol.Key{Set: set, Method: method}, Source: methods.SourceOf(method), Task: methods.RegressionTask, Status: status}
		if status == protocol.StatusOK {
			c.Outcome = protocol.Outcome{Measures: map[string]float64{"NMSE": 1, methods.Coverage: coverage, methods.Width: width}, FitSeconds: fit, PredictSeconds: predict,
				BeforeBytes: &before, PeakBytes: &most, ModelBytes: &size}
		}
		r.Cells = append(r.Cells, c)
	}
	add("a", "lssvm", protocol.StatusOK, .9, 1, 1, .1, 3)
	add("a", "rvm", protocol.StatusOK, .95, 2, 5, .2, 4)
	add("b", "lssvm", protocol.StatusOK, .8, 2, 2, .2, 5)
	add("b", "rvm", protocol.StatusOverBudget, 0, 0, 0, 0, 0)
	add("c", "lssvm", protocol.StatusOK, 1, 6, 30, .3, 7)
	r.Summarise()
	var b strings.Builder
	r.intervals(&b)
	assert.Contains(t, b.String(), "\n## Regression\n")
	assert.Regexp(t, `(?s)\| rvm +\| kernelearn \| +1 \| +0\.950 \| +0\.950, a \| +2\.000 \|.*\| lssvm +\| kernelearn \| +3 \| +0\.900 \| +0\.800, b \| +2\.000 \|`, b.String(),
		"the nearest to 95% first, of the complete sets")
	b.Reset()
	r.costs(&b, "")
	assert.Regexp(t, `\| lssvm +\| kernelearn \| +3 \| +2 \| +4 \| +4 \| +4 \|`, b.String())
	assert.Regexp(t, `\| rvm +\| kernelearn \| +1 \| +5 \| +4 \| +3 \| +4 \|`, b.String())
}
