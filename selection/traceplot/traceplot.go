// Package traceplot draws the entropies and the scores of a search.Result against the logarithm of the kernel's parameter.
//
//	err := traceplot.Save(regressor.Result(), "search.png")
package traceplot

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/kernelearn/kernelearn/internal/numeral"
	"github.com/kernelearn/kernelearn/internal/plotstyle"
	"github.com/kernelearn/kernelearn/selection/search"
)

// bandLow and bandHigh are the bounds of the shaded band of entropies. Kernels below the band can only underfit, and kernels above
// it can only memorise. Most good models lie in between.
const bandLow, bandHigh = 0.1, 0.5

// width and height are the size of a saved panel.
const width, height = plotstyle.Width, 3.5 * vg.Inch

// Save writes the picture to a file in the format of its extension: .png, .svg, .pdf, .eps, .jpg or .tif. A panel is 8 inches wide
// and 3.5 inches high. It returns the errors of Plots and of writing the file, or an error for an unknown extension.
func Save(r *search.Result, path string) error {
	plots, err := Plots(r)
	if err != nil {
		return err
	}
	return plotstyle.Save("traceplot", path, plots, 1, width, height*vg.Length(len(plots)))
}

// curve holds the rows of a trace that belong to one family and whose scores are comparable.
type curve struct {
	key  search.TraceRow // fields that all its rows have in common
	name string
	rows []search.TraceRow // ascending in the parameter
}

// common returns the fields that rows of one curve have in common.
func common(row search.TraceRow) search.TraceRow {
	out := search.TraceRow{Family: row.Family, Round: row.Round}
	if row.Round > 0 {
		out.Rows = row.Rows
	}
	return out
}

// nameOf returns the family of a row. For finalists it adds how many rows or folds they were scored on.
func nameOf(row search.TraceRow) string {
	switch {
	case row.Round == 0:
		return row.Family
	case row.Basis == search.OnFolds:
		return fmt.Sprintf("%s, %d folds", row.Family, row.ScoredOn)
	}
	return fmt.Sprintf("%s, %d rows", row.Family, row.Rows)
}

// Plots returns a panel of the entropies, with their bounds where they are not exact, and a panel of the scores, both over the same
// parameters. A panel without data is omitted. Each family of a search is one curve. For a family with two parameters, there is a
// curve for each value at which one parameter was fixed. Finalists that were scored on more rows or on folds form further curves. A
// ring marks the choice. For the lengths of a shape.Search, the panel shows the objective over the evaluations, with one curve for
// each scaling of the columns. It returns an error if there is nothing to draw.
func Plots(r *search.Result) ([]*plot.Plot, error) {
	if r == nil || len(r.Trace) == 0 {
		return nil, errors.New("traceplot: the Result has no trace: nothing was searched")
	}
	if r.Values != nil {
		p, err := climbs(r)
		return []*plot.Plot{p}, err
	}
	curves := curvesOf(r)
	if len(curves) == 0 {
		return nil, errors.New("traceplot: no row of the trace has an entropy or a score")
	}
	var out []*plot.Plot
	for _, panel := range []func(*search.Result, []curve) (*plot.Plot, error){entropies, scores} {
		p, err := panel(r, curves)
		if err != nil {
			return nil, err
		}
		if p != nil {
			out = append(out, p)
		}
	}
	out[len(out)-1].X.Label.Text = parameterName(r)
	if numbered(r) { // space for the names
		out[0].X.Min, out[0].X.Max = out[0].X.Min-.5, out[0].X.Max+.5
	}
	for _, p := range out {
		p.X.Min, p.X.Max = out[0].X.Min, out[0].X.Max
	}
	return out, nil
}

func parameterName(r *search.Result) string {
	if numbered(r) {
		return "candidate"
	}
	return "parameter of the kernel"
}

// numbered reports whether the search compared candidates, which have numbers instead of parameters.
func numbered(r *search.Result) bool { return r.IsCandidate() }

// curvesOf divides all traces of the result into curves, including those of other families.
func curvesOf(r *search.Result) (out []curve) {
	traces := [][]search.TraceRow{r.Trace}
	for _, o := range r.Others {
		traces = append(traces, o.Trace)
	}
	for _, trace := range traces {
		for _, row := range trace {
			if math.IsNaN(row.Entropy) && !finite(row.Score) {
				continue
			}
			key := common(row)
			i := slices.IndexFunc(out, func(c curve) bool {
				return c.key.Family == key.Family && c.key.Round == key.Round && c.key.Rows == key.Rows
			})
			if i < 0 {
				i = len(out)
				out = append(out, curve{key: key, name: nameOf(row)})
			}
			out[i].rows = append(out[i].rows, row)
		}
	}
	for _, c := range out {
		slices.SortStableFunc(c.rows, func(a, b search.TraceRow) int { return cmp.Compare(abscissa(a.Point), abscissa(b.Point)) })
	}
	return out
}

func finite(v float64) bool { return v-v == 0 }

// abscissa returns the x coordinate of a point. For a parameter it is the logarithm.
func abscissa(p search.Point) float64 {
	if p.IsCandidate() {
		return float64(p.Candidate)
	}
	return math.Log10(p.Param)
}

// entropies returns the panel of the entropies, or nil if there are none.
func entropies(r *search.Result, curves []curve) (*plot.Plot, error) {
	p, legend := newPanel(r, "Entropy of the kernel matrix", "entropy E")
	p.Y.Min, p.Y.Max = 0, 1
	var drawn bool
	var chosen plotter.XYs
	for i, c := range curves {
		var xys plotter.XYs
		var errs plotter.YErrors
		wide := false
		for _, row := range c.rows {
			if math.IsNaN(row.Entropy) {
				continue
			}
			xys = append(xys, plotter.XY{X: abscissa(row.Point), Y: row.Entropy})
			// Low and High are distances from the point.
			low, high := row.EntropyLow-row.Entropy, row.EntropyHigh-row.Entropy
			errs = append(errs, struct{ Low, High float64 }{low, high})
			wide = wide || high-low > 0.005
		}
		if len(xys) == 0 {
			continue
		}
		drawn = true
		if err := addCurve(p, legend, c, xys, i, len(curves)); err != nil {
			return nil, err
		}
		if wide {
			bars, err := plotter.NewYErrorBars(struct {
				plotter.XYer
				plotter.YErrorer
			}{xys, errs})
			if err != nil {
				return nil, err
			}
			bars.Color = plotstyle.Colour(i)
			p.Add(bars)
		}
	}
	if !drawn {
		return nil, nil
	}
	low, high := p.X.Min, p.X.Max
	band, err := plotter.NewPolygon(plotter.XYs{{X: low, Y: bandLow}, {X: high, Y: bandLow}, {X: high, Y: bandHigh}, {X: low, Y: bandHigh}})
	if err != nil {
		return nil, err
	}
	band.Color, band.LineStyle.Width = plotstyle.Pale(plotstyle.Grey), 0
	p.Add(band)
	legend.Add("0.1 to 0.5, where good kernels mostly lie", band)
	if row, ok := chosenRow(r); ok && finite(r.Entropy) {
		chosen = plotter.XYs{{X: abscissa(row.Point), Y: r.Entropy}}
		p.Title.Text += unusual(r.Entropy)
	}
	return p, addChoice(p, legend, "chosen: "+numeral.Rounded(r.Choice()), chosen)
}

// unusual returns a line for the title that explains an entropy outside the band.
func unusual(entropy float64) string {
	switch {
	case entropy < bandLow:
		return "\nThe choice is below the band: the target is smooth, and wide kernels score best."
	case entropy > bandHigh:
		return "\nThe choice is above the band: the target changes over short distances."
	}
	return ""
}

// scores returns the panel of the scores, or nil if there are none.
func scores(r *search.Result, curves []curve) (*plot.Plot, error) {
	better := "less is better"
	if r.LargerIsBetter {
		better = "more is better"
	}
	p, legend := newPanel(r, fmt.Sprintf("%s (%s)", r.ScoreName, better), "score")
	var all []float64
	for i, c := range curves {
		var xys plotter.XYs
		for _, row := range c.rows {
			if finite(row.Score) {
				xys = append(xys, plotter.XY{X: abscissa(row.Point), Y: row.Score})
				all = append(all, row.Score)
			}
		}
		if len(xys) == 0 {
			continue
		}
		if err := addCurve(p, legend, c, xys, i, len(curves)); err != nil {
			return nil, err
		}
	}
	if len(all) == 0 {
		return nil, nil
	}
	focus(p, r, all)
	var chosen plotter.XYs
	// The curve shows the best score of each kernel. The chosen ridge may have another score, which is not on the curve.
	if row, ok := chosenRow(r); ok && finite(row.Score) {
		chosen = plotter.XYs{{X: abscissa(row.Point), Y: row.Score}}
	}
	return p, addChoice(p, legend, "chosen: "+numeral.Rounded(r.Choice()), chosen)
}

// chosenRow returns the row of the choice. For a family with two parameters, it is on the last searched line that improved the
// score.
func chosenRow(r *search.Result) (search.TraceRow, bool) {
	for i := len(r.Trace) - 1; i >= 0; i-- {
		row := r.Trace[i]
		if row.Chosen && (row.Score == r.Score || row.Param == r.Param) {
			return row, true
		}
	}
	return search.TraceRow{}, false
}

// focus limits the panel to the better half of the scores. The worst scores are so much larger that they would flatten the others.
func focus(p *plot.Plot, r *search.Result, all []float64) {
	slices.Sort(all)
	low, high := all[0], all[len(all)-1]
	middle := all[len(all)/2]
	if r.LargerIsBetter {
		low = max(low, high-3*(high-middle))
	} else {
		high = min(high, low+3*(middle-low))
	}
	room := 0.05 * (high - low)
	if room == 0 {
		room = 0.05*math.Abs(high) + 1e-3
	}
	if p.Y.Min, p.Y.Max = low-room, high+room; low >= 0 {
		p.Y.Min = max(p.Y.Min, 0) // errors are not negative
	}
}

func newPanel(r *search.Result, title, y string) (*plot.Plot, *plotstyle.Legend) {
	p := plotstyle.New(title, "", y)
	switch {
	case !numbered(r):
		p.X.Tick.Marker = plotstyle.Logs{}
	default:
		p.X.Tick.Marker = candidates(r)
		p.X.Tick.Label.Rotation = namesAngle
		p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = text.XRight, text.YCenter
	}
	legend := &plotstyle.Legend{}
	p.Add(legend)
	return p, legend
}

// namesAngle is the angle in radians by which the candidates' names are rotated, because some are long.
const namesAngle = math.Pi / 6

// mostNamed is the largest number of candidates that are all named at the axis. If there are more, only some are named.
const mostNamed = 24

// candidates returns ticks with the names of the candidates. Candidates without names are numbered.
func candidates(r *search.Result) plot.ConstantTicks {
	var out plot.ConstantTicks
	largest := 0
	for _, row := range r.Trace {
		largest = max(largest, row.Candidate)
	}
	every := largest/mostNamed + 1
	seen := map[int]bool{}
	for _, row := range r.Trace {
		if !row.IsCandidate() || seen[row.Candidate] || row.Candidate%every != 0 {
			continue
		}
		seen[row.Candidate] = true
		label := row.Name
		if label == "" {
			label = strconv.Itoa(row.Candidate)
		}
		out = append(out, plot.Tick{Value: float64(row.Candidate), Label: label})
	}
	return out
}

func addCurve(p *plot.Plot, legend *plotstyle.Legend, c curve, xys plotter.XYs, i, of int) error {
	name := numeral.Rounded(c.name)
	if of == 1 {
		name = ""
	}
	return plotstyle.AddCurve(p, legend, i, name, xys)
}

func addChoice(p *plot.Plot, legend *plotstyle.Legend, name string, chosen plotter.XYs) error {
	if len(chosen) == 0 {
		return nil
	}
	ring, err := plotter.NewScatter(chosen)
	if err != nil {
		return err
	}
	ring.Color, ring.Shape, ring.Radius = plotstyle.Black, draw.RingGlyph{}, vg.Points(6)
	p.Add(ring)
	legend.Add(name, ring)
	return nil
}
