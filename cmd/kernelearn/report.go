package main

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/kernelearn/kernelearn/adapters/table"
	"github.com/kernelearn/kernelearn/cmd/kernelearn/internal/report"
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/modelfile"
	"github.com/kernelearn/kernelearn/internal/atomicfile"
	"github.com/kernelearn/kernelearn/internal/plotstyle"
	"github.com/kernelearn/kernelearn/internal/progressbar"
	"github.com/kernelearn/kernelearn/selection/effectplot"
	"github.com/kernelearn/kernelearn/selection/inspection"
	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/selection/search"
)

const (
	mostEffects    = 6 // largest number of columns whose effect is drawn
	mostCalibrated = 4 // largest number of classes whose reliability is drawn
	mostDots       = 2000
)

func reportCommand(s *streams) *cli.Command {
	return &cli.Command{
		Name:      "report",
		Usage:     "writes an HTML report on a model of a table: metrics, effects, calibration and failures.",
		UsageText: "kernelearn report houses.csv -target price -o houses.html",
		Description: "Metrics and errors are computed on held-out rows, like evaluate does; effects are those of a model of all rows.\n" +
			"The page needs no other file and no network.",
		Flags: append(append(append([]cli.Flag{
			&cli.StringFlag{Name: "output", Aliases: []string{"o"},
				Usage: "the `FILE` of the page (default: the name of the table with .html)"},
		}, foldFlags()...), columnFlags()...), fitFlags()...),
		Action: func(ctx context.Context, c *cli.Command) error { return writeReport(ctx, s, c) },
	}
}

func writeReport(ctx context.Context, s *streams, c *cli.Command) error {
	of, err := findMethod(c.String("method"))
	if err != nil {
		return err
	}
	v, err := crossValidationOf(c)
	if err != nil {
		return err
	}
	path := c.String("output")
	if path == "" {
		path = strings.TrimSuffix(modelPath(c.Args().First()), ".keln") + ".html"
	}
	t, err := readToLearn(ctx, s, c)
	if err != nil {
		return err
	}
	divided, err := v.divide(t)
	if err != nil {
		return err
	}
	var bar *progressbar.Bar
	if !c.Bool("quiet") {
		bar = progressbar.New(s.progress, "report", 0)
		defer bar.Finish()
	}
	held, err := v.run(ctx, of, c.Duration("budget"), t, divided, bar)
	if err != nil {
		return err
	}
	model, err := of.model(t.Schema.Task, c.Duration("budget"))
	if err != nil {
		return err
	}
	if err := fit(ctx, s, c, model, t, "fit all rows"); err != nil {
		return err
	}
	r, err := newReport(ctx, c.Args().First(), t, held, model, v)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := r.WriteHTML(&b); err != nil {
		return err
	}
	if err := atomicfile.WriteBytes(path, b.Bytes()); err != nil {
		return err
	}
	fmt.Fprintf(s.progress, "written to %s\n", path)
	return nil
}

func newReport(ctx context.Context, source string, t *table.Table, held *outOfFold, model *table.Model,
	v crossValidation) (*report.Report, error) {
	target, _ := t.Schema.Target()
	r := &report.Report{Title: "A model of " + target.Name, Source: filepath.Base(source), Rows: t.Rows(), Columns: t.Schema.Columns,
		Model: model.String(), Folds: len(held.seconds), Library: modelfile.Library()}
	if searched, ok := model.Fitted().(interface{ Result() *search.Result }); ok {
		r.Learnt = searched.Result().String()
	}
	for _, name := range held.metrics {
		mean, standardError := held.mean(name)
		r.Metrics = append(r.Metrics, report.Metric{Name: name, Mean: short(mean), StandardError: short(standardError),
			Meaning: meanings[name]})
	}
	var err error
	if t.Schema.Task == table.Classification {
		err = addClasses(r, t, held)
	} else {
		err = addRegression(r, t, held, target.Name, v.level)
	}
	if err != nil {
		return nil, err
	}
	return r, addEffects(ctx, r, t, model, target.Name)
}

// addRegression adds the pictures for a numeric target. They show predicted and observed numbers, and the coverage of intervals
// with several probabilities.
func addRegression(r *report.Report, t *table.Table, held *outOfFold, name string, level float64) error {
	p := plotstyle.New("", "predicted "+name, "observed "+name)
	dots := make(plotter.XYs, 0, t.Rows())
	for i := 0; i < t.Rows(); i += 1 + t.Rows()/mostDots {
		dots = append(dots, plotter.XY{X: held.numbers[i], Y: t.Targets[i]})
	}
	scatter, err := plotter.NewScatter(dots)
	if err != nil {
		return err
	}
	scatter.GlyphStyle.Color, scatter.GlyphStyle.Radius = plotstyle.Blue, vg.Points(1.5)
	diagonal := plotter.NewFunction(func(x float64) float64 { return x })
	diagonal.Color = plotstyle.Grey
	p.Add(diagonal, scatter)
	picture, err := report.Draw("Predicted and observed", "Each dot is a held-out row. On the line, predictions are correct.", p, 6, 4.5)
	if err != nil {
		return err
	}
	r.Quality = append(r.Quality, picture)
	if held.variances != nil {
		if picture, err = coveragePicture(t, held); err != nil {
			return err
		}
		r.Quality = append(r.Quality, picture)
	}
	if held.low == nil {
		return nil
	}
	good := make([]bool, t.Rows())
	for i, y := range t.Targets {
		good[i] = held.low[i] <= y && y <= held.high[i]
	}
	r.WeakName = fmt.Sprintf("The share of rows in their %v%% intervals", 100*level)
	r.Weak, r.Overall, err = report.FindWeak(t, good)
	return err
}

func coveragePicture(t *table.Table, held *outOfFold) (report.Picture, error) {
	p := plotstyle.New("", "probability of the interval", "share of the rows in it")
	var points plotter.XYs
	for k := 1; k < 20; k++ {
		level := float64(k) / 20
		share, _, err := metrics.NormalCoverage(t.Targets, held.numbers, held.variances, level, t.Weights)
		if err != nil {
			return report.Picture{}, err
		}
		points = append(points, plotter.XY{X: level, Y: share})
	}
	diagonal := plotter.NewFunction(func(x float64) float64 { return x })
	diagonal.Color = plotstyle.Grey
	p.Add(diagonal)
	if err := plotstyle.AddCurve(p, nil, 0, "", points); err != nil {
		return report.Picture{}, err
	}
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1, 0, 1
	return report.Draw("Calibration of intervals",
		"Intervals of the normal distribution by the predicted variance. Above the line they are too wide, below it too narrow.", p, 6, 4.5)
}

// addClasses adds the confusion matrix and the calibration of the probabilities.
func addClasses(r *report.Report, t *table.Table, held *outOfFold) error {
	counts, err := metrics.NewConfusion(t.Labels, held.labels, nil)
	if err != nil {
		return err
	}
	names := t.Schema.Classes()
	r.Classes = &report.Confusion{Counts: counts.Counts}
	for _, k := range counts.Classes {
		r.Classes.Names, r.Classes.Recall = append(r.Classes.Names, names[k]), append(r.Classes.Recall, counts.Recall(k))
	}
	good := make([]bool, t.Rows())
	for i, label := range t.Labels {
		good[i] = label == held.labels[i]
	}
	r.WeakName = "The share of rows predicted correctly"
	if r.Weak, r.Overall, err = report.FindWeak(t, good); err != nil || held.proba == nil {
		return err
	}
	first := 0
	if len(names) == 2 { // the curve of the other class would be its mirror image
		first = 1
	}
	var bins [][]metrics.Bin
	shown := names[first:min(len(names), first+mostCalibrated)]
	for k := range shown {
		b, err := metrics.Calibration(t.Labels, first+k, mat.Col(nil, first+k, held.proba), 10, metrics.EqualCount)
		if err != nil {
			return err
		}
		bins = append(bins, b)
	}
	p, err := effectplot.Reliability(bins, shown, 0)
	if err != nil {
		return err
	}
	picture, err := report.Draw("Calibration of probabilities",
		"Observed frequency of a class against its predicted probability. On the line, probabilities are correct.", p, 7, 4.5)
	r.Quality = append(r.Quality, picture)
	return err
}

// addEffects adds the relevance of each column, and pictures of the effects of the most relevant columns.
func addEffects(ctx context.Context, r *report.Report, t *table.Table, model *table.Model, name string) error {
	options := &inspection.Options{Names: t.Schema.Names()}
	var found inspection.Relevances
	var err error
	effect := func(column int) (inspection.Effect, error) {
		return inspection.RegressorEffect(ctx, model.Fitted().(estimators.Regressor), t.X, column, options)
	}
	if c, ok := model.Fitted().(estimators.Classifier); ok {
		class := len(c.Classes()) - 1
		name = "probability of " + t.Schema.Classes()[c.Classes()[class]]
		if !estimators.Supports(c, estimators.Proba) {
			return nil
		}
		found, err = inspection.ClassifierRelevances(ctx, c, t.X, options)
		effect = func(column int) (inspection.Effect, error) {
			return inspection.ClassifierEffect(ctx, c, t.X, column, class, options)
		}
	} else {
		found, err = inspection.RegressorRelevances(ctx, model.Fitted().(estimators.Regressor), t.X, options)
	}
	if err != nil {
		return err
	}
	bars, err := effectplot.Relevances(found)
	if err != nil {
		return err
	}
	picture, err := report.Draw("Relevance of columns",
		"The share of the variance of predictions due to a column; dark: due to the column alone.",
		bars, 7, 1+0.3*float64(min(len(found), 25)))
	if err != nil {
		return err
	}
	r.Effects = append(r.Effects, picture)
	var effects []inspection.Effect
	for _, one := range found[:min(len(found), mostEffects)] {
		if one.Relevance == 0 {
			continue
		}
		e, err := effect(one.Columns[0])
		if err != nil {
			return err
		}
		effects = append(effects, named(e, t))
	}
	if len(effects) == 0 {
		return nil
	}
	panels, err := effectplot.Effects(effects, name)
	if err != nil {
		return err
	}
	for i, p := range panels {
		text := "The mean prediction as the column changes."
		if effects[i].Low != nil {
			text = "The mean prediction as the column changes, with a 95% band."
		}
		p.Title.Text = ""
		if picture, err = report.Draw("Effect of "+effects[i].Name, text, p, 5, 3.2); err != nil {
			return err
		}
		r.Effects = append(r.Effects, picture)
	}
	return nil
}

// named returns the effect with the texts of the levels instead of the codes of a category.
func named(e inspection.Effect, t *table.Table) inspection.Effect {
	if !slices.Contains(t.Schema.Categories(), e.Columns[0]) {
		return e
	}
	at := slices.IndexFunc(t.Schema.Columns, func(c table.Column) bool { return c.Name == e.Name })
	for i, code := range e.At {
		level := "gap"
		if at >= 0 && !math.IsNaN(code) && int(code) < len(t.Schema.Columns[at].Levels) {
			level = t.Schema.Columns[at].Levels[int(code)]
		}
		e.Levels, e.At[i] = append(e.Levels, level), float64(i)
	}
	return e
}
