// Sparse measures what rows of words cost: documents of a few hundred words of a large vocabulary, of which nearly all values are 0.
// It makes kernel matrices and random features of them as sparse rows and as the dense copy, and prints seconds and bytes of
// both and how far apart they are; and then classifies other documents, with all that was chosen by leave-one-out.
//
//	go run -C measurements ./sparse -rows 5000 -dense 1000
package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/internal/cli"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
)

// documents are rows of words, by the numbers of the words. That it is a mat.Matrix with DoRowNonZero, as the sparse.CSR
// of github.com/james-bowman/sparse is, makes it sparse rows to package kernels.
type documents struct {
	vocabulary int
	word       [][]int
	weight     [][]float64
}

func (d *documents) Dims() (r, c int) { return len(d.word), d.vocabulary }
func (d *documents) T() mat.Matrix    { return mat.Transpose{Matrix: d} }

func (d *documents) At(i, j int) float64 {
	if at, ok := slices.BinarySearch(d.word[i], j); ok {
		return d.weight[i][at]
	}
	return 0
}

// DoRowNonZero implements mat.RowNonZeroDoer.
func (d *documents) DoRowNonZero(i int, f func(i, j int, v float64)) {
	for at, j := range d.word[i] {
		f(i, j, d.weight[i][at])
	}
}

// write draws n documents of two classes: most of their words by Zipf's law from all, one in twelve by the same law from an order of
// the words that is the class's own. Weights are 1 + ln count, of length 1.
func write(n, vocabulary int, seed uint64) (*documents, []int) {
	rng := rand.New(rand.NewPCG(seed, 1))
	law := rand.NewZipf(rng, 1.1, 10, uint64(vocabulary-1))
	orders := [2][]int{rand.New(rand.NewPCG(7, 0)).Perm(vocabulary), rand.New(rand.NewPCG(7, 1)).Perm(vocabulary)}
	out, labels := &documents{vocabulary: vocabulary}, make([]int, n)
	for i := range n {
		labels[i] = rng.IntN(2)
		counts := map[int]int{}
		for range 60 + rng.IntN(200) {
			w := int(law.Uint64())
			if rng.IntN(12) == 0 {
				w = orders[labels[i]][w]
			}
			counts[w]++
		}
		var words []int
		for w := range counts {
			words = append(words, w)
		}
		slices.Sort(words)
		weights, square := make([]float64, len(words)), 0.0
		for at, w := range words {
			weights[at] = 1 + math.Log(float64(counts[w]))
			square += weights[at] * weights[at]
		}
		for at := range weights {
			weights[at] /= math.Sqrt(square)
		}
		out.word, out.weight = append(out.word, words), append(out.weight, weights)
	}
	return out, labels
}

// first are some of the documents.
func (d *documents) first(n int) *documents {
	return &documents{d.vocabulary, d.word[:n], d.weight[:n]}
}

// dense is the dense copy.
func (d *documents) dense() *mat.Dense {
	r, c := d.Dims()
	out := mat.NewDense(r, c, nil)
	for i, words := range d.word {
		for at, j := range words {
			out.Set(i, j, d.weight[i][at])
		}
	}
	return out
}

// cost is what f takes, in seconds and in bytes that it allocates.
func cost(f func() error) (seconds, megabytes float64, err error) {
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	begin := time.Now()
	err = f()
	seconds = time.Since(begin).Seconds()
	runtime.ReadMemStats(&after)
	return seconds, float64(after.TotalAlloc-before.TotalAlloc) / 1e6, err
}

func main() { cli.Main("sparse", run) }

func run(ctx context.Context, args []string, out, _ io.Writer) error {
	flags := cli.NewFlags("sparse",
		"sparse measures what rows of words cost, as sparse rows and as a dense copy, and classifies documents by them.", out)
	rows := flags.Int("rows", 5000, "documents to learn from")
	few := flags.Int("dense", 1000, "of which so many are taken as dense rows too")
	vocabulary := flags.Int("words", 50000, "in the vocabulary")
	features := flags.Int("features", 500, "random features")
	flags.AtLeast(10, "rows")
	flags.AtLeast(2, "dense", "words")
	flags.AtLeast(1, "features")
	if err := flags.Parse(args); err != nil {
		return err
	}
	train, labels := write(*rows, *vocabulary, 1)
	test, right := write(2000, *vocabulary, 2)
	values := 0
	for _, words := range train.word {
		values += len(words)
	}
	fmt.Fprintf(out, "%d documents of %d words, %.0f of them in one; the dense copy is %.0f MB, sparse rows %.0f MB\n\n",
		*rows, *vocabulary, float64(values)/float64(*rows), float64(*rows)*float64(*vocabulary)*8/1e6, float64(values)*16/1e6)
	if err := compare(ctx, out, train, *few, *features); err != nil {
		return err
	}
	fmt.Fprintln(out)
	return classify(ctx, out, train, labels, test, right, *features)
}

// compare prints what the dense and the sparse rows cost.
func compare(ctx context.Context, out io.Writer, train *documents, few, features int) error {
	small := train.first(min(few, len(train.word)))
	n, _ := small.Dims()
	all, _ := train.Dims()
	fmt.Fprintf(out, "%-28s %19s %19s %19s %10s\n", "seconds, MB allocated", fmt.Sprintf("%d dense", n), fmt.Sprintf("%d sparse", n),
		fmt.Sprintf("%d sparse", all), "difference")
	line := func(name string, make func(x mat.Matrix) (mat.Matrix, error)) error {
		var results [2]mat.Matrix
		var text [3]string
		for at, x := range []func() mat.Matrix{func() mat.Matrix { return small.dense() }, func() mat.Matrix { return small },
			func() mat.Matrix { return train }} {
			var got mat.Matrix
			seconds, megabytes, err := cost(func() (err error) {
				got, err = make(x())
				return err
			})
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			text[at] = fmt.Sprintf("%.3f s %.0f MB", seconds, megabytes)
			if at < 2 {
				results[at] = got
			}
		}
		var off float64
		r, c := results[0].Dims()
		for i := range r {
			for j := range c {
				off = max(off, math.Abs(results[0].At(i, j)-results[1].At(i, j)))
			}
		}
		_, err := fmt.Fprintf(out, "%-28s %19s %19s %19s %10.0e\n", name, text[0], text[1], text[2], off)
		return err
	}
	for _, k := range []kernels.Kernel{kernels.Linear{}, kernels.RBF{Gamma: .7}} {
		if err := line("matrix of "+k.String(),
			func(x mat.Matrix) (mat.Matrix, error) { return kernels.Matrix(ctx, k, x, nil) }); err != nil {
			return err
		}
	}
	err := line("median distance, RBF", func(x mat.Matrix) (mat.Matrix, error) {
		k, err := kernels.MedianRBF(ctx, x, 0)
		return mat.NewDense(1, 1, []float64{k.Gamma}), err
	})
	if err != nil {
		return err
	}
	return line(fmt.Sprintf("%d random features", features), func(x mat.Matrix) (mat.Matrix, error) {
		f := &featuremap.RandomFourier{Kernel: kernels.RBF{Gamma: .7}, Components: features}
		if err := f.Fit(ctx, x); err != nil {
			return nil, err
		}
		return f.Transform(x)
	})
}

// classify prints the errors of what learns from the sparse rows.
func classify(ctx context.Context, out io.Writer, train *documents, labels []int, test *documents, right []int, features int) error {
	wrong := func(got []int) float64 {
		count := 0
		for i, l := range got {
			if l != right[i] {
				count++
			}
		}
		return float64(count) / float64(len(right))
	}
	for _, k := range []kernels.Kernel{kernels.Linear{}, kernels.RBF{Gamma: .7}} {
		var got []int
		seconds, megabytes, err := cost(func() error {
			gram, err := kernels.Matrix(ctx, k, train, nil)
			if err != nil {
				return err
			}
			model := &lssvm.Classifier{}
			if err := model.FitMatrix(ctx, gram, labels); err != nil {
				return err
			}
			cross, err := kernels.Cross(ctx, k, test, train, nil)
			if err != nil {
				return err
			}
			got, err = model.PredictMatrix(cross)
			return err
		})
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%-40s error %.3f in %.1f s, %.0f MB\n", "lssvm on the matrix of "+k.String(), wrong(got), seconds, megabytes)
	}
	y := make([]float64, len(labels))
	for i, l := range labels {
		y[i] = float64(2*l - 1)
	}
	signs := func(f []float64) []int {
		got := make([]int, len(f))
		for i, v := range f {
			if v > 0 {
				got[i] = 1
			}
		}
		return got
	}
	var got []int
	landmarks := train.first(min(features, len(train.word))) // which come in no order
	seconds, megabytes, err := cost(func() error {
		k, err := kernels.Prepare(ctx, kernels.RBF{Gamma: .7}, landmarks, nil)
		if err != nil {
			return err
		}
		x, err := k.Cross(ctx, train)
		if err != nil {
			return err
		}
		model := &ridge.Regressor{}
		if err := model.Fit(ctx, x, y); err != nil {
			return err
		}
		if x, err = k.Cross(ctx, test); err != nil {
			return err
		}
		f, err := model.Predict(x)
		got = signs(f)
		return err
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%-40s error %.3f in %.1f s, %.0f MB\n", fmt.Sprintf("ridge on the kernel with %d documents", features), wrong(got),
		seconds, megabytes)
	seconds, megabytes, err = cost(func() error {
		var model estimators.Regressor = &pipeline.Regressor{
			Steps: []transformers.Transformer{&featuremap.RandomFourier{Kernel: kernels.RBF{Gamma: .7}, Components: features}},
			Final: &ridge.Regressor{},
		}
		if err := model.Fit(ctx, train, y); err != nil {
			return err
		}
		f, err := model.Predict(test)
		got = signs(f)
		return err
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%-40s error %.3f in %.1f s, %.0f MB\n", fmt.Sprintf("ridge on %d random features", features), wrong(got),
		seconds, megabytes)
	return err
}
