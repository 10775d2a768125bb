package effectplot

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/selection/inspection"
)

// reasons returns an explanation with n columns. Each contribution is half of the preceding one with the opposite sign.
func reasons(n int, se float64) inspection.Explanation {
	e := inspection.Explanation{Base: 20, Prediction: 20, Rows: 100}
	value := 4.0
	for j := range n {
		e.Contributions = append(e.Contributions, inspection.Contribution{
			Name: fmt.Sprintf("name %d", j), Columns: []int{j}, Cells: []float64{float64(j) / 2}, Value: value, SE: se,
		})
		e.Prediction += value
		value /= -2
	}
	return e
}

func TestWaterfall(t *testing.T) {
	e := reasons(3, 0)
	e.Contributions[2].Level = "audi"
	text := svg(t, func(path string) error { return SaveWaterfall(e, "price in 1000 $", path) })
	for _, want := range []string{"name 0 = 0", "name 1 = 0.5", "name 2 = audi", "mean of 100 rows", "prediction", "+4.00", "−2.00", "+1.00", "price in 1000 $", ">23<", ">20<"} {
		assert.Contains(t, text, want)
	}
	assert.Less(t, strings.Index(text, "name 2"), strings.Index(text, "name 0"), "the largest is on top")

	p, err := Waterfall(e, "y")
	require.NoError(t, err)
	assert.Less(t, p.X.Min, 19.0, "there is room for all bars: 20, 21, 19, 23")
	assert.Greater(t, p.X.Max, 23.0)
	wide, err := Waterfall(reasons(3, 3), "y")
	require.NoError(t, err)
	assert.Greater(t, wide.X.Max, 29.0, "and for standard errors")
}

// The bars begin at the mean and end at the prediction.
func TestStepsOfMany(t *testing.T) {
	e := reasons(40, 0)
	steps, err := stepsOf(e)
	require.NoError(t, err)
	require.Len(t, steps, 15)
	assert.Equal(t, "26 other columns", steps[0].name)
	assert.Equal(t, e.Base, steps[0].from)
	assert.InDelta(t, e.Prediction, steps[14].to, 1e-12)
	for i, s := range steps[1:] {
		assert.Equal(t, steps[i].to, s.from)
	}
	text := svg(t, func(path string) error { return SaveWaterfall(e, "y", path) })
	assert.Contains(t, text, "26 other columns")
	assert.NotContains(t, text, "name 14 ")
}

func TestSigns(t *testing.T) {
	assert.Equal(t, "+4.13", signs(9)(4.125001))
	assert.Equal(t, "−0.02", signs(9)(-0.02))
	assert.Equal(t, "+413", signs(999)(412.6))
	assert.Equal(t, "−0.0041", signs(0.012)(-0.00412))
	assert.Equal(t, "−0.000412", signs(0.0005)(-0.000412))
	assert.Contains(t, signs(0)(0), "0")
}

func TestNoWaterfall(t *testing.T) {
	_, err := Waterfall(inspection.Explanation{}, "y")
	assert.ErrorContains(t, err, "effectplot: ")
	assert.ErrorContains(t, SaveWaterfall(inspection.Explanation{}, "y", "a.png"), "nothing to draw")
	e := reasons(2, 0)
	e.Contributions[1].Value = math.NaN()
	_, err = Waterfall(e, "y")
	assert.ErrorContains(t, err, "name 1")
	assert.ErrorContains(t, SaveWaterfall(reasons(2, 0), "y", filepath.Join(t.TempDir(), "a.xyz")), "effectplot")
	flat := inspection.Explanation{Base: 1, Prediction: 1, Rows: 3, Contributions: []inspection.Contribution{{Name: "constant", Cells: []float64{1}}}}
	p, err := Waterfall(flat, "y")
	require.NoError(t, err)
	assert.Less(t, p.X.Min, p.X.Max)
}
