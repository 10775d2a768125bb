package rvm

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/interval"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/rowwise"
	"github.com/kernelearn/kernelearn/kernels"
)

const regressorType = "rvm: Regressor"

// InterceptPrior is what a Regressor takes its intercept for before it has seen a target.
type InterceptPrior int

// The priors.
const (
	FlatPrior InterceptPrior = iota // every value as likely: the intercept is integrated out exactly
	ARDPrior                        // normal, that of a column of ones with a precision of its own like the others
)

// String returns the prior's name.
func (p InterceptPrior) String() string {
	switch p {
	case FlatPrior:
		return "FlatPrior"
	case ARDPrior:
		return "ARDPrior"
	}
	return fmt.Sprintf("InterceptPrior(%d)", int(p))
}

// The defaults of Regressor and Classifier.
const (
	// DefaultAllIn is the largest basis from which a fit also starts with all of it
	// in the model: its first steps factor a matrix of that order.
	DefaultAllIn = 500
	// DefaultStarts is the number of starts from the empty model, at noises of 1,
	// 1/10 and 1/100 of the targets' variance.
	DefaultStarts = 3
	// DefaultCacheBytes is the memory for columns of the design matrix: 512 MiB, all
	// of it up to 8192 rows.
	DefaultCacheBytes = 512 << 20
)

// Regressor is the relevance vector machine for regression. The zero value is ready
// to use: RBF with γ = 1/median squared distance, an intercept of flat prior, the noise
// estimated, all training rows for basis.
type Regressor struct {
	Kernel         kernels.Kernel // nil: kernels.MedianRBF of the training rows; need not be positive semi-definite
	InterceptPrior InterceptPrior // zero: FlatPrior; without effect with NoIntercept
	NoIntercept    bool           // leaves the intercept out: the targets should be centred
	// NoiseVariance fixes the variance of the noise; 0: it is estimated.
	NoiseVariance float64
	// Landmarks are the rows that basis functions sit on (M×d); nil: training rows.
	Landmarks *mat.Dense
	// Components is the number of training rows, drawn by Seed, that basis functions sit
	// on; 0: all. Without effect with Landmarks.
	Components int
	// AllIn is the largest basis for which a start with all of it is tried; 0:
	// DefaultAllIn.
	AllIn   int
	NoAllIn bool // never tries it, whatever AllIn
	// Starts is the number of starts from the empty model, 1 to 3; 0: DefaultStarts.
	// The model of the highest evidence over all starts is kept.
	Starts     int
	Seed       uint64 // of Components, and of the sample that MedianRBF takes of many rows
	Workers    int    // goroutines; 0: GOMAXPROCS, but one for each start
	CacheBytes int64  // for columns of the design matrix, and for their products if they fit too; others are evaluated as they are needed. 0: DefaultCacheBytes
	// Observe, if not nil, is called after each change of a model, by one goroutine at
	// a time; Objective is the negative log evidence of the start it comes from.
	Observe func(estimators.Step)

	m *model
}

var (
	_ estimators.Regressor                    = (*Regressor)(nil)
	_ estimators.VariancePredictor            = (*Regressor)(nil)
	_ estimators.Cloner[estimators.Regressor] = (*Regressor)(nil)
	_ estimators.Reporter                     = (*Regressor)(nil)
)

// model is a fitted Regressor. After FitDesign kernel and vectors are nil, and width
// is the number of columns of the design matrix.
type model struct {
	*solution
	kernel  kernels.Kernel
	vectors *mat.Dense // of the members but the column of ones; nil without any
	rows    []int      // the training rows that the vectors are; nil for landmarks
	width   int
	ones    bool // the last member is the column of ones
}

func (r *Regressor) validate() error {
	switch {
	case r.InterceptPrior < FlatPrior || r.InterceptPrior > ARDPrior:
		return fault.Param(regressorType, "InterceptPrior", int(r.InterceptPrior), "FlatPrior or ARDPrior")
	case !(r.NoiseVariance >= 0) || math.IsInf(r.NoiseVariance, 1):
		return fault.Param(regressorType, "NoiseVariance", r.NoiseVariance, "a finite value > 0, or 0 to estimate it")
	}
	if r.AllIn < 0 {
		return fault.Param(regressorType, "AllIn", r.AllIn, ">= 1, or 0 for the default")
	}
	return validateBasis(regressorType, r.Kernel, r.Components, r.Starts, r.CacheBytes)
}

// validateBasis checks the fields that Regressor and Classifier share.
func validateBasis(typ string, k kernels.Kernel, size, starts int, cache int64) error {
	switch {
	case size < 0:
		return fault.Param(typ, "Components", size, ">= 0")
	case starts < 0 || starts > DefaultStarts:
		return fault.Param(typ, "Starts", starts, fmt.Sprintf("1 to %d, or 0 for the default", DefaultStarts))
	case cache < 0:
		return fault.Param(typ, "CacheBytes", cache, ">= 0")
	}
	if k != nil {
		return kernels.Validate(k)
	}
	return nil
}

// intercept is what the fields ask for.
func (r *Regressor) intercept() interceptKind {
	switch {
	case r.NoIntercept:
		return noIntercept
	case r.InterceptPrior == ARDPrior:
		return ardIntercept
	}
	return flatIntercept
}

// task is what the fields ask for, on a design matrix.
func (r *Regressor) task(raw columns, n, m int, y []float64) task {
	allIn := cmp.Or(r.AllIn, DefaultAllIn)
	if r.NoAllIn {
		allIn = 0
	}
	return task{
		raw: raw, n: n, m: m, y: y, intercept: r.intercept(), noise: r.NoiseVariance, allIn: allIn, starts: cmp.Or(r.Starts, DefaultStarts),
		bytes: cmp.Or(r.CacheBytes, DefaultCacheBytes), workers: r.Workers, observe: r.Observe,
	}
}

// Fit learns from x (n×d) and y (n). With M basis functions, of which m stay, a change
// of the model costs O(nm + Mm), a new one also O(nM), and memory is that of CacheBytes
// and O(Mm). Errors: ErrParam, ErrShape, ErrNotFinite (also for a kernel that
// overflows), or ctx's.
func (r *Regressor) Fit(ctx context.Context, x mat.Matrix, y []float64) error {
	if err := r.validate(); err != nil {
		return err
	}
	xd, err := check.Dense("x", x)
	if err != nil {
		return err
	}
	n, d := xd.Dims()
	if err := check.Rows("y", len(y), n); err != nil {
		return err
	}
	if err := check.Vector("y", y); err != nil {
		return err
	}
	kernel, err := kernels.OrMedianRBF(ctx, r.Kernel, xd, r.Seed)
	if err != nil {
		return err
	}
	centres, rows, err := chooseBasis(xd, r.Landmarks, r.Components, r.Seed)
	if err != nil {
		return err
	}
	m, _ := centres.Dims()
	s, err := r.task(kernelColumns(kernel, centres, xd), n, m, y).solve(ctx)
	if err != nil {
		return err
	}
	r.m = newModel(s, kernel, centres, rows, d, m)
	return nil
}

// chooseBasis returns the rows that basis functions sit on, and which training rows
// they are.
func chooseBasis(x, landmarks *mat.Dense, size int, seed uint64) (*mat.Dense, []int, error) {
	n, d := x.Dims()
	if landmarks != nil {
		l, err := check.Dense("Landmarks", landmarks)
		if err != nil {
			return nil, nil, err
		}
		if _, c := l.Dims(); c != d {
			return nil, nil, fault.Shape("Landmarks has", c, "columns", "x has %d", d)
		}
		return l, nil, nil
	}
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	if size == 0 || size >= n {
		return x, rows, nil
	}
	rows = rand.New(rand.NewPCG(seed, 0x62617369_73)).Perm(n)[:size] // the stream "basis"
	slices.Sort(rows)
	return linalg.Rows(x, rows), rows, nil
}

// kernelColumns evaluates columns k(·, centre) on the rows of x; those after the last
// centre are ones.
func kernelColumns(k kernels.Kernel, centres, x *mat.Dense) columns {
	m, d := centres.Dims()
	return func(ctx context.Context, dst *mat.Dense, first int) error {
		width, n := dst.Dims()
		last := min(first+width, m)
		if first < last {
			block, err := kernels.Cross(ctx, k, centres.Slice(first, last, 0, d), x, &kernels.Options{Workers: 1})
			if err != nil {
				return err
			}
			dst.Slice(0, last-first, 0, n).(*mat.Dense).Copy(block)
		}
		for i := last - first; i < width; i++ {
			row := dst.RawRowView(i)
			for j := range row {
				row[j] = 1
			}
		}
		return nil
	}
}

// matrixColumns gives the columns of a matrix, and ones after the last.
func matrixColumns(phi *mat.Dense) columns {
	_, m := phi.Dims()
	return func(_ context.Context, dst *mat.Dense, first int) error {
		width, _ := dst.Dims()
		for i := range width {
			row := dst.RawRowView(i)
			if first+i < m {
				mat.Col(row, first+i, phi)
				continue
			}
			for j := range row {
				row[j] = 1
			}
		}
		return nil
	}
}

func newModel(s *solution, kernel kernels.Kernel, centres *mat.Dense, rows []int, width, m int) *model {
	out := &model{solution: s, kernel: kernel, width: width}
	columns := s.indices
	if k := len(columns); k > 0 && columns[k-1] == m {
		out.ones, columns = true, columns[:k-1]
	}
	if centres == nil || len(columns) == 0 {
		return out
	}
	_, d := centres.Dims()
	out.vectors = mat.NewDense(len(columns), d, nil)
	for i, j := range columns {
		out.vectors.SetRow(i, centres.RawRowView(j))
		if rows != nil {
			out.rows = append(out.rows, rows[j])
		}
	}
	return out
}

// FitDesign learns from a design matrix phi (n×M), for example a kernel matrix that
// the caller has, and y (n). Kernel, Landmarks and Components are not used. Predictions
// are then made by PredictDesign and PredictVarianceDesign.
func (r *Regressor) FitDesign(ctx context.Context, phi mat.Matrix, y []float64) error {
	if err := r.validate(); err != nil {
		return err
	}
	pd, err := check.Dense("phi", phi)
	if err != nil {
		return err
	}
	n, m := pd.Dims()
	if len(y) != n {
		return fault.Shape("y has", len(y), "entries", "phi has %d rows", n)
	}
	if err := check.Vector("y", y); err != nil {
		return err
	}
	s, err := r.task(matrixColumns(pd), n, m, y).solve(ctx)
	if err != nil {
		return err
	}
	r.m = newModel(s, nil, nil, nil, m, m)
	return nil
}

// predictChunk rows at a time bound the memory of a prediction.
const predictChunk = 1024

// features returns the members' columns at the rows of x (r×m), or nil without any.
func (m *model) features(x *mat.Dense, workers int) (*mat.Dense, error) {
	n, _ := x.Dims()
	if len(m.indices) == 0 {
		return nil, nil
	}
	out := mat.NewDense(n, len(m.indices), nil)
	if m.kernel == nil {
		for i := range n {
			for a, j := range m.indices {
				if v := 1.0; j < m.width {
					v = x.At(i, j)
					out.Set(i, a, v)
				} else {
					out.Set(i, a, v)
				}
			}
		}
		return out, nil
	}
	if m.vectors != nil {
		k, err := kernels.Cross(context.Background(), m.kernel, x, m.vectors, &kernels.Options{Workers: workers})
		if err != nil {
			return nil, err
		}
		_, c := k.Dims()
		out.Slice(0, n, 0, c).(*mat.Dense).Copy(k)
	}
	if m.ones {
		for i := range n {
			out.Set(i, len(m.indices)-1, 1)
		}
	}
	return out, nil
}

// predict returns mean and variance for the rows of x, the variance only if asked
// for.
func (m *model) predict(x *mat.Dense, workers int, withVariance bool) (mean, variance []float64, err error) {
	n, d := x.Dims()
	for first := 0; first < n; first += predictChunk {
		part := x.Slice(first, min(first+predictChunk, n), 0, d).(*mat.Dense)
		phi, err := m.features(part, workers)
		if err != nil {
			return nil, nil, err
		}
		r, _ := part.Dims()
		for i := range r {
			f, v := m.intercept, m.noise*(1+m.spread)
			if phi != nil {
				row := phi.RawRowView(i)
				f += linalg.Dot(m.coefficients, row)
				if withVariance {
					for j, mu := range m.means {
						row[j] -= mu
					}
					v += max(0, mat.Inner(mat.NewVecDense(len(row), row), m.cov, mat.NewVecDense(len(row), row)))
				}
			}
			if !isFinite(f) || !isFinite(v) {
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

// input checks rows for a prediction; matrix tells which kind of fit is wanted.
func (r *Regressor) input(name string, x mat.Matrix, matrix bool) (*mat.Dense, error) {
	if r.m == nil {
		return nil, fault.NotFitted(regressorType)
	}
	if err := rightMethod(regressorType, matrix, r.m.kernel == nil); err != nil {
		return nil, err
	}
	xd, err := check.Dense(name, x)
	if err != nil {
		return nil, err
	}
	return xd, check.Columns(name, xd, r.m.width)
}

// rightMethod returns an error if a method for matrices is called on what was fitted
// on rows, or the other way round.
func rightMethod(typ string, matrix, fittedOnMatrix bool) error {
	switch {
	case matrix && !fittedOnMatrix:
		return &fault.NotFittedError{Type: typ + ": fitted on rows: use the methods that do not end in Design"}
	case !matrix && fittedOnMatrix:
		return &fault.NotFittedError{Type: typ + ": fitted on a design matrix: use the methods that end in Design"}
	}
	return nil
}

// Predict returns the mean at each row of x (r×d). Cost O(rmd) for m relevance
// vectors.
func (r *Regressor) Predict(x mat.Matrix) ([]float64, error) {
	xd, err := r.input("x", x, false)
	if err != nil {
		return nil, err
	}
	mean, _, err := r.m.predict(xd, r.Workers, false)
	return mean, err
}

// PredictVariance returns the mean and the variance of a new observation at each row
// of x (r×d), the noise included. Far from all relevance vectors of a local kernel the
// variance is that of the noise and the intercept alone, as for every relevance vector
// machine: it says how certain the model is, not how far away the row lies. Cost
// O(rm(d + m)).
func (r *Regressor) PredictVariance(x mat.Matrix) (mean, variance []float64, err error) {
	xd, err := r.input("x", x, false)
	if err != nil {
		return nil, nil, err
	}
	return r.m.predict(xd, r.Workers, true)
}

// PredictInterval returns the ends of the central interval that a new observation at
// each row of x (r×d) lies in with probability level, in (0, 1), under the normal
// distribution that PredictVariance gives.
func (r *Regressor) PredictInterval(x mat.Matrix, level float64) (low, high []float64, err error) {
	if err := interval.Level(regressorType, level); err != nil {
		return nil, nil, err
	}
	mean, variance, err := r.PredictVariance(x)
	if err != nil {
		return nil, nil, err
	}
	low, high = interval.Normal(level, mean, variance)
	return low, high, nil
}

// PredictDesign predicts from new rows of the design matrix (r×M).
func (r *Regressor) PredictDesign(phi mat.Matrix) ([]float64, error) {
	pd, err := r.input("phi", phi, true)
	if err != nil {
		return nil, err
	}
	mean, _, err := r.m.predict(pd, r.Workers, false)
	return mean, err
}

// PredictVarianceDesign is PredictVariance from new rows of the design matrix (r×M).
func (r *Regressor) PredictVarianceDesign(phi mat.Matrix) (mean, variance []float64, err error) {
	pd, err := r.input("phi", phi, true)
	if err != nil {
		return nil, nil, err
	}
	return r.m.predict(pd, r.Workers, true)
}

// RelevanceIndices returns the training rows, or with Landmarks or FitDesign the
// landmarks or columns, that are in the model, ascending; nil before Fit.
func (r *Regressor) RelevanceIndices() []int {
	if r.m == nil {
		return nil
	}
	if r.m.rows != nil {
		return slices.Clone(r.m.rows)
	}
	return append([]int{}, r.m.indices[:r.m.vectorsCount()]...)
}

func (m *model) vectorsCount() int {
	if m.ones {
		return len(m.indices) - 1
	}
	return len(m.indices)
}

// RelevanceVectors returns them as rows; nil before Fit, after FitDesign, and for a
// model without any.
func (r *Regressor) RelevanceVectors() *mat.Dense {
	if r.m == nil || r.m.vectors == nil {
		return nil
	}
	return mat.DenseCopyOf(r.m.vectors)
}

// Coefficients returns the posterior means of the relevance vectors' coefficients, in the
// order of RelevanceIndices; nil before Fit.
func (r *Regressor) Coefficients() []float64 {
	if r.m == nil {
		return nil
	}
	return append([]float64{}, r.m.coefficients[:r.m.vectorsCount()]...)
}

// Covariance returns the posterior covariance of Coefficients; nil before Fit and for a
// model without relevance vectors.
func (r *Regressor) Covariance() *mat.SymDense {
	if r.m == nil || r.m.vectorsCount() == 0 {
		return nil
	}
	k := r.m.vectorsCount()
	out := mat.NewSymDense(k, nil)
	out.CopySym(r.m.cov.SliceSym(0, k))
	return out
}

// Alphas returns the prior precisions of Coefficients; nil before Fit.
func (r *Regressor) Alphas() []float64 {
	if r.m == nil {
		return nil
	}
	return append([]float64{}, r.m.alphas[:r.m.vectorsCount()]...)
}

// Intercept returns the constant term, whatever its prior; 0 before Fit and with
// NoIntercept.
func (r *Regressor) Intercept() float64 {
	if r.m == nil {
		return 0
	}
	if r.m.ones {
		return r.m.intercept + r.m.coefficients[len(r.m.coefficients)-1]
	}
	return r.m.intercept
}

// ChosenNoiseVariance returns the variance of the noise; 0 before Fit.
func (r *Regressor) ChosenNoiseVariance() float64 {
	if r.m == nil {
		return 0
	}
	return r.m.noise
}

// LogEvidence returns the log marginal likelihood of the targets, with FlatPrior that
// of their n-1 contrasts (restricted likelihood); +Inf for constant targets, 0 before
// Fit. It compares kernels on the same rows and targets.
func (r *Regressor) LogEvidence() float64 {
	if r.m == nil {
		return 0
	}
	return r.m.evidence
}

// ChosenKernel returns the kernel that Fit used; nil before Fit and after FitDesign.
func (r *Regressor) ChosenKernel() kernels.Kernel {
	if r.m == nil {
		return nil
	}
	return r.m.kernel
}

// Report says how the last Fit went. Objective is the negative log evidence,
// Iterations the number of changes over all starts.
func (r *Regressor) Report() estimators.Report {
	if r.m == nil {
		return estimators.Report{}
	}
	out := r.m.report
	out.Warnings = slices.Clone(out.Warnings)
	return out
}

// Clone returns an unfitted Regressor of the same configuration.
func (r *Regressor) Clone() estimators.Regressor {
	c := *r
	c.m = nil
	if r.Landmarks != nil {
		c.Landmarks = mat.DenseCopyOf(r.Landmarks)
	}
	return &c
}

// PredictTo is Predict into dst, which has an entry for each row of x. Up to sixteen rows
// of a dense matrix are predicted one by one without allocating; they agree with Predict's
// to rounding.
func (r *Regressor) PredictTo(dst []float64, x mat.Matrix) error {
	return rowwise.Numbers(regressorType, dst, x, r.m.rowWidth(), r.Predict, r.m.row)
}

// rowWidth is the number of columns that row wants; 0 where there is no kernel.
func (m *model) rowWidth() int {
	if m == nil || m.kernel == nil {
		return 0
	}
	return m.width
}

// row computes the mean of one row.
func (m *model) row(out, x []float64) {
	out[0] = m.intercept
	if m.ones {
		out[0] += m.coefficients[len(m.coefficients)-1]
	}
	if m.vectors == nil {
		return
	}
	p := rowwise.Scratch(m.vectorsCount())
	defer rowwise.Release(p)
	kernels.Row(*p, m.kernel, x, m.vectors)
	for i, v := range *p {
		out[0] += m.coefficients[i] * v
	}
}
