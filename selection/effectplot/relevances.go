package effectplot

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/kernelearn/kernelearn/selection/inspection"
	"github.com/kernelearn/kernelearn/selection/internal/panels"
)

const (
	maxBars     = 25
	nameLetters = 28

	barsWidth = 18 * vg.Centimeter
	barHeight = 0.62 * vg.Centimeter // of a column with what is between two
	barsFrame = 2.8 * vg.Centimeter  // title, axis and its label
)

// SaveRelevances writes the picture of Relevances to a file of the kind that its name ends in:
// .png, .svg, .pdf, .eps, .jpg or .tif. It is 18 cm wide and as high as it has bars. Errors:
// that of Relevances, another ending, and the file's.
func SaveRelevances(r inspection.Relevances, path string) error {
	p, err := Relevances(r)
	if err != nil {
		return err
	}
	height := barsFrame + barHeight*vg.Length(min(len(r), maxBars)+2)
	return panels.Save("effectplot", path, []*plot.Plot{p}, 1, barsWidth, height)
}

// Relevances returns a bar for each column, the largest relevance above, at most 25: its
// relevance, in it, dark, what the column explains by itself, and its length where it has one.
// The error says that there is nothing to draw.
func Relevances(r inspection.Relevances) (*plot.Plot, error) {
	if len(r) == 0 {
		return nil, errors.New("effectplot: no relevances: nothing to draw")
	}
	title := "Relevance of the columns"
	if len(r) > maxBars {
		title = fmt.Sprintf("Relevance of the first %d of %d columns", maxBars, len(r))
		r = r[:maxBars]
	}
	n := len(r)
	names, numbers, ends := make([]string, n), make([]string, n), make(plotter.XYs, n)
	whole, alone := make(plotter.Values, n), make(plotter.Values, n)
	for i, v := range r {
		at := n - 1 - i // from below
		names[at] = short(v.Name, nameLetters)
		whole[at], alone[at] = v.Relevance, min(v.FirstOrder, v.Relevance)
		ends[at] = plotter.XY{X: v.Relevance, Y: float64(at)}
		numbers[at] = fmt.Sprintf("%.2f", v.Relevance)
		if v.Length-v.Length == 0 { // neither NaN nor infinite
			numbers[at] += fmt.Sprintf("  length %s", rounded(v.Length))
		}
	}
	p := newPlot()
	p.Title.Text = title
	p.X.Label.Text = "variance from the column / variance of the predictions"
	p.X.Min, p.X.Max = 0, max(r[0].Relevance, 0.01)
	p.Y.Min, p.Y.Max = -0.5, float64(n)+0.8 // with room for the legend
	grid := plotter.NewGrid()
	grid.Horizontal.Width = 0
	p.Add(grid)
	if err := addBars(p, whole, alone); err != nil {
		return nil, err
	}
	labels, err := plotter.NewLabels(plotter.XYLabels{XYs: ends, Labels: numbers})
	if err != nil {
		return nil, err
	}
	labels.Offset = vg.Point{X: 1.5 * vg.Millimeter}
	for i := range labels.TextStyle {
		labels.TextStyle[i].Font.Size, labels.TextStyle[i].YAlign = tickSize, text.YCenter
	}
	p.Add(labels)
	p.NominalY(names...)
	p.Y.Min, p.X.Padding = -0.7, 0
	p.Legend.Top = true
	p.Legend.Padding = vg.Millimeter
	return p, nil
}

// addBars draws the relevances and in them the first orders.
func addBars(p *plot.Plot, whole, alone plotter.Values) error {
	for _, b := range []struct {
		values plotter.Values
		width  vg.Length
		colour draw.LineStyle
		name   string
	}{
		{whole, 0.42 * vg.Centimeter, draw.LineStyle{Color: light}, "alone and with others"},
		{alone, 0.22 * vg.Centimeter, draw.LineStyle{Color: dark}, "alone (first order)"},
	} {
		bars, err := plotter.NewBarChart(b.values, b.width)
		if err != nil {
			return err
		}
		bars.Horizontal, bars.Color, bars.LineStyle.Width = true, b.colour.Color, 0
		p.Add(bars)
		p.Legend.Add(b.name, bars)
	}
	return nil
}

// rounded is a number in three digits, without an exponent where that is short.
func rounded(v float64) string {
	if math.Abs(v) >= 100 && math.Abs(v) < 1e6 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.2g", v)
}
