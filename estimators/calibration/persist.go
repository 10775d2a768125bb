package calibration

import (
	"math"
	"slices"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/platt"
)

const version = 1

// stored is the form of a Classifier's model in a file.
type stored struct {
	Classes []int
	Chosen  estimators.NestedModel
	Method  Method
	Logs    bool
	Slope   float64
	Offset  codec.Floats
	Steps   []storedSteps
}

type storedSteps struct{ X, P codec.Floats }

// MarshalBinary encodes the fitted estimator and the link. If Estimator has no MarshalBinary, the error wraps
// errors.ErrUnsupported.
func (c *Classifier) MarshalBinary() ([]byte, error) {
	if c.m == nil {
		return nil, fault.NotFitted(classifierType)
	}
	s := stored{Classes: c.m.classes, Method: c.m.link.method, Logs: c.m.link.logs, Slope: c.m.link.smooth.Slope,
		Offset: c.m.link.smooth.Offset}
	for _, g := range c.m.link.steps {
		s.Steps = append(s.Steps, storedSteps{X: g.X, P: g.P})
	}
	var err error
	if s.Chosen, err = estimators.NestModel(classifierType, c.m.chosen); err != nil {
		return nil, err
	}
	return codec.Marshal(classifierKind, version, s)
}

// UnmarshalBinary decodes the output of MarshalBinary into a Classifier with the same Estimator. If it returns an error, which
// wraps [estimators.ErrBadModel], c is unchanged.
func (c *Classifier) UnmarshalBinary(data []byte) error {
	var s stored
	if _, err := codec.Unmarshal(data, classifierKind, version, &s); err != nil {
		return err
	}
	l, err := s.link()
	if err != nil {
		return err
	}
	clone := estimators.Clone(c.estimator())
	if err := s.Chosen.UnmarshalInto(classifierKind, "estimator", clone); err != nil {
		return err
	}
	if !slices.Equal(clone.Classes(), s.Classes) {
		return fault.BadModel(classifierKind, "the estimator has the classes %d, the file %d", clone.Classes(), s.Classes)
	}
	if s.Logs && !estimators.Supports(clone, estimators.Proba) {
		return fault.BadModel(classifierKind, "the estimator has no probabilities, but the file has a temperature for them")
	}
	c.m = &model{classes: s.Classes, chosen: clone, link: l}
	return nil
}

// link returns the link, after checking all fields except the estimator.
func (s *stored) link() (link, error) {
	k := len(s.Classes)
	l := link{method: s.Method, logs: s.Logs}
	if !classes.Valid(s.Classes) {
		return l, fault.BadModel(classifierKind, "classes: want two or more, ascending")
	}
	if s.Logs && s.Method != Temperature {
		return l, fault.BadModel(classifierKind, "method %v of the logarithms of probabilities", s.Method)
	}
	switch s.Method {
	case Temperature, Platt:
		if len(s.Steps) != 0 || len(s.Offset) != k || !s.Offset.Finite() || !(s.Slope >= 0) || math.IsInf(s.Slope, 0) {
			return l, fault.BadModel(classifierKind, "slope %v and %d offsets for %d classes", s.Slope, len(s.Offset), k)
		}
		l.smooth = platt.Link{Slope: s.Slope, Offset: s.Offset}
		return l, nil
	case Isotonic:
	default:
		return l, fault.BadModel(classifierKind, "method %d", int(s.Method))
	}
	if want := stepFunctions(k); len(s.Steps) != want {
		return l, fault.BadModel(classifierKind, "%d step functions for %d classes, want %d", len(s.Steps), k, want)
	}
	for i, g := range s.Steps {
		if len(g.X) == 0 || len(g.P) != len(g.X) || !g.X.Finite() || !g.P.Finite() {
			return l, fault.BadModel(classifierKind, "step function %d: want as many finite values as scores", i)
		}
		for j, p := range g.P {
			if !(p > 0 && p < 1) || j > 0 && !(g.X[j] > g.X[j-1] && p >= g.P[j-1]) {
				return l, fault.BadModel(classifierKind,
					"step function %d, step %d: want ascending scores and probabilities between 0 and 1 in ascending order", i, j)
			}
		}
		l.steps = append(l.steps, steps{X: g.X, P: g.P})
	}
	return l, nil
}

// stepFunctions returns the number of step functions for k classes.
func stepFunctions(k int) int {
	if k == 2 {
		return 1
	}
	return k
}
