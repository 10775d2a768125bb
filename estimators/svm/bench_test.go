package svm

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/svm/internal/smo"
	"github.com/kernelearn/kernelearn/kernels"
)

var peer = flag.String("peer", "", "python with scikit-learn, for BenchmarkAgainstPeer")

const benchGamma = 0.05

// overlapping returns rows of ten columns in two classes that no machine separates without error.
func overlapping(n int, seed uint64) (*mat.Dense, []int) {
	rng := rand.New(rand.NewPCG(seed, 0))
	x, y := mat.NewDense(n, 10, nil), make([]int, n)
	for i := range n {
		row := x.RawRowView(i)
		for j := range row {
			row[j] = rng.NormFloat64()
		}
		if math.Sin(2*row[0])+row[1]*row[2]+0.5*row[3]+0.3*rng.NormFloat64() > 0 {
			y[i] = 1
		}
	}
	return x, y
}

func BenchmarkFit(b *testing.B) {
	x, y := overlapping(2000, 1)
	k := kernels.RBF{Gamma: benchGamma}
	for _, m := range []*Classifier{{C: 1}, {C: 10}, {C: 100}, {}} {
		m.Kernel = k
		b.Run(fmt.Sprintf("C=%v", m.C), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := m.Fit(ctx, x, y); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(m.Report().Iterations), "iterations")
			b.ReportMetric(float64(len(m.SupportIndices())), "vectors")
			b.ReportMetric(m.Report().Objective, "objective")
		})
	}
}

// BenchmarkFitCache fits a model with a cache that holds an eighth of the kernel matrix.
func BenchmarkFitCache(b *testing.B) {
	x, y := overlapping(2000, 1)
	src := &countedSource{smo.EvaluateKernel(kernels.RBF{Gamma: benchGamma}, x, 0), new(int)}
	p := smo.NewProblem(make([]float64, 2000))
	for i, l := range y {
		p.Target[i], p.Lo[i], p.Hi[i] = float64(2*l-1), float64(l-1), float64(l)
	}
	b.ReportAllocs()
	for b.Loop() {
		*src.evaluations = 0
		c := smo.Control{Tolerance: 1e-3, MaxIterations: 1e6, Shrinking: true, CacheBytes: 8 * 2000 * 2000 / 8}
		if _, err := smo.Solve(ctx, src, p, c); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(*src.evaluations)/(2000*2000), "evaluations/n²")
}

// countedSource counts the kernel values that are computed for rows of the kernel matrix.
type countedSource struct {
	smo.Source
	evaluations *int
}

func (s *countedSource) Columns(ctx context.Context, columns []int) (smo.View, error) {
	v, err := s.Source.Columns(ctx, columns)
	return countedView{v, len(columns), s.evaluations}, err
}

type countedView struct {
	smo.View
	columns     int
	evaluations *int
}

func (v countedView) Fill(ctx context.Context, dst []float64, i int) error {
	*v.evaluations += v.columns
	return v.View.Fill(ctx, dst, i)
}

// BenchmarkFitMatrix times a small fit to a given kernel matrix, as in a grid search.
func BenchmarkFitMatrix(b *testing.B) {
	x, y := overlapping(400, 1)
	k, err := kernels.Matrix(ctx, kernels.RBF{Gamma: benchGamma}, x, nil)
	if err != nil {
		b.Fatal(err)
	}
	m := &Classifier{C: 1}
	b.ReportAllocs()
	for b.Loop() {
		if err := m.FitMatrix(ctx, k, y); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(m.Report().Iterations), "iterations")
}

func BenchmarkPredict(b *testing.B) {
	x, y := overlapping(2000, 1)
	m := &Classifier{Kernel: kernels.RBF{Gamma: benchGamma}, C: 1}
	if err := m.Fit(ctx, x, y); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := m.Predict(x); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkAgainstPeer also times scikit-learn on the same rows, in the same run:
//
//	go test -run - -bench AgainstPeer ./estimators/svm -peer /usr/bin/python3
//
// The ratios are our time divided by that of scikit-learn, without the time to create the rows.
func BenchmarkAgainstPeer(b *testing.B) {
	if *peer == "" {
		b.Skip("needs -peer, a python with scikit-learn")
	}
	x, y := overlapping(2000, 1)
	xt, yt := overlapping(2000, 2)
	dir := b.TempDir()
	train, test := filepath.Join(dir, "train.csv"), filepath.Join(dir, "test.csv")
	writeCSV(b, train, x, y)
	writeCSV(b, test, xt, yt)
	for _, c := range []float64{1, 10, 100} {
		b.Run(fmt.Sprintf("C=%v", c), func(b *testing.B) {
			script := filepath.Join("..", "..", "measurements", "benchmark", "peers", "sklearn_svm.py")
			out, err := exec.Command(*peer, script, "time", train, test, fmt.Sprint(c), fmt.Sprint(benchGamma)).Output()
			if err != nil {
				b.Fatal(err)
			}
			var fit, predict, vectors, iterations, accuracy float64
			if _, err := fmt.Sscan(string(out), &fit, &predict, &vectors, &iterations, &accuracy); err != nil {
				b.Fatalf("%s: %v", out, err)
			}
			m := &Classifier{Kernel: kernels.RBF{Gamma: benchGamma}, C: c}
			fits, predictions := math.Inf(1), math.Inf(1)
			var labels []int
			b.ReportAllocs()
			for b.Loop() {
				start := time.Now()
				if err := m.Fit(ctx, x, y); err != nil {
					b.Fatal(err)
				}
				fits = min(fits, time.Since(start).Seconds())
				start = time.Now()
				if labels, err = m.Predict(xt); err != nil {
					b.Fatal(err)
				}
				predictions = min(predictions, time.Since(start).Seconds())
			}
			right := 0.0
			for i, l := range yt {
				if labels[i] == l {
					right += 1 / float64(len(yt))
				}
			}
			b.ReportMetric(fits/fit, "fit/peer")
			b.ReportMetric(predictions/predict, "predict/peer")
			b.ReportMetric(float64(len(m.SupportIndices()))/vectors, "vectors/peer")
			b.ReportMetric(right-accuracy, "accuracy-peer")
			b.ReportMetric(1e3*fit, "peer-fit-ms")
			b.ReportMetric(1e3*fits, "fit-ms")
		})
	}
}

func writeCSV(b *testing.B, path string, x *mat.Dense, y []int) {
	var out strings.Builder
	for i, l := range y {
		for _, v := range x.RawRowView(i) {
			fmt.Fprintf(&out, "%v,", v)
		}
		fmt.Fprintln(&out, l)
	}
	if err := os.WriteFile(path, []byte(out.String()), 0o600); err != nil {
		b.Fatal(err)
	}
}
