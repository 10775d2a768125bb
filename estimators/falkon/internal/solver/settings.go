package solver

import (
	"context"

	"github.com/kernelearn/kernelearn/estimators/falkon/internal/machine"
	"github.com/kernelearn/kernelearn/estimators/falkon/internal/rows"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/kernels"
	"gonum.org/v1/gonum/mat"
)

// These are the default settings and the limits of the solver.
const (
	DefaultTolerance  = 1e-3
	DefaultIterations = 200
	// LeastSample is the smallest number of rows in the preconditioner's sample for each landmark.
	LeastSample = 4
	// LeastJitter, times M and the mean diagonal of K_MM, is always added to the diagonal of K_MM.
	LeastJitter = 1e-13
	// defaultMaxBytes is the limit if MaxBytes is 0. It is the same as for kernel matrices.
	defaultMaxBytes = kernels.MaxKernelBytes
)

// Settings holds the settings with which a problem is solved.
type Settings struct {
	Type        string  // type name in errors
	Ridge       float64 // 0: chosen by leave-one-out
	NoIntercept bool
	Logistic    bool // use the logistic loss instead of squared errors
	Direct      bool // solve the normal equations instead of using conjugate gradients
	Tolerance   float64
	Iterations  int
	Seed        uint64
	Workers     int
	MaxBytes    int64
	Steps       *progress.Steps
	Checkpoint  func(*State)
	Resume      *State
	// AddedJitter is LeastJitter, except in tests that compare with references without jitter.
	AddedJitter float64
}

// WithDefaults returns the settings with their default values in place of zeros.
func (s Settings) WithDefaults() Settings {
	if s.Tolerance == 0 {
		s.Tolerance = DefaultTolerance
	}
	if s.Iterations == 0 {
		s.Iterations = DefaultIterations
	}
	if s.MaxBytes == 0 {
		s.MaxBytes = defaultMaxBytes
	}
	s.Workers = parallel.Workers(s.Workers)
	return s
}

// Bytes returns the memory that a Fit with m landmarks allocates, up to a constant and without the rows.
func (s Settings) Bytes(src *rows.Source, m int) float64 {
	columns := src.K
	if s.Ridge == 0 {
		columns = max(src.K*leastRidges, min(src.K*mostRidges, mostColumns))
	}
	numbers := 4 * float64(m) * float64(m)
	if s.Direct {
		numbers += float64(min(panelBlocks*rows.WideRows, src.N)) * float64(m)
		columns = src.K
	}
	if s.Logistic {
		numbers += float64(src.K) * float64(m) * float64(m)
	}
	numbers += 2 * float64(min(s.Workers, panelBlocks)) * rows.WideRows * float64(m) // blocks
	numbers += 8 * float64(s.Workers) * float64(columns*m)                           // sums of blocks
	numbers += 6 * float64(columns) * float64(m)                                     // vectors of conjugate gradients
	numbers += float64(min(src.N, keptRows)) * float64(2*src.K+3)                    // leave-one-out results of single rows
	return 8 * numbers
}

// CheckBytes returns ErrTooLarge if need exceeds the limit. The argument need is a float64 because the product of hostile counts
// may overflow an integer.
func (s Settings) CheckBytes(what string, need float64) error {
	return check.BytesWithin(s.Type+": "+what, need, s.MaxBytes, "take fewer landmarks by Components, or raise MaxBytes")
}

// Options returns the options of kernel matrices.
func (s Settings) Options() *kernels.Options {
	return &kernels.Options{Workers: s.Workers, MaxBytes: s.MaxBytes}
}

// NewBasis returns the basis of a kernel with landmarks.
func (s Settings) NewBasis(ctx context.Context, kernel kernels.Kernel, landmarks mat.Matrix) (*machine.Basis, error) {
	return machine.NewBasis(ctx, kernel, landmarks, s.AddedJitter, s.Options())
}
