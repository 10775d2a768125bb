package main

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/kernelearn/kernelearn/estimators/eem"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/rvm"
	"github.com/kernelearn/kernelearn/estimators/svm"
	"github.com/kernelearn/kernelearn/internal/dataset"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
)

// BenchmarkGrowth measures the exponent with which the time grows in the number of rows, columns or components. It fits the
// exponent to the smallest time for each size of a case:
//
//	go test -run - -bench Growth -benchtime 3x .
//
// It runs on adapters/simdblas.
func BenchmarkGrowth(b *testing.B) {
	contenders[1].use()
	ctx := context.Background()
	k := kernels.RBF{Gamma: benchGamma}
	for _, c := range []struct {
		name    string
		sizes   []int
		prepare func(size int) func() error
	}{
		{"kernel/rows", []int{1000, 2000, 4000}, func(n int) func() error {
			x := dataset.Normal(n, 10, 1)
			return func() error { _, err := kernels.Matrix(ctx, k, x, nil); return err }
		}},
		{"kernel/columns", []int{10, 100, 1000}, func(d int) func() error {
			x := dataset.Normal(2000, d, 1)
			return func() error { _, err := kernels.Matrix(ctx, k, x, nil); return err }
		}},
		{"lssvm-fixed/rows", []int{500, 1000, 2000}, func(n int) func() error {
			x, y := dataset.Sine(n, 10, 1)
			return func() error { return (&lssvm.Regressor{Kernel: k, Ridge: 0.1}).Fit(ctx, x, y) }
		}},
		{"lssvm-leave-one-out/rows", []int{250, 500, 1000}, func(n int) func() error {
			x, y := dataset.Sine(n, 10, 1)
			return func() error { return (&lssvm.Regressor{Kernel: k}).Fit(ctx, x, y) }
		}},
		{"svm/rows", []int{1000, 2000, 4000}, func(n int) func() error {
			x, y := signedSine(n, 10, 1)
			return func() error { return (&svm.Classifier{Kernel: k, C: 1}).Fit(ctx, x, y) }
		}},
		{"rvm/rows", []int{500, 1000, 2000}, func(n int) func() error {
			x, y := dataset.Friedman1(n, 10, 1)
			return func() error {
				return (&rvm.Regressor{Kernel: kernels.RBF{Gamma: friedmanGamma}, NoAllIn: true}).Fit(ctx, x, y)
			}
		}},
		{"nystroem/rows", []int{5000, 10000, 20000}, func(n int) func() error { return transform(ctx, n, 20, 500, true) }},
		{"nystroem/components", []int{125, 250, 500}, func(h int) func() error { return transform(ctx, 10000, 20, h, true) }},
		{"fourier/rows", []int{5000, 10000, 20000}, func(n int) func() error { return transform(ctx, n, 20, 500, false) }},
		{"fourier/components", []int{128, 256, 512}, func(h int) func() error { return transform(ctx, 10000, 20, h, false) }},
		{"eem/rows", []int{5000, 10000, 20000}, func(n int) func() error { return entropyFit(ctx, n, 500) }},
		{"eem/components", []int{250, 500, 1000}, func(h int) func() error { return entropyFit(ctx, 10000, h) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			least := make([]float64, len(c.sizes))
			runs := make([]func() error, len(c.sizes))
			for i, size := range c.sizes {
				least[i], runs[i] = math.Inf(1), c.prepare(size)
			}
			for b.Loop() {
				for i, run := range runs {
					begin := time.Now()
					if err := run(); err != nil {
						b.Fatal(err)
					}
					least[i] = min(least[i], time.Since(begin).Seconds())
				}
			}
			x, y := make([]float64, len(least)), make([]float64, len(least))
			for i, s := range least {
				x[i], y[i] = math.Log(float64(c.sizes[i])), math.Log(s)
				b.ReportMetric(1e3*s, fmt.Sprintf("ms-at-%d", c.sizes[i]))
			}
			_, slope := stat.LinearRegression(x, y, nil, false)
			b.ReportMetric(slope, "exponent")
		})
	}
}

func transform(ctx context.Context, n, d, components int, nystroem bool) func() error {
	x := dataset.Normal(n, d, 1)
	k := kernels.RBF{Gamma: 0.5 / float64(d)}
	var t transformers.Transformer = &featuremap.RandomFourier{Kernel: k, Components: components}
	if nystroem {
		t = &featuremap.Nystroem{Kernel: k, Components: components, Rule: featuremap.UniformLandmarks}
	}
	return func() error {
		if err := t.Fit(ctx, x); err != nil {
			return err
		}
		_, err := t.Transform(x)
		return err
	}
}

func entropyFit(ctx context.Context, n, units int) func() error {
	x, y := signedSine(n, 20, 1)
	return func() error {
		c := &eem.Classifier{Units: units}
		if err := c.Fit(ctx, x, y); err != nil {
			return err
		}
		c.Pairs() // solves the machine
		return nil
	}
}
