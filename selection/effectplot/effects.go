package effectplot

import (
	"errors"
	"fmt"
	"image/color"
	"math"
	"unicode/utf8"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/kernelearn/kernelearn/internal/plotstyle"
	"github.com/kernelearn/kernelearn/selection/inspection"
)

const (
	maxColumns              = 3
	panelWidth, panelHeight = plotstyle.Width / maxColumns, 2.5 * vg.Inch
	levelLetters            = 14
	lettersInLine           = 32 // largest number of letters in all names for horizontal names
	slantedLevels           = 8
	// rugDepth is the length of the mark for a row. If a curve has at most fewPoints values, each value is marked.
	rugDepth  = 1.8 * vg.Millimeter
	fewPoints = 10
)

// SaveEffects writes the panels of Effects, three per row of 8 inches, to a file. The extension of path selects the format: .png,
// .svg, .pdf, .eps, .jpg or .tif. It returns the errors of Effects and of the file system, or an error for any other extension.
func SaveEffects(effects []inspection.Effect, target, path string) error {
	plots, err := Effects(effects, target)
	if err != nil {
		return err
	}
	columns := min(len(plots), maxColumns)
	rows := (len(plots) + columns - 1) / columns
	return plotstyle.Save("effectplot", path, plots, columns, panelWidth*vg.Length(columns), panelHeight*vg.Length(rows))
}

// Effects returns a panel for each effect, all with the same vertical axis. A panel shows the mean prediction as a function of the
// column, with its band, and a mark for each row at the bottom. The levels of a category are side by side, without marks. Target is
// the label of the vertical axis, with its unit. It returns an error if there is nothing to draw.
func Effects(effects []inspection.Effect, target string) ([]*plot.Plot, error) {
	if len(effects) == 0 {
		return nil, errors.New("effectplot: no effects: nothing to draw")
	}
	low, high := math.Inf(1), math.Inf(-1)
	out := make([]*plot.Plot, len(effects))
	for i, e := range effects {
		if len(e.At) == 0 {
			return nil, fmt.Errorf("effectplot: the effect of %q has no points", e.Name)
		}
		for _, v := range append(append(append([]float64(nil), e.Mean...), e.Low...), e.High...) {
			low, high = min(low, v), max(high, v)
		}
		p, err := panel(e)
		if err != nil {
			return nil, err
		}
		if i%maxColumns == 0 {
			p.Y.Label.Text = short(target, 24)
			switch e.Band {
			case inspection.NoBand:
			case inspection.SpreadBand:
				p.Y.Label.Text += fmt.Sprintf(", %.3g%% of rows", 100*e.Level)
			default:
				p.Y.Label.Text += fmt.Sprintf(", %.3g%% band", 100*e.Level)
			}
		}
		out[i] = p
	}
	room := 0.05 * (high - low)
	if room == 0 {
		room = 0.05*math.Abs(high) + 1e-3
	}
	for _, p := range out {
		p.Y.Min, p.Y.Max = low-3*room, high+room // with room for the rug
	}
	return out, nil
}

// panel draws one effect.
func panel(e inspection.Effect) (*plot.Plot, error) {
	p := plotstyle.New(short(e.Name, 34), "", "")
	p.Y.Label.TextStyle.Font = plotstyle.Font(plotstyle.TickSize) // otherwise a long name would move the title
	p.X.Tick.Marker, p.Y.Tick.Marker = plotstyle.Round{Most: 5}, plotstyle.Round{Most: 6}
	if e.Levels != nil {
		return p, levels(p, e)
	}
	p.Add(rug(e.Rows))
	return p, line(p, e)
}

// line draws the effect of a number: a curve with its band. If there are few points, each is marked.
func line(p *plot.Plot, e inspection.Effect) error {
	n := len(e.At)
	if e.Low != nil && n > 1 {
		edge := make(plotter.XYs, 2*n)
		for g, v := range e.At {
			edge[g], edge[2*n-1-g] = plotter.XY{X: v, Y: e.Low[g]}, plotter.XY{X: v, Y: e.High[g]}
		}
		band, err := plotter.NewPolygon(edge)
		if err != nil {
			return err
		}
		band.Color, band.LineStyle.Width = plotstyle.Pale(plotstyle.Blue), 0
		p.Add(band)
	}
	curve, err := plotter.NewLine(means(e))
	if err != nil {
		return err
	}
	curve.Color, curve.Width = plotstyle.Blue, vg.Points(1.4)
	p.Add(curve)
	if n > fewPoints {
		return nil
	}
	return marks(p, e)
}

// levels draws the effect of a category: a mark for each level, with its band as a bar.
func levels(p *plot.Plot, e inspection.Effect) error {
	names, letters := make([]string, len(e.Levels)), 0
	for g, name := range e.Levels {
		names[g] = short(name, levelLetters)
		letters += utf8.RuneCountInString(names[g]) + 2
	}
	if e.Low != nil {
		bars, err := plotter.NewYErrorBars(intervals{e})
		if err != nil {
			return err
		}
		bars.Color, bars.Width, bars.CapWidth = plotstyle.Blue, vg.Points(1), vg.Points(6)
		p.Add(bars)
	}
	p.NominalX(names...)
	p.X.Width, p.Y.Padding = vg.Points(0.5), vg.Points(3)
	// Invisible ticks add space between the axis and the names.
	p.X.Tick.Length, p.X.Tick.LineStyle = vg.Points(5), draw.LineStyle{Width: vg.Points(0.1), Color: color.Transparent}
	p.X.Min, p.X.Max = -0.5, float64(len(names))-0.5
	label := &p.X.Tick.Label
	switch { // names side by side would overlap
	case len(names) > slantedLevels:
		label.Rotation, label.XAlign, label.YAlign = math.Pi/2, text.XRight, text.YCenter
	case letters > lettersInLine:
		label.Rotation, label.XAlign, label.YAlign = math.Pi/4, text.XRight, text.YTop
	}
	return marks(p, e)
}

// marks draws the points.
func marks(p *plot.Plot, e inspection.Effect) error {
	points, err := plotter.NewScatter(means(e))
	if err != nil {
		return err
	}
	points.Color, points.Shape, points.Radius = plotstyle.Blue, draw.CircleGlyph{}, vg.Points(2.4)
	p.Add(points)
	return nil
}

func means(e inspection.Effect) plotter.XYs {
	out := make(plotter.XYs, len(e.At))
	for g, v := range e.At {
		out[g] = plotter.XY{X: v, Y: e.Mean[g]}
	}
	return out
}

// intervals provides the bands of an effect as error bars.
type intervals struct{ inspection.Effect }

func (e intervals) Len() int                { return len(e.At) }
func (e intervals) XY(g int) (x, y float64) { return e.At[g], e.Mean[g] }
func (e intervals) YError(g int) (low, high float64) {
	return e.Low[g] - e.Mean[g], e.High[g] - e.Mean[g]
}

// rug marks rows at the lower edge. It leaves out rows beyond the axis. The axis of an effect ends at quantiles, because a few
// distant rows would compress the curve.
type rug []float64

// Plot implements plot.Plotter.
func (r rug) Plot(c draw.Canvas, p *plot.Plot) {
	x, _ := p.Transforms(&c)
	for _, v := range r {
		if at := x(v); at >= c.Min.X && at <= c.Max.X {
			c.StrokeLine2(draw.LineStyle{Color: plotstyle.Grey, Width: vg.Points(0.4)}, at, c.Min.Y, at, c.Min.Y+rugDepth)
		}
	}
}
