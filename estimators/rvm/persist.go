package rvm

import (
	"fmt"
	"math"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/rvm/internal/basis"
	"github.com/kernelearn/kernelearn/estimators/rvm/internal/evidence"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
)

const (
	regressorKind  = "rvm.Regressor"
	classifierKind = "rvm.Classifier"
	version        = 1
)

// storedModel is the form of a Regressor in a file. It contains only the values that predictions need.
type storedModel struct {
	Support      basis.Stored
	Coefficients codec.Floats // for the columns of the support, and last for the column of ones, if any
	Alphas       codec.Floats
	Cov          codec.Floats // the upper triangle, row by row
	Means        codec.Floats
	Intercept    float64
	Noise        float64
	Spread       float64
	Within       float64      `cbor:",omitempty"`
	Calibration  codec.Floats // factor, scale, edge and span; none without calibration
	Evidence     codec.Floats // one number, which may be infinite
	Report       estimators.Report
	Objective    codec.Floats // of the report, possibly infinite
}

func (m *model) store(configured basis.Dictionary) storedModel {
	s := storedModel{
		Support: m.Support.Store(configured), Coefficients: m.Coefficients, Alphas: m.Alphas, Cov: codec.FromSym(m.Covariance),
		Means:     m.Means,
		Intercept: m.Intercept,
		Noise:     m.Noise, Spread: m.Spread, Within: m.within, Calibration: m.calibration.numbers(), Evidence: codec.Floats{m.Evidence},
		Report: m.Report, Objective: codec.Floats{m.Report.Objective},
	}
	s.Report.Objective = 0
	return s
}

// model validates s and returns the model.
func (s storedModel) model(configured basis.Dictionary) (*model, error) {
	bad := func(format string, args ...any) (*model, error) {
		return nil, fault.BadModel(regressorKind, format, args...)
	}
	k := len(s.Coefficients)
	cov, ok := s.Cov.Sym(k)
	calibrated, known := calibrationOf(s.Calibration)
	switch {
	case k-len(s.Support.Columns) != 0 && k-len(s.Support.Columns) != 1 || len(s.Alphas) != k || len(s.Means) != k:
		return bad("%d columns, %d coefficients, %d precisions and %d means", len(s.Support.Columns), k, len(s.Alphas), len(s.Means))
	case !ok:
		return bad("a covariance of %d numbers for %d columns, or not finite", len(s.Cov), k)
	case !s.Coefficients.Finite() || !s.Alphas.Finite() || !s.Means.Finite() || !check.IsFinite(s.Intercept):
		return bad("a value is not finite")
	case !known || !calibrated.valid() || s.Support.Design && calibrated.addsVariance():
		return bad("calibration %v", s.Calibration)
	case !(s.Noise >= 0) || !(s.Spread >= 0) || !(s.Within >= 0) || !check.IsFinite(s.Noise+s.Spread+s.Within):
		return bad("noise %v, spread %v", s.Noise, s.Spread)
	case len(s.Evidence) != 1 || math.IsNaN(s.Evidence[0]) || len(s.Objective) != 1 || math.IsNaN(s.Objective[0]):
		return bad("evidence %v, objective %v", s.Evidence, s.Objective)
	}
	of, err := s.Support.Restore(regressorKind, configured)
	if err != nil {
		return nil, err
	}
	m := &model{Support: of, calibration: calibrated, within: s.Within, Solution: &evidence.Solution{
		Coefficients: s.Coefficients, Alphas: s.Alphas, Covariance: cov, Means: s.Means, Intercept: s.Intercept, Noise: s.Noise,
		Spread:   s.Spread,
		Evidence: s.Evidence[0], Report: s.Report,
	}}
	m.Report.Objective = s.Objective[0]
	return m, nil
}

// MarshalBinary encodes the fitted model: the relevance vectors, their coefficients and covariance, and the kernel's name. It does
// not encode the configuration.
func (r *Regressor) MarshalBinary() ([]byte, error) {
	if r.m == nil {
		return nil, fault.NotFitted(regressorType)
	}
	return codec.Marshal(regressorKind, version, r.m.store(r.place().configured()))
}

// UnmarshalBinary decodes the output of MarshalBinary into a Regressor with the same Kernel. Errors wrap [estimators.ErrBadModel]
// and leave r unchanged.
func (r *Regressor) UnmarshalBinary(data []byte) error {
	var s storedModel
	if _, err := codec.Unmarshal(data, regressorKind, version, &s); err != nil {
		return err
	}
	m, err := s.model(r.place().configured())
	if err != nil {
		return err
	}
	r.m = m
	return nil
}

// storedMachine is the form of a machine in a file.
type storedMachine struct {
	Members      []int
	Coefficients codec.Floats
	Alphas       codec.Floats
	Cov          codec.Floats
	Intercept    float64
	Evidence     float64
}

type storedClassification struct {
	Support  basis.Stored
	Labels   []int
	Machines []storedMachine
	Report   estimators.Report
}

// machine validates s and returns the machine, for a support with the given number of columns.
func (s storedMachine) machine(columns int) (*evidence.Machine, error) {
	k := len(s.Members)
	cov, ok := s.Cov.Sym(k + 1)
	numbers := codec.Floats{s.Intercept, s.Evidence}
	switch {
	case !ok || len(s.Coefficients) != k || len(s.Alphas) != k:
		return nil, fmt.Errorf("%d coefficients and %d numbers of covariance for %d vectors", len(s.Coefficients), len(s.Cov), k)
	case !s.Coefficients.Finite() || !s.Alphas.Finite() || !numbers.Finite():
		return nil, fmt.Errorf("a value is not finite")
	case !basis.Ascending(s.Members) || k > 0 && s.Members[k-1] >= columns:
		return nil, fmt.Errorf("vectors %v of %d", s.Members, columns)
	}
	return &evidence.Machine{Members: s.Members, Coefficients: s.Coefficients, Alphas: s.Alphas, Covariance: cov, Intercept: s.Intercept,
		Evidence: s.Evidence}, nil
}

func (s storedClassification) classification(configured basis.Dictionary) (*classification, error) {
	if !classes.Valid(s.Labels) || len(s.Machines) != classes.Machines(len(s.Labels)) {
		return nil, fault.BadModel(classifierKind, "%d machines for classes %v", len(s.Machines), s.Labels)
	}
	of, err := s.Support.Restore(classifierKind, configured)
	if err != nil {
		return nil, err
	}
	m := &classification{Support: of, labels: s.Labels, report: s.Report}
	for i, sm := range s.Machines {
		mc, err := sm.machine(len(of.Columns))
		if err != nil {
			return nil, fault.BadModel(classifierKind, "machine %d: %v", i, err)
		}
		m.machines = append(m.machines, mc)
	}
	return m, nil
}

// MarshalBinary encodes the fitted model: the relevance vectors of all machines, their coefficients and covariances, the classes,
// and the kernel's name. It does not encode the configuration.
func (c *Classifier) MarshalBinary() ([]byte, error) {
	if c.m == nil {
		return nil, fault.NotFitted(classifierType)
	}
	s := storedClassification{Support: c.m.Support.Store(c.place().configured()), Labels: c.m.labels, Report: c.m.report}
	for _, mc := range c.m.machines {
		s.Machines = append(s.Machines, storedMachine{
			Members: mc.Members, Coefficients: mc.Coefficients, Alphas: mc.Alphas, Cov: codec.FromSym(mc.Covariance),
			Intercept: mc.Intercept,
			Evidence:  mc.Evidence,
		})
	}
	return codec.Marshal(classifierKind, version, s)
}

// UnmarshalBinary decodes the output of MarshalBinary into a Classifier with the same Kernel. Errors wrap [estimators.ErrBadModel]
// and leave c unchanged.
func (c *Classifier) UnmarshalBinary(data []byte) error {
	var s storedClassification
	if _, err := codec.Unmarshal(data, classifierKind, version, &s); err != nil {
		return err
	}
	m, err := s.classification(c.place().configured())
	if err != nil {
		return err
	}
	c.m = m
	return nil
}
