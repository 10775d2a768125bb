package ridge

import (
	"github.com/kernelearn/kernelearn/estimators/lssvm"
)

// RidgeRule is a rule that chooses the ridge if Ridge is 0. It is the type of the same name in package lssvm.
type RidgeRule = lssvm.RidgeRule

// These are the rules.
const (
	// LeaveOneOut minimises the exact leave-one-out squared error. It is the default.
	LeaveOneOut = lssvm.LeaveOneOut
	// Heuristic uses [lssvm.HeuristicRidge] for the number of distinct training rows, times their mean weight.
	Heuristic = lssvm.Heuristic
)
