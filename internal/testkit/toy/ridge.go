package toy

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/distinct"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/interval"
)

// defaultPenalty is the default of Ridge.Penalty.
const defaultPenalty = 1e-3

const ridgeKind = "toy.Ridge"

// Ridge is a linear regression on standardised columns, with an intercept and the penalty Penalty·‖coefficients‖². The mean weight
// of a distinct row is 1.
type Ridge struct {
	Penalty float64
	model   *ridgeModel
}

type ridgeModel struct {
	ridgePayload
	factor mat.Cholesky // factor of the normal matrix
}

type ridgePayload struct {
	Means, Scales, Coefficients codec.Floats
	Normal                      codec.Matrix // d×d
	Intercept, Weight, Noise    float64
}

// Fit implements estimators.Regressor.
func (r *Ridge) Fit(ctx context.Context, x mat.Matrix, y []float64) (err error) {
	defer estimators.BeginFit(&ctx, nil)(&err)
	return r.fit(ctx, x, y, nil)
}

// FitWeighted implements estimators.WeightedFitter.
func (r *Ridge) FitWeighted(ctx context.Context, x mat.Matrix, y, weights []float64) error {
	if err := check.Weights("toy: Ridge", weights, len(y)); err != nil {
		return err
	}
	return r.fit(ctx, x, y, weights)
}

func (r *Ridge) fit(ctx context.Context, x mat.Matrix, y, weights []float64) error {
	penalty := r.Penalty
	if penalty == 0 {
		penalty = defaultPenalty
	}
	if !(penalty > 0) || math.IsInf(penalty, 1) {
		return fault.Param("toy: Ridge", "Penalty", r.Penalty, ">= 0 and finite")
	}
	in, err := check.Targeted(x, y)
	if err != nil {
		return err
	}
	merged := distinct.Merge(in, weights).Relative()
	in, y = merged.X, merged.Mean(mat.NewDense(len(y), 1, slices.Clone(y))).RawMatrix().Data
	n, d := in.Dims()
	w := unitWeights(merged.Weights, n)
	m := &ridgeModel{ridgePayload: ridgePayload{
		Means: make(codec.Floats, d), Scales: make(codec.Floats, d), Coefficients: make(codec.Floats, d), Weight: floats.Sum(w),
	}}
	for j := range d {
		if err := ctx.Err(); err != nil {
			return err
		}
		column := mat.Col(nil, j, in)
		m.Means[j] = floats.Dot(w, column) / m.Weight
		for i, v := range column {
			m.Scales[j] += w[i] * (v - m.Means[j]) * (v - m.Means[j])
		}
		if m.Scales[j] = math.Sqrt(m.Scales[j] / m.Weight); m.Scales[j] == 0 {
			m.Scales[j] = 1
		}
	}
	m.Intercept = floats.Dot(w, y) / m.Weight
	normal, right := mat.NewSymDense(d, nil), mat.NewVecDense(d, nil)
	for i := range n {
		z := mat.NewVecDense(d, m.standardised(in.RawRowView(i)))
		normal.SymRankOne(normal, w[i], z)
		right.AddScaledVec(right, w[i]*(y[i]-m.Intercept), z)
	}
	for j := range d {
		normal.SetSym(j, j, normal.At(j, j)+penalty)
	}
	if !m.factor.Factorize(normal) {
		return &fault.NotPSDError{What: "toy: Ridge: normal matrix"}
	}
	if err := m.factor.SolveVecTo(mat.NewVecDense(d, m.Coefficients), right); err != nil && !isCondition(err) {
		return &fault.NotPSDError{What: "toy: Ridge: normal matrix"}
	}
	m.Normal = codec.FromDense(mat.DenseCopyOf(normal))
	for i := range n {
		e := y[i] - m.mean(in.RawRowView(i))
		m.Noise += w[i] * e * e / m.Weight
	}
	r.model = m
	return nil
}

// isCondition reports whether a solve succeeded with a warning.
func isCondition(err error) bool {
	_, ok := err.(mat.Condition)
	return ok
}

func unitWeights(weights []float64, n int) []float64 {
	if weights != nil {
		return weights
	}
	w := make([]float64, n)
	for i := range w {
		w[i] = 1
	}
	return w
}

func (m *ridgeModel) standardised(row []float64) []float64 {
	z := make([]float64, len(row))
	for j, v := range row {
		z[j] = (v - m.Means[j]) / m.Scales[j]
	}
	return z
}

func (m *ridgeModel) mean(row []float64) float64 {
	return m.Intercept + floats.Dot(m.Coefficients, m.standardised(row))
}

func (r *Ridge) input(x mat.Matrix) (*mat.Dense, error) {
	if r.model == nil {
		return nil, fault.NotFitted("toy: Ridge")
	}
	return check.Wide("x", x, len(r.model.Means))
}

// Predict implements estimators.Regressor.
func (r *Ridge) Predict(x mat.Matrix) ([]float64, error) {
	in, err := r.input(x)
	if err != nil {
		return nil, err
	}
	n, _ := in.Dims()
	out := make([]float64, n)
	for i := range n {
		out[i] = r.model.mean(in.RawRowView(i))
	}
	return out, nil
}

// PredictVariance implements estimators.VariancePredictor.
func (r *Ridge) PredictVariance(x mat.Matrix) (mean, variance []float64, err error) {
	in, err := r.input(x)
	if err != nil {
		return nil, nil, err
	}
	mean, err = r.Predict(in)
	if err != nil {
		return nil, nil, err
	}
	n, d := in.Dims()
	variance = make([]float64, n)
	for i := range n {
		z := mat.NewVecDense(d, r.model.standardised(in.RawRowView(i)))
		var s mat.VecDense
		if err := r.model.factor.SolveVecTo(&s, z); err != nil && !isCondition(err) {
			return nil, nil, &fault.NotPSDError{What: "toy: Ridge: normal matrix"}
		}
		variance[i] = r.model.Noise * (1 + 1/r.model.Weight + math.Max(0, mat.Dot(z, &s)))
	}
	return mean, variance, nil
}

// PredictInterval implements estimators.IntervalPredictor for normal distributions.
func (r *Ridge) PredictInterval(x mat.Matrix, level float64) (low, high []float64, err error) {
	if err := interval.Level("toy: Ridge", level); err != nil {
		return nil, nil, err
	}
	return interval.Normal(level)(r.PredictVariance(x))
}

// Report implements estimators.Reporter. Objective is the mean squared residual.
func (r *Ridge) Report() estimators.Report {
	if r.model == nil {
		return estimators.Report{}
	}
	return estimators.Report{Converged: true, Iterations: 1, Objective: r.model.Noise}
}

// MarshalBinary implements encoding.BinaryMarshaler.
func (r *Ridge) MarshalBinary() ([]byte, error) {
	if r.model == nil {
		return nil, fault.NotFitted("toy: Ridge")
	}
	return codec.Marshal(ridgeKind, 1, r.model.ridgePayload)
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler.
func (r *Ridge) UnmarshalBinary(data []byte) error {
	m := &ridgeModel{}
	if _, err := codec.Unmarshal(data, ridgeKind, 1, &m.ridgePayload); err != nil {
		return err
	}
	d := len(m.Means)
	normal, err := m.Normal.Dense()
	switch {
	case err != nil:
		return fault.BadModel(ridgeKind, "%v", err)
	case d == 0 || len(m.Scales) != d || len(m.Coefficients) != d || m.Normal.Rows != d || m.Normal.Cols != d:
		return fault.BadModel(ridgeKind, "lengths do not agree")
	case !m.Means.Finite() || !m.Scales.Finite() || !m.Coefficients.Finite() ||
		!(codec.Floats{m.Intercept, m.Weight, m.Noise}).Finite() || floats.Min(m.Scales) <= 0 || m.Weight <= 0 || m.Noise < 0:
		return fault.BadModel(ridgeKind, "a number out of range")
	case !m.factor.Factorize(mat.NewSymDense(d, normal.RawMatrix().Data)):
		return fault.BadModel(ridgeKind, "normal matrix is not positive definite")
	}
	r.model = m
	return nil
}
