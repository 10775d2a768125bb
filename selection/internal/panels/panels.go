// Package panels writes plots side by side into one file.
package panels

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const pad = 3 * vg.Millimeter

// Save writes panels, row after row in so many columns, each of one size with what is between
// them, into a file of the kind that its name ends in. The type's name stands before the error
// of another ending.
func Save(typ, path string, panels []*plot.Plot, columns int, width, height vg.Length) error {
	rows := (len(panels) + columns - 1) / columns
	format := strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), ".")
	canvas, err := draw.NewFormattedCanvas(width*vg.Length(columns), height*vg.Length(rows), format)
	if err != nil {
		return fmt.Errorf("%s: %s: %w", typ, path, err)
	}
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
	if _, err := canvas.WriteTo(f); err != nil {
		return errors.Join(err, f.Close())
	}
	return f.Close()
}
