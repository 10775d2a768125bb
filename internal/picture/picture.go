// Package picture writes the pictures of the examples.
package picture

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"github.com/kernelearn/kernelearn/internal/plotstyle"
)

// Write tiles the panels, row by row in so many columns, into a picture of the width that all have, each panel so high.
// A legend for all of them, if it is not nil, stands above.
func Write(path string, legend *plotstyle.Legend, panels []*plot.Plot, columns int, high vg.Length) error {
	rows := (len(panels) + columns - 1) / columns
	return plotstyle.SaveWith(legend, "picture", path, panels, columns, plotstyle.Width, vg.Length(rows)*high)
}

// Inner leaves the labels of the axes to the first column and the lowest row, where panels share them.
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
