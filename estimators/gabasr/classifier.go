package gabasr

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/platt"
	"github.com/kernelearn/kernelearn/internal/rowwise"
	"github.com/kernelearn/kernelearn/internal/vecmath"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/transformers"
)

const classifierType = "gabasr: Classifier"

// Classifier is linear classification on random Fourier features whose frequencies are
// sampled. More than two classes are learnt each against the rest, with frequencies of
// their own. The zero value is ready to use.
type Classifier struct {
	// Pairs is the number M of pairs of features of each machine; 0:
	// DefaultPairs. AllPairs makes the largest square up to it.
	Pairs      int
	Features   Map
	Likelihood Likelihood
	Sweeps     int // 0: DefaultSweeps, and as many more as BurnIn is above DefaultBurnIn
	// NoSweeps is the start alone: random features of which the evidence chose scale and λ.
	// Sweeps and BurnIn are then without effect.
	NoSweeps bool
	BurnIn   int  // sweeps that predictions leave out; 0: DefaultBurnIn, or two fifths of the sweeps where that is less
	NoBurnIn bool // leaves no sweep out, whatever BurnIn
	Chains   int  // independent chains, over which predictions are averaged; 0: DefaultChains
	// Ridge fixes the prior precision of the weights; 0: it is sampled, but for Surrogate,
	// which keeps that of the start.
	Ridge                 float64
	InterceptPrecision    float64 // prior precision of the intercept; 0: DefaultInterceptPrecision
	NoiseShape, NoiseRate float64 // a0 and b0; 0: DefaultNoise
	// NoScaling leaves x as it is. By default it is centred and divided by its standard
	// deviation. A map other than Stationary takes x from its mean, or from 0 then.
	NoScaling bool
	Seed      uint64 // 0 is a seed like any other
	Workers   int    // goroutines; 0: GOMAXPROCS
	// Observe, if not nil, is called after each sweep of each machine, by one goroutine at a
	// time; Objective is the negative LogEvidence of a Sweep.
	Observe func(estimators.Step)

	m *classification
}

type classification struct {
	learned
	classes    []int
	likelihood Likelihood
	links      []platt.Sigmoid // of the machines
	report     estimators.Report
}

var (
	_ estimators.Classifier                    = (*Classifier)(nil)
	_ estimators.ProbaPredictor                = (*Classifier)(nil)
	_ estimators.DecisionPredictor             = (*Classifier)(nil)
	_ estimators.Cloner[estimators.Classifier] = (*Classifier)(nil)
	_ estimators.Reporter                      = (*Classifier)(nil)
)

func (c *Classifier) settings() (settings, error) {
	if c.Likelihood < Normal || c.Likelihood > Surrogate {
		return settings{}, fault.Param(classifierType, "Likelihood", int(c.Likelihood), "Normal, PolyaGamma or Surrogate")
	}
	return settings{
		typ: classifierType, pairs: c.Pairs, kind: c.Features, sweeps: c.Sweeps, burnIn: c.BurnIn, noSweeps: c.NoSweeps, noBurnIn: c.NoBurnIn, chains: c.Chains, ridge: c.Ridge,
		p0: prior{c.InterceptPrecision, c.NoiseShape, c.NoiseRate}, plain: c.NoScaling, seed: c.Seed, workers: c.Workers, observe: c.Observe,
		evidence: evidenceOf(c.Likelihood), variances: c.Likelihood == PolyaGamma, leaveOneOut: c.Likelihood != PolyaGamma,
	}.withDefaults()
}

// Fit learns from x (n×d) and the labels y (n), of at least two classes. Cost and memory
// are those of Regressor's Fit for each class, or once for two classes. Errors: ErrParam,
// ErrShape, ErrNotFinite, ErrNotPSD, or ctx's, which is looked at between proposals.
func (c *Classifier) Fit(ctx context.Context, x mat.Matrix, y []int) error {
	s, err := c.settings()
	if err != nil {
		return err
	}
	xd, err := check.Labelled(x, len(y))
	if err != nil {
		return err
	}
	labels := classes.Distinct(y)
	if err := classes.AtLeastTwo(labels); err != nil {
		return err
	}
	m := &classification{learned: learned{scaling: newScaling(xd, s.plain), kind: s.kind, burnIn: s.burnIn}, classes: labels, likelihood: c.Likelihood}
	var tasks []task
	for _, class := range labels {
		tasks = append(tasks, c.task(y, class))
	}
	if len(labels) == 2 {
		tasks = tasks[1:]
	}
	if m.machines, err = s.run(ctx, m.apply(xd), tasks); err != nil {
		return err
	}
	for i, t := range tasks {
		l := platt.Sigmoid{Slope: 1}
		if c.Likelihood != PolyaGamma {
			at := make([]int, len(y))
			for row, label := range t.labels {
				at[row] = int(label)
			}
			l = platt.FitSigmoid(m.machines[i].loo, at, nil)
		}
		m.links = append(m.links, l)
	}
	m.report = m.summary(s)
	c.m = m
	return nil
}

// task is one class against the rest.
func (c *Classifier) task(y []int, class int) task {
	t := task{target: make([]float64, len(y)), labels: make([]float64, len(y))}
	mean := 0.0
	for i, v := range y {
		if v == class {
			t.labels[i] = 1
		}
		mean += (2*t.labels[i] - 1) / float64(len(y))
	}
	for i, l := range t.labels {
		t.target[i] = 2*l - 1 - mean
		if c.Likelihood == Surrogate {
			t.target[i] = l
		}
	}
	return t
}

func (c *Classifier) learned() *learned {
	if c.m == nil {
		return nil
	}
	return &c.m.learned
}

// Classes returns the labels that Fit saw, ascending; nil before Fit.
func (c *Classifier) Classes() []int {
	if c.m == nil {
		return nil
	}
	return slices.Clone(c.m.classes)
}

// logOdds returns those of each machine (columns) for the scaled rows of x.
func (m *classification) logOdds(x *mat.Dense, workers int) *mat.Dense {
	n, _ := x.Dims()
	out := mat.NewDense(n, len(m.machines), nil)
	for k, mc := range m.machines {
		sum := make([]float64, n)
		for _, d := range mc.Draws {
			f, spread := d.predict(x, m.kind, m.likelihood == PolyaGamma, workers)
			for i, v := range f {
				if m.likelihood == PolyaGamma {
					v = meanSigmoid(v, spread[i])
				}
				sum[i] += v / float64(len(mc.Draws))
			}
		}
		for i, v := range sum {
			out.Set(i, k, m.odds(k, v))
		}
	}
	return out
}

// meanSigmoid is the mean of the sigmoid under a normal distribution (MacKay 1992).
func meanSigmoid(mean, variance float64) float64 {
	return vecmath.Sigmoid(mean / math.Sqrt(1+math.Pi*variance/8))
}

// odds returns the log odds of machine k where the mean over its draws is v.
func (m *classification) odds(k int, v float64) float64 {
	if m.likelihood == PolyaGamma {
		v = min(max(v, 1e-15), 1-1e-15)
		v = math.Log(v) - math.Log1p(-v)
	}
	return m.links[k].Slope*v + m.links[k].Offset
}

// row computes the log odds of the classes for one row.
func (m *classification) row(out, x []float64) {
	p := rowwise.Scratch(len(m.Columns))
	defer rowwise.Release(p)
	m.scaling.row(*p, x)
	for k, mc := range m.machines {
		sum := 0.0
		for _, d := range mc.Draws {
			f, spread := d.row(*p, m.kind, m.likelihood == PolyaGamma)
			if m.likelihood == PolyaGamma {
				f = meanSigmoid(f, spread)
			}
			sum += f / float64(len(mc.Draws))
		}
		out[k] = m.odds(k, sum)
	}
	if len(m.machines) == 1 {
		classes.Both(out, out[0])
	}
}

// rowForm returns what the package rowwise wants to know: the columns of x, 0 before Fit,
// the classes, and row.
func (c *Classifier) rowForm() (width int, classes []int, row rowwise.Row) {
	if c.m == nil {
		return 0, nil, nil
	}
	return c.m.Width, c.m.classes, c.m.row
}

// PredictTo is Predict into dst, which has an entry for each row of x. Up to sixteen rows of a
// dense matrix are predicted one by one without allocating; their log odds agree with
// Decision's to rounding.
func (c *Classifier) PredictTo(dst []int, x mat.Matrix) error {
	width, classes, row := c.rowForm()
	return rowwise.Labels(classifierType, dst, x, width, classes, c.Predict, row)
}

// DecisionTo is Decision into dst, a row for each of x and a column for each of Classes,
// without allocating as PredictTo.
func (c *Classifier) DecisionTo(dst *mat.Dense, x mat.Matrix) error {
	width, classes, row := c.rowForm()
	return rowwise.Scores(classifierType, dst, x, width, len(classes), c.Decision, row)
}

// Decision returns m×K log odds for the rows of x (m×d), each class against the rest,
// columns in the order of Classes. With two classes the columns are -f and f. Cost O(mp)
// for each kept sweep of each machine, O(mp²) for PolyaGamma.
func (c *Classifier) Decision(x mat.Matrix) (*mat.Dense, error) {
	xd, err := c.learned().input(classifierType, x)
	if err != nil {
		return nil, err
	}
	m := c.m
	n, _ := xd.Dims()
	out := mat.NewDense(n, len(m.classes), nil)
	if rowwise.IsFew(xd) { // blocks would unpack a factor for each kept sweep
		if err := c.DecisionTo(out, xd); err != nil {
			return nil, err
		}
		return out, nil
	}
	err = m.inChunks(xd, func(first int, part *mat.Dense) error {
		odds := m.logOdds(part, c.Workers)
		rows, _ := odds.Dims()
		for i := range rows {
			row := odds.RawRowView(i)
			for _, v := range row {
				if v-v != 0 {
					return &fault.NotFiniteError{Name: classifierType + ": decision", Row: first + i, Col: -1, Value: v}
				}
			}
			if len(m.classes) == 2 {
				row = []float64{-row[0], row[0]}
			}
			out.SetRow(first+i, row)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// Predict returns the most probable class of each row of x (m×d). Cost as Decision.
func (c *Classifier) Predict(x mat.Matrix) ([]int, error) {
	f, err := c.Decision(x)
	if err != nil {
		return nil, err
	}
	return classes.Predicted(c.m.classes, f), nil
}

// PredictProba returns m×K probabilities for the rows of x (m×d): the sigmoids of the log
// odds of Decision, divided by their sum.
func (c *Classifier) PredictProba(x mat.Matrix) (*mat.Dense, error) {
	f, err := c.Decision(x)
	if err != nil {
		return nil, err
	}
	n, _ := f.Dims()
	for i := range n {
		row := f.RawRowView(i)
		sum := 0.0
		for k, v := range row {
			row[k] = vecmath.Sigmoid(v)
			sum += row[k]
		}
		for k := range row {
			row[k] /= sum
		}
	}
	return f, nil
}

// Frequencies returns those of the kept sweep of the highest log evidence (a row each) of
// each machine, one after the other; see Regressor.
func (c *Classifier) Frequencies() *mat.Dense { return c.learned().rows(false) }

// LocalFrequencies returns the v of the same sweeps; nil for a stationary map.
func (c *Classifier) LocalFrequencies() *mat.Dense { return c.learned().rows(true) }

// Mixture returns the components of all kept sweeps of all machines; nil before Fit.
func (c *Classifier) Mixture() []Component { return c.learned().mixture(false) }

// LocalMixture is Mixture of the local frequencies; nil for a stationary map.
func (c *Classifier) LocalMixture() []Component {
	if c.m == nil || c.m.kind == Stationary {
		return nil
	}
	return c.m.mixture(true)
}

// SpectralDensity returns the density of the mixture at each row of at (k×d); see
// Regressor.
func (c *Classifier) SpectralDensity(at mat.Matrix) ([]float64, error) {
	return c.learned().density(classifierType, at)
}

// LearnedKernel returns the learned kernel, the mean over the kept sweeps of all machines; see
// Regressor.
func (c *Classifier) LearnedKernel() kernels.Kernel { return c.learned().kernel() }

// Map returns the map of Frequencies; see Regressor.
func (c *Classifier) Map() transformers.Transformer { return c.learned().fourierMap(c.Workers) }

// Trace returns all sweeps of all chains of all machines; nil before Fit.
func (c *Classifier) Trace() []Sweep { return c.learned().trace() }

// LogEvidence returns the mean of the kept sweeps and the value of the start, summed over
// the machines, of what Sweep has as LogEvidence; 0 before Fit.
func (c *Classifier) LogEvidence() (kept, baseline float64) { return c.learned().evidences() }

// RHat returns the largest split R̂ of the machines; see Regressor.
func (c *Classifier) RHat() float64 { return c.learned().rHat() }

// Report says how the last Fit went; see Regressor. Objective is the sum over the machines.
func (c *Classifier) Report() estimators.Report {
	if c.m == nil {
		return estimators.Report{}
	}
	return c.m.report.Clone()
}

// Clone returns an unfitted Classifier of the same configuration.
func (c *Classifier) Clone() estimators.Classifier {
	out := *c
	out.m = nil
	return &out
}
