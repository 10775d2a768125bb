// Package picture draws the plots of the examples alike.
package picture

import (
	"os"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// New returns a plot with a grid and a small legend at the top right.
func New(title, x, y string) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	p.Legend.Top = true
	p.Legend.Padding = vg.Millimeter
	p.Legend.TextStyle.Font.Size = font.Points(9)
	p.Add(plotter.NewGrid())
	return p
}

// pad is the space between panels and around them.
const pad = 4 * vg.Millimeter

// Write tiles the panels, row by row in so many columns, into a PNG of that size with dpi
// dots an inch; 0: 96.
func Write(path string, panels []*plot.Plot, columns int, width, height vg.Length, dpi int) error {
	if dpi == 0 {
		dpi = vgimg.DefaultDPI
	}
	canvas := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dpi))
	rows := (len(panels) + columns - 1) / columns
	tiles := draw.Tiles{Rows: rows, Cols: columns, PadX: pad, PadY: pad, PadTop: pad, PadBottom: pad, PadLeft: pad, PadRight: pad}
	grid := make([][]*plot.Plot, rows)
	for i := range grid {
		grid[i] = make([]*plot.Plot, columns) // nil where there are no more
		copy(grid[i], panels[i*columns:min((i+1)*columns, len(panels))])
	}
	for i, row := range plot.Align(grid, tiles, draw.New(canvas)) {
		for c, at := range row {
			if grid[i][c] != nil {
				grid[i][c].Draw(at)
			}
		}
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if _, err := (vgimg.PngCanvas{Canvas: canvas}).WriteTo(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
