//go:build cgo

package main

import (
	"github.com/sjwhitworth/golearn/base"
	"github.com/sjwhitworth/golearn/knn"
)

const theirName = "golearn's nearest neighbours"

func theirs() base.Classifier { return knn.NewKnnClassifier("euclidean", "linear", 5) }
