//go:build cgo

package main

import (
	"github.com/sjwhitworth/golearn/base"
	"github.com/sjwhitworth/golearn/knn"
)

const beforeName = "golearn's nearest neighbours"

// Three neighbours, not the two of golearn's own example: with two classes a tie
// of two neighbours is broken at random, and no run repeats another.
func before() base.Classifier { return knn.NewKnnClassifier("euclidean", "linear", 3) }
