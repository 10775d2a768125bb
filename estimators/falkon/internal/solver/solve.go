package solver

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/falkon/internal/machine"
	"github.com/kernelearn/kernelearn/estimators/falkon/internal/rows"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/rowhash"
)

// passesExpected returns the number of passes and factorisations that the solver usually needs.
func (p *Problem) passesExpected() int {
	out := 3 // the products, the factorisation, leave-one-out
	if p.Ridge == 0 {
		out += 2 // a reduction and a pass
	}
	if !p.Direct {
		out += 12
	}
	if p.Logistic {
		out += 2 * 8
		if !p.Direct {
			out += 40 // the iterations of conjugate gradients within the steps
		}
	}
	return out
}

// Solve solves the problem with the solver and the loss of the settings. The argument sample holds the rows of the preconditioner,
// and outside holds other rows.
func (p *Problem) Solve(ctx context.Context, sample, outside *rows.Source) (*Solution, error) {
	p.parts = progress.NewSeries(ctx, p.passesExpected())
	ctx = progress.Detach(ctx)
	if p.Logistic {
		p.Checkpoint = nil
		return p.solveLogistic(ctx, sample, outside)
	}
	return p.squared(ctx, sample, outside)
}

// squared minimises the squared errors.
func (p *Problem) squared(ctx context.Context, sample, outside *rows.Source) (*Solution, error) {
	if p.Direct {
		return p.byNormals(ctx)
	}
	return p.byGradients(ctx, sample, outside, p.fingerprint())
}

// solveLogistic minimises the logistic losses. With groups, the ridge is chosen for squared errors.
func (p *Problem) solveLogistic(ctx context.Context, sample, outside *rows.Source) (*Solution, error) {
	ridge := p.Ridge
	var from *points
	switch {
	case ridge != 0:
	case p.src.Groups != nil:
		squared, err := p.squared(ctx, sample, outside)
		if err != nil {
			return nil, err
		}
		ridge = logisticShare * squared.Ridge
	default:
		var err error
		if ridge, from, err = p.logisticRidge(ctx, sample); err != nil {
			return nil, err
		}
	}
	// The preconditioner is computed again for each step and class.
	return p.byNewton(ctx, ridge, sample.Head(LeastSample*p.M), from, p.src.Groups == nil)
}

// fingerprint returns a hash of the rows and the configuration. A State can be resumed only with the same hash.
func (p *Problem) fingerprint() uint64 {
	h := hashString(p.src.Hash, p.Kernel.String())
	h = rowhash.Number(h, p.Ridge)
	h = rowhash.Number(h, float64(p.M))
	h = rowhash.Number(h, float64(p.Seed))
	if p.NoIntercept {
		h = hashString(h, "no intercept")
	}
	for i := range p.M {
		h = rows.HashRow(h, p.Landmarks, i)
	}
	return h
}

// hashString returns the hash h after adding the bytes of a text.
func hashString(h uint64, text string) uint64 {
	for _, c := range []byte(text) {
		h = rowhash.Number(h, float64(c))
	}
	return rowhash.Number(h, float64(len(text)))
}

// Machine returns the model of a solution.
func (p *Problem) Machine(s *Solution) *machine.Machine {
	m := p.machineOf(s.u)
	m.Ridge = s.Ridge
	if s.bias != nil {
		m.Bias = s.bias
	}
	return m
}

// machineOf returns the model of coefficients u (k×M).
func (p *Problem) machineOf(u *mat.Dense) *machine.Machine {
	m := &machine.Machine{Kernel: p.Kernel, Landmarks: p.Landmarks, Prepared: p.Prepared, Beta: mat.DenseCopyOf(u),
		Bias: make([]float64, p.src.K)}
	p.Coefficients(m.Beta)
	for j := range m.Bias {
		m.Bias[j] = p.offset[j]
		if p.centre != nil {
			m.Bias[j] -= linalg.Dot(p.centre, u.RawRowView(j))
		}
	}
	return m
}
