package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/eem"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/rvm"
	"github.com/kernelearn/kernelearn/estimators/svm"
	"github.com/kernelearn/kernelearn/internal/dataset"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/kernels/families"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/selection/entropy"
	"github.com/kernelearn/kernelearn/selection/grid"
	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/selection/search"
	"github.com/kernelearn/kernelearn/selection/validation"
	"github.com/kernelearn/kernelearn/transformers"
)

// tally holds the results of one search: means over the splits, and sums of its costs.
type tally struct {
	scores         [2]float64 // NMSE, or accuracy and GMean
	e              float64    // entropy of the chosen kernel
	fits, matrices int
	seconds        float64
}

// pair holds the tallies of both searches.
type pair struct{ entropy, grid tally }

func (p *pair) add(q pair) {
	for _, t := range []struct{ to, from *tally }{{&p.entropy, &q.entropy}, {&p.grid, &q.grid}} {
		t.to.fits += t.from.fits
		t.to.matrices += t.from.matrices
		t.to.seconds += t.from.seconds
	}
}

// costs returns the last cells of a row of the table.
func (p pair) costs() string {
	return fmt.Sprintf("%d\t%d\t%d\t%d\t%.1f\t%.1f\t", p.entropy.fits, p.grid.fits, p.entropy.matrices, p.grid.matrices, p.entropy.seconds,
		p.grid.seconds)
}

func (p pair) print(out io.Writer) {
	ratio := func(grid, entropy float64) float64 { return grid / entropy }
	fmt.Fprintf(out, "learner fits     %6d against %6d: 1/%.0f\n", p.entropy.fits, p.grid.fits,
		ratio(float64(p.grid.fits), float64(p.entropy.fits)))
	fmt.Fprintf(out, "kernel matrices  %6d against %6d: 1/%.1f\n", p.entropy.matrices, p.grid.matrices,
		ratio(float64(p.grid.matrices), float64(p.entropy.matrices)))
	fmt.Fprintf(out, "seconds          %6.1f against %6.1f: 1/%.1f\n\n", p.entropy.seconds, p.grid.seconds,
		ratio(p.grid.seconds, p.entropy.seconds))
}

// part holds the training rows or the test rows of a split.
type part struct {
	x      *mat.Dense
	y      []float64
	labels []int
}

// learn fits a model with the kernel that a search chooses, and scores it on the test rows.
type learn func(ctx context.Context, search search.Strategy, steps []transformers.Transformer, families []families.Family, train,
	test part) ([2]float64, *search.Result, error)

// learner is the model for which both searches choose kernels. A field is nil if the model does not support the task.
type learner struct {
	name       string
	regressor  func(k kernels.Kernel) estimators.Regressor
	classifier func(k kernels.Kernel) estimators.Classifier
}

var learners = []learner{
	{
		"lssvm",
		func(k kernels.Kernel) estimators.Regressor { return &lssvm.Regressor{Kernel: k} },
		func(k kernels.Kernel) estimators.Classifier { return &lssvm.Classifier{Kernel: k, Balanced: true} },
	},
	{
		"rvm",
		func(k kernels.Kernel) estimators.Regressor { return &rvm.Regressor{Kernel: k} },
		func(k kernels.Kernel) estimators.Classifier { return &rvm.Classifier{Kernel: k} },
	},
	{"eekm", nil, func(k kernels.Kernel) estimators.Classifier { return &eem.KernelClassifier{Kernel: k} }},
	{
		"svm", // the best C depends on the kernel: one C would favour some kernels
		func(k kernels.Kernel) estimators.Regressor { return &svm.Regressor{Kernel: k} },
		func(k kernels.Kernel) estimators.Classifier { return &svm.Classifier{Kernel: k, Balanced: true} },
	},
}

func (l learner) regress(ctx context.Context, search search.Strategy, steps []transformers.Transformer, families []families.Family, train,
	test part) ([2]float64, *search.Result, error) {
	r := &selection.Regressor{Preprocess: steps, Space: selection.Kernels(l.regressor, families...), Search: search}
	if err := r.Fit(ctx, train.x, train.y); err != nil {
		return [2]float64{}, nil, err
	}
	p, err := r.Predict(test.x)
	if err != nil {
		return [2]float64{}, nil, err
	}
	v, err := metrics.NMSE(test.y, p, nil)
	return [2]float64{v}, r.Result(), err
}

func (l learner) classify(ctx context.Context, search search.Strategy, steps []transformers.Transformer, families []families.Family, train,
	test part) ([2]float64, *search.Result, error) {
	c := &selection.Classifier{Preprocess: steps, Space: selection.Kernels(l.classifier, families...), Search: search}
	if err := c.Fit(ctx, train.x, train.labels); err != nil {
		return [2]float64{}, nil, err
	}
	p, err := c.Predict(test.x)
	if err != nil {
		return [2]float64{}, nil, err
	}
	accuracy, err := metrics.Accuracy(test.labels, p, nil)
	if err != nil {
		return [2]float64{}, nil, err
	}
	gmean, err := metrics.GMean(test.labels, p, nil)
	return [2]float64{accuracy, gmean}, c.Result(), err
}

// compare evaluates both searches on the same splits of a set.
func (c comparison) compare(set *dataset.Set, p preprocessing, f learn) (pair, error) {
	n, _ := set.X.Dims()
	folds, err := validation.ShuffleSplit{Splits: c.splits, Seed: c.seed}.Split(n, nil)
	if err != nil {
		return pair{}, err
	}
	var out pair
	for i, fold := range folds {
		var train, test part
		train.x, train.y, train.labels = set.Rows(fold.Train)
		test.x, test.y, test.labels = set.Rows(fold.Test)
		if train.x, test.x, err = dataset.Impute(train.x, test.x); err != nil {
			return pair{}, err
		}
		// For classes, the folds of the grid are stratified.
		grid := &grid.Search{Splitter: validation.KFold{Folds: 3, Seed: uint64(i)}}
		if set.Labels != nil {
			grid.Splitter, grid.Metric = validation.StratifiedKFold{Folds: 3, Seed: uint64(i)}, c.metric
		}
		for _, s := range []struct {
			search   search.Strategy
			families []families.Family
			tally    *tally
		}{{&entropy.Search{}, c.families, &out.entropy}, {grid, c.grid, &out.grid}} {
			begun := time.Now()
			scores, result, err := f(c.ctx, s.search, p.steps(), s.families, train, test)
			if err != nil {
				return pair{}, fmt.Errorf("split %d: %w", i, err)
			}
			s.tally.seconds += time.Since(begun).Seconds()
			for j, v := range scores {
				s.tally.scores[j] += v / float64(c.splits)
			}
			s.tally.e += result.Entropy / float64(c.splits)
			s.tally.fits += result.Fits
			s.tally.matrices += result.KernelMatrices + result.Fits
		}
		c.done()
	}
	return out, nil
}
