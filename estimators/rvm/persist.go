package rvm

import (
	"encoding"
	"fmt"
	"math"
	"slices"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/kernels"
)

const (
	regressorKind  = "rvm.Regressor"
	classifierKind = "rvm.Classifier"
	// The last is that of kernels that were learnt and of several; that of a Regressor before it, of its calibration.
	classifierVersion = 2
	regressorVersion  = 3
)

var (
	_ encoding.BinaryMarshaler   = (*Regressor)(nil)
	_ encoding.BinaryUnmarshaler = (*Regressor)(nil)
	_ encoding.BinaryMarshaler   = (*Classifier)(nil)
	_ encoding.BinaryUnmarshaler = (*Classifier)(nil)
)

// storedSupport is what the files of both types have.
type storedSupport struct {
	Design  bool // fitted by FitDesign: there is no kernel and there are no vectors
	Kernel  kernels.Reference
	Kernels []kernels.Reference `cbor:",omitempty"` // in place of Kernel, of several
	Ends    []int               `cbor:",omitempty"` // of their columns
	Width   int
	Vectors codec.Matrix
	Rows    []int
	Columns []int
}

func (s *support) store(configured dictionary) storedSupport {
	out := storedSupport{Design: s.kernels == nil, Width: s.width, Vectors: codec.FromDense(s.vectors), Rows: s.rows, Columns: s.columns}
	refer := func(i int) kernels.Reference {
		if i < len(configured) {
			return kernels.MakeReference(configured[i], s.kernels[i])
		}
		return kernels.MakeReference(nil, s.kernels[i])
	}
	switch {
	case len(s.kernels) == 1:
		out.Kernel = refer(0)
	case len(s.kernels) > 1:
		out.Ends = s.ends
		for i := range s.kernels {
			out.Kernels = append(out.Kernels, refer(i))
		}
	}
	return out
}

// support rebuilds and validates.
func (s storedSupport) support(kind string, configured dictionary) (*support, error) {
	k := len(s.Columns)
	if s.Width < 1 || !ascending(s.Columns) {
		return nil, fault.BadModel(kind, "columns %v of a width of %d", s.Columns, s.Width)
	}
	out := &support{columns: s.Columns, width: s.Width}
	if len(s.Rows) > 0 {
		out.rows = s.Rows
	}
	var err error
	if out.vectors, err = s.Vectors.Dense(); err != nil {
		return nil, fault.BadModel(kind, "vectors: %v", err)
	}
	if s.Design {
		if out.vectors != nil || len(s.Rows) > 0 || len(s.Kernels) > 0 || k > 0 && s.Columns[k-1] >= s.Width {
			return nil, fault.BadModel(kind, "columns %v of a design matrix of %d", s.Columns, s.Width)
		}
		return out, nil
	}
	rows, width := 0, s.Width
	if out.vectors != nil {
		rows, width = out.vectors.Dims()
	}
	if rows != k || width != s.Width || len(s.Rows) != 0 && len(s.Rows) != k {
		return nil, fault.BadModel(kind, "%d vectors of %d columns and %d rows for %d of %d", rows, width, len(s.Rows), k, s.Width)
	}
	refs, ends := s.Kernels, s.Ends
	if len(refs) == 0 {
		refs, ends = []kernels.Reference{s.Kernel}, []int{k}
	}
	switch {
	case len(ends) != len(refs) || !slices.IsSorted(ends) || ends[0] < 0 || ends[len(ends)-1] != k || len(refs) > 1 && len(s.Rows) != k:
		return nil, fault.BadModel(kind, "%d kernels whose columns end at %v, of %d with %d rows", len(refs), ends, k, len(s.Rows))
	case len(refs) != max(1, len(configured)):
		return nil, fault.BadModel(kind, "fitted with %d kernels, this value has %d", len(refs), len(configured))
	}
	for i, ref := range refs {
		var field kernels.Kernel
		if len(configured) > 0 {
			field = configured[i]
		}
		used, err := ref.Resolve(kind, field)
		if err != nil {
			return nil, err
		}
		out.kernels = append(out.kernels, used)
	}
	if err := out.kernels.validateColumns(s.Width); err != nil {
		return nil, fault.BadModel(kind, "kernel: %v", err)
	}
	out.divide(ends)
	return out, nil
}

// storedModel is a Regressor in a file: only what predictions need.
type storedModel struct {
	Support      storedSupport
	Coefficients codec.Floats // of the columns of the support, and of that of ones if there is one more
	Alphas       codec.Floats
	Cov          codec.Floats // the upper triangle, row by row
	Means        codec.Floats
	Intercept    float64
	Noise        float64
	Spread       float64
	Within       float64      `cbor:",omitempty"`
	Calibration  codec.Floats // factor, scale, edge and span; none: the machine's own variance
	Evidence     codec.Floats // one number, which may be infinite
	Report       estimators.Report
	Objective    codec.Floats // the report's, which may be infinite
}

func (m *model) store(configured dictionary) storedModel {
	s := storedModel{
		Support: m.support.store(configured), Coefficients: m.coefficients, Alphas: m.alphas, Cov: codec.FromSym(m.cov), Means: m.means, Intercept: m.intercept,
		Noise: m.noise, Spread: m.spread, Within: m.within, Calibration: m.calibration.numbers(), Evidence: codec.Floats{m.evidence}, Report: m.report, Objective: codec.Floats{m.report.Objective},
	}
	s.Report.Objective = 0
	return s
}

// model rebuilds and validates.
func (s storedModel) model(configured dictionary) (*model, error) {
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
	case !s.Coefficients.Finite() || !s.Alphas.Finite() || !s.Means.Finite() || !isFinite(s.Intercept):
		return bad("a value is not finite")
	case !known || !calibrated.valid() || s.Support.Design && calibrated.addsVariance():
		return bad("calibration %v", s.Calibration)
	case !(s.Noise >= 0) || !(s.Spread >= 0) || !(s.Within >= 0) || !isFinite(s.Noise+s.Spread+s.Within):
		return bad("noise %v, spread %v", s.Noise, s.Spread)
	case len(s.Evidence) != 1 || math.IsNaN(s.Evidence[0]) || len(s.Objective) != 1 || math.IsNaN(s.Objective[0]):
		return bad("evidence %v, objective %v", s.Evidence, s.Objective)
	}
	of, err := s.Support.support(regressorKind, configured)
	if err != nil {
		return nil, err
	}
	m := &model{support: of, calibration: calibrated, within: s.Within, solution: &solution{
		coefficients: s.Coefficients, alphas: s.Alphas, cov: cov, means: s.Means, intercept: s.Intercept, noise: s.Noise, spread: s.Spread,
		evidence: s.Evidence[0], report: s.Report,
	}}
	m.report.Objective = s.Objective[0]
	return m, nil
}

// MarshalBinary writes the fitted model: the relevance vectors, their coefficients
// and covariance, and the kernel's name. The configuration is not written.
func (r *Regressor) MarshalBinary() ([]byte, error) {
	if r.m == nil {
		return nil, fault.NotFitted(regressorType)
	}
	return codec.Marshal(regressorKind, regressorVersion, r.m.store(r.place().configured()))
}

// UnmarshalBinary reads what MarshalBinary wrote into a Regressor that has the same Kernel. Errors wrap
// [estimators.ErrBadModel] and leave r unchanged.
func (r *Regressor) UnmarshalBinary(data []byte) error {
	var s storedModel
	if _, err := codec.Unmarshal(data, regressorKind, regressorVersion, &s); err != nil {
		return err
	}
	m, err := s.model(r.place().configured())
	if err != nil {
		return err
	}
	r.m = m
	return nil
}

// storedMachine is one class against the rest in a file.
type storedMachine struct {
	Members      []int
	Coefficients codec.Floats
	Alphas       codec.Floats
	Cov          codec.Floats
	Intercept    float64
	Evidence     float64
}

type storedClassification struct {
	Support  storedSupport
	Labels   []int
	Machines []storedMachine
	Report   estimators.Report
}

// machine rebuilds and validates, for a support of so many columns.
func (s storedMachine) machine(columns int) (*machine, error) {
	k := len(s.Members)
	cov, ok := s.Cov.Sym(k + 1)
	numbers := codec.Floats{s.Intercept, s.Evidence}
	switch {
	case !ok || len(s.Coefficients) != k || len(s.Alphas) != k:
		return nil, fmt.Errorf("%d coefficients and %d numbers of covariance for %d vectors", len(s.Coefficients), len(s.Cov), k)
	case !s.Coefficients.Finite() || !s.Alphas.Finite() || !numbers.Finite():
		return nil, fmt.Errorf("a value is not finite")
	case !ascending(s.Members) || k > 0 && s.Members[k-1] >= columns:
		return nil, fmt.Errorf("vectors %v of %d", s.Members, columns)
	}
	return &machine{members: s.Members, coefficients: s.Coefficients, alphas: s.Alphas, cov: cov, intercept: s.Intercept, evidence: s.Evidence}, nil
}

func (s storedClassification) classification(configured dictionary) (*classification, error) {
	if !classes.Valid(s.Labels) || len(s.Machines) != classes.Machines(len(s.Labels)) {
		return nil, fault.BadModel(classifierKind, "%d machines for classes %v", len(s.Machines), s.Labels)
	}
	of, err := s.Support.support(classifierKind, configured)
	if err != nil {
		return nil, err
	}
	m := &classification{support: of, labels: s.Labels, report: s.Report}
	for i, sm := range s.Machines {
		mc, err := sm.machine(len(of.columns))
		if err != nil {
			return nil, fault.BadModel(classifierKind, "machine %d: %v", i, err)
		}
		m.machines = append(m.machines, mc)
	}
	return m, nil
}

// MarshalBinary writes the fitted model: the relevance vectors of all machines, their
// coefficients and covariances, the classes, and the kernel's name. The configuration is
// not written.
func (c *Classifier) MarshalBinary() ([]byte, error) {
	if c.m == nil {
		return nil, fault.NotFitted(classifierType)
	}
	s := storedClassification{Support: c.m.support.store(c.place().configured()), Labels: c.m.labels, Report: c.m.report}
	for _, mc := range c.m.machines {
		s.Machines = append(s.Machines, storedMachine{
			Members: mc.members, Coefficients: mc.coefficients, Alphas: mc.alphas, Cov: codec.FromSym(mc.cov), Intercept: mc.intercept, Evidence: mc.evidence,
		})
	}
	return codec.Marshal(classifierKind, classifierVersion, s)
}

// UnmarshalBinary reads what MarshalBinary wrote into a Classifier that has the same Kernel. Errors wrap
// [estimators.ErrBadModel] and leave c unchanged.
func (c *Classifier) UnmarshalBinary(data []byte) error {
	var s storedClassification
	if _, err := codec.Unmarshal(data, classifierKind, classifierVersion, &s); err != nil {
		return err
	}
	m, err := s.classification(c.place().configured())
	if err != nil {
		return err
	}
	c.m = m
	return nil
}

// ascending reports whether v are numbers from 0 on that ascend without repetition.
func ascending(v []int) bool {
	for i, a := range v {
		if a < 0 || i > 0 && a <= v[i-1] {
			return false
		}
	}
	return true
}
