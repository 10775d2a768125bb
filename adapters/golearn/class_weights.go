package golearn

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/kernelearn/kernelearn/adapters/golearn/internal/gridtable"
	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// weigh returns a weight for each row, or nil if all weights are 1. The labels y are indices of names.
func weigh(names []string, y []int, balanced bool, byName map[string]float64) ([]float64, error) {
	w := classes.Weights{Balanced: balanced, Of: make(map[int]float64, len(byName))}
	for name, v := range byName {
		k := slices.Index(names, name)
		if k < 0 {
			return nil, fault.Param("input", "ClassWeights", strconv.Quote(name), "classes from "+strings.Join(names, ", "))
		}
		if !(v > 0) || math.IsInf(v, 1) {
			return nil, fault.Param("input", "ClassWeights["+strconv.Quote(name)+"]", v, "> 0 and finite")
		}
		w.Of[k] = v
	}
	return w.Rows(upTo(len(names)), y, nil), nil
}

// upTo returns the integers from 0 to n-1.
func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// checkPresent validates the classes of a model file.
func checkPresent(c gridtable.Column, present []int) error {
	size := c.Categories()
	if c.Kind == gridtable.FloatKind {
		size = 2 // classes 0 and 1
	}
	for i, k := range present {
		if k < 0 || k >= size || (i > 0 && k <= present[i-1]) {
			return fault.BadModel(classifierKind, "class %d is number %d of %d", i, k, size)
		}
	}
	if len(present) == 0 {
		return fault.BadModel(classifierKind, "no class")
	}
	return nil
}
