package svm

import (
	"cmp"
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/svm/internal/smo"
	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/weights"
	"github.com/kernelearn/kernelearn/kernels"
)

const (
	oneClassType    = "svm: OneClass"
	oneClassKind    = "svm.OneClass"
	oneClassVersion = 1
	// defaultShare is the Nu of OneClass if the field is 0.
	defaultShare = 0.05
)

// OneClass is the support vector machine for one class, ν-SVM for novelty detection (Schölkopf et al., Neural Computation 13,
// 2001). It finds the half space in the kernel's feature space, far from the origin, that contains all training rows except a share
// of at most Nu. It minimises
//
//	½ |f|² - ρ + Σ w[i] max(0, ρ - f(x[i])) / (Nu Σ w[i])
//
// for weights w, and the score of a row is f(x) - ρ. A row with a score below 0 is novel. The zero value is ready to use. Features
// should be of comparable scale. If there are many more rows than support vectors, about a share Nu of new rows is classified as
// novel. Otherwise the share is larger. The share guaranteed by novelty.Density holds for any number of rows.
//
// See also Density in package novelty.
type OneClass struct {
	// Kernel is the kernel, which need not be positive semi-definite. If it is nil, [kernels.MedianRBF] of the training rows is
	// used.
	Kernel kernels.Kernel

	// Nu is the largest share of the training rows that may be left out, and the smallest share of support vectors. It is at most
	// 1. If it is 0, 0.05 is used.
	Nu float64 `zero:"0.05" most:"1"`

	// Tolerance is the value of m - M, in units of ρ, at which the solver stops (see the package documentation). If it is 0, 1e-3
	// is used.
	Tolerance float64 `zero:"1e-3"`

	// MaxIterations is the largest number of steps. If it is 0, 10 million is used.
	MaxIterations int `zero:"10 million"`

	// If NoShrinking is set, the solver considers all rows in every step.
	NoShrinking bool

	// Seed is the seed for the sample that MedianRBF draws if there are many rows.
	Seed uint64

	// Workers is the number of goroutines that compute kernel values. If it is 0, GOMAXPROCS is used.
	Workers int

	// CacheBytes is the memory for kernel values. If it is 0, 512 MiB is used. At least two rows of the kernel matrix are kept.
	CacheBytes int64 `zero:"512 MiB"`

	// If Observe is not nil, it is called after every 1000 steps with the dual objective.
	Observe func(estimators.Step)

	m *machine
}

func (o *OneClass) settings() (machineSettings, error) {
	s, err := machineSettings{
		typ: oneClassType, config: o, kernel: o.Kernel, nu: o.Nu, tolerance: o.Tolerance, maxIterations: o.MaxIterations,
		noShrinking: o.NoShrinking, seed: o.Seed, workers: o.Workers, cacheBytes: o.CacheBytes,
	}.withDefaults()
	if err == nil {
		err = s.checkNu("", 0)
	}
	s.nu = cmp.Or(s.nu, defaultShare)
	return s, err
}

// Fit fits the model to x (n×d). The cost is between O(n²) and O(n³), or less if Nu is small, plus O(n²d) for the kernel. The
// memory is CacheBytes plus O(nd). It returns [estimators.ErrParam], [estimators.ErrShape], [estimators.ErrNotFinite] (also if the
// kernel overflows), or the error of ctx. If the solver does not converge, Report contains a warning.
func (o *OneClass) Fit(ctx context.Context, x mat.Matrix) (err error) {
	defer estimators.BeginFit(&ctx, o.Observe)(&err)
	return o.fit(ctx, x, nil)
}

// FitWeighted is like Fit, with a weight > 0 for each row.
func (o *OneClass) FitWeighted(ctx context.Context, x mat.Matrix, weights []float64) (err error) {
	defer estimators.BeginFit(&ctx, o.Observe)(&err)
	if weights == nil {
		weights = []float64{}
	}
	return o.fit(ctx, x, weights)
}

func (o *OneClass) fit(ctx context.Context, x mat.Matrix, own []float64) error {
	s, err := o.settings()
	if err != nil {
		return err
	}
	xd, err := check.Dense("x", x)
	if err != nil {
		return err
	}
	n, _ := xd.Dims()
	if own != nil {
		if err := check.Weights(oneClassType, own, n); err != nil {
			return err
		}
	}
	first, rest := progress.Two(ctx, 1, 6)
	kernel, src, err := s.sourceOf(first, xd)
	if err != nil {
		return err
	}
	p := smo.NewProblem(make([]float64, n))
	total := weights.NewCounts(own, n).Total
	for i := range n {
		// The order of the divisions avoids an overflow, which would make the bound 0.
		p.Hi[i] = weights.Weight(own, i) / total / s.nu
	}
	p.Form, p.Nu, p.Share = smo.Origin, s.nu, 1
	found, err := s.solveSingle(rest, src, p)
	if err != nil {
		return err
	}
	m, err := newMachine(s, kernel, &fitRows{x: xd, given: n}, []smo.Problem{p}, []smo.Solution{found})
	if err != nil {
		return err
	}
	if err := m.include(xd, s.workers, func(i int) bool { return found.Beta[i] < p.Hi[i] }); err != nil {
		return err
	}
	o.m = m
	return nil
}

// edge is the relative distance below a score of 0 at which a row is still treated as inside. Rounding needs this distance, because
// the order of the sum over support vectors depends on the number of rows that are predicted at a time.
const edge = 1e-9

// include lowers ρ to the smallest f of the rows that must be inside: those with a β below its bound. The solver leaves their
// scores within its tolerance of 0, on either side, and many of these rows may be equal. The other rows have at most the share Nu
// of all weights, because each is at its bound and the sum of all β is 1.
func (m *machine) include(x *mat.Dense, workers int, inside func(i int) bool) error {
	least, largest := math.Inf(1), 0.0
	err := m.decide(oneClassType, x, workers, func(_, first int, f *mat.Dense) error {
		rows, _ := f.Dims()
		for i := range rows {
			score := f.At(i, 0)
			largest = max(largest, math.Abs(score-m.intercepts[0]))
			if inside(first + i) {
				least = min(least, score)
			}
		}
		return nil
	})
	if least -= edge * largest; err == nil && least < 0 {
		m.intercepts[0] -= least
	}
	return err
}

// Score returns f(x) - ρ for each row of x (m×d). Novel rows have scores below 0. With s support vectors, the cost is O(sd) for
// each row.
func (o *OneClass) Score(x mat.Matrix) (_ []float64, err error) {
	defer fault.Recover(&err)
	return o.m.single(oneClassType, o.m.ofRows(oneClassType, x, o.Workers))
}

// Predict reports for each row of x (m×d) whether it is novel, that is, whether its Score is below 0.
func (o *OneClass) Predict(x mat.Matrix) (_ []bool, err error) {
	defer fault.Recover(&err)
	f, err := o.Score(x)
	if err != nil {
		return nil, err
	}
	out := make([]bool, len(f))
	for i, v := range f {
		out[i] = v < 0
	}
	return out, nil
}

// SupportIndices returns the training rows that are support vectors, in ascending order. It returns nil before Fit.
func (o *OneClass) SupportIndices() []int { return o.m.supportIndices() }

// SupportVectors returns the rows of SupportIndices (s×d). It returns nil before Fit.
func (o *OneClass) SupportVectors() *mat.Dense { return o.m.supportVectors() }

// Coefficients returns β, one for each entry of SupportIndices. The coefficients sum to 1. It returns nil before Fit.
func (o *OneClass) Coefficients() []float64 {
	_, values := o.m.coefficients(0)
	return values
}

// Offset returns ρ. It returns 0 before Fit.
func (o *OneClass) Offset() float64 {
	if o.m == nil {
		return 0
	}
	return -o.m.intercepts[0]
}

// ChosenKernel returns the kernel that Fit used. It returns nil before Fit.
func (o *OneClass) ChosenKernel() kernels.Kernel { return o.m.chosenKernel() }

// Report describes the last Fit. Objective is the minimised dual objective. Iterations is the number of steps.
func (o *OneClass) Report() estimators.Report { return o.m.copiedReport() }

// Graph implements [graph.Grapher]. Its Mean is the Score.
func (o *OneClass) Graph(x graph.Value) (graph.Outputs, error) {
	f, err := o.m.graph(oneClassType, x)
	return graph.Outputs{Mean: f}, err
}

// MarshalBinary encodes the fitted model: the support vectors, their coefficients and the kernel's name. It does not encode the
// configuration.
func (o *OneClass) MarshalBinary() ([]byte, error) {
	if o.m == nil {
		return nil, fault.NotFitted(oneClassType)
	}
	return codec.Marshal(oneClassKind, oneClassVersion, o.m.store(o.Kernel))
}

// UnmarshalBinary decodes the output of MarshalBinary into a OneClass with the same Kernel. Errors wrap [estimators.ErrBadModel]
// and leave o unchanged.
func (o *OneClass) UnmarshalBinary(data []byte) error {
	var s stored
	if _, err := codec.Unmarshal(data, oneClassKind, oneClassVersion, &s); err != nil {
		return err
	}
	m, err := s.machine(oneClassKind, o.Kernel, 1)
	switch {
	case err != nil:
		return err
	case s.Matrix:
		return fault.BadModel(oneClassKind, "no kernel")
	}
	o.m = m
	return nil
}
