package hotpaths_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/adapters/golearn/grids"
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/calibration"
	"github.com/kernelearn/kernelearn/estimators/conformal"
	"github.com/kernelearn/kernelearn/estimators/eem"
	"github.com/kernelearn/kernelearn/estimators/elm"
	"github.com/kernelearn/kernelearn/estimators/falkon"
	"github.com/kernelearn/kernelearn/estimators/gabasr"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/modelfile"
	"github.com/kernelearn/kernelearn/estimators/novelty"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/estimators/rvm"
	"github.com/kernelearn/kernelearn/estimators/svm"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/selection/entropy"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// path is code to be timed, and a reference routine from outside this module.
type path struct {
	name      string
	run       func() error
	reference func()
}

// rows returns n rows of d columns with targets and labels.
func rows(n, d int) (x *mat.Dense, y []float64, labels []int) {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(d)))
	x, y, labels = mat.NewDense(n, d, nil), make([]float64, n), make([]int, n)
	for i := range n {
		row := x.RawRowView(i)
		for j := range row {
			row[j] = rng.NormFloat64()
		}
		y[i] = math.Sin(2*row[0]) + row[1]*row[2] + 0.2*rng.NormFloat64()
		if y[i] > 0 {
			labels[i] = 1
		}
	}
	return x, y, labels
}

// product returns a function that multiplies two matrices of order n with gonum. It measures the speed of arithmetic.
func product(n int) func() {
	x, _, _ := rows(n, n)
	a, to := x.RawMatrix().Data, make([]float64, n*n)
	return func() {
		gonum.Implementation{}.Dgemm(blas.NoTrans, blas.NoTrans, n, n, n, 1, a, n, a, n, 0, to, n)
	}
}

// scan returns a function that sums the exponentials of n numbers one after the other. It measures one processor and its memory.
func scan(n int) func() {
	sum := 0.0
	return func() {
		for i := range n {
			sum += math.Exp(-float64(i) / float64(n))
		}
		runtime.KeepAlive(sum)
	}
}

// paths returns functions that build the paths. Some of them fit a model first.
func paths() []func(tb testing.TB) path {
	ctx := context.Background()
	regress := func(name string, n, d int, build func() estimators.Regressor, of func()) func(tb testing.TB) path {
		return func(testing.TB) path {
			x, y, _ := rows(n, d)
			return path{name, func() error { return build().Fit(ctx, x, y) }, of}
		}
	}
	classify := func(name string, n, d int, build func() estimators.Classifier, of func()) func(tb testing.TB) path {
		return func(testing.TB) path {
			x, _, labels := rows(n, d)
			return path{name, func() error { return build().Fit(ctx, x, labels) }, of}
		}
	}
	predict := func(name string, n, d, asked int, model estimators.Regressor, of func()) func(tb testing.TB) path {
		return func(tb testing.TB) path {
			x, y, _ := rows(n, d)
			require.NoError(tb, model.Fit(ctx, x, y))
			at := x.Slice(0, asked, 0, d)
			return path{name, func() error { _, err := model.Predict(at); return err }, of}
		}
	}
	transform := func(name string, n, d int, build func() transformers.Transformer, of func()) func(tb testing.TB) path {
		return func(testing.TB) path {
			x, _, _ := rows(n, d)
			return path{name, func() error {
				t := build()
				if err := t.Fit(ctx, x); err != nil {
					return err
				}
				_, err := t.Transform(x)
				return err
			}, of}
		}
	}
	matrix := func(name string, n, d int, k kernels.Kernel, of func()) func(tb testing.TB) path {
		return func(testing.TB) path {
			x, _, _ := rows(n, d)
			return path{name, func() error { _, err := kernels.Matrix(ctx, k, x, nil); return err }, of}
		}
	}
	algebra := func(name string, n int, run func(a *mat.SymDense) error, of func()) func(tb testing.TB) path {
		return func(tb testing.TB) path {
			x, _, _ := rows(n, 10)
			k, err := kernels.Matrix(ctx, kernels.RBF{Gamma: 0.1}, x, nil)
			require.NoError(tb, err)
			for i := range n {
				k.SetSym(i, i, 2)
			}
			return path{name, func() error { return run(mat.NewSymDense(n, slices.Clone(k.RawSymmetric().Data))) }, of}
		}
	}
	return []func(tb testing.TB) path{
		matrix("kernel matrix, RBF, 1000x10", 1000, 10, kernels.RBF{Gamma: 0.1}, product(300)),
		matrix("kernel matrix, Matern, 1000x10", 1000, 10, kernels.Matern{Nu: 2.5, Length: 2}, product(300)),
		matrix("kernel matrix, Laplacian, 1000x10", 1000, 10, kernels.Laplacian{Gamma: 0.1}, product(300)),
		algebra("Cholesky factor, 1000", 1000, func(a *mat.SymDense) error { _, err := linalg.NewCholesky(ctx, "a", a); return err }, product(500)),
		algebra("inverse, 600", 600, func(a *mat.SymDense) error {
			c, err := linalg.NewCholesky(ctx, "a", a)
			if err == nil {
				_, err = c.Inverse(ctx)
			}
			return err
		}, product(500)),
		algebra("eigenvalues, 500", 500, func(a *mat.SymDense) error { _, err := linalg.Eigenvalues(ctx, a); return err }, product(500)),

		regress("fit lssvm.Regressor, 500x10", 500, 10, func() estimators.Regressor { return &lssvm.Regressor{} }, product(500)),
		classify("fit lssvm.Classifier, 500x10", 500, 10, func() estimators.Classifier { return &lssvm.Classifier{} }, product(500)),
		regress("fit ridge.Regressor, 5000x20", 5000, 20, func() estimators.Regressor { return &ridge.Regressor{} }, product(200)),
		regress("fit svm.Regressor, 500x10", 500, 10, func() estimators.Regressor { return &svm.Regressor{} }, product(300)),
		classify("fit svm.Classifier, 1000x10", 1000, 10, func() estimators.Classifier { return &svm.Classifier{} }, product(300)),
		regress("fit rvm.Regressor, 300x5", 300, 5, func() estimators.Regressor { return &rvm.Regressor{} }, product(500)),
		classify("fit rvm.Classifier, 200x5", 200, 5, func() estimators.Classifier { return &rvm.Classifier{} }, product(500)),
		regress("fit falkon.Regressor, 3000x10", 3000, 10, func() estimators.Regressor { return &falkon.Regressor{Components: 300} }, product(600)),
		classify("fit eem.Classifier, 5000x10", 5000, 10, func() estimators.Classifier { return &eem.Classifier{Units: 100} }, product(300)),
		classify("fit eem.KernelClassifier, 2000x10", 2000, 10, func() estimators.Classifier { return &eem.KernelClassifier{Components: 100} }, product(300)),
		classify("fit elm.Classifier, 5000x10", 5000, 10, func() estimators.Classifier { return &elm.Classifier{Units: 100} }, product(300)),
		regress("fit gabasr.Regressor, 100x3", 100, 3, func() estimators.Regressor { return &gabasr.Regressor{Sweeps: 10} }, product(500)),
		regress("fit conformal.Regressor, 300x5", 300, 5, func() estimators.Regressor { return &conformal.Regressor{} }, product(500)),
		classify("fit calibration.Classifier, 300x5", 300, 5, func() estimators.Classifier { return &calibration.Classifier{} }, product(500)),
		regress("fit selection.Regressor, 150x5", 150, 5, func() estimators.Regressor { return &selection.Regressor{} }, product(600)),
		regress("fit selection.Regressor, Entropy, 300x5", 300, 5, func() estimators.Regressor {
			return &selection.Regressor{Search: &entropy.Search{}}
		}, product(600)),
		func(testing.TB) path {
			x, _, _ := rows(1000, 5)
			return path{"fit novelty.Density, 1000x5", func() error { return (&novelty.Density{}).Fit(ctx, x) }, product(400)}
		},

		predict("predict lssvm.Regressor, 1000 rows of 10", 1000, 10, 1000, &lssvm.Regressor{Ridge: 0.1}, product(300)),
		predict("predict lssvm.Regressor, 1 row of 10", 1000, 10, 1, &lssvm.Regressor{Ridge: 0.1}, scan(1000)),
		predict("predict rvm.Regressor, 1 row of 5", 300, 5, 1, &rvm.Regressor{}, scan(1000)),

		transform("RandomFourier, 5000x10 to 200", 5000, 10, func() transformers.Transformer { return &featuremap.RandomFourier{Components: 200} }, product(300)),
		transform("Nystroem, 3000x10 to 100", 3000, 10, func() transformers.Transformer { return &featuremap.Nystroem{Components: 100} }, product(300)),
		transform("StandardScaler, 20000x10", 20000, 10, func() transformers.Transformer { return &scalers.StandardScaler{} }, scan(200000)),

		func(tb testing.TB) path {
			x, y, _ := rows(1000, 10)
			model := &lssvm.Regressor{Ridge: 0.1}
			require.NoError(tb, model.Fit(ctx, x, y))
			return path{"model file of lssvm.Regressor, 1000x10, written and read", func() error {
				data, err := modelfile.Marshal(model, modelfile.Notes{})
				if err == nil {
					_, err = modelfile.Unmarshal[*lssvm.Regressor](data)
				}
				return err
			}, scan(20000)}
		},
		func(tb testing.TB) path {
			x, _, _ := rows(2000, 10)
			grid, err := grids.FeatureGrid(x, strings.Fields("a b c d e f g h i j"))
			require.NoError(tb, err)
			return path{"matrix of a golearn grid, 2000x10", func() error { _, _, err := grids.Matrix(grid, nil); return err }, scan(20000)}
		},
		func(tb testing.TB) path {
			x, _, _ := rows(2000, 5)
			var text bytes.Buffer
			w := csv.NewWriter(&text)
			require.NoError(tb, w.Write(strings.Fields("a b c d e")))
			for i := range 2000 {
				var cells []string
				for _, v := range x.RawRowView(i) {
					cells = append(cells, fmt.Sprint(v))
				}
				require.NoError(tb, w.Write(cells))
			}
			w.Flush()
			return path{"CSV, 2000x5", func() error { _, err := grids.ParseCSV("rows", bytes.NewReader(text.Bytes()), nil); return err }, scan(100000)}
		},
	}
}

// BenchmarkHotPaths reports for each path the ratio of its median time to that of its reference in the same run, and the memory
// that it allocates after a warm-up.
func BenchmarkHotPaths(b *testing.B) {
	for _, build := range paths() {
		p := build(b)
		b.Run(strings.ReplaceAll(p.name, ", ", ","), func(b *testing.B) {
			require.NoError(b, p.run())
			b.ReportAllocs() // of the path, since the references allocate almost nothing
			var own, reference []float64
			for b.Loop() {
				began := time.Now()
				p.reference()
				between := time.Now()
				err := p.run()
				reference, own = append(reference, between.Sub(began).Seconds()), append(own, time.Since(between).Seconds())
				require.NoError(b, err)
			}
			b.ReportMetric(0, "ns/op") // it would be the sum of the path and its reference
			b.ReportMetric(median(own)/median(reference), "ratio")
		})
	}
}

func median(v []float64) float64 {
	slices.Sort(v)
	return v[len(v)/2]
}

// Every path runs, and the baseline contains all of them.
func TestHotPaths(t *testing.T) {
	baseline := readBaseline(t)
	seen := map[string]bool{}
	for _, build := range paths() {
		p := build(t)
		require.NoError(t, p.run(), p.name)
		p.reference()
		name := strings.ReplaceAll(strings.ReplaceAll(p.name, ", ", ","), " ", "_")
		assert.False(t, seen[name], name)
		seen[name] = true
		assert.Contains(t, baseline, "BenchmarkHotPaths/"+name+"-", ".ci/bench -update writes it")
	}
	assert.GreaterOrEqual(t, len(seen), 25)
}

func readBaseline(t *testing.T) string {
	text, err := os.ReadFile(filepath.Join("testdata", "baseline.txt"))
	require.NoError(t, err)
	return string(text)
}
