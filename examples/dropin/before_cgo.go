//go:build cgo

package main

import (
	"github.com/sjwhitworth/golearn/base"
	"github.com/sjwhitworth/golearn/knn"
)

const beforeName = "golearn's nearest neighbours"

func before() base.Classifier { return knn.NewKnnClassifier("euclidean", "linear", 2) }
