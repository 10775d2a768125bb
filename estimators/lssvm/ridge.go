package lssvm

import (
	"fmt"
	"math"
)

// RidgeRule says where the ridge λ comes from.
type RidgeRule int

// The rules.
const (
	LeaveOneOut RidgeRule = iota // minimise the exact leave-one-out squared error: the default
	Fixed                        // the field Ridge
	Heuristic                    // HeuristicRidge(n)
)

// String returns the rule's name.
func (r RidgeRule) String() string {
	switch r {
	case LeaveOneOut:
		return "LeaveOneOut"
	case Fixed:
		return "Fixed"
	case Heuristic:
		return "Heuristic"
	}
	return fmt.Sprintf("RidgeRule(%d)", int(r))
}

// HeuristicRidge returns min(1, (n/1500)^1.5), equation (20) of Embrechts
// (IJCNN 2004), for n training rows.
func HeuristicRidge(n int) float64 { return min(1, math.Pow(float64(n)/1500, 1.5)) }
