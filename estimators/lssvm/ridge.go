package lssvm

import (
	"math"

	"github.com/kernelearn/kernelearn/internal/enum"
)

// RidgeRule is a rule that chooses the ridge if Ridge is 0.
type RidgeRule int

// These are the rules.
const (
	// LeaveOneOut minimises the exact leave-one-out squared error. It is the default.
	LeaveOneOut RidgeRule = iota
	// Heuristic uses [HeuristicRidge] for the number of distinct training rows, times their mean weight.
	Heuristic
)

// String returns the rule's name.
func (r RidgeRule) String() string {
	return enum.Name("RidgeRule", int(r), "LeaveOneOut", "Heuristic")
}

// HeuristicRidge returns min(1, (n/1500)^1.5), equation (20) of Embrechts
// (IJCNN 2004), for n training rows.
func HeuristicRidge(n int) float64 { return min(1, math.Pow(float64(n)/1500, 1.5)) }

// givenRidge returns the ridge if it depends only on the settings and the number of rows. It returns 0 if leave-one-out must choose
// it.
func givenRidge(ridge float64, rule RidgeRule, n int) float64 {
	if ridge == 0 && (rule == Heuristic || n == 1) { // a single row cannot be left out
		return HeuristicRidge(n)
	}
	return ridge
}
