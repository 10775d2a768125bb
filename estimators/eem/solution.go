package eem

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/eem/internal/discriminant"
	"github.com/kernelearn/kernelearn/estimators/eem/internal/features"
	"github.com/kernelearn/kernelearn/estimators/eem/internal/moments"
	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/rowwise"
	"github.com/kernelearn/kernelearn/internal/vecmath"
)

// solution holds the solved system in the form that predictions use.
type solution struct {
	classes []int
	pairs   []*discriminant.Projection // for the classes j < i in the order (1,0), (2,0), (2,1), ...; nil with a plane
	logW    []float64                  // for each pair, of class i against class j; for a plane, of each class
	plane   *discriminant.Plane
	scorer  features.Scorer
	report  estimators.Report
}

// systems returns the number of linear systems that a solution requires.
func (m *model) systems() int {
	k := len(m.classes)
	if m.multiclass == Discriminant {
		return 1
	}
	return k * (k - 1) / 2
}

// newSolution computes the solution of m.
func newSolution(ctx context.Context, m *model, steps *progress.Steps) (*solution, error) {
	s := &solution{classes: m.classes, report: estimators.Report{Converged: true, Iterations: 1}}
	if m.few != "" {
		s.report.Warnings = append(s.report.Warnings, m.few)
	}
	for k, st := range m.stats {
		if st.Weight <= 1 {
			s.report.Warnings = append(s.report.Warnings,
				fmt.Sprintf("class %d weighs no more than one row: its covariance is taken from the others", m.classes[k]))
		}
	}
	odds := m.odds(m.classes, m.stats)
	var directions *mat.Dense
	var err error
	first, rest := progress.Two(ctx, 8*float64(m.systems()), 1)
	if m.multiclass == Discriminant && len(m.classes) > 2 {
		if directions, err = s.solvePlane(first, m.stats, odds); err == nil {
			steps.Next(s.report.Objective, "the discriminant plane of %d features solved", len(m.stats[0].Means))
		}
	} else {
		directions, err = s.solvePairs(first, m.stats, odds, steps)
	}
	if err != nil {
		return nil, err
	}
	s.scorer, err = m.layer.Scorer(rest, directions)
	return s, err
}

// solvePairs finds the direction of every pair of classes.
func (s *solution) solvePairs(ctx context.Context, stats []*moments.Moments, odds []float64, steps *progress.Steps) (*mat.Dense, error) {
	group, all := progress.Open(ctx), len(s.classes)*(len(s.classes)-1)/2
	for i := range s.classes {
		for j := range i {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			p, err := discriminant.NewProjection(group.Step(len(s.pairs), all), stats[i], stats[j])
			if err != nil {
				return nil, err
			}
			s.pairs, s.logW = append(s.pairs, p), append(s.logW, math.Log(odds[i]/odds[j]))
			s.report.Objective -= p.Divergence()
			s.report.Jitter = max(s.report.Jitter, p.Jitter)
			if p.Constant {
				s.report.Warnings = append(s.report.Warnings,
					fmt.Sprintf("classes %d and %d have the same mean: no direction separates them",
						s.classes[j], s.classes[i]))
			}
			steps.Next(s.report.Objective, "classes %d and %d solved in %d features", s.classes[j], s.classes[i], len(p.Beta))
		}
	}
	directions := mat.NewDense(len(s.pairs[0].Beta), len(s.pairs), nil)
	for k, p := range s.pairs {
		directions.SetCol(k, p.Beta)
	}
	return directions, nil
}

// solvePlane finds the discriminant directions of all classes.
func (s *solution) solvePlane(ctx context.Context, stats []*moments.Moments, odds []float64) (*mat.Dense, error) {
	for _, v := range odds {
		s.logW = append(s.logW, math.Log(v))
	}
	fit, err := discriminant.FitPlane(ctx, stats)
	if err != nil {
		return nil, err
	}
	if _, r := fit.Directions.Dims(); r < len(stats)-1 {
		s.report.Warnings = append(s.report.Warnings,
			"the class means lie in fewer than K-1 dimensions: some classes are hard to separate")
	}
	s.plane, s.report.Jitter, s.report.Objective = fit.Plane, fit.Jitter, fit.Objective
	return fit.Directions, nil
}

// directions returns the number of directions.
func (s *solution) directions() int {
	if s.plane != nil {
		_, r := s.plane.Means.Dims()
		return r
	}
	return len(s.pairs)
}

// decision returns the scores of rows at positions z along the directions.
func (s *solution) decision(z *mat.Dense) *mat.Dense {
	if s.plane != nil {
		return s.plane.Decision(z, s.logW)
	}
	n, _ := z.Dims()
	out := mat.NewDense(n, len(s.classes), nil)
	for r := range n {
		s.vote(out.RawRowView(r), z.RawRowView(r))
	}
	return out
}

// vote sets row to the scores of a row whose positions along the directions of the pairs are from.
func (s *solution) vote(row, from []float64) {
	if len(row) == 2 {
		odds := s.pairs[0].LogOdds(from[0], s.logW[0])
		if odds == 0 {
			odds = math.SmallestNonzeroFloat64 // for even odds the positive class is predicted
		}
		classes.SetBoth(row, odds)
		return
	}
	clear(row)
	at := 0
	for i := range row {
		for j := range i {
			p := vecmath.Sigmoid(s.pairs[at].LogOdds(from[at], s.logW[at]))
			row[i] += p
			row[j] += 1 - p
			at++
		}
	}
}

// row computes the scores of one row.
func (s *solution) row(out, x []float64) {
	p := rowwise.Scratch(s.directions())
	defer rowwise.Release(p)
	s.scorer.Write(*p, x)
	if s.plane != nil {
		s.plane.Write(out, *p, s.logW)
	} else {
		s.vote(out, *p)
	}
	for _, v := range *p { // a NaN must not be hidden by the vote
		out[0] += v - v
	}
}

// proba returns the probabilities of rows at positions z along the directions.
func (s *solution) proba(z *mat.Dense) *mat.Dense {
	out := s.decision(z)
	n, k := out.Dims()
	for i := range n {
		row := out.RawRowView(i)
		if s.plane != nil {
			vecmath.Softmax(row)
			continue
		}
		for j, v := range row {
			if k == 2 {
				row[j] = vecmath.Sigmoid(v)
			} else {
				row[j] = 2 * v / float64(k*(k-1))
			}
		}
	}
	return out
}
