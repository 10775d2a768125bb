package ridge

import (
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
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

// checkRidge validates the fields Ridge and RidgeRule of a type.
func checkSettings(typ string, ridge float64, rule RidgeRule, workers int) error {
	if err := check.Workers(typ, workers); err != nil {
		return err
	}
	if rule != LeaveOneOut && rule != Heuristic {
		return fault.Param(typ, "RidgeRule", int(rule), "LeaveOneOut or Heuristic")
	}
	return check.Setting(typ, "Ridge", ridge, "the choice by RidgeRule")
}
