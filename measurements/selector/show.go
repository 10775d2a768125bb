package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"time"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/internal/dataset"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/kernels/families"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/selection/entropy"
	"github.com/kernelearn/kernelearn/selection/grid"
	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/selection/traceplot"
	"github.com/kernelearn/kernelearn/selection/validation"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// landmarks is the number of landmarks of the Nystroem map for ridge regression on many rows.
const landmarks = 300

// show prints every decision of two searches. One runs on a small set, for which all entropies are exact. The other runs on the
// given number of rows of Friedman's first function, for which entropies are bounds from pivots or are computed on subsamples. If
// out is not empty, show draws both searches into that folder.
func show(ctx context.Context, w io.Writer, rows int, out string) error {
	small, err := dataset.Open("", "diabetes-progression")
	if err != nil {
		return err
	}
	x, y := dataset.Friedman1(rows, 10, 1)
	for _, c := range []struct {
		name  string
		x     *mat.Dense
		y     []float64
		build func(k kernels.Kernel) estimators.Regressor
	}{
		{small.Name, small.X, small.Y, nil},
		{"friedman1", x, y, func(k kernels.Kernel) estimators.Regressor {
			return &pipeline.Regressor{
				Steps: []transformers.Transformer{&featuremap.Nystroem{Kernel: k, Components: landmarks}},
				Final: &ridge.Regressor{},
			}
		}},
	} {
		n, d := c.x.Dims()
		r := &selection.Regressor{Preprocess: []transformers.Transformer{&scalers.StandardScaler{}}, Space: selection.Kernels(c.build)}
		runtime.GC()
		begun := time.Now()
		if err := r.Fit(ctx, c.x, c.y); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		fmt.Fprintf(w, "\n%s, %d × %d, search and fit in %.1f s\n%v", c.name, n, d, time.Since(begun).Seconds(), r.Result())
		if c.build != nil {
			xt, yt := dataset.Friedman1(2000, d, 2)
			p, err := r.Predict(xt)
			if err != nil {
				return err
			}
			v, err := metrics.NMSE(yt, p, nil)
			if err != nil {
				return err
			}
			fmt.Fprintf(w, "NMSE on 2000 other rows %.4f; of the noise alone %.4f\n", v, 1/stat.PopVariance(yt, nil))
		}
		if out == "" {
			continue
		}
		path := filepath.Join(out, "selector-"+c.name+".png")
		if err := traceplot.Save(r.Result(), path); err != nil {
			return err
		}
		fmt.Fprintln(w, "picture:", path)
	}
	return nil
}

// twoScales compares a family that has one parameter with a family that has two, and with higher entropies. The data are a record
// with a slow trend and fast seasons. A quarter of the months is held out.
func twoScales(ctx context.Context, w io.Writer, seed uint64) error {
	set, err := dataset.Open("", "mauna-loa-co2-monthly")
	if err != nil {
		return err
	}
	n, _ := set.X.Dims()
	folds, err := validation.ShuffleSplit{Splits: 2, Seed: seed}.Split(n, nil)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%s, two splits: test NMSE of the least-squares SVM\n", set.Name)
	for _, c := range []struct {
		name string
		make func() *selection.Regressor
	}{
		{"one RBF", func() *selection.Regressor { return &selection.Regressor{Search: &entropy.Search{}} }},
		{"one RBF, entropies to 0.9", func() *selection.Regressor {
			targets := []float64{0.005, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9} // entropies of entropy.Search
			return &selection.Regressor{Search: &entropy.Search{Targets: targets}}
		}},
		{"two RBFs (Kernels2)", func() *selection.Regressor {
			return &selection.Regressor{Space: selection.Kernels2[estimators.Regressor](nil,
				families.Sum{First: families.RBF{}, Second: families.RBF{}})}
		}},
		{"one RBF, grid", func() *selection.Regressor { return &selection.Regressor{Search: &grid.Search{}} }},
	} {
		sum, matrices, fits := 0.0, 0, 0
		for _, fold := range folds {
			x, y, _ := set.Rows(fold.Train)
			xt, yt, _ := set.Rows(fold.Test)
			r := c.make()
			r.Preprocess = []transformers.Transformer{&scalers.StandardScaler{}}
			if err := r.Fit(ctx, x, y); err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			p, err := r.Predict(xt)
			if err != nil {
				return err
			}
			v, err := metrics.NMSE(yt, p, nil)
			if err != nil {
				return err
			}
			sum += v / float64(len(folds))
			matrices += r.Result().KernelMatrices
			fits += r.Result().Fits
		}
		fmt.Fprintf(w, "%-26s %.4f, %d kernel matrices and %d fits\n", c.name, sum, matrices, fits)
	}
	return nil
}
