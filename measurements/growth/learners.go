package main

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/kernels/families"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/selection/entropy"
	"github.com/kernelearn/kernelearn/selection/grid"
	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/selection/search"
	"github.com/kernelearn/kernelearn/selection/validation"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

const (
	byEntropy = "entropy"
	byGrid    = "grid"
	exactName = "lssvm"
)

var searches = []string{byEntropy, byGrid}

// place is a point of a curve: a learner and a number of rows.
type place struct {
	learner string
	rows    int
}

// places returns the places of a source, sorted by learner and by size.
func (s settings) places(src source) (out []place) {
	last := 0 // largest size for the least-squares SVM
	for _, n := range s.sizes {
		if n <= s.exact && (src.most == 0 || n <= src.most) {
			out, last = append(out, place{exactName, n}), n
		}
	}
	var mapped []place
	for _, n := range s.sizes {
		if n >= last && (src.most == 0 || n <= src.most) {
			mapped = append(mapped, place{s.mapName(), n})
		}
	}
	if len(mapped) == 1 && last > 0 {
		mapped = nil // nothing to compare it with
	}
	return append(out, mapped...)
}

func (s settings) mapName() string { return fmt.Sprintf("nystroem%d", s.landmarks) }

// measure searches and fits with the training rows of a draw, and predicts the test rows. The seconds exclude the prediction.
func (s settings) measure(ctx context.Context, src source, k key) (value, error) {
	train, test, err := src.rows(k.rows, src.test, k.seed)
	if err != nil {
		return value{}, err
	}
	runtime.GC()
	begun := time.Now()
	steps := []transformers.Transformer{&scalers.StandardScaler{}}
	if src.classes {
		c := &selection.Classifier{Preprocess: steps, Space: selection.Kernels(s.classifier(k), gridFamilies(k)...),
			Search: strategy(k, true)}
		if err := c.Fit(ctx, train.x, train.labels); err != nil {
			return value{}, err
		}
		seconds := time.Since(begun).Seconds()
		p, err := c.Predict(test.x)
		if err != nil {
			return value{}, err
		}
		right, err := metrics.Accuracy(test.labels, p, nil)
		return value{1 - right, seconds}, err
	}
	r := &selection.Regressor{Preprocess: steps, Space: selection.Kernels(s.regressor(k), gridFamilies(k)...), Search: strategy(k, false)}
	if err := r.Fit(ctx, train.x, train.y); err != nil {
		return value{}, err
	}
	seconds := time.Since(begun).Seconds()
	p, err := r.Predict(test.x)
	if err != nil {
		return value{}, err
	}
	e, err := metrics.NMSE(test.y, p, nil)
	return value{e, seconds}, err
}

// strategy returns the search with the draw's seed. For classes, the folds of a grid are stratified.
func strategy(k key, classes bool) search.Strategy {
	switch {
	case k.search == byEntropy:
		return &entropy.Search{Seed: k.seed}
	case classes:
		return &grid.Search{Points: 24, Splitter: validation.StratifiedKFold{Folds: 3, Seed: k.seed}}
	}
	return &grid.Search{Points: 24, Splitter: validation.KFold{Folds: 3, Seed: k.seed}}
}

// gridFamilies returns the families for the grid. It returns nil for the search by entropy, which then uses its default families.
func gridFamilies(k key) []families.Family {
	if k.search == byGrid {
		return []families.Family{families.RBF{}}
	}
	return nil
}

func (s settings) regressor(at key) func(kernels.Kernel) estimators.Regressor {
	return func(k kernels.Kernel) estimators.Regressor {
		if at.learner == exactName {
			return &lssvm.Regressor{Kernel: k}
		}
		return &pipeline.Regressor{
			Steps: []transformers.Transformer{&featuremap.Nystroem{Kernel: k, Components: s.landmarks, Seed: at.seed}},
			Final: &ridge.Regressor{},
		}
	}
}

func (s settings) classifier(at key) func(kernels.Kernel) estimators.Classifier {
	regressor := s.regressor(at)
	return func(k kernels.Kernel) estimators.Classifier {
		if at.learner == exactName {
			return &lssvm.Classifier{Kernel: k}
		}
		return &signed{build: func() estimators.Regressor { return regressor(k) }}
	}
}

// signed is a classifier of two classes that fits a regressor to targets of ±1.
type signed struct {
	build   func() estimators.Regressor
	classes []int
	fitted  estimators.Regressor
}

// FeatureMap implements selection.FeatureLearner.
func (c *signed) FeatureMap() []transformers.Transformer {
	if p, ok := c.build().(*pipeline.Regressor); ok {
		return p.Steps
	}
	return nil
}

func (c *signed) Fit(ctx context.Context, x mat.Matrix, y []int) error {
	classes := slices.Clone(y)
	slices.Sort(classes)
	classes = slices.Compact(classes)
	if len(classes) != 2 {
		return fmt.Errorf("%d classes, and ridge regression on features is for two here", len(classes))
	}
	targets := make([]float64, len(y))
	for i, label := range y {
		targets[i] = -1
		if label == classes[1] {
			targets[i] = 1
		}
	}
	r := c.build()
	if err := r.Fit(ctx, x, targets); err != nil {
		return err
	}
	c.classes, c.fitted = classes, r
	return nil
}

func (c *signed) Predict(x mat.Matrix) ([]int, error) {
	p, err := c.fitted.Predict(x)
	if err != nil {
		return nil, err
	}
	out := make([]int, len(p))
	for i, v := range p {
		out[i] = c.classes[0]
		if v > 0 {
			out[i] = c.classes[1]
		}
	}
	return out, nil
}

func (c *signed) Classes() []int { return slices.Clone(c.classes) }

// Clone returns a copy with the same function build, which is not exported.
func (c *signed) Clone() estimators.Classifier { return &signed{build: c.build} }
