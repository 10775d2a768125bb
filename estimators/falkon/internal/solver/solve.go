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

// passesExpected is how many passes and factors the solver mostly takes.
func (p *Problem) passesExpected() int {
	out := 3 // the products, the factor, what is left out
	if p.Ridge == 0 {
		out += 2 // a reduction and a pass
	}
	if !p.Direct {
		out += 12
	}
	if p.Logistic {
		out += 2 * 8
		if !p.Direct {
			out += 40 // of gradients within the steps
		}
	}
	return out
}

// Solve takes the solver and the loss of the settings. Sample are the rows of the preconditioner, outside rows that are not among them.
func (p *Problem) Solve(ctx context.Context, sample, outside *rows.Source) (*Solution, error) {
	p.parts = progress.NewSeries(ctx, p.passesExpected())
	ctx = progress.Detach(ctx)
	ridge := p.Ridge
	if p.Logistic {
		p.Checkpoint = nil
	}
	if !p.Logistic || ridge == 0 {
		var squared *Solution
		var err error
		if p.Direct {
			squared, err = p.byNormals(ctx)
		} else {
			squared, err = p.byGradients(ctx, sample, outside, p.fingerprint())
		}
		if err != nil || !p.Logistic {
			return squared, err
		}
		ridge = logisticShare * squared.Ridge
	}
	return p.byNewton(ctx, ridge, sample.Head(LeastSample*p.M)) // made anew for each step and class
}

// fingerprint tells the rows and the configuration that a State belongs to.
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

// hashString is the hash h with the bytes of a text.
func hashString(h uint64, text string) uint64 {
	for _, c := range []byte(text) {
		h = rowhash.Number(h, float64(c))
	}
	return rowhash.Number(h, float64(len(text)))
}

// Machine makes the model of a solution.
func (p *Problem) Machine(s *Solution) *machine.Machine {
	m := p.machineOf(s.u)
	m.Ridge = s.Ridge
	if s.bias != nil {
		m.Bias = s.bias
	}
	return m
}

// machineOf makes the model of coefficients u (k×M).
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
