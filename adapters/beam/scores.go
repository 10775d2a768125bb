package kernelbeam

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/adapters/beam/internal/rowblocks"
	"github.com/kernelearn/kernelearn/internal/codec"
)

// Score holds the errors of predictions for rows to which the model was not fitted.
type Score struct {
	Rows   int
	Weight float64 // sum of the rows' weights
	// MSE and MAE are the weighted means of squared and absolute errors, and Variance is the variance of the targets. They are set
	// only for numeric targets.
	MSE, MAE, Variance float64
	// Confusion holds, for each true label, the weight of the rows with each predicted label. It is set only for labels.
	Confusion map[int]map[int]float64
}

// NMSE returns MSE divided by the variance of the targets. Predicting the mean of the targets gives an NMSE of 1.
func (s Score) NMSE() float64 { return s.MSE / s.Variance }

// RMSE returns the square root of MSE.
func (s Score) RMSE() float64 { return math.Sqrt(s.MSE) }

// Accuracy returns the share of correct labels.
func (s Score) Accuracy() float64 {
	right := 0.0
	for label, row := range s.Confusion {
		right += row[label]
	}
	return right / s.Weight
}

// GMean returns the geometric mean of the classes' accuracies.
func (s Score) GMean() float64 {
	logs := 0.0
	for label, row := range s.Confusion {
		all := 0.0
		for _, w := range row {
			all += w
		}
		logs += math.Log(row[label] / all)
	}
	return math.Exp(logs / float64(len(s.Confusion)))
}

// score sums the errors of a fitted model.
type score struct {
	of       predictor
	labelled bool
	sums     scoreSums
}

type scoreSums struct {
	Rows      int
	Weight    float64
	Mean, M2  float64 // mean of the targets, and sum of their squared deviations from it
	Squares   float64
	Absolutes float64
	Confusion map[int]map[int]float64
}

// predictor hides whether a fitted model predicts numbers or labels.
type predictor interface {
	// predict returns predicted targets or predicted labels. The other result is nil.
	predict(x *mat.Dense) (y []float64, labels []int, err error)
	estimator() any
}

// predicts implements predictor for an estimator.
type predicts[Y float64 | int] struct{ of Estimator[Y] }

func (p *predicts[Y]) estimator() any { return p.of }

func (p *predicts[Y]) predict(x *mat.Dense) ([]float64, []int, error) {
	out, err := p.of.Predict(x)
	if y, ok := any(out).([]float64); ok {
		return y, nil, err
	}
	return nil, any(out).([]int), err
}

// Add implements rowblocks.Summary.
func (s *score) Add(_ context.Context, b *rowblocks.Block) error {
	y, labels, err := s.of.predict(b.Dense())
	if err != nil {
		return err
	}
	var sums scoreSums
	for i := range b.Rows() {
		w := 1.0
		if len(b.Weights) > 0 {
			w = b.Weights[i]
		}
		if s.labelled {
			sums.merge(scoreSums{Rows: 1, Weight: w, Confusion: map[int]map[int]float64{b.Labels[i]: {labels[i]: w}}})
			continue
		}
		e := b.Y[i] - y[i]
		sums.merge(scoreSums{Rows: 1, Weight: w, Mean: b.Y[i], Squares: w * e * e, Absolutes: w * math.Abs(e)})
	}
	s.sums.merge(sums)
	return nil
}

// merge adds the errors of other rows.
func (s *scoreSums) merge(o scoreSums) {
	if o.Rows == 0 {
		return
	}
	w := s.Weight + o.Weight
	d := o.Mean - s.Mean
	s.M2 += o.M2 + d*d*s.Weight*o.Weight/w
	s.Mean += d * o.Weight / w
	s.Rows, s.Weight, s.Squares, s.Absolutes = s.Rows+o.Rows, w, s.Squares+o.Squares, s.Absolutes+o.Absolutes
	for label, row := range o.Confusion {
		if s.Confusion == nil {
			s.Confusion = map[int]map[int]float64{}
		}
		if s.Confusion[label] == nil {
			s.Confusion[label] = map[int]float64{}
		}
		for _, to := range slices.Sorted(maps.Keys(row)) {
			s.Confusion[label][to] += row[to]
		}
	}
}

// Absorb implements rowblocks.Summary.
func (s *score) Absorb(o rowblocks.Summary) error {
	other, ok := o.(*score)
	if !ok {
		return fmt.Errorf("kernelbeam: %T and %T cannot be merged", s, o)
	}
	s.sums.merge(other.sums)
	return nil
}

const scoreKind = "kernelbeam.score"

// MarshalBinary implements rowblocks.Summary.
func (s *score) MarshalBinary() ([]byte, error) { return codec.Marshal(scoreKind, 1, s.sums) }

// UnmarshalBinary implements rowblocks.Summary.
func (s *score) UnmarshalBinary(data []byte) error {
	var in scoreSums
	if _, err := codec.Unmarshal(data, scoreKind, 1, &in); err != nil {
		return err
	}
	s.sums = in
	return nil
}

// score returns the Score that results from the sums.
func (s *scoreSums) score() Score {
	return Score{Rows: s.Rows, Weight: s.Weight, MSE: s.Squares / s.Weight, MAE: s.Absolutes / s.Weight, Variance: s.M2 / s.Weight,
		Confusion: s.Confusion}
}
