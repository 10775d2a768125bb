package gabasr

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/interval"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/rowwise"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/transformers"
)

const regressorType = "gabasr: Regressor"

// Regressor is Bayesian linear regression on random Fourier features whose frequencies
// are sampled from their posterior. The zero value is ready to use: 50 frequencies, a
// stationary kernel, 25 sweeps.
type Regressor struct {
	// Pairs is the number M of pairs of features; 0: DefaultPairs. AllPairs makes
	// the largest square up to it.
	Pairs    int
	Features Map
	Sweeps   int // 0: DefaultSweeps, and as many more as BurnIn is above DefaultBurnIn
	// NoSweeps is the start alone: random features of which the evidence chose scale and λ.
	// Sweeps and BurnIn are then without effect.
	NoSweeps bool
	BurnIn   int  // sweeps that predictions leave out; 0: DefaultBurnIn, or two fifths of the sweeps where that is less
	NoBurnIn bool // leaves no sweep out, whatever BurnIn
	Chains   int  // independent chains, over which predictions are averaged; 0: DefaultChains
	// Ridge fixes the prior precision of the weights, in units of the noise's; 0: it is sampled.
	Ridge                 float64
	InterceptPrecision    float64 // prior precision of the intercept; 0: DefaultInterceptPrecision
	NoiseShape, NoiseRate float64 // a0 and b0; 0: DefaultNoise
	// NoScaling leaves x and y as they are. By default each is centred and divided by its
	// standard deviation. A map other than Stationary takes x from its mean, or from 0 then.
	NoScaling bool
	Seed      uint64 // 0 is a seed like any other
	Workers   int    // goroutines; 0: GOMAXPROCS
	// Observe, if not nil, is called after each sweep, by one goroutine at a time; Objective
	// is the negative log evidence.
	Observe func(estimators.Step)

	m *regression
}

type regression struct {
	learned
	mean, scale float64 // of y
	report      estimators.Report
}

var (
	_ estimators.Regressor                    = (*Regressor)(nil)
	_ estimators.VariancePredictor            = (*Regressor)(nil)
	_ estimators.Cloner[estimators.Regressor] = (*Regressor)(nil)
	_ estimators.Reporter                     = (*Regressor)(nil)
	_ estimators.PredictorTo[float64]         = (*Regressor)(nil)
)

func (r *Regressor) settings() (settings, error) {
	return settings{
		typ: regressorType, pairs: r.Pairs, kind: r.Features, sweeps: r.Sweeps, burnIn: r.BurnIn, noSweeps: r.NoSweeps, noBurnIn: r.NoBurnIn, chains: r.Chains, ridge: r.Ridge,
		p0: prior{r.InterceptPrecision, r.NoiseShape, r.NoiseRate}, plain: r.NoScaling, seed: r.Seed, workers: r.Workers, observe: r.Observe, variances: true,
	}.withDefaults()
}

// Fit learns from x (n×d) and y (n). With p = 2M+1 a sweep costs O(np² + p³), a candidate
// for the start as much; memory is O(np + p²) and p²/2 numbers for each kept sweep. Errors:
// ErrParam, ErrShape, ErrNotFinite (also for targets whose squares overflow), ErrNotPSD
// for a fixed Ridge beyond rounding, or ctx's, which is looked at between proposals.
func (r *Regressor) Fit(ctx context.Context, x mat.Matrix, y []float64) error {
	s, err := r.settings()
	if err != nil {
		return err
	}
	xd, err := check.Targeted(x, y)
	if err != nil {
		return err
	}
	n, _ := xd.Dims()
	m := &regression{learned: learned{scaling: newScaling(xd, s.plain), kind: s.kind, burnIn: s.burnIn}, scale: 1}
	if !s.plain {
		var spread, largest float64
		m.mean, spread, largest = moments(y)
		if n > 1 && spread > 1e-13*largest {
			m.scale = spread
		}
	}
	target := make([]float64, n)
	for i, v := range y {
		target[i] = (v - m.mean) / m.scale
	}
	if v := linalg.Dot(target, target); v-v != 0 {
		return &fault.NotFiniteError{Name: regressorType + ": sum of squares of y", Row: 0, Col: -1, Value: v}
	}
	if m.machines, err = s.run(ctx, m.apply(xd), []task{{target: target, shift: -float64(n) * math.Log(m.scale)}}); err != nil {
		return err
	}
	m.report = m.summary(s)
	r.m = m
	return nil
}

// summary makes the Report.
func (l *learned) summary(s settings) estimators.Report {
	kept, baseline := l.evidences()
	rHat := l.rHat()
	out := estimators.Report{Converged: rHat < mixedBelow, Objective: -kept}
	for _, m := range l.machines {
		out.Iterations += len(m.Trace) - s.chains
		out.Jitter = max(out.Jitter, m.Jitter)
	}
	if s.sweeps == 0 {
		out.Converged = true // there is nothing to converge
		return out
	}
	if rHat >= mixedBelow {
		out.Warnings = append(out.Warnings, fmt.Sprintf("split R-hat of the log evidence is %.2f: the chains have not mixed; more Sweeps or Chains explore more", rHat))
	}
	if s.evidence == normalEvidence && kept <= baseline {
		out.Warnings = append(out.Warnings, fmt.Sprintf("sampling did not help: log evidence %.2f, of the random features at the start %.2f", kept, baseline))
	}
	return out
}

// mixedBelow is the split R̂ that counts as convergence.
const mixedBelow = 1.1

// predictRows rows at a time bound the memory of a prediction.
const predictRows = 1024

// input checks rows for a prediction.
func (l *learned) input(typ string, x mat.Matrix) (*mat.Dense, error) {
	if l == nil {
		return nil, fault.NotFitted(typ)
	}
	return check.Wide("x", x, l.Width)
}

// inChunks calls f with scaled rows of x, and the number of the first.
func (l *learned) inChunks(x *mat.Dense, f func(first int, x *mat.Dense) error) error {
	n, d := x.Dims()
	for first := 0; first < n; first += predictRows {
		part := x.Slice(first, min(first+predictRows, n), 0, d).(*mat.Dense)
		if err := f(first, l.apply(part)); err != nil {
			return err
		}
	}
	return nil
}

// learned returns what was learnt, nil before Fit.
func (r *Regressor) learned() *learned {
	if r.m == nil {
		return nil
	}
	return &r.m.learned
}

func (r *Regressor) predict(x mat.Matrix, withVariance bool) (mean, variance []float64, err error) {
	xd, err := r.learned().input(regressorType, x)
	if err != nil {
		return nil, nil, err
	}
	m := r.m
	err = m.inChunks(xd, func(first int, part *mat.Dense) error {
		n, _ := part.Dims()
		sum, of := make([]float64, n), make([]float64, n)
		var squares []float64
		draws := m.machines[0].Draws
		means := make([][]float64, len(draws))
		for k, d := range draws {
			f, spread := d.predict(part, m.kind, withVariance, r.Workers)
			means[k] = f
			for i, v := range f {
				sum[i] += v / float64(len(draws))
				if withVariance {
					of[i] += d.variance(spread[i]) / float64(len(draws))
				}
			}
		}
		if withVariance {
			squares = make([]float64, n) // between the draws
			for _, f := range means {
				for i, v := range f {
					squares[i] += (v - sum[i]) * (v - sum[i]) / float64(len(draws))
				}
			}
		}
		for i, v := range sum {
			f := m.mean + m.scale*v
			if f-f != 0 {
				return &fault.NotFiniteError{Name: regressorType + ": prediction", Row: first + i, Col: -1, Value: f}
			}
			mean = append(mean, f)
			if withVariance {
				variance = append(variance, m.scale*m.scale*(of[i]+squares[i]))
			}
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	return mean, variance, nil
}

// Predict returns the mean over the kept sweeps at each row of x (m×d). Cost O(mp) for
// each kept sweep.
func (r *Regressor) Predict(x mat.Matrix) ([]float64, error) {
	mean, _, err := r.predict(x, false)
	return mean, err
}

// PredictVariance returns the mean and the variance of a new observation at each row of x
// (m×d), the noise included: the mean over the kept sweeps of the variances of their t
// distributions, and the variance of their means. Cost O(mp²) for each kept sweep. The
// features are periodic: far from all rows of Fit the variance ends at that of the prior's
// functions, which λ makes.
func (r *Regressor) PredictVariance(x mat.Matrix) (mean, variance []float64, err error) {
	return r.predict(x, true)
}

// PredictInterval returns the ends of the central interval that a new observation at each
// row of x (m×d) lies in with probability level, in (0, 1), under a t distribution with
// the mean and the variance of PredictVariance and n degrees of freedom.
func (r *Regressor) PredictInterval(x mat.Matrix, level float64) (low, high []float64, err error) {
	if err := interval.Level(regressorType, level); err != nil {
		return nil, nil, err
	}
	mean, variance, err := r.predict(x, true)
	if err != nil {
		return nil, nil, err
	}
	return interval.Student(level, 2*r.m.machines[0].Draws[0].Shape)(mean, variance, nil)
}

// PredictTo is Predict into dst, which has an entry for each row of x. Up to sixteen rows
// of a dense matrix are predicted one by one without allocating; they agree with Predict's
// to rounding.
func (r *Regressor) PredictTo(dst []float64, x mat.Matrix) error {
	width := 0
	if r.m != nil {
		width = r.m.Width
	}
	return rowwise.Numbers(regressorType, dst, x, width, r.Predict, r.row)
}

// row computes the prediction of one row.
func (r *Regressor) row(out, x []float64) {
	m := r.m
	p := rowwise.Scratch(len(m.Columns))
	defer rowwise.Release(p)
	m.scaling.row(*p, x)
	sum := 0.0
	draws := m.machines[0].Draws
	for _, d := range draws {
		f, _ := d.row(*p, m.kind, false)
		sum += f / float64(len(draws))
	}
	out[0] = m.mean + m.scale*sum
}

// Frequencies returns those of the kept sweep of the highest log evidence (a row each), in
// radians over the units of x; 0 in columns that were constant. nil before Fit.
func (r *Regressor) Frequencies() *mat.Dense { return r.learned().rows(false) }

// LocalFrequencies returns the v of the same sweep; nil for a stationary map.
func (r *Regressor) LocalFrequencies() *mat.Dense { return r.learned().rows(true) }

// Mixture returns the components of all kept sweeps, each as likely; nil before Fit.
func (r *Regressor) Mixture() []Component { return r.learned().mixture(false) }

// LocalMixture is Mixture of the local frequencies; nil for a stationary map.
func (r *Regressor) LocalMixture() []Component {
	if r.m == nil || r.m.kind == Stationary {
		return nil
	}
	return r.m.mixture(true)
}

// SpectralDensity returns the density of the mixture at each row of at (k×d), frequencies
// in radians over the units of x, made symmetric: ½[p(ω) + p(-ω)]. Columns that were
// constant at Fit do not count. Cost O(kd²) for each component.
func (r *Regressor) SpectralDensity(at mat.Matrix) ([]float64, error) {
	return r.learned().density(regressorType, at)
}

// LearnedKernel returns the learned kernel, the mean over the kept sweeps of φ(x)'φ(z) without
// the intercept, as a kernel for any other estimator; it scales rows as Fit did. It has a
// spectral density if it is stationary. Its String has a hash of the frequencies. For rows
// of another width than Fit's its values are NaN. nil before Fit.
func (r *Regressor) LearnedKernel() kernels.Kernel { return r.learned().kernel() }

// Map returns the features of the kept sweep of the highest log evidence as a fitted
// transformers.RandomFourier, or LocallyStationaryFourier; nil before Fit.
func (r *Regressor) Map() transformers.Transformer { return r.learned().fourierMap(r.Workers) }

// Trace returns all sweeps of all chains, those of the burn-in among them; nil before Fit.
func (r *Regressor) Trace() []Sweep { return r.learned().trace() }

// LogEvidence returns the mean log evidence of the kept sweeps, of y in its own units, and
// that of the start, random features whose scale and λ the evidence chose. If the first
// is no larger, sampling did not help, which Report warns of. 0 before Fit.
func (r *Regressor) LogEvidence() (kept, baseline float64) { return r.learned().evidences() }

// RHat returns the split R̂ of the log evidence over the halves of the chains; NaN with
// fewer than four kept sweeps, 0 before Fit.
func (r *Regressor) RHat() float64 { return r.learned().rHat() }

// Report says how the last Fit went. Converged is a split R̂ below 1.1, Objective the
// negative mean log evidence of the kept sweeps, Iterations the sweeps of all chains.
func (r *Regressor) Report() estimators.Report {
	if r.m == nil {
		return estimators.Report{}
	}
	return r.m.report.Clone()
}

// Clone returns an unfitted Regressor of the same configuration.
func (r *Regressor) Clone() estimators.Regressor {
	c := *r
	c.m = nil
	return &c
}
