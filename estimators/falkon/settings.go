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

// LandmarkRule selects how landmarks are chosen from the rows.
type LandmarkRule int

// These are the rules. All except the first choose from eight rows for each landmark, drawn at random.
const (
	// UniformLandmarks draws landmarks without replacement, with all rows equally likely. It is the default.
	UniformLandmarks LandmarkRule = iota
	// LeverageScores draws landmarks in proportion to approximate ridge leverage scores. These are computed from the features of at
	// most 500 uniform landmarks (Rudi, Calandriello, Carratino and Rosasco, NeurIPS 2018, with one step instead of several).
	LeverageScores
	// PivotedCholesky draws rows in proportion to the part of k(x, x) that the current landmarks do not explain, as
	// featuremap.Nystroem does. It leaves less of the kernel unexplained, but uses some landmarks for outliers.
	PivotedCholesky
)

// String returns the rule's name.
func (r LandmarkRule) String() string {
	return enum.Name("LandmarkRule", int(r), "UniformLandmarks", "LeverageScores", "PivotedCholesky")
}

// Solver is a method that solves the linear system.
type Solver int

// These are the solvers.
const (
	// Automatic selects Direct for up to 250 landmarks, where both solvers are about equally fast, and if there are at most eight
	// rows for each landmark. Otherwise it selects [ConjugateGradients]. With 500 landmarks Direct takes about 1.8 times as long
	// (BenchmarkFit).
	Automatic Solver = iota
	// Direct computes the normal equations and factorises them. It costs O(nM²), and leave-one-out is exact.
	Direct
	// ConjugateGradients solves the system iteratively. The preconditioner uses a sample of 4 to 32 rows for each landmark; the
	// number grows with the number of rows. An iteration costs O(nM), and five to twelve iterations usually suffice.
	ConjugateGradients
)

// String returns the solver's name.
func (s Solver) String() string {
	return enum.Name("Solver", int(s), "Automatic", "Direct", "ConjugateGradients")
}

// Loss is the loss that a Classifier minimises.
type Loss int

// These are the losses.
const (
	// SquaredLoss is the squared error with targets ±1, as in ridge regression. It is the default.
	SquaredLoss Loss = iota
	// LogisticLoss is Σ w log(1 + exp(-t f)) + ½Λ|f|². It is minimised with Newton's method, whose steps are weighted ridge
	// regressions (Marteau-Ferey, Bach and Rudi, NeurIPS 2019).
	LogisticLoss
)

// String returns the loss's name.
func (l Loss) String() string {
	return enum.Name("Loss", int(l), "SquaredLoss", "LogisticLoss")
}

const (
	directUpTo = 250  // largest number of landmarks for Direct
	mostByRows = 2000 // largest number of landmarks that is chosen
	mostSample = 32   // largest number of sample rows for each landmark
)

// machineSettings holds the configuration that all types share.
type machineSettings struct {
	solver.Settings
	config     any            // the Regressor, Classifier or MultiRegressor
	configured kernels.Kernel // nil: chosen by leave-one-out
	components int
	given      *mat.Dense // given landmarks
	rule       LandmarkRule
	loss       Loss
	solver     Solver
	classify   bool // keep leave-one-out scores for the link instead of the terms of a variance
}

// withDefaults returns the settings with their default values in place of zeros.
func (s machineSettings) withDefaults() machineSettings {
	s.Settings = s.Settings.WithDefaults()
	return s
}

// forLandmarks returns the settings of the solver for m landmarks and n rows.
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

// componentsFor returns the initial number of landmarks for n rows.
func (s machineSettings) componentsFor(n int) int {
	m := s.components
	if m == 0 {
		m = min(max(500, int(math.Round(10*math.Sqrt(float64(n))))), mostByRows)
	}
	return min(m, n)
}

// direct reports whether the normal equations are used for m landmarks.
func (s machineSettings) direct(n, m int) bool {
	switch s.solver {
	case Direct:
		return true
	case ConjugateGradients:
		return false
	}
	return m <= directUpTo || n <= 2*solver.LeastSample*m
}

// sampleRows returns the number of sample rows that minimises the cost of the preconditioner and the iterations for m landmarks.
// With ρ rows for each landmark, the preconditioner costs ρM³ multiplications and additions. In each pass over the kernel the error
// decreases by the factor √ρ, so that ln(1000)/ln(√ρ) passes reduce it to a thousandth. The result depends only on the sizes, so
// that a fit is the same on every computer.
func (s machineSettings) sampleRows(n, m, d int) int {
	if s.direct(n, m) {
		return solver.LeastSample * m
	}
	// A kernel value costs as much as this number of multiplications and additions in a matrix product.
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

// noGroups returns an error if groups are set, for fits to a stream.
func noGroups(typ string, groups []int) error {
	return fault.Param(typ, "Groups", fmt.Sprintf("%d groups of rows", len(groups)), "nil: blocks of rows are not left out by groups")
}

// rows returns the training rows. They are sparse if the configured kernel accepts sparse rows.
func (s machineSettings) rows(x mat.Matrix) (mat.Matrix, error) {
	return anyrows.From("x", x, s.configured != nil && kernels.TakesSparseRows(s.configured))
}
