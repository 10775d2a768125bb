package svm

import (
	"fmt"

	"github.com/kernelearn/kernelearn/estimators/svm/internal/smo"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// checkNu returns an error if Nu is set together with the field that it replaces.
func (s machineSettings) checkNu(field string, replaced float64) error {
	if s.nu > 0 && replaced > 0 {
		return fault.Param(s.typ, field, replaced, "0 with Nu, which replaces it")
	}
	return nil
}

// checkShare returns an error if ν is larger than twice the share of the smaller of two classes.
func (s machineSettings) checkShare(p smo.Problem, lesser, greater int) error {
	plus, minus := p.Sides()
	most := 2 * min(plus, minus) / (plus + minus)
	if s.nu <= most*(1+1e-12) {
		return nil
	}
	return fault.Param(s.typ, "Nu", s.nu, fmt.Sprintf(
		"at most %.6g for the classes %d and %d: twice the share of the smaller of the two; Balanced makes it 1", most, lesser, greater))
}
