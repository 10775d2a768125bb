package estimatortest_test

import (
	"context"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/gabasr"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/transformers"
)

const benchRows = 1000

// perSecond reports the number of rows per second in a benchmark.
func perSecond(b *testing.B) {
	b.ReportMetric(benchRows*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}

// BenchmarkFit fits every estimator to the same rows.
func BenchmarkFit(b *testing.B) {
	ctx := context.Background()
	x, y, labels := single(benchRows, 2)
	for name, r := range singleRegressors() {
		b.Run("regressor/"+name, func(b *testing.B) {
			measure(b, func() error { return r.Fit(ctx, x, y) })
			perSecond(b)
		})
	}
	for name, c := range singleClassifiers() {
		b.Run("classifier/"+name, func(b *testing.B) {
			measure(b, func() error { return c.Fit(ctx, x, labels) })
			perSecond(b)
		})
	}
}

// BenchmarkPredict predicts rows with models that are fitted to half of them.
func BenchmarkPredict(b *testing.B) {
	ctx := context.Background()
	x, y, labels := single(benchRows, 2)
	half := x.Slice(0, benchRows/2, 0, 10)
	for name, r := range singleRegressors() {
		b.Run("regressor/"+name, func(b *testing.B) {
			if err := r.Fit(ctx, half, y[:benchRows/2]); err != nil {
				b.Fatal(err)
			}
			measure(b, func() error { return errorOf(r.Predict(x)) })
			perSecond(b)
		})
	}
	for name, c := range singleClassifiers() {
		b.Run("classifier/"+name, func(b *testing.B) {
			if err := c.Fit(ctx, half, labels[:benchRows/2]); err != nil {
				b.Fatal(err)
			}
			measure(b, func() error { return errorOf(c.Predict(x)) })
			perSecond(b)
		})
	}
	b.Run("variance/gabasr", func(b *testing.B) {
		r := &gabasr.Regressor{Pairs: 100, Chains: 1, Sweeps: 2, BurnIn: 1}
		if err := r.Fit(ctx, half, y[:benchRows/2]); err != nil {
			b.Fatal(err)
		}
		measure(b, func() error {
			_, _, err := r.PredictVariance(x)
			return err
		})
		perSecond(b)
	})
}

// BenchmarkTransform transforms rows into existing memory with every transformer.
func BenchmarkTransform(b *testing.B) {
	x, _, _ := single(benchRows, 2)
	for name, tr := range everyTransformer() {
		b.Run(name, func(b *testing.B) {
			if err := tr.Fit(context.Background(), x); err != nil {
				b.Fatal(err)
			}
			to, dst := tr.(transformers.TransformerTo), &mat.Dense{}
			measure(b, func() error {
				dst.Reset()
				return to.TransformTo(dst, x)
			})
			perSecond(b)
		})
	}
}

// BenchmarkKernel computes the kernel matrix of the rows for every kernel.
func BenchmarkKernel(b *testing.B) {
	x, _, _ := single(benchRows, 2)
	for name, k := range map[string]kernels.Kernel{
		"RBF": kernels.RBF{}, "Laplacian": kernels.Laplacian{}, "Matern": kernels.Matern{}, "Polynomial": kernels.Polynomial{}, "Linear": kernels.Linear{},
		"ELM": kernels.ELM{}, "Normalized": kernels.Normalized{Kernel: kernels.Polynomial{Coef0: 1}},
		"Sum": kernels.Sum{kernels.RBF{}, kernels.Linear{}},
	} {
		b.Run(name, func(b *testing.B) {
			measure(b, func() error { return errorOf(kernels.Matrix(context.Background(), k, x, nil)) })
			b.ReportMetric(benchRows*(benchRows+1)/2*float64(b.N)/b.Elapsed().Seconds(), "values/s")
		})
	}
}
