package plotstyle

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Labels writes names next to points so that they cover neither each other nor a point. A name without room near its point is
// placed farther away, at the end of a thin line. A name without room anywhere is left out.
type Labels struct {
	plotter.XYLabels
	Colours []color.Color // colours of the names; nil: black
	Avoid   plotter.XYs   // further points that names must not cover
	Size    float64       // font size in points; 0: TickSize
}

const (
	labelGap  = 3 // points, between a point and its name
	leaderGap = 9 // distance from which a line connects point and name
)

// Plot implements plot.Plotter.
func (l Labels) Plot(c draw.Canvas, p *plot.Plot) {
	if l.Size == 0 {
		l.Size = TickSize
	}
	x, y := p.Transforms(&c)
	style := draw.TextStyle{Color: Black, Font: Font(l.Size), XAlign: draw.XLeft, YAlign: draw.YBottom, Handler: plot.DefaultTextHandler}
	at, sizes := make([]vg.Point, len(l.XYs)), make([]vg.Point, len(l.XYs))
	for i, xy := range l.XYs {
		at[i] = vg.Point{X: x(xy.X), Y: y(xy.Y)}
		sizes[i] = vg.Point{X: style.Width(l.Labels[i]), Y: style.FontExtents().Height}
	}
	points := at
	for _, xy := range l.Avoid {
		points = append(points[:len(points):len(points)], vg.Point{X: x(xy.X), Y: y(xy.Y)})
	}
	for i, box := range PlaceLabels(at, sizes, points, c.Rectangle) {
		if box.Size().X == 0 {
			continue
		}
		if end := nearest(box, at[i]); math.Hypot(float64(end.X-at[i].X), float64(end.Y-at[i].Y)) > leaderGap {
			c.StrokeLine2(draw.LineStyle{Color: Grey, Width: vg.Points(0.5)}, at[i].X, at[i].Y, end.X, end.Y)
		}
		if l.Colours != nil {
			style.Color = l.Colours[i]
		}
		c.FillText(style, vg.Point{X: box.Min.X, Y: box.Min.Y + style.FontExtents().Descent*0.5}, l.Labels[i])
	}
}

// nearest returns the point of a box that is nearest to another point.
func nearest(box vg.Rectangle, to vg.Point) vg.Point {
	return vg.Point{X: min(max(to.X, box.Min.X), box.Max.X), Y: min(max(to.Y, box.Min.Y), box.Max.Y)}
}

// PlaceLabels finds a box of each size near its point, so that boxes are within the bounds and cover neither each other nor a
// point. If there is no room for a box, it is empty.
func PlaceLabels(at, sizes, points []vg.Point, bounds vg.Rectangle) []vg.Rectangle {
	out := make([]vg.Rectangle, len(at))
	for i, from := range at {
		out[i] = place(from, sizes[i], out[:i], points, bounds)
	}
	return out
}

// place returns the first free box on increasingly large rings around a point, starting on its right. It returns an empty box if
// there is none.
func place(from, size vg.Point, placed []vg.Rectangle, points []vg.Point, bounds vg.Rectangle) vg.Rectangle {
	const directions = 16
	farthest := bounds.Size().X + bounds.Size().Y
	for ring := vg.Length(labelGap); ring < farthest; ring += 4 {
		for d := range directions {
			turn := (d + 1) / 2 // 0, then alternating to both sides
			if d%2 == 0 {
				turn = -turn
			}
			sin, cos := math.Sincos(2 * math.Pi * float64(turn) / directions)
			// The box touches the ring from outside.
			middle := vg.Point{X: from.X + vg.Length(cos)*(ring+size.X/2), Y: from.Y + vg.Length(sin)*(ring+size.Y/2)}
			box := vg.Rectangle{Min: vg.Point{X: middle.X - size.X/2, Y: middle.Y - size.Y/2},
				Max: vg.Point{X: middle.X + size.X/2, Y: middle.Y + size.Y/2}}
			if free(box, placed, points, bounds) {
				return box
			}
		}
	}
	return vg.Rectangle{}
}

func free(box vg.Rectangle, placed []vg.Rectangle, points []vg.Point, bounds vg.Rectangle) bool {
	if box.Min.X < bounds.Min.X || box.Min.Y < bounds.Min.Y || box.Max.X > bounds.Max.X || box.Max.Y > bounds.Max.Y {
		return false
	}
	for _, p := range placed {
		if p.Size().X > 0 && box.Min.X < p.Max.X && p.Min.X < box.Max.X && box.Min.Y < p.Max.Y && p.Min.Y < box.Max.Y {
			return false
		}
	}
	const room = 2 // around a point
	for _, p := range points {
		if p.X > box.Min.X-room && p.X < box.Max.X+room && p.Y > box.Min.Y-room && p.Y < box.Max.Y+room {
			return false
		}
	}
	return true
}
