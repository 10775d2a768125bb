package effectplot

import (
	"errors"
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/kernelearn/kernelearn/internal/numeral"
	"github.com/kernelearn/kernelearn/internal/plotstyle"
	"github.com/kernelearn/kernelearn/selection/inspection"
)

const (
	maxBars     = 25
	nameLetters = 28

	barHeight = 0.26 * vg.Inch // of a column, including the space to the next
	barsFrame = 1.1 * vg.Inch  // for the title, the axis and its label
)

// SaveRelevances writes the picture of Relevances to a file. The extension of path selects the format: .png, .svg, .pdf, .eps, .jpg
// or .tif. The picture is 8 inches wide, and its height depends on the number of bars. It returns the errors of Relevances and of
// the file system, or an error for any other extension.
func SaveRelevances(r inspection.Relevances, path string) error {
	p, err := Relevances(r)
	if err != nil {
		return err
	}
	height := barsFrame + barHeight*vg.Length(min(len(r), maxBars)) + plotstyle.RoomAbove(p)
	return plotstyle.Save("effectplot", path, []*plot.Plot{p}, 1, plotstyle.Width, height)
}

// Relevances returns a bar for each of at most 25 columns, with the largest relevance on top. A bar shows the relevance, with a
// dark part for the contribution of the column alone, and the length of the column if it has one. It returns an error if there is
// nothing to draw.
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
		at := n - 1 - i // counted from the bottom
		names[at] = short(v.Name, nameLetters)
		whole[at], alone[at] = v.Relevance, min(v.FirstOrder, v.Relevance)
		ends[at] = plotter.XY{X: v.Relevance, Y: float64(at)}
		numbers[at] = fmt.Sprintf("%.2f", v.Relevance)
		if v.Length-v.Length == 0 { // neither NaN nor infinite
			numbers[at] += fmt.Sprintf("  length %s", numeral.Digits(v.Length, 2))
		}
	}
	p := plotstyle.New(title, "variance from the column / variance of the predictions", "")
	p.X.Min, p.X.Max = 0, max(r[0].Relevance, 0.01)
	legend := &plotstyle.Legend{}
	p.Add(legend)
	if err := addBars(p, legend, whole, alone); err != nil {
		return nil, err
	}
	labels, err := plotter.NewLabels(plotter.XYLabels{XYs: ends, Labels: numbers})
	if err != nil {
		return nil, err
	}
	labels.Offset = vg.Point{X: 1.5 * vg.Millimeter}
	for i := range labels.TextStyle {
		labels.TextStyle[i].Font, labels.TextStyle[i].YAlign = plotstyle.Font(plotstyle.TickSize), text.YCenter
	}
	p.Add(labels)
	p.NominalY(names...)
	p.Y.Min, p.Y.Max, p.X.Padding = -0.6, float64(n)-0.4, 0
	return p, nil
}

// addBars draws the relevances, and the first-order parts within them.
func addBars(p *plot.Plot, legend *plotstyle.Legend, whole, alone plotter.Values) error {
	for _, b := range []struct {
		values plotter.Values
		width  vg.Length
		colour draw.LineStyle
		name   string
	}{
		{whole, 0.42 * vg.Centimeter, draw.LineStyle{Color: plotstyle.Sky}, "alone and with others"},
		{alone, 0.22 * vg.Centimeter, draw.LineStyle{Color: plotstyle.Blue}, "alone (first order)"},
	} {
		bars, err := plotter.NewBarChart(b.values, b.width)
		if err != nil {
			return err
		}
		bars.Horizontal, bars.Color, bars.LineStyle.Width = true, b.colour.Color, 0
		p.Add(bars)
		legend.Add(b.name, bars)
	}
	return nil
}
