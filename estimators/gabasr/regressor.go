package gabasr

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/gabasr/internal/features"
	"github.com/kernelearn/kernelearn/estimators/gabasr/internal/sampler"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/distinct"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/interval"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/rowwise"
	"github.com/kernelearn/kernelearn/internal/settings"
	"github.com/kernelearn/kernelearn/internal/weights"
)

const regressorType = "gabasr: Regressor"

// Regressor is Bayesian linear regression with random Fourier features whose frequencies are sampled from their posterior. The zero
// value is ready to use: it has 50 frequencies, a stationary kernel and 25 sweeps. If the chains have not mixed by then, it has up
// to 200.
//
// See also Regressor in package rvm, Regressor in package lssvm.
type Regressor struct {
	// Pairs is M, the number of pairs of features. If it is 0, 50 is used. [AllPairs] uses the largest square number up to M.
	Pairs    int `zero:"50"`
	Features Map

	// Sweeps is the length of each chain. If it is 0, a chain has 25 sweeps, which are doubled, up to 200, as long as the chains
	// have not mixed. If BurnIn or NoBurnIn is set, a chain has 25 sweeps plus the number by which BurnIn exceeds 10. A value other
	// than 0 is never changed.
	Sweeps int `zero:"25, doubled until the chains have mixed"`

	// If NoSweeps is set, the model is the initial one: random features whose scale and λ are chosen by the evidence. Sweeps and
	// BurnIn then have no effect.
	NoSweeps bool

	// BurnIn is the number of initial sweeps that predictions leave out. If it is 0, 10 are left out, or two fifths of the sweeps
	// if that is less or if chains were continued.
	BurnIn int `zero:"10, or two fifths of the sweeps"`

	// If NoBurnIn is set, predictions use all sweeps, whatever BurnIn is.
	NoBurnIn bool

	// Chains is the number of independent chains. Predictions are averaged over them. If it is 0, 4 is used.
	Chains int `zero:"4"`

	// Ridge fixes the prior precision of the coefficients, in units of the precision of the noise. If it is 0, the prior precision
	// is sampled.
	Ridge float64 `zero:"one that is sampled"`

	// InterceptPrecision is the prior precision of the intercept. If it is 0, 1e-4 is used.
	InterceptPrecision float64 `zero:"1e-4"`

	// Trend is the degree of a polynomial in each column, without products of columns, that is fitted together with the features. 0
	// means no trend, 1 a line, and 2 a parabola; the largest degree is 3. The coefficients have a flat prior. Beyond the training
	// rows the means therefore follow the trend, and the variances grow accordingly. Without a trend, predictions are sums of sines
	// and cosines, which do not continue a trend.
	Trend int `zero:"none" most:"3"`

	// Covariances is the number of kept sweeps of each chain, evenly spaced, for which the covariance of the coefficients is kept,
	// p²/2 numbers. For PredictVariance and PredictInterval the other sweeps use the covariance of the nearest of these. Means do
	// not depend on it. If it is 0, 2 is used. If it is at least the number of kept sweeps, all covariances are kept, and the file
	// is about four times as large.
	Covariances int `zero:"2"`

	// NoiseShape and NoiseRate are a0 and b0. If either is 0, 1e-3 is used instead.
	NoiseShape, NoiseRate float64 `zero:"1e-3"`

	// NoScaling leaves x and y unscaled. By default x and y are centred and divided by their standard deviations. A map other than
	// [Stationary] measures x from its mean, or from 0 if NoScaling is set.
	NoScaling bool

	// Seed is the seed of the sampler. 0 is an ordinary seed.
	Seed uint64

	// Workers is the number of goroutines. If it is 0, GOMAXPROCS is used.
	Workers int

	// If Observe is not nil, it is called after each sweep, by one goroutine at a time. Objective is the negative log
	// evidence.
	Observe func(estimators.Step)

	posterior[*regression]
}

type regression struct {
	learned
	mean, scale float64 // mean and scale of y
	within      float64 // variance of y around the means of equal rows
}

func (m *regression) typ() string { return regressorType }

func (m *regression) learnedModel() *learned {
	if m == nil {
		return nil
	}
	return &m.learned
}

func (r *Regressor) settings() (sampler.Settings, error) {
	if err := settings.Check(regressorType, r); err != nil {
		return sampler.Settings{}, err
	}
	return sampler.Settings{
		Type: regressorType, Pairs: r.Pairs, Map: features.Map(r.Features), Sweeps: r.Sweeps, BurnIn: r.BurnIn, NoSweeps: r.NoSweeps,
		NoBurnIn: r.NoBurnIn, Chains: r.Chains, Ridge: r.Ridge,
		Prior: sampler.Prior{Intercept: r.InterceptPrecision, Shape: r.NoiseShape, Rate: r.NoiseRate}, Plain: r.NoScaling, Seed: r.Seed,
		Workers: r.Workers, Variances: true,
		Degree: r.Trend, Covariances: r.Covariances,
	}.WithDefaults()
}

// Fit fits the model to x (n×d) and y (n). With p = 2M+1 a sweep costs O(np² + p³), and a candidate for the initial model costs the
// same. The memory is O(np + p²), plus p²/2 numbers for each of the Covariances and O(p) for each kept sweep. With a Trend, p
// includes its coefficients. The mixture of the frequencies has a d×d precision for each component. It adds O(Md³) to the cost of a
// sweep, and O(d²) of memory for each component in each kept sweep. This is negligible up to a few dozen columns, and prohibitive
// for thousands.
//
// Fit returns [estimators.ErrParam], [estimators.ErrShape], [estimators.ErrNotFinite] (also if squares of targets overflow),
// [estimators.ErrNotPSD] if a fixed Ridge is smaller than the rounding errors, or the error of ctx. With a Trend of q coefficients,
// it also returns ErrShape if the weights of the rows sum to less than q + 2.
func (r *Regressor) Fit(ctx context.Context, x mat.Matrix, y []float64) (err error) {
	defer estimators.BeginFit(&ctx, r.Observe)(&err)
	return r.fit(ctx, x, y, nil)
}

// FitWeighted is like Fit, with a weight > 0 for each row. A weight of 2 has the same effect as the row given twice. Only the
// ratios of the weights matter, so that a distinct row counts once on average. If Ridge is set, a row counts as often as its
// weight.
func (r *Regressor) FitWeighted(ctx context.Context, x mat.Matrix, y, weights []float64) (err error) {
	defer estimators.BeginFit(&ctx, r.Observe)(&err)
	return r.fit(ctx, x, y, check.Given(weights))
}

func (r *Regressor) fit(ctx context.Context, x mat.Matrix, y, own []float64) error {
	s, err := r.settings()
	if err != nil {
		return err
	}
	xd, err := check.Targets(regressorType, x, y, own)
	if err != nil {
		return err
	}
	merged := distinct.Merge(xd, own)
	if s.Ridge == 0 {
		merged = merged.Relative()
	}
	y, within := merged.Means(y)
	xd = merged.X
	m, rows := &regression{scale: 1, within: within}, weights.NewCounts(merged.Weights, merged.Len())
	if !s.Plain {
		var spread, largest float64
		m.mean, spread, largest = features.Moments(y, rows)
		if len(y) > 1 && spread > 1e-13*largest {
			m.scale = spread
		}
	}
	target := make([]float64, len(y))
	for i, v := range y {
		target[i] = (v - m.mean) / m.scale
	}
	rows.Apply(target)
	if v := linalg.Dot(target, target) + m.within; v-v != 0 {
		return &fault.NotFiniteError{Name: regressorType + ": sum of squares of y", Row: 0, Col: -1, Value: v}
	}
	t := sampler.Task{Target: target, LogUnit: math.Log(m.scale)}
	if m.learned, err = learn(ctx, s, xd, features.NewScaling(xd, s.Plain, rows), rows, []sampler.Task{t}); err != nil {
		return err
	}
	r.m = m
	return nil
}

func (r *Regressor) predict(x mat.Matrix, withVariance bool) (mean, variance []float64, err error) {
	xd, err := r.m.learnedModel().input(regressorType, x)
	if err != nil {
		return nil, nil, err
	}
	m := r.m
	err = m.inChunks(xd, func(first int, part *mat.Dense) error {
		n, _ := part.Dims()
		sum, of := make([]float64, n), make([]float64, n)
		var squares []float64
		draws := m.machines[0].Draws
		means, spreads := features.Predict(m.machines[0].Draws, part, m.trend.Columns(part), m.kind, withVariance, r.Workers)
		for k, d := range draws {
			for i, v := range means[k] {
				sum[i] += v / float64(len(draws))
				if withVariance {
					of[i] += d.Variance(spreads[k+d.Holder][i]) / float64(len(draws))
				}
			}
		}
		if withVariance {
			squares = make([]float64, n) // sums of squares between the draws
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
				v := m.within + float64(m.scale*m.scale*(of[i]+squares[i])) // rounded; a fused v-v might not be 0
				if v-v != 0 {
					return &fault.NotFiniteError{Name: regressorType + ": variance", Row: first + i, Col: -1, Value: v}
				}
				variance = append(variance, v)
			}
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	return mean, variance, nil
}

// Predict returns, for each row of x (m×d), the mean of the predictions of the kept sweeps. The cost is O(mp) for each kept sweep.
func (r *Regressor) Predict(x mat.Matrix) (_ []float64, err error) {
	defer fault.Recover(&err)
	mean, _, err := r.predict(x, false)
	return mean, err
}

// PredictVariance returns the mean and the variance of a new observation at each row of x (m×d). The variance includes the noise.
// It is the mean over the kept sweeps of the variances of their t distributions, plus the variance of their means. The cost is
// O(mp) for each kept sweep, and O(mp²) for each of the Covariances. The features are periodic. Far from all training rows the
// variance therefore stays at the prior variance of the function, which λ determines. With a Trend of degree k it continues to
// grow, as the 2k-th power of the distance.
func (r *Regressor) PredictVariance(x mat.Matrix) (mean, variance []float64, err error) {
	defer fault.Recover(&err)
	return r.predict(x, true)
}

// PredictInterval returns the bounds of the central interval that contains a new observation at each row of x (m×d) with
// probability level, in (0, 1). The interval is that of a t distribution with the mean and the variance of PredictVariance and n
// degrees of freedom.
func (r *Regressor) PredictInterval(x mat.Matrix, level float64) (low, high []float64, err error) {
	defer fault.Recover(&err)
	if err := interval.Level(regressorType, level); err != nil {
		return nil, nil, err
	}
	mean, variance, err := r.predict(x, true)
	if err != nil {
		return nil, nil, err
	}
	return interval.Student(level, 2*r.m.machines[0].Draws[0].Shape)(mean, variance, nil)
}

// PredictTo is like Predict but writes the predictions to dst, which has one entry for each row of x. Up to sixteen
// rows of a dense matrix are predicted one by one without allocating memory. The predictions agree with those of
// Predict up to rounding.
func (r *Regressor) PredictTo(dst []float64, x mat.Matrix) (err error) {
	defer fault.Recover(&err)
	width := 0
	if r.m != nil {
		width = r.m.Width
	}
	return rowwise.Numbers(regressorType, dst, x, width, r.Predict, r.row)
}

// row sets out to the prediction for the row x.
func (r *Regressor) row(out, x []float64) {
	m := r.m
	p := rowwise.Scratch(len(m.Columns))
	defer rowwise.Release(p)
	m.Scaling.Row(*p, x)
	t := rowwise.Scratch(m.trend.Width())
	defer rowwise.Release(t)
	m.trend.Row(*t, *p)
	sum := 0.0
	draws := m.machines[0].Draws
	for _, d := range draws {
		f, _ := d.Row(*p, *t, m.kind, false)
		sum += f / float64(len(draws))
	}
	out[0] = m.mean + m.scale*sum
}
