//go:build cgo

package main

import (
	"github.com/sjwhitworth/golearn/base"
	"github.com/sjwhitworth/golearn/knn"
)

const theirName = "golearn KNN (k = 5)"

// theirs is golearn's best known classifier, which needs a C compiler.
func theirs() base.Classifier { return knn.NewKnnClassifier("euclidean", "linear", 5) }
