// Package ridges passes the ridge that a search found to machines of package lssvm.
package ridges

import (
	"cmp"
	"slices"

	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/selection/search"
)

// OnAllRows reports whether the ridge was found on all n rows. The best ridge of a sample is too large or too small for all rows.
func OnAllRows(r *search.Result, n int) bool {
	if r.Lengths != nil {
		return true // a shape.Search returns a ridge for all rows or none
	}
	i := slices.IndexFunc(r.Trace, func(t search.TraceRow) bool { return t.Chosen })
	return i >= 0 && r.Trace[i].Rows == n && (r.Trace[i].Basis == search.OnMatrix || r.Trace[i].Basis == search.OnPivots)
}

// Set sets the Ridge of a machine of package lssvm to the one found on all n rows, if the machine would choose its ridge. It
// does nothing if class weights make the machine differ from that of the search.
func Set(e any, r *search.Result, n int) {
	if !(r.Ridge > 0) || !OnAllRows(r, n) {
		return
	}
	switch m := e.(type) {
	case *lssvm.Regressor:
		if m.RidgeRule == lssvm.LeaveOneOut {
			m.Ridge = cmp.Or(m.Ridge, r.Ridge)
		}
	case *lssvm.Classifier:
		if m.RidgeRule == lssvm.LeaveOneOut && (r.Lengths != nil || !m.Balanced && m.ClassWeights == nil) {
			m.Ridge = cmp.Or(m.Ridge, r.Ridge)
		}
	}
}

// Copy copies the Ridge of the fitted machine, which Set may have set, to the machine of package lssvm that a Space has built.
func Copy(built, fitted any) {
	switch m := built.(type) {
	case *lssvm.Regressor:
		if f, ok := fitted.(*lssvm.Regressor); ok {
			m.Ridge = f.Ridge
		}
	case *lssvm.Classifier:
		if f, ok := fitted.(*lssvm.Classifier); ok {
			m.Ridge = f.Ridge
		}
	}
}
