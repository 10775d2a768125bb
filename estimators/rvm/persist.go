package rvm

import (
	"encoding"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
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
	Matrix    bool // fitted by FitMatrix: there is no kernel and there are no vectors
	Kernel    kernels.Reference
	Width     int
	Vectors   codec.Matrix
	Rows      []int
	Indices   []int
	Ones      bool
	Weights   codec.Floats
	Alphas    codec.Floats
	Cov       codec.Floats // the upper triangle, row by row
	Means     codec.Floats
	Intercept float64
	Noise     float64
	Spread    float64
	Evidence  codec.Floats // one number, which may be infinite
	Report    estimators.Report
	Objective codec.Floats // the report's, which may be infinite
}

func (m *model) store(configured kernels.Kernel) storedModel {
	s := storedModel{
		Matrix: m.kernel == nil, Width: m.width, Vectors: codec.FromDense(m.vectors), Rows: m.rows, Indices: m.indices, Ones: m.ones,
		Weights: m.weights, Alphas: m.alphas, Means: m.means, Intercept: m.intercept, Noise: m.noise, Spread: m.spread,
		Evidence: codec.Floats{m.evidence}, Report: m.report, Objective: codec.Floats{m.report.Objective},
	}
	s.Report.Objective = 0
	if m.kernel != nil {
		s.Kernel = kernels.MakeReference(configured, m.kernel)
	}
	for i := range m.indices {
		for j := i; j < len(m.indices); j++ {
			s.Cov = append(s.Cov, m.cov.At(i, j))
		}
	}
	return s
}

// model rebuilds and validates.
func (s storedModel) model(kind string, configured kernels.Kernel) (*model, error) {
	bad := func(format string, args ...any) (*model, error) { return nil, fault.BadModel(kind, format, args...) }
	k := len(s.Indices)
	switch {
	case s.Width < 1 || len(s.Weights) != k || len(s.Alphas) != k || len(s.Means) != k || s.Ones && k == 0:
		return bad("%d columns, %d weights, %d precisions and %d means for a width of %d", k, len(s.Weights), len(s.Alphas), len(s.Means), s.Width)
	case len(s.Cov) != k*(k+1)/2:
		return bad("a covariance of %d numbers for %d columns", len(s.Cov), k)
	case !s.Weights.Finite() || !s.Alphas.Finite() || !s.Means.Finite() || !s.Cov.Finite() || !isFinite(s.Intercept):
		return bad("a value is not finite")
	case !(s.Noise >= 0) || !(s.Spread >= 0) || !isFinite(s.Noise) || !isFinite(s.Spread):
		return bad("noise %v, spread %v", s.Noise, s.Spread)
	case len(s.Evidence) != 1 || math.IsNaN(s.Evidence[0]) || len(s.Objective) != 1 || math.IsNaN(s.Objective[0]):
		return bad("evidence %v, objective %v", s.Evidence, s.Objective)
	case !slices.IsSorted(s.Indices) || k > 0 && s.Indices[0] < 0:
		return bad("columns %v do not ascend", s.Indices)
	}
	m := &model{width: s.Width, ones: s.Ones, rows: s.Rows, solution: &solution{
		indices: s.Indices, weights: s.Weights, alphas: s.Alphas, means: s.Means, intercept: s.Intercept, noise: s.Noise, spread: s.Spread,
		evidence: s.Evidence[0], report: s.Report,
	}}
	m.report.Objective = s.Objective[0]
	if k > 0 {
		m.cov = mat.NewSymDense(k, nil)
		for i, at := 0, 0; i < k; i++ {
			for j := i; j < k; j++ {
				m.cov.SetSym(i, j, s.Cov[at])
				at++
			}
		}
	}
	var err error
	if m.vectors, err = s.Vectors.Dense(); err != nil {
		return bad("vectors: %v", err)
	}
	if s.Matrix {
		columns := m.indices[:m.vectorsCount()]
		if m.vectors != nil || len(columns) > 0 && columns[len(columns)-1] >= s.Width {
			return bad("columns %v of a matrix of %d", s.Indices, s.Width)
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
		return bad("%d vectors and %d rows for %d weights", rows, len(s.Rows), m.vectorsCount())
	}
	m.kernel, err = s.Kernel.Resolve(kind, configured)
	return m, err
}

// MarshalBinary writes the fitted model: the relevance vectors, their weights and
// covariance, and the kernel's name. The configuration is not written.
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
