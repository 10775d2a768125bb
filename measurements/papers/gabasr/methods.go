package main

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/gabasr"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/estimators/svm"
	"github.com/kernelearn/kernelearn/internal/dataset"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/selection/validation"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

const (
	sweeps = 25 // sweeps of a chain, even if it has not mixed
	// kernelRows is the largest number of training rows for the support vector machines.
	kernelRows = 2000
	quickRows  = 300
)

// components returns the number of frequencies for GaBaSR and for plain random features.
func components(set string) int {
	if set == mixtureName {
		return 25
	}
	return 100
}

// chains returns the number of chains for GaBaSR. It returns one for many rows, to save time.
func chains(rows int) int {
	if rows > smallRows {
		return 1
	}
	return 4
}

// task is a split of a set. Columns are standardised with statistics of the training rows.
type task struct {
	set         string
	train, test *mat.Dense
	y, truth    []float64 // numbers, or 1 for the positive class and 0 for the other class
	classes     bool
	seed        uint64
}

// prepare splits a set. It replaces missing values and scales columns, both with statistics of the training rows.
func prepare(ctx context.Context, set *dataset.Set, fold validation.Fold, quick bool) (task, error) {
	t := task{set: set.Name, classes: set.Y == nil}
	if quick {
		fold.Train, fold.Test = fold.Train[:min(len(fold.Train), quickRows)], fold.Test[:min(len(fold.Test), quickRows)]
	}
	rows := func(index []int) (*mat.Dense, []float64) {
		x, y, labels := set.Rows(index)
		for _, l := range labels {
			v := 0.0
			if set.Classes[l] == set.Positive {
				v = 1
			}
			y = append(y, v)
		}
		return x, y
	}
	t.train, t.y = rows(fold.Train)
	t.test, t.truth = rows(fold.Test)
	var err error
	if t.train, t.test, err = dataset.Impute(t.train, t.test); err != nil {
		return t, err
	}
	scaler := &scalers.StandardScaler{}
	if err := scaler.Fit(ctx, t.train); err != nil {
		return t, err
	}
	if t.train, err = scaler.Transform(t.train); err != nil {
		return t, err
	}
	t.test, err = scaler.Transform(t.test)
	return t, err
}

// few returns the task with at most kernelRows training rows.
func (t task) few() task {
	n, d := t.train.Dims()
	if n <= kernelRows {
		return t
	}
	x, y := mat.NewDense(kernelRows, d, nil), make([]float64, kernelRows)
	for i, row := range rand.New(rand.NewPCG(t.seed, 1)).Perm(n)[:kernelRows] {
		x.SetRow(i, t.train.RawRowView(row))
		y[i] = t.y[row]
	}
	t.train, t.y = x, y
	return t
}

func labels(y []float64) []int {
	out := make([]int, len(y))
	for i, v := range y {
		out[i] = int(v)
	}
	return out
}

// method is one of the compared methods. It supports classes, numbers or both.
type method struct {
	name             string
	classes, numbers bool
	fit              func(ctx context.Context, t task) (values, error)
}

func (m method) applies(set *dataset.Set) bool {
	return set.Y == nil && m.classes || set.Y != nil && m.numbers
}

func methodNames() (names []string) {
	for _, m := range methods {
		names = append(names, m.name)
	}
	return names
}

var methods = []method{
	{"perceptron", true, false, perceptron},
	{"svm-linear", true, true, func(ctx context.Context, t task) (values, error) { return supportVectors(ctx, t, kernels.Linear{}) }},
	{"svm-rbf", true, true, func(ctx context.Context, t task) (values, error) { return supportVectors(ctx, t, nil) }},
	{"linear", false, true, func(ctx context.Context, t task) (values, error) {
		// A ridge near the rounding error is equivalent to least squares, and works even if columns depend on each other.
		return numbers(ctx, t, &ridge.Regressor{Ridge: 1e-6})
	}},
	{"lssvm", true, true, func(ctx context.Context, t task) (values, error) {
		t = t.few()
		if t.classes {
			return classes(ctx, t, &lssvm.Classifier{})
		}
		return numbers(ctx, t, &lssvm.Regressor{})
	}},
	{"features", true, true, plainFeatures},
	{"gabasr", true, true, learnt},
	{"surrogate", true, false, func(ctx context.Context, t task) (values, error) {
		n, _ := t.train.Dims()
		return classes(ctx, t, &gabasr.Classifier{Pairs: components(t.set), Chains: chains(n), Sweeps: sweeps, Likelihood: gabasr.Surrogate,
			Seed: t.seed, Workers: 1})
	}},
}

// learnt fits GaBaSR and returns its values.
func learnt(ctx context.Context, t task) (values, error) {
	n, _ := t.train.Dims()
	if t.classes {
		c := &gabasr.Classifier{Pairs: components(t.set), Chains: chains(n), Sweeps: sweeps, Seed: t.seed, Workers: 1}
		v, err := classes(ctx, t, c)
		if err == nil {
			v["kept"], v["start"] = c.LogEvidence()
		}
		return v, err
	}
	r := &gabasr.Regressor{Pairs: components(t.set), Chains: chains(n), Sweeps: sweeps, Seed: t.seed, Workers: 1}
	v, err := numbers(ctx, t, r)
	if err == nil {
		v["kept"], v["start"] = r.LogEvidence()
	}
	return v, err
}

// plainFeatures fits ridge regression to the same number of random features, which approximate the median kernel. Leave-one-out
// chooses the ridge. For classes the targets are ±1.
func plainFeatures(ctx context.Context, t task) (values, error) {
	n, _ := t.train.Dims()
	p := &pipeline.Regressor{
		Steps: []transformers.Transformer{&featuremap.RandomFourier{Components: 2 * components(t.set), Sampling: featuremap.Independent,
			Seed: t.seed, Workers: 1}},
		Final: &ridge.Regressor{},
	}
	if !t.classes {
		return numbers(ctx, t, p)
	}
	target := make([]float64, n)
	for i, v := range t.y {
		target[i] = 2*v - 1
	}
	if err := p.Fit(ctx, t.train, target); err != nil {
		return nil, err
	}
	f, err := p.Predict(t.test)
	if err != nil {
		return nil, err
	}
	return ofScores(t, f)
}

func supportVectors(ctx context.Context, t task, k kernels.Kernel) (values, error) {
	t = t.few()
	if t.classes {
		return classes(ctx, t, &svm.Classifier{Kernel: k, C: 1, MaxIterations: 200000})
	}
	// C and ε are in the units of the targets.
	mean, scale := moments(t.y)
	for i, v := range t.y {
		t.y[i] = (v - mean) / scale
	}
	truth := make([]float64, len(t.truth))
	for i, v := range t.truth {
		truth[i] = (v - mean) / scale
	}
	t.truth = truth
	v, err := numbers(ctx, t, &svm.Regressor{Kernel: k, C: 10, MaxIterations: 200000})
	if err == nil {
		v["mse"] *= scale * scale
	}
	return v, err
}

func moments(y []float64) (mean, deviation float64) {
	for _, v := range y {
		mean += v / float64(len(y))
	}
	for _, v := range y {
		deviation += (v - mean) * (v - mean) / float64(len(y))
	}
	return mean, math.Sqrt(deviation)
}

type scorer interface {
	estimators.Classifier
	estimators.DecisionPredictor
}

// classes fits a classifier and returns the values of its scores.
func classes(ctx context.Context, t task, c scorer) (values, error) {
	if err := c.Fit(ctx, t.train, labels(t.y)); err != nil {
		return nil, err
	}
	f, err := c.Decision(t.test)
	if err != nil {
		return nil, err
	}
	return ofScores(t, mat.Col(nil, 1, f))
}

// ofScores returns the values of scores, which are positive for the positive class.
func ofScores(t task, scores []float64) (values, error) {
	auc, err := metrics.AUC(labels(t.truth), 1, scores, nil)
	if err != nil {
		return nil, err
	}
	right := 0.0
	for i, v := range scores {
		if (v > 0) == (t.truth[i] == 1) {
			right++
		}
	}
	return values{"auc": auc, "accuracy": right / float64(len(scores))}, nil
}

// numbers fits a regressor and returns the values of its predictions.
func numbers(ctx context.Context, t task, r estimators.Regressor) (values, error) {
	if err := r.Fit(ctx, t.train, t.y); err != nil {
		return nil, err
	}
	f, err := r.Predict(t.test)
	if err != nil {
		return nil, err
	}
	r2, err := metrics.R2(t.truth, f, nil)
	if err != nil {
		return nil, err
	}
	rmse, err := metrics.RMSE(t.truth, f, nil)
	if err != nil {
		return nil, err
	}
	out := values{"r2": r2, "mse": rmse * rmse}
	if g, ok := r.(*gabasr.Regressor); ok {
		low, high, err := g.PredictInterval(t.test, 0.95)
		if err != nil {
			return nil, err
		}
		for i, v := range t.truth {
			if low[i] <= v && v <= high[i] {
				out["covered"]++
			}
		}
		out["tested"] = float64(len(f))
	}
	return out, nil
}

// perceptron fits Rosenblatt's perceptron in ten passes, averaged over its steps (Y. Freund and R. Schapire, Machine Learning 37,
// 1999).
func perceptron(_ context.Context, t task) (values, error) {
	n, d := t.train.Dims()
	rng := rand.New(rand.NewPCG(t.seed, 2))
	w, sum := make([]float64, d+1), make([]float64, d+1)
	score := func(w, x []float64) float64 {
		f := w[d]
		for j, v := range x {
			f += w[j] * v
		}
		return f
	}
	for range 10 {
		for _, i := range rng.Perm(n) {
			row, sign := t.train.RawRowView(i), 2*t.y[i]-1
			if sign*score(w, row) <= 0 {
				for j, v := range row {
					w[j] += sign * v
				}
				w[d] += sign
			}
			for j, v := range w {
				sum[j] += v
			}
		}
	}
	m, _ := t.test.Dims()
	scores := make([]float64, m)
	for i := range scores {
		scores[i] = score(sum, t.test.RawRowView(i))
	}
	return ofScores(t, scores)
}
