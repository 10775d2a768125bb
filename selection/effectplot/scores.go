package effectplot

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

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
	// wideRange is the smallest ratio of the largest to the smallest value for which an axis is logarithmic.
	wideRange   = 10
	minTicks    = 0.08 // smallest distance of labels on a logarithmic axis
	settingLine = 70   // largest number of letters in all labels for horizontal labels
)

// SaveImportances writes the picture of Importances to a file, as SaveRelevances does.
func SaveImportances(r inspection.Importances, path string) error {
	p, err := Importances(r)
	if err != nil {
		return err
	}
	height := barsFrame + barHeight*vg.Length(min(len(r.Columns), maxBars))
	return plotstyle.Save("effectplot", path, []*plot.Plot{p}, 1, plotstyle.Width, height)
}

// Importances returns a bar for each of at most 25 columns, with the largest mean loss on top, and error bars of two standard
// errors. It returns an error if there is nothing to draw.
func Importances(r inspection.Importances) (*plot.Plot, error) {
	if len(r.Columns) == 0 {
		return nil, errors.New("effectplot: no importances: nothing to draw")
	}
	p := plotstyle.New("Importance of the columns by permutation", "", "")
	columns := r.Columns
	if len(columns) > maxBars {
		p.Title.Text = fmt.Sprintf("Importance of the first %d of %d columns by permutation", maxBars, len(columns))
		columns = columns[:maxBars]
	}
	n := len(columns)
	names, values, ends := make([]string, n), make(plotter.Values, n), make(errorBars, n)
	low, high := 0.0, 0.0
	for i, v := range columns {
		if !finite(v.Mean) {
			return nil, fmt.Errorf("effectplot: the importance of %q is %v", v.Name, v.Mean)
		}
		at, se := n-1-i, 0.0 // counted from the bottom
		if finite(v.SE) {
			se = v.SE
		}
		names[at], values[at] = short(v.Name, nameLetters), v.Mean
		ends[at] = [3]float64{v.Mean, float64(at), 2 * se}
		low, high = min(low, v.Mean-2*se), max(high, v.Mean+2*se)
	}
	p.X.Label.Text = fmt.Sprintf("how much worse %s is with the column permuted (from %s; bars: 2 standard errors)", r.Metric,
		numeral.Short(r.Score))
	bars, err := plotter.NewBarChart(values, 0.38*vg.Centimeter)
	if err != nil {
		return nil, err
	}
	bars.Horizontal, bars.Color, bars.LineStyle.Width = true, plotstyle.Sky, 0
	p.Add(bars)
	whiskers, err := plotter.NewXErrorBars(ends)
	if err != nil {
		return nil, err
	}
	whiskers.Color, whiskers.Width, whiskers.CapWidth = plotstyle.Dark, vg.Points(1.2), vg.Points(5)
	p.Add(whiskers)
	p.NominalY(names...)
	if low < 0 { // a line at 0
		zero, err := plotter.NewLine(plotter.XYs{{X: 0, Y: -0.7}, {X: 0, Y: float64(n) - 0.3}})
		if err != nil {
			return nil, err
		}
		zero.Color, zero.Width = plotstyle.Grey, vg.Points(0.8)
		p.Add(zero)
	}
	if high == low {
		high = low + 0.01
	}
	room := 0.02 * (high - low)
	p.X.Min, p.X.Max = low, high+room
	if low < 0 {
		p.X.Min -= room
	}
	p.Y.Min, p.Y.Max, p.X.Padding = -0.7, float64(n)-0.3, 0
	return p, nil
}

// errorBars holds the ends of bars.
type errorBars [][3]float64

func (e errorBars) Len() int                         { return len(e) }
func (e errorBars) XY(i int) (x, y float64)          { return e[i][0], e[i][1] }
func (e errorBars) XError(i int) (low, high float64) { return -e[i][2], e[i][2] }

// SaveCurve writes the picture of Curve to a file. The extension of path selects the format: .png, .svg, .pdf, .eps, .jpg or .tif.
// The picture is 8 inches wide and 4.5 high. It returns the errors of Curve and of the file system, or an error for any other
// extension.
func SaveCurve(c inspection.Curve, path string) error {
	p, err := Curve(c)
	if err != nil {
		return err
	}
	return plotstyle.Save("effectplot", path, []*plot.Plot{p}, 1, plotstyle.Width, plotstyle.Height)
}

// Curve returns a panel of a learning or validation curve: the mean scores over the folds, with bands from the worst to the best
// fold. Points at which all fits failed are left out. If all values are positive and the largest is at least ten times the
// smallest, the axis is logarithmic. The best point of a validation curve is circled. It returns an error if there is nothing to
// draw.
func Curve(c inspection.Curve) (*plot.Plot, error) {
	axis := newAxis(c)
	better := "less is better"
	if c.LargerIsBetter {
		better = "more is better"
	}
	metric := short(c.Metric, nameLetters)
	p := plotstyle.New(fmt.Sprintf("%s (%s)", metric, better), c.Setting, metric)
	legend := &plotstyle.Legend{}
	p.Add(legend)
	held, trained := series{name: "rows held out", i: 0}, series{name: "rows of the fit", i: 1}
	for i, point := range c.Points {
		held.add(axis.position(i), point.HeldOut)
		trained.add(axis.position(i), point.Train)
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, s := range []series{trained, held} {
		if len(s.mean) == 0 {
			return nil, errors.New("effectplot: the curve has no scores: nothing to draw")
		}
		low, high = min(low, slices.Min(s.low)), max(high, slices.Max(s.high))
	}
	for _, s := range []series{trained, held} {
		if err := s.draw(p, legend); err != nil {
			return nil, err
		}
	}
	if best := c.Best(); best >= 0 && c.Setting != "rows" {
		mean, _ := c.Points[best].HeldOutMean()
		ring, err := plotter.NewScatter(plotter.XYs{{X: axis.position(best), Y: mean}})
		if err != nil {
			return nil, err
		}
		ring.Color, ring.Shape, ring.Radius = plotstyle.Black, draw.RingGlyph{}, vg.Points(6)
		p.Add(ring)
		legend.Add("best: "+axis.label(best), ring)
	}
	room := high - low
	if room == 0 {
		room = 0.05*math.Abs(high) + 1e-3
	}
	p.Y.Min, p.Y.Max = low-0.04*room, high+0.04*room
	if low >= 0 {
		p.Y.Min = max(p.Y.Min, 0) // errors are not negative
	}
	axis.apply(p)
	return p, nil
}

// series holds the scores on training or test rows.
type series struct {
	name      string
	i         int
	mean      plotter.XYs
	low, high []float64
}

func (s *series) add(x float64, scores []float64) {
	var of []float64
	for _, v := range scores {
		if finite(v) {
			of = append(of, v)
		}
	}
	if of == nil {
		return
	}
	mean := 0.0
	for _, v := range of {
		mean += v / float64(len(of))
	}
	s.mean = append(s.mean, plotter.XY{X: x, Y: mean})
	s.low, s.high = append(s.low, slices.Min(of)), append(s.high, slices.Max(of))
}

func (s series) draw(p *plot.Plot, legend *plotstyle.Legend) error {
	n := len(s.mean)
	edge := make(plotter.XYs, 2*n)
	for g, v := range s.mean {
		edge[g], edge[2*n-1-g] = plotter.XY{X: v.X, Y: s.low[g]}, plotter.XY{X: v.X, Y: s.high[g]}
	}
	if n > 1 {
		band, err := plotter.NewPolygon(edge)
		if err != nil {
			return err
		}
		band.Color, band.LineStyle.Width = plotstyle.Pale(plotstyle.Colour(s.i)), 0
		p.Add(band)
	}
	return plotstyle.AddCurve(p, legend, s.i, s.name, s.mean)
}

// axis positions the points of a curve.
type axis struct {
	points []inspection.CurvePoint
	named  bool // names, side by side
	log    bool
}

func newAxis(c inspection.Curve) axis {
	a := axis{points: c.Points}
	low, high := math.Inf(1), math.Inf(-1)
	for _, p := range c.Points {
		a.named = a.named || p.Label != ""
		low, high = min(low, p.At), max(high, p.At)
	}
	a.log = !a.named && low > 0 && high >= wideRange*low
	return a
}

func (a axis) position(i int) float64 {
	switch {
	case a.named:
		return float64(i)
	case a.log:
		return math.Log10(a.points[i].At)
	}
	return a.points[i].At
}

func (a axis) label(i int) string {
	if a.points[i].Label != "" {
		return short(a.points[i].Label, levelLetters)
	}
	return numeral.Short(a.points[i].At)
}

// apply sets the ticks of p. The ticks of a logarithmic axis, and of an axis of names, are at the points.
func (a axis) apply(p *plot.Plot) {
	if !a.named && !a.log {
		p.X.Tick.Marker = plotstyle.Round{Most: 9}
		return
	}
	var ticks plot.ConstantTicks
	letters, room := 0, 0.0
	if n := len(a.points); a.log { // leave out labels that would touch
		room = minTicks * math.Abs(a.position(n-1)-a.position(0))
	}
	for i := range a.points {
		label := a.label(i)
		if n := len(ticks); n > 0 && math.Abs(a.position(i)-ticks[n-1].Value) < room {
			continue
		}
		letters += utf8.RuneCountInString(label) + 2
		ticks = append(ticks, plot.Tick{Value: a.position(i), Label: label})
	}
	p.X.Tick.Marker = ticks
	if a.named {
		p.X.Min, p.X.Max = -0.5, float64(len(a.points))-0.5
	}
	if label := &p.X.Tick.Label; letters > settingLine {
		label.Rotation, label.XAlign, label.YAlign = math.Pi/4, text.XRight, text.YTop
	}
}
