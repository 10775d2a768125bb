package main

import (
	"context"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"github.com/kernelearn/kernelearn/internal/picture"
	"github.com/kernelearn/kernelearn/internal/plotstyle"
	"github.com/kernelearn/kernelearn/selection/effectplot"
	"github.com/kernelearn/kernelearn/selection/metrics"
)

// high is the height of a panel with its legend above.
const high = 3.6 * vg.Inch

// shown lists the indices of the methods in the picture. raw comes last: one classifier lacks it, and each method keeps its colour.
var shown = []int{2, 3, 0}

// diagram draws the observed frequency of the second class against its predicted probability, in one panel per classifier.
func diagram(ctx context.Context, path string, s set, of []learner, seed uint64) error {
	var panels []*plot.Plot
	for _, learner := range of {
		var bins [][]metrics.Bin
		var names []string
		for _, w := range shown {
			if !has(w, learner.make()) {
				continue
			}
			proba, classes, truth, err := predicted(ctx, s, wrap(w, learner.make(), seed), seed)
			if err != nil {
				return err
			}
			pairs, err := metrics.Calibration(truth, classes[1], mat.Col(nil, 1, proba), 10, metrics.EqualCount)
			if err != nil {
				return err
			}
			bins, names = append(bins, pairs), append(names, ways[w])
		}
		p, err := effectplot.Reliability(bins, names, 0)
		if err != nil {
			return err
		}
		p.Title.Text, p.X.Label.Text, p.Y.Label.Text = learner.name, "mean predicted probability", "observed frequency"
		p.X.Tick.Marker = plotstyle.Round{Most: 4}
		panels = append(panels, p)
	}
	picture.Inner(panels, 3)
	return picture.Write(path, nil, panels, 3, high)
}
