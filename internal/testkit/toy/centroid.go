package toy

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/vecmath"
)

const centroidKind = "toy.Centroid"

// Centroid classifies by the nearest class mean. Its scores are -Sharpness·‖x - mean‖²/(2·variance), with the pooled variance. If
// Sharpness is 0, 1 is used. The probabilities are the softmax of the scores.
type Centroid struct {
	Sharpness float64
	model     *centroidModel
}

type centroidModel struct {
	Labels    []int
	Means     codec.Matrix // K×d
	Precision float64
}

// Fit implements estimators.Classifier.
func (c *Centroid) Fit(ctx context.Context, x mat.Matrix, y []int) (err error) {
	defer estimators.BeginFit(&ctx, nil)(&err)
	return c.fit(ctx, x, y, nil)
}

// FitWeighted implements estimators.WeightedFitter.
func (c *Centroid) FitWeighted(ctx context.Context, x mat.Matrix, y []int, weights []float64) error {
	if err := check.Weights("toy: Centroid", weights, len(y)); err != nil {
		return err
	}
	return c.fit(ctx, x, y, weights)
}

func (c *Centroid) fit(ctx context.Context, x mat.Matrix, y []int, weights []float64) error {
	sharpness := c.Sharpness
	if sharpness == 0 {
		sharpness = 1
	}
	if !(sharpness > 0) || math.IsInf(sharpness, 1) {
		return fault.Param("toy: Centroid", "Sharpness", c.Sharpness, ">= 0 and finite")
	}
	in, err := check.Labelled(x, len(y))
	if err != nil {
		return err
	}
	n, d := in.Dims()
	labels := classes.Distinct(y)
	at := classes.Positions(labels, y)
	w := unitWeights(weights, n)
	means := mat.NewDense(len(labels), d, nil)
	for k := range labels {
		if err := ctx.Err(); err != nil {
			return err
		}
		mean, total := means.RawRowView(k), 0.0
		for i, l := range at {
			if l == k {
				floats.AddScaled(mean, w[i], in.RawRowView(i))
				total += w[i]
			}
		}
		floats.Scale(1/total, mean)
	}
	spread := 0.0
	for i, k := range at {
		spread += w[i] * vecmath.SquaredDistance(in.RawRowView(i), means.RawRowView(k))
	}
	variance := spread / (floats.Sum(w) * float64(d))
	if variance == 0 {
		variance = 1
	}
	c.model = &centroidModel{Labels: labels, Means: codec.FromDense(means), Precision: sharpness / variance}
	return nil
}

// Decision implements estimators.DecisionPredictor.
func (c *Centroid) Decision(x mat.Matrix) (*mat.Dense, error) {
	m := c.model
	if m == nil {
		return nil, fault.NotFitted("toy: Centroid")
	}
	in, err := check.Dense("x", x)
	if err != nil {
		return nil, err
	}
	d := m.Means.Cols
	if err := check.Columns("x", in, d); err != nil {
		return nil, err
	}
	n, _ := in.Dims()
	out := mat.NewDense(n, len(m.Labels), nil)
	for i := range n {
		for k := range m.Labels {
			out.Set(i, k, -0.5*m.Precision*vecmath.SquaredDistance(in.RawRowView(i), m.Means.Data[k*d:(k+1)*d]))
		}
	}
	return out, nil
}

// Predict implements estimators.Classifier.
func (c *Centroid) Predict(x mat.Matrix) ([]int, error) {
	scores, err := c.Decision(x)
	if err != nil {
		return nil, err
	}
	return classes.Predicted(c.model.Labels, scores), nil
}

// PredictProba implements estimators.ProbaPredictor.
func (c *Centroid) PredictProba(x mat.Matrix) (*mat.Dense, error) {
	p, err := c.Decision(x)
	if err != nil {
		return nil, err
	}
	n, _ := p.Dims()
	for i := range n {
		vecmath.Softmax(p.RawRowView(i))
	}
	return p, nil
}

// Classes implements estimators.Classifier.
func (c *Centroid) Classes() []int {
	if c.model == nil {
		return nil
	}
	return slices.Clone(c.model.Labels)
}

// Report implements estimators.Reporter.
func (c *Centroid) Report() estimators.Report {
	if c.model == nil {
		return estimators.Report{}
	}
	return estimators.Report{Converged: true, Iterations: 1}
}

// MarshalBinary implements encoding.BinaryMarshaler.
func (c *Centroid) MarshalBinary() ([]byte, error) {
	if c.model == nil {
		return nil, fault.NotFitted("toy: Centroid")
	}
	return codec.Marshal(centroidKind, 1, c.model)
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler.
func (c *Centroid) UnmarshalBinary(data []byte) error {
	m := &centroidModel{}
	if _, err := codec.Unmarshal(data, centroidKind, 1, m); err != nil {
		return err
	}
	means, err := m.Means.Dense()
	if err != nil {
		return fault.BadModel(centroidKind, "%v", err)
	}
	if means == nil || m.Means.Rows != len(m.Labels) || !slices.IsSorted(m.Labels) || !(m.Precision > 0) || math.IsInf(m.Precision, 1) {
		return fault.BadModel(centroidKind, "%d labels for %d means, precision %v", len(m.Labels), m.Means.Rows, m.Precision)
	}
	c.model = m
	return nil
}
