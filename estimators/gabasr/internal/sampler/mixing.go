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

// MixedBelow is the split R̂ of predictions below which chains have converged. It is the limit of A. Vehtari and others, Bayesian
// Analysis 16 (2021). With four chains it corresponds to 400 independent draws, 50 for each half, as they recommend. Below the
// limit, half chains differ by less than 0.14 standard deviations of a new observation, and the means of four chains differ by 0.1
// from those of another seed. docs/measured/gabasr-sampling.md compares this with measurements.
const MixedBelow = 1.01

// comparedRows is the largest number of rows whose predictions are compared.
const comparedRows = 50

// stage is a length of a chain. After the burn-in, one of every sweeps is kept.
type stage struct {
	sweeps, burnIn, every int
}

// stages returns the lengths at which the chains are compared. A machine reaches a later stage only if its chains have not mixed at
// the previous stage. Each stage is twice as long as the previous one and keeps the same number of sweeps. A later stage therefore
// does not lead to a larger or slower model.
func (s Settings) stages() []stage {
	out := []stage{{s.Sweeps, s.BurnIn, 1}}
	for range s.doublings {
		l := out[len(out)-1]
		out = append(out, stage{2 * l.sweeps, 2 * l.burnIn, 2 * l.every})
	}
	return out
}

// keptSweeps returns the number of kept sweeps, which is 1 for the initial model alone.
func (g stage) keptSweeps() int { return max(1, (g.sweeps-g.burnIn)/g.every) }

// keptIndex returns the index of a sweep among the kept sweeps. ok is false if it is not kept.
func (g stage) keptIndex(sweep int) (at int, ok bool) {
	switch {
	case g.sweeps == 0:
		return 0, sweep == 0
	case sweep <= g.burnIn || sweep > g.sweeps || (sweep-g.burnIn)%g.every != 0:
		return 0, false
	}
	return (sweep-g.burnIn)/g.every - 1, true
}

// holder returns the position of the kept sweep whose factor is used for the kept sweep at position at. The kept sweeps of a chain
// are divided into parts of equal size, and the middle sweep of each part has a factor.
func (g stage) holder(at, covariances int) int {
	kept := g.keptSweeps()
	parts := min(covariances, kept)
	part := at * parts / kept
	first, end := (part*kept+parts-1)/parts, ((part+1)*kept+parts-1)/parts // the bounds of the part
	return (first + end - 1) / 2
}

// snapshot holds the predictions of a kept sweep for new observations at some training rows, in the units of the machine's target.
type snapshot struct{ means, variances []float64 }

// snapshot returns the predictions of the current sweep at up to comparedRows training rows. Its draw is d. The cost is O(p²) for each row.
func (c *chain) snapshot(d *features.Draw) (snapshot, error) {
	s := c.sys
	rows := min(comparedRows, s.n)
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
	out := snapshot{means: make([]float64, rows)}
	fast.Gemv(blas.NoTrans, 1, phi.RawMatrix(), linalg.Vector(d.Coefficients), 0, linalg.Vector(out.means))
	var err error
	if out.variances, err = d.Quadratic(s.ctx, phi); err != nil {
		return out, err
	}
	for i, q := range out.variances {
		if s.evidence == AugmentedEvidence { // the variance of a label that is 1 with this probability
			p := features.MeanSigmoid(out.means[i], q)
			out.means[i], out.variances[i] = p, p*(1-p)
			continue
		}
		out.variances[i] = d.Variance(q)
	}
	return out, nil
}

// splitRHat returns the potential scale reduction factor for the prediction of a new observation, computed over the halves of the
// chains. chains holds the predictions of the kept sweeps. The factor is √(1 + B/W). B is the variance of the means of the half
// chains, W the variance of an observation within them, and B/W is averaged over the rows. B and W are posterior moments for the
// frequencies of each sweep, not moments of draws: the noise and the coefficients are integrated out, as in predictions. The result
// is NaN if a half has fewer than two sweeps.
func splitRHat(chains [][]snapshot) float64 {
	var halves [][]snapshot
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
			ratio += between / within / float64(rows) // +Inf if the halves are certain of different labels
		}
	}
	return math.Sqrt(1 + ratio)
}

// Unmixed returns the warning for chains that have not mixed.
func (s Settings) Unmixed(rHat float64, sweeps int) string {
	// Chains that do not mix differ about as much as their halves.
	other := math.Sqrt(2 * (rHat*rHat - 1) / float64(s.Chains))
	do := fmt.Sprintf("set Chains to %d, whose mean differs half as much", 4*s.Chains)
	if s.doublings == 0 {
		do = fmt.Sprintf("leave Sweeps and BurnIn unset, so that chains continue for up to %d sweeps until they mix, or %s",
			DefaultSweeps<<DefaultDoublings, do)
	}
	return fmt.Sprintf("split R-hat of the predictions is %.3f after %d sweeps, and mixed chains have less than %v: with another Seed "+
		"predictions differ by about %.2g standard deviations of a new observation; %s",
		rHat, sweeps, MixedBelow, other, do)
}
