package gabasr

import (
	"math"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/gabasr/internal/features"
	"github.com/kernelearn/kernelearn/estimators/gabasr/internal/sampler"
	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/platt"
)

const (
	regressorKind  = "gabasr.Regressor"
	classifierKind = "gabasr.Classifier"
	version        = 1
)

// storedLearned holds the common part of the files of Regressor and Classifier.
type storedLearned struct {
	Scaling  features.Scaling
	Trend    features.Trend
	Features int
	Machines []storedMachine
	Report   estimators.Report
}

type storedMachine struct {
	Draws    []*features.Draw
	Baseline float64
	Trace    []sampler.Sweep
	RHat     float64
}

type storedRegressor struct {
	Learned     storedLearned
	Mean, Scale float64
	Within      float64 `cbor:",omitempty"`
}

type storedClassifier struct {
	Learned    storedLearned
	Classes    []int
	Likelihood int
	Links      []platt.Sigmoid
}

func (l *learned) store() storedLearned {
	s := storedLearned{Scaling: l.Scaling, Trend: l.trend, Features: int(l.kind), Report: l.report}
	for _, m := range l.machines {
		s.Machines = append(s.Machines, storedMachine{Draws: m.Draws, Baseline: m.Baseline, Trace: m.Trace, RHat: m.RHat})
	}
	return s
}

// learned checks the stored form and returns the model. It returns an error unless there are exactly the given number of machines.
func (s storedLearned) learned(kind string, machines int, variances bool, workers int) (learned, error) {
	l := learned{Scaling: s.Scaling, trend: s.Trend, kind: features.Map(s.Features), workers: workers, report: s.Report}
	bad := func(format string, args ...any) (learned, error) { return l, fault.BadModel(kind, format, args...) }
	switch {
	case l.kind < features.Stationary || l.kind > features.AllPairs:
		return bad("features %d", s.Features)
	case !l.Scaling.Valid():
		return bad("scaling of columns %v of %d", s.Scaling.Columns, s.Scaling.Width)
	case !l.trend.Valid(len(l.Columns)):
		return bad("a trend of %d columns", len(s.Trend))
	case len(s.Machines) != machines:
		return bad("%d machines, want %d", len(s.Machines), machines)
	case s.Report.Objective-s.Report.Objective != 0:
		return bad("objective %v", s.Report.Objective)
	}
	for i, m := range s.Machines {
		if len(m.Draws) == 0 || m.Baseline-m.Baseline != 0 {
			return bad("machine %d: %d draws, baseline %v", i, len(m.Draws), m.Baseline)
		}
		for k, d := range m.Draws {
			if d == nil || !d.Valid(len(l.Columns), l.trend.Width(), l.kind, variances) || !features.Held(m.Draws, k) {
				return bad("machine %d: a draw is incomplete or not finite", i)
			}
		}
		if m.RHat < 0 { // NaN is valid: there are too few sweeps for halves
			return bad("machine %d: a split R-hat of %v", i, m.RHat)
		}
		l.machines = append(l.machines, &sampler.Machine{Draws: m.Draws, Baseline: m.Baseline, Trace: m.Trace, RHat: m.RHat})
	}
	return l, nil
}

// MarshalBinary encodes the fitted model: the draws of the kept sweeps, the scaling and the trace. It does not encode the
// configuration.
func (r *Regressor) MarshalBinary() ([]byte, error) {
	if r.m == nil {
		return nil, fault.NotFitted(regressorType)
	}
	return codec.Marshal(regressorKind, version, storedRegressor{Learned: r.m.store(), Mean: r.m.mean, Scale: r.m.scale,
		Within: r.m.within})
}

// UnmarshalBinary decodes the output of MarshalBinary into any Regressor. Errors wrap [estimators.ErrBadModel] and leave r
// unchanged.
func (r *Regressor) UnmarshalBinary(data []byte) error {
	var s storedRegressor
	if _, err := codec.Unmarshal(data, regressorKind, version, &s); err != nil {
		return err
	}
	l, err := s.Learned.learned(regressorKind, 1, true, r.Workers)
	if err != nil {
		return err
	}
	if s.Mean-s.Mean != 0 || !(s.Scale > 0) || math.IsInf(s.Scale, 1) || !(s.Within >= 0) || math.IsInf(s.Within, 1) {
		return fault.BadModel(regressorKind, "targets of mean %v, scale %v and variance %v within equal rows", s.Mean, s.Scale, s.Within)
	}
	r.m = &regression{learned: l, mean: s.Mean, scale: s.Scale, within: s.Within}
	return nil
}

// MarshalBinary encodes the fitted model: the draws of the kept sweeps of all machines, their links, the classes, the scaling and
// the trace. It does not encode the configuration.
func (c *Classifier) MarshalBinary() ([]byte, error) {
	if c.m == nil {
		return nil, fault.NotFitted(classifierType)
	}
	return codec.Marshal(classifierKind, version, storedClassifier{
		Learned: c.m.store(), Classes: c.m.classes, Likelihood: int(c.m.likelihood), Links: c.m.links,
	})
}

// UnmarshalBinary decodes the output of MarshalBinary into any Classifier. Errors wrap [estimators.ErrBadModel] and leave c
// unchanged.
func (c *Classifier) UnmarshalBinary(data []byte) error {
	var s storedClassifier
	if _, err := codec.Unmarshal(data, classifierKind, version, &s); err != nil {
		return err
	}
	likelihood := Likelihood(s.Likelihood)
	if !classes.Valid(s.Classes) || len(s.Links) != classes.Machines(len(s.Classes)) || likelihood < Normal || likelihood > Surrogate {
		return fault.BadModel(classifierKind, "classes %v, %d links, likelihood %d", s.Classes, len(s.Links), s.Likelihood)
	}
	for _, l := range s.Links {
		if !(l.Slope >= 0) || !(codec.Floats{l.Slope, l.Offset}).Finite() {
			return fault.BadModel(classifierKind, "a link of slope %v and offset %v", l.Slope, l.Offset)
		}
	}
	l, err := s.Learned.learned(classifierKind, len(s.Links), likelihood == PolyaGamma, c.Workers)
	if err != nil {
		return err
	}
	c.m = &classification{learned: l, classes: s.Classes, likelihood: likelihood, links: s.Links}
	return nil
}
