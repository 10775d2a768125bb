package main

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/eem"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/rvm"
	"github.com/kernelearn/kernelearn/estimators/svm"
	"github.com/kernelearn/kernelearn/internal/dataset"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
)

// item is a piece of work that both the library and a peer do.
type item struct {
	name, peer string
	script     string     // the peer's name for the item
	wanted     [2]float64 // upper limits of the ratio, with simdblas and OpenBLAS
	prepare    func(f folder, scale float64) (work, error)
}

// work does a piece of work once and returns a measure of the outcome.
type work func(ctx context.Context) (float64, error)

const friedmanGamma = 0.5

func items() []item {
	sk := func(name string, simd, open float64, prepare func(f folder, scale float64) (work, error)) item {
		return item{name, sklearn, name, [2]float64{simd, open}, prepare}
	}
	return []item{
		{"rvm1000", kernlab, "", [2]float64{1. / 4, 1. / 4}, relevance(1000)},
		{"rvm2000", kernlab, "", [2]float64{1. / 8, 1. / 8}, relevance(2000)},
		sk("ridge", 1.3, 1, leastSquares),
		sk("ridges", 1, 1, leaveOneOut),
		sk("svc", 1.5, 1.5, supportVectors),
		sk("nystroem", 1.3, 1, mapped(func(gamma float64) transformers.Transformer {
			return &featuremap.Nystroem{Kernel: kernels.RBF{Gamma: gamma}, Components: 500, Rule: featuremap.UniformLandmarks}
		})),
		sk("fourier", 1.3, 1, mapped(func(gamma float64) transformers.Transformer {
			return &featuremap.RandomFourier{Kernel: kernels.RBF{Gamma: gamma}, Components: 500}
		})),
		sk("eem", 1.3, 1, extremeEntropy),
		sk("kernel", 1.2, 1, kernelMatrix),
		sk("selection", 0.1, 0.1, entropySelection),
	}
}

func rows(n int, scale float64) int { return max(50, int(float64(n)*scale)) }

// signedSine draws rows with the classes 0 and 1, which are the signs of the targets of the set sine.
func signedSine(n, d int, seed uint64) (x *mat.Dense, labels []int) {
	x, y := dataset.Sine(n, d, seed)
	labels = make([]int, n)
	for i, v := range y {
		if v > 0 {
			labels[i] = 1
		}
	}
	return x, labels
}

func floats(y []int) []float64 {
	out := make([]float64, len(y))
	for i, v := range y {
		out[i] = float64(v)
	}
	return out
}

func nmse(y, p []float64) float64 {
	mean, squares, errors := 0.0, 0.0, 0.0
	for _, v := range y {
		mean += v / float64(len(y))
	}
	for i, v := range y {
		squares += (v - mean) * (v - mean)
		errors += (v - p[i]) * (v - p[i])
	}
	return errors / squares
}

func accuracy(y, p []int) float64 {
	right := 0.0
	for i, v := range y {
		if p[i] == v {
			right++
		}
	}
	return right / float64(len(y))
}

// first returns the first error that is not nil.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func relevance(n int) func(folder, float64) (work, error) {
	return func(f folder, scale float64) (work, error) {
		x, y := dataset.Friedman1(rows(n, scale), 10, 1)
		xt, yt := dataset.Friedman1(1000, 10, 99)
		err := first(f.csv("train.csv", x, y), f.csv("test.csv", xt, yt))
		return fitPredict(&rvm.Regressor{Kernel: kernels.RBF{Gamma: friedmanGamma}}, x, xt, y, yt), err
	}
}

// regression draws n training rows with ten columns and as many test rows, and writes them.
func regression(f folder, n int) (x, xt *mat.Dense, y, yt []float64, err error) {
	x, y = dataset.Sine(n, 10, 1)
	xt, yt = dataset.Sine(n, 10, 2)
	err = first(f.write("x", x), f.row("y", y...), f.write("xt", xt), f.row("yt", yt...), f.row("gamma", benchGamma))
	return x, xt, y, yt, err
}

const benchGamma = 0.05

func leastSquares(f folder, scale float64) (work, error) {
	x, xt, y, yt, err := regression(f, rows(2000, scale))
	if err := first(err, f.row("ridge", 0.1)); err != nil {
		return nil, err
	}
	return fitPredict(&lssvm.Regressor{Kernel: kernels.RBF{Gamma: benchGamma}, Ridge: 0.1}, x, xt, y, yt), nil
}

// leaveOneOut measures the default choice, which is the ridge with the smallest exact leave-one-out error. The peer tries ten
// ridges in five folds each.
func leaveOneOut(f folder, scale float64) (work, error) {
	x, xt, y, yt, err := regression(f, rows(2000, scale))
	ridges := make([]float64, 10)
	for i := range ridges {
		ridges[i] = math.Pow(10, float64(i)/2-4)
	}
	if err := first(err, f.row("ridge", ridges...)); err != nil {
		return nil, err
	}
	return fitPredict(&lssvm.Regressor{Kernel: kernels.RBF{Gamma: benchGamma}}, x, xt, y, yt), nil
}

// fitPredict returns work that fits a regressor. The work returns the error of its predictions.
func fitPredict(r estimators.Regressor, x, xt *mat.Dense, y, yt []float64) work {
	return func(ctx context.Context) (float64, error) {
		if err := r.Fit(ctx, x, y); err != nil {
			return 0, err
		}
		p, err := r.Predict(xt)
		if err != nil {
			return 0, err
		}
		return nmse(yt, p), nil
	}
}

func supportVectors(f folder, scale float64) (work, error) {
	n := rows(2000, scale)
	x, y := signedSine(n, 10, 1)
	xt, yt := signedSine(n, 10, 2)
	err := first(f.write("x", x), f.row("y", floats(y)...), f.write("xt", xt), f.row("yt", floats(yt)...), f.row("gamma", benchGamma))
	return func(ctx context.Context) (float64, error) {
		c := &svm.Classifier{Kernel: kernels.RBF{Gamma: benchGamma}, C: 1}
		if err := c.Fit(ctx, x, y); err != nil {
			return 0, err
		}
		p, err := c.Predict(xt)
		if err != nil {
			return 0, err
		}
		return accuracy(yt, p), nil
	}, err
}

func mapped(make func(gamma float64) transformers.Transformer) func(folder, float64) (work, error) {
	return func(f folder, scale float64) (work, error) {
		const gamma = 0.5 / 20
		x := dataset.Normal(rows(100_000, scale), 20, 1)
		err := first(f.write("x", x), f.row("gamma", gamma))
		return func(ctx context.Context) (float64, error) {
			t := make(gamma)
			if err := t.Fit(ctx, x); err != nil {
				return 0, err
			}
			z, err := t.Transform(x)
			if err != nil {
				return 0, err
			}
			_, h := z.Dims()
			return float64(h), nil
		}, err
	}
}

func extremeEntropy(f folder, scale float64) (work, error) {
	const units = 500
	x, y := signedSine(rows(100_000, scale), 20, 1)
	xt, yt := signedSine(2000, 20, 2)
	h := &featuremap.RandomHidden{Units: units}
	if err := h.Fit(context.Background(), x); err != nil {
		return nil, err
	}
	w, b := h.UnitWeights() // the Classifier has the same seed and weights
	err := first(f.write("x", x), f.row("y", floats(y)...), f.write("xt", xt), f.row("yt", floats(yt)...), f.write("w", w),
		f.row("b", b...))
	return func(ctx context.Context) (float64, error) {
		c := &eem.Classifier{Units: units}
		if err := c.Fit(ctx, x, y); err != nil {
			return 0, err
		}
		p, err := c.Predict(xt)
		if err != nil {
			return 0, err
		}
		return accuracy(yt, p), nil
	}, err
}

func kernelMatrix(f folder, scale float64) (work, error) {
	x := dataset.Normal(rows(5000, scale), 10, 1)
	err := first(f.write("x", x), f.row("gamma", benchGamma))
	return func(ctx context.Context) (float64, error) {
		k, err := kernels.Matrix(ctx, kernels.RBF{Gamma: benchGamma}, x, nil)
		if err != nil {
			return 0, err
		}
		return k.At(0, 1), nil
	}, err
}

// entropySelection chooses the kernel by its entropy, whereas the peer evaluates 24 kernels in three folds each. Both then use the
// kernel for a fit to all rows with the same ridge.
func entropySelection(f folder, scale float64) (work, error) {
	x, xt, y, yt, err := regression(f, rows(5000, scale))
	gammas := make([]float64, 24)
	for i := range gammas {
		gammas[i] = math.Pow(10, float64(i)/6-3.5)
	}
	const ridge = 0.1
	if err := first(err, f.row("ridge", ridge), f.row("gammas", gammas...)); err != nil {
		return nil, err
	}
	return fitPredict(&selection.Regressor{
		Space: selection.Kernels(func(k kernels.Kernel) estimators.Regressor {
			return &lssvm.Regressor{Kernel: k, Ridge: ridge}
		}),
	}, x, xt, y, yt), nil
}
