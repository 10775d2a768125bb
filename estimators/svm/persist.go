package svm

import (
	"math"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/platt"
	"github.com/kernelearn/kernelearn/kernels"
)

const (
	regressorKind  = "svm.Regressor"
	classifierKind = "svm.Classifier"
	version        = 1
)

// stored is the form of a machine in a file.
type stored struct {
	Matrix     bool // fitted by FitMatrix, without kernel or vectors
	Kernel     kernels.Reference
	Width      int
	Indices    []int
	Vectors    codec.Matrix
	Entries    storedEntries // the coefficients
	Intercepts codec.Floats
	C, Epsilon float64
	Report     estimators.Report
}

func (m *machine) store(configured kernels.Kernel) stored {
	s := stored{
		Matrix: m.kernel == nil, Width: m.width, Indices: m.indices, Vectors: codec.FromDense(m.vectors),
		Intercepts: m.intercepts, C: m.c, Epsilon: m.epsilon, Report: m.report,
	}
	if m.coef == nil {
		s.Entries = storedEntries{Counts: make([]int, len(m.intercepts))}
	} else {
		s.Entries = m.coef.store()
	}
	if m.kernel != nil {
		s.Kernel = kernels.MakeReference(configured, m.kernel)
	}
	return s
}

// machine checks s and returns the machine. pairs is the number of its decision values.
func (s stored) machine(kind string, configured kernels.Kernel, pairs int) (*machine, error) {
	bad := func(format string, args ...any) (*machine, error) { return nil, fault.BadModel(kind, format, args...) }
	m := &machine{width: s.Width, indices: s.Indices, intercepts: s.Intercepts, c: s.C, epsilon: s.Epsilon, report: s.Report}
	var err error
	if m.vectors, err = s.Vectors.Dense(); err != nil {
		return bad("support vectors: %v", err)
	}
	vectors := len(s.Indices)
	coef, ok := s.Entries.coefficients(pairs, vectors)
	if !ok {
		return bad("coefficients of %d machines, want %d, on %d vectors", len(s.Entries.Counts), pairs, vectors)
	}
	if vectors > 0 {
		m.coef = coef
	}
	switch {
	case s.Width < 1 || len(s.Intercepts) != pairs:
		return bad("a width of %d, and %d intercepts for %d machines", s.Width, len(s.Intercepts), pairs)
	case !(s.C >= 0 && s.Epsilon >= 0) || math.IsInf(s.C, 1) || math.IsInf(s.Epsilon, 1):
		return bad("C = %v, a tube of %v", s.C, s.Epsilon)
	case !s.Intercepts.Finite() || s.Report.Objective-s.Report.Objective != 0:
		return bad("a value is not finite")
	}
	for k, i := range s.Indices {
		if i < 0 || k > 0 && i <= s.Indices[k-1] || s.Matrix && i >= s.Width {
			return bad("indices %v of a width of %d", s.Indices, s.Width)
		}
	}
	if s.Matrix {
		if m.vectors != nil {
			return bad("vectors without a kernel")
		}
		return m, nil
	}
	if (m.vectors == nil) != (vectors == 0) {
		return bad("coefficients without vectors, or vectors without coefficients")
	}
	if m.vectors != nil {
		if r, c := m.vectors.Dims(); r != vectors || c != s.Width {
			return bad("%d×%d support vectors, %d×%d announced", r, c, vectors, s.Width)
		}
	}
	m.kernel, err = s.Kernel.Resolve(kind, configured)
	return m, err
}

// MarshalBinary encodes the fitted model: the support vectors, their coefficients and the kernel's name. It does not encode the
// configuration.
func (r *Regressor) MarshalBinary() ([]byte, error) {
	if r.m == nil {
		return nil, fault.NotFitted(regressorType)
	}
	return codec.Marshal(regressorKind, version, r.m.store(r.Kernel))
}

// UnmarshalBinary decodes the output of MarshalBinary into a Regressor with the same Kernel. Errors wrap [estimators.ErrBadModel]
// and leave r unchanged.
func (r *Regressor) UnmarshalBinary(data []byte) error {
	var s stored
	if _, err := codec.Unmarshal(data, regressorKind, version, &s); err != nil {
		return err
	}
	m, err := s.machine(regressorKind, r.Kernel, 1)
	if err != nil {
		return err
	}
	r.m = m
	return nil
}

type storedClassifier struct {
	Machine         stored
	Classes         []int
	Slopes, Offsets codec.Floats // of the sigmoids of the pairs; empty without probabilities
}

// MarshalBinary encodes the fitted model: the support vectors, their coefficients, the kernel's name, the classes, and the sigmoids
// of the probabilities if they were fitted. It does not encode the configuration.
func (c *Classifier) MarshalBinary() ([]byte, error) {
	if c.m == nil {
		return nil, fault.NotFitted(classifierType)
	}
	s := storedClassifier{Machine: c.m.store(c.Kernel), Classes: c.classes}
	for _, l := range c.links {
		s.Slopes, s.Offsets = append(s.Slopes, l.Slope), append(s.Offsets, l.Offset)
	}
	return codec.Marshal(classifierKind, version, s)
}

// UnmarshalBinary decodes the output of MarshalBinary into a Classifier with the same Kernel. Errors wrap [estimators.ErrBadModel]
// and leave c unchanged.
func (c *Classifier) UnmarshalBinary(data []byte) error {
	var s storedClassifier
	if _, err := codec.Unmarshal(data, classifierKind, version, &s); err != nil {
		return err
	}
	if !classes.Valid(s.Classes) {
		return fault.BadModel(classifierKind, "the classes are %v, want two or more that ascend", s.Classes)
	}
	k := len(s.Classes)
	pairs := k * (k - 1) / 2
	links := len(s.Slopes)
	if links != 0 && links != pairs || len(s.Offsets) != links || !s.Slopes.Finite() || !s.Offsets.Finite() {
		return fault.BadModel(classifierKind, "%d classes with %d and %d parameters of probabilities", k, links, len(s.Offsets))
	}
	m, err := s.Machine.machine(classifierKind, c.Kernel, pairs)
	if err != nil {
		return err
	}
	var sigmoids []platt.Sigmoid
	for i, slope := range s.Slopes {
		if slope < 0 {
			return fault.BadModel(classifierKind, "a probability that falls with its decision value")
		}
		sigmoids = append(sigmoids, platt.Sigmoid{Slope: slope, Offset: s.Offsets[i]})
	}
	c.m, c.classes, c.links = m, s.Classes, sigmoids
	return nil
}
