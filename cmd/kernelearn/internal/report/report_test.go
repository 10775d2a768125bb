package report

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot"

	"github.com/kernelearn/kernelearn/adapters/table"
)

// Texts from the data are escaped, so that they cannot become tags.
func TestTextsAreEscaped(t *testing.T) {
	const tag = "<script>alert(1)</script>"
	p := plot.New()
	p.Title.Text = tag
	picture, err := Draw(tag, tag, p, 4, 3)
	require.NoError(t, err)
	r := Report{Title: tag, Source: tag, Columns: []table.Column{{Name: tag, Note: tag}}, Model: tag, Learnt: tag, Effects: []Picture{picture},
		Quality: []Picture{picture}, Metrics: []Metric{{tag, tag, tag, tag}}, WeakName: tag, Weak: []Slice{{Column: tag, Values: tag}},
		Classes: &Confusion{Names: []string{tag}, Counts: [][]int{{3}}, Recall: []float64{1}}}
	var b bytes.Buffer
	require.NoError(t, r.WriteHTML(&b))
	assert.NotContains(t, b.String(), "<script")
	assert.Greater(t, strings.Count(b.String(), "&lt;script&gt;"), 10)
	assert.Equal(t, 2, strings.Count(b.String(), "<svg"))
	assert.NotContains(t, strings.ReplaceAll(b.String(), "http://www.w3.org/", ""), "http", "the page needs no other")
}

// FindWeak finds the north, where half of the predictions fail, but not the south, where none fail.
func TestFindWeak(t *testing.T) {
	text := "area,district,price\n"
	var good []bool
	for i := range 400 {
		district := []string{"north", "south"}[i%2]
		text += strings.Repeat("1", 1+i%3) + "," + district + ",1.5\n"
		good = append(good, district == "south" || i%4 == 0)
	}
	rows, err := table.ParseCSV("houses", strings.NewReader(text), &table.Options{Target: "price", Task: table.Regression})
	require.NoError(t, err)
	weak, overall, err := FindWeak(rows, good)
	require.NoError(t, err)
	assert.InDelta(t, 0.75, overall, 1e-12)
	require.Len(t, weak, 1)
	assert.Equal(t, "district", weak[0].Column)
	assert.Equal(t, "north", weak[0].Values)
	assert.Equal(t, 200, weak[0].Rows)
	assert.InDelta(t, 0.5, weak[0].Share, 1e-12)
	// Wilson's interval of 100 of 200 is 0.5 ± 0.0686.
	assert.InDelta(t, 0.5-0.0686, weak[0].Low, 1e-3)
	assert.InDelta(t, 0.5+0.0686, weak[0].High, 1e-3)
	assert.Equal(t, []float64{1, 2, 3}, quantiles([]float64{1, 1, 2, 3, math.NaN()}))
}
