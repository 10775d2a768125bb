// Sparse measures the costs for sparse rows, in which nearly all values are 0. The rows are documents of a few hundred words from a
// large vocabulary. It computes kernel matrices and random features from the sparse rows and from a dense copy. It prints the
// seconds and bytes of both, and the largest difference between them. Then it classifies other documents, with all settings chosen
// by leave-one-out.
//
// With -texts it computes rows from documents as text and classifies other documents, with this library and with scikit-learn.
//
//	go run -C measurements ./sparse -rows 5000 -dense 1000
//	go run -C measurements ./sparse -texts 20000 -python python3
package main

import (
	"context"
	"fmt"
	"io"
	"maps"
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
	"github.com/kernelearn/kernelearn/sparse"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
)

// draw draws the words of n documents from two classes. Most words follow Zipf's law over all words. One in twelve follows the same
// law, but with an order of the words that is specific to the class.
func draw(n, vocabulary int, seed uint64) (words [][]int, labels []int) {
	rng := rand.New(rand.NewPCG(seed, 1))
	law := rand.NewZipf(rng, 1.1, 10, uint64(vocabulary-1))
	orders := [2][]int{rand.New(rand.NewPCG(7, 0)).Perm(vocabulary), rand.New(rand.NewPCG(7, 1)).Perm(vocabulary)}
	words, labels = make([][]int, n), make([]int, n)
	for i := range n {
		labels[i] = rng.IntN(2)
		for range 60 + rng.IntN(200) {
			w := int(law.Uint64())
			if rng.IntN(12) == 0 {
				w = orders[labels[i]][w]
			}
			words[i] = append(words[i], w)
		}
	}
	return words, labels
}

// write draws documents and returns them as rows. The weight of a word is 1 + ln count, and each row has length 1.
func write(n, vocabulary int, seed uint64) (*sparse.Rows, []int, error) {
	words, labels := draw(n, vocabulary, seed)
	start, column, value := []int{0}, []int(nil), []float64(nil)
	for _, document := range words {
		counts, square := map[int]float64{}, 0.0
		for _, w := range document {
			counts[w]++
		}
		columns := slices.Sorted(maps.Keys(counts))
		for _, w := range columns {
			counts[w] = 1 + math.Log(counts[w])
			square += counts[w] * counts[w]
		}
		for _, w := range columns {
			column, value = append(column, w), append(value, counts[w]/math.Sqrt(square))
		}
		start = append(start, len(column))
	}
	rows, err := sparse.NewRows(vocabulary, start, column, value)
	return rows, labels, err
}

// cost returns the seconds that f takes and the memory that it allocates.
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
	texts := flags.Int("texts", 0, "documents as text to classify, by this library and by scikit-learn; 0: the rows above")
	python := flags.String("python", "", "a Python that has scikit-learn; empty: this library alone")
	flags.AtLeast(10, "rows")
	flags.AtLeast(0, "texts")
	flags.AtLeast(2, "dense", "words")
	flags.AtLeast(1, "features")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *texts > 0 {
		return classifyTexts(ctx, out, *texts, *vocabulary, *python)
	}
	train, labels, err := write(*rows, *vocabulary, 1)
	if err != nil {
		return err
	}
	test, right, err := write(2000, *vocabulary, 2)
	if err != nil {
		return err
	}
	values := train.Entries()
	fmt.Fprintf(out, "%d documents of %d words, %.0f of them in one; the dense copy is %.0f MB, sparse rows %.0f MB\n\n",
		*rows, *vocabulary, float64(values)/float64(*rows), float64(*rows)*float64(*vocabulary)*8/1e6, float64(values)*16/1e6)
	if err := compare(ctx, out, train, *few, *features); err != nil {
		return err
	}
	fmt.Fprintln(out)
	return classify(ctx, out, train, labels, test, right, *features)
}

// compare prints the costs for dense and for sparse rows.
func compare(ctx context.Context, out io.Writer, train *sparse.Rows, few, features int) error {
	all, _ := train.Dims()
	small := train.Slice(0, min(few, all))
	n, _ := small.Dims()
	fmt.Fprintf(out, "%-28s %19s %19s %19s %10s\n", "seconds, MB allocated", fmt.Sprintf("%d dense", n), fmt.Sprintf("%d sparse", n),
		fmt.Sprintf("%d sparse", all), "difference")
	line := func(name string, make func(x mat.Matrix) (mat.Matrix, error)) error {
		var results [2]mat.Matrix
		var text [3]string
		for at, x := range []func() mat.Matrix{func() mat.Matrix { return small.Dense() }, func() mat.Matrix { return small },
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

// classify prints the errors of the classifiers that are fitted to the sparse rows.
func classify(ctx context.Context, out io.Writer, train *sparse.Rows, labels []int, test *sparse.Rows, right []int, features int) error {
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
			model := &lssvm.Classifier{Kernel: k}
			err := model.Fit(ctx, train, labels)
			if err == nil {
				got, err = model.Predict(test)
			}
			return err
		})
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%-40s error %.3f in %.1f s, %.0f MB\n", "lssvm with "+k.String(), wrong(got), seconds, megabytes)
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
	n, _ := train.Dims()
	landmarks := train.Slice(0, min(features, n)) // rows are in random order
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
