package solver

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/falkon/internal/rows"
	"github.com/kernelearn/kernelearn/internal/anyrows"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/kernels"
)

const (
	// pilotLandmarks is the number of landmarks from which leverage scores are computed, and pilotRidge their λ relative to the
	// mean k(x, x).
	pilotLandmarks = 500
	pilotRidge     = 1e-4
)

// LeverageScores returns the leverage scores of the s rows of x for the ridge λs. With G = Z'Z for the pilot's features, a score is
// z'(G + λs)⁻¹z + (k(x,x) - |z|²)/(λs), at most 1.
func (s Settings) LeverageScores(ctx context.Context, kernel kernels.Kernel, x mat.Matrix) ([]float64, error) {
	n, _ := x.Dims()
	b, err := s.NewBasis(ctx, kernel, anyrows.Slice(x, 0, min(pilotLandmarks, n)))
	if err != nil {
		return nil, err
	}
	s.NoIntercept = true
	src := rows.InMemory(x, mat.NewDense(n, 1, nil), nil)
	p := NewProblem(s, b, src)
	equations, err := p.products(ctx, src, nil, nil, p.passing(ctx, src))
	if err != nil {
		return nil, err
	}
	ridge := pilotRidge * b.Scale() * float64(n)
	if s.Ridge > 0 {
		ridge = s.Ridge
	}
	factor, err := shifted(ctx, "the features of the leverage scores", equations.g, ridge)
	if err != nil {
		return nil, err
	}
	p.keep = n
	left, err := p.leaveOut(ctx, mat.NewDense(1, b.M, nil), factor, src, 0, p.passing(ctx, src))
	if err != nil {
		return nil, err
	}
	scores := make([]float64, n)
	for i, rest := range left.rest {
		scores[i] = min(1, 1-rest+left.unseen[i]*b.Scale()/ridge)
		scores[i] = max(scores[i], leastScore)
	}
	return scores, nil
}

// leastScore is the lower limit of scores, which keeps all scores positive.
const leastScore = 1e-12

// LeaveOneOutError returns the mean squared leave-one-out error of a kernel with landmarks, for the best ridge. If the error is
// infinite for every ridge, so is the result.
func (s Settings) LeaveOneOutError(ctx context.Context, kernel kernels.Kernel, landmarks mat.Matrix, src *rows.Source) (float64, error) {
	parts := progress.Parts(ctx, 1, 4, 3, 4)
	ctx = progress.Detach(ctx)
	b, err := s.NewBasis(parts[0], kernel, landmarks)
	if err != nil {
		return 0, err
	}
	p := NewProblem(s, b, src)
	sum := make([]float64, p.M)
	equations, err := p.products(ctx, src, nil, sum, p.passing(parts[1], src))
	if err != nil {
		return 0, err
	}
	p.centreBy(equations, p.src, sum)
	unit := p.Scale() * src.Weight
	grid := ridgeGrid(leastRidge*unit, largestRidge*unit, ridgesPerDecade)
	turned, err := rotate(parts[2], equations.g)
	if err != nil {
		return 0, err
	}
	errors, err := p.errorsOf(ctx, newCandidates(turned, equations.r, grid), src, p.passing(parts[3], src))
	if err != nil {
		return 0, err
	}
	return slices.Min(errors), nil
}
