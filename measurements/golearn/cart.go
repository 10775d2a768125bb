package main

import (
	"github.com/sjwhitworth/golearn/base"
	"github.com/sjwhitworth/golearn/trees"

	"github.com/kernelearn/kernelearn/adapters/golearn/grids"
)

// treeDepth limits the depth of golearn's CART trees, which otherwise grow until each leaf is pure.
const treeDepth = 10

// cart adapts golearn's CART tree. It expects classes as numbers from 0, and returns a slice where golearn's other models return a
// grid.
type cart struct {
	numbers bool // predicts numbers instead of classes

	predict func(test base.FixedDataGrid) []float64
	labels  []string
}

func (c *cart) Fit(train base.FixedDataGrid) error {
	if c.numbers {
		tree := trees.NewDecisionTreeRegressor("mse", treeDepth)
		c.predict = tree.Predict
		return tree.Fit(train)
	}
	y, labels, err := grids.Labels(train)
	if err != nil {
		return err
	}
	x, columns, err := grids.Matrix(train, nil)
	if err != nil {
		return err
	}
	at, classes := make([]float64, len(y)), make([]int64, len(labels))
	for i, v := range y {
		at[i] = float64(v)
	}
	for i := range classes {
		classes[i] = int64(i)
	}
	grid, err := grids.TargetGrid(x, columns, "class", at)
	if err != nil {
		return err
	}
	tree := trees.NewDecisionTreeClassifier(trees.GINI, treeDepth, classes)
	c.labels = labels
	c.predict = func(test base.FixedDataGrid) (out []float64) {
		for _, v := range tree.Predict(test) {
			out = append(out, float64(v))
		}
		return out
	}
	return tree.Fit(grid)
}

func (c *cart) Predict(test base.FixedDataGrid) (base.FixedDataGrid, error) {
	values := c.predict(test)
	out := base.GeneratePredictionVector(test)
	if !c.numbers {
		for i, v := range values {
			base.SetClass(out, i, c.labels[int(v)])
		}
		return out, nil
	}
	spec, err := out.GetAttribute(out.AllClassAttributes()[0])
	for i, v := range values {
		out.Set(spec, i, base.PackFloatToBytes(v))
	}
	return out, err
}
