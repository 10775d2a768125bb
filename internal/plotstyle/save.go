package plotstyle

import (
	"bytes"
	"fmt"
	"image/color"
	"image/png"
	"io"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/kernelearn/kernelearn/internal/atomicfile"
)

const pad = 3 * vg.Millimeter

// Resolution is the number of dots per inch of bitmaps.
const Resolution = 150

// Save writes panels, in rows of the given number of columns, into a picture of this size. The ending of the file name selects the
// format: .png, .svg, .pdf, .eps, .jpg or .tif. The error for another ending names typ.
func Save(typ, path string, panels []*plot.Plot, columns int, width, height vg.Length) error {
	return SaveWith(nil, typ, path, panels, columns, width, height)
}

// SaveWith is Save with a legend above all panels, which adds to the height.
func SaveWith(legend *Legend, typ, path string, panels []*plot.Plot, columns int, width, height vg.Length) error {
	above := vg.Length(0)
	if legend != nil {
		legend.Wide = width - 2*vg.Centimeter
		above = legend.High()
	}
	canvas, err := canvasOf(strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), "."), width, height+above)
	if err != nil {
		return fmt.Errorf("%s: %s: %w", typ, path, err)
	}
	rows := (len(panels) + columns - 1) / columns
	tiles := draw.Tiles{Rows: rows, Cols: columns, PadX: 2 * pad, PadY: 2 * pad, PadTop: pad, PadBottom: pad, PadLeft: pad, PadRight: pad}
	grid := make([][]*plot.Plot, rows)
	for i := range grid {
		grid[i] = make([]*plot.Plot, columns) // nil for unused cells
		copy(grid[i], panels[i*columns:min((i+1)*columns, len(panels))])
	}
	whole := draw.New(canvas)
	whole.SetColor(color.White) // bitmaps are transparent by default
	whole.Fill(whole.Rectangle.Path())
	if legend != nil {
		whole.Max.Y -= above
		legend.draw(draw.Crop(whole, vg.Centimeter, 0, 0, -pad))
	}
	for i, row := range plot.Align(grid, tiles, whole) {
		for c, at := range row {
			if grid[i][c] != nil {
				grid[i][c].Draw(at)
			}
		}
	}
	return atomicfile.Write(path, func(w io.Writer) error {
		_, err := canvas.WriteTo(w)
		return err
	})
}

func canvasOf(format string, width, height vg.Length) (vg.CanvasWriterTo, error) {
	dots := func() *vgimg.Canvas { return vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(Resolution)) }
	switch format {
	case "png":
		return pngCanvas{dots()}, nil
	case "jpg", "jpeg":
		return vgimg.JpegCanvas{Canvas: dots()}, nil
	case "tif", "tiff":
		return vgimg.TiffCanvas{Canvas: dots()}, nil
	case "svg":
		return svgCanvas{vgsvg.New(width, height)}, nil
	}
	return draw.NewFormattedCanvas(width, height, format)
}

// svgCanvas replaces Liberation Sans, where it is not installed, with fonts of the same widths, Arial and its substitutes.
type svgCanvas struct{ *vgsvg.Canvas }

// WriteTo implements vg.CanvasWriterTo.
func (c svgCanvas) WriteTo(w io.Writer) (int64, error) {
	var b bytes.Buffer
	if _, err := c.Canvas.WriteTo(&b); err != nil {
		return 0, err
	}
	text := strings.ReplaceAll(b.String(), "font-family:Liberation Sans;", "font-family:Liberation Sans,Arial,Helvetica,sans-serif;")
	n, err := io.WriteString(w, text)
	return int64(n), err
}

// RoomAbove returns the height of legends and marks above the data of a plot.
func RoomAbove(p *plot.Plot) (room vg.Length) {
	for _, b := range p.GlyphBoxes(p) {
		if b.Y == 1 {
			room = max(room, b.Max.Y)
		}
	}
	return room
}

// pngCanvas writes PNG files with the best compression.
type pngCanvas struct{ *vgimg.Canvas }

// WriteTo implements vg.CanvasWriterTo.
func (c pngCanvas) WriteTo(w io.Writer) (int64, error) {
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, c.Image()); err != nil {
		return 0, err
	}
	return b.WriteTo(w)
}
