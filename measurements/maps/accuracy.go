package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"text/tabwriter"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/kernelearn/kernelearn/internal/dataset"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
)

// compared is the number of rows on which features are compared with the kernel. All pairs of these rows are compared.
const compared = 500

var samplings = []featuremap.Sampling{featuremap.Independent, featuremap.Orthogonal, featuremap.QuasiMonteCarlo}

// featureCounts returns the numbers of features in the columns of the table of samplings.
func featureCounts() (out []int) {
	for d := 64; d <= 4096; d *= 2 {
		out = append(out, d)
	}
	return out
}

func samplerSteps(s settings) func(sets int) int {
	return func(sets int) int { return sets * len(samplings) * len(featureCounts()) * s.repeats }
}

// samplerTable prints the mean squared error of the approximated kernel for each number of features.
func samplerTable(ctx context.Context, out io.Writer, sets []*dataset.Set, s settings, done func()) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "set\tcolumns\tsampling\t")
	for _, d := range featureCounts() {
		fmt.Fprintf(w, "%d\t", d)
	}
	fmt.Fprintln(w, "slope\t")
	for _, set := range sets {
		all, err := scaled(ctx, set)
		if err != nil {
			return err
		}
		n, columns := all.Dims()
		x := rows(all, rand.New(rand.NewPCG(s.seed, 0)).Perm(n)[:min(n, compared)])
		k, err := kernels.MedianRBF(ctx, all, s.seed)
		if err != nil {
			return err
		}
		exact, err := kernels.Matrix(ctx, k, x, nil)
		if err != nil {
			return err
		}
		for _, sampling := range samplings {
			fmt.Fprintf(w, "%s\t%d\t%v\t", set.Name, columns, sampling)
			var logD, logE []float64
			for _, features := range featureCounts() {
				e := 0.0
				for r := range s.repeats {
					m := &featuremap.RandomFourier{Kernel: k, Components: features, Sampling: sampling, Seed: s.seed + uint64(r)}
					one, err := kernelError(ctx, m, x, exact)
					if err != nil {
						return err
					}
					e += one / float64(s.repeats)
					done()
				}
				fmt.Fprintf(w, "%.1e\t", e)
				logD, logE = append(logD, math.Log(float64(features))), append(logE, math.Log(e))
			}
			_, slope := stat.LinearRegression(logD, logE, nil, false)
			fmt.Fprintf(w, "%.2f\t\n", slope)
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "\nmean squared error of the kernel over the pairs of at most %d rows, means of %d seeds, by features\n\n",
		compared, s.repeats)
	return err
}

func rows(x *mat.Dense, of []int) *mat.Dense {
	_, d := x.Dims()
	out := mat.NewDense(len(of), d, nil)
	for i, r := range of {
		out.SetRow(i, x.RawRowView(r))
	}
	return out
}

func kernelError(ctx context.Context, m *featuremap.RandomFourier, x *mat.Dense, exact *mat.SymDense) (float64, error) {
	if err := m.Fit(ctx, x); err != nil {
		return 0, err
	}
	z, err := m.Transform(x)
	if err != nil {
		return 0, err
	}
	var gram mat.SymDense
	gram.SymOuterK(1, z)
	n := exact.SymmetricDim()
	sum := 0.0
	for i := range n {
		for j := range n {
			d := gram.At(i, j) - exact.At(i, j)
			sum += d * d / float64(n*n)
		}
	}
	return sum, nil
}

var rules = []featuremap.LandmarkRule{featuremap.PivotedCholesky, featuremap.KMeansPlusPlus, featuremap.UniformLandmarks}

func landmarkSteps(s settings) func(sets int) int {
	return func(sets int) int { return sets * len(rules) * 3 * s.repeats }
}

// landmarkTable prints the share of the kernel matrix's trace that the landmarks do not explain.
func landmarkTable(ctx context.Context, out io.Writer, sets []*dataset.Set, s settings, done func()) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	counts := []int{s.landmarks / 4, s.landmarks / 2, s.landmarks}
	fmt.Fprintf(w, "set\trows\tlandmarks\t%d\t%d\t%d\t\n", counts[0], counts[1], counts[2])
	for _, set := range sets {
		x, err := scaled(ctx, set)
		if err != nil {
			return err
		}
		k, err := kernels.MedianRBF(ctx, x, s.seed)
		if err != nil {
			return err
		}
		n, _ := x.Dims()
		for _, rule := range rules {
			fmt.Fprintf(w, "%s\t%d\t%v\t", set.Name, n, rule)
			for _, count := range counts {
				left := 0.0
				for r := range s.repeats {
					m := &featuremap.Nystroem{Kernel: k, Components: count, Rule: rule, Seed: s.seed + uint64(r)}
					one, err := traceError(ctx, m, x)
					if err != nil {
						return err
					}
					left += one / float64(s.repeats)
					done()
				}
				fmt.Fprintf(w, "%.3g\t", left)
			}
			fmt.Fprintln(w)
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "\nshare of the kernel's trace that the landmarks leave, means of %d seeds, by landmarks\n\n", s.repeats)
	return err
}

func traceError(ctx context.Context, m *featuremap.Nystroem, x *mat.Dense) (float64, error) {
	if err := m.Fit(ctx, x); err != nil {
		return 0, err
	}
	if left, ok := m.TrainingResidual(); ok {
		return left, nil
	}
	return m.Residual(x)
}
