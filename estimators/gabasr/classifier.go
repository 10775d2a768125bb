package gabasr

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/gabasr/internal/features"
	"github.com/kernelearn/kernelearn/estimators/gabasr/internal/sampler"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/distinct"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/platt"
	"github.com/kernelearn/kernelearn/internal/rowwise"
	"github.com/kernelearn/kernelearn/internal/settings"
	"github.com/kernelearn/kernelearn/internal/vecmath"
	"github.com/kernelearn/kernelearn/internal/weights"
)

const classifierType = "gabasr: Classifier"

// folding lets a search mark the classifier as fitted to a fold.
type folding = classes.Folding

// Classifier is linear classification with random Fourier features whose frequencies are sampled from their posterior. With more
// than two classes, each class is fitted against the others, with separate frequencies. The zero value is ready to use.
//
// See also Classifier in package rvm, Classifier in package lssvm.
type Classifier struct {
	// Pairs is M, the number of pairs of features in each machine. If it is 0, 50 is used. [AllPairs] uses the largest square
	// number up to M.
	Pairs      int `zero:"50"`
	Features   Map
	Likelihood Likelihood

	// Sweeps is the length of each chain. If it is 0, a chain has 25 sweeps, which are doubled, up to 200, as long as the chains of
	// a machine have not mixed. If BurnIn or NoBurnIn is set, a chain has 25 sweeps plus the number by which BurnIn exceeds 10. A
	// value other than 0 is never changed.
	Sweeps int `zero:"25, doubled until the chains have mixed"`

	// If NoSweeps is set, the model is the initial one: random features whose scale and λ are chosen by the evidence. Sweeps and
	// BurnIn then have no effect.
	NoSweeps bool

	// BurnIn is the number of initial sweeps that predictions leave out. If it is 0, 10 are left out, or two fifths of the sweeps
	// if that is less or if the chains were continued.
	BurnIn int `zero:"10, or two fifths of the sweeps"`

	// If NoBurnIn is set, predictions use all sweeps, whatever BurnIn is.
	NoBurnIn bool

	// Chains is the number of independent chains. Predictions are averaged over them. If it is 0, 4 is used.
	Chains int `zero:"4"`

	// Balanced gives the rows of each class the weight n divided by K times the number of its rows, so that all K classes have the
	// same total weight. ClassWeights maps a label to a factor > 0 for the rows of that class, which multiplies that weight.
	// Classes that are absent have the factor 1. Neither can be used with [PolyaGamma].
	Balanced     bool
	ClassWeights map[int]float64

	// Ridge fixes the prior precision of the coefficients. If it is 0, the precision is sampled. With [Surrogate] it keeps its
	// initial value instead.
	Ridge float64 `zero:"one that is sampled"`

	// InterceptPrecision is the prior precision of the intercept. If it is 0, 1e-4 is used.
	InterceptPrecision float64 `zero:"1e-4"`

	// Covariances is the number of kept sweeps of each chain, evenly spaced, for which the covariance of the coefficients is kept,
	// p²/2 numbers. The other sweeps use the covariance of the nearest of these. Covariances applies only to [PolyaGamma], whose
	// probabilities need them. If it is 0, 2 is used. If it is at least the number of kept sweeps, all covariances are kept.
	Covariances int `zero:"2"`

	// NoiseShape and NoiseRate are a0 and b0. If either is 0, 1e-3 is used instead.
	NoiseShape, NoiseRate float64 `zero:"1e-3"`

	// NoScaling leaves x unscaled. By default x is centred and divided by its standard deviation. A map other than [Stationary]
	// measures x from its mean, or from 0 if NoScaling is set.
	NoScaling bool

	// Seed is the seed of the sampler. 0 is an ordinary seed.
	Seed uint64

	// Workers is the number of goroutines. If it is 0, GOMAXPROCS is used.
	Workers int

	// If Observe is not nil, it is called after each sweep of each machine, by one goroutine at a time. Objective is
	// the negative LogEvidence of a Sweep.
	Observe func(estimators.Step)

	folding
	posterior[*classification]
}

type classification struct {
	learned
	classes    []int
	likelihood Likelihood
	links      []platt.Sigmoid // from scores to log odds, one for each machine
}

func (m *classification) typ() string { return classifierType }

func (m *classification) learnedModel() *learned {
	if m == nil {
		return nil
	}
	return &m.learned
}

// Supports reports that [PolyaGamma] does not support weights; see FitWeighted.
func (c *Classifier) Supports(capability estimators.Capability) bool {
	return (capability != estimators.Weighted || c.Likelihood != PolyaGamma) && estimators.Wrapped{}.Supports(c, capability)
}

func (c *Classifier) classWeights() classes.Weights {
	return classes.Weights{Balanced: c.Balanced, Of: c.ClassWeights, Part: c.IsFold()}
}

func (c *Classifier) settings() (sampler.Settings, error) {
	if err := settings.Check(classifierType, c); err != nil {
		return sampler.Settings{}, err
	}
	if c.Likelihood == PolyaGamma && (c.Balanced || len(c.ClassWeights) > 0) {
		return sampler.Settings{}, fault.Param(classifierType, "Likelihood", c.Likelihood,
			"Normal or Surrogate with Balanced or ClassWeights")
	}
	if err := c.classWeights().Validate(classifierType); err != nil {
		return sampler.Settings{}, err
	}
	return sampler.Settings{
		Type: classifierType, Pairs: c.Pairs, Map: features.Map(c.Features), Sweeps: c.Sweeps, BurnIn: c.BurnIn, NoSweeps: c.NoSweeps,
		NoBurnIn: c.NoBurnIn, Chains: c.Chains, Ridge: c.Ridge,
		Prior: sampler.Prior{Intercept: c.InterceptPrecision, Shape: c.NoiseShape, Rate: c.NoiseRate}, Plain: c.NoScaling, Seed: c.Seed,
		Workers: c.Workers, Covariances: c.Covariances,
		Evidence: sampler.Evidence(c.Likelihood), Variances: c.Likelihood == PolyaGamma, LeaveOneOut: c.Likelihood != PolyaGamma,
	}.WithDefaults()
}

// Fit fits the model to x (n×d) and the labels y (n), which must contain at least two classes. It takes the time and memory of
// [Regressor.Fit] for each class, or once for two classes. It returns [estimators.ErrParam], [estimators.ErrShape],
// [estimators.ErrNotFinite], [estimators.ErrNotPSD], or the error of ctx.
func (c *Classifier) Fit(ctx context.Context, x mat.Matrix, y []int) (err error) {
	defer estimators.BeginFit(&ctx, c.Observe)(&err)
	return c.fit(ctx, x, y, nil)
}

// FitWeighted is like Fit, with a weight > 0 for each row. The weight is multiplied by the weight of the row's class and has the
// same meaning as in [Regressor.FitWeighted]. The link leaves out a row together with the equal rows of its class. Probabilities
// assume that rows occur in proportion to their weights. With [PolyaGamma] the error wraps errors.ErrUnsupported. A row of weight w
// would need a Pólya-Gamma variable of shape w, which can be drawn exactly, as a sum, only for integers.
func (c *Classifier) FitWeighted(ctx context.Context, x mat.Matrix, y []int, weights []float64) (err error) {
	defer estimators.BeginFit(&ctx, c.Observe)(&err)
	if c.Likelihood == PolyaGamma {
		return fmt.Errorf("%s: FitWeighted with Likelihood PolyaGamma: %w", classifierType, errors.ErrUnsupported)
	}
	return c.fit(ctx, x, y, check.Given(weights))
}

func (c *Classifier) fit(ctx context.Context, x mat.Matrix, y []int, own []float64) error {
	s, err := c.settings()
	if err != nil {
		return err
	}
	xd, err := check.Labelled(x, len(y))
	if err != nil {
		return err
	}
	names, at, err := c.classWeights().Distinguish(classifierType, y, own)
	if err != nil {
		return err
	}
	xd, at, own, ofFeatures := c.merge(xd, at, c.classWeights().Rows(names, at, own))
	rows := weights.NewCounts(ofFeatures, len(at))
	m := &classification{classes: names, likelihood: c.Likelihood}
	var tasks []sampler.Task
	for k := len(names) - classes.Machines(len(names)); k < len(names); k++ {
		tasks = append(tasks, c.task(at, k, rows))
	}
	if m.learned, err = learn(ctx, s, xd, features.NewScaling(xd, s.Plain, rows), rows, tasks); err != nil {
		return err
	}
	for i, t := range tasks {
		link := platt.Sigmoid{Slope: 1}
		if c.Likelihood != PolyaGamma {
			link = platt.FitSigmoid(m.machines[i].LeaveOneOut, positions(t.Labels), own)
		}
		m.links = append(m.links, link)
	}
	c.m = m
	return nil
}

// merge merges equal rows of a class. It returns the weights of the merged rows, and the weights with which the features are
// fitted. Because [PolyaGamma] supports no weights, its rows are merged only if all occur equally often.
func (c *Classifier) merge(x *mat.Dense, at []int, own []float64) (_ *mat.Dense, _ []int, all, ofFeatures []float64) {
	merged := distinct.MergePairs(x, at, own)
	if c.Ridge == 0 || c.Likelihood == PolyaGamma {
		merged = merged.Relative()
	}
	if c.Likelihood == PolyaGamma && merged.Weights != nil {
		return x, at, own, own
	}
	ofClasses := at
	if merged.First != nil {
		ofClasses = linalg.Pick(at, merged.First)
	}
	ofFeatures = merged.Weights
	if c.Ridge == 0 && merged.Weights != nil {
		rows, targets := distinct.Merge(x, own), classes.AgainstRest(at, slices.Max(at)+1)
		if rows.Copies(targets, rows.Mean(targets)) {
			ofFeatures = classes.InClass(ofClasses, merged.Weights)
		}
	}
	return merged.X, ofClasses, merged.Weights, ofFeatures
}

// positions returns the labels as positions in the list of classes.
func positions(labels []float64) []int {
	out := make([]int, len(labels))
	for i, l := range labels {
		out[i] = int(l)
	}
	return out
}

// task returns the task of the class at position k against the others.
func (c *Classifier) task(at []int, k int, rows weights.Counts) sampler.Task {
	t := sampler.Task{Target: make([]float64, len(at)), Labels: make([]float64, len(at))}
	mean := 0.0
	for i, l := range at {
		if l == k {
			t.Labels[i] = 1
		}
		mean += rows.Weight(i) * (2*t.Labels[i] - 1) / rows.Total
	}
	for i, l := range t.Labels {
		t.Target[i] = 2*l - 1 - mean
		if c.Likelihood == Surrogate {
			t.Target[i] = l
		}
	}
	rows.Apply(t.Target)
	return t
}

// Classes returns the labels of the last Fit in ascending order. It returns nil before Fit.
func (c *Classifier) Classes() []int {
	if c.m == nil {
		return nil
	}
	return slices.Clone(c.m.classes)
}

// logOdds returns the log odds of the scaled rows of x, with a column for each machine.
func (m *classification) logOdds(x *mat.Dense, workers int) *mat.Dense {
	n, _ := x.Dims()
	out := mat.NewDense(n, len(m.machines), nil)
	for k, mc := range m.machines {
		sum := make([]float64, n)
		means, spreads := features.Predict(mc.Draws, x, nil, m.kind, m.likelihood == PolyaGamma, workers)
		for j, d := range mc.Draws {
			for i, v := range means[j] {
				if m.likelihood == PolyaGamma {
					v = features.MeanSigmoid(v, spreads[j+d.Holder][i])
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

// odds returns the log odds of machine k, where v is the mean over its draws.
func (m *classification) odds(k int, v float64) float64 {
	if m.likelihood == PolyaGamma {
		v = min(max(v, 1e-15), 1-1e-15)
		v = math.Log(v) - math.Log1p(-v)
	}
	return m.links[k].Slope*v + m.links[k].Offset
}

// row sets out to the log odds of the classes for the row x.
func (m *classification) row(out, x []float64) {
	p := rowwise.Scratch(len(m.Columns))
	defer rowwise.Release(p)
	m.Scaling.Row(*p, x)
	for k, mc := range m.machines {
		s := rowwise.Scratch(2 * len(mc.Draws))
		means, spreads := (*s)[:len(mc.Draws)], (*s)[len(mc.Draws):]
		for i, d := range mc.Draws {
			means[i], spreads[i] = d.Row(*p, nil, m.kind, m.likelihood == PolyaGamma && d.Holder == 0)
		}
		sum := 0.0
		for i, d := range mc.Draws {
			f := means[i]
			if m.likelihood == PolyaGamma {
				f = features.MeanSigmoid(f, spreads[i+d.Holder])
			}
			sum += f / float64(len(mc.Draws))
		}
		rowwise.Release(s)
		out[k] = m.odds(k, sum)
	}
	if len(m.machines) == 1 {
		classes.SetBoth(out, out[0])
	}
}

// rowForm implements the interface of package rowwise. It returns the number of columns of x (0 before Fit), the classes, and the
// method row.
func (c *Classifier) rowForm() (width int, classes []int, row rowwise.Row) {
	if c.m == nil {
		return 0, nil, nil
	}
	return c.m.Width, c.m.classes, c.m.row
}

// PredictTo is like Predict but writes the predictions to dst, which has one entry for each row of x. Up to sixteen rows of a dense
// matrix are predicted one by one without allocating memory. Their log odds agree with those of Decision up to rounding.
func (c *Classifier) PredictTo(dst []int, x mat.Matrix) (err error) {
	defer fault.Recover(&err)
	width, classes, row := c.rowForm()
	return rowwise.Labels(classifierType, dst, x, width, classes, c.Predict, row)
}

// DecisionTo is like Decision but writes to dst, which has a row for each row of x and a column for each class. Like PredictTo, it
// does not allocate memory.
func (c *Classifier) DecisionTo(dst *mat.Dense, x mat.Matrix) (err error) {
	defer fault.Recover(&err)
	width, classes, row := c.rowForm()
	return rowwise.Scores(classifierType, dst, x, width, len(classes), c.Decision, row)
}

// Decision returns m×K log odds for the rows of x (m×d), each class against the others, with the columns in the order of Classes.
// With two classes the columns are -f and f. The cost is O(mp) for each kept sweep of each machine. With [PolyaGamma], each of the
// Covariances adds O(mp²).
func (c *Classifier) Decision(x mat.Matrix) (_ *mat.Dense, err error) {
	defer fault.Recover(&err)
	xd, err := c.m.learnedModel().input(classifierType, x)
	if err != nil {
		return nil, err
	}
	m := c.m
	n, _ := xd.Dims()
	out := mat.NewDense(n, len(m.classes), nil)
	if rowwise.IsFew(xd) { // A few rows need not unpack the factors, as the computation in blocks does.
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

// Predict returns the most probable class for each row of x (m×d). It costs as much as Decision.
func (c *Classifier) Predict(x mat.Matrix) (_ []int, err error) {
	defer fault.Recover(&err)
	f, err := c.Decision(x)
	if err != nil {
		return nil, err
	}
	return classes.Predicted(c.m.classes, f), nil
}

// PredictProba returns m×K probabilities for the rows of x (m×d): the sigmoids of the log
// odds of Decision, divided by their sum.
func (c *Classifier) PredictProba(x mat.Matrix) (_ *mat.Dense, err error) {
	defer fault.Recover(&err)
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
