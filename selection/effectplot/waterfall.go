package effectplot

import (
	"errors"
	"fmt"
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/kernelearn/kernelearn/internal/numeral"
	"github.com/kernelearn/kernelearn/internal/plotstyle"
	"github.com/kernelearn/kernelearn/selection/inspection"
)

const (
	waterfallBars = 15
	barHalf       = 0.34 // half the height of a bar, in units of the distance between bars
	labelRoom     = 0.12 // fraction of the axis that is added on either side of the bars
)

// SaveWaterfall writes the picture of Waterfall to a file, as SaveRelevances does.
func SaveWaterfall(e inspection.Explanation, target, path string) error {
	p, err := Waterfall(e, target)
	if err != nil {
		return err
	}
	height := barsFrame + barHeight*vg.Length(min(len(e.Contributions), waterfallBars)+2) + plotstyle.RoomAbove(p)
	return plotstyle.Save("effectplot", path, []*plot.Plot{p}, 1, plotstyle.Width, height)
}

// Waterfall returns a picture of the contributions to a prediction. It starts from the mean of the background at the bottom. A bar
// for each column leads to the prediction at the top, and the largest contribution comes last. It draws at most 15 bars, and the
// lowest is the sum of all remaining columns. Contributions with standard errors have error bars of two standard errors. Target is
// the label of the horizontal axis, with its unit. It returns an error if there is nothing to draw.
func Waterfall(e inspection.Explanation, target string) (*plot.Plot, error) {
	if len(e.Contributions) == 0 {
		return nil, errors.New("effectplot: the explanation has no contributions: nothing to draw")
	}
	steps, err := stepsOf(e)
	if err != nil {
		return nil, err
	}
	p := plotstyle.New("Reasons for one prediction", short(target, 60), "")
	legend := &plotstyle.Legend{}
	p.Add(legend)
	names := make([]string, len(steps)+2)
	names[0], names[len(names)-1] = fmt.Sprintf("mean of %d rows", e.Rows), "prediction"
	low, high := min(e.Base, e.Prediction), max(e.Base, e.Prediction)
	for i, s := range steps {
		names[i+1] = short(s.name, nameLetters)
		low, high = min(low, s.from, s.to-2*s.se, s.to+2*s.se), max(high, s.from, s.to-2*s.se, s.to+2*s.se)
	}
	room := labelRoom * (high - low)
	if room == 0 {
		room = 0.05*math.Abs(high) + 1e-3
	}
	p.X.Min, p.X.Max = low-room, high+room
	p.Add(staircase{steps: steps, base: e.Base, prediction: e.Prediction})
	for _, k := range []struct {
		name   string
		colour color.Color
	}{{"raises the prediction", plotstyle.Vermillion}, {"lowers it", plotstyle.Blue}} {
		legend.Add(k.name, swatch{k.colour})
	}
	p.NominalY(names...)
	p.Y.Min, p.Y.Max, p.X.Padding = -0.6, float64(len(names))-0.4, 0
	return p, nil
}

// step is a bar.
type step struct {
	name         string
	from, to, se float64
}

// stepsOf returns the bars of the waterfall, from bottom to top.
func stepsOf(e inspection.Explanation) (out []step, err error) {
	shown := e.Contributions
	at := e.Base
	if len(shown) > waterfallBars {
		shown = shown[:waterfallBars-1]
		rest := e.Contributions[len(shown):]
		sum := 0.0
		for _, c := range rest {
			sum += c.Value
		}
		out, at = append(out, step{name: fmt.Sprintf("%d other columns", len(rest)), from: at, to: at + sum}), at+sum
	}
	for i := len(shown) - 1; i >= 0; i-- {
		c := shown[i]
		out, at = append(out, step{name: c.Label(), from: at, to: at + c.Value, se: c.SE}), at+c.Value
	}
	for _, s := range out {
		if !finite(s.to) || !finite(s.se) {
			return nil, fmt.Errorf("effectplot: the contribution of %q is %v", s.name, s.to-s.from)
		}
	}
	return out, nil
}

// staircase draws the bars with their values, between the marks of the mean and the prediction.
type staircase struct {
	steps            []step
	base, prediction float64
}

// Plot implements plot.Plotter.
func (s staircase) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	style := draw.TextStyle{
		Color: plotstyle.Black, Font: plotstyle.Font(plotstyle.TickSize), YAlign: text.YCenter, Handler: plot.DefaultTextHandler,
	}
	gap, thin := 1.5*vg.Millimeter, draw.LineStyle{Color: plotstyle.Grey, Width: vg.Points(0.8)}
	last, largest := s.base, 0.0
	for _, b := range s.steps {
		largest = max(largest, math.Abs(b.to-b.from))
	}
	signed, lift := signs(largest), style.FontExtents().Descent*0.5
	for i, b := range s.steps {
		row, colour := float64(i+1), plotstyle.Vermillion
		if b.to < b.from {
			colour = plotstyle.Blue
		}
		c.StrokeLine2(thin, x(last), y(row-1), x(last), y(row)) // connects this bar with the end of the bar below
		left, right := x(min(b.from, b.to)), x(max(b.from, b.to))
		c.FillPolygon(colour, []vg.Point{{X: left, Y: y(row - barHalf)}, {X: right, Y: y(row - barHalf)},
			{X: right, Y: y(row + barHalf)}, {X: left, Y: y(row + barHalf)}})
		if b.se > 0 {
			ends := [2]vg.Length{x(b.to - 2*b.se), x(b.to + 2*b.se)}
			c.StrokeLine2(draw.LineStyle{Color: plotstyle.Dark, Width: vg.Points(1.2)}, ends[0], y(row), ends[1], y(row))
			left, right = min(left, ends[0]), max(right, ends[1])
		}
		style.XAlign = text.XLeft
		at := right + gap
		if b.to < b.from {
			style.XAlign, at = text.XRight, left-gap
		}
		c.FillText(style, vg.Point{X: at, Y: y(row) + lift}, signed(b.to-b.from))
		last = b.to
	}
	top := float64(len(s.steps) + 1)
	c.StrokeLine2(thin, x(last), y(top-1), x(last), y(top))
	style.XAlign = text.XLeft
	for _, end := range []struct{ value, row float64 }{{s.base, 0}, {s.prediction, top}} {
		mark := draw.GlyphStyle{Color: plotstyle.Dark, Radius: vg.Points(3.5), Shape: plotstyle.Diamond{}}
		c.DrawGlyph(mark, vg.Point{X: x(end.value), Y: y(end.row)})
		c.FillText(style, vg.Point{X: x(end.value) + 2*gap, Y: y(end.row) + lift}, numeral.Short(end.value))
	}
}

// signs returns a function that formats contributions with their signs. All have the same number of decimals, chosen so that the
// largest has three digits.
func signs(largest float64) func(v float64) string {
	if !(largest >= 1e-3 && largest < 1e6) {
		return func(v float64) string {
			if v < 0 {
				return "−" + numeral.Short(-v)
			}
			return "+" + numeral.Short(v)
		}
	}
	decimals := max(0, 2-int(math.Floor(math.Log10(largest))))
	return func(v float64) string { return strings.Replace(fmt.Sprintf("%+.*f", decimals, v), "-", "−", 1) }
}

// swatch is a colour in a legend.
type swatch struct{ color.Color }

// Thumbnail implements plot.Thumbnailer.
func (s swatch) Thumbnail(c *draw.Canvas) {
	c.FillPolygon(s.Color, []vg.Point{c.Min, {X: c.Max.X, Y: c.Min.Y}, c.Max, {X: c.Min.X, Y: c.Max.Y}})
}
