package ridge

import (
	"github.com/kernelearn/kernelearn/estimators/lssvm"
)

// RidgeRule says how a Ridge of 0 is chosen. It is the type of package lssvm.
type RidgeRule = lssvm.RidgeRule

// The rules.
const (
	// LeaveOneOut minimises the exact leave-one-out squared error. It is the default.
	LeaveOneOut = lssvm.LeaveOneOut
	// Heuristic takes [lssvm.HeuristicRidge] of the number of distinct training rows, times their mean weight.
	Heuristic = lssvm.Heuristic
)
