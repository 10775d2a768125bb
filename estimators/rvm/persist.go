package rvm

import (
	"encoding"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/kernels"
)

const (
	regressorKind = "rvm.Regressor"
	version       = 1
)

var (
	_ encoding.BinaryMarshaler   = (*Regressor)(nil)
	_ encoding.BinaryUnmarshaler = (*Regressor)(nil)
)

// storedModel is a model in a file: only what predictions need.
type storedModel struct {
	Design       bool // fitted by FitDesign: there is no kernel and there are no vectors
	Kernel       kernels.Reference
	Width        int
	Vectors      codec.Matrix
	Rows         []int
	Indices      []int
	Ones         bool
	Coefficients codec.Floats
	Alphas       codec.Floats
	Cov          codec.Floats // the upper triangle, row by row
	Means        codec.Floats
	Intercept    float64
	Noise        float64
	Spread       float64
	Evidence     codec.Floats // one number, which may be infinite
	Report       estimators.Report
	Objective    codec.Floats // the report's, which may be infinite
}

func (m *model) store(configured kernels.Kernel) storedModel {
	s := storedModel{
		Design: m.kernel == nil, Width: m.width, Vectors: codec.FromDense(m.vectors), Rows: m.rows, Indices: m.indices, Ones: m.ones,
		Coefficients: m.coefficients, Alphas: m.alphas, Means: m.means, Intercept: m.intercept, Noise: m.noise, Spread: m.spread,
		Evidence: codec.Floats{m.evidence}, Report: m.report, Objective: codec.Floats{m.report.Objective},
	}
	s.Report.Objective = 0
	if m.kernel != nil {
		s.Kernel = kernels.MakeReference(configured, m.kernel)
	}
	s.Cov = packSym(m.cov)
	return s
}

// model rebuilds and validates.
func (s storedModel) model(kind string, configured kernels.Kernel) (*model, error) {
	bad := func(format string, args ...any) (*model, error) { return nil, fault.BadModel(kind, format, args...) }
	k := len(s.Indices)
	switch {
	case s.Width < 1 || len(s.Coefficients) != k || len(s.Alphas) != k || len(s.Means) != k || s.Ones && k == 0:
		return bad("%d columns, %d coefficients, %d precisions and %d means for a width of %d", k, len(s.Coefficients), len(s.Alphas), len(s.Means), s.Width)
	case !s.Coefficients.Finite() || !s.Alphas.Finite() || !s.Means.Finite() || !s.Cov.Finite() || !isFinite(s.Intercept):
		return bad("a value is not finite")
	case !(s.Noise >= 0) || !(s.Spread >= 0) || !isFinite(s.Noise) || !isFinite(s.Spread):
		return bad("noise %v, spread %v", s.Noise, s.Spread)
	case len(s.Evidence) != 1 || math.IsNaN(s.Evidence[0]) || len(s.Objective) != 1 || math.IsNaN(s.Objective[0]):
		return bad("evidence %v, objective %v", s.Evidence, s.Objective)
	case !ascending(s.Indices) || k > 0 && s.Indices[0] < 0:
		return bad("columns %v do not ascend", s.Indices)
	}
	m := &model{width: s.Width, ones: s.Ones, rows: s.Rows, solution: &solution{
		indices: s.Indices, coefficients: s.Coefficients, alphas: s.Alphas, means: s.Means, intercept: s.Intercept, noise: s.Noise, spread: s.Spread,
		evidence: s.Evidence[0], report: s.Report,
	}}
	m.report.Objective = s.Objective[0]
	var ok bool
	if m.cov, ok = unpackSym(k, s.Cov); !ok {
		return bad("a covariance of %d numbers for %d columns", len(s.Cov), k)
	}
	var err error
	if m.vectors, err = s.Vectors.Dense(); err != nil {
		return bad("vectors: %v", err)
	}
	if s.Design {
		columns := m.indices[:m.vectorsCount()]
		if m.vectors != nil || len(columns) > 0 && columns[len(columns)-1] >= s.Width {
			return bad("columns %v of a design matrix of %d", s.Indices, s.Width)
		}
		return m, nil
	}
	rows := 0
	if m.vectors != nil {
		var width int
		if rows, width = m.vectors.Dims(); width != s.Width {
			return bad("vectors of %d columns, %d announced", width, s.Width)
		}
	}
	if rows != m.vectorsCount() || len(s.Rows) != 0 && len(s.Rows) != rows {
		return bad("%d vectors and %d rows for %d coefficients", rows, len(s.Rows), m.vectorsCount())
	}
	m.kernel, err = s.Kernel.Resolve(kind, configured)
	return m, err
}

// MarshalBinary writes the fitted model: the relevance vectors, their coefficients
// and covariance, and the kernel's name. The configuration is not written.
func (r *Regressor) MarshalBinary() ([]byte, error) {
	if r.m == nil {
		return nil, fault.NotFitted(regressorType)
	}
	return codec.Marshal(regressorKind, version, r.m.store(r.Kernel))
}

// UnmarshalBinary reads what MarshalBinary wrote into a Regressor of the same Kernel.
// Errors are ErrBadModel and leave r as it was.
func (r *Regressor) UnmarshalBinary(data []byte) error {
	var s storedModel
	if _, err := codec.Unmarshal(data, regressorKind, version, &s); err != nil {
		return err
	}
	m, err := s.model(regressorKind, r.Kernel)
	if err != nil {
		return err
	}
	r.m = m
	return nil
}

const classifierKind = "rvm.Classifier"

var (
	_ encoding.BinaryMarshaler   = (*Classifier)(nil)
	_ encoding.BinaryUnmarshaler = (*Classifier)(nil)
)

// storedMachine is one class against the rest in a file.
type storedMachine struct {
	Members      []int
	Coefficients codec.Floats
	Alphas       codec.Floats
	Cov          codec.Floats
	Intercept    float64
	Evidence     float64
}

type storedClasses struct {
	Design   bool
	Kernel   kernels.Reference
	Width    int
	Labels   []int
	Vectors  codec.Matrix
	Rows     []int
	Columns  []int
	Machines []storedMachine
	Report   estimators.Report
}

// packSym returns the upper triangle, row by row.
func packSym(m *mat.SymDense) (out codec.Floats) {
	if m == nil {
		return nil
	}
	n := m.SymmetricDim()
	for i := range n {
		for j := i; j < n; j++ {
			out = append(out, m.At(i, j))
		}
	}
	return out
}

// unpackSym is the inverse, nil for order 0; ok is false if the length does not fit.
func unpackSym(n int, packed codec.Floats) (m *mat.SymDense, ok bool) {
	if float64(len(packed)) != float64(n)*(float64(n)+1)/2 {
		return nil, false
	}
	if n == 0 {
		return nil, true
	}
	m = mat.NewSymDense(n, nil)
	at := 0
	for i := range n {
		for j := i; j < n; j++ {
			m.SetSym(i, j, packed[at])
			at++
		}
	}
	return m, true
}

// MarshalBinary writes the fitted model: the relevance vectors of all machines, their
// coefficients and covariances, the classes, and the kernel's name. The configuration is
// not written.
func (c *Classifier) MarshalBinary() ([]byte, error) {
	m := c.m
	if m == nil {
		return nil, fault.NotFitted(classifierType)
	}
	s := storedClasses{
		Design: m.kernel == nil, Width: m.width, Labels: m.labels, Vectors: codec.FromDense(m.vectors), Rows: m.rows, Columns: m.columns, Report: m.report,
	}
	if m.kernel != nil {
		s.Kernel = kernels.MakeReference(c.Kernel, m.kernel)
	}
	for _, mc := range m.machines {
		s.Machines = append(s.Machines, storedMachine{
			Members: mc.members, Coefficients: mc.coefficients, Alphas: mc.alphas, Cov: packSym(mc.cov), Intercept: mc.intercept, Evidence: mc.evidence,
		})
	}
	return codec.Marshal(classifierKind, version, s)
}

// UnmarshalBinary reads what MarshalBinary wrote into a Classifier of the same Kernel.
// Errors are ErrBadModel and leave c as it was.
func (c *Classifier) UnmarshalBinary(data []byte) error {
	var s storedClasses
	if _, err := codec.Unmarshal(data, classifierKind, version, &s); err != nil {
		return err
	}
	m, err := s.classification(c.Kernel)
	if err != nil {
		return err
	}
	c.m = m
	return nil
}

func (s storedClasses) classification(configured kernels.Kernel) (*classification, error) {
	bad := func(format string, args ...any) (*classification, error) {
		return nil, fault.BadModel(classifierKind, format, args...)
	}
	k := len(s.Labels)
	switch {
	case !classes.Valid(s.Labels) || len(s.Machines) != classes.Machines(k):
		return bad("%d machines for classes %v", len(s.Machines), s.Labels)
	case s.Width < 1 || !ascending(s.Columns) || len(s.Columns) > 0 && s.Columns[0] < 0:
		return bad("columns %v of a width of %d", s.Columns, s.Width)
	}
	m := &classification{labels: s.Labels, rows: s.Rows, columns: s.Columns, width: s.Width, report: s.Report}
	var err error
	if m.vectors, err = s.Vectors.Dense(); err != nil {
		return bad("vectors: %v", err)
	}
	rows, width := 0, s.Width
	if m.vectors != nil {
		rows, width = m.vectors.Dims()
	}
	switch {
	case s.Design && (m.vectors != nil || len(s.Rows) > 0 || len(s.Columns) > 0 && s.Columns[len(s.Columns)-1] >= s.Width):
		return bad("columns %v of a design matrix of %d", s.Columns, s.Width)
	case !s.Design && (rows != len(s.Columns) || width != s.Width || len(s.Rows) != 0 && len(s.Rows) != rows):
		return bad("%d vectors of %d columns for %d of %d", rows, width, len(s.Columns), s.Width)
	}
	for i, sm := range s.Machines {
		mc := &machine{members: sm.Members, coefficients: sm.Coefficients, alphas: sm.Alphas, intercept: sm.Intercept, evidence: sm.Evidence}
		var ok bool
		mc.cov, ok = unpackSym(len(sm.Members)+1, sm.Cov)
		numbers := codec.Floats{sm.Intercept, sm.Evidence}
		switch {
		case !ok || len(sm.Coefficients) != len(sm.Members) || len(sm.Alphas) != len(sm.Members):
			return bad("machine %d: %d coefficients and %d numbers of covariance for %d vectors", i, len(sm.Coefficients), len(sm.Cov), len(sm.Members))
		case !sm.Coefficients.Finite() || !sm.Alphas.Finite() || !sm.Cov.Finite() || !numbers.Finite():
			return bad("machine %d: a value is not finite", i)
		case !ascending(sm.Members) || len(sm.Members) > 0 && (sm.Members[0] < 0 || sm.Members[len(sm.Members)-1] >= len(s.Columns)):
			return bad("machine %d: vectors %v of %d", i, sm.Members, len(s.Columns))
		}
		m.machines = append(m.machines, mc)
	}
	if s.Design {
		return m, nil
	}
	m.kernel, err = s.Kernel.Resolve(classifierKind, configured)
	return m, err
}

// ascending reports whether v ascends without repetition.
func ascending(v []int) bool {
	for i := 1; i < len(v); i++ {
		if v[i] <= v[i-1] {
			return false
		}
	}
	return true
}
