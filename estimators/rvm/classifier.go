package rvm

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/rowwise"
	"github.com/kernelearn/kernelearn/kernels"
)

const classifierType = "rvm: Classifier"

// Classifier is the relevance vector machine for classification, with an intercept of
// nearly flat prior. More than two classes are learnt each against the rest. The zero
// value is ready to use.
type Classifier struct {
	Kernel     kernels.Kernel // nil: kernels.MedianRBF of the training rows; need not be positive semi-definite
	Landmarks  *mat.Dense     // the rows that basis functions sit on (M×d); nil: training rows
	Components int            // the number of training rows, drawn by Seed, that basis functions sit on; 0: all
	// Refine follows the true gradient of the evidence at the end, for a small gain in
	// evidence (about .04 nats on the reference case) at the cost of tens of modes.
	Refine     bool
	Seed       uint64 // of Components, and of the sample that MedianRBF takes of many rows
	Workers    int    // goroutines; 0: GOMAXPROCS
	CacheBytes int64  // for columns of the design matrix; 0: DefaultCacheBytes
	// Observe, if not nil, is called after each change of a machine, by one goroutine
	// at a time; Objective is the negative log evidence of that machine.
	Observe func(estimators.Step)

	m *classification
}

var (
	_ estimators.Classifier                    = (*Classifier)(nil)
	_ estimators.ProbaPredictor                = (*Classifier)(nil)
	_ estimators.DecisionPredictor             = (*Classifier)(nil)
	_ estimators.Cloner[estimators.Classifier] = (*Classifier)(nil)
	_ estimators.Reporter                      = (*Classifier)(nil)
)

// classes is a fitted Classifier: one machine for two classes, whose positive class
// is the second, and one for each of more.
type classification struct {
	labels   []int
	machines []*machine
	kernel   kernels.Kernel // nil after FitDesign
	vectors  *mat.Dense     // of all machines together; nil without any
	rows     []int          // the training rows that the vectors are; nil for landmarks
	columns  []int          // of the basis, which the vectors are
	width    int
	report   estimators.Report
}

// machine is one class against the rest.
type machine struct {
	members      []int // positions in columns
	coefficients []float64
	alphas       []float64
	cov          *mat.SymDense // of the coefficients and, last, of the intercept
	intercept    float64
	evidence     float64
}

// Machine is what a Classifier learnt of one class against the rest; of two classes
// there is one, of the second.
type Machine struct {
	Class            int
	RelevanceIndices []int     // training rows, or landmarks or columns
	Coefficients     []float64 // of their kernels, in the latent score
	Alphas           []float64 // prior precisions of the coefficients
	Intercept        float64
	LogEvidence      float64 // in Laplace's approximation
}

func (c *Classifier) validate() error {
	return validateBasis(classifierType, c.Kernel, c.Components, 0, c.CacheBytes)
}

// Fit learns from x (n×d) and n labels y. Cost, with M basis functions of which m
// stay: O(nMm) for each of some m scans of the basis. Errors: ErrParam, ErrShape (also
// for a single class), ErrNotFinite, or ctx's.
func (c *Classifier) Fit(ctx context.Context, x mat.Matrix, y []int) error {
	if err := c.validate(); err != nil {
		return err
	}
	xd, err := check.Dense("x", x)
	if err != nil {
		return err
	}
	n, d := xd.Dims()
	if err := check.Rows("y", len(y), n); err != nil {
		return err
	}
	kernel, err := kernels.OrMedianRBF(ctx, c.Kernel, xd, c.Seed)
	if err != nil {
		return err
	}
	centres, rows, err := chooseBasis(xd, c.Landmarks, c.Components, c.Seed)
	if err != nil {
		return err
	}
	m, _ := centres.Dims()
	out, err := c.fit(ctx, kernelColumns(kernel, centres, xd), n, m, y)
	if err != nil {
		return err
	}
	out.kernel, out.width = kernel, d
	if k := len(out.columns); k > 0 {
		out.vectors = mat.NewDense(k, d, nil)
		for i, j := range out.columns {
			out.vectors.SetRow(i, centres.RawRowView(j))
			if rows != nil {
				out.rows = append(out.rows, rows[j])
			}
		}
	}
	c.m = out
	return nil
}

// FitDesign learns from a design matrix phi (n×M) and n labels y. Kernel, Landmarks
// and Components are not used; predictions are made by the methods that end in Design.
func (c *Classifier) FitDesign(ctx context.Context, phi mat.Matrix, y []int) error {
	if err := c.validate(); err != nil {
		return err
	}
	pd, err := check.Dense("phi", phi)
	if err != nil {
		return err
	}
	n, m := pd.Dims()
	if len(y) != n {
		return fault.Shape("y has", len(y), "entries", "phi has %d rows", n)
	}
	out, err := c.fit(ctx, matrixColumns(pd), n, m, y)
	if err != nil {
		return err
	}
	out.width = m
	c.m = out
	return nil
}

// fit learns a machine for each class, or one for two.
func (c *Classifier) fit(ctx context.Context, raw columns, n, m int, y []int) (*classification, error) {
	labels := classes.Distinct(y)
	if err := classes.AtLeastTwo(labels); err != nil {
		return nil, err
	}
	b, err := newBasis(ctx, raw, n, m+1, false, true, cmp.Or(c.CacheBytes, DefaultCacheBytes), c.Workers)
	if err != nil {
		return nil, err
	}
	positive := labels[len(labels)-classes.Machines(len(labels)):]
	observe := c.observer()
	fitted, done := make([]*binary, len(positive)), make([]bool, len(positive))
	err = parallel.For(ctx, c.Workers, len(positive), func(i int) error {
		t := make([]float64, n)
		for row, label := range y {
			if label == positive[i] {
				t[row] = 1
			}
		}
		p, err := newBinary(ctx, b, t, c.Workers)
		if err != nil {
			return err
		}
		fitted[i] = p
		if done[i], err = p.climb(ctx, observe); err == nil && c.Refine {
			err = p.refine(ctx)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return gather(labels, positive, fitted, done), nil
}

// observer returns what a machine calls after each change; nil if nobody looks.
func (c *Classifier) observer() func(*binary) {
	if c.Observe == nil {
		return nil
	}
	var mu sync.Mutex
	steps := 0
	return func(p *binary) {
		mu.Lock()
		defer mu.Unlock()
		steps++
		c.Observe(estimators.Step{Iteration: steps, Objective: -p.lev, Message: fmt.Sprintf("%d relevance vectors", len(p.active)-1)})
	}
}

// gather takes the machines to the units of the columns as they are.
func gather(labels, positive []int, fitted []*binary, done []bool) *classification {
	out := &classification{labels: labels, report: estimators.Report{Converged: true}}
	for _, p := range fitted {
		out.columns = append(out.columns, p.active[1:]...)
	}
	slices.Sort(out.columns)
	out.columns = slices.Compact(out.columns)
	for i, p := range fitted {
		m := len(p.active)
		// The intercept comes first in a binary, and last here.
		order := make([]int, m)
		for k := range order {
			order[k] = (k + 1) % m
		}
		slices.SortFunc(order[:m-1], func(a, b int) int { return p.active[a] - p.active[b] })
		mc := &machine{cov: mat.NewSymDense(m, nil), evidence: p.lev}
		for k, a := range order {
			norm := p.b.norms[p.active[a]]
			for l := k; l < m; l++ {
				mc.cov.SetSym(k, l, p.sigma.At(a, order[l])/norm/p.b.norms[p.active[order[l]]])
			}
			if k == m-1 {
				mc.intercept = p.w[a] / norm
				break
			}
			at, _ := slices.BinarySearch(out.columns, p.active[a])
			mc.members = append(mc.members, at)
			mc.coefficients = append(mc.coefficients, p.w[a]/norm)
			mc.alphas = append(mc.alphas, p.alpha[a]*norm*norm)
		}
		out.machines = append(out.machines, mc)
		out.report.Iterations += p.changes
		out.report.Objective -= p.lev
		out.report.Jitter = max(out.report.Jitter, p.jitter)
		if !done[i] {
			out.report.Converged = false
			out.report.Warnings = append(out.report.Warnings, fmt.Sprintf("class %d: stopped without convergence", positive[i]))
		}
		if m == 1 {
			out.report.Warnings = append(out.report.Warnings, fmt.Sprintf("class %d: no relevance vectors: no column of the basis tells it from the rest", positive[i]))
		}
	}
	return out
}

// scores returns for each row of x the moderated score f/√(1 + πv/8) of each machine,
// of mean f and variance v: its sigmoid is the probability.
func (m *classification) scores(x *mat.Dense, workers int) (*mat.Dense, error) {
	n, d := x.Dims()
	out := mat.NewDense(n, len(m.machines), nil)
	for first := 0; first < n; first += predictChunk {
		part := x.Slice(first, min(first+predictChunk, n), 0, d).(*mat.Dense)
		phi, err := m.features(part, workers)
		if err != nil {
			return nil, err
		}
		r, _ := part.Dims()
		for i := range r {
			for k, mc := range m.machines {
				row := make([]float64, len(mc.members)+1)
				f := mc.intercept
				for a, j := range mc.members {
					row[a] = phi.At(i, j)
					f += mc.coefficients[a] * row[a]
				}
				row[len(row)-1] = 1
				v := mat.NewVecDense(len(row), row)
				s := f / math.Sqrt(1+math.Pi/8*max(0, mat.Inner(v, mc.cov, v)))
				if !isFinite(s) {
					return nil, &fault.NotFiniteError{Name: classifierType + ": score", Row: first + i, Col: -1, Value: s}
				}
				out.Set(first+i, k, s)
			}
		}
	}
	return out, nil
}

// features returns the kernels of the rows of x with the vectors of all machines.
func (m *classification) features(x *mat.Dense, workers int) (*mat.Dense, error) {
	if m.kernel != nil && m.vectors != nil {
		return kernels.Cross(context.Background(), m.kernel, x, m.vectors, &kernels.Options{Workers: workers})
	}
	n, _ := x.Dims()
	out := mat.NewDense(n, max(len(m.columns), 1), nil)
	for a, j := range m.columns {
		for i := range n {
			out.Set(i, a, x.At(i, j))
		}
	}
	return out, nil
}

// decide returns a score for each class.
func (c *Classifier) decide(name string, x mat.Matrix, matrix bool) (*mat.Dense, error) {
	if c.m == nil {
		return nil, fault.NotFitted(classifierType)
	}
	if err := rightMethod(classifierType, matrix, c.m.kernel == nil); err != nil {
		return nil, err
	}
	xd, err := check.Dense(name, x)
	if err != nil {
		return nil, err
	}
	if err := check.Columns(name, xd, c.m.width); err != nil {
		return nil, err
	}
	s, err := c.m.scores(xd, c.Workers)
	if err != nil || len(c.m.machines) > 1 {
		return s, err
	}
	n, _ := s.Dims()
	both := mat.NewDense(n, 2, nil)
	for i := range n {
		both.SetRow(i, []float64{-s.At(i, 0), s.At(i, 0)})
	}
	return both, nil
}

// Decision returns for each row of x (r×d) the moderated score of each class, r×K:
// the logit of its probability against the rest.
func (c *Classifier) Decision(x mat.Matrix) (*mat.Dense, error) { return c.decide("x", x, false) }

// Predict returns the class of the largest Decision for each row of x (r×d).
func (c *Classifier) Predict(x mat.Matrix) ([]int, error) {
	s, err := c.decide("x", x, false)
	if err != nil {
		return nil, err
	}
	return classes.Predicted(c.m.labels, s), nil
}

// PredictDesign is Predict from new rows of the design matrix (r×M).
func (c *Classifier) PredictDesign(phi mat.Matrix) ([]int, error) {
	s, err := c.decide("phi", phi, true)
	if err != nil {
		return nil, err
	}
	return classes.Predicted(c.m.labels, s), nil
}

// PredictProba returns probabilities for each row of x (r×d), r×K in the order of
// Classes: for two classes the sigmoid of the score, moderated by its variance, so that
// it nears 1/2 where the model is not sure; for more, those of each class against the
// rest, over their sum.
func (c *Classifier) PredictProba(x mat.Matrix) (*mat.Dense, error) {
	s, err := c.decide("x", x, false)
	if err != nil {
		return nil, err
	}
	return probabilities(s), nil
}

// PredictProbaDesign is PredictProba from new rows of the design matrix (r×M).
func (c *Classifier) PredictProbaDesign(phi mat.Matrix) (*mat.Dense, error) {
	s, err := c.decide("phi", phi, true)
	if err != nil {
		return nil, err
	}
	return probabilities(s), nil
}

func probabilities(scores *mat.Dense) *mat.Dense {
	n, _ := scores.Dims()
	out := mat.DenseCopyOf(scores)
	for i := range n {
		row := out.RawRowView(i)
		// Of classes that are all very unlikely the likeliest still counts.
		top := slices.Max(row)
		shift := min(top, 0)
		sum := 0.0
		for j, v := range row {
			// exp(v)/(1 + exp(v)), over exp(shift).
			row[j] = math.Exp(v-shift-max(v, 0)) / (1 + math.Exp(-math.Abs(v)))
			sum += row[j]
		}
		for j := range row {
			row[j] /= sum
		}
	}
	return out
}

// Classes returns the distinct labels that Fit saw, ascending; nil before Fit.
func (c *Classifier) Classes() []int {
	if c.m == nil {
		return nil
	}
	return slices.Clone(c.m.labels)
}

// Machines returns what was learnt of each class; nil before Fit.
func (c *Classifier) Machines() []Machine {
	if c.m == nil {
		return nil
	}
	out := make([]Machine, len(c.m.machines))
	for i, mc := range c.m.machines {
		out[i] = Machine{
			Class: c.m.labels[i+len(c.m.labels)-len(c.m.machines)], Coefficients: slices.Clone(mc.coefficients), Alphas: slices.Clone(mc.alphas),
			Intercept: mc.intercept, LogEvidence: mc.evidence,
		}
		for _, j := range mc.members {
			out[i].RelevanceIndices = append(out[i].RelevanceIndices, c.m.indexOf(j))
		}
	}
	return out
}

// indexOf is the training row, landmark or column of a vector.
func (m *classification) indexOf(vector int) int {
	if m.rows != nil {
		return m.rows[vector]
	}
	return m.columns[vector]
}

// RelevanceIndices returns the training rows, or with Landmarks or FitDesign the
// landmarks or columns, that are in some class's machine, ascending; nil before Fit.
func (c *Classifier) RelevanceIndices() []int {
	if c.m == nil {
		return nil
	}
	out := make([]int, len(c.m.columns))
	for i := range out {
		out[i] = c.m.indexOf(i)
	}
	return out
}

// RelevanceVectors returns them as rows; nil before Fit, after FitDesign, and for a
// model without any.
func (c *Classifier) RelevanceVectors() *mat.Dense {
	if c.m == nil || c.m.vectors == nil {
		return nil
	}
	return mat.DenseCopyOf(c.m.vectors)
}

// LogEvidence returns the log evidence in Laplace's approximation, summed over the
// machines; 0 before Fit.
func (c *Classifier) LogEvidence() float64 {
	if c.m == nil {
		return 0
	}
	sum := 0.0
	for _, mc := range c.m.machines {
		sum += mc.evidence
	}
	return sum
}

// ChosenKernel returns the kernel that Fit used; nil before Fit and after FitDesign.
func (c *Classifier) ChosenKernel() kernels.Kernel {
	if c.m == nil {
		return nil
	}
	return c.m.kernel
}

// Report says how the last Fit went. Objective is the negative of LogEvidence,
// Iterations the number of changes over all machines.
func (c *Classifier) Report() estimators.Report {
	if c.m == nil {
		return estimators.Report{}
	}
	out := c.m.report
	out.Warnings = slices.Clone(out.Warnings)
	return out
}

// Clone returns an unfitted Classifier of the same configuration.
func (c *Classifier) Clone() estimators.Classifier {
	out := *c
	out.m = nil
	if c.Landmarks != nil {
		out.Landmarks = mat.DenseCopyOf(c.Landmarks)
	}
	return &out
}

// rowWidth is the number of columns that row wants; 0 where there is no kernel.
func (c *Classifier) rowWidth() int {
	if c.m == nil || c.m.kernel == nil {
		return 0
	}
	return c.m.width
}

func (c *Classifier) labels() []int {
	if c.m == nil {
		return nil
	}
	return c.m.labels
}

// row computes the scores of one row.
func (c *Classifier) row(out, x []float64) {
	vectors := len(c.m.columns)
	if c.m.vectors == nil {
		vectors = 0
	}
	p := rowwise.Scratch(2*vectors + 1)
	defer rowwise.Release(p)
	phi, members := (*p)[:vectors], (*p)[vectors:]
	if vectors > 0 {
		kernels.Row(phi, c.m.kernel, x, c.m.vectors)
	}
	for k, mc := range c.m.machines {
		f := mc.intercept
		for a, j := range mc.members {
			members[a] = phi[j]
			f += mc.coefficients[a] * phi[j]
		}
		size := len(mc.members) + 1
		members[size-1] = 1
		raw := mc.cov.RawSymmetric()
		spread := 0.0
		for i, v := range members[:size] {
			row := raw.Data[i*raw.Stride+i : i*raw.Stride+size] // the upper triangle
			spread += v * v * row[0]
			for j, w := range row[1:] {
				spread += 2 * v * w * members[i+1+j]
			}
		}
		out[k] = f / math.Sqrt(1+math.Pi/8*max(0, spread))
	}
	if len(c.m.machines) == 1 {
		classes.Both(out, out[0])
	}
}

// PredictTo is Predict into dst, which has an entry for each row of x. Up to sixteen rows of a
// dense matrix are predicted one by one without allocating; their scores agree with
// Decision's to rounding.
func (c *Classifier) PredictTo(dst []int, x mat.Matrix) error {
	return rowwise.Labels(classifierType, dst, x, c.rowWidth(), c.labels(), c.Predict, c.row)
}

// DecisionTo is Decision into dst, a row for each of x and a column for each of Classes,
// without allocating as PredictTo.
func (c *Classifier) DecisionTo(dst *mat.Dense, x mat.Matrix) error {
	return rowwise.Scores(classifierType, dst, x, c.rowWidth(), len(c.labels()), c.Decision, c.row)
}
