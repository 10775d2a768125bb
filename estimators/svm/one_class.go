package svm

import (
	"cmp"
	"context"
	"encoding"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	fitsteps "github.com/kernelearn/kernelearn/estimators/internal/progress"
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
	// defaultShare is the Nu of a OneClass.
	defaultShare = 0.05
)

// OneClass is the support vector machine of one class, ν-SVM for novelty detection
// (Schölkopf et al., Neural Computation 13, 2001): the half space of the kernel's feature space, far from the
// origin, that holds the rows of Fit but for a share of at most Nu. It minimises
//
//	½ |f|² - ρ + Σ w[i] max(0, ρ - f(x[i])) / (Nu Σ w[i])
//
// for weights w, and the score of a row is f(x) - ρ: below 0 it is novel. The zero value is
// ready to use. Features should be of comparable scale. The share of new rows that are taken
// for novel is about Nu where there are many more rows than support vectors, and larger where
// there are not: novelty.Density has a share that holds for any number of rows.
type OneClass struct {
	Kernel kernels.Kernel // nil: kernels.MedianRBF of the training rows; need not be positive semi-definite
	// Nu is the share of the rows of Fit that may be left out, which is also the least share of
	// support vectors; 0: 0.05. At most 1.
	Nu            float64
	Tolerance     float64 // on m - M, in units of ρ; 0: 1e-3
	MaxIterations int     // 0: 10 million
	NoShrinking   bool    // looks at all rows in every step
	Seed          uint64  // for the sample that MedianRBF takes of many rows
	Workers       int     // goroutines for kernel values; 0: GOMAXPROCS
	CacheBytes    int64   // for kernel values, at least two rows of them; 0: 512 MiB
	// Observe, if not nil, is called after every 1000 steps with the dual objective.
	Observe func(estimators.Step)

	m *machine
}

var (
	_ estimators.Detector                    = (*OneClass)(nil)
	_ estimators.Cloner[estimators.Detector] = (*OneClass)(nil)
	_ estimators.Reporter                    = (*OneClass)(nil)
	_ encoding.BinaryMarshaler               = (*OneClass)(nil)
	_ encoding.BinaryUnmarshaler             = (*OneClass)(nil)
	_ graph.Grapher                          = (*OneClass)(nil)
)

func (o *OneClass) settings() (settings, error) {
	s, err := settings{
		typ: oneClassType, kernel: o.Kernel, nu: o.Nu, tolerance: o.Tolerance, maxIterations: o.MaxIterations, noShrinking: o.NoShrinking,
		seed: o.Seed, workers: o.Workers, cacheBytes: o.CacheBytes,
	}.withDefaults()
	if err == nil {
		err = s.checkNu("", 0)
	}
	s.nu = cmp.Or(s.nu, defaultShare)
	return s, err
}

// Fit learns from x (n×d). Cost between O(n²) and O(n³) for a Nu that is not small, and O(n²d)
// for the kernel; memory that of CacheBytes and O(nd). Errors: ErrParam, ErrShape, ErrNotFinite
// (also for a kernel that overflows), or ctx's. Not converging is in Report.
func (o *OneClass) Fit(ctx context.Context, x mat.Matrix) (err error) {
	defer fault.Recover(&err)
	ctx = check.Context(ctx)
	ctx, end := fitsteps.Begin(ctx, o.Observe)
	defer end(&err)
	return o.fit(ctx, x, nil)
}

// FitWeighted is Fit with a weight > 0 for each row.
func (o *OneClass) FitWeighted(ctx context.Context, x mat.Matrix, weights []float64) (err error) {
	defer fault.Recover(&err)
	ctx = check.Context(ctx)
	ctx, end := fitsteps.Begin(ctx, o.Observe)
	defer end(&err)
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
	p := problem{rows: countTo(n), target: make([]float64, n), lo: make([]float64, n), hi: make([]float64, n)}
	total := weights.NewCounts(own, n).Total
	for i := range n {
		// Divided first: the sum of large weights may overflow, which shows as a bound of 0.
		p.hi[i] = weights.At(own, i) / total / s.nu
	}
	p.form, p.nu, p.share = origin, s.nu, 1
	var found solution
	err = s.solveAll(rest, src, []task{{p, func(_ context.Context, sol solution) error { found = sol; return nil }}})
	if err != nil {
		return err
	}
	m, err := newMachine(s, kernel, xd, n, []problem{p}, []solution{found})
	if err == nil {
		o.m = m
	}
	return err
}

// Score returns f(x) - ρ for each row of x (m×d): below 0 for those that are novel. Cost
// O(sd) a row for s support vectors.
func (o *OneClass) Score(x mat.Matrix) (_ []float64, err error) {
	defer fault.Recover(&err)
	f, err := o.m.all(oneClassType, func(v visit) error { return o.m.decide(oneClassType, x, o.Workers, v) })
	if err != nil {
		return nil, err
	}
	return mat.Col(nil, 0, f), nil
}

// Predict reports for each row of x (m×d) whether it is novel: whether its Score is below 0.
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

// SupportIndices returns the training rows that are support vectors, ascending; nil before
// Fit.
func (o *OneClass) SupportIndices() []int { return o.m.supportIndices() }

// SupportVectors returns them (s×d); nil before Fit.
func (o *OneClass) SupportVectors() *mat.Dense { return o.m.supportVectors() }

// Coefficients returns β, one for each of SupportIndices, which sum to 1; nil before Fit.
func (o *OneClass) Coefficients() []float64 {
	if o.m == nil {
		return nil
	}
	_, values := o.m.coefficients(0)
	return values
}

// Offset returns ρ, 0 before Fit.
func (o *OneClass) Offset() float64 {
	if o.m == nil {
		return 0
	}
	return -o.m.intercepts[0]
}

// ChosenKernel returns the kernel that Fit used; nil before Fit.
func (o *OneClass) ChosenKernel() kernels.Kernel { return o.m.chosenKernel() }

// Report says how the last Fit went. Objective is the dual objective, minimised; Iterations the
// number of steps.
func (o *OneClass) Report() estimators.Report { return o.m.copiedReport() }

// Clone returns an unfitted OneClass of the same configuration.
func (o *OneClass) Clone() estimators.Detector {
	out := *o
	out.m = nil
	return &out
}

// Graph implements [graph.Grapher]: Mean is Score.
func (o *OneClass) Graph(x graph.Value) (graph.Outputs, error) {
	f, err := o.m.graph(oneClassType, x)
	return graph.Outputs{Mean: f}, err
}

// MarshalBinary writes the fitted model: the support vectors, their coefficients and the
// kernel's name. The configuration is not written.
func (o *OneClass) MarshalBinary() ([]byte, error) {
	if o.m == nil {
		return nil, fault.NotFitted(oneClassType)
	}
	return codec.Marshal(oneClassKind, oneClassVersion, o.m.store(o.Kernel))
}

// UnmarshalBinary reads what MarshalBinary wrote into a OneClass of the same Kernel. Errors are
// ErrBadModel and leave o as it was.
func (o *OneClass) UnmarshalBinary(data []byte) error {
	var s stored
	if _, err := codec.Unmarshal(data, oneClassKind, oneClassVersion, &s); err != nil {
		return err
	}
	m, err := s.machine(oneClassKind, version, o.Kernel, 1)
	switch {
	case err != nil:
		return err
	case s.Matrix:
		return fault.BadModel(oneClassKind, "no kernel")
	}
	o.m = m
	return nil
}
