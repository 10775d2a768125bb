package selection

import (
	"fmt"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/kernels"
)

// candidatesName stands in traces and models for a family where there is none.
const candidatesName = "candidates"

// lineup is a Strategy that can compare estimators as they are.
type lineup interface {
	candidates() ([]func() estimators.Regressor, []func() estimators.Classifier)
}

func (g *Grid) candidates() ([]func() estimators.Regressor, []func() estimators.Classifier) {
	return g.Candidates, g.ClassifierCandidates
}

func (h *Halving) candidates() ([]func() estimators.Regressor, []func() estimators.Classifier) {
	return h.Candidates, h.ClassifierCandidates
}

// lineupOf returns the Candidates of a Search.
func lineupOf(s Strategy) (r []func() estimators.Regressor, c []func() estimators.Classifier) {
	if l, ok := s.(lineup); ok {
		return l.candidates()
	}
	return nil, nil
}

// numbers returns the numbers of the Candidates, which are then the parameters, in their
// order; nil where the parameters are those of a family.
func (p *problem) numbers() []float64 {
	if p.family != nil {
		return nil
	}
	out := make([]float64, len(p.entrants))
	for i := range out {
		out[i] = float64(i)
	}
	return out
}

// entrant is how a trace and a Result name a candidate.
func (p *problem) entrant(number float64) string {
	return fmt.Sprintf("candidate %d (%s)", int(number), p.entrants[int(number)])
}

// option is what a fit is made with.
type option[E any] struct {
	name   string
	kernel kernels.Kernel // nil for a candidate
	build  func() E
}

// option returns what a parameter of a family, or without one the number of a candidate,
// stands for.
func (c config[Y, E]) option(family kernels.Family, param float64) option[E] {
	if family == nil {
		build := c.candidates[int(param)]
		return option[E]{name: fmt.Sprintf("candidate %d", int(param)), build: build}
	}
	kernel := family.At(param)
	return option[E]{name: kernel.String(), kernel: kernel, build: func() E { return c.build(kernel) }}
}

// checkCandidates validates Candidates and what they exclude, and returns their types.
func (c config[Y, E]) checkCandidates() ([]string, error) {
	switch {
	case c.misplaced > 0:
		return nil, fault.Param(c.typ, "Search", fmt.Sprintf("with %d Candidates for the other task", c.misplaced), "Candidates in a Regressor, ClassifierCandidates in a Classifier")
	case c.candidates == nil:
		return nil, nil
	case c.configured != "":
		return nil, fault.Param(c.typ, c.configured, "given", "none beside Candidates, which bring their own kernels")
	case len(c.candidates) == 0:
		return nil, fault.Param(c.typ, "Search.Candidates", "empty", "at least one, or nil for kernels")
	}
	var out []string
	for i, build := range c.candidates {
		if build == nil || any(build()) == nil {
			return nil, fault.Param(c.typ, fmt.Sprintf("Search.Candidates[%d]", i), "nil", "a function that returns an estimator")
		}
		out = append(out, fmt.Sprintf("%T", build()))
	}
	return out, nil
}
