package rvm

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/rvm/internal/basis"
	"github.com/kernelearn/kernelearn/estimators/rvm/internal/evidence"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/rowwise"
)

// classification holds a fitted Classifier. For two classes it has one machine, whose positive class is the second. For more
// classes it has one machine for each class.
type classification struct {
	*basis.Support // the columns of all machines together
	labels         []int
	machines       []*evidence.Machine
	report         estimators.Report
}

// fittedSupport returns nil before Fit.
func (m *classification) fittedSupport() *basis.Support {
	if m == nil {
		return nil
	}
	return m.Support
}

// Machine is the fit of a [Classifier] to one class against the others. With two classes there is one machine, for the second
// class.
type Machine struct {
	Class int

	// RelevanceIndices lists the training rows, landmarks or columns of the basis functions that the machine keeps.
	RelevanceIndices []int

	// RelevanceKernels lists the index in Kernels of the kernel of each basis function. All are 0 if there is one kernel.
	RelevanceKernels []int

	// Coefficients lists the coefficients of the basis functions in the latent score.
	Coefficients []float64

	// Alphas lists the prior precisions of the coefficients.
	Alphas    []float64
	Intercept float64

	// LogEvidence is the log evidence in Laplace's approximation.
	LogEvidence float64
}

// gather returns the fitted classification, with the machines in the units of the unscaled columns.
func gather(d basis.Design, labels, positive []int, fitted []*evidence.Classification, done []bool) *classification {
	var columns []int
	for _, p := range fitted {
		columns = append(columns, p.Columns()...)
	}
	slices.Sort(columns)
	columns = slices.Compact(columns)
	out := &classification{Support: d.Support(columns), labels: labels, report: estimators.Report{Converged: true}}
	for i, p := range fitted {
		out.machines = append(out.machines, p.Machine(columns))
		out.report.Iterations += p.Changes
		out.report.Objective -= p.Evidence
		out.report.Jitter = max(out.report.Jitter, p.Jitter)
		if !done[i] {
			out.report.Converged = false
			out.report.Warnings = append(out.report.Warnings, fmt.Sprintf("class %d: stopped without convergence", positive[i]))
		}
		if len(p.Columns()) == 0 {
			out.report.Warnings = append(out.report.Warnings,
				fmt.Sprintf("class %d: no relevance vectors: no column of the basis separates it from the rest", positive[i]))
		}
	}
	return out
}

// scores returns the moderated score of each machine for each row of x.
func (m *classification) scores(x *mat.Dense, workers int) (*mat.Dense, error) {
	n, d := x.Dims()
	out := mat.NewDense(n, len(m.machines), nil)
	own := make([]float64, len(m.Columns)+1)
	for first := 0; first < n; first += predictChunk {
		part := x.Slice(first, min(first+predictChunk, n), 0, d).(*mat.Dense)
		phi, err := m.Features(part, 0, workers)
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
				s := mc.Moderated(row, own)
				if !check.IsFinite(s) {
					return nil, &fault.NotFiniteError{Name: classifierType + ": score", Row: first + i, Col: -1, Value: s}
				}
				out.Set(first+i, k, s)
			}
		}
	}
	return classes.Scores(out), nil
}

// row sets out to the scores for the row x.
func (m *classification) row(out, x []float64) {
	vectors := len(m.Columns)
	p := rowwise.Scratch(2*vectors + 1)
	defer rowwise.Release(p)
	phi, own := (*p)[:vectors], (*p)[vectors:]
	if vectors > 0 {
		m.RowValues(phi, x)
	}
	for k, mc := range m.machines {
		out[k] = mc.Moderated(phi, own)
	}
	if len(m.machines) == 1 {
		classes.SetBoth(out, out[0])
	}
}

// probabilities returns the probabilities of each class against the others, divided by their sum.
func probabilities(scores *mat.Dense) *mat.Dense {
	n, _ := scores.Dims()
	out := mat.DenseCopyOf(scores)
	for i := range n {
		row := out.RawRowView(i)
		// The shift avoids 0/0 if every class is very unlikely.
		top := slices.Max(row)
		shift := min(top, 0)
		sum := 0.0
		for j, v := range row {
			// The value is exp(v)/(1 + exp(v)), divided by exp(shift).
			row[j] = math.Exp(v-shift-max(v, 0)) / (1 + math.Exp(-math.Abs(v)))
			sum += row[j]
		}
		for j := range row {
			row[j] /= sum
		}
	}
	return out
}
