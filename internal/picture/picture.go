// Package picture writes the pictures of the examples.
package picture

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"github.com/kernelearn/kernelearn/internal/plotstyle"
)

// Write saves a picture of the common width. It arranges the panels, each of height high, in rows of the given number of columns.
// If legend is not nil, it is drawn above all panels.
func Write(path string, legend *plotstyle.Legend, panels []*plot.Plot, columns int, high vg.Length) error {
	rows := (len(panels) + columns - 1) / columns
	return plotstyle.SaveWith(legend, "picture", path, panels, columns, plotstyle.Width, vg.Length(rows)*high)
}

// Inner removes axis labels that neighbouring panels share. They remain on the first column and the lowest row.
func Inner(panels []*plot.Plot, columns int) {
	for i, p := range panels {
		if i%columns > 0 {
			p.Y.Label.Text = ""
		}
		if i+columns < len(panels) {
			p.X.Label.Text = ""
		}
	}
}
