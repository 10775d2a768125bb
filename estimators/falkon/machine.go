package falkon

import (
	"context"
	"fmt"
	"math"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/falkon/internal/rows"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/rowhash"
	"github.com/kernelearn/kernelearn/internal/vecmath"
	"github.com/kernelearn/kernelearn/kernels"
)

// machine is a fitted model of k targets.
type machine struct {
	kernel    kernels.Kernel
	landmarks *mat.Dense        // M×d
	prepared  *kernels.Prepared // of the landmarks
	beta      *mat.Dense        // k×M
	bias      []float64         // k
	ridge     float64
	report    estimators.Report
	details   Details
	spread    *spread  // of a Regressor
	left      *leftOut // of a Classifier, until its link is fitted
}

// Details says more about the last Fit than a Report.
type Details struct {
	// Rows is n, the number of distinct training rows, or of all in FitBlocks.
	Rows int

	// Landmarks is M, the number of landmarks.
	Landmarks int

	// Solver is the solver that was used, [Direct] or [ConjugateGradients].
	Solver Solver

	// Passes is the number of passes over the rows in which the kernel was computed.
	Passes int
	Ridge  float64

	// EffectiveDimension is the trace of the hat matrix, without the intercept. If it is close to Landmarks, more
	// landmarks lower the error. With [ConjugateGradients] it is estimated from the sample. With [LogisticLoss] it is
	// not known, and 0.
	EffectiveDimension float64

	// LeaveOneOut is the weighted mean squared leave-one-out residual, summed over the targets. With [Direct] it is
	// exact. With [ConjugateGradients] it is computed on rows outside the preconditioner's sample.
	LeaveOneOut float64

	// GCV is the generalised cross-validation error, n·RSS/(n - trace)². It is for comparison only: it fails on rows
	// of high leverage. With [ConjugateGradients] it is not known, and 0.
	GCV float64

	// Energy is the estimated relative error at the end of the conjugate gradients. It is 0 with [Direct].
	Energy float64

	// Seconds is the duration of Fit. It is 0 in a model that was read from a file.
	Seconds float64
}

// crowded is the share of the landmarks that the effective dimension may take before more of them are
// taken, or wished for.
const crowded = .7

// fit learns the targets of a source, where the number of landmarks is not set with more of them as long as they are
// crowded.
func fit(ctx context.Context, s machineSettings, src *rows.Source) (*machine, error) {
	begin := time.Now()
	s = s.withDefaults()
	chosen := s.components == 0 && s.given == nil
	if chosen && s.resume != nil && s.resume.conjugate != nil {
		s.components = s.componentsFor(src.N)
		for next, ok := s.more(src); ok && s.components < s.resume.conjugate.u.RawMatrix().Cols; next, ok = s.more(src) {
			s.components = next // a State of a fit with more of them goes on there
		}
	}
	s.steps = progress.NewSteps(ctx, 0)
	passes, expected := 0, 1
	if next, ok := s.withComponents(s.componentsFor(src.N)).more(src); chosen && ok && next > 0 {
		expected = 2
	}
	fits := progress.NewSeries(ctx, expected)
	for {
		m, p, err := fitOnce(fits.Next(), s, src, chosen)
		if err != nil {
			return nil, err
		}
		passes += m.details.Passes
		s.components = s.componentsFor(src.N)
		next, ok := s.more(src)
		if !chosen || !ok || p.m < s.components || !(m.details.EffectiveDimension > crowded*float64(p.m)) {
			m.details.Seconds, m.details.Passes = time.Since(begin).Seconds(), passes
			return m, nil
		}
		p.say(0, fmt.Sprintf("the effective dimension is %.0f of %d landmarks: %d are taken", m.details.EffectiveDimension, p.m, next))
		s.components, s.resume = next, nil
	}
}

// withComponents is the settings with so many landmarks.
func (s machineSettings) withComponents(components int) machineSettings {
	s.components = components
	return s
}

// more is the number of landmarks after so many; ok is false where that is hardly more, or over MaxBytes.
func (s machineSettings) more(src *rows.Source) (next int, ok bool) {
	next = min(2*s.components, mostByRows, src.N/2)
	return next, 2*next >= 3*s.components && s.checkBytes("", s.bytes(src, next)) == nil
}

// fitOnce is fit with one number of landmarks.
func fitOnce(ctx context.Context, s machineSettings, src *rows.Source, chosen bool) (*machine, *landmarkProblem, error) {
	first, rest := progress.Two(ctx, 1, 3)
	p, d, warnings, err := s.prepare(first, src, chosen)
	if err != nil {
		return nil, nil, err
	}
	details := Details{Rows: src.N, Landmarks: p.m, Solver: ConjugateGradients}
	if s.direct(src.N, p.m) {
		details.Solver = Direct
	}
	p.parts = progress.NewSeries(rest, p.passesExpected())
	solved, err := p.solve(progress.Detach(ctx), d)
	if err != nil {
		return nil, nil, err
	}
	details.Passes, details.Ridge, details.EffectiveDimension, details.Energy = p.passes, solved.ridge, solved.effective, solved.energy
	if solved.left != nil {
		details.LeaveOneOut = solved.left.objective + vecmath.Sum(src.Within)
	}
	if solved.gcv == solved.gcv {
		details.GCV = solved.gcv
	}
	m := p.machine(solved.u)
	m.ridge = solved.ridge
	if solved.bias != nil {
		m.bias = solved.bias
	}
	m.report = estimators.Report{
		Converged: solved.converged, Iterations: solved.iterations, Objective: solved.objective,
		Jitter: p.jitter, Warnings: append(warnings, solved.warnings...),
	}
	if solved.effective > crowded*float64(p.m) && p.m < src.N {
		m.report.Warnings = append(m.report.Warnings, fmt.Sprintf("the effective dimension %.0f is most of the %d landmarks: more of them may lower the error", solved.effective, p.m))
	}
	if s.classify {
		m.left = solved.left
	} else {
		m.spread = p.newSpread(solved)
	}
	m.details = details
	return m, p, m.finite(s.typ, src)
}

// passesExpected is how many passes and factors the solver mostly takes.
func (p *landmarkProblem) passesExpected() int {
	out := 3 // the products, the factor, what is left out
	if p.ridge == 0 {
		out += 2 // a reduction and a pass
	}
	if !p.direct(p.src.N, p.m) {
		out += 12
	}
	if p.loss == LogisticLoss {
		out += 2 * 8
		if !p.direct(p.src.N, p.m) {
			out += 40 // of gradients within the steps
		}
	}
	return out
}

// solve takes the solver and the loss of the settings.
func (p *landmarkProblem) solve(ctx context.Context, d *drawn) (*solution, error) {
	ridge := p.ridge
	sample, outside := d.halves()
	if p.loss == LogisticLoss {
		p.checkpoint = nil
	}
	if p.loss == SquaredLoss || ridge == 0 {
		var squared *solution
		var err error
		if p.direct(p.src.N, p.m) {
			squared, err = p.byNormals(ctx)
		} else {
			squared, err = p.byGradients(ctx, sample, outside, p.fingerprint())
		}
		if err != nil || p.loss == SquaredLoss {
			return squared, err
		}
		ridge = logisticShare * squared.ridge
	}
	return p.byNewton(ctx, ridge, sample.Head(leastSample*p.m)) // made anew for each step and class
}

// prepare draws rows, chooses kernel and landmarks, and checks the memory of all that follows. Chosen says that the
// number of landmarks is nobody's wish.
func (s machineSettings) prepare(ctx context.Context, src *rows.Source, chosen bool) (*landmarkProblem, *drawn, []string, error) {
	want := s.componentsFor(src.N)
	if s.given != nil {
		want, _ = s.given.Dims()
	}
	if err := s.checkBytes(fmt.Sprintf("%d landmarks", want), s.bytes(src, want)); err != nil {
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
	if m, _ := landmarks.Dims(); m < want && !chosen {
		warnings = append(warnings, fmt.Sprintf("%d landmarks in place of %d: there are no more distinct rows among those drawn", m, want))
	}
	b, err := newBasis(parts[3], s, kernel, landmarks)
	if err != nil {
		return nil, nil, nil, err
	}
	return newProblem(s, b, src), d, warnings, nil
}

// bytes is what a Fit on m landmarks allocates, beside rows and what grows with neither.
func (s machineSettings) bytes(src *rows.Source, m int) float64 {
	columns := src.K
	if s.ridge == 0 {
		columns = max(src.K*leastRidges, min(src.K*mostRidges, mostColumns))
	}
	numbers := 4 * float64(m) * float64(m)
	if s.direct(src.N, m) {
		numbers += float64(min(panelBlocks*rows.WideRows, src.N)) * float64(m)
		columns = src.K
	}
	if s.loss == LogisticLoss {
		numbers += float64(src.K) * float64(m) * float64(m)
	}
	numbers += 2 * float64(min(s.workers, panelBlocks)) * rows.WideRows * float64(m) // blocks
	numbers += 8 * float64(s.workers) * float64(columns*m)                           // sums of blocks
	numbers += 6 * float64(columns) * float64(m)                                     // of conjugate gradients
	numbers += float64(min(src.N, keptRows)) * float64(2*src.K+3)                    // what is known of single rows
	return 8 * numbers
}

// halves are the sample of the preconditioner, and rows outside it, in the same shares where there are
// fewer rows.
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

// fingerprint tells the rows and the configuration that a State belongs to.
func (p *landmarkProblem) fingerprint() uint64 {
	h := hashString(p.src.Hash, p.kernel.String())
	h = rowhash.Number(h, p.ridge)
	h = rowhash.Number(h, float64(p.m))
	h = rowhash.Number(h, float64(p.seed))
	if p.noIntercept {
		h = hashString(h, "no intercept")
	}
	for i := range p.m {
		h = rowhash.Numbers(h, p.landmarks.RawRowView(i))
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

// machine makes the model of coefficients u (k×M).
func (p *landmarkProblem) machine(u *mat.Dense) *machine {
	m := &machine{kernel: p.kernel, landmarks: p.landmarks, prepared: p.prepared, beta: mat.DenseCopyOf(u), bias: make([]float64, p.src.K)}
	p.coefficients(m.beta)
	for j := range m.bias {
		m.bias[j] = p.offset[j]
		if p.centre != nil {
			m.bias[j] -= linalg.Dot(p.centre, u.RawRowView(j))
		}
	}
	return m
}

// finite returns an error if the numbers of the input were so large that those of the model
// are not finite.
func (m *machine) finite(typ string, src *rows.Source) error {
	total := vecmath.Sum(m.bias) + mat.Sum(m.beta) + m.report.Objective + vecmath.Sum(src.Variance) + src.Weight
	if m.spread != nil {
		total += vecmath.Sum(m.spread.noise) + vecmath.Sum(m.spread.unseen)
	}
	if total-total != 0 || math.IsInf(total, 0) {
		return fmt.Errorf("%s: the targets or the kernel's values are too large, their squares overflow: %w", typ, fault.ErrNotFinite)
	}
	return nil
}

func (m *machine) chosenKernel() kernels.Kernel {
	if m == nil {
		return nil
	}
	return m.kernel
}

func (m *machine) chosenRidge() float64 {
	if m == nil {
		return 0
	}
	return m.ridge
}

func (m *machine) landmarkRows() *mat.Dense {
	if m == nil {
		return nil
	}
	return mat.DenseCopyOf(m.landmarks)
}
