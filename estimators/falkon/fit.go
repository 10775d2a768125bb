package falkon

import (
	"context"
	"fmt"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/falkon/internal/rows"
	"github.com/kernelearn/kernelearn/estimators/falkon/internal/solver"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/vecmath"
)

// dimensionLimit is a limit for the ratio of the effective dimension to the number of landmarks. Above it, landmarks are added, or
// a warning recommends more.
const dimensionLimit = .7

// fit fits a machine to the targets of a source. If the number of landmarks is not set, it is increased while the effective
// dimension is close to it.
func fit(ctx context.Context, s machineSettings, src *rows.Source) (*fittedMachine, error) {
	begin := time.Now()
	s = s.withDefaults()
	chosen := s.components == 0 && s.given == nil
	if chosen && s.Resume.Landmarks() > 0 {
		s.components = s.componentsFor(src.N)
		for next, ok := s.more(src); ok && s.components < s.Resume.Landmarks(); next, ok = s.more(src) {
			s.components = next // the State comes from a fit with this larger number, and is resumed with it
		}
	}
	s.Steps = progress.NewSteps(ctx, 0)
	passes, expected := 0, 1
	if next, ok := s.withComponents(s.componentsFor(src.N)).more(src); chosen && ok && next > 0 {
		expected = 2
	}
	fits := progress.NewSeries(ctx, expected)
	for {
		m, err := fitOnce(fits.Next(), s, src, chosen)
		if err != nil {
			return nil, err
		}
		passes += m.details.Passes
		s.components = s.componentsFor(src.N)
		next, ok := s.more(src)
		enough := !(m.details.EffectiveDimension > dimensionLimit*float64(m.details.Landmarks))
		if !chosen || !ok || m.details.Landmarks < s.components || enough {
			m.details.Seconds, m.details.Passes = time.Since(begin).Seconds(), passes
			return m, nil
		}
		s.Steps.Next(0, "the effective dimension is %.0f of %d landmarks: %d landmarks are used",
			m.details.EffectiveDimension, m.details.Landmarks,
			next)
		s.components, s.Resume = next, nil
	}
}

// withComponents returns the settings with this number of landmarks.
func (s machineSettings) withComponents(components int) machineSettings {
	s.components = components
	return s
}

// more returns the next larger number of landmarks. It returns false if that is hardly larger, or needs more than MaxBytes.
func (s machineSettings) more(src *rows.Source) (next int, ok bool) {
	next = min(2*s.components, mostByRows, src.N/2)
	return next, 2*next >= 3*s.components && s.CheckBytes("", s.forLandmarks(src.N, next).Bytes(src, next)) == nil
}

// fitOnce is like fit, with a fixed number of landmarks.
func fitOnce(ctx context.Context, s machineSettings, src *rows.Source, chosen bool) (*fittedMachine, error) {
	first, rest := progress.Two(ctx, 1, 3)
	p, d, warnings, err := s.prepare(first, src, chosen)
	if err != nil {
		return nil, err
	}
	details := Details{Rows: src.N, Landmarks: p.M, Solver: ConjugateGradients}
	if p.Direct {
		details.Solver = Direct
	}
	sample, outside := d.halves()
	solved, err := p.Solve(rest, sample, outside)
	if err != nil {
		return nil, err
	}
	details.Passes, details.Ridge, details.EffectiveDimension, details.Energy = p.Passes, solved.Ridge, solved.EffectiveDimension,
		solved.Energy
	if solved.Left != nil {
		if details.LeaveOneOut = solved.Left.Objective; !p.Logistic {
			details.LeaveOneOut += vecmath.Sum(src.Within)
		}
	}
	if solved.GCV == solved.GCV {
		details.GCV = solved.GCV
	}
	m := &fittedMachine{m: p.Machine(solved), details: details}
	m.report = estimators.Report{
		Converged: solved.Converged, Iterations: solved.Iterations, Objective: solved.Objective,
		Jitter: p.Jitter, Warnings: append(warnings, solved.Warnings...),
	}
	if solved.EffectiveDimension > dimensionLimit*float64(p.M) && p.M < src.N {
		m.report.Warnings = append(m.report.Warnings,
			fmt.Sprintf("the effective dimension %.0f is close to the %d landmarks: more landmarks may lower the error",
				solved.EffectiveDimension,
				p.M))
	}
	if s.classify {
		m.left = solved.Left
	} else {
		m.m.Spread = p.NewSpread(solved)
	}
	return m, m.m.Finite(s.Type, m.report.Objective, src)
}

// prepare draws rows, chooses the kernel and the landmarks, and checks the memory of the fit. If chosen is true, the caller did not
// set the number of landmarks.
func (s machineSettings) prepare(ctx context.Context, src *rows.Source, chosen bool) (*solver.Problem, *drawn, []string, error) {
	want := s.componentsFor(src.N)
	if s.given != nil {
		want, _ = s.given.Dims()
	}
	if err := s.CheckBytes(fmt.Sprintf("%d landmarks", want), s.forLandmarks(src.N, want).Bytes(src, want)); err != nil {
		return nil, nil, nil, err
	}
	parts := progress.Parts(ctx, 1, 4, 2, 3)
	d, err := s.draw(parts[0], src, want)
	if err != nil {
		return nil, nil, nil, err
	}
	kernel, err := s.chosenKernel(parts[1], d, want, src.Varying)
	if err != nil {
		return nil, nil, nil, err
	}
	landmarks, err := s.choose(parts[2], kernel, d, want)
	if err != nil {
		return nil, nil, nil, err
	}
	var warnings []string
	if m := rowsOf(landmarks); m < want && !chosen {
		warnings = append(warnings, fmt.Sprintf("%d landmarks in place of %d: there are no more distinct rows among those drawn", m, want))
	}
	own := s.forLandmarks(src.N, rowsOf(landmarks))
	b, err := own.NewBasis(parts[3], kernel, landmarks)
	if err != nil {
		return nil, nil, nil, err
	}
	return solver.NewProblem(own, b, src), d, warnings, nil
}

func rowsOf(x mat.Matrix) int {
	n, _ := x.Dims()
	return n
}

// halves returns the sample of the preconditioner, and rows outside it. If too few rows were drawn, they are divided in the same
// proportion.
func (d *drawn) halves() (sample, outside *rows.Source) {
	n, all := d.Rows(), d.sample+d.outside
	size := min(d.sample, (n*d.sample+all-1)/all)
	of := func(from, to int) *rows.Source {
		return d.Slice(from, to).Source()
	}
	if n == 1 {
		return of(0, 1), of(0, 1)
	}
	return of(0, size), of(size, n)
}
