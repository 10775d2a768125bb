package effectplot

import (
	"errors"
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/kernelearn/kernelearn/selection/internal/panels"
	"github.com/kernelearn/kernelearn/selection/metrics"
)

const (
	squareWidth, squareFrame = 12 * vg.Centimeter, 1.6 * vg.Centimeter
	squareSide               = 10 * vg.Centimeter // of 0 to 1
	legendLine               = 0.045              // of a side
	curveLetters             = 28
	maxCurves                = 12
	defaultLevel             = 0.95
)

// palette are colours of M. Okabe and K. Ito that remain apart for the colour-blind, without their
// yellow, which white swallows. With the dashes, which change at another rate, curves differ in grey, too.
var palette = []color.NRGBA{
	{R: 0x00, G: 0x72, B: 0xb2, A: 0xff},
	{R: 0xd5, G: 0x5e, B: 0x00, A: 0xff},
	{R: 0x00, G: 0x9e, B: 0x73, A: 0xff},
	{R: 0xcc, G: 0x79, B: 0xa7, A: 0xff},
	{R: 0x56, G: 0xb4, B: 0xe9, A: 0xff},
	{R: 0x40, G: 0x40, B: 0x40, A: 0xff},
}

var dashes = [][]vg.Length{nil, {vg.Points(6), vg.Points(2)}, {vg.Points(2), vg.Points(2)}, {vg.Points(8), vg.Points(2), vg.Points(2), vg.Points(2)}}

// style is the line of a curve.
func style(i int) draw.LineStyle {
	return draw.LineStyle{Color: palette[i%len(palette)], Width: vg.Points(1.5), Dashes: dashes[i%len(dashes)]}
}

// SaveROC writes the picture of ROC to a file of the kind that its name ends in: .png, .svg, .pdf,
// .eps, .jpg or .tif. It is 12 cm wide, and higher by the lines of the legend. Errors: that of ROC, another ending, and the file's.
func SaveROC(curves []metrics.ROCCurve, names []string, path string) error {
	p, err := ROC(curves, names)
	return saveSquare(p, path, err)
}

// ROC returns a panel of at most twelve curves with their areas, and the diagonal that chance gives. Names,
// one for each curve, stand in the legend; nil: "class" and its number. The error says that there is
// nothing to draw, or that names are of another number.
func ROC(curves []metrics.ROCCurve, names []string) (*plot.Plot, error) {
	p := square("false positives / all others", "true positives / all of the class", len(curves)+1)
	names, err := namesOf("ROC curves", len(curves), names, func(i int) int { return curves[i].Class })
	if err != nil {
		return nil, err
	}
	if err := diagonal(p, "chance"); err != nil {
		return nil, err
	}
	for i, c := range curves {
		if len(c.FalsePositive) == 0 || len(c.FalsePositive) != len(c.TruePositive) {
			return nil, fmt.Errorf("effectplot: the ROC curve %q has %d and %d shares", names[i], len(c.FalsePositive), len(c.TruePositive))
		}
		line := make(plotter.XYs, len(c.FalsePositive))
		for g := range line {
			line[g] = plotter.XY{X: c.FalsePositive[g], Y: c.TruePositive[g]}
		}
		if err := addLine(p, line, i, plotter.NoStep, fmt.Sprintf("%s, area %.3f", names[i], c.Area)); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// SavePrecisionRecall is SaveROC for the picture of PrecisionRecall.
func SavePrecisionRecall(curves []metrics.PrecisionRecallCurve, names []string, path string) error {
	p, err := PrecisionRecall(curves, names)
	return saveSquare(p, path, err)
}

// PrecisionRecall returns a panel of at most twelve curves as steps, with their average precisions, which are
// the areas below the steps, and that of chance. Names and the error are those of ROC.
func PrecisionRecall(curves []metrics.PrecisionRecallCurve, names []string) (*plot.Plot, error) {
	p := square("recall: the share of the class that is found", "precision: the share of it in what is taken", len(curves)+1)
	names, err := namesOf("precision-recall curves", len(curves), names, func(i int) int { return curves[i].Class })
	if err != nil {
		return nil, err
	}
	for i, c := range curves {
		if len(c.Recall) == 0 || len(c.Recall) != len(c.Precision) {
			return nil, fmt.Errorf("effectplot: the curve %q has %d recalls and %d precisions", names[i], len(c.Recall), len(c.Precision))
		}
		// Up to the recall of a point precision is that of the point.
		line := make(plotter.XYs, 0, len(c.Recall)+1)
		line = append(line, plotter.XY{X: 0, Y: c.Precision[0]})
		for g := range c.Recall {
			line = append(line, plotter.XY{X: c.Recall[g], Y: c.Precision[g]})
		}
		if err := addLine(p, line, i, plotter.PreStep, fmt.Sprintf("%s, average %.3f (chance %.3f)", names[i], c.AveragePrecision, c.Base)); err != nil {
			return nil, err
		}
	}
	if len(curves) == 1 {
		chance, err := plotter.NewLine(plotter.XYs{{X: 0, Y: curves[0].Base}, {X: 1, Y: curves[0].Base}})
		if err != nil {
			return nil, err
		}
		chance.Color, chance.Dashes = grey, []vg.Length{vg.Points(3), vg.Points(3)}
		p.Add(chance)
		p.Legend.Add("chance", chance)
	}
	return p, nil
}

// SaveReliability is SaveROC for the picture of Reliability.
func SaveReliability(bins [][]metrics.Bin, names []string, level float64, path string) error {
	p, err := Reliability(bins, names, level)
	return saveSquare(p, path, err)
}

// Reliability returns a panel of at most twelve reliability diagrams: how often the class was
// there over its mean probability in each bin of metrics.Calibration, with the interval that
// metrics.Bin.Interval gives at a level (0: .95), the expected calibration error, and the
// diagonal on which probabilities are right. Names, one for each, stand in the legend; nil for
// one alone. Errors: as ROC, ErrParam for a level.
func Reliability(bins [][]metrics.Bin, names []string, level float64) (*plot.Plot, error) {
	if level == 0 {
		level = defaultLevel
	}
	if names == nil && len(bins) == 1 {
		names = []string{"probabilities"}
	}
	p := square(fmt.Sprintf("mean probability in a bin (bars: %.3g%%)", 100*level), "how often it came true", len(bins)+1)
	names, err := namesOf("bins", len(bins), names, nil)
	if err != nil {
		return nil, err
	}
	if err := diagonal(p, "right"); err != nil {
		return nil, err
	}
	for i, group := range bins {
		if len(group) == 0 {
			return nil, fmt.Errorf("effectplot: %q has no bins", names[i])
		}
		points := make(reliability, len(group))
		for g, b := range group {
			low, high, err := b.Interval(level)
			if err != nil {
				return nil, err
			}
			points[g] = [4]float64{b.Mean, b.Frequency, low, high}
		}
		bars, err := plotter.NewYErrorBars(points)
		if err != nil {
			return nil, err
		}
		bars.Color, bars.Width, bars.CapWidth = palette[i%len(palette)], vg.Points(0.9), vg.Points(4)
		p.Add(bars)
		line := make(plotter.XYs, len(group))
		for g, b := range group {
			line[g] = plotter.XY{X: b.Mean, Y: b.Frequency}
		}
		if err := addLine(p, line, i, plotter.NoStep, fmt.Sprintf("%s, off by %.3f", names[i], metrics.CalibrationError(group))); err != nil {
			return nil, err
		}
		dots, err := plotter.NewScatter(line)
		if err != nil {
			return nil, err
		}
		dots.Color, dots.Shape, dots.Radius = palette[i%len(palette)], draw.CircleGlyph{}, vg.Points(2.4)
		p.Add(dots)
	}
	return p, nil
}

// reliability are points with their intervals, for error bars.
type reliability [][4]float64

func (r reliability) Len() int                { return len(r) }
func (r reliability) XY(g int) (x, y float64) { return r[g][0], r[g][1] }
func (r reliability) YError(g int) (low, high float64) {
	return r[g][2] - r[g][1], r[g][3] - r[g][1]
}

func saveSquare(p *plot.Plot, path string, err error) error {
	if err != nil {
		return err
	}
	return panels.Save("effectplot", path, []*plot.Plot{p}, 1, squareWidth, squareFrame+squareSide*vg.Length(p.Y.Max))
}

// square returns a plot of both axes from 0 to 1, and room for so many lines of a legend above.
func square(x, y string, lines int) *plot.Plot {
	p := newPlot()
	p.X.Label.Text, p.Y.Label.Text = x, y
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1, 0, 1+legendLine*(float64(lines)+0.5)
	p.X.Padding, p.Y.Padding = vg.Points(3), vg.Points(3)
	p.X.Tick.Marker, p.Y.Tick.Marker = few{6}, below{1}
	p.Legend.Top, p.Legend.Left, p.Legend.Padding = true, true, vg.Millimeter
	p.Legend.XOffs, p.Legend.YOffs = 2*vg.Millimeter, 0
	p.Add(grid{1})
	return p
}

// grid draws lines at the ticks up to a height: above is the legend.
type grid struct{ top float64 }

// Plot implements plot.Plotter.
func (g grid) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	style := draw.LineStyle{Color: color.Gray{Y: 0xd0}, Width: vg.Points(0.4)}
	for _, tick := range p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max) {
		c.StrokeLine2(style, x(tick.Value), c.Min.Y, x(tick.Value), y(g.top))
	}
	for _, tick := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		c.StrokeLine2(style, c.Min.X, y(tick.Value), c.Max.X, y(tick.Value))
	}
}

// below labels few round numbers up to a height.
type below struct{ top float64 }

// Ticks implements plot.Ticker.
func (b below) Ticks(low, _ float64) []plot.Tick { return few{6}.Ticks(low, b.top) }

func diagonal(p *plot.Plot, name string) error {
	line, err := plotter.NewLine(plotter.XYs{{X: 0, Y: 0}, {X: 1, Y: 1}})
	if err != nil {
		return err
	}
	line.Color, line.Dashes = grey, []vg.Length{vg.Points(3), vg.Points(3)}
	p.Add(line)
	p.Legend.Add(name, line)
	return nil
}

func addLine(p *plot.Plot, at plotter.XYs, i int, step plotter.StepKind, name string) error {
	line, err := plotter.NewLine(at)
	if err != nil {
		return err
	}
	line.LineStyle, line.StepStyle = style(i), step
	p.Add(line)
	p.Legend.Add(name, line)
	return nil
}

// namesOf returns a name for each of so many curves.
func namesOf(what string, n int, names []string, class func(i int) int) ([]string, error) {
	switch {
	case n == 0:
		return nil, fmt.Errorf("effectplot: no %s: nothing to draw", what)
	case n > maxCurves:
		return nil, fmt.Errorf("effectplot: %d %s in one picture, want at most %d", n, what, maxCurves)
	case names == nil && class == nil:
		return nil, errors.New("effectplot: several curves want names")
	case names != nil && len(names) != n:
		return nil, fmt.Errorf("effectplot: %d names of %d %s", len(names), n, what)
	}
	out := make([]string, n)
	for i := range out {
		if names == nil {
			out[i] = fmt.Sprintf("class %d", class(i))
			continue
		}
		out[i] = short(names[i], curveLetters)
	}
	return out, nil
}

// finite reports whether a number can be drawn.
func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
