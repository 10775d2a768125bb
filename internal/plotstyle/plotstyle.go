// Package plotstyle defines the common style of all pictures: fonts, colours, marks, ticks, and a legend above the data or in an
// empty corner. The plots of package selection and the examples use it.
package plotstyle

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The colours of M. Okabe and K. Ito (2008), which colour-blind readers can distinguish. Their yellow is left out, since it is hard
// to see on white.
var (
	Blue       = color.NRGBA{R: 0x00, G: 0x72, B: 0xb2, A: 0xff}
	Vermillion = color.NRGBA{R: 0xd5, G: 0x5e, B: 0x00, A: 0xff}
	Green      = color.NRGBA{R: 0x00, G: 0x9e, B: 0x73, A: 0xff}
	Purple     = color.NRGBA{R: 0xcc, G: 0x79, B: 0xa7, A: 0xff}
	Sky        = color.NRGBA{R: 0x56, G: 0xb4, B: 0xe9, A: 0xff}
	Orange     = color.NRGBA{R: 0xe6, G: 0x9f, B: 0x00, A: 0xff}
	Black      = color.NRGBA{A: 0xff}
	Dark       = color.NRGBA{R: 0x33, G: 0x33, B: 0x33, A: 0xff}
	Grey       = color.NRGBA{R: 0x80, G: 0x80, B: 0x80, A: 0xff}
	gridGrey   = color.NRGBA{R: 0xe2, G: 0xe2, B: 0xe2, A: 0xff}
)

// Pale returns a light version of a colour, for bands behind lines.
func Pale(c color.NRGBA) color.NRGBA {
	c.A = 0x38
	return c
}

// MaxCurves is the number of curves with a colour of their own. Pictures with more curves show some in grey or in another panel.
// Otherwise colours repeat with other dashes, for up to twice as many curves.
const MaxCurves = 6

var (
	colours = [MaxCurves]color.NRGBA{Blue, Vermillion, Green, Purple, Sky, Dark}
	dashes  = [...][]vg.Length{nil, {vg.Points(7), vg.Points(2.5)}, {vg.Points(2.5), vg.Points(2)},
		{vg.Points(8), vg.Points(2), vg.Points(2), vg.Points(2)}}
	glyphs = [MaxCurves]draw.GlyphDrawer{draw.CircleGlyph{}, draw.PyramidGlyph{}, draw.BoxGlyph{}, Diamond{}, draw.RingGlyph{},
		draw.CrossGlyph{}}
)

// Colour returns the colour of curve i. The first MaxCurves differ.
func Colour(i int) color.NRGBA { return colours[i%MaxCurves] }

// Line returns the line style of curve i. Dashes distinguish curves without colours.
func Line(i int) draw.LineStyle {
	return draw.LineStyle{Color: colours[i%MaxCurves], Width: vg.Points(1.6), Dashes: dashes[i%len(dashes)]}
}

// Mark returns the mark of curve i.
func Mark(i int) draw.GlyphStyle {
	return draw.GlyphStyle{Color: colours[i%MaxCurves], Radius: vg.Points(3), Shape: glyphs[(i+i/MaxCurves)%MaxCurves]}
}

// Diamond is a filled square on its corner.
type Diamond struct{}

// DrawGlyph implements draw.GlyphDrawer.
func (Diamond) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, at vg.Point) {
	r := s.Radius * 1.2
	var p vg.Path
	p.Move(vg.Point{X: at.X, Y: at.Y + r})
	p.Line(vg.Point{X: at.X + r, Y: at.Y})
	p.Line(vg.Point{X: at.X, Y: at.Y - r})
	p.Line(vg.Point{X: at.X - r, Y: at.Y})
	p.Close()
	c.SetColor(s.Color)
	c.Fill(p)
}

// Font sizes in points, for a picture of width Width shown at 800 pixels.
const (
	TitleSize = 12
	LabelSize = 11
	TickSize  = 10
)

// Width and Height are the size of a picture with one panel.
const (
	Width  = 8 * vg.Inch
	Height = 4.5 * vg.Inch
)

var sans = font.Font{Typeface: "Liberation", Variant: "Sans"}

// Font returns the font of all pictures in the given size in points.
func Font(size float64) font.Font { return font.From(sans, vg.Points(size)) }

// New returns a plot with a light grid and round ticks.
func New(title, x, y string) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	p.Title.TextStyle.Font, p.Title.Padding = Font(TitleSize), vg.Points(5)
	p.Legend.TextStyle.Font, p.Legend.Padding = Font(TickSize), vg.Millimeter
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Label.TextStyle.Font, axis.Tick.Label.Font = Font(LabelSize), Font(TickSize)
		axis.Label.Padding, axis.Padding = vg.Points(3), vg.Points(3)
		axis.Tick.Length, axis.Tick.Color, axis.Color = vg.Points(4), Grey, Grey
		axis.Tick.Marker = Round{}
	}
	p.Add(Grid{})
	return p
}

// Grid draws light lines at labelled ticks.
type Grid struct{ NoVertical, NoHorizontal bool }

// Plot implements plot.Plotter.
func (g Grid) Plot(c draw.Canvas, p *plot.Plot) {
	style := draw.LineStyle{Color: gridGrey, Width: vg.Points(0.6)}
	for _, tick := range p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max) {
		if x := c.X(p.X.Norm(tick.Value)); !g.NoVertical && !tick.IsMinor() && c.ContainsX(x) {
			c.StrokeLine2(style, x, c.Min.Y, x, c.Max.Y)
		}
	}
	for _, tick := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		if y := c.Y(p.Y.Norm(tick.Value)); !g.NoHorizontal && !tick.IsMinor() && c.ContainsY(y) {
			c.StrokeLine2(style, c.Min.X, y, c.Max.X, y)
		}
	}
}

// FromZero starts an axis at 0 and ends it slightly above the data, for values that cannot be negative: errors, times or fractions.
func FromZero(a *plot.Axis) {
	a.Min = 0
	if a.Max <= 0 {
		a.Max = 1
	}
	a.Max *= 1.04
}

// Legend names curves and marks, in rows above the data or in a column in a corner. It is a plotter. Add it with the Add method of
// its plot, so that the plot reserves room for it.
type Legend struct {
	// Wide is the room for a row. If it is 0, the room in a picture of width Width is used.
	Wide vg.Length
	// Inside holds the curves of the plot. If it is not empty, the legend is in the corner where it covers the fewest of their
	// points.
	Inside  []plotter.XYs
	entries []entry
}

type entry struct {
	name   string
	thumbs []plot.Thumbnailer
}

// Add appends a name and its thumbnails.
func (l *Legend) Add(name string, thumbs ...plot.Thumbnailer) {
	l.entries = append(l.entries, entry{name, thumbs})
}

const (
	thumbWidth  = 22 // points
	thumbSpace  = 4
	columnSpace = 14
	legendSpace = 5 // distance from the data
)

// layout returns the width of each column and the height of a row.
func (l *Legend) layout() (columns []vg.Length, row vg.Length) {
	wide := l.Wide
	if wide == 0 {
		wide = Width - 2*vg.Centimeter
	}
	style := l.style()
	row = style.FontExtents().Height * 1.25
	if l.Inside != nil {
		wide = 0
	}
	for n := len(l.entries); n >= 1; n-- {
		columns = make([]vg.Length, n)
		var total vg.Length
		for i, e := range l.entries {
			columns[i%n] = max(columns[i%n], style.Width(e.name)+vg.Points(thumbWidth+thumbSpace+columnSpace))
		}
		for _, w := range columns {
			total += w
		}
		if total <= wide {
			break
		}
	}
	return columns, row
}

func (l *Legend) style() draw.TextStyle {
	return draw.TextStyle{Color: Black, Font: Font(TickSize), XAlign: draw.XLeft, YAlign: draw.YCenter, Handler: plot.DefaultTextHandler}
}

// High returns the height of the legend above the data.
func (l *Legend) High() vg.Length {
	if len(l.entries) == 0 {
		return 0
	}
	columns, row := l.layout()
	return row*vg.Length((len(l.entries)+len(columns)-1)/len(columns)) + vg.Points(legendSpace)
}

// GlyphBoxes implements plot.GlyphBoxer. It reserves room above the data, unless the legend is inside.
func (l *Legend) GlyphBoxes(*plot.Plot) []plot.GlyphBox {
	if len(l.entries) == 0 || l.Inside != nil {
		return nil
	}
	return []plot.GlyphBox{{Y: 1, Rectangle: vg.Rectangle{Max: vg.Point{Y: l.High()}}}}
}

// Plot implements plot.Plotter.
func (l *Legend) Plot(c draw.Canvas, p *plot.Plot) {
	if l.Inside != nil && len(l.entries) > 0 {
		c.Rectangle = l.corner(c, p)
		c.SetColor(color.NRGBA{R: 0xff, G: 0xff, B: 0xff, A: 0xd8})
		c.Fill(c.Rectangle.Path())
		c = draw.Crop(c, vg.Points(cornerSpace), 0, 0, -l.High())
	}
	l.draw(c)
}

const (
	cornerSpace   = 6  // points, between the legend and the edges of the data
	segmentPoints = 32 // points on each segment of a curve that count when a corner is chosen
)

// corner returns the box of an inside legend. It is in the corner with the fewest points of curves, preferably the lower right one.
func (l *Legend) corner(c draw.Canvas, p *plot.Plot) vg.Rectangle {
	columns, _ := l.layout()
	size := vg.Point{X: columns[0] - vg.Points(columnSpace) + 2*vg.Points(cornerSpace), Y: l.High() + vg.Points(cornerSpace)}
	gap := vg.Points(cornerSpace)
	x, y := p.Transforms(&c)
	var best vg.Rectangle
	fewest := -1
	for _, at := range []vg.Point{
		{X: c.Max.X - gap - size.X, Y: c.Min.Y + gap}, {X: c.Min.X + gap, Y: c.Max.Y - gap - size.Y},
		{X: c.Min.X + gap, Y: c.Min.Y + gap}, {X: c.Max.X - gap - size.X, Y: c.Max.Y - gap - size.Y},
	} {
		box := vg.Rectangle{Min: at, Max: at.Add(size)}
		covered := 0
		for _, curve := range l.Inside {
			for i := range max(len(curve)-1, 0) {
				for k := range segmentPoints {
					share := float64(k) / segmentPoints
					px := x(curve[i].X + share*(curve[i+1].X-curve[i].X))
					py := y(curve[i].Y + share*(curve[i+1].Y-curve[i].Y))
					if px > box.Min.X && px < box.Max.X && py > box.Min.Y && py < box.Max.Y {
						covered++
					}
				}
			}
		}
		if fewest < 0 || covered < fewest {
			best, fewest = box, covered
		}
	}
	return best
}

// draw writes the rows above the upper edge of a canvas.
func (l *Legend) draw(c draw.Canvas) {
	if len(l.entries) == 0 {
		return
	}
	columns, row := l.layout()
	style := l.style()
	rows := (len(l.entries) + len(columns) - 1) / len(columns)
	for i, e := range l.entries {
		x := c.Min.X
		for _, w := range columns[:i%len(columns)] {
			x += w
		}
		y := c.Max.Y + vg.Points(legendSpace) + row*(vg.Length(rows-1-i/len(columns))+0.5)
		icon := draw.Canvas{Canvas: c.Canvas,
			Rectangle: vg.Rectangle{Min: vg.Point{X: x, Y: y - row*0.36}, Max: vg.Point{X: x + vg.Points(thumbWidth), Y: y + row*0.36}}}
		for _, t := range e.thumbs {
			t.Thumbnail(&icon)
		}
		c.FillText(style, vg.Point{X: x + vg.Points(thumbWidth+thumbSpace), Y: y + style.FontExtents().Descent*0.5}, e.name)
	}
}

var (
	_ plot.GlyphBoxer = (*Legend)(nil)
	_ plot.Plotter    = (*Legend)(nil)
)

// AddCurve adds curve i with marks at its points and its name.
func AddCurve(p *plot.Plot, l *Legend, i int, name string, xys plotter.XYs) error {
	line, marks, err := plotter.NewLinePoints(xys)
	if err != nil {
		return err
	}
	line.LineStyle, marks.GlyphStyle = Line(i), Mark(i)
	p.Add(line, marks)
	if l != nil && name != "" {
		l.Add(name, line, marks)
	}
	return nil
}
