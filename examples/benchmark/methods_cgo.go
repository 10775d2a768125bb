//go:build cgo

package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/sjwhitworth/golearn/base"
	"github.com/sjwhitworth/golearn/knn"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/adapters/golearn"
	"github.com/kernelearn/kernelearn/estimators"
)

const neighbours = 5

// cgoMethods are those of golearn that need a C compiler.
var cgoMethods = []method{{
	name:          "golearn-knn",
	configuration: fmt.Sprintf("z-score; golearn's KNN, k = %d, Euclidean, linear search, ties broken at random", neighbours),
	classifier:    func(uint64) estimators.Classifier { return classification(&golearnKNN{}) },
}}

// golearnKNN is golearn's classifier as an estimator of ours. Within golearn.Pipeline
// it takes rows without a class.
type golearnKNN struct {
	fitted  *golearn.Pipeline
	classes []int
	names   []string // of the columns
}

func (k *golearnKNN) Fit(ctx context.Context, x mat.Matrix, y []int) error {
	_, d := x.Dims()
	names := make([]string, d)
	for j := range names {
		names[j] = "x" + strconv.Itoa(j)
	}
	labels := make([]string, len(y))
	for i, v := range y {
		labels[i] = strconv.Itoa(v)
	}
	grid, err := golearn.LabelledGrid(x, names, "class", labels)
	if err != nil {
		return err
	}
	fitted := &golearn.Pipeline{Final: knn.NewKnnClassifier("euclidean", "linear", neighbours)}
	if err := fitted.FitContext(ctx, grid); err != nil {
		return err
	}
	classes := slices.Clone(y)
	slices.Sort(classes)
	k.fitted, k.classes, k.names = fitted, slices.Compact(classes), names
	return nil
}

func (k *golearnKNN) Predict(x mat.Matrix) ([]int, error) {
	grid, err := golearn.FeatureGrid(x, k.names)
	if err != nil {
		return nil, err
	}
	predicted, err := k.fitted.Predict(grid)
	if err != nil {
		return nil, err
	}
	n, _ := x.Dims()
	out := make([]int, n)
	for i := range out {
		if out[i], err = strconv.Atoi(base.GetClass(predicted, i)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (k *golearnKNN) Classes() []int { return slices.Clone(k.classes) }

// Clone implements estimators.Cloner, as a pipeline wants it.
func (k *golearnKNN) Clone() estimators.Classifier { return &golearnKNN{} }
