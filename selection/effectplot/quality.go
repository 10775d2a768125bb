package effectplot

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/kernelearn/kernelearn/internal/plotstyle"
	"github.com/kernelearn/kernelearn/selection/metrics"
)

const (
	squareHeight = 5.5 * vg.Inch
	squareWidth  = 5.7 * vg.Inch // makes the data area square
	legendWidth  = 2.5 * vg.Inch // above the data, narrow enough for panels side by side
	curveLetters = 28
	maxCurves    = 12
	defaultLevel = 0.95
)

// SaveROC writes the picture of ROC to a file. The extension of path selects the format: .png, .svg, .pdf, .eps, .jpg or .tif. The
// picture is 5.7 inches wide and 5.5 high. The legend is in the corner where it covers the least of the curves. It returns the
// errors of ROC and of the file system, or an error for any other extension.
func SaveROC(curves []metrics.ROCCurve, names []string, path string) error {
	p, legend, err := roc(curves, names)
	return legend.save(p, path, err)
}

// ROC returns a panel of at most twelve curves with their areas, and the diagonal of a random classifier. Names, one per curve,
// appear in the legend; nil: "class" and its number. It returns an error if there is nothing to draw, or if the number of names is
// wrong.
func ROC(curves []metrics.ROCCurve, names []string) (*plot.Plot, error) {
	p, legend, err := roc(curves, names)
	return legend.panel(p, err)
}

func roc(curves []metrics.ROCCurve, names []string) (*plot.Plot, *curveLegend, error) {
	p, legend := square("false positive rate", "true positive rate")
	names, err := namesOf("ROC curves", len(curves), names, func(i int) int { return curves[i].Class })
	if err != nil {
		return nil, nil, err
	}
	if err := diagonal(p, legend, "chance"); err != nil {
		return nil, nil, err
	}
	for i, c := range curves {
		if len(c.FalsePositive) == 0 || len(c.FalsePositive) != len(c.TruePositive) {
			return nil, nil, fmt.Errorf("effectplot: the ROC curve %q has %d and %d shares", names[i], len(c.FalsePositive),
				len(c.TruePositive))
		}
		line := make(plotter.XYs, len(c.FalsePositive))
		for g := range line {
			line[g] = plotter.XY{X: c.FalsePositive[g], Y: c.TruePositive[g]}
		}
		if err := addLine(p, legend, line, i, plotter.NoStep, fmt.Sprintf("%s, area %.3f", names[i], c.Area)); err != nil {
			return nil, nil, err
		}
	}
	return p, legend, nil
}

// SavePrecisionRecall writes the picture of PrecisionRecall to a file, as SaveROC does.
func SavePrecisionRecall(curves []metrics.PrecisionRecallCurve, names []string, path string) error {
	p, legend, err := precisionRecall(curves, names)
	return legend.save(p, path, err)
}

// PrecisionRecall returns a panel of at most twelve step curves with their average precisions, which are the areas below them. A
// single curve has the line of a random classifier as well. Names and errors are as in ROC.
func PrecisionRecall(curves []metrics.PrecisionRecallCurve, names []string) (*plot.Plot, error) {
	p, legend, err := precisionRecall(curves, names)
	return legend.panel(p, err)
}

func precisionRecall(curves []metrics.PrecisionRecallCurve, names []string) (*plot.Plot, *curveLegend, error) {
	p, legend := square("recall", "precision")
	names, err := namesOf("precision-recall curves", len(curves), names, func(i int) int { return curves[i].Class })
	if err != nil {
		return nil, nil, err
	}
	for i, c := range curves {
		if len(c.Recall) == 0 || len(c.Recall) != len(c.Precision) {
			return nil, nil, fmt.Errorf("effectplot: the curve %q has %d recalls and %d precisions", names[i], len(c.Recall),
				len(c.Precision))
		}
		// Up to the recall of a point, the precision is that of the point.
		line := make(plotter.XYs, 0, len(c.Recall)+1)
		line = append(line, plotter.XY{X: 0, Y: c.Precision[0]})
		for g := range c.Recall {
			line = append(line, plotter.XY{X: c.Recall[g], Y: c.Precision[g]})
		}
		if err := addLine(p, legend, line, i, plotter.PreStep, fmt.Sprintf("%s, average precision %.3f (chance %.3f)", names[i],
			c.AveragePrecision, c.Base)); err != nil {
			return nil, nil, err
		}
	}
	if len(curves) == 1 {
		chance, err := plotter.NewLine(plotter.XYs{{X: 0, Y: curves[0].Base}, {X: 1, Y: curves[0].Base}})
		if err != nil {
			return nil, nil, err
		}
		chance.LineStyle = chanceLine
		p.Add(chance)
		legend.Add("chance", chance)
	}
	return p, legend, nil
}

// SaveReliability writes the picture of Reliability to a file, as SaveROC does.
func SaveReliability(bins [][]metrics.Bin, names []string, level float64, path string) error {
	p, legend, err := reliability(bins, names, level)
	return legend.save(p, path, err)
}

// Reliability returns a panel of at most twelve reliability diagrams. A diagram shows the frequency of the class against the mean
// probability in each bin of metrics.Calibration, with the interval of metrics.Bin.Interval at a level (0: 0.95). The panel also
// shows the expected calibration error (ECE) and the diagonal of exact probabilities. Names, one per diagram, appear in the legend;
// they may be nil for a single one. It returns the errors of ROC, and ErrParam for an invalid level.
func Reliability(bins [][]metrics.Bin, names []string, level float64) (*plot.Plot, error) {
	p, legend, err := reliability(bins, names, level)
	return legend.panel(p, err)
}

func reliability(bins [][]metrics.Bin, names []string, level float64) (*plot.Plot, *curveLegend, error) {
	if level == 0 {
		level = defaultLevel
	}
	if names == nil && len(bins) == 1 {
		names = []string{"probabilities"}
	}
	p, legend := square("mean predicted probability", fmt.Sprintf("observed frequency, with %.3g%% intervals", 100*level))
	names, err := namesOf("bins", len(bins), names, nil)
	if err != nil {
		return nil, nil, err
	}
	if err := diagonal(p, legend, "perfect calibration"); err != nil {
		return nil, nil, err
	}
	for i, group := range bins {
		if len(group) == 0 {
			return nil, nil, fmt.Errorf("effectplot: %q has no bins", names[i])
		}
		points := make(binned, len(group))
		for g, b := range group {
			low, high, err := b.Interval(level)
			if err != nil {
				return nil, nil, err
			}
			points[g] = [4]float64{b.Mean, b.Frequency, low, high}
		}
		bars, err := plotter.NewYErrorBars(points)
		if err != nil {
			return nil, nil, err
		}
		bars.Color, bars.Width, bars.CapWidth = plotstyle.Colour(i), vg.Points(0.9), vg.Points(4)
		p.Add(bars)
		line := make(plotter.XYs, len(group))
		for g, b := range group {
			line[g] = plotter.XY{X: b.Mean, Y: b.Frequency}
		}
		if err := addLine(p, legend, line, i, plotter.NoStep,
			fmt.Sprintf("%s, ECE %.3f", names[i], metrics.CalibrationError(group))); err != nil {
			return nil, nil, err
		}
		dots, err := plotter.NewScatter(line)
		if err != nil {
			return nil, nil, err
		}
		dots.GlyphStyle = plotstyle.Mark(i)
		p.Add(dots)
	}
	return p, legend, nil
}

// binned provides points with their intervals as error bars.
type binned [][4]float64

func (r binned) Len() int                { return len(r) }
func (r binned) XY(g int) (x, y float64) { return r[g][0], r[g][1] }
func (r binned) YError(g int) (low, high float64) {
	return r[g][2] - r[g][1], r[g][3] - r[g][1]
}

// curveLegend is a legend above the data of a panel, or among the curves of a separate picture.
type curveLegend struct {
	plotstyle.Legend
	curves []plotter.XYs
}

// panel returns a panel with the legend above it.
func (l *curveLegend) panel(p *plot.Plot, err error) (*plot.Plot, error) {
	if err != nil {
		return nil, err
	}
	p.Add(&l.Legend)
	return p, nil
}

// save writes a picture of one panel with the legend inside.
func (l *curveLegend) save(p *plot.Plot, path string, err error) error {
	if err != nil {
		return err
	}
	l.Inside = l.curves
	p.Add(&l.Legend) // drawn on top of the curves
	return plotstyle.Save("effectplot", path, []*plot.Plot{p}, 1, squareWidth, squareHeight)
}

// square returns a plot with both axes from 0 to 1, and its legend.
func square(x, y string) (*plot.Plot, *curveLegend) {
	p := plotstyle.New("", x, y)
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1, 0, 1
	return p, &curveLegend{Legend: plotstyle.Legend{Wide: legendWidth}}
}

var chanceLine = draw.LineStyle{Color: plotstyle.Grey, Width: vg.Points(1), Dashes: []vg.Length{vg.Points(3), vg.Points(3)}}

func diagonal(p *plot.Plot, legend *curveLegend, name string) error {
	line, err := plotter.NewLine(plotter.XYs{{X: 0, Y: 0}, {X: 1, Y: 1}})
	if err != nil {
		return err
	}
	line.LineStyle = chanceLine
	p.Add(line)
	legend.Add(name, line)
	legend.curves = append(legend.curves, line.XYs)
	return nil
}

func addLine(p *plot.Plot, legend *curveLegend, at plotter.XYs, i int, step plotter.StepKind, name string) error {
	line, err := plotter.NewLine(at)
	if err != nil {
		return err
	}
	line.LineStyle, line.StepStyle = plotstyle.Line(i), step
	p.Add(line)
	legend.Add(name, line)
	legend.curves = append(legend.curves, line.XYs)
	return nil
}

// namesOf returns a name for each of n curves.
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
