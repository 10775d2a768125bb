package features

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/rowwise"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
)

// Hidden is the layer of random units.
type Hidden struct {
	hidden *featuremap.RandomHidden
	units  int
}

// NewHidden returns the layer that consists of the units.
func NewHidden(h *featuremap.RandomHidden) *Hidden {
	_, b := h.UnitWeights()
	return &Hidden{hidden: h, units: len(b)}
}

// Features implements Layer. It sets dst to the outputs of the units.
func (l *Hidden) Features(dst, x *mat.Dense) error { return l.hidden.UnitsTo(dst, x) }

// Width implements Layer.
func (l *Hidden) Width(units int) int { return min(units, l.units) }

// Leading implements Layer.
func (l *Hidden) Leading(units int) (Layer, error) {
	h, err := l.hidden.Truncate(units)
	return &Hidden{hidden: h, units: l.Width(units)}, err
}

// Scorer implements Layer.
func (l *Hidden) Scorer(_ context.Context, directions *mat.Dense) (Scorer, error) {
	return &HiddenScorer{Hidden: l.hidden, Directions: directions}, nil
}

// HiddenScorer computes the positions of rows from the outputs of their units.
type HiddenScorer struct {
	Hidden     *featuremap.RandomHidden
	Directions *mat.Dense // h×r
}

// Scores implements Scorer.
func (s *HiddenScorer) Scores(x *mat.Dense) (*mat.Dense, error) {
	_, r := s.Directions.Dims()
	if n, _ := x.Dims(); n == 1 {
		return placed(s, x, r)
	}
	h := &mat.Dense{}
	return inChunks(x, r, func(dst, x *mat.Dense) error {
		rows, _ := x.Dims()
		if last, _ := h.Dims(); last != rows {
			h = &mat.Dense{}
		}
		err := s.Hidden.TransformTo(h, x)
		if err == nil {
			fast.Mul(dst, h, s.Directions)
		}
		return err
	})
}

func (s *HiddenScorer) Write(z, x []float64) {
	units, _ := s.Directions.Dims()
	p := rowwise.Scratch(units)
	defer rowwise.Release(p)
	if s.Hidden.TransformRow(*p, x) != nil {
		z[0] = math.NaN() // an activation is not finite
		return
	}
	combination(z, *p, s.Directions)
}

// Graph implements Scorer.
func (s *HiddenScorer) Graph(x graph.Value) (graph.Value, error) {
	units, err := s.Hidden.Graph(x)
	if err != nil {
		return x, err
	}
	return units.Rows.MatMul(x.Constant(s.Directions)), nil
}
