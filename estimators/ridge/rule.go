package ridge

import (
	"github.com/kernelearn/kernelearn/estimators/lssvm"
)

// RidgeRule is a rule for the choice of a Ridge of 0. It is the type of package lssvm.
type RidgeRule = lssvm.RidgeRule

// These are the rules.
const (
	// LeaveOneOut minimises the exact leave-one-out squared error. It is the default.
	LeaveOneOut = lssvm.LeaveOneOut
	// Heuristic uses [lssvm.HeuristicRidge] of the number of distinct training rows, times their mean weight.
	Heuristic = lssvm.Heuristic
)
