package effectplot

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/plotstyle"
	"github.com/kernelearn/kernelearn/selection/inspection"
	"github.com/kernelearn/kernelearn/selection/metrics"
)

func rocs(t *testing.T, n int) (out []metrics.ROCCurve) {
	for i := range n {
		c, err := metrics.ROC([]int{i, i + 1, i + 1, i, i}, i, []float64{3, 2, 1, 2, 5}, nil)
		require.NoError(t, err)
		out = append(out, c)
	}
	return out
}

func TestROC(t *testing.T) {
	text := svg(t, func(path string) error { return SaveROC(rocs(t, 3), nil, path) })
	for _, want := range []string{"chance", "class 0, area 0.917", "class 2, area 0.917", "false positive rate", "true positive rate", ">1.0<"} {
		assert.Contains(t, text, want)
	}
	assert.NotContains(t, text, ">1.2<", "no share is above 1")
	text = svg(t, func(path string) error {
		return SaveROC(rocs(t, 2), []string{"ours", strings.Repeat("long ", 20)}, path)
	})
	assert.Contains(t, text, "ours, area")
	assert.Contains(t, text, "…, area")
	p, err := ROC(rocs(t, 12), nil)
	require.NoError(t, err)
	few, err := ROC(rocs(t, 1), nil)
	require.NoError(t, err)
	assert.Greater(t, plotstyle.RoomAbove(p), plotstyle.RoomAbove(few), "room for the legend")
	assert.Equal(t, 1.0, p.Y.Max, "no share is above 1")

	for name, draw := range map[string]func(path string) error{
		"no ROC curves":  func(path string) error { return SaveROC(nil, nil, path) },
		"13 ROC curves":  func(path string) error { return SaveROC(rocs(t, 13), nil, path) },
		"1 names of 2":   func(path string) error { return SaveROC(rocs(t, 2), []string{"a"}, path) },
		"no precision":   func(path string) error { return SavePrecisionRecall(nil, nil, path) },
		"no bins":        func(path string) error { return SaveReliability(nil, nil, 0, path) },
		"want names":     func(path string) error { return SaveReliability(make([][]metrics.Bin, 2), nil, 0, path) },
		"no importances": func(path string) error { return SaveImportances(inspection.Importances{}, path) },
		"no scores":      func(path string) error { return SaveCurve(inspection.Curve{}, path) },
		`importance of "a" is NaN`: func(path string) error {
			return SaveImportances(inspection.Importances{Columns: []inspection.Importance{{Name: "a", Mean: math.NaN()}}}, path)
		},
	} {
		err := draw(filepath.Join(t.TempDir(), "a.png"))
		assert.ErrorContains(t, err, "effectplot: ", name)
		assert.ErrorContains(t, err, name)
	}
	assert.ErrorContains(t, SaveROC(rocs(t, 1), nil, "a.xyz"), "effectplot")
}

func TestPrecisionRecall(t *testing.T) {
	c, err := metrics.PrecisionRecall([]int{0, 1, 1, 0}, 1, []float64{3, 2, 1, 0}, nil)
	require.NoError(t, err)
	text := svg(t, func(path string) error { return SavePrecisionRecall([]metrics.PrecisionRecallCurve{c}, nil, path) })
	assert.Contains(t, text, "class 1, average precision 0.583 (chance 0.500)")
	assert.Contains(t, text, ">chance<")
	text = svg(t, func(path string) error {
		return SavePrecisionRecall([]metrics.PrecisionRecallCurve{c, c}, []string{"a", "b"}, path)
	})
	assert.Contains(t, text, "b, average")
	assert.NotContains(t, text, ">chance<", "each class has another")
	assert.ErrorContains(t, SavePrecisionRecall([]metrics.PrecisionRecallCurve{{}}, nil, "a.svg"), "0 recalls")
	assert.ErrorContains(t, SaveROC([]metrics.ROCCurve{{}}, nil, "a.svg"), "0 and 0 shares")
}

func TestReliability(t *testing.T) {
	bins := []metrics.Bin{{Mean: .1, Frequency: .2, Count: 10}, {Mean: .9, Frequency: .7, Count: 10}}
	text := svg(t, func(path string) error { return SaveReliability([][]metrics.Bin{bins}, nil, 0.9, path) })
	for _, want := range []string{"probabilities, ECE 0.150", "perfect calibration", "with 90% intervals"} {
		assert.Contains(t, text, want)
	}
	text = svg(t, func(path string) error {
		return SaveReliability([][]metrics.Bin{bins, bins[:1]}, []string{"a", "b"}, 0, path)
	})
	assert.Contains(t, text, "b, ECE 0.100")
	assert.Contains(t, text, "with 95% intervals")
	_, err := Reliability([][]metrics.Bin{bins}, nil, 2)
	assert.ErrorIs(t, err, fault.ErrParam)
	_, err = Reliability([][]metrics.Bin{{{}}}, nil, 0)
	assert.ErrorIs(t, err, fault.ErrShape)
	assert.ErrorContains(t, SaveReliability([][]metrics.Bin{{}}, nil, 0, "a.svg"), "no bins")
}

func TestImportances(t *testing.T) {
	r := inspection.Importances{Metric: "RMSE", Score: 0.5}
	for i := range 40 {
		r.Columns = append(r.Columns, inspection.Importance{Name: fmt.Sprintf("name %d", i), Mean: 1/float64(i+1) - 0.1, SE: 0.01})
	}
	text := svg(t, func(path string) error { return SaveImportances(r, path) })
	for _, want := range []string{"first 25 of 40", "name 24<", "how much worse RMSE", "from 0.5"} {
		assert.Contains(t, text, want)
	}
	assert.NotContains(t, text, "name 25<")
	p, err := Importances(r)
	require.NoError(t, err)
	assert.Less(t, p.X.Min, -0.05, "a column that does harm is to the left")
	assert.GreaterOrEqual(t, p.X.Max, 0.92, "with its error")
	one := inspection.Importances{Metric: "m", Columns: []inspection.Importance{{Name: "only", SE: math.NaN()}}}
	text = svg(t, func(path string) error { return SaveImportances(one, path) })
	assert.Contains(t, text, "only")
	assert.NotContains(t, text, "NaN")
}

func learning() inspection.Curve {
	return inspection.Curve{Setting: "rows", Metric: "NMSE", Points: []inspection.CurvePoint{
		{At: 10, Train: []float64{.1, .2}, HeldOut: []float64{.9, .7}},
		{At: 20, Train: []float64{math.NaN(), math.NaN()}, HeldOut: []float64{math.NaN(), math.NaN()}},
		{At: 100, Train: []float64{.2, .3}, HeldOut: []float64{.5, math.NaN()}},
	}}
}

func TestCurve(t *testing.T) {
	p, err := Curve(learning())
	require.NoError(t, err)
	assert.InDelta(t, 1, p.X.Min, 1e-12, "logarithms")
	assert.InDelta(t, 2, p.X.Max, 1e-12)
	assert.Less(t, p.Y.Min, .1)
	assert.Greater(t, p.Y.Max, .9)
	text := svg(t, func(path string) error { return SaveCurve(learning(), path) })
	for _, want := range []string{"NMSE (less is better)", "rows held out", "rows of the fit", ">100<", ">10<", ">rows<"} {
		assert.Contains(t, text, want)
	}
	assert.NotContains(t, text, "NaN")
	assert.NotContains(t, text, "best", "the last point of a learning curve is not a choice")

	named := inspection.Curve{Setting: "kernel", Metric: "Accuracy", LargerIsBetter: true}
	for i := range 8 {
		named.Points = append(named.Points, inspection.CurvePoint{At: float64(i), Label: fmt.Sprintf("kernel number %d", i), Train: []float64{1}, HeldOut: []float64{1 - math.Abs(float64(i-3))/9}})
	}
	text = svg(t, func(path string) error { return SaveCurve(named, path) })
	assert.Contains(t, text, "more is better")
	assert.Contains(t, text, "best: kernel number…")
	p, err = Curve(named)
	require.NoError(t, err)
	assert.NotZero(t, p.X.Tick.Label.Rotation, "side by side they would overlap")
	same := inspection.Curve{Setting: "s", Metric: "m", Points: []inspection.CurvePoint{{At: -1, Train: []float64{1}, HeldOut: []float64{1}}, {At: 5, Train: []float64{1}, HeldOut: []float64{1}}}}
	p, err = Curve(same)
	require.NoError(t, err)
	assert.Equal(t, [2]float64{-1, 5}, [2]float64{p.X.Min, p.X.Max})
	assert.Less(t, p.Y.Min, p.Y.Max)
}

// Labels of a logarithmic axis do not touch.
func TestTicksKeepApart(t *testing.T) {
	c := learning()
	c.Points[1].At = 95
	p, err := Curve(c)
	require.NoError(t, err)
	ticks := p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max)
	require.Len(t, ticks, 2)
	assert.Equal(t, "95", ticks[1].Label)
}
