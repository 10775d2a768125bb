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

// What Settings stand for if they are 0, and limits of the solver.
const (
	DefaultTolerance  = 1e-3
	DefaultIterations = 200
	// LeastSample is how many rows a landmark the preconditioner's sample has at least.
	LeastSample = 4
	// LeastJitter is the share of the mean diagonal of K_MM, times M, that is always added to it.
	LeastJitter = 1e-13
	// defaultMaxBytes is the limit where maxBytes is 0, as that of kernel matrices.
	defaultMaxBytes = kernels.MaxKernelBytes
)

// Settings is what a problem is solved by.
type Settings struct {
	Type        string  // whose fit it is, for errors
	Ridge       float64 // 0: chosen by leave-one-out
	NoIntercept bool
	Logistic    bool // the loss; else squares
	Direct      bool // by the normal equations, else by conjugate gradients
	Tolerance   float64
	Iterations  int
	Seed        uint64
	Workers     int
	MaxBytes    int64
	Steps       *progress.Steps
	Checkpoint  func(*State)
	Resume      *State
	// AddedJitter is LeastJitter but in tests, which have references without.
	AddedJitter float64
}

// WithDefaults is the settings with what they are where they are 0.
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

// Bytes is what a Fit on m landmarks allocates, beside rows and what grows with neither.
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
	numbers += 6 * float64(columns) * float64(m)                                     // of conjugate gradients
	numbers += float64(min(src.N, keptRows)) * float64(2*src.K+3)                    // what is known of single rows
	return 8 * numbers
}

// CheckBytes is ErrTooLarge for more memory than the limit. Its argument is in floating point
// because the product of hostile counts may overflow.
func (s Settings) CheckBytes(what string, need float64) error {
	return check.BytesWithin(s.Type+": "+what, need, s.MaxBytes, "take fewer landmarks by Components, or raise MaxBytes")
}

// Options are those of kernel matrices.
func (s Settings) Options() *kernels.Options {
	return &kernels.Options{Workers: s.Workers, MaxBytes: s.MaxBytes}
}

// NewBasis is the features of a kernel on landmarks.
func (s Settings) NewBasis(ctx context.Context, kernel kernels.Kernel, landmarks mat.Matrix) (*machine.Basis, error) {
	return machine.NewBasis(ctx, kernel, landmarks, s.AddedJitter, s.Options())
}
