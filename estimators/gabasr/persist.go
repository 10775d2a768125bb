package gabasr

import (
	"encoding"
	"math"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/platt"
)

const (
	regressorKind  = "gabasr.Regressor"
	classifierKind = "gabasr.Classifier"
	version        = 3 // 1 has no trend, and the factor of each draw; 1 and 2 have no R̂ of predictions
)

var (
	_ encoding.BinaryMarshaler   = (*Regressor)(nil)
	_ encoding.BinaryUnmarshaler = (*Regressor)(nil)
	_ encoding.BinaryMarshaler   = (*Classifier)(nil)
	_ encoding.BinaryUnmarshaler = (*Classifier)(nil)
)

// storedLearned is what both files have.
type storedLearned struct {
	Scaling  scaling
	Trend    trend // since version 2
	Features int
	BurnIn   int `cbor:",omitempty"` // of versions 1 and 2; since 3 the trace says which sweeps are kept
	Machines []storedMachine
	Report   estimators.Report
}

type storedMachine struct {
	Draws    []*draw
	Baseline float64
	Trace    []Sweep
	RHat     float64 // since version 3
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
	s := storedLearned{Scaling: l.scaling, Trend: l.trend, Features: int(l.kind), Report: l.report}
	for _, m := range l.machines {
		s.Machines = append(s.Machines, storedMachine{Draws: m.Draws, Baseline: m.Baseline, Trace: m.Trace, RHat: m.RHat})
	}
	return s
}

// learned validates what was read from a file that was written in a version, for the number of machines that there
// should be.
func (s storedLearned) learned(kind string, written, machines int, variances bool, workers int) (learned, error) {
	l := learned{scaling: s.Scaling, trend: s.Trend, kind: Map(s.Features), workers: workers, report: s.Report}
	bad := func(format string, args ...any) (learned, error) { return l, fault.BadModel(kind, format, args...) }
	switch {
	case l.kind < Stationary || l.kind > AllPairs:
		return bad("features %d", s.Features)
	case !l.scaling.valid(written):
		return bad("scaling of columns %v of %d", s.Scaling.Columns, s.Scaling.Width)
	case !l.trend.valid(len(l.Columns)):
		return bad("a trend of %d columns", len(s.Trend))
	case len(s.Machines) != machines:
		return bad("%d machines, want %d", len(s.Machines), machines)
	case s.Report.Objective-s.Report.Objective != 0:
		return bad("objective %v", s.Report.Objective)
	}
	if left := l.scaling.Width - len(l.scaling.Columns); len(l.scaling.Constant) == 0 && left > 0 {
		l.scaling.Constant = make(codec.Floats, left) // which version 1 lacks, and a file that is written now has
	}
	for i, m := range s.Machines {
		if len(m.Draws) == 0 || m.Baseline-m.Baseline != 0 {
			return bad("machine %d: %d draws, baseline %v", i, len(m.Draws), m.Baseline)
		}
		for k, d := range m.Draws {
			if d == nil || !d.valid(len(l.Columns), l.trend.width(), l.kind, variances) || !held(m.Draws, k) {
				return bad("machine %d: a draw is incomplete or not finite", i)
			}
		}
		if written < 3 {
			m.RHat = evidenceRHat(m.Trace, s.BurnIn)
			for k := range m.Trace { // the start alone is kept where nothing follows it
				m.Trace[k].Kept = m.Trace[k].Number > s.BurnIn || len(m.Trace) == len(m.Draws)
			}
		} else if m.RHat < 0 { // NaN has no halves; that of an old file's trace may be below 1
			return bad("machine %d: a split R-hat of %v", i, m.RHat)
		}
		l.machines = append(l.machines, &machine{Draws: m.Draws, Baseline: m.Baseline, Trace: m.Trace, RHat: m.RHat})
	}
	return l, nil
}

// held reports whether draw k takes the factor of one that has its own.
func held(draws []*draw, k int) bool {
	by := draws[k].Holder
	return by == 0 || by > -len(draws) && by < len(draws) && k+by >= 0 && k+by < len(draws) && draws[k+by] != nil && draws[k+by].Holder == 0
}

// valid reports whether a draw of such columns, and so many of the trend, can be predicted with.
func (d *draw) valid(columns, trend int, kind Map, variances bool) bool {
	w, err := d.W.Dense()
	if err != nil || w == nil || d.W.Cols != columns {
		return false
	}
	v, err := d.V.Dense()
	switch {
	case err != nil, (v == nil) != (kind == Stationary), v != nil && d.V.Cols != columns, kind == Paired && d.V.Rows != d.W.Rows:
		return false
	case v != nil && float64(d.W.Rows)*float64(d.V.Rows) > 1<<30:
		return false
	}
	p := 1 + trend + 2*pairsOf(w, v, kind)
	switch numbers := (codec.Floats{d.Shape, d.Rate, d.Ridge, d.LogEv}); {
	case len(d.Coefficients) != p || !d.Coefficients.Finite() || !numbers.Finite() || !(d.Shape > 0) || !(d.Rate > 0):
		return false
	case variances && d.Holder == 0 && !triangular(d.Factor, p), (!variances || d.Holder != 0) && len(d.Factor) != 0, !variances && d.Holder != 0:
		return false
	}
	return validParts(d.Mixture, columns, d.W.Rows) && (v == nil && len(d.Local) == 0 || v != nil && validParts(d.Local, columns, d.V.Rows))
}

// triangular reports whether data are the rows of an upper factor of order p, with a
// positive diagonal.
func triangular(data codec.Floats, p int) bool {
	if float64(len(data)) != float64(p)*(float64(p)+1)/2 || !data.Finite() {
		return false
	}
	at := 0
	for i := range p {
		if !(data[at] > 0) {
			return false
		}
		at += p - i
	}
	return true
}

// validParts reports whether the components have as many frequencies together as there
// are.
func validParts(parts []storedPart, columns, rows int) bool {
	total := 0
	for _, p := range parts {
		if p.N < 1 || p.N > rows || len(p.Mu) != columns || !p.Mu.Finite() || len(p.Root) != columns*(columns+1)/2 || !p.Root.Finite() {
			return false
		}
		for i := range columns {
			if !(p.Root[i*(i+3)/2] > 0) { // the diagonal
				return false
			}
		}
		total += p.N
	}
	return total == rows
}

// MarshalBinary writes the fitted model: the draws of the kept sweeps, the scaling and
// the trace. The configuration is not written.
func (r *Regressor) MarshalBinary() ([]byte, error) {
	if r.m == nil {
		return nil, fault.NotFitted(regressorType)
	}
	return codec.Marshal(regressorKind, version, storedRegressor{Learned: r.m.store(), Mean: r.m.mean, Scale: r.m.scale, Within: r.m.within})
}

// UnmarshalBinary reads what MarshalBinary wrote into any Regressor. Errors wrap [estimators.ErrBadModel] and leave
// r unchanged.
func (r *Regressor) UnmarshalBinary(data []byte) error {
	var s storedRegressor
	written, err := codec.Unmarshal(data, regressorKind, version, &s)
	if err != nil {
		return err
	}
	l, err := s.Learned.learned(regressorKind, written, 1, true, r.Workers)
	if err != nil {
		return err
	}
	if s.Mean-s.Mean != 0 || !(s.Scale > 0) || math.IsInf(s.Scale, 1) || !(s.Within >= 0) || math.IsInf(s.Within, 1) {
		return fault.BadModel(regressorKind, "targets of mean %v, scale %v and variance %v within equal rows", s.Mean, s.Scale, s.Within)
	}
	r.m = &regression{learned: l, mean: s.Mean, scale: s.Scale, within: s.Within}
	return nil
}

// MarshalBinary writes the fitted model: the draws of the kept sweeps of all machines,
// their links, the classes, the scaling and the trace. The configuration is not written.
func (c *Classifier) MarshalBinary() ([]byte, error) {
	if c.m == nil {
		return nil, fault.NotFitted(classifierType)
	}
	return codec.Marshal(classifierKind, version, storedClassifier{
		Learned: c.m.store(), Classes: c.m.classes, Likelihood: int(c.m.likelihood), Links: c.m.links,
	})
}

// UnmarshalBinary reads what MarshalBinary wrote into any Classifier. Errors wrap [estimators.ErrBadModel] and
// leave c unchanged.
func (c *Classifier) UnmarshalBinary(data []byte) error {
	var s storedClassifier
	written, err := codec.Unmarshal(data, classifierKind, version, &s)
	if err != nil {
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
	l, err := s.Learned.learned(classifierKind, written, len(s.Links), likelihood == PolyaGamma, c.Workers)
	if err != nil {
		return err
	}
	c.m = &classification{learned: l, classes: s.Classes, likelihood: likelihood, links: s.Links}
	return nil
}
