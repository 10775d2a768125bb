package rvm

import (
	"cmp"
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/rvm/internal/basis"
	"github.com/kernelearn/kernelearn/estimators/rvm/internal/evidence"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/distinct"
	"github.com/kernelearn/kernelearn/internal/enum"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/interval"
	"github.com/kernelearn/kernelearn/internal/learning"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/rowwise"
	"github.com/kernelearn/kernelearn/internal/weights"
	"github.com/kernelearn/kernelearn/kernels"
)

const regressorType = "rvm: Regressor"

// InterceptPrior selects the prior distribution of the intercept of a [Regressor].
type InterceptPrior int

// These are the priors.
const (
	// FlatPrior makes every value equally likely. The intercept is integrated out exactly.
	FlatPrior InterceptPrior = iota
	// ARDPrior is a normal prior: the intercept is the coefficient of a column of ones, with a separate precision like the others.
	ARDPrior
)

// String returns the name of the prior.
func (p InterceptPrior) String() string {
	return enum.Name("InterceptPrior", int(p), "FlatPrior", "ARDPrior")
}

// The defaults of Regressor and Classifier.
const (
	// defaultAllIn is the largest number of basis functions for which a fit also starts with all columns in the model. The first
	// steps of that start factor a matrix of that order.
	defaultAllIn = 500
	// defaultCacheBytes is the memory for columns of the design matrix. With up to 8192 rows, the complete matrix fits into 512
	// MiB.
	defaultCacheBytes = 512 << 20
)

// startNoises lists the initial models without columns. Their noise precisions are these multiples of 1/variance of the targets.
var startNoises = []evidence.Start{1, 10, 100}

// Regressor is the relevance vector machine for regression. The zero value is ready to use: it has a Matérn kernel with lengths
// chosen by Fit, an intercept with a flat prior, an estimated noise variance, and basis functions for all training rows.
//
// With default settings it chooses a length for each column by the evidence. It makes none of the other choices of
// selection.Regressor: it has one kind of kernel, one scaling of columns, no categories, and untransformed targets.
//
// See also Regressor in package gabasr, Regressor in package lssvm.
type Regressor struct {
	// Kernel is the kernel, which need not be positive semi-definite. If it is nil, Fit chooses a Matérn kernel of ν = 5/2 with a
	// length for each column (see the package documentation).
	Kernel kernels.Kernel

	// Kernels is a dictionary of kernels: every row has a basis function for each of them. If it is set, Kernel must be nil.
	Kernels []kernels.Kernel

	// InterceptPrior selects the prior of the intercept. The zero value is [FlatPrior]. If NoIntercept is set, InterceptPrior has
	// no effect.
	InterceptPrior InterceptPrior

	// If NoIntercept is set, the model has no intercept, and the targets should be centred.
	NoIntercept bool

	// If NoCalibration is set, no refits calibrate the variances and the intervals, which are then those of the paper (see the
	// package documentation).
	NoCalibration bool

	// Groups holds the group of each training row, such as a patient or a day, as an arbitrary number. The refits that calibrate
	// variances and intervals leave out the rows of a group together, so that variances and intervals hold for new groups. The
	// predictions, which the evidence determines, do not depend on Groups. For FitDesign these are the groups of the rows of phi.
	// If Groups is nil, equal rows are left out together.
	Groups []int `settings:"-"`

	// NoiseVariance is the variance of the noise. If it is 0, it is estimated.
	NoiseVariance float64 `zero:"the estimate"`

	// Landmarks holds the centres of the basis functions (M×d). If it is nil, the centres are training rows.
	Landmarks *mat.Dense

	// Components is the number of training rows, drawn with Seed, that are centres of basis functions. If it is 0, all rows are
	// used. If Landmarks is set, Components has no effect.
	Components int `zero:"all rows"`

	// AllIn is the largest number of basis functions for which Fit also begins from the model of all of them. If it is 0, 500 is
	// used.
	AllIn int `zero:"500"`

	// If NoAllIn is set, Fit never begins from the model of all basis functions, whatever AllIn is.
	NoAllIn bool

	// Starts is the number of times that Fit begins from the empty model, each with a different noise level, 1 to 3. If it is 0, 3
	// is used. The model with the highest evidence of all starts is kept.
	Starts int `zero:"3" most:"3"`

	// Seed is the seed for drawing the rows of Components, and the rows on which lengths are chosen.
	Seed uint64

	// Workers is the number of goroutines. If it is 0, GOMAXPROCS is used. Each start uses at most one goroutine.
	Workers int

	// CacheBytes is the memory for columns of the design matrix, and for their products if they fit too. Other columns are
	// evaluated when they are needed. If it is 0, 512 MiB is used.
	CacheBytes int64 `zero:"512 MiB"`

	// If Observe is not nil, it is called after each change of a model, by one goroutine at a time. Objective is the negative log
	// evidence in the start or refit that made the change.
	Observe func(estimators.Step)

	supportMethods[*model]
}

// model is a fitted Regressor.
type model struct {
	*evidence.Solution // for the columns of the support, and the column of ones
	*basis.Support
	calibration
	within float64 // the variance of targets around the means of equal rows
}

// fittedSupport returns nil before Fit.
func (m *model) fittedSupport() *basis.Support {
	if m == nil {
		return nil
	}
	return m.Support
}

// ones returns the number of coefficients for a column of ones, 0 or 1.
func (m *model) ones() int { return len(m.Coefficients) - len(m.Columns) }

func (r *Regressor) place() basisSettings {
	return basisSettings{typ: regressorType, config: r, kernel: r.Kernel, kernels: r.Kernels, landmarks: r.Landmarks,
		components: r.Components, seed: r.Seed, cacheBytes: r.CacheBytes, workers: r.Workers}
}

// intercept returns the form of the intercept that the fields select.
func (r *Regressor) intercept() evidence.Intercept {
	switch {
	case r.NoIntercept:
		return evidence.NoIntercept
	case r.InterceptPrior == ARDPrior:
		return evidence.ARDIntercept
	}
	return evidence.FlatIntercept
}

// SetGroups sets Groups. It implements [estimators.Grouper].
func (r *Regressor) SetGroups(groups []int) { r.Groups = groups }

// Fit fits the model to x (n×d) and y (n). With M basis functions, m of them kept, a change of the model costs O(nm + Mm), and a
// new basis function also O(nM). The memory is CacheBytes plus O(Mm). The refits that calibrate the variances about double the time
// (see NoCalibration). Fit returns [estimators.ErrParam], [estimators.ErrShape], [estimators.ErrNotFinite] (also if the kernel
// overflows), or the error of ctx.
func (r *Regressor) Fit(ctx context.Context, x mat.Matrix, y []float64) (err error) {
	defer estimators.BeginFit(&ctx, r.Observe)(&err)
	return r.fit(ctx, x, y, nil)
}

// FitWeighted is like Fit, with a weight > 0 for each row. A weight of 2 has the same effect as the row given twice. Only the
// ratios of the weights matter, because the evidence counts each distinct row once on average. If NoiseVariance is set, it is the
// variance of a row of weight 1, and the weights are not divided by their mean. In this case their sum must exceed 1 with
// [FlatPrior].
func (r *Regressor) FitWeighted(ctx context.Context, x mat.Matrix, y, weights []float64) (err error) {
	defer estimators.BeginFit(&ctx, r.Observe)(&err)
	return r.fit(ctx, x, y, check.Given(weights))
}

func (r *Regressor) fit(ctx context.Context, x mat.Matrix, y, weights []float64) error {
	if err := r.place().validate(); err != nil {
		return err
	}
	xd, err := check.Targets(regressorType, x, y, weights)
	if err != nil {
		return err
	}
	rows, mean, within := r.merge(xd, y, weights)
	groups, err := rows.Groups(r.Groups, len(y))
	if err != nil {
		return fault.AddName(regressorType, err)
	}
	first, rest := progress.Two(ctx, r.place().shareOfKernel(), 1)
	d, err := r.place().onRows(first, rows, func() (learning.Targets, learning.Kind) { return numbers(mean, rows.Weights) })
	if err != nil {
		return err
	}
	return r.learn(rest, d, mean, rows.Weights, groups, within)
}

// merge returns the distinct rows, the means of their targets, and the variance of the targets around these means. If NoiseVariance
// is set, the variance is 0.
func (r *Regressor) merge(x *mat.Dense, y, own []float64) (rows *distinct.Rows, mean []float64, within float64) {
	rows = distinct.Merge(x, own)
	if r.NoiseVariance == 0 {
		rows = rows.Relative()
	}
	if mean, within = rows.Means(y); r.NoiseVariance > 0 {
		within = 0
	}
	return rows, mean, within
}

// FitDesign fits the model to a design matrix phi (n×M), for example a kernel matrix that the caller has computed, and y (n).
// Kernel, Kernels, Landmarks and Components are not used. Predictions are then made by PredictDesign and PredictVarianceDesign.
func (r *Regressor) FitDesign(ctx context.Context, phi mat.Matrix, y []float64) (err error) {
	defer estimators.BeginFit(&ctx, r.Observe)(&err)
	if err := r.place().validate(); err != nil {
		return err
	}
	pd, err := designRows(phi, len(y))
	if err != nil {
		return err
	}
	if err := cmp.Or(check.Vector("y", y), check.Spread(regressorType, y)); err != nil {
		return err
	}
	rows, mean, within := r.merge(pd, y, nil)
	groups, err := rows.Groups(r.Groups, len(y))
	if err != nil {
		return fault.AddName(regressorType, err)
	}
	return r.learn(ctx, basis.OnMatrix(rows), mean, rows.Weights, groups, within)
}

func (r *Regressor) learn(ctx context.Context, d basis.Design, y, rows []float64, groups [][]int, within float64) error {
	k := r.task(d, y, rows)
	k.groups = groups
	k.Steps = progress.NewSteps(ctx, 0)
	refits := 1.
	if r.NoCalibration {
		refits = 0
	}
	first, rest := progress.Two(ctx, 1, refits)
	s, err := k.Solve(first)
	if err != nil {
		return err
	}
	m := newModel(s, d)
	if !r.NoCalibration {
		if err := k.calibrate(rest, m); err != nil {
			return err
		}
	}
	m.within = within
	if err := m.finite(); err != nil {
		return err
	}
	r.m = m
	return nil
}

// task returns the task that the fields define, for weighted rows.
func (r *Regressor) task(d basis.Design, y, rows []float64) calibratedTask {
	k := evidence.Regression{
		Design: d, Type: regressorType, Counts: weights.NewCounts(rows, d.N), Targets: y, Intercept: r.intercept(), Noise: r.NoiseVariance,
		AllIn:  cmp.Or(r.AllIn, defaultAllIn),
		Starts: startNoises[:cmp.Or(r.Starts, len(startNoises))], Bytes: r.place().bytes(), Workers: r.Workers,
	}
	if r.NoAllIn {
		k.AllIn = 0
	}
	return calibratedTask{Regression: k}
}

func newModel(s *evidence.Solution, d basis.Design) *model {
	columns := s.Indices
	if k := len(columns); k > 0 && columns[k-1] == d.M {
		columns = columns[:k-1] // the last column consists of ones
	}
	return &model{Solution: s, Support: d.Support(columns), calibration: uncalibrated}
}

// finite returns an error if the model's numbers overflow in the units of rows and targets, which differ from those of the fit. A
// file could not hold such a model.
func (m *model) finite() error {
	for _, part := range []struct {
		name   string
		values codec.Floats
	}{
		{"coefficient", m.Coefficients}, {"precision", m.Alphas}, {"mean of column", m.Means}, {"covariance", codec.FromSym(m.Covariance)},
		{"intercept", codec.Floats{m.Intercept}}, {"noise", codec.Floats{m.Noise, m.Spread, m.within}},
		{"calibration", m.calibration.numbers()},
	} {
		if err := check.Vector(regressorType+": "+part.name, part.values); err != nil {
			return fmt.Errorf("%w: scale rows and targets", err)
		}
	}
	return nil
}

// predictChunk is the number of rows that are predicted at a time, to limit the memory of a prediction.
const predictChunk = 1024

// predict returns the mean for the rows of x, and the variance if withVariance is set.
func (m *model) predict(x *mat.Dense, workers int, withVariance bool) (mean, variance []float64, err error) {
	n, d := x.Dims()
	for first := 0; first < n; first += predictChunk {
		part := x.Slice(first, min(first+predictChunk, n), 0, d).(*mat.Dense)
		phi, err := m.Features(part, m.ones(), workers)
		if err != nil {
			return nil, nil, err
		}
		r, _ := part.Dims()
		var unseen, own []float64
		if withVariance && m.addsVariance() && m.Sees() {
			unseen, own = m.Unseen(part, phi)
		}
		for i := range r {
			f, v := m.Intercept, m.Noise*(1+m.Spread)
			if phi != nil {
				row := phi.RawRowView(i)
				f += linalg.Dot(m.Coefficients, row)
				if withVariance {
					for j, mu := range m.Means {
						row[j] -= mu
					}
					v += max(0, mat.Inner(mat.NewVecDense(len(row), row), m.Covariance, mat.NewVecDense(len(row), row)))
				}
			}
			v = v*m.factor + m.within
			if unseen != nil {
				v += m.added(unseen[i], own[i])
			}
			if !check.IsFinite(f) || !check.IsFinite(v) {
				return nil, nil, &fault.NotFiniteError{Name: regressorType + ": prediction", Row: first + i, Col: -1, Value: f + v}
			}
			mean = append(mean, f)
			if withVariance {
				variance = append(variance, v)
			}
		}
	}
	return mean, variance, nil
}

// predict checks x and returns the predictions. If matrix is true, the rows of x are rows of a design matrix.
func (r *Regressor) predict(name string, x mat.Matrix, matrix, withVariance bool) (mean, variance []float64, err error) {
	xd, err := r.m.fittedSupport().Input(regressorType, name, x, matrix)
	if err != nil {
		return nil, nil, err
	}
	return r.m.predict(xd, r.Workers, withVariance)
}

// Predict returns the mean at each row of x (r×d). The cost is O(rmd) for m relevance vectors.
func (r *Regressor) Predict(x mat.Matrix) (_ []float64, err error) {
	defer fault.Recover(&err)
	mean, _, err := r.predict("x", x, false, false)
	return mean, err
}

// PredictVariance returns the mean and the variance of a new observation at each row of x (r×d). The variance includes the noise.
// It is the machine's own variance, calibrated by refits, plus that of the part of the kernel that the relevance vectors do not
// explain. Far from all rows it is therefore the variance of the targets (see the package documentation). With NoCalibration, it is
// only the variance of the noise and the intercept there, as in every relevance vector machine. The cost is O(rm(d + m)), plus
// O(m³) in the first call.
func (r *Regressor) PredictVariance(x mat.Matrix) (mean, variance []float64, err error) {
	defer fault.Recover(&err)
	return r.predict("x", x, false, true)
}

// PredictInterval returns the bounds of the central interval that contains a new observation at each row of x (r×d) with
// probability level, in (0, 1). The distribution is normal, with the mean and the variance of PredictVariance.
func (r *Regressor) PredictInterval(x mat.Matrix, level float64) (low, high []float64, err error) {
	defer fault.Recover(&err)
	if err := interval.Level(regressorType, level); err != nil {
		return nil, nil, err
	}
	return interval.Normal(level)(r.PredictVariance(x))
}

// PredictDesign returns the mean at new rows of the design matrix (r×M).
func (r *Regressor) PredictDesign(phi mat.Matrix) (_ []float64, err error) {
	defer fault.Recover(&err)
	mean, _, err := r.predict("phi", phi, true, false)
	return mean, err
}

// PredictVarianceDesign is like PredictVariance, for new rows of the design matrix (r×M). The kernel is not known, so the variance
// is the machine's own, multiplied by the calibrated factor.
func (r *Regressor) PredictVarianceDesign(phi mat.Matrix) (mean, variance []float64, err error) {
	defer fault.Recover(&err)
	return r.predict("phi", phi, true, true)
}

// RelevanceKernels returns the index in Kernels of the kernel of each relevance vector, which is 0 if there is one kernel. It
// returns nil before Fit and after FitDesign.
func (r *Regressor) RelevanceKernels() []int { return r.m.fittedSupport().KernelIndices() }

// Coefficients returns the posterior means of the relevance vectors' coefficients, in the order of
// RelevanceIndices. It returns nil before Fit.
func (r *Regressor) Coefficients() []float64 {
	if r.m == nil {
		return nil
	}
	return append([]float64{}, r.m.Coefficients[:len(r.m.Columns)]...)
}

// Covariance returns the posterior covariance of Coefficients. It returns nil before Fit and for a model without
// relevance vectors.
func (r *Regressor) Covariance() *mat.SymDense {
	if r.m == nil || len(r.m.Columns) == 0 {
		return nil
	}
	k := len(r.m.Columns)
	out := mat.NewSymDense(k, nil)
	out.CopySym(r.m.Covariance.SliceSym(0, k))
	return out
}

// Alphas returns the prior precisions of Coefficients. It returns nil before Fit.
func (r *Regressor) Alphas() []float64 {
	if r.m == nil {
		return nil
	}
	return append([]float64{}, r.m.Alphas[:len(r.m.Columns)]...)
}

// Intercept returns the constant term, whatever its prior. It returns 0 before Fit and with NoIntercept.
func (r *Regressor) Intercept() float64 {
	if r.m == nil {
		return 0
	}
	return r.m.constantTerm()
}

func (m *model) constantTerm() float64 {
	if m.ones() == 0 {
		return m.Intercept
	}
	return m.Intercept + m.Coefficients[len(m.Coefficients)-1]
}

// ChosenNoiseVariance returns the variance of the noise. It returns 0 before Fit.
func (r *Regressor) ChosenNoiseVariance() float64 {
	if r.m == nil {
		return 0
	}
	return r.m.Noise
}

// LogEvidence returns the log marginal likelihood of the targets, or with [FlatPrior] that of their n-1 contrasts (restricted
// likelihood). It is +Inf for constant targets, and 0 before Fit. It can be used to compare kernels on the same rows and targets.
func (r *Regressor) LogEvidence() float64 {
	if r.m == nil {
		return 0
	}
	return r.m.Evidence
}

// Report describes the last Fit. Objective is the negative log evidence. Iterations is the number of changes over all starts and
// refits.
func (r *Regressor) Report() estimators.Report {
	if r.m == nil {
		return estimators.Report{}
	}
	return r.m.Report.Clone()
}

// PredictTo is like Predict but writes the predictions to dst, which has one entry for each row of x. Up to sixteen
// rows of a dense matrix are predicted one by one without allocating memory. The predictions agree with those of
// Predict up to rounding.
func (r *Regressor) PredictTo(dst []float64, x mat.Matrix) (err error) {
	defer fault.Recover(&err)
	return rowwise.Numbers(regressorType, dst, x, r.m.fittedSupport().RowWidth(), r.Predict, r.m.row)
}

// row sets out to the mean for the row x.
func (m *model) row(out, x []float64) {
	out[0] = m.constantTerm()
	if m.Vectors == nil {
		return
	}
	p := rowwise.Scratch(len(m.Columns))
	defer rowwise.Release(p)
	m.RowValues(*p, x)
	for i, v := range *p {
		out[0] += m.Coefficients[i] * v
	}
}
