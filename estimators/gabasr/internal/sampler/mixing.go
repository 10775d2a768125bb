package sampler

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/gabasr/internal/features"
	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/linalg"
)

// MixedBelow is the split R̂ of predictions that counts as convergence. It is the limit of A. Vehtari and others,
// Bayesian Analysis 16 (2021). With four chains it means 400 independent draws, 50 for each half, which they ask for.
// Below it half chains differ by less than 0.14 standard deviations of a new observation, and the means of four
// chains by 0.1 from those of another seed. docs/measured/gabasr-sampling.md compares this with measurements.
const MixedBelow = 1.01

// lookRows is the largest number of rows whose predictions are compared.
const lookRows = 50

// stage is a length of a chain: of the sweeps after the burn-in every few are kept.
type stage struct {
	sweeps, burnIn, every int
}

// stages are the lengths at which the chains are compared, of which all but the first are reached by who has not been mixed at the one
// before. Each is twice the one before, and as many sweeps of it are kept: a model that took longer is no larger and
// predicts as fast.
func (s Settings) stages() []stage {
	out := []stage{{s.Sweeps, s.BurnIn, 1}}
	for range s.doublings {
		l := out[len(out)-1]
		out = append(out, stage{2 * l.sweeps, 2 * l.burnIn, 2 * l.every})
	}
	return out
}

// keptSweeps is the number of sweeps that are kept, the start if there is no sweep.
func (g stage) keptSweeps() int { return max(1, (g.sweeps-g.burnIn)/g.every) }

// keptIndex returns which of the kept sweeps a sweep is; ok is false for one that is not kept.
func (g stage) keptIndex(sweep int) (at int, ok bool) {
	switch {
	case g.sweeps == 0:
		return 0, sweep == 0
	case sweep <= g.burnIn || sweep > g.sweeps || (sweep-g.burnIn)%g.every != 0:
		return 0, false
	}
	return (sweep-g.burnIn)/g.every - 1, true
}

// holder returns which of a chain's kept sweeps has the factor that the kept sweep at takes:
// the kept sweeps are divided evenly, and the middle one of each part has one.
func (g stage) holder(at, covariances int) int {
	kept := g.keptSweeps()
	parts := min(covariances, kept)
	part := at * parts / kept
	first, end := (part*kept+parts-1)/parts, ((part+1)*kept+parts-1)/parts // those whose part it is
	return (first + end - 1) / 2
}

// look is what a kept sweep predicts of a new observation at some rows of the fit, in the units of its target.
type look struct{ means, variances []float64 }

// look returns that of the current sweep, whose draw is d. Cost O(p²) for each of the rows.
func (c *chain) look(d *features.Draw) (look, error) {
	s := c.sys
	rows := min(lookRows, s.n)
	phi := mat.NewDense(rows, s.p, nil)
	for i := range rows {
		at := i * s.n / rows
		to := phi.RawRowView(i)
		copy(to, s.phi.RawRowView(at))
		if c.roots != nil {
			for j := range to {
				to[j] /= c.roots[at]
			}
		}
	}
	out := look{means: make([]float64, rows)}
	fast.Gemv(blas.NoTrans, 1, phi.RawMatrix(), linalg.Vector(d.Coefficients), 0, linalg.Vector(out.means))
	var err error
	if out.variances, err = d.Quadratic(s.ctx, phi); err != nil {
		return out, err
	}
	for i, q := range out.variances {
		if s.evidence == AugmentedEvidence { // of a label, which is 1 with this probability
			p := features.MeanSigmoid(out.means[i], q)
			out.means[i], out.variances[i] = p, p*(1-p)
			continue
		}
		out.variances[i] = d.Variance(q)
	}
	return out, nil
}

// splitRHat is the potential scale reduction of a new observation over the halves of the chains, whose kept sweeps have these looks:
// √(1 + B/W), B the variance of the half chains' means and W that of an observation within them, and B/W the mean over the rows. Both are
// those of the posterior given each sweep's frequencies, not of a draw from it: the noise and the coefficients are integrated out,
// as in the predictions that it is about. NaN where a half has less than two sweeps.
func splitRHat(chains [][]look) float64 {
	var halves [][]look
	for _, c := range chains {
		length := len(c) / 2
		if length < 2 {
			return math.NaN()
		}
		halves = append(halves, c[:length], c[len(c)-length:])
	}
	if len(halves) == 0 {
		return math.NaN()
	}
	ratio := 0.0
	rows := len(halves[0][0].means)
	for i := range rows {
		means := make([]float64, len(halves))
		grand, within := 0.0, 0.0
		for h, half := range halves {
			length := float64(len(half))
			for _, l := range half {
				means[h] += l.means[i] / length
			}
			for _, l := range half {
				d := l.means[i] - means[h]
				within += (l.variances[i]/length + d*d/(length-1)) / float64(len(halves))
			}
			grand += means[h] / float64(len(halves))
		}
		between := 0.0
		for _, m := range means {
			between += (m - grand) * (m - grand) / float64(len(halves)-1)
		}
		if between > 0 {
			ratio += between / within / float64(rows) // +Inf for labels that each half is certain of, and not of the same
		}
	}
	return math.Sqrt(1 + ratio)
}

// Unmixed is the warning of chains that have not mixed.
func (s Settings) Unmixed(rHat float64, sweeps int) string {
	// Half chains are about as far from each other as chains are, where these do not mix.
	other := math.Sqrt(2 * (rHat*rHat - 1) / float64(s.Chains))
	do := fmt.Sprintf("set Chains to %d, whose mean differs half as much", 4*s.Chains)
	if s.doublings == 0 {
		do = fmt.Sprintf("leave Sweeps and BurnIn unset, and chains go on to %d sweeps while they have not mixed, or %s",
			DefaultSweeps<<DefaultDoublings, do)
	}
	return fmt.Sprintf("split R-hat of the predictions is %.3f after %d sweeps, and mixed chains have less than %v: with another Seed "+
		"predictions differ by about %.2g standard deviations of a new observation; %s",
		rHat, sweeps, MixedBelow, other, do)
}
