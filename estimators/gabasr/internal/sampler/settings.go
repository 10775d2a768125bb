package sampler

import (
	"cmp"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/gabasr/internal/features"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/parallel"
)

// The defaults of Regressor and Classifier.
const (
	// DefaultPairs is the number M of pairs of features. 25 to 100 suffice for most data. With a fixed λ, 2M+1 should not be close
	// to the number of rows.
	DefaultPairs  = 50
	DefaultSweeps = 25
	// DefaultDoublings is the number of times that chains of default length are doubled if they have not mixed, up to 200 sweeps.
	DefaultDoublings = 3
	DefaultBurnIn    = 10 // or two fifths of the sweeps, if that is less
	DefaultChains    = 4
	// DefaultCovariances is the number of kept sweeps of a chain for which the covariance of the coefficients is kept. With 2 of
	// 15, 95% of the predicted standard deviations are close to those with all covariances: within 1% on most sets, within 4% with
	// 77 rows, and within 6% ten years beyond the rows. Another seed changes them at least three times as much
	// (docs/measured/gabasr-sampling.md).
	DefaultCovariances = 2
	// DefaultInterceptPrecision is the prior precision of the intercept.
	DefaultInterceptPrecision = 1e-4
	// DefaultNoise is a0 and b0, the shape and rate of the inverse gamma distribution of the noise variance.
	DefaultNoise = 1e-3
)

// Settings holds a configuration with its defaults.
type Settings struct {
	Type           string // name of the estimator, for errors
	Pairs          int
	Map            features.Map
	Evidence       Evidence
	Sweeps, BurnIn int // if Sweeps is 0, only the initial model is computed
	doublings      int // number of times that the length is doubled if chains have not mixed
	NoSweeps       bool
	NoBurnIn       bool
	Chains         int
	Ridge          float64 // 0 if it is sampled
	Prior          Prior
	Plain          bool // no scaling
	Degree         int  // of the trend
	Covariances    int  // of each chain
	Seed           uint64
	Workers        int
	Variances      bool // keep what variances need
	LeaveOneOut    bool // compute leave-one-out scores
}

// WithDefaults fills in the defaults, and checks the consistency of the fields.
func (s Settings) WithDefaults() (Settings, error) {
	// The sums must not overflow before fitsMemory checks them.
	if err := check.Numbers(fmt.Sprintf("%s: %d sweeps, %d of burn-in, of %d chains", s.Type, s.Sweeps, s.BurnIn, s.Chains),
		float64(s.Sweeps)+float64(s.BurnIn)+float64(s.Chains), "take fewer Sweeps or Chains"); err != nil {
		return s, err
	}
	s.Pairs, s.Chains, s.Covariances = cmp.Or(s.Pairs, DefaultPairs), cmp.Or(s.Chains, DefaultChains), cmp.Or(s.Covariances,
		DefaultCovariances)
	s.Prior = Prior{cmp.Or(s.Prior.Intercept, DefaultInterceptPrecision), cmp.Or(s.Prior.Shape, DefaultNoise),
		cmp.Or(s.Prior.Rate, DefaultNoise)}
	if s.NoBurnIn {
		s.BurnIn = 0
	}
	if s.Sweeps == 0 && s.BurnIn == 0 && !s.NoBurnIn && !s.NoSweeps {
		s.doublings = DefaultDoublings
	}
	switch {
	case s.NoSweeps:
		s.Sweeps, s.BurnIn = 0, 0
	case s.Sweeps == 0:
		s.Sweeps = DefaultSweeps + max(0, s.BurnIn-DefaultBurnIn)
	}
	if s.BurnIn == 0 && !s.NoBurnIn {
		s.BurnIn = min(DefaultBurnIn, 2*s.Sweeps/5)
	}
	if s.Sweeps > 0 && s.BurnIn >= s.Sweeps {
		return s, fault.Param(s.Type, "BurnIn", s.BurnIn, fmt.Sprintf("less than the %d sweeps", s.Sweeps))
	}
	return s, nil
}

// fitsMemory returns an error if the chains need more than [check.MaxBytes]. It counts the features and two factors of the chains
// that run in parallel, and the draws of all chains.
func (s Settings) fitsMemory(x *mat.Dense, trend, tasks int) error {
	n, d := x.Dims()
	pairs, chains := float64(s.Pairs), float64(tasks)*float64(s.Chains)
	p := 1 + float64(trend) + 2*pairs
	beside := min(chains, float64(parallel.Workers(s.Workers)))
	kept, stages := float64(s.Sweeps-s.BurnIn+1), s.stages()
	numbers := beside*(2*p*p+float64(n)*p) + chains*(kept*(p+2*float64(s.Pairs)*float64(d)+2*float64(min(n, comparedRows)))+min(kept,
		float64(s.Covariances))*p*p/2+10*float64(stages[len(stages)-1].sweeps+1))
	return check.Numbers(fmt.Sprintf("%s: %.0f chains of %d pairs and %d sweeps", s.Type, chains, s.Pairs, s.Sweeps), numbers,
		"take fewer Pairs, Chains or Sweeps")
}
