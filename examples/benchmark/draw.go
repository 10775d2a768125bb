package main

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/kernelearn/kernelearn/examples/internal/picture"
)

// Colours and marks of the sources, apart for the colour-blind and in grey.
var looks = map[string]struct {
	colour color.Color
	mark   draw.GlyphDrawer
}{
	oursSource:    {color.NRGBA{R: 0x1b, G: 0x5e, B: 0xa8, A: 0xff}, draw.CircleGlyph{}},
	golearnSource: {color.NRGBA{R: 0xd9, G: 0x6c, B: 0x06, A: 0xff}, draw.PyramidGlyph{}},
	sklearnSource: {color.NRGBA{R: 0x2a, G: 0x8a, B: 0x50, A: 0xff}, draw.BoxGlyph{}},
	kernlabSource: {color.NRGBA{R: 0x98, G: 0x3a, B: 0x8e, A: 0xff}, draw.CrossGlyph{}},
}

// draw writes the pictures.
func (r *report) draw(folder string) error {
	for _, a := range r.Analyses {
		if err := a.drawRanks(filepath.Join(folder, a.picture("ranks"))); err != nil {
			return err
		}
		if a.first() {
			if err := a.drawBars(filepath.Join(folder, a.picture("bars"))); err != nil {
				return err
			}
			if err := r.drawFronts(filepath.Join(folder, a.picture("front")), a.criterion); err != nil {
				return err
			}
		}
	}
	if r.Growth != nil {
		return r.drawGrowth(filepath.Join(folder, growthPicture))
	}
	return nil
}

const growthPicture = "growth.png"

// picture is a file's name.
func (c criterion) picture(kind string) string {
	return kind + "-" + strings.ReplaceAll(strings.ToLower(c.Name), " ", "") + c.suffix("-") + ".png"
}

// first says whether it is the first criterion of its task.
func (c criterion) first() bool {
	i := slices.IndexFunc(criteria, func(o criterion) bool { return o.Task == c.Task })
	return criteria[i].Name == c.Name
}

func newPlot(title string) *plot.Plot {
	p := plot.New()
	p.Title.Text = title
	p.Title.Padding = vg.Points(4)
	p.Legend.Padding = vg.Millimeter
	p.Legend.TextStyle.Font.Size = font.Points(9)
	p.Add(plotter.NewGrid())
	return p
}

// drawRanks is the critical-difference diagram (Demšar 2006) with a row for each method,
// as many do not fit side by side: the mean rank, and on the right a bar along the
// methods that do not differ.
func (a analysis) drawRanks(path string) error {
	k := len(a.Methods)
	title := fmt.Sprintf("Mean ranks by %s, %s, sets: %d", a.Name, a.Task, len(a.Sets))
	if a.CriticalDifference != nil {
		title += fmt.Sprintf("; critical difference %.2f", *a.CriticalDifference)
	}
	p := newPlot(title)
	p.X.Label.Text = "mean rank, less is better"
	p.Y.Min, p.Y.Max = -0.7, float64(k)-0.3
	at := func(i int) float64 { return float64(k - 1 - i) }
	var ticks []plot.Tick
	for i, m := range a.Methods {
		ticks = append(ticks, plot.Tick{Value: at(i), Label: m.Method})
	}
	p.Y.Tick.Marker = plot.ConstantTicks(ticks)
	worst := a.Methods[k-1].MeanRank
	p.X.Min, p.X.Max = min(1, a.Methods[0].MeanRank)-0.3, worst+0.5
	if a.CriticalDifference != nil {
		groups := a.cliques()
		step := max(0.03*(worst-1), 0.05)
		for g, group := range groups {
			x := worst + step*float64(g+1)
			line, err := plotter.NewLine(plotter.XYs{{X: x, Y: at(group[0]) + 0.25}, {X: x, Y: at(group[1]) - 0.25}})
			if err != nil {
				return err
			}
			line.Color, line.Width = color.Gray{Y: 0x30}, vg.Points(2.5)
			p.Add(line)
		}
		p.X.Max = worst + step*float64(len(groups)+2)
	}
	for _, source := range sources {
		var xys plotter.XYs
		for i, m := range a.Methods {
			if m.Source == source {
				xys = append(xys, plotter.XY{X: m.MeanRank, Y: at(i)})
			}
		}
		if err := addMarks(p, source, xys, vg.Points(4)); err != nil {
			return err
		}
	}
	p.Legend.Left = true // below, where the worst are far to the right
	return picture.Write(path, []*plot.Plot{p}, 1, 20*vg.Centimeter, vg.Length(max(k, 8))*0.55*vg.Centimeter+3.5*vg.Centimeter, resolution)
}

// cliques are the largest groups of methods, by first and last place, whose mean ranks
// are less than the critical difference apart.
func (a analysis) cliques() (out [][2]int) {
	last := -1
	for i := range a.Methods {
		j := i
		for j+1 < len(a.Methods) && a.Methods[j+1].MeanRank-a.Methods[i].MeanRank < *a.CriticalDifference {
			j++
		}
		if j > i && j > last {
			out, last = append(out, [2]int{i, j}), j
		}
	}
	return out
}

func addMarks(p *plot.Plot, source string, xys plotter.XYs, radius vg.Length) error {
	if len(xys) == 0 {
		return nil
	}
	s, err := plotter.NewScatter(xys)
	if err != nil {
		return err
	}
	s.Color, s.Shape, s.Radius = looks[source].colour, looks[source].mark, radius
	p.Add(s)
	p.Legend.Add(source, s)
	return nil
}

// drawBars draws, for each set, the least error of each source.
func (a analysis) drawBars(path string) error {
	const width = 1.6 * vg.Millimeter
	p := newPlot(fmt.Sprintf("Least %s of each source, %s", a.Name, a.Task))
	p.X.Label.Text = a.Name
	p.X.Min = 0
	var present []string
	for _, source := range sources {
		if slices.ContainsFunc(a.Best, func(b setBests) bool { return b.Sources[source].Method != "" }) {
			present = append(present, source)
		}
	}
	names := make([]string, len(a.Best))
	for i, b := range a.Best {
		names[len(names)-1-i] = b.Set
	}
	for i, source := range present {
		values := make(plotter.Values, len(a.Best))
		for j, b := range a.Best {
			values[len(values)-1-j] = b.Sources[source].Error
		}
		bars, err := plotter.NewBarChart(values, width)
		if err != nil {
			return err
		}
		bars.Horizontal = true
		bars.Color, bars.LineStyle.Width = looks[source].colour, 0
		bars.Offset = width * vg.Length(float64(len(present)-1)/2-float64(i))
		p.Add(bars)
		p.Legend.Add(source, bars)
	}
	p.NominalY(names...)
	p.X.Max *= 1.02
	p.Legend.Top = true
	p.Y.Max += 1.6 // room for the legend
	return picture.Write(path, []*plot.Plot{p}, 1, 20*vg.Centimeter, vg.Length(len(a.Best))*width*vg.Length(len(present)+2)+6*vg.Centimeter, resolution)
}

// drawFronts draws error against seconds, a panel for each set, with the front as a line
// and the names of the methods on it.
func (r *report) drawFronts(path string, c criterion) error {
	const columns = 3
	var panels []*plot.Plot
	for _, f := range r.Fronts {
		if !f.is(c) {
			continue
		}
		p, err := f.panel()
		if err != nil {
			return err
		}
		if len(panels) > 0 {
			p.Legend = plot.NewLegend()
		}
		panels = append(panels, p)
	}
	if len(panels) == 0 {
		return nil
	}
	rows := (len(panels) + columns - 1) / columns
	wide := min(columns, len(panels))
	return picture.Write(path, panels, wide, vg.Length(wide)*11*vg.Centimeter, vg.Length(rows)*8.5*vg.Centimeter, resolution)
}

func (f front) panel() (*plot.Plot, error) {
	p := newPlot(f.Set)
	p.Title.TextStyle.Font.Size = font.Points(11)
	p.X.Label.Text, p.Y.Label.Text = "seconds of fit and prediction", f.Name
	p.X.Tick.Marker = decades{}
	lo, top, hi := f.spread()
	// What is far worse than the front would press the rest together.
	ceiling := min(hi, lo+2*(top-lo)+0.25*f.median())
	for _, source := range sources {
		var xys plotter.XYs
		for _, q := range f.Points {
			if q.Source == source {
				xys = append(xys, plotter.XY{X: ofSeconds(q.Seconds), Y: min(q.Error, ceiling)})
			}
		}
		if err := addMarks(p, source, xys, vg.Points(2.5)); err != nil {
			return nil, err
		}
	}
	height := ceiling - lo
	if height <= 0 {
		height = 1
	}
	p.Y.Min, p.Y.Max = lo-0.3*height, ceiling+0.04*height // room for the names
	p.X.Max += 1
	p.Legend.Top = true
	line, names := f.steps(0.06 * height)
	steps, err := plotter.NewLine(line)
	if err != nil {
		return nil, err
	}
	steps.Color, steps.Width = color.Gray{Y: 0x60}, vg.Points(1)
	labels, err := plotter.NewLabels(names)
	if err != nil {
		return nil, err
	}
	for i := range labels.TextStyle {
		labels.TextStyle[i].Font.Size = font.Points(8)
		labels.TextStyle[i].YAlign = text.YTop
	}
	p.Add(steps, labels)
	return p, nil
}

// steps are the line of the front, and the names along it, each at least a line below
// the one before.
func (f front) steps(line float64) (steps plotter.XYs, names plotter.XYLabels) {
	below := math.Inf(1)
	for _, q := range f.Points {
		if !q.OnFront {
			continue
		}
		x := ofSeconds(q.Seconds)
		if len(steps) > 0 {
			steps = append(steps, plotter.XY{X: x, Y: steps[len(steps)-1].Y})
		}
		steps = append(steps, plotter.XY{X: x, Y: q.Error})
		below = min(q.Error, below-line)
		names.XYs, names.Labels = append(names.XYs, plotter.XY{X: x, Y: below}), append(names.Labels, " "+q.Method)
	}
	return steps, names
}

// spread is the least error, the largest on the front and the largest of all.
func (f front) spread() (lo, top, hi float64) {
	lo = f.least().Error
	for _, p := range f.Points {
		if hi = max(hi, p.Error); p.OnFront {
			top = max(top, p.Error)
		}
	}
	return lo, top, hi
}

func (f front) median() float64 {
	var all []float64
	for _, p := range f.Points {
		all = append(all, p.Error)
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// leastShown is where seconds are drawn that a coarse clock gives as 0, such as R's, which
// ticks in milliseconds: before all others, so that the front stays in order.
const leastShown = 1e-5

// ofSeconds is the place of seconds on an axis of decades.
func ofSeconds(seconds float64) float64 { return math.Log10(max(seconds, leastShown)) }

// drawGrowth draws the seconds of the fits over the rows.
func (r *report) drawGrowth(path string) error {
	var panels []*plot.Plot
	for _, source := range sources {
		p := newPlot(source)
		p.X.Label.Text, p.Y.Label.Text = "training rows", "seconds of a fit"
		p.X.Tick.Marker, p.Y.Tick.Marker = decades{}, decades{}
		i := 0
		for _, g := range r.Growth {
			var xys plotter.XYs
			for _, d := range r.Sets {
				if s, ok := r.summaryOn(d.Set, g.Method); ok && s.FitSeconds != nil && *s.FitSeconds > 0 {
					xys = append(xys, plotter.XY{X: math.Log10(float64(d.TrainRows)), Y: ofSeconds(*s.FitSeconds)})
				}
			}
			if g.Source != source || len(xys) == 0 {
				continue
			}
			line, marks, err := plotter.NewLinePoints(xys)
			if err != nil {
				return err
			}
			line.Color = curveColours[i%len(curveColours)]
			line.Width = vg.Points(1.2)
			marks.Color, marks.Shape, marks.Radius = line.Color, curveMarks[i/len(curveColours)%len(curveMarks)], vg.Points(2.5)
			p.Add(line, marks)
			p.Legend.Add(g.Method, line, marks)
			i++
		}
		if i > 0 {
			p.Legend.Left, p.Legend.Top = true, true
			p.X.Min -= 1.2 // room for the legend
			panels = append(panels, p)
		}
	}
	if len(panels) == 0 {
		return nil
	}
	// The same axes in all, so that sources can be compared.
	lowest := slices.MinFunc(panels, func(a, b *plot.Plot) int { return cmp.Compare(a.Y.Min, b.Y.Min) }).Y.Min
	highest := slices.MaxFunc(panels, func(a, b *plot.Plot) int { return cmp.Compare(a.Y.Max, b.Y.Max) }).Y.Max
	most := slices.MaxFunc(panels, func(a, b *plot.Plot) int { return cmp.Compare(a.X.Max, b.X.Max) }).X.Max
	for _, p := range panels {
		p.Y.Min, p.Y.Max, p.X.Max = lowest, highest, most
	}
	columns := min(2, len(panels))
	rows := (len(panels) + columns - 1) / columns
	return picture.Write(path, panels, columns, vg.Length(columns)*15*vg.Centimeter, vg.Length(rows)*13*vg.Centimeter, resolution)
}

var (
	curveColours = []color.Color{
		color.NRGBA{R: 0x1b, G: 0x5e, B: 0xa8, A: 0xff}, color.NRGBA{R: 0xd9, G: 0x6c, B: 0x06, A: 0xff}, color.NRGBA{R: 0x2a, G: 0x8a, B: 0x50, A: 0xff},
		color.NRGBA{R: 0x98, G: 0x3a, B: 0x8e, A: 0xff}, color.Gray{Y: 0x40}, color.NRGBA{R: 0x5a, G: 0xb0, B: 0xd8, A: 0xff},
	}
	curveMarks = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.PyramidGlyph{}, draw.BoxGlyph{}, draw.CrossGlyph{}}
)

// decades labels whole powers of ten of logarithms: plot.LogScale reserves room for the
// axis's label as if it stood at the far end.
type decades struct{}

func (decades) Ticks(lo, hi float64) (out []plot.Tick) {
	for e := math.Ceil(lo); e <= hi; e++ {
		out = append(out, plot.Tick{Value: e, Label: fmt.Sprintf("1e%.0f", e)})
	}
	return out
}

const resolution = 120 // dots an inch
