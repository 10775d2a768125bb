package extend

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/kernels"
)

const (
	smootherType = "extend: Smoother" // in errors
	smootherKind = "extend.Smoother"  // in model files
)

// Smoother is the regression of Nadaraya and Watson (both 1964). A prediction is the mean of all targets, weighted by the kernel,
//
//	ŷ(x) = Σ w[i] k(x, x[i]) y[i] / Σ w[i] k(x, x[i])
//
// If no row is close enough for the denominator to be above 0, the prediction is the mean of the targets. The kernel must have no
// negative values. Fit costs O(n²d), and a prediction costs O(nd).
type Smoother struct {
	// Kernel is the kernel. If it is nil, leave-one-out chooses the length of an RBF kernel. The candidates are the length of
	// kernels.MedianRBF and shorter lengths.
	Kernel  kernels.Kernel
	Workers int // goroutines; 0: GOMAXPROCS

	m *smootherModel // nil before Fit, and not changed after it
}

type smootherModel struct {
	kernel   kernels.Kernel
	x        *mat.Dense // n×d
	y, w     []float64
	mean     float64 // mean of y
	leaveOut float64 // the leave-one-out mean squared error
}

var (
	_ estimators.Regressor               = (*Smoother)(nil)
	_ estimators.WeightedFitter[float64] = (*Smoother)(nil)
	_ estimators.Reporter                = (*Smoother)(nil)
)

// Fit implements estimators.Regressor.
func (s *Smoother) Fit(ctx context.Context, x mat.Matrix, y []float64) (err error) {
	defer estimators.BeginFit(&ctx, nil)(&err) // reports progress to an observer of the context
	return s.fit(ctx, x, y, slices.Repeat([]float64{1}, len(y)))
}

// FitWeighted implements estimators.WeightedFitter.
func (s *Smoother) FitWeighted(ctx context.Context, x mat.Matrix, y, weights []float64) (err error) {
	defer estimators.BeginFit(&ctx, nil)(&err)
	if err := estimators.CheckWeights(smootherType, weights, len(y)); err != nil {
		return err
	}
	return s.fit(ctx, x, y, slices.Clone(weights))
}

func (s *Smoother) fit(ctx context.Context, x mat.Matrix, y, weights []float64) error {
	rows, err := estimators.CheckRows(x, 0)
	if err != nil {
		return err
	}
	n, _ := rows.Dims()
	if err := estimators.CheckTargets(y, n); err != nil {
		return err
	}
	m := &smootherModel{x: mat.DenseCopyOf(rows), y: slices.Clone(y), w: weights}
	m.mean = floats.Dot(m.w, m.y) / floats.Sum(m.w)
	if err := m.choose(ctx, s.Kernel, s.Workers); err != nil {
		return err
	}
	s.m = m
	return nil
}

// choose sets the kernel, and computes its leave-one-out error.
func (m *smootherModel) choose(ctx context.Context, configured kernels.Kernel, workers int) error {
	candidates := []kernels.Kernel{configured}
	if configured == nil {
		median, err := kernels.MedianRBF(ctx, m.x, 0)
		if err != nil {
			return err
		}
		candidates = nil
		for factor := 1.0; factor <= 256; factor *= 2 {
			candidates = append(candidates, kernels.RBF{Gamma: factor * median.Gamma})
		}
	}
	shared, err := kernels.Share(ctx, m.x, &kernels.Options{Workers: workers})
	if err != nil {
		return err
	}
	m.leaveOut = math.Inf(1)
	for _, kernel := range candidates {
		k, err := shared.Matrix(ctx, kernel)
		if err != nil {
			return err
		}
		if e := m.errorOf(k); e < m.leaveOut || m.kernel == nil {
			m.kernel, m.leaveOut = kernel, e
		}
	}
	return nil
}

// errorOf returns the leave-one-out mean squared error.
func (m *smootherModel) errorOf(k *mat.SymDense) (sum float64) {
	row := make([]float64, len(m.y))
	for i, y := range m.y {
		mat.Row(row, i, k)
		row[i] = 0
		e := y - m.predict(row)
		sum += m.w[i] * e * e
	}
	return sum / floats.Sum(m.w)
}

// predict returns the prediction for a row with the kernel values k, which it overwrites.
func (m *smootherModel) predict(k []float64) float64 {
	floats.Mul(k, m.w)
	if below := floats.Sum(k); below > 0 {
		return floats.Dot(k, m.y) / below
	}
	return m.mean
}

// Predict implements estimators.Regressor.
func (s *Smoother) Predict(x mat.Matrix) ([]float64, error) {
	if s.m == nil {
		return nil, &estimators.NotFittedError{Type: smootherType}
	}
	_, width := s.m.x.Dims()
	rows, err := estimators.CheckRows(x, width)
	if err != nil {
		return nil, err
	}
	k, err := kernels.Cross(context.Background(), s.m.kernel, rows, s.m.x, &kernels.Options{Workers: s.Workers})
	if err != nil {
		return nil, err
	}
	n, _ := rows.Dims()
	out := make([]float64, n)
	for i := range out {
		out[i] = s.m.predict(k.RawRowView(i))
	}
	return out, nil
}

// ChosenKernel returns the kernel that Fit used. It returns nil before Fit.
func (s *Smoother) ChosenKernel() kernels.Kernel {
	if s.m == nil {
		return nil
	}
	return s.m.kernel
}

// Report implements estimators.Reporter. Objective is the leave-one-out mean squared error.
func (s *Smoother) Report() estimators.Report {
	if s.m == nil {
		return estimators.Report{}
	}
	return estimators.Report{Converged: true, Objective: s.m.leaveOut}
}

// storedSmoother is the form of a model in a file.
type storedSmoother struct {
	Kernel         kernels.Reference
	X              *mat.Dense
	Y, W           []float64
	Mean, LeaveOut float64
}

// MarshalBinary implements encoding.BinaryMarshaler.
func (s *Smoother) MarshalBinary() ([]byte, error) {
	if s.m == nil {
		return nil, &estimators.NotFittedError{Type: smootherType}
	}
	return estimators.MarshalModel(smootherKind, 1, storedSmoother{
		Kernel: kernels.MakeReference(s.Kernel, s.m.kernel), X: s.m.x, Y: s.m.y, W: s.m.w, Mean: s.m.mean, LeaveOut: s.m.leaveOut,
	})
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler, for a Smoother with the same Kernel.
func (s *Smoother) UnmarshalBinary(data []byte) error {
	var f storedSmoother
	if _, err := estimators.UnmarshalModel(data, smootherKind, 1, &f); err != nil {
		return err
	}
	kernel, err := f.Kernel.Resolve(smootherKind, s.Kernel)
	if err != nil {
		return err
	}
	m := &smootherModel{kernel: kernel, x: f.X, y: f.Y, w: f.W, mean: f.Mean, leaveOut: f.LeaveOut}
	if err := m.validate(); err != nil {
		return &estimators.BadModelError{Kind: smootherKind, Reason: err.Error()}
	}
	s.m = m
	return nil
}

// validate returns an error if the contents of a file are invalid.
func (m *smootherModel) validate() error {
	x, err := estimators.CheckRows(m.x, 0)
	if err != nil {
		return err
	}
	n, _ := x.Dims()
	if err := estimators.CheckTargets(m.y, n); err != nil {
		return err
	}
	if err := estimators.CheckTargets([]float64{m.mean, m.leaveOut}, 2); err != nil {
		return err
	}
	return estimators.CheckWeights(smootherType, m.w, n)
}
