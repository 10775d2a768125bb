package rvm

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// newProblem takes the targets to the coordinates of the basis.
func newProblem(b *basis, y []float64, centre bool, noise float64, workers int) *problem {
	p := &problem{b: b, t: slices.Clone(y), dof: float64(b.n), noise: noise, workers: workers, cache: map[int]*member{}}
	centred := slices.Clone(y)
	subtractMean(centred)
	p.variance = dot(centred, centred) / float64(b.n)
	if centre {
		p.t = centred
		p.dof--
	}
	p.tt = dot(p.t, p.t)
	bt, _ := b.correlate(context.Background(), mat.NewDense(1, b.n, p.t))
	p.bt = bt.RawRowView(0)
	return p
}
