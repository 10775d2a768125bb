package ridge

import "github.com/kernelearn/kernelearn/estimators/lssvm"

// RidgeRule says how Fit chooses λ. It is package lssvm's.
type RidgeRule = lssvm.RidgeRule

// The rules.
const (
	LeaveOneOut = lssvm.LeaveOneOut // minimise the exact leave-one-out squared error: the default
	Fixed       = lssvm.Fixed       // the field Ridge
	Heuristic   = lssvm.Heuristic   // lssvm.HeuristicRidge(n)
)
