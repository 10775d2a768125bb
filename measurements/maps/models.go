package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"text/tabwriter"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/internal/dataset"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/kernels/families"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/selection/entropy"
	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/selection/validation"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// method is a row of the table of models.
type method struct {
	name string
	all  bool // fitted to all training rows instead of the subset
	make func(kernel kernels.Kernel, s settings) estimators.Regressor
}

// The settings of the maps are their defaults, except for the number of features. The first row is compared with all others.
var methods = []method{
	{"kernel model", false, func(k kernels.Kernel, _ settings) estimators.Regressor { return &lssvm.Regressor{Kernel: k} }},
	{"ridge on Nystroem features", true, func(k kernels.Kernel, s settings) estimators.Regressor {
		return onFeatures(&featuremap.Nystroem{Kernel: k, Components: s.features, Seed: s.seed})
	}},
	{"ridge on Nystroem features, uniform landmarks", true, func(k kernels.Kernel, s settings) estimators.Regressor {
		return onFeatures(&featuremap.Nystroem{Kernel: k, Components: s.features, Seed: s.seed, Rule: featuremap.UniformLandmarks})
	}},
	{"ridge on random features", true, func(k kernels.Kernel, s settings) estimators.Regressor {
		return onFeatures(&featuremap.RandomFourier{Kernel: k, Components: s.features, Seed: s.seed})
	}},
	{"ridge", true, func(kernels.Kernel, settings) estimators.Regressor { return &ridge.Regressor{} }},
}

func onFeatures(t transformers.Transformer) estimators.Regressor {
	return &pipeline.Regressor{Steps: []transformers.Transformer{t}, Final: &ridge.Regressor{}}
}

func modelSteps(sets int) int { return sets * (len(methods) + 1) }

// modelTable prints test errors and seconds for each method.
func modelTable(ctx context.Context, out io.Writer, sets []*dataset.Set, s settings, done func()) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "set\tmethod\ttraining rows\terror\tto the kernel model\tfit s\tpredict s\t")
	var notes string
	for _, set := range sets {
		p, err := divide(ctx, set, s)
		if err != nil {
			return err
		}
		k, err := p.choose(ctx, s)
		if err != nil {
			return err
		}
		done()
		kind := "NMSE"
		if p.classes {
			kind = "share of wrong signs"
		}
		notes += fmt.Sprintf("%s: %v, chosen on %d rows; the error is the %s of %d test rows\n", set.Name, k, min(s.search, len(p.y)), kind,
			len(p.yTest))
		first := 0.0
		for i, m := range methods {
			e, n, fit, predict, err := p.measure(ctx, m, k, s)
			if err != nil {
				return fmt.Errorf("%s: %s: %w", set.Name, m.name, err)
			}
			if i == 0 {
				first = e
			}
			fmt.Fprintf(w, "%s\t%s\t%d\t%.4f\t%+.1f%%\t%.1f\t%.1f\t\n", set.Name, m.name, n, e, 100*(e/first-1), fit.Seconds(),
				predict.Seconds())
			done()
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "\n%s%d features\n\n", notes, s.features)
	return err
}

// part is a set divided into training and test rows, in random order. The targets of two classes are -1 and 1, as least squares
// requires.
type part struct {
	train, test *mat.Dense
	y, yTest    []float64
	classes     bool
}

func divide(ctx context.Context, set *dataset.Set, s settings) (*part, error) {
	n, _ := set.X.Dims()
	folds, err := validation.ShuffleSplit{Splits: 1, Seed: s.seed}.Split(n, nil)
	if err != nil {
		return nil, err
	}
	train := folds[0].Train
	rand.New(rand.NewPCG(s.seed, 1)).Shuffle(len(train), func(i, j int) { train[i], train[j] = train[j], train[i] })
	p := &part{classes: set.Y == nil}
	var labels, labelsTest []int
	p.train, p.y, labels = set.Rows(train)
	p.test, p.yTest, labelsTest = set.Rows(folds[0].Test)
	if p.classes {
		p.y, p.yTest = signs(labels), signs(labelsTest)
	}
	if p.train, p.test, err = dataset.Impute(p.train, p.test); err != nil {
		return nil, err
	}
	scaler := &scalers.StandardScaler{}
	if err := scaler.Fit(ctx, p.train); err != nil {
		return nil, err
	}
	if p.train, err = scaler.Transform(p.train); err != nil {
		return nil, err
	}
	p.test, err = scaler.Transform(p.test)
	return p, err
}

func signs(labels []int) []float64 {
	out := make([]float64, len(labels))
	for i, label := range labels {
		out[i] = 2*float64(label) - 1
	}
	return out
}

// first returns the first n training rows, or all training rows if there are fewer.
func (p *part) first(n int) (*mat.Dense, []float64) {
	all, d := p.train.Dims()
	n = min(n, all)
	return p.train.Slice(0, n, 0, d).(*mat.Dense), p.y[:n]
}

// choose returns the RBF kernel that the entropy selection chooses on a small number of rows.
func (p *part) choose(ctx context.Context, s settings) (kernels.Kernel, error) {
	search := &selection.Regressor{Search: &entropy.Search{}}
	x, y := p.first(s.search)
	if err := search.Fit(ctx, x, y); err != nil {
		return nil, err
	}
	return families.RBF{}.Kernel(search.Result().Param), nil
}

// measure returns the test error of a method, the number of its training rows, and its times.
func (p *part) measure(ctx context.Context, m method, k kernels.Kernel,
	s settings) (e float64, n int, fit, predict time.Duration, err error) {
	x, y := p.train, p.y
	if !m.all {
		x, y = p.first(s.subset)
	}
	model := m.make(k, s)
	start := time.Now()
	if err := model.Fit(ctx, x, y); err != nil {
		return 0, 0, 0, 0, err
	}
	fit = time.Since(start)
	start = time.Now()
	f, err := model.Predict(p.test)
	if err != nil {
		return 0, 0, 0, 0, err
	}
	predict = time.Since(start)
	e, err = p.score(f)
	return e, len(y), fit, predict, err
}

// score returns the error of predictions: NMSE, or the share of wrong signs.
func (p *part) score(f []float64) (float64, error) {
	if !p.classes {
		return metrics.NMSE(p.yTest, f, nil)
	}
	wrong := 0.0
	for i, v := range f {
		if (v >= 0) != (p.yTest[i] > 0) {
			wrong++
		}
	}
	return wrong / float64(len(f)), nil
}
