package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/kernelearn/kernelearn/adapters/table"
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/distinct"
	"github.com/kernelearn/kernelearn/internal/progressbar"
	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/selection/validation"
)

// outOfFold holds predictions of held-out rows, and the scores of each fold. If the cross-validation is repeated, the predictions
// are those of the last repeat.
type outOfFold struct {
	numbers, variances, low, high []float64 // for a regression; nil if the model does not compute them
	labels                        []int     // of a classification
	proba                         *mat.Dense
	seconds                       []float64 // of each fit
	metrics                       []string
	values                        map[string][]float64 // the value of each metric in each fold
	trainRows, testRows           int
}

// crossValidation sets how a table is divided into folds.
type crossValidation struct {
	folds, repeats int
	seed           uint64
	level          float64
}

// divide returns the folds of the rows of a table. If the table has groups, all rows of a group are in the same fold. Copies of a
// row are in the same fold too. Folds preserve the proportions of the classes.
func (v crossValidation) divide(t *table.Table) ([]validation.Fold, error) {
	var splitter validation.Splitter
	switch {
	case t.Groups != nil && t.Labels != nil:
		splitter = validation.StratifiedGroupKFold{Groups: t.Groups, Folds: v.folds, Seed: v.seed}
	case t.Groups != nil:
		splitter = validation.GroupKFold{Groups: t.Groups, Folds: v.folds, Seed: v.seed}
	case t.Labels != nil:
		splitter = validation.StratifiedKFold{Folds: v.folds, Repeats: v.repeats, Seed: v.seed}
	default:
		splitter = validation.KFold{Folds: v.folds, Repeats: v.repeats, Seed: v.seed}
	}
	merged, labels := distinct.Merge(t.X, nil), t.Labels
	if labels != nil && merged.Repeated() {
		labels = merged.MostFrequent(labels)
	}
	divided, err := validation.SplitDistinct(splitter, merged, labels, t.Labels)
	if err != nil {
		return nil, err
	}
	return validation.SpreadDistinct(divided, merged), nil
}

// run fits the model to the training rows of each fold and predicts its test rows. If bar is not nil, it shows the progress.
func (v crossValidation) run(ctx context.Context, of method, budget time.Duration, t *table.Table, divided []validation.Fold,
	bar *progressbar.Bar) (*outOfFold, error) {
	out := &outOfFold{values: map[string][]float64{}}
	for i, fold := range divided {
		train, err := t.Subset(fold.Train)
		if err != nil {
			return nil, err
		}
		test, err := t.Subset(fold.Test)
		if err != nil {
			return nil, err
		}
		model, err := of.model(t.Schema.Task, budget)
		if err != nil {
			return nil, err
		}
		observed := ctx
		if bar != nil {
			observed = estimators.Observed(ctx, func(s estimators.Step) {
				bar.Set((float64(i)+s.Done)/float64(len(divided)), fmt.Sprintf("%s: fold %d of %d", of.name, i+1, len(divided)))
			})
		}
		begun := time.Now()
		if err := model.Fit(observed, train); err != nil {
			return nil, fmt.Errorf("%s: fold %d: %w", of.name, i+1, err)
		}
		out.seconds = append(out.seconds, time.Since(begun).Seconds())
		out.trainRows, out.testRows = len(fold.Train), len(fold.Test)
		if t.Schema.Task == table.Classification {
			err = out.classes(model.Fitted().(estimators.Classifier), test, fold.Test, t.Rows())
		} else {
			err = out.regression(model.Fitted().(estimators.Regressor), test, fold.Test, t.Rows(), v.level)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: fold %d: %w", of.name, i+1, err)
		}
	}
	return out, nil
}

// score records the value of a metric in a fold.
func (o *outOfFold) score(name string, value float64, err error) error {
	if err != nil {
		return err
	}
	if o.values[name] == nil {
		o.metrics = append(o.metrics, name)
	}
	o.values[name] = append(o.values[name], value)
	return nil
}

func put(into *[]float64, rows int, at []int, values []float64) {
	if *into == nil {
		*into = make([]float64, rows)
	}
	for i, row := range at {
		(*into)[row] = values[i]
	}
}

func (o *outOfFold) regression(r estimators.Regressor, test *table.Table, at []int, rows int, level float64) error {
	got, err := r.Predict(test.X)
	if err != nil {
		return err
	}
	put(&o.numbers, rows, at, got)
	for _, name := range []string{"NMSE", "R2", "RMSE", "MAE"} {
		m, err := metrics.ByName(name)
		if err != nil {
			return err
		}
		v, err := m.Values(test.Targets, got, test.Weights)
		if err := o.score(name, v, err); err != nil {
			return err
		}
	}
	if estimators.Supports(r, estimators.Variance) {
		mean, variance, err := r.(estimators.VariancePredictor).PredictVariance(test.X)
		if err != nil {
			return err
		}
		put(&o.variances, rows, at, variance)
		v, err := metrics.CRPS(test.Targets, mean, variance, test.Weights)
		if err := o.score("CRPS", v, err); err != nil {
			return err
		}
	}
	if level == 0 || !estimators.Supports(r, estimators.Interval) {
		return nil
	}
	low, high, err := r.(estimators.IntervalPredictor).PredictInterval(test.X, level)
	if err != nil {
		return err
	}
	put(&o.low, rows, at, low)
	put(&o.high, rows, at, high)
	share, width, err := metrics.Coverage(test.Targets, low, high, test.Weights)
	if err := o.score("coverage", share, err); err != nil {
		return err
	}
	return o.score("width", width, nil)
}

func (o *outOfFold) classes(c estimators.Classifier, test *table.Table, at []int, rows int) error {
	got, err := c.Predict(test.X)
	if err != nil {
		return err
	}
	if o.labels == nil {
		o.labels = make([]int, rows)
	}
	for i, row := range at {
		o.labels[row] = got[i]
	}
	for _, name := range []string{"Accuracy", "BalancedAccuracy", "MCC"} {
		m, err := metrics.ByName(name)
		if err != nil {
			return err
		}
		v, err := m.Labels(test.Labels, got, test.Weights)
		if err := o.score(name, v, err); err != nil {
			return err
		}
	}
	if !estimators.Supports(c, estimators.Proba) {
		return nil
	}
	known, err := c.(estimators.ProbaPredictor).PredictProba(test.X)
	if err != nil {
		return err
	}
	names := test.Schema.Classes()
	labels, p := make([]int, len(names)), mat.NewDense(len(at), len(names), nil)
	for k := range names {
		labels[k] = k
	}
	for j, label := range c.Classes() { // the training rows may lack a class
		p.SetCol(label, mat.Col(nil, j, known))
	}
	if o.proba == nil {
		o.proba = mat.NewDense(rows, len(names), nil)
	}
	for i, row := range at {
		o.proba.SetRow(row, p.RawRowView(i))
	}
	for _, name := range []string{"LogLoss", "Brier"} {
		m, err := metrics.ByName(name)
		if err != nil {
			return err
		}
		v, err := m.Proba(test.Labels, labels, p, test.Weights)
		if err := o.score(name, v, err); err != nil {
			return err
		}
	}
	v, err := metrics.AUCOfScores(test.Labels, labels, p, test.Weights)
	if errors.Is(err, estimators.ErrShape) { // the test rows have only one class
		v, err = math.NaN(), nil
	}
	return o.score("AUC", v, err)
}

// mean returns the mean of a metric over the folds, and its standard error.
func (o *outOfFold) mean(name string) (mean, standardError float64) {
	v := o.values[name]
	mean, deviation := stat.MeanStdDev(v, nil)
	return mean, deviation / math.Sqrt(float64(len(v)))
}

// difference tests whether two methods differ in a metric on the same folds.
func (o *outOfFold) difference(other *outOfFold, name string) (validation.Difference, error) {
	return validation.PairedDifference(o.values[name], other.values[name], o.trainRows, o.testRows)
}
