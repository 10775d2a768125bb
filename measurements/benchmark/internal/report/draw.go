package report

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/kernelearn/kernelearn/internal/picture"
	"github.com/kernelearn/kernelearn/internal/plotstyle"

	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/methods"
	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/standings"
)

// styles holds the colours and marks of the sources.
var styles = map[string]struct {
	colour color.NRGBA
	mark   draw.GlyphDrawer
}{
	methods.OursSource:    {plotstyle.Blue, draw.CircleGlyph{}},
	methods.GolearnSource: {plotstyle.Vermillion, draw.PyramidGlyph{}},
	methods.SklearnSource: {plotstyle.Green, draw.BoxGlyph{}},
	methods.KernlabSource: {plotstyle.Purple, plotstyle.Diamond{}},
	methods.BoosterSource: {plotstyle.Orange, draw.SquareGlyph{}},
	methods.TorchSource:   {plotstyle.Sky, draw.RingGlyph{}},
}

func markOf(source string, radius float64) draw.GlyphStyle {
	style := styles[source]
	return draw.GlyphStyle{Color: style.colour, Shape: style.mark, Radius: vg.Points(radius)}
}

// legendOf returns a legend of the sources that are present.
func legendOf(there func(source string) bool) *plotstyle.Legend {
	legend := &plotstyle.Legend{}
	for _, source := range methods.Sources {
		if there(source) {
			legend.Add(source, &plotter.Scatter{GlyphStyle: markOf(source, 4)})
		}
	}
	return legend
}

// draw writes the pictures.
func (r *Report) draw(folder string) error {
	for _, a := range r.Analyses {
		if err := drawRanks(a, filepath.Join(folder, pictureName(a.Criterion, "ranks"))); err != nil {
			return err
		}
		if a.First() {
			if err := drawBest(a, filepath.Join(folder, pictureName(a.Criterion, "bars"))); err != nil {
				return err
			}
			if err := r.drawFronts(filepath.Join(folder, pictureName(a.Criterion, "front")), a.Criterion); err != nil {
				return err
			}
		}
	}
	if r.Growth != nil {
		return r.drawGrowth(filepath.Join(folder, GrowthPicture))
	}
	if err := r.drawOverview(folder); err != nil {
		return err
	}
	if err := r.drawProfiles(filepath.Join(folder, profilesPicture)); err != nil {
		return err
	}
	return r.drawRelations(filepath.Join(folder, relationsPicture))
}

const GrowthPicture = "growth.png"

// pictureName returns the file name of a kind of picture for a criterion.
func pictureName(c standings.Criterion, kind string) string {
	return kind + "-" + strings.ReplaceAll(strings.ToLower(c.Name), " ", "") + c.Suffix("-") + ".png"
}

// drawRanks draws the critical-difference diagram (Demšar 2006).
func drawRanks(a standings.Analysis, path string) error {
	shown := a.Ranked()
	d := ranksDiagram{methods: shown}
	title := fmt.Sprintf("Mean ranks by %s of %d methods on %d sets", a.Name, len(a.Methods), len(a.Sets))
	if len(shown) < len(a.Methods) {
		title += fmt.Sprintf(": the %d best, and the best of each source", standings.MostRanked)
	}
	if a.CriticalDifference != nil {
		d.critical = *a.CriticalDifference
		d.groups = cliques(shown, d.critical)
		title += "\nA bar joins methods whose mean ranks do not differ significantly (Nemenyi's test, level 0.05)."
	}
	p := plotstyle.New(title, "", "")
	p.HideAxes()
	p.X.Padding, p.Y.Padding = 0, 0
	p.Add(d)
	legend := legendOf(func(source string) bool {
		return slices.ContainsFunc(shown, func(m standings.Standing) bool { return m.Source == source })
	})
	return picture.Write(path, legend, []*plot.Plot{p}, 1, d.height()+0.65*vg.Inch)
}

// cliques returns the largest groups of methods whose mean ranks differ by less than the critical difference. A group is described
// by the indices of its first and last method.
func cliques(methods []standings.Standing, critical float64) (out [][2]int) {
	last := -1
	for i := range methods {
		j := i
		for j+1 < len(methods) && methods[j+1].MeanRank-methods[i].MeanRank < critical {
			j++
		}
		if j > i && j > last {
			out, last = append(out, [2]int{i, j}), j
		}
	}
	return out
}

// ranksDiagram plots ranks as an axis, a bar below it for each group, and a line from each method's rank to its name. The names of
// the better half are on the left.
type ranksDiagram struct {
	methods  []standings.Standing
	critical float64 // 0 to omit it
	groups   [][2]int
}

const (
	rankLine  = 17 // distance of names in points
	groupLine = 7  // distance of bars
	rankScale = 34 // height of the critical difference above the axis
	rankNames = 2.1 * vg.Inch
)

func (d ranksDiagram) rows() int { return (len(d.methods) + 1) / 2 }

func (d ranksDiagram) height() vg.Length {
	return vg.Points(rankScale + 30 + groupLine*float64(len(d.groups)+1) + rankLine*(float64(d.rows())+0.5))
}

// axis returns the range of the axis. It contains the ranks of the methods and the critical difference.
func (d ranksDiagram) axis() (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, m := range d.methods {
		low, high = min(low, m.MeanRank), max(high, m.MeanRank)
	}
	low, high = math.Floor(low), math.Ceil(high)
	return low, max(high, math.Ceil(low+d.critical), low+1)
}

// Plot implements plot.Plotter.
func (d ranksDiagram) Plot(c draw.Canvas, _ *plot.Plot) {
	low, high := d.axis()
	left, right := c.Min.X+rankNames, c.Max.X-rankNames
	x := func(rank float64) vg.Length { return left + (right-left)*vg.Length((rank-low)/(high-low)) }
	axis := c.Max.Y - vg.Points(rankScale+16)
	thin, bar := draw.LineStyle{Color: plotstyle.Dark, Width: vg.Points(0.8)}, draw.LineStyle{Color: plotstyle.Dark, Width: vg.Points(3)}
	words := draw.TextStyle{Color: plotstyle.Black, Font: plotstyle.Font(plotstyle.TickSize), XAlign: draw.XCenter, YAlign: draw.YBottom,
		Handler: plot.DefaultTextHandler}
	c.StrokeLine2(thin, left, axis, right, axis)
	for _, tick := range (plotstyle.Round{}).Ticks(low, high) {
		c.StrokeLine2(thin, x(tick.Value), axis, x(tick.Value), axis+vg.Points(4))
		c.FillText(words, vg.Point{X: x(tick.Value), Y: axis + vg.Points(5)}, tick.Label)
	}
	if d.critical > 0 {
		at, end := c.Max.Y-vg.Points(14), x(low+d.critical)
		c.StrokeLine2(thin, left, at, end, at)
		for _, cap := range []vg.Length{left, end} {
			c.StrokeLine2(thin, cap, at-vg.Points(3), cap, at+vg.Points(3))
		}
		c.FillText(words, vg.Point{X: (left + end) / 2, Y: at + vg.Points(2)}, fmt.Sprintf("critical difference %.1f", d.critical))
	}
	for i, g := range d.groups {
		at := axis - vg.Points(groupLine*float64(i+1))
		c.StrokeLine2(bar, x(d.methods[g[0]].MeanRank)-2, at, x(d.methods[g[1]].MeanRank)+2, at)
	}
	first := axis - vg.Points(groupLine*float64(len(d.groups)+1)+rankLine)
	for i, m := range d.methods {
		row, edge, mark := i, left-vg.Points(8), left-vg.Points(14)
		words.XAlign = draw.XRight
		text := mark - vg.Points(8)
		if i >= d.rows() { // the worst comes first, so that lines do not cross
			row, edge, mark = len(d.methods)-1-i, right+vg.Points(8), right+vg.Points(14)
			words.XAlign, text = draw.XLeft, mark+vg.Points(8)
		}
		y := first - vg.Points(rankLine*float64(row))
		if i >= d.rows() { // placed between those on the left, because equal ranks would merge two lines
			y += vg.Points(rankLine / 2)
		}
		c.StrokeLines(thin, []vg.Point{{X: x(m.MeanRank), Y: axis}, {X: x(m.MeanRank), Y: y}, {X: edge, Y: y}})
		c.DrawGlyph(markOf(m.Source, 4), vg.Point{X: mark, Y: y})
		words.YAlign = draw.YCenter
		c.FillText(words, vg.Point{X: text, Y: y + words.FontExtents().Descent*0.5}, fmt.Sprintf("%s  %.1f", m.Method, m.MeanRank))
	}
}

// drawBest draws a row for each set, ordered by the smallest error, with a mark for the smallest error of each source.
func drawBest(a standings.Analysis, path string) error {
	rows := slices.Clone(a.Best)
	least := func(b standings.SetBests) float64 {
		out := math.Inf(1)
		for _, s := range b.Sources {
			if s.Method != "" {
				out = min(out, s.Error)
			}
		}
		return out
	}
	slices.SortStableFunc(rows, func(x, y standings.SetBests) int { return cmp.Compare(least(y), least(x)) }) // from the bottom up
	p := plotstyle.New(fmt.Sprintf("Least %s of each source on %d sets, %s", a.Name, len(rows), a.Task), a.Name, "")
	names := make([]string, len(rows))
	for i, b := range rows {
		names[i] = b.Set
	}
	present := func(source string) bool {
		return slices.ContainsFunc(rows, func(b standings.SetBests) bool { return b.Sources[source].Method != "" })
	}
	for i, source := range methods.Sources {
		var xys plotter.XYs
		for at, b := range rows {
			if s := b.Sources[source]; s.Method != "" {
				// The marks of a set are slightly apart so that equal errors do not overlap.
				xys = append(xys, plotter.XY{X: s.Error, Y: float64(at) + 0.17*(float64(len(methods.Sources)-1)/2-float64(i))})
			}
		}
		if len(xys) == 0 {
			continue
		}
		marks, err := plotter.NewScatter(xys)
		if err != nil {
			return err
		}
		marks.GlyphStyle = markOf(source, 3.4)
		p.Add(marks)
	}
	p.NominalY(names...)
	plotstyle.FromZero(&p.X)
	p.X.Padding, p.Y.Min, p.Y.Max = 0, -0.6, float64(len(rows))-0.4
	return picture.Write(path, legendOf(present), []*plot.Plot{p}, 1, 0.22*vg.Inch*vg.Length(len(rows))+1.1*vg.Inch)
}

// mostFronts is the largest number of sets that have a panel of their own.
const mostFronts = 6

// shownFronts returns the fronts of the sets with the longest median time of their methods, in descending order. The tables contain
// all fronts.
func (r *Report) shownFronts(c standings.Criterion) (out []standings.Front) {
	for _, f := range r.Fronts {
		if f.Is(c) {
			out = append(out, f)
		}
	}
	slices.SortStableFunc(out, func(a, b standings.Front) int { return cmp.Compare(b.MedianSeconds(), a.MedianSeconds()) })
	return out[:min(len(out), mostFronts)]
}

// drawFronts draws error against seconds, with a panel for each of a few sets.
func (r *Report) drawFronts(path string, c standings.Criterion) error {
	return drawPanels(path, r.shownFronts(c), 3.2*vg.Inch)
}

// drawPanels draws fronts side by side, with a legend of their sources above. Without fronts it draws nothing.
func drawPanels(path string, fronts []standings.Front, high vg.Length) error {
	if len(fronts) == 0 {
		return nil
	}
	var panels []*plot.Plot
	seen := map[string]bool{}
	for _, f := range fronts {
		p, err := panel(f)
		if err != nil {
			return err
		}
		panels = append(panels, p)
		for _, q := range f.Points {
			seen[q.Source] = true
		}
	}
	columns := min(2, len(panels))
	picture.Inner(panels, columns)
	legend := legendOf(func(source string) bool { return seen[source] })
	legend.Add("front", &plotter.Line{LineStyle: frontLine})
	return picture.Write(path, legend, panels, columns, high)
}

var frontLine = draw.LineStyle{Color: plotstyle.Grey, Width: vg.Points(1)}

// panel draws the front as a line. It names the methods on the front and the best method of each source.
func panel(f standings.Front) (*plot.Plot, error) {
	p := plotstyle.New(f.Set, "seconds of fit and prediction", f.Name)
	p.X.Tick.Marker, p.Y.Tick.Marker = plotstyle.Logs{Most: 6}, plotstyle.Round{Most: 6}
	shown := func(e float64) float64 { return e }
	if f.Ratios {
		p.Y.Tick.Marker, shown = plotstyle.Logs{Most: 6}, math.Log10
	}
	lo, top, hi := f.Spread()
	// Errors far above the front would compress the others.
	ceiling := min(hi, lo+2*(top-lo)+0.25*f.Median())
	height := max(shown(ceiling)-shown(lo), 1e-9)
	p.Y.Min, p.Y.Max = shown(lo)-0.12*height, shown(ceiling)+0.03*height
	if !f.Ratios { // the logarithm of a ratio may be negative
		p.Y.Min = max(p.Y.Min, 0)
	}
	line := steps(f)
	for i := range line {
		line[i].Y = shown(line[i].Y)
	}
	drawn, err := plotter.NewLine(line)
	if err != nil {
		return nil, err
	}
	drawn.LineStyle = frontLine
	p.Add(drawn)
	names := plotstyle.Labels{Size: 9}
	for _, source := range methods.Sources {
		best, _ := f.BestOf(source)
		var xys plotter.XYs
		for _, q := range f.Points {
			if q.Source != source {
				continue
			}
			xy := plotter.XY{X: ofSeconds(q.Seconds), Y: shown(min(q.Error, ceiling))}
			if xys = append(xys, xy); q.OnFront || q == best {
				names.XYs, names.Labels = append(names.XYs, xy), append(names.Labels, q.Method)
			} else {
				names.Avoid = append(names.Avoid, xy)
			}
		}
		if len(xys) == 0 {
			continue
		}
		marks, err := plotter.NewScatter(xys)
		if err != nil {
			return nil, err
		}
		marks.GlyphStyle = markOf(source, 3)
		p.Add(marks)
	}
	p.Add(names)
	p.X.Min, p.X.Max = p.X.Min-0.1, p.X.Max+0.1
	return p, nil
}

// steps returns the points of the line that draws the front.
func steps(f standings.Front) (line plotter.XYs) {
	for _, q := range f.Points {
		if !q.OnFront {
			continue
		}
		x := ofSeconds(q.Seconds)
		if len(line) > 0 {
			line = append(line, plotter.XY{X: x, Y: line[len(line)-1].Y})
		}
		line = append(line, plotter.XY{X: x, Y: q.Error})
	}
	return line
}

// leastShown replaces the seconds that a coarse clock reports as 0, such as the clock of R, whose unit is a millisecond. It is
// smaller than all other times, so that the front stays in order.
const leastShown = 1e-5

// ofSeconds returns the position of seconds on a logarithmic axis.
func ofSeconds(seconds float64) float64 { return math.Log10(max(seconds, leastShown)) }

// drawGrowth draws the seconds of the fits against the numbers of rows. Each panel shows a few methods of one source.
func (r *Report) drawGrowth(path string) error {
	var panels []*plot.Plot
	for _, source := range methods.Sources {
		methods := r.grown(source)
		parts := (len(methods) + plotstyle.MaxCurves - 1) / plotstyle.MaxCurves
		for part := range parts {
			p, err := growthPanel(methods[part*len(methods)/parts : (part+1)*len(methods)/parts])
			if err != nil {
				return err
			}
			if p.Title.Text = source; parts > 1 {
				p.Title.Text += fmt.Sprintf(", %d of %d", part+1, parts)
			}
			panels = append(panels, p)
		}
	}
	if len(panels) == 0 {
		return nil
	}
	// All panels have the same axes, so that they can be compared.
	low, high := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	for _, p := range panels {
		for i, axis := range []*plot.Axis{&p.X, &p.Y} {
			low[i], high[i] = min(low[i], axis.Min), max(high[i], axis.Max)
		}
	}
	for _, p := range panels {
		p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = low[0], high[0], low[1], high[1]
	}
	columns := min(2, len(panels))
	picture.Inner(panels, columns)
	return picture.Write(path, nil, panels, columns, 3.1*vg.Inch)
}

// grownMethod holds the numbers of rows and the seconds of a method's fits, both as logarithms.
type grownMethod struct {
	name string
	xys  plotter.XYs
}

// grown returns the methods of a source, in descending order of their largest number of rows. Methods with the same number are in
// ascending order of the seconds for it.
func (r *Report) grown(source string) (out []grownMethod) {
	for _, g := range r.Growth {
		if g.Source != source {
			continue
		}
		m := grownMethod{name: g.Method}
		for _, d := range r.Sets {
			if s, ok := r.SummaryOn(d.Set, g.Method); ok && s.FitSeconds != nil && *s.FitSeconds > 0 {
				m.xys = append(m.xys, plotter.XY{X: math.Log10(float64(d.TrainRows)), Y: ofSeconds(*s.FitSeconds)})
			}
		}
		if len(m.xys) > 0 {
			out = append(out, m)
		}
	}
	last := func(m grownMethod) plotter.XY { return m.xys[len(m.xys)-1] }
	slices.SortStableFunc(out, func(a, b grownMethod) int {
		return cmp.Or(cmp.Compare(last(b).X, last(a).X), cmp.Compare(last(a).Y, last(b).Y))
	})
	return out
}

// growthPanel draws the curves of at most plotstyle.MaxCurves methods.
func growthPanel(methods []grownMethod) (*plot.Plot, error) {
	p := plotstyle.New("", "training rows", "seconds of a fit")
	p.X.Tick.Marker, p.Y.Tick.Marker = plotstyle.Logs{Most: 5}, plotstyle.Logs{Most: 6}
	legend := &plotstyle.Legend{Wide: 3.2 * vg.Inch}
	p.Add(legend)
	for i, m := range methods {
		if err := plotstyle.AddCurve(p, legend, i, m.name, m.xys); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// drawOverview draws a panel for each collection and task.
func (r *Report) drawOverview(folder string) error {
	var fronts []standings.Front
	for _, o := range r.Overviews {
		if !o.First() || len(o.Points) == 0 {
			continue
		}
		f := standings.Front{Criterion: standings.Criterion{Name: "median error over the least"}, Set: o.Named(o.Name), Ratios: true}
		for _, q := range o.Points {
			f.Points = append(f.Points, standings.Point{Method: q.Method, Source: q.Source, Seconds: q.Seconds, Error: q.Error,
				OnFront: q.OnFront})
		}
		fronts = append(fronts, f)
	}
	return drawPanels(filepath.Join(folder, OverviewPicture), fronts, 3.6*vg.Inch)
}

const profilesPicture = "profiles.png"

// drawProfiles draws a panel for each collection and task. The curve of a method is the share of the sets on which its error is near
// the smallest, within the seconds on the axis.
func (r *Report) drawProfiles(path string) error {
	var panels []*plot.Plot
	for _, o := range r.Overviews {
		shown := o.Profiled(plotstyle.MaxCurves)
		if !o.First() || len(shown) == 0 {
			continue
		}
		p := plotstyle.New(o.Named(o.Name), "seconds of fit and prediction", "share of the sets")
		p.X.Tick.Marker, p.Y.Tick.Marker = plotstyle.Logs{Most: 6}, plotstyle.Round{Most: 6}
		legend := &plotstyle.Legend{}
		p.Add(legend)
		begin, last := math.Inf(1), math.Inf(-1)
		for _, q := range shown {
			for _, s := range q.Near {
				begin, last = min(begin, ofSeconds(s)), max(last, ofSeconds(s))
			}
		}
		if math.IsInf(last, -1) { // no curve leaves 0
			continue
		}
		for i, q := range shown {
			line, err := plotter.NewLine(profile(q.Near, q.Sets, begin, last))
			if err != nil {
				return err
			}
			line.LineStyle = plotstyle.Line(i)
			p.Add(line)
			legend.Add(q.Method, line)
		}
		p.Y.Min, p.Y.Max = 0, 1
		panels = append(panels, p)
	}
	if len(panels) == 0 {
		return nil
	}
	return picture.Write(path, nil, panels, 1, 2.8*vg.Inch) // a single column, as the names are long
}

// profile returns the steps of a curve from begin to last that reaches i/n at the i-th of the seconds.
func profile(seconds []float64, n int, begin, last float64) plotter.XYs {
	out := plotter.XYs{{X: begin}}
	for i, s := range seconds {
		x := ofSeconds(s)
		out = append(out, plotter.XY{X: x, Y: float64(i) / float64(n)}, plotter.XY{X: x, Y: float64(i+1) / float64(n)})
	}
	return append(out, plotter.XY{X: last, Y: float64(len(seconds)) / float64(n)})
}
