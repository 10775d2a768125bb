//go:build cgo

package main

import (
	"github.com/sjwhitworth/golearn/base"
	"github.com/sjwhitworth/golearn/ensemble"
	"github.com/sjwhitworth/golearn/knn"
)

const theirName = "golearn KNN (k = 5)"

// theirs returns golearn's best-known classifier, which needs a C compiler.
func theirs() base.Classifier { return knn.NewKnnClassifier("euclidean", "linear", 5) }

// forest returns golearn's random forest of 50 trees with 6 features each.
func forest() []model {
	return []model{{"golearn random forest (50 trees)", ensemble.NewRandomForest(50, 6)}}
}
