//go:build cgo

package main

import (
	"github.com/sjwhitworth/golearn/base"
	"github.com/sjwhitworth/golearn/ensemble"
	"github.com/sjwhitworth/golearn/knn"
	"github.com/sjwhitworth/golearn/linear_models"

	"github.com/kernelearn/kernelearn/adapters/golearn"
)

// These models of golearn need a C compiler.
var (
	theirCgoClassifiers = []line{
		{text: `knn.NewKnnClassifier("euclidean", "linear", 2)`,
			build: func(base.FixedDataGrid) golearn.Model { return knn.NewKnnClassifier("euclidean", "linear", 2) }},
		{text: `knn.NewKnnClassifier("euclidean", "linear", 5)`,
			build: func(base.FixedDataGrid) golearn.Model { return knn.NewKnnClassifier("euclidean", "linear", 5) }},
		// The forest uses all features, as in golearn's example. With half of them it is worse than chance on iris.
		{text: "ensemble.NewRandomForest(50, features)", widest: 100, build: func(train base.FixedDataGrid) golearn.Model {
			return ensemble.NewRandomForest(50, len(base.NonClassAttributes(train)))
		}},
	}
	theirCgoRegressors = []line{
		{text: "linear_models.NewLinearRegression()",
			build: func(base.FixedDataGrid) golearn.Model { return linear_models.NewLinearRegression() }},
	}
)
