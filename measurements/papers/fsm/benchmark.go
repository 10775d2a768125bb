package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"gonum.org/v1/gonum/stat"

	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/progressbar"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection/ranking"
)

// columnNames lists the columns of figure 4. The first three are the measures in Table 1.
var columnNames = []string{"1-KTA", "CSMnorm", "FSMerr", "error"}

const (
	measured = 3 // number of measures among the columns
	byError  = 3 // index of the error among the columns
)

// row holds the results of a kernel for a problem.
type row struct {
	values [4]float64        // in the order of columnNames
	ranks  [measured]float64 // from 1, the smallest value
	folds  []float64         // errors for the folds of all cross-validations
	se     float64           // standard error of their mean, as if they were independent
}

// judged holds a problem and the results of its kernels.
type judged struct {
	problem
	rows []row // in the order of kernelNames
}

// benchmark prints and draws figure 4 and Table 1.
func (s settings) benchmark(ctx context.Context, out, progress io.Writer) error {
	var problems []problem
	for _, name := range s.sets {
		p, err := s.open(ctx, name)
		if err != nil {
			return err
		}
		problems = append(problems, p)
	}
	r, err := openResults(s.results)
	if err != nil {
		return err
	}
	defer r.close()
	bar := progressbar.New(progress, "cross-validations", len(problems)*len(kernelNames)*s.repeats)
	var all []judged
	for _, p := range problems {
		j, err := s.judge(ctx, r, p, func() { bar.Add(1) })
		if err != nil {
			return fmt.Errorf("%s: %w", p.set, err)
		}
		all = append(all, j)
	}
	bar.Finish()
	if s.data == "" {
		fmt.Fprintln(out, "without -data: what the repository ships, which is none of the paper's sets")
		fmt.Fprintln(out)
	}
	if s.wants(4, 0) {
		if err := s.printFigure4(out, all); err != nil {
			return err
		}
		if path, wanted := s.picture("fsm-figure4.png"); wanted {
			if err := drawBars(path, all); err != nil {
				return err
			}
		}
	}
	if s.wants(0, 1) {
		return s.printTable1(out, all)
	}
	return nil
}

// judge measures and cross-validates the kernels of a problem.
func (s settings) judge(ctx context.Context, r *results, p problem, done func()) (judged, error) {
	j, err := s.measureKernels(ctx, p)
	if err != nil {
		return j, err
	}
	for i, k := range p.learners {
		if err := s.crossValidate(ctx, r, p, k, &j.rows[i], done); err != nil {
			return j, fmt.Errorf("%s: %w", kernelNames[i], err)
		}
	}
	return j, nil
}

// measureKernels computes all values except the errors.
func (s settings) measureKernels(ctx context.Context, p problem) (judged, error) {
	j := judged{p, make([]row, len(p.candidates))}
	// The paper compares four fixed kernels, so they are not limited to a band of entropies. A choice among kernels would be.
	by, err := ranking.ForClassification(ctx, p.candidates, nil, p.x, p.y,
		&ranking.Options{By: ranking.KTA, NoEntropy: true, Workers: s.workers})
	if err != nil {
		return j, err
	}
	for m, criterion := range []ranking.Criterion{ranking.KTA, ranking.CSM, ranking.FSM} {
		if by, err = by.SortedBy(criterion); err != nil {
			return j, err
		}
		for place, e := range by.Entries {
			if e.Err != nil {
				return j, e.Err
			}
			at := &j.rows[slices.Index(p.candidates, e.Kernel)]
			at.values[m] = []float64{1 - e.KTA, e.CSMNorm, e.FSMErr}[m]
			at.ranks[m] = float64(place + 1)
		}
	}
	return j, nil
}

// crossValidate computes the missing cells of a kernel, and sets its cross-validation error from all its cells.
func (s settings) crossValidate(ctx context.Context, r *results, p problem, k kernels.Kernel, to *row, done func()) error {
	cells := make([]cell, s.repeats)
	var missing []int
	for i := range cells {
		cells[i] = cell{p.name(), k.String(), i, fmt.Sprintf("C %v, %d folds, seed %d, data %.8s", s.c, s.folds, s.seed, p.sha256)}
		if r.get(cells[i]) == nil {
			missing = append(missing, i)
		} else {
			done()
		}
	}
	if len(missing) > 0 {
		// One matrix of all rows is used for every fold.
		km, err := kernels.Matrix(ctx, k, p.x, &kernels.Options{Workers: s.workers})
		if err != nil {
			return err
		}
		err = parallel.ForEach(ctx, s.workers, len(missing), func(i int) error {
			defer done()
			shares, err := s.foldErrors(ctx, km, p.y, missing[i])
			if err != nil {
				return err
			}
			return r.put(cells[missing[i]], shares)
		})
		if err != nil {
			return err
		}
	}
	for _, c := range cells {
		to.folds = append(to.folds, r.get(c)...)
	}
	to.values[byError], to.se = meanError(to.folds)
	return nil
}

// meanError returns the mean of values and its standard error. It treats the values as independent.
func meanError(values []float64) (mean, se float64) {
	mean, sd := stat.MeanStdDev(values, nil)
	return mean, sd / math.Sqrt(float64(len(values)))
}

// same is the largest difference that rounding can cause between two means of the same numbers.
const same = 1e-12

// least returns the kernels with the smallest value in a column, including ties.
func (j judged) least(column int) []int {
	return leastOf(j.rows, func(r row) float64 { return r.values[column] })
}

// most returns the kernels with the largest value in a column, including ties.
func (j judged) most(column int) []int {
	return leastOf(j.rows, func(r row) float64 { return -r.values[column] })
}

func leastOf(rows []row, value func(row) float64) []int {
	low := math.Inf(1)
	for _, r := range rows {
		low = min(low, value(r))
	}
	var out []int
	for i, r := range rows {
		if value(r)-low <= same {
			out = append(out, i)
		}
	}
	return out
}

// printFigure4 prints each bar of figure 4, and the paper's claims about it.
func (s settings) printFigure4(out io.Writer, all []judged) error {
	fmt.Fprintf(out, "Figure 4: %d-fold stratified cross-validation of the SVM, C = %v, %d times, in brackets the standard error; seed "+
		"%d\n\n", s.folds, s.c, s.repeats, s.seed)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "set\trows\tcolumns\tkernel\t%s\t\n", strings.Join(columnNames, "\t"))
	for _, j := range all {
		n, d := j.x.Dims()
		for i, r := range j.rows {
			head := "\t\t"
			if i == 0 {
				head = fmt.Sprintf("%s\t%d\t%d", j.name(), n, d)
			}
			fmt.Fprintf(w, "%s\t%s\t%.3f\t%.3f\t%.3f\t%.4f (%.4f)\t\n", head, kernelNames[i], r.values[0], r.values[1], r.values[2],
				r.values[byError], r.se)
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(out)
	return s.printClaims(out, all)
}
