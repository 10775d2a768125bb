package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"gonum.org/v1/gonum/stat"
)

// paperRanks holds the paper's Table 1: the ranks of the best kernel according to 1-KTA, CSMnorm and FSMerr.
var paperRanks = map[string][measured]float64{
	"australian": {1, 4, 4}, "breast-cancer": {3, 3, 2}, "diabetes-pima": {4, 3, 1}, "fourclass": {4, 3, 1}, "german-numer": {3, 3, 2},
	"heart": {4, 3, 1}, "ionosphere": {4, 1, 1}, "mushrooms": {1, 4, 1}, "vehicle": {3, 4, 2},
}

// The indices of the kernels in kernelNames.
const (
	lin = iota
	poly
	rbf
	tanh
)

// printClaims prints how often the paper's claims about its figure 4 hold over all nine sets.
func (s settings) printClaims(out io.Writer, all []judged) error {
	lowest, near, highest := 0, 0, 0
	var missed, agreed [measured]int
	for _, j := range all {
		best := j.least(byError)
		if slices.Contains(best, poly) || slices.Contains(best, rbf) {
			lowest++
		}
		if low := j.rows[best[0]]; j.rows[poly].values[byError] <= low.values[byError]+2*low.se &&
			j.rows[rbf].values[byError] <= low.values[byError]+2*low.se {
			near++
		}
		worst := j.most(byError)
		if slices.Contains(worst, lin) || slices.Contains(worst, tanh) {
			highest++
		}
		for m := range measured {
			if first := j.least(m); !slices.Contains(first, poly) && !slices.Contains(first, rbf) {
				missed[m]++
			}
			if last := j.most(m); slices.Contains(worst, last[0]) {
				agreed[m]++
			}
		}
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "number of sets\there, of %d\tpaper, of 9\t\n", len(all))
	fmt.Fprintf(w, "the error of RBF or Poly is the least\t%d\t9\t\n", lowest)
	fmt.Fprintf(w, "those of both are within 2 standard errors of the least\t%d\t9, by eye\t\n", near)
	fmt.Fprintf(w, "the error of Lin or Tanh is the largest\t%d\t9\t\n", highest)
	for m, paper := range []string{"6", "8", "1"} {
		fmt.Fprintf(w, "%s puts neither RBF nor Poly first\t%d\t%s\t\n", columnNames[m], missed[m], paper)
	}
	for m, paper := range []string{"0", "0", "5"} {
		fmt.Fprintf(w, "%s puts the kernel of the largest error last\t%d\t%s\t\n", columnNames[m], agreed[m], paper)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(out)
	return nil
}

// rankOf returns the mean rank of the given kernels according to a measure.
func (j judged) rankOf(some []int, m int) float64 {
	sum := 0.0
	for _, i := range some {
		sum += j.rows[i].ranks[m]
	}
	return sum / float64(len(some))
}

// excess compares kernel i with the first best kernel on the same folds. It returns the mean difference of the errors, and its
// standard error.
func (j judged) excess(i int) (mean, se float64) {
	best := j.rows[j.least(byError)[0]].folds
	difference := make([]float64, len(best))
	for f, v := range j.rows[i].folds {
		difference[f] = v - best[f]
	}
	return meanError(difference)
}

// level returns the kernels that the cross-validation cannot distinguish from the best. Their excess is at most two of its standard
// errors.
func (j judged) level() []int {
	var out []int
	for i := range j.rows {
		if mean, se := j.excess(i); mean <= 2*se+same {
			out = append(out, i)
		}
	}
	return out
}

// asPrinted returns the kernel whose ranks are those of the best kernel in the paper, or -1 if there is none.
func (j judged) asPrinted() int {
	want, known := paperRanks[j.set]
	if !known {
		return -1
	}
	return slices.IndexFunc(j.rows, func(r row) bool { return r.ranks == want })
}

// printTable1 prints the ranks of the best kernels, with the paper's ranks in brackets.
func (s settings) printTable1(out io.Writer, all []judged) error {
	fmt.Fprintln(out, "Table 1: the rank of the kernel of the least error under each measure, 1 for the first of four, in brackets the "+
		"paper's;")
	fmt.Fprintln(out, "then the kernels within 2 standard errors of the least, over the same folds; the kernel that has all three ranks "+
		"of "+
		"the paper; and how much more it errs")
	fmt.Fprintln(out)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "set\tbest kernel\terror\t%s\tas good\tthe paper's\texcess error\t\n", strings.Join(columnNames[:measured], "\t"))
	for _, j := range all {
		best := j.least(byError)
		fmt.Fprintf(w, "%s\t%s\t%.4f (%.4f)", j.name(), names(best, " = "), j.rows[best[0]].values[byError], j.rows[best[0]].se)
		for m := range measured {
			fmt.Fprintf(w, "\t%.3g", j.rankOf(best, m))
			if p, ok := paperRanks[j.set]; ok {
				fmt.Fprintf(w, " (%.0f)", p[m])
			}
		}
		fmt.Fprintf(w, "\t%s", names(j.level(), ", "))
		if i := j.asPrinted(); i >= 0 {
			mean, se := j.excess(i)
			fmt.Fprintf(w, "\t%s\t%.4f (%.4f)\t\n", kernelNames[i], mean, se)
		} else {
			fmt.Fprintln(w, "\tnone\t\t")
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(out)
	return s.printMeans(out, all)
}

func names(some []int, separator string) string {
	var out []string
	for _, i := range some {
		out = append(out, kernelNames[i])
	}
	return strings.Join(out, separator)
}

// printMeans prints the last line of Table 1. It also prints how far that line depends on chance, because one of several equally
// good kernels is the best by chance.
func (s settings) printMeans(out io.Writer, all []judged) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "mean rank, sets: %d\t%s\t\n", len(all), strings.Join(columnNames[:measured], "\t"))
	means := func(title string, show func(m int) string) {
		fmt.Fprint(w, title)
		for m := range measured {
			fmt.Fprint(w, "\t", show(m))
		}
		fmt.Fprintln(w, "\t")
	}
	means("of the best kernel", func(m int) string {
		mean, sd := spreadOf(ranksBy(all, m, func(j judged) []int { return j.least(byError) }))
		return fmt.Sprintf("%.2f ± %.2f", mean, sd)
	})
	means("in the paper", func(m int) string { return []string{"3.00 ± 1.22", "3.11 ± 0.93", "1.67 ± 1.00"}[m] })
	means("of all that are as good", func(m int) string {
		mean, sd := spreadOf(ranksBy(all, m, judged.level))
		return fmt.Sprintf("%.2f ± %.2f", mean, sd)
	})
	means("of the best in a single cross-validation", func(m int) string {
		low, high := math.Inf(1), math.Inf(-1)
		for repeat := range s.repeats {
			mean := stat.Mean(ranksBy(all, m, func(j judged) []int {
				return leastOf(j.rows, func(r row) float64 { return stat.Mean(r.folds[repeat*s.folds:(repeat+1)*s.folds], nil) })
			}), nil)
			low, high = min(low, mean), max(high, mean)
		}
		return fmt.Sprintf("%.2f to %.2f", low, high)
	})
	means("excess error of the kernel that it puts first", func(m int) string {
		sum := 0.0
		for _, j := range all {
			excess, _ := j.excess(j.least(m)[0])
			sum += excess
		}
		return fmt.Sprintf("%.4f", sum/float64(len(all)))
	})
	if err := w.Flush(); err != nil {
		return err
	}
	return s.printTests(out, all)
}

// ranksBy returns, for each set, the mean rank according to measure m of the kernels that the function choose returns.
func ranksBy(all []judged, m int, choose func(judged) []int) []float64 {
	var out []float64
	for _, j := range all {
		out = append(out, j.rankOf(choose(j), m))
	}
	return out
}

// spreadOf returns the mean and the standard deviation of values. The deviation of a single value is 0.
func spreadOf(values []float64) (mean, sd float64) {
	if len(values) == 1 {
		return values[0], 0
	}
	return stat.MeanStdDev(values, nil)
}

// printTests prints the paper's t-tests for the mean ranks of the measures, over the same sets.
func (s settings) printTests(out io.Writer, all []judged) error {
	best := func(j judged) []int { return j.least(byError) }
	fsm := ranksBy(all, measured-1, best)
	for m := range measured - 1 {
		difference := ranksBy(all, m, best)
		for i := range difference {
			difference[i] -= fsm[i]
		}
		if mean, se := meanError(difference); se > 0 {
			_, err := fmt.Fprintf(out, "%s less FSMerr: %.2f, t = %.2f with %d degrees of freedom\n", columnNames[m], mean, mean/se,
				len(all)-1)
			if err != nil {
				return err
			}
		}
	}
	return nil
}
