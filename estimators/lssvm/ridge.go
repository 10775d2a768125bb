package lssvm

import (
	"math"

	"github.com/kernelearn/kernelearn/internal/enum"
)

// RidgeRule says how a Ridge of 0 is chosen.
type RidgeRule int

// The rules.
const (
	// LeaveOneOut minimises the exact leave-one-out squared error. It is the default.
	LeaveOneOut RidgeRule = iota
	// Heuristic takes [HeuristicRidge] of the number of distinct training rows, times their mean weight.
	Heuristic
)

// String returns the rule's name.
func (r RidgeRule) String() string {
	return enum.Name("RidgeRule", int(r), "LeaveOneOut", "Heuristic")
}

// HeuristicRidge returns min(1, (n/1500)^1.5), equation (20) of Embrechts
// (IJCNN 2004), for n training rows.
func HeuristicRidge(n int) float64 { return min(1, math.Pow(float64(n)/1500, 1.5)) }

// givenRidge returns the ridge that needs no look at the data but the number of its rows; 0
// where leave-one-out has to choose it.
func givenRidge(ridge float64, rule RidgeRule, n int) float64 {
	if ridge == 0 && (rule == Heuristic || n == 1) { // one row leaves none when it is left out
		return HeuristicRidge(n)
	}
	return ridge
}
