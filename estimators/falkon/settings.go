package falkon

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/falkon/internal/solver"
	"github.com/kernelearn/kernelearn/internal/anyrows"
	"github.com/kernelearn/kernelearn/internal/enum"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/settings"
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
	return enum.Name("LandmarkRule", int(r), "UniformLandmarks", "LeverageScores", "PivotedCholesky")
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
	return enum.Name("Solver", int(s), "Automatic", "Direct", "ConjugateGradients")
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
	return enum.Name("Loss", int(l), "SquaredLoss", "LogisticLoss")
}

const (
	directUpTo = 250  // landmarks
	mostByRows = 2000 // landmarks, where their number is not set
	mostSample = 32   // rows a landmark of the preconditioner's sample
)

// machineSettings is the configuration that all types share.
type machineSettings struct {
	solver.Settings
	config     any            // the Regressor, Classifier or MultiRegressor
	configured kernels.Kernel // nil: chosen, by leave-one-out
	components int
	given      *mat.Dense // landmarks
	rule       LandmarkRule
	loss       Loss
	solver     Solver
	classify   bool // keeps leave-one-out scores for the link, and nothing for a variance
}

// withDefaults is the settings with what they are where they are 0.
func (s machineSettings) withDefaults() machineSettings {
	s.Settings = s.Settings.WithDefaults()
	return s
}

// forLandmarks is what the solver of m landmarks and n rows is given.
func (s machineSettings) forLandmarks(n, m int) solver.Settings {
	out := s.Settings
	out.Direct, out.Logistic = s.direct(n, m), s.loss == LogisticLoss
	return out
}

func (s machineSettings) validate() error {
	if err := settings.Check(s.Type, s.config); err != nil {
		return err
	}
	switch {
	case s.loss == LogisticLoss && s.Resume != nil:
		return fault.Param(s.Type, "Resume", "a State", "nil with LogisticLoss")
	case s.given != nil && s.given.IsEmpty():
		return fault.Param(s.Type, "Landmarks", "0×0", "rows, or nil for a choice among those of Fit")
	case s.given != nil && (s.components != 0 || s.rule != UniformLandmarks):
		return fault.Param(s.Type, "Components and Rule", fmt.Sprintf("%d and %v", s.components, s.rule), "0 with given Landmarks")
	}
	return nil
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
	return m <= directUpTo || n <= 2*solver.LeastSample*m
}

// sampleRows returns how many rows the preconditioner of m landmarks is made of: those with which it and
// the iterations together cost least. With ρ rows a landmark it takes ρM³ multiplications and
// additions, and the error falls by √ρ in a pass over the kernel, so that ln(1000)/ln(√ρ) of them
// take it to a thousandth. It is a function of the sizes alone, so that a fit is the same on every machine.
func (s machineSettings) sampleRows(n, m, d int) int {
	if s.direct(n, m) {
		return solver.LeastSample * m
	}
	// A value of the kernel takes as long as so many multiplications and additions of a product of matrices.
	value := float64(d + 40)
	best, least := solver.LeastSample, math.Inf(1)
	for rho := solver.LeastSample; rho <= max(solver.LeastSample, min(mostSample, n/(4*m))); rho++ {
		passes := 2 * math.Log(1000) / math.Log(float64(rho))
		if cost := float64(rho)*float64(m)*float64(m) + passes*float64(n)*value; cost < least {
			best, least = rho, cost
		}
	}
	return best * m
}

// noGroups is the error of a stream with groups.
func noGroups(typ string, groups []int) error {
	return fault.Param(typ, "Groups", fmt.Sprintf("%d groups of rows", len(groups)), "nil: blocks of rows are not left out by groups")
}

// rows returns the rows of Fit: sparse ones if the kernel that is set takes them.
func (s machineSettings) rows(x mat.Matrix) (mat.Matrix, error) {
	return anyrows.From("x", x, s.configured != nil && kernels.TakesSparseRows(s.configured))
}
