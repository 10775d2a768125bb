package lssvm

import (
	"fmt"
	"math"

	"github.com/kernelearn/kernelearn/internal/fault"
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

// Validate returns an ErrParam error, in the name of a type, unless ridge is what
// the rule wants: finite and positive with Fixed, 0 with the others.
func (r RidgeRule) Validate(typ string, ridge float64) error {
	switch r {
	case Fixed:
		if !(ridge > 0) || math.IsInf(ridge, 1) {
			return fault.Param(typ, "Ridge", ridge, "a finite value > 0 with RidgeRule Fixed")
		}
	case LeaveOneOut, Heuristic:
		if ridge != 0 {
			return fault.Param(typ, "Ridge", ridge, "0 unless RidgeRule is Fixed")
		}
	default:
		return fault.Param(typ, "RidgeRule", int(r), "LeaveOneOut, Fixed or Heuristic")
	}
	return nil
}

// HeuristicRidge returns min(1, (n/1500)^1.5), equation (20) of Embrechts
// (IJCNN 2004), for n training rows.
func HeuristicRidge(n int) float64 { return min(1, math.Pow(float64(n)/1500, 1.5)) }
