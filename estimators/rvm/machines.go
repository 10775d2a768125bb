package rvm

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/rowwise"
)

// classification is a fitted Classifier: one machine for two classes, whose positive class
// is the second, and one for each of more.
type classification struct {
	*support // of all machines together
	labels   []int
	machines []*machine
	report   estimators.Report
}

// machine is one class against the rest.
type machine struct {
	members      []int // positions in the support
	coefficients []float64
	alphas       []float64
	cov          *mat.SymDense // of the coefficients and, last, of the intercept
	intercept    float64
	evidence     float64
}

// Machine is what a [Classifier] learnt about one class against the rest. With two classes there is one machine,
// that of the second class.
type Machine struct {
	Class int

	// RelevanceIndices has the training rows, landmarks or columns of the basis functions that were kept.
	RelevanceIndices []int

	// RelevanceKernels says which of Kernels each of them has. All are 0 if there is one kernel.
	RelevanceKernels []int

	// Coefficients has the coefficients of their kernels in the latent score.
	Coefficients []float64

	// Alphas has the prior precisions of the coefficients.
	Alphas    []float64
	Intercept float64

	// LogEvidence is the log evidence in Laplace's approximation.
	LogEvidence float64
}

// gather takes the machines to the units of the columns as they are.
func gather(d design, labels, positive []int, fitted []*binary, done []bool) *classification {
	var columns []int
	for _, p := range fitted {
		columns = append(columns, p.active[1:]...)
	}
	slices.Sort(columns)
	columns = slices.Compact(columns)
	out := &classification{support: d.support(columns), labels: labels, report: estimators.Report{Converged: true}}
	for i, p := range fitted {
		m := len(p.active)
		out.machines = append(out.machines, newMachine(p, columns))
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

// newMachine is a binary whose members are numbered by their positions in columns.
func newMachine(p *binary, columns []int) *machine {
	m := len(p.active)
	// The intercept comes first in a binary, and last here.
	order := make([]int, m)
	for k := range order {
		order[k] = (k + 1) % m
	}
	slices.SortFunc(order[:m-1], func(a, b int) int { return cmp.Compare(p.active[a], p.active[b]) })
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
		at, _ := slices.BinarySearch(columns, p.active[a])
		mc.members = append(mc.members, at)
		mc.coefficients = append(mc.coefficients, p.w[a]/norm)
		mc.alphas = append(mc.alphas, p.alpha[a]*norm*norm)
	}
	return mc
}

// moderated is the score f/√(1 + πv/8), of mean f and variance v, for the features phi of
// the support: its sigmoid is the probability. own is memory for the machine's features.
func (mc *machine) moderated(phi, own []float64) float64 {
	f := mc.intercept
	own = own[:len(mc.members)+1]
	for a, j := range mc.members {
		own[a] = phi[j]
		f += mc.coefficients[a] * phi[j]
	}
	own[len(mc.members)] = 1
	raw := mc.cov.RawSymmetric()
	variance := 0.0
	for i, v := range own {
		row := raw.Data[i*raw.Stride+i : i*raw.Stride+len(own)] // the upper triangle
		variance += v * v * row[0]
		for j, w := range row[1:] {
			variance += 2 * v * w * own[i+1+j]
		}
	}
	return f / math.Sqrt(1+math.Pi/8*max(0, variance))
}

// scores returns the moderated score of each machine for each row of x.
func (m *classification) scores(x *mat.Dense, workers int) (*mat.Dense, error) {
	n, d := x.Dims()
	out := mat.NewDense(n, len(m.machines), nil)
	own := make([]float64, len(m.columns)+1)
	for first := 0; first < n; first += predictChunk {
		part := x.Slice(first, min(first+predictChunk, n), 0, d).(*mat.Dense)
		phi, err := m.features(part, 0, workers)
		if err != nil {
			return nil, err
		}
		r, _ := part.Dims()
		for i := range r {
			var row []float64
			if phi != nil {
				row = phi.RawRowView(i)
			}
			for k, mc := range m.machines {
				s := mc.moderated(row, own)
				if !isFinite(s) {
					return nil, &fault.NotFiniteError{Name: classifierType + ": score", Row: first + i, Col: -1, Value: s}
				}
				out.Set(first+i, k, s)
			}
		}
	}
	return classes.Scores(out), nil
}

// row computes the scores of one row.
func (m *classification) row(out, x []float64) {
	vectors := len(m.columns)
	p := rowwise.Scratch(2*vectors + 1)
	defer rowwise.Release(p)
	phi, own := (*p)[:vectors], (*p)[vectors:]
	if vectors > 0 {
		m.rowValues(phi, x)
	}
	for k, mc := range m.machines {
		out[k] = mc.moderated(phi, own)
	}
	if len(m.machines) == 1 {
		classes.SetBoth(out, out[0])
	}
}

// probabilities are those of each class against the rest, over their sum.
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
