package falkon

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/falkon/internal/machine"
	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/posterior"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/sparse"
)

const (
	regressorKind  = "falkon.Regressor"
	classifierKind = "falkon.Classifier"
)

// stored is the form of a machine in a file.
type stored struct {
	Kernel    kernels.Reference
	Landmarks codec.Matrix      // M×d, or
	Sparse    *codec.SparseRows `cbor:",omitempty"`
	Beta      codec.Matrix      // k×M
	Bias      codec.Floats
	Ridge     float64
	Report    estimators.Report
	Details   Details
	Spread    *machine.StoredSpread // of a Regressor
}

// store returns the form of a machine in a file. The argument several is true for a MultiRegressor, even with one target.
func (f *fittedMachine) store(configured kernels.Kernel, several bool) stored {
	m := f.m
	s := stored{
		Kernel: kernels.MakeReference(configured, m.Kernel), Beta: codec.FromDense(m.Beta),
		Bias: m.Bias, Ridge: m.Ridge, Report: f.report, Details: f.details, Spread: m.Spread.Store(several),
	}
	switch landmarks := m.Landmarks.(type) {
	case *mat.Dense:
		s.Landmarks = codec.FromDense(landmarks)
	case *sparse.Rows:
		s.Sparse = codec.FromSparse(landmarks)
	}
	s.Details.Seconds = 0 // so that equal models have equal files
	return s
}

// landmarks returns the stored landmarks, or nil if there are none.
func (s stored) landmarks() (mat.Matrix, error) {
	if s.Sparse != nil {
		return s.Sparse.Rows()
	}
	landmarks, err := s.Landmarks.Dense()
	if landmarks == nil {
		return nil, err
	}
	return landmarks, err
}

// fitted validates the stored form and returns the machine. The argument k is the number of targets.
func (s stored) fitted(kind string, configured kernels.Kernel, k int) (*fittedMachine, error) {
	landmarks, err := s.landmarks()
	if err != nil {
		return nil, fault.BadModel(kind, "landmarks: %v", err)
	}
	beta, err := s.Beta.Dense()
	if err != nil {
		return nil, fault.BadModel(kind, "coefficients: %v", err)
	}
	if landmarks == nil || beta == nil {
		return nil, fault.BadModel(kind, "no landmarks or no coefficients")
	}
	count, d := landmarks.Dims()
	if r, c := beta.Dims(); r != k || c != count || len(s.Bias) != k || !s.Bias.Finite() {
		return nil, fault.BadModel(kind, "%d landmarks do not match its coefficients", count)
	}
	if !(s.Ridge > 0) || math.IsInf(s.Ridge, 1) {
		return nil, fault.BadModel(kind, "ridge %v", s.Ridge)
	}
	kernel, err := s.Kernel.Resolve(kind, configured)
	if err != nil {
		return nil, err
	}
	if err := kernels.ValidateColumns(kernel, d); err != nil {
		return nil, fault.BadModel(kind, "%v", err)
	}
	if s.Sparse != nil && !kernels.TakesSparseRows(kernel) {
		return nil, fault.BadModel(kind, "sparse landmarks with the kernel %v, which needs dense ones", kernel)
	}
	m, err := machine.NewMachine(kernel, landmarks, beta, s.Bias, s.Ridge)
	if err != nil {
		return nil, fault.BadModel(kind, "%v", err)
	}
	return &fittedMachine{m: m, report: s.Report, details: s.Details}, nil
}

// MarshalBinary encodes the fitted model: the landmarks, their coefficients, the kernel's name, and M²/2 numbers for the variance.
// It does not encode the configuration.
func (r *Regressor) MarshalBinary() ([]byte, error) {
	if r.m == nil {
		return nil, fault.NotFitted(regressorType)
	}
	return codec.Marshal(regressorKind, version, r.store(r.Kernel, false))
}

// UnmarshalBinary decodes the output of MarshalBinary into a Regressor with the same Kernel. If it returns an error, which wraps
// [estimators.ErrBadModel], r is unchanged.
func (r *Regressor) UnmarshalBinary(data []byte) error {
	var s stored
	if _, err := codec.Unmarshal(data, regressorKind, version, &s); err != nil {
		return err
	}
	f, err := s.fitted(regressorKind, r.Kernel, 1)
	if err != nil {
		return err
	}
	if f.m.Spread, err = s.Spread.Restore(regressorKind, f.m, false); err != nil {
		return err
	}
	r.fittedMachine = *f
	return nil
}

type storedClassifier struct {
	Machine stored
	Classes []int
	Loss    Loss
	Slopes  codec.Floats
	Offset  codec.Floats
	Mixing  codec.Floats
}

// MarshalBinary encodes the fitted model: the landmarks, their coefficients, the kernel's name, the classes and the link. It does
// not encode the configuration.
func (c *Classifier) MarshalBinary() ([]byte, error) {
	if c.m == nil {
		return nil, fault.NotFitted(classifierType)
	}
	return codec.Marshal(classifierKind, version, storedClassifier{
		Machine: c.store(c.Kernel, false), Classes: c.classes, Loss: c.used,
		Slopes: c.link.Slopes[:], Offset: c.link.Offset, Mixing: c.link.Mixing,
	})
}

// UnmarshalBinary decodes the output of MarshalBinary into a Classifier with the same Kernel. If it returns an error, which wraps
// [estimators.ErrBadModel], c is unchanged.
func (c *Classifier) UnmarshalBinary(data []byte) error {
	var s storedClassifier
	if _, err := codec.Unmarshal(data, classifierKind, version, &s); err != nil {
		return err
	}
	k := len(s.Classes)
	offsets := k
	if s.Loss == LogisticLoss {
		offsets = 0
	}
	link, ok := posterior.Stored(s.Slopes, s.Offset, s.Mixing, offsets)
	if !classes.Valid(s.Classes) || s.Loss < SquaredLoss || s.Loss > LogisticLoss || !ok {
		return fault.BadModel(classifierKind, "%d classes do not match its link", k)
	}
	f, err := s.Machine.fitted(classifierKind, c.Kernel, classes.Machines(k))
	if err != nil {
		return err
	}
	c.fittedMachine, c.classes, c.link, c.used, c.left = *f, s.Classes, link, s.Loss, nil
	return nil
}
