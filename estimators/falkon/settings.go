package falkon

import (
	"cmp"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/kernels"
)

// LandmarkRule says how landmarks are chosen among the rows.
type LandmarkRule int

// The rules. All but the first look at eight rows for each landmark, drawn at random.
const (
	// UniformLandmarks are drawn without replacement, all rows equally likely: the default.
	UniformLandmarks LandmarkRule = iota
	// LeverageScores are drawn in proportion to approximate ridge leverage scores, from the
	// features of at most 500 uniform landmarks (Rudi, Calandriello, Carratino and Rosasco,
	// NeurIPS 2018, with one step in place of several).
	LeverageScores
	// PivotedCholesky draws rows in proportion to the part of k(x, x) that the landmarks so far do not explain, as
	// featuremap.Nystroem does. It leaves less of the kernel unexplained, but it spends landmarks on outliers.
	PivotedCholesky
)

// String returns the rule's name.
func (r LandmarkRule) String() string {
	names := []string{"UniformLandmarks", "LeverageScores", "PivotedCholesky"}
	if r < 0 || int(r) >= len(names) {
		return fmt.Sprintf("LandmarkRule(%d)", int(r))
	}
	return names[r]
}

// Solver is how the linear system is solved.
type Solver int

// The solvers.
const (
	// Automatic is Direct up to 250 landmarks, where both take about as long, and where there are no more than eight
	// rows a landmark; [ConjugateGradients] beyond. With 500 landmarks Direct takes about 1.8 times as long
	// (BenchmarkFit).
	Automatic Solver = iota
	// Direct makes and factors the normal equations: O(nM²), leave-one-out exact.
	Direct
	// ConjugateGradients are preconditioned by a sample of 4 to 32 rows a landmark, the more the more
	// rows there are: O(nM) an iteration, mostly five to twelve of them.
	ConjugateGradients
)

// String returns the solver's name.
func (s Solver) String() string {
	names := []string{"Automatic", "Direct", "ConjugateGradients"}
	if s < 0 || int(s) >= len(names) {
		return fmt.Sprintf("Solver(%d)", int(s))
	}
	return names[s]
}

// Loss is what a Classifier minimises.
type Loss int

// The losses.
const (
	// SquaredLoss is ridge regression of targets ±1: the default.
	SquaredLoss Loss = iota
	// LogisticLoss is Σ w log(1 + exp(-t f)) + ½Λ|f|², by Newton's method, each step of it a
	// weighted ridge regression (Marteau-Ferey, Bach and Rudi, NeurIPS 2019).
	LogisticLoss
)

// String returns the loss's name.
func (l Loss) String() string {
	names := []string{"SquaredLoss", "LogisticLoss"}
	if l < 0 || int(l) >= len(names) {
		return fmt.Sprintf("Loss(%d)", int(l))
	}
	return names[l]
}

const (
	defaultTolerance  = 1e-3
	defaultIterations = 200
	directUpTo        = 250  // landmarks
	mostByRows        = 2000 // landmarks, where their number is not set
	// The preconditioner's sample has leastSample to mostSample rows a landmark.
	leastSample, mostSample = 4, 32
	// leastJitter is the share of the mean diagonal of K_MM, times M, that is always added to it.
	leastJitter = 1e-13
	// defaultMaxBytes is the limit where MaxBytes is 0, as that of kernel matrices.
	defaultMaxBytes = kernels.MaxKernelBytes
)

// machineSettings is the configuration that Regressor and Classifier share.
type machineSettings struct {
	typ         string
	configured  kernels.Kernel // nil: chosen, by leave-one-out
	components  int
	given       *mat.Dense // landmarks
	rule        LandmarkRule
	ridge       float64
	noIntercept bool
	loss        Loss
	solver      Solver
	tolerance   float64
	iterations  int
	seed        uint64
	workers     int
	maxBytes    int64
	steps       *progress.Steps
	checkpoint  func(*State)
	resume      *State
	classify    bool // keeps leave-one-out scores for the link, and nothing for a variance
	// addedJitter is leastJitter but in tests, which have references without.
	addedJitter float64
}

func (s machineSettings) validate() error {
	err := cmp.Or(
		check.Setting(s.typ, "Components", s.components, "a number by the rows"),
		check.Setting(s.typ, "Ridge", s.ridge, "the choice by leave-one-out"),
		check.Setting(s.typ, "Tolerance", s.tolerance, fmt.Sprint(defaultTolerance)),
		check.Setting(s.typ, "MaxIterations", s.iterations, fmt.Sprint(defaultIterations)),
		check.Setting(s.typ, "MaxBytes", s.maxBytes, "8 GiB"),
		check.Workers(s.typ, s.workers),
	)
	switch {
	case err != nil:
		return err
	case s.rule < UniformLandmarks || s.rule > PivotedCholesky:
		return fault.Param(s.typ, "Rule", int(s.rule), "UniformLandmarks, LeverageScores or PivotedCholesky")
	case s.solver < Automatic || s.solver > ConjugateGradients:
		return fault.Param(s.typ, "Solver", int(s.solver), "Automatic, Direct or ConjugateGradients")
	case s.loss < SquaredLoss || s.loss > LogisticLoss:
		return fault.Param(s.typ, "Loss", int(s.loss), "SquaredLoss or LogisticLoss")
	case s.loss == LogisticLoss && s.resume != nil:
		return fault.Param(s.typ, "Resume", "a State", "nil with LogisticLoss")
	case s.given != nil && s.given.IsEmpty():
		return fault.Param(s.typ, "Landmarks", "0×0", "rows, or nil for a choice among those of Fit")
	case s.given != nil && (s.components != 0 || s.rule != UniformLandmarks):
		return fault.Param(s.typ, "Components and Rule", fmt.Sprintf("%d and %v", s.components, s.rule), "0 with given Landmarks")
	case s.configured != nil:
		return kernels.Validate(s.configured)
	}
	return nil
}

func (s machineSettings) withDefaults() machineSettings {
	if s.tolerance == 0 {
		s.tolerance = defaultTolerance
	}
	if s.iterations == 0 {
		s.iterations = defaultIterations
	}
	if s.maxBytes == 0 {
		s.maxBytes = defaultMaxBytes
	}
	s.workers = parallel.Workers(s.workers)
	return s
}

// componentsFor returns how many landmarks are wanted of n rows.
func (s machineSettings) componentsFor(n int) int {
	m := s.components
	if m == 0 {
		m = min(max(500, int(math.Round(10*math.Sqrt(float64(n))))), mostByRows)
	}
	return min(m, n)
}

// direct says whether the normal equations of m landmarks are made.
func (s machineSettings) direct(n, m int) bool {
	switch s.solver {
	case Direct:
		return true
	case ConjugateGradients:
		return false
	}
	return m <= directUpTo || n <= 2*leastSample*m
}

// sampleRows returns how many rows the preconditioner of m landmarks is made of: those with which it and
// the iterations together cost least. With ρ rows a landmark it takes ρM³ multiplications and
// additions, and the error falls by √ρ in a pass over the kernel, so that ln(1000)/ln(√ρ) of them
// take it to a thousandth. It is a function of the sizes alone, so that a fit is the same on every machine.
func (s machineSettings) sampleRows(n, m, d int) int {
	if s.direct(n, m) {
		return leastSample * m
	}
	// A value of the kernel takes as long as so many multiplications and additions of a product of matrices.
	value := float64(d + 40)
	best, least := leastSample, math.Inf(1)
	for rho := leastSample; rho <= max(leastSample, min(mostSample, n/(4*m))); rho++ {
		passes := 2 * math.Log(1000) / math.Log(float64(rho))
		if cost := float64(rho)*float64(m)*float64(m) + passes*float64(n)*value; cost < least {
			best, least = rho, cost
		}
	}
	return best * m
}

// checkBytes is ErrTooLarge for more memory than the limit. Its argument is in floating point
// because the product of hostile counts may overflow.
func (s machineSettings) checkBytes(what string, need float64) error {
	return check.BytesWithin(s.typ+": "+what, need, s.maxBytes, "take fewer landmarks by Components, or raise MaxBytes")
}
