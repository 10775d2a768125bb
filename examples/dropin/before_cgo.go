//go:build cgo

package main

import (
	"github.com/sjwhitworth/golearn/base"
	"github.com/sjwhitworth/golearn/knn"
)

const beforeName = "golearn's nearest neighbours"

// The example uses three neighbours instead of the two in golearn's own example. With two neighbours of different classes, golearn
// breaks the tie at random, so that runs would not be reproducible.
func before() base.Classifier { return knn.NewKnnClassifier("euclidean", "linear", 3) }
