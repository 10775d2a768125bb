package solver

import (
	"github.com/kernelearn/kernelearn/estimators/falkon/internal/rows"
	"gonum.org/v1/gonum/mat"
)

// sampledRows collects the leave-one-out results of rows that are at regular distances in a source. The blocks may come in any
// order.
type sampledRows struct {
	every                 int
	residuals, targets    *mat.Dense
	rest, unseen, weights []float64
}

func newKept(s *rows.Source, limit int) *sampledRows {
	every := (s.N + limit - 1) / limit
	rows := (s.N + every - 1) / every
	return &sampledRows{
		every: every, residuals: mat.NewDense(rows, s.K, nil), targets: mat.NewDense(rows, s.K, nil),
		rest: make([]float64, rows), unseen: make([]float64, rows), weights: make([]float64, rows),
	}
}

func (k *sampledRows) put(b rows.Batch, i int, residuals []float64, rest, unseen float64) {
	number := b.First + i
	if number%k.every != 0 {
		return
	}
	at := number / k.every
	k.residuals.SetRow(at, residuals)
	k.targets.SetRow(at, b.Y.RawRowView(i))
	k.rest[at], k.unseen[at], k.weights[at] = rest, unseen, b.Weight(i)
}

func (k *sampledRows) copyTo(out *LeftOut) {
	out.Residuals, out.Targets, out.rest, out.unseen, out.Weights = k.residuals, k.targets, k.rest, k.unseen, k.weights
}
